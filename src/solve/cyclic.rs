//! Games without laps in which seeds can circle: a first pass over half tables, then thresholds with un-moves.
//!
//! An un-move splits like a move: the position before it has as its mover's row some row that a half move turns into
//! the present other row, and as its other row the one that the same class turns, without a capture, into the present
//! mover's row. Both are looked up in inverted half tables.

use rayon::prelude::*;

use super::halves::{HalfTables, OtherMove, OwnMove};
use super::thresholds::{Backward, NOTHING, States, settle_all};
use super::{Lower, Progress, SolveError, check};
use crate::index::LayerIndex;
use crate::rules::{Feeding, HalfRows, Layer, Rules};

/// Rows of own halves that one task of the first pass takes.
const CHUNK: usize = 64;

/// Rows of other halves walked side by side, few enough that the rows they lead to stay in cache.
const TILE: usize = 64;

/// No row leads here by this class without a capture.
const NONE: u32 = u32::MAX;

pub(super) fn solve(
    rules: &dyn Rules,
    halves: &dyn HalfRows,
    index: &LayerIndex,
    lower: &Lower,
    progress: &dyn Progress,
) -> Result<Vec<i8>, SolveError> {
    let n = usize::from(index.layer().seeds);
    debug_assert_eq!(rules.half(), index.halves().pits());
    let tables = HalfTables::new(halves, index.halves(), n);
    let counts: Vec<usize> = (0..=n).map(|seeds| index.halves().count(seeds) as usize).collect();
    let starts: Vec<usize> = (0..=n).map(|own| index.start(own) as usize).collect();
    let states = States::new(index.size() as usize);
    let pass = FirstPass { n, counts: &counts, starts: &starts, tables: &tables, feeding: halves.feeding(), lower };
    pass.run(&states, progress)?;
    let backward = UnMoves::new(&tables, &counts, starts, n, halves.feeding());
    drop(tables);
    settle_all(&states, n as i8, &backward, progress)?;
    Ok(states.into_values())
}

/// Whether a move fails the duty that `feeding` puts on moves which can do better.
fn starves(feeding: Feeding, other_was_empty: bool, own_move: &OwnMove, other_move: OtherMove) -> bool {
    match feeding {
        Feeding::Free => false,
        Feeding::Feed => other_was_empty && own_move.drops == 0,
        Feeding::Spare => other_move.seeds == 0,
    }
}

struct FirstPass<'a> {
    n: usize,
    counts: &'a [usize],
    starts: &'a [usize],
    tables: &'a HalfTables,
    feeding: Feeding,
    lower: &'a Lower,
}

/// A layer below: its values and where each number of own seeds begins.
struct Below<'a> {
    values: &'a [i8],
    starts: Vec<usize>,
}

impl FirstPass<'_> {
    /// Looks up what leaves the layer and counts what stays, for every position.
    fn run(&self, states: &States, progress: &dyn Progress) -> Result<(), SolveError> {
        let n = self.n;
        progress.stage("first pass", self.starts[n] as u64 + self.counts[n] as u64);
        let mut below = Vec::new();
        for m in 0..n {
            let (index, values) = self.lower.seeds(Layer::of(m as u8))?;
            below.push(Below { values, starts: (0..=m).map(|own| index.start(own) as usize).collect() });
        }
        let tasks: Vec<(usize, usize)> =
            (0..=n).flat_map(|own| (0..self.counts[own]).step_by(CHUNK).map(move |row| (own, row))).collect();
        tasks.par_iter().try_for_each(|&(own, first)| {
            check(progress)?;
            let other = n - own;
            let row_len = self.counts[other];
            let rows = first..(first + CHUNK).min(self.counts[own]);
            for tile in (0..row_len).step_by(TILE) {
                for a in rows.clone() {
                    let moves = self.tables.own[own].of(a);
                    for b in tile..(tile + TILE).min(row_len) {
                        let (best, open) = self.look(own, moves, self.tables.other[other].of(b), &below);
                        states.set(self.starts[own] + a * row_len + b, best, open);
                    }
                }
            }
            progress.advance((rows.len() * row_len) as u64);
            Ok(())
        })
    }

    /// The best of the moves that leave the layer, and the number of those that do not.
    #[inline]
    fn look(&self, own: usize, moves: &[OwnMove], others: &[OtherMove], below: &[Below<'_>]) -> (i8, u8) {
        let n = self.n;
        if own == 0 {
            return (-(n as i8), 0);
        }
        let (mut best, mut open, mut starving) = (NOTHING, 0, 0);
        for own_move in moves {
            let other_move = others[usize::from(own_move.class)];
            if starves(self.feeding, own == n, own_move, other_move) {
                starving += 1;
                continue;
            }
            let gain = other_move.gain;
            if gain == 0 {
                open += 1;
                continue;
            }
            best = best.max(self.exit(own_move, other_move, below));
        }
        if starving == moves.len() {
            // No move serves the other player, so all are legal.
            for own_move in moves {
                let other_move = others[usize::from(own_move.class)];
                if other_move.gain == 0 {
                    open += 1;
                } else {
                    best = best.max(self.exit(own_move, other_move, below));
                }
            }
        }
        (best, open)
    }

    #[inline]
    fn exit(&self, own_move: &OwnMove, other_move: OtherMove, below: &[Below<'_>]) -> i8 {
        let below = &below[self.n - usize::from(other_move.gain)];
        let row_len = self.counts[usize::from(own_move.seeds[0])];
        let start = below.starts[usize::from(other_move.seeds)];
        let child = start + other_move.row as usize * row_len + own_move.row[0] as usize;
        other_move.gain as i8 - below.values[child]
    }
}

/// A position by its halves.
#[derive(Clone, Copy)]
struct Halves {
    own_seeds: u32,
    own: u32,
    other: u32,
}

/// A row from which the mover's half of some move leads to a given row.
#[derive(Clone, Copy)]
struct Before {
    class: u16,
    drops: u8,
    row: u32,
}

/// Inverted half tables.
struct UnMoves {
    n: usize,
    counts: Vec<usize>,
    starts: Vec<usize>,
    /// By seeds of the row after the move: for each row the moves that lead there, by rising class.
    own: Vec<(Vec<u32>, Vec<Before>)>,
    /// By seeds of the row after the move: `[row * classes + class]` is the row before a move without capture.
    other: Vec<(usize, Vec<u32>)>,
    /// By rank of the mover's row when the other row is empty: whether only moves that feed it are legal.
    must_feed: Vec<bool>,
}

impl UnMoves {
    fn new(tables: &HalfTables, counts: &[usize], starts: Vec<usize>, n: usize, feeding: Feeding) -> Self {
        let own = (0..=n).into_par_iter().map(|seeds| invert_own(tables, counts, n, seeds)).collect();
        let other = (0..=n).into_par_iter().map(|seeds| invert_other(tables, counts, seeds)).collect();
        let lone = tables.other[0].of(0);
        let must_feed = (0..counts[n])
            .map(|row| {
                let mut moves = tables.own[n].of(row).iter();
                feeding != Feeding::Free && moves.any(|m| !starves(feeding, true, m, lone[usize::from(m.class)]))
            })
            .collect();
        Self { n, counts: counts.to_vec(), starts, own, other, must_feed }
    }
}

fn invert_own(tables: &HalfTables, counts: &[usize], n: usize, after: usize) -> (Vec<u32>, Vec<Before>) {
    let mut found: Vec<(u32, Before)> = Vec::new();
    for before in after..=n {
        for row in 0..counts[before] {
            let moves = tables.own[before].of(row).iter().filter(|m| usize::from(m.seeds[0]) == after);
            found.extend(moves.map(|m| (m.row[0], Before { class: m.class, drops: m.drops, row: row as u32 })));
        }
    }
    found.sort_unstable_by_key(|(row, before)| (*row, before.class, before.row));
    let mut ends = vec![0; counts[after] + 1];
    for (row, _) in &found {
        ends[*row as usize + 1] += 1;
    }
    for row in 0..counts[after] {
        ends[row + 1] += ends[row];
    }
    (ends, found.into_iter().map(|(_, before)| before).collect())
}

fn invert_other(tables: &HalfTables, counts: &[usize], after: usize) -> (usize, Vec<u32>) {
    let classes = tables.classes.up_to(after);
    let mut before = vec![NONE; counts[after] * classes];
    for (class, drops) in tables.classes.list()[..classes].iter().map(|class| usize::from(class.drops)).enumerate() {
        let from = after - drops;
        for row in 0..counts[from] {
            let other_move = tables.other[from].of(row)[class];
            if other_move.gain == 0 {
                before[other_move.row as usize * classes + class] = row as u32;
            }
        }
    }
    (classes, before)
}

impl Backward for UnMoves {
    type Node = Halves;

    fn node(&self, rank: usize) -> Halves {
        let own = self.starts.partition_point(|&start| start <= rank) - 1;
        let row_len = self.counts[self.n - own];
        let offset = rank - self.starts[own];
        Halves { own_seeds: own as u32, own: (offset / row_len) as u32, other: (offset % row_len) as u32 }
    }

    #[inline]
    fn rank(&self, node: Halves) -> usize {
        let own = node.own_seeds as usize;
        self.starts[own] + node.own as usize * self.counts[self.n - own] + node.other as usize
    }

    #[inline]
    fn predecessors(&self, node: Halves, into: &mut Vec<Halves>) {
        let own = node.own_seeds as usize;
        let other = self.n - own;
        let (ends, all) = &self.own[other];
        let (classes, rows) = &self.other[own];
        let rows = &rows[node.own as usize * classes..][..*classes];
        let before = &all[ends[node.other as usize] as usize..ends[node.other as usize + 1] as usize];
        for before in before {
            let Some(&row) = rows.get(usize::from(before.class)) else {
                // Classes rise with the seeds dropped: the rest drop more than there are.
                break;
            };
            if row == NONE {
                continue;
            }
            if before.drops == 0 && own == 0 && self.must_feed[before.row as usize] {
                continue;
            }
            into.push(Halves { own_seeds: (other + usize::from(before.drops)) as u32, own: before.row, other: row });
        }
    }
}

//! Games in which a move without gain only carries seeds to the right inside the mover's row.
//!
//! Such a move lowers the rank of the mover's row A, and its child is (B, A') with the rows exchanged: f(A, B) needs
//! f(B, A') for A' < A, and nothing else of the layer. So for two numbers of seeds s and n - s, with rows B of n - s
//! seeds in tiles of neighbours and rows A of s seeds rising inside a tile, f(A, tile) followed by f(tile, A) finds
//! every child done: A' was earlier in this tile, and B' < B in this or an earlier tile. One pass solves the layer;
//! the pairs {s, n - s} are independent of each other.
//!
//! What a move of a certain [`Kind`] leads to is worked out for a whole tile at once: with the mover's row fixed, as
//! lists of the tile's rows that it leads to the same place; with the other row fixed, as one [`Answer`] for all rows.

use std::io::{self, Read, Write};
use std::ops::Range;

use rayon::prelude::*;

use super::checkpoint::{Work, read_u64};
use super::halves::{Below, OtherMove, OtherTable, Sower, TableSizes, layers_below};
use super::{Lower, Needs, SolveError};
use crate::index::LayerIndex;
use crate::memory::Pages;
use crate::rules::{HalfRows, Layer, Rules};

/// Rows of a tile: few enough that the rows they lead to stay in cache.
const TILE: usize = 256;

struct Pass<'a> {
    n: usize,
    counts: Vec<usize>,
    sower: Sower<'a>,
    below: Vec<Below<'a>>,
    ends_on_other_empty: bool,
}

pub(super) fn solve(
    rules: &dyn Rules,
    halves: &dyn HalfRows,
    index: &LayerIndex,
    lower: &Lower,
    work: Work<'_>,
) -> Result<Pages, SolveError> {
    let n = usize::from(index.layer().seeds);
    debug_assert_eq!(rules.half(), index.halves().pits());
    work.progress.stage("solve", index.size());
    let below = layers_below(lower, n)?;
    let counts: Vec<usize> = (0..=n).map(|seeds| index.halves().count(seeds) as usize).collect();
    let pass = Pass {
        n,
        sower: Sower::new(halves, index.halves(), n),
        counts,
        below,
        ends_on_other_empty: halves.ends_on_other_empty(),
    };
    let mut values = work.pages(index.size() as usize)?;
    let mut blocks: Vec<Option<&mut [i8]>> = Vec::new();
    let mut rest = values.signed_mut();
    for own in 0..=n {
        let (block, others) = rest.split_at_mut(pass.counts[own] * pass.counts[n - own]);
        blocks.push(Some(block));
        rest = others;
    }
    let mut pairs = Vec::new();
    for own in 0..=n / 2 {
        if let Some(small) = blocks[own].take() {
            pairs.push(Pair { own, small, large: blocks[n - own].take(), next: 0 });
        }
    }
    if let Some(mut left) = work.checkpoint.left()
        && pairs.iter_mut().try_for_each(|pair| pair.read(&mut left)).is_err()
    {
        pairs.iter_mut().for_each(|pair| pair.next = 0);
    }
    let sizes = TableSizes::new(rules, halves, index.layer());
    let step = |pairs: &mut Vec<Pair>| {
        let mut rest = pairs.as_mut_slice();
        while !rest.is_empty() {
            let together = if work.room.is_folder() { together(rest, &sizes, work.memory) } else { rest.len() };
            let (others, last) = rest.split_at_mut(rest.len() - together);
            // The largest pairs have nearly equal halves; begin with them so that no thread is left alone with one.
            last.par_iter_mut().rev().with_max_len(1).for_each(|pair| pass.solve(pair, work));
            rest = others;
        }
        Ok(pairs.iter().all(|pair| pair.next >= pass.counts[n - pair.own]))
    };
    work.in_steps(&mut pairs, step, |pairs, out| pairs.iter().try_for_each(|pair| pair.write(out)))?;
    drop(pairs);
    Ok(values)
}

/// How many of the last of these pairs fit into so many bytes of memory with their half moves, at least one. If their
/// blocks lie in a file, they are all that the system has to keep in memory meanwhile.
fn together(pairs: &[Pair<'_>], sizes: &TableSizes, memory: u64) -> usize {
    let bytes = |pair: &Pair| {
        let positions = pair.small.len() + pair.large.as_ref().map_or(0, |large| large.len());
        positions as u64 + pair_tables(sizes, pair.own)
    };
    let mut sum = 0_u64;
    let fits = |pair: &&Pair| {
        sum = sum.saturating_add(bytes(pair));
        sum <= memory
    };
    pairs.iter().rev().take_while(fits).count().max(1)
}

/// The blocks of `own` and of `n - own` seeds, which may be the same.
struct Pair<'a> {
    own: usize,
    small: &'a mut [i8],
    large: Option<&'a mut [i8]>,
    /// The first row of `n - own` seeds whose tile is not done.
    next: usize,
}

impl Pair<'_> {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(&(self.next as u64).to_le_bytes())?;
        out.write_all(bytemuck::cast_slice(self.small))?;
        out.write_all(bytemuck::cast_slice(self.large.as_deref().unwrap_or_default()))
    }

    fn read(&mut self, from: &mut dyn Read) -> io::Result<()> {
        self.next = read_u64(from)? as usize;
        from.read_exact(bytemuck::cast_slice_mut(self.small))?;
        from.read_exact(bytemuck::cast_slice_mut(self.large.as_deref_mut().unwrap_or_default()))
    }
}

/// Moves that differ in the mover's row alone.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Kind {
    class: u16,
    again: bool,
    /// The mover's seeds afterwards: `[nothing captured, captured]`.
    seeds: [u8; 2],
}

/// A move by its kind, with the ranks of the mover's row afterwards: `[nothing captured, captured]`.
#[derive(Clone, Copy)]
struct Step {
    kind: u32,
    row: [u32; 2],
}

/// The moves from the rows of one number of seeds.
struct MovesByKind {
    kinds: Vec<Kind>,
    starts: Vec<u32>,
    steps: Vec<Step>,
}

impl MovesByKind {
    fn of(sower: &Sower<'_>, seeds: usize, rows: usize) -> Self {
        let mut kinds = Vec::new();
        let mut starts = Vec::with_capacity(rows + 1);
        let mut steps = Vec::with_capacity(sower.own_moves(seeds));
        sower.for_each_own(seeds, |from_row| {
            starts.push(steps.len() as u32);
            steps.extend(from_row.map(|own_move| {
                let kind = Kind { class: own_move.class, again: own_move.again, seeds: own_move.seeds };
                let number = kinds.iter().position(|&known| known == kind).unwrap_or(kinds.len());
                if number == kinds.len() {
                    kinds.push(kind);
                }
                Step { kind: number as u32, row: own_move.row }
            }));
        });
        starts.push(steps.len() as u32);
        Self { kinds, starts, steps }
    }

    #[inline]
    fn of_row(&self, row: usize) -> &[Step] {
        &self.steps[self.starts[row] as usize..self.starts[row + 1] as usize]
    }
}

/// The half moves of a mover with so many seeds.
struct Side {
    own: usize,
    kinds: MovesByKind,
    /// What they do to the rows of the other seeds.
    other: OtherTable,
}

/// Where a move out of the layer leads to.
#[derive(Clone, Copy)]
struct Exit<'a> {
    captured: bool,
    gain: i8,
    /// Whether the mover moves again.
    again: bool,
    values: &'a [i8],
    /// Where the values begin for the other row afterwards, and how far those for neighbouring own rows lie apart.
    start: usize,
    stride: usize,
}

/// What the moves of a kind do to the rows of a tile.
#[derive(Default)]
struct Effects<'a> {
    /// Rows from which nothing is won, as places in the tile: `[nothing captured, captured]`.
    inside: [Vec<u32>; 2],
    /// The others, together where only the start differs.
    exits: Vec<(Exit<'a>, Vec<(u32, usize)>)>,
}

/// What a move of a kind is worth if the other row is fixed: `gain + sign * values[row[captured] * stride]`.
#[derive(Clone, Copy)]
struct Answer<'a> {
    values: &'a [i8],
    stride: usize,
    captured: usize,
    gain: i8,
    sign: i8,
}

impl Pass<'_> {
    /// Goes on with a pair until it is done or work is to pause.
    fn solve(&self, pair: &mut Pair<'_>, work: Work<'_>) {
        let rows = self.counts[self.n - pair.own];
        if pair.next >= rows {
            return;
        }
        let side = |own: usize| Side {
            own,
            kinds: MovesByKind::of(&self.sower, own, self.counts[own]),
            other: self.sower.other(self.n - own),
        };
        let (own, other) = (side(pair.own), pair.large.is_some().then(|| side(self.n - pair.own)));
        while pair.next < rows && !work.should_pause() {
            let tile = pair.next..(pair.next + TILE).min(rows);
            let done = match (&mut pair.large, &other) {
                (Some(large), Some(other)) => self.solve_tile(&own, other, pair.small, large, &tile),
                _ => self.solve_equal_tile(&own, pair.small, &tile),
            };
            work.progress.advance(done as u64);
            pair.next = tile.end;
        }
    }

    /// A tile of blocks of `own` and of `n - own` seeds, which are different. Returns how many positions that were.
    fn solve_tile(&self, own: &Side, other: &Side, small: &mut [i8], large: &mut [i8], tile: &Range<usize>) -> usize {
        let (small_rows, large_rows) = (self.counts[own.own], self.counts[other.own]);
        let values = &mut [0; TILE][..tile.len()];
        let effects = self.effects(own, tile);
        for a in 0..small_rows {
            self.fixed_own(own, a, &effects, &large[tile.start * small_rows..], small_rows, values);
            small[a * large_rows..][tile.clone()].copy_from_slice(values);
            self.fixed_other(other, a, tile, &small[a * large_rows..][..large_rows], values);
            for (b, &value) in tile.clone().zip(&*values) {
                large[b * small_rows + a] = value;
            }
        }
        2 * tile.len() * small_rows
    }

    /// A tile of the block whose halves hold as many seeds. Returns how many positions that were.
    fn solve_equal_tile(&self, own: &Side, block: &mut [i8], tile: &Range<usize>) -> usize {
        let rows = self.counts[own.own];
        let values = &mut [0; TILE][..tile.len()];
        let effects = self.effects(own, tile);
        // Rows before the tile were its partners when they were in a tile themselves.
        for a in tile.start..rows {
            self.fixed_own(own, a, &effects, &block[tile.start * rows..], rows, values);
            block[a * rows..][tile.clone()].copy_from_slice(values);
            self.fixed_other(own, a, tile, &block[a * rows..][..rows], values);
            for (b, &value) in tile.clone().zip(&*values) {
                block[b * rows + a] = value;
            }
        }
        (2 * (rows - tile.start) - tile.len()) * tile.len()
    }

    /// The value of positions at which play is over.
    fn over(&self, own: usize) -> Option<i8> {
        let over = own == 0 || (own == self.n && self.ends_on_other_empty);
        over.then(|| own as i8 - (self.n - own) as i8)
    }

    /// Where a move leads to if the other row is `b`; `None` if it stays in the layer.
    fn exit(&self, side: &Side, kind: Kind, b: usize) -> (bool, Option<Exit<'_>>) {
        let other_move = side.other.of(b)[usize::from(kind.class)];
        let captured = other_move.captures;
        let (seeds, other_seeds) = (usize::from(kind.seeds[usize::from(captured)]), usize::from(other_move.seeds));
        let left = seeds + other_seeds;
        if left == self.n {
            return (captured, None);
        }
        let (below, row) = (&self.below[left], other_move.row as usize);
        let (start, stride) = if kind.again {
            (below.starts[seeds] + row, self.counts[other_seeds])
        } else {
            (below.starts[other_seeds] + row * self.counts[seeds], 1)
        };
        let gain = (self.n - left) as i8;
        (captured, Some(Exit { captured, gain, again: kind.again, values: below.values, start, stride }))
    }

    /// By kind of move: what it does to the rows of a tile.
    fn effects(&self, side: &Side, tile: &Range<usize>) -> Vec<Effects<'_>> {
        let effects_of = |&kind: &Kind| {
            let mut effects = Effects::default();
            for (i, b) in (0..).zip(tile.clone()) {
                let (captured, exit) = self.exit(side, kind, b);
                let Some(exit) = exit else {
                    effects.inside[usize::from(captured)].push(i);
                    continue;
                };
                let alike = |(known, _): &&mut (Exit, _)| {
                    (known.captured, known.gain, known.stride) == (exit.captured, exit.gain, exit.stride)
                };
                match effects.exits.iter_mut().find(alike) {
                    Some((_, places)) => places.push((i, exit.start)),
                    None => effects.exits.push((exit, vec![(i, exit.start)])),
                }
            }
            effects
        };
        side.kinds.kinds.iter().map(effects_of).collect()
    }

    /// The values of the own row `a` against a tile; `children` are the positions after a move that wins nothing, by
    /// rows of the tile.
    #[inline]
    fn fixed_own(
        &self,
        side: &Side,
        a: usize,
        effects: &[Effects<'_>],
        children: &[i8],
        row_len: usize,
        values: &mut [i8],
    ) {
        if let Some(over) = self.over(side.own) {
            values.fill(over);
            return;
        }
        values.fill(i8::MIN);
        for step in side.kinds.of_row(a) {
            let effects = &effects[step.kind as usize];
            for (inside, row) in effects.inside.iter().zip(step.row) {
                for &i in inside {
                    let child = -children[i as usize * row_len + row as usize];
                    let value = &mut values[i as usize];
                    *value = child.max(*value);
                }
            }
            for (exit, places) in &effects.exits {
                let row = step.row[usize::from(exit.captured)] as usize * exit.stride;
                let sign = if exit.again { 1 } else { -1 };
                for &(i, start) in places {
                    let value = &mut values[i as usize];
                    *value = (exit.gain + sign * exit.values[start + row]).max(*value);
                }
            }
        }
    }

    /// The values of the own rows of a tile against the other row `a`; `children` are the positions after a move that
    /// wins nothing, by the mover's row afterwards.
    #[inline]
    fn fixed_other(&self, side: &Side, a: usize, tile: &Range<usize>, children: &[i8], values: &mut [i8]) {
        if let Some(over) = self.over(side.own) {
            values.fill(over);
            return;
        }
        let answer = |&kind: &Kind| match self.exit(side, kind, a) {
            (captured, None) => {
                Answer { values: children, stride: 1, captured: usize::from(captured), gain: 0, sign: -1 }
            }
            (captured, Some(exit)) => Answer {
                values: &exit.values[exit.start..],
                stride: exit.stride,
                captured: usize::from(captured),
                gain: exit.gain,
                sign: if exit.again { 1 } else { -1 },
            },
        };
        let answers: Vec<Answer> = side.kinds.kinds.iter().map(answer).collect();
        for (b, value) in tile.clone().zip(values) {
            let mut best = i8::MIN;
            for step in side.kinds.of_row(b) {
                let answer = &answers[step.kind as usize];
                let after = answer.values[step.row[answer.captured] as usize * answer.stride];
                best = best.max(answer.gain + answer.sign * after);
            }
            *value = best;
        }
    }
}

/// Bytes of the half moves of the pair of `own` seeds.
fn pair_tables(sizes: &TableSizes, own: usize) -> u64 {
    let side =
        |own: usize, other: usize| sizes.own(own, size_of::<Step>()) + sizes.other(other, size_of::<OtherMove>());
    let other = sizes.seeds() - own;
    side(own, other).saturating_add(if own == other { 0 } else { side(other, own) })
}

/// See [`needs`](super::needs).
pub(super) fn needs(rules: &dyn Rules, halves: &dyn HalfRows, layer: Layer, size: u64) -> Needs {
    let sizes = TableSizes::new(rules, halves, layer);
    let pairs = || (0..=sizes.seeds() / 2).map(|own| pair_tables(&sizes, own));
    Needs {
        memory: pairs().fold(size, u64::saturating_add),
        least: pairs().max().unwrap_or(0),
        // The layer, and what is left of it when the work is interrupted.
        room: size.saturating_mul(2),
    }
}

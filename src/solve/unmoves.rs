//! Taking moves back, by halves.
//!
//! An un-move splits like a move: the position before it has as its mover's row some row that a half move turns into
//! the present other row, and as its other row the one that the same class turns, without a capture, into the present
//! mover's row. The former is looked up in inverted half tables; for the latter the seeds dropped are taken out again, and
//! the half move is looked up to see that it does not capture.

use rayon::prelude::*;

use super::halves::{OtherTable, OwnTable, Sower, for_each_row};
use super::sweeps::Grid;
use crate::index::Compositions;
use crate::rules::Class;

/// A position by its halves.
#[derive(Clone, Copy)]
pub(super) struct Halves {
    pub own_seeds: u32,
    pub own: u32,
    pub other: u32,
}

impl Halves {
    #[inline]
    pub(super) fn new(own_seeds: usize, own: usize, other: usize) -> Self {
        Self { own_seeds: own_seeds as u32, own: own as u32, other: other as u32 }
    }
}

/// A row from which the mover's half of some move leads to a given row.
#[derive(Clone, Copy)]
struct Before {
    class: u16,
    drops: u8,
    row: u32,
}

/// Most pits in a row.
const PITS: usize = 10;

/// Inverted half tables.
pub(super) struct UnMoves<'a> {
    n: usize,
    ways: &'a Compositions,
    /// By seeds.
    pub other: Vec<OtherTable>,
    /// By class: the seeds dropped into each pit of the other row.
    drops: Vec<[u8; PITS]>,
    /// By seeds: the pits of all rows, one after the other.
    rows: Vec<Vec<u8>>,
    /// By seeds of the row after the move: for each row the moves that lead there, by rising class.
    own: Vec<(Vec<u32>, Vec<Before>)>,
}

impl<'a> UnMoves<'a> {
    pub(super) fn new(sower: &Sower<'_>, own: &[OwnTable], grid: &Grid, ways: &'a Compositions) -> Self {
        let Grid { n, counts, .. } = grid;
        let pits = ways.pits();
        // Sowing enters a row at its first pit and goes on to its end, as often as there are seeds.
        let dropped = |class: &Class| {
            std::array::from_fn(|pit| {
                let drops = usize::from(class.drops);
                if pit < pits { (drops / pits + usize::from(pit < drops % pits)) as u8 } else { 0 }
            })
        };
        let rows_of = |seeds| {
            let mut rows = Vec::with_capacity(counts[seeds] * pits);
            for_each_row(ways, seeds, |row| rows.extend_from_slice(row));
            rows
        };
        Self {
            n: *n,
            ways,
            other: sower.all_other(),
            drops: sower.classes.list().iter().map(dropped).collect(),
            rows: (0..=*n).into_par_iter().map(rows_of).collect(),
            own: (0..=*n).into_par_iter().map(|seeds| invert_own(own, counts, *n, seeds)).collect(),
        }
    }

    /// Calls `visit` with every position that has a legal move inside the layer to `after`, once for each such move.
    #[inline]
    pub(super) fn predecessors(&self, after: Halves, must_feed: &[bool], mut visit: impl FnMut(Halves)) {
        let own = after.own_seeds as usize;
        let other = self.n - own;
        let (ends, all) = &self.own[other];
        let pits = self.ways.pits();
        let row = &self.rows[own][after.own as usize * pits..][..pits];
        let moves = &all[ends[after.other as usize] as usize..ends[after.other as usize + 1] as usize];
        // Most moves are of a class with others, often that of those which drop nothing.
        for moves in moves.chunk_by(|a, b| a.class == b.class) {
            let (class, drops) = (moves[0].class, usize::from(moves[0].drops));
            if drops > own {
                // Classes rise with the seeds dropped: the rest drop more than there are.
                break;
            }
            let Some(other_row) = self.before_drops(class, row) else { continue };
            let other_move = self.other[own - drops].of(other_row as usize)[usize::from(class)];
            if other_move.gain > 0 {
                continue;
            }
            debug_assert_eq!(other_move.row, after.own);
            for before in moves {
                if drops > 0 || own > 0 || !must_feed[before.row as usize] {
                    visit(Halves { own_seeds: (other + drops) as u32, own: before.row, other: other_row });
                }
            }
        }
    }

    /// The rank of the row into which a move of the class dropped seeds to make it `row`, if there is one.
    #[inline]
    fn before_drops(&self, class: u16, row: &[u8]) -> Option<u32> {
        let mut before = [0; PITS];
        for ((before, &pit), &drops) in before.iter_mut().zip(row).zip(&self.drops[usize::from(class)]) {
            *before = pit.checked_sub(drops)?;
        }
        Some(self.ways.rank(&before[..row.len()]).1 as u32)
    }
}

fn invert_own(own: &[OwnTable], counts: &[usize], n: usize, after: usize) -> (Vec<u32>, Vec<Before>) {
    let moves_into =
        |before: usize, row: usize| own[before].of(row).iter().filter(move |m| usize::from(m.drops) == before - after);
    let mut ends = vec![0; counts[after] + 1];
    for before in after..=n {
        for row in 0..counts[before] {
            moves_into(before, row).for_each(|m| ends[m.row as usize + 1] += 1);
        }
    }
    for row in 0..counts[after] {
        ends[row + 1] += ends[row];
    }
    let mut next = ends.clone();
    let mut all = vec![Before { class: 0, drops: 0, row: 0 }; ends[counts[after]] as usize];
    for before in after..=n {
        for row in 0..counts[before] {
            for m in moves_into(before, row) {
                let place = &mut next[m.row as usize];
                all[*place as usize] = Before { class: m.class, drops: m.drops, row: row as u32 };
                *place += 1;
            }
        }
    }
    // The rows before hold more seeds the more are dropped; classes that drop as many may still be in disorder.
    for row in 0..counts[after] {
        all[ends[row] as usize..ends[row + 1] as usize].sort_unstable_by_key(|before| before.class);
    }
    (ends, all)
}

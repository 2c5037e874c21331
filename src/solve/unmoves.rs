//! Taking moves back, by halves.
//!
//! An un-move splits like a move: the position before it has as its mover's row some row that a half move turns into
//! the present other row, and as its other row the one that the same class turns, without a capture, into the present
//! mover's row. Both are looked up in inverted half tables.

use rayon::prelude::*;

use super::halves::{HalfTables, StorelessMove};
use super::sweeps::Grid;

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

/// No row leads here by this class without a capture.
const NONE: u32 = u32::MAX;

/// Inverted half tables.
pub(super) struct UnMoves {
    n: usize,
    /// By seeds of the row after the move: for each row the moves that lead there, by rising class.
    own: Vec<(Vec<u32>, Vec<Before>)>,
    /// By seeds of the row after the move: `[row * classes + class]` is the row before a move without capture.
    other: Vec<(usize, Vec<u32>)>,
}

impl UnMoves {
    pub(super) fn new(tables: &HalfTables<StorelessMove>, grid: &Grid) -> Self {
        let Grid { n, counts, .. } = grid;
        let own = (0..=*n).into_par_iter().map(|seeds| invert_own(tables, counts, *n, seeds)).collect();
        let other = (0..=*n).into_par_iter().map(|seeds| invert_other(tables, counts, seeds)).collect();
        Self { n: *n, own, other }
    }

    /// Calls `visit` with every position that has a legal move inside the layer to `after`, once for each such move.
    #[inline]
    pub(super) fn predecessors(&self, after: Halves, must_feed: &[bool], mut visit: impl FnMut(Halves)) {
        let own = after.own_seeds as usize;
        let other = self.n - own;
        let (ends, all) = &self.own[other];
        let (classes, rows) = &self.other[own];
        let rows = &rows[after.own as usize * classes..][..*classes];
        let before = &all[ends[after.other as usize] as usize..ends[after.other as usize + 1] as usize];
        for before in before {
            let Some(&row) = rows.get(usize::from(before.class)) else {
                // Classes rise with the seeds dropped: the rest drop more than there are.
                break;
            };
            let starves = before.drops == 0 && own == 0 && must_feed[before.row as usize];
            if row != NONE && !starves {
                visit(Halves { own_seeds: (other + usize::from(before.drops)) as u32, own: before.row, other: row });
            }
        }
    }
}

fn invert_own(tables: &HalfTables<StorelessMove>, counts: &[usize], n: usize, after: usize) -> (Vec<u32>, Vec<Before>) {
    let moves_into = |before: usize, row: usize| {
        tables.own[before].of(row).iter().filter(move |m| usize::from(m.drops) == before - after)
    };
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

fn invert_other(tables: &HalfTables<StorelessMove>, counts: &[usize], after: usize) -> (usize, Vec<u32>) {
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

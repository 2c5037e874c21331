//! Following the last changes position by position.
//!
//! When few values still change, sweeping all rows is a waste; instead every changed position has its predecessors
//! looked at, by taking moves back. Values farthest from 0 are followed first: at level `t` everything that changes
//! becomes `t`, `-t` or less than that, so hardly a position changes twice.
//!
//! A position with a child worth `-t` is worth at least `t`. One with a child that has become worth `t` may now be lost;
//! its other moves are looked at until one of them is no worse than what it was sure of before.

use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use rayon::prelude::*;

use super::sweeps::{Sweeps, biased, opposite, plain};
use super::unmoves::{Halves, UnMoves};
use super::{Progress, SolveError, check};

/// Changed positions of one task.
const TASK: usize = 1 << 10;

/// Positions whose predecessors are looked up together, so that their cache misses overlap.
const BATCH: usize = 32;

const ZERO: u8 = biased(0);

/// A changed position and the distance of its new value from 0.
type Change = (u8, Halves);

struct Settling<'a> {
    sweeps: &'a Sweeps<'a>,
    unmoves: &'a UnMoves,
    values: &'a [AtomicU8],
}

/// Follows `changes` until all values are those of a fixed point.
///
/// Every position one of whose children changed after its last evaluation must have that child among the changes.
pub(super) fn settle(
    sweeps: &Sweeps<'_>,
    unmoves: &UnMoves,
    values: &[AtomicU8],
    changes: Vec<Halves>,
    progress: &dyn Progress,
) -> Result<(), SolveError> {
    let settling = Settling { sweeps, unmoves, values };
    let mut levels: Vec<Vec<Halves>> = vec![Vec::new(); sweeps.grid.n + 1];
    for change in changes {
        let value = plain(values[settling.place(change)].load(Relaxed));
        levels[usize::from(value.unsigned_abs())].push(change);
    }
    progress.stage("settle", values.len() as u64);
    for level in (1..levels.len()).rev() {
        // In rounds: what changes in one is looked at in the next, when all threads see it.
        while !levels[level].is_empty() {
            check(progress)?;
            let round = std::mem::take(&mut levels[level]);
            let found: Vec<Vec<Change>> =
                round.par_chunks(TASK).map(|changed| settling.follow(level as i8, changed)).collect();
            for (level, change) in found.into_iter().flatten() {
                levels[usize::from(level)].push(change);
            }
        }
    }
    progress.advance(values.len() as u64);
    Ok(())
}

impl Settling<'_> {
    /// Where the value of a position lies.
    #[inline]
    fn place(&self, position: Halves) -> usize {
        let grid = self.sweeps.grid;
        let own = position.own_seeds as usize;
        grid.starts[own] + position.other as usize * grid.counts[own] + position.own as usize
    }

    /// Brings the predecessors of positions at `level` up to date; returns those that changed.
    fn follow(&self, level: i8, changed: &[Halves]) -> Vec<Change> {
        let (win, loss) = (biased(level), biased(-level));
        let mut found = Vec::new();
        let (mut of_won, mut of_lost) = (Vec::new(), Vec::new());
        for batch in changed.chunks(BATCH) {
            of_won.clear();
            of_lost.clear();
            for &position in batch {
                let value = self.values[self.place(position)].load(Relaxed);
                let before = match value {
                    _ if value == win => &mut of_won,
                    _ if value == loss => &mut of_lost,
                    // It has changed once more and is listed at its new level.
                    _ => continue,
                };
                self.unmoves.predecessors(position, self.sweeps.must_feed, |p| before.push((self.place(p), p)));
            }
            for &(place, position) in &of_lost {
                if self.values[place].load(Relaxed) < win && self.values[place].fetch_max(win, Relaxed) < win {
                    found.push((level as u8, position));
                }
            }
            for &(place, position) in &of_won {
                let value = self.values[place].load(Relaxed);
                if value > ZERO || value <= loss {
                    continue;
                }
                if let Some(less) = self.lost(position, value)
                    && self.values[place].fetch_min(less, Relaxed) > less
                {
                    found.push((plain(less).unsigned_abs(), position));
                }
            }
        }
        found
    }

    /// The value of a position, if it is less than `value`.
    #[inline]
    fn lost(&self, position: Halves, value: u8) -> Option<u8> {
        let Sweeps { grid, tables, must_feed, exits, .. } = self.sweeps;
        let (own, row, column) = (position.own_seeds as usize, position.own as usize, position.other as usize);
        let other = grid.n - own;
        let mut best = exits[grid.starts[own] + row * grid.counts[other] + column];
        if best >= value {
            return None;
        }
        let others = tables.other[other].of(column);
        for own_move in tables.own[own].of(row) {
            let after = others[usize::from(own_move.class)];
            if after.gain > 0 || (own_move.drops == 0 && other == 0 && must_feed[row]) {
                continue;
            }
            let block = other + usize::from(own_move.drops);
            let child = grid.starts[block] + own_move.row[0] as usize * grid.counts[block] + after.row as usize;
            best = best.max(opposite(self.values[child].load(Relaxed)));
            if best >= value {
                return None;
            }
        }
        Some(best)
    }
}

//! Following the last changes position by position.
//!
//! When few values still change, sweeping all rows is a waste; instead every changed position has its predecessors
//! looked at, by taking moves back. Values farthest from 0 are followed first: at level `t` everything that changes
//! becomes `t`, `-t` or less than that, so hardly a position changes twice.
//!
//! A position with a child worth `-t` is worth at least `t`. One with a child that has become worth `t` may now be lost;
//! its other moves are looked at until one of them is no worse than what it was sure of before.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use rayon::prelude::*;

use super::checkpoint::Work;
use super::sweeps::{Place, Ready, biased, opposite, plain};
use super::unmoves::{Halves, UnMoves};
use super::{SolveError, check};

/// Changed positions of one task.
const TASK: usize = 1 << 10;

/// Positions whose predecessors are looked up together, so that their cache misses overlap.
const BATCH: usize = 32;

const ZERO: u8 = biased(0);

/// Bits of a change below the distance of the new value from 0: the place of the position.
const PLACE_BITS: u32 = 56;

struct Settling<'a> {
    layer: Ready<'a>,
    unmoves: &'a UnMoves<'a>,
    values: &'a [AtomicU8],
}

/// Follows changes until all values are those of a fixed point.
///
/// `levels` holds the places of changed positions by the distance of their values from 0. Every position one of whose
/// children changed after its last evaluation must have that child among them.
pub(super) fn settle(
    layer: Ready<'_>,
    unmoves: &UnMoves<'_>,
    values: &[AtomicU8],
    mut levels: Vec<Vec<Place>>,
    work: Work<'_>,
) -> Result<(), SolveError> {
    let settling = Settling { layer, unmoves, values };
    work.progress.stage("settle", values.len() as u64);
    for level in (1..levels.len()).rev() {
        // In rounds: what changes in one is looked at in the next, when all threads see it.
        while !levels[level].is_empty() {
            if work.should_pause() {
                work.checkpoint.leave(&mut |out| write(values, out));
                check(work.progress)?;
            }
            let round = std::mem::take(&mut levels[level]);
            let found: Vec<Vec<u64>> =
                round.par_chunks(TASK).map(|changed| settling.follow(level as i8, changed)).collect();
            for change in found.into_iter().flatten() {
                levels[(change >> PLACE_BITS) as usize].push(Place::new((change & ((1 << PLACE_BITS) - 1)) as usize));
            }
        }
    }
    work.progress.advance(values.len() as u64);
    Ok(())
}

fn write(values: &[AtomicU8], out: &mut dyn Write) -> io::Result<()> {
    let mut bytes = Vec::new();
    for chunk in values.chunks(1 << 16) {
        bytes.clear();
        bytes.extend(chunk.iter().map(|value| value.load(Relaxed)));
        out.write_all(&bytes)?;
    }
    Ok(())
}

impl Settling<'_> {
    /// Where the value of a position lies.
    #[inline]
    fn place(&self, position: Halves) -> usize {
        let grid = self.layer.grid;
        let own = position.own_seeds as usize;
        grid.starts[own] + position.other as usize * grid.counts[own] + position.own as usize
    }

    /// Brings the predecessors of positions at `level` up to date; returns those that changed, with their levels.
    fn follow(&self, level: i8, changed: &[Place]) -> Vec<u64> {
        let (win, loss) = (biased(level), biased(-level));
        let mut found = Vec::new();
        let (mut of_won, mut of_lost) = (Vec::new(), Vec::new());
        for batch in changed.chunks(BATCH) {
            of_won.clear();
            of_lost.clear();
            for place in batch.iter().map(|place| place.get()) {
                let value = self.values[place].load(Relaxed);
                let before = match value {
                    _ if value == win => &mut of_won,
                    _ if value == loss => &mut of_lost,
                    // It has changed once more and is listed at its new level.
                    _ => continue,
                };
                let position = self.layer.grid.halves(place);
                self.unmoves.predecessors(position, self.layer.must_feed, |p| before.push((self.place(p), p)));
            }
            for &(place, _) in &of_lost {
                if self.values[place].load(Relaxed) < win && self.values[place].fetch_max(win, Relaxed) < win {
                    found.push((level as u64) << PLACE_BITS | place as u64);
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
                    found.push(u64::from(plain(less).unsigned_abs()) << PLACE_BITS | place as u64);
                }
            }
        }
        found
    }

    /// The value of a position, if it is less than `value`.
    #[inline]
    fn lost(&self, position: Halves, value: u8) -> Option<u8> {
        let Ready { grid, own: own_tables, must_feed, exits } = self.layer;
        let (own, row, column) = (position.own_seeds as usize, position.own as usize, position.other as usize);
        let other = grid.n - own;
        let mut best = exits[grid.starts[own] + row * grid.counts[other] + column];
        if best >= value {
            return None;
        }
        let others = self.unmoves.other[other].of(column);
        for own_move in own_tables[own].of(row) {
            let after = others[usize::from(own_move.class)];
            if after.gain > 0 || (own_move.drops == 0 && other == 0 && must_feed[row]) {
                continue;
            }
            let block = other + usize::from(own_move.drops);
            let child = grid.starts[block] + own_move.row as usize * grid.counts[block] + after.row as usize;
            best = best.max(opposite(self.values[child].load(Relaxed)));
            if best >= value {
                return None;
            }
        }
        Some(best)
    }
}

//! Games without laps in which seeds can circle: exits, then sweeps over whole rows, then the rest one by one.
//!
//! First every position's moves out of the layer are looked up ([`exits`](Exits)). Then all rows are swept a dozen
//! times ([`sweeps`](super::sweeps)); a sweep costs little more than reading the layer, and after a few of them only
//! some per cent of the values are not final. Those are found by following changes backwards
//! ([`settle`](super::settle)).

use std::sync::atomic::AtomicU8;

use rayon::prelude::*;

use super::checkpoint::{Checkpoint, Work};
use super::drops::{Capture, Effects, effects};
use super::halves::{Below, HalfTables, OtherMove, StorelessMove, layers_below};
use super::left_out::LeftOut;
use super::settle::settle;
use super::sweeps::{Grid, Ready, Sweeps, biased, plain, turn_back};
use super::unmoves::UnMoves;
use super::{Lower, Progress, SolveError, check};
use crate::index::LayerIndex;
use crate::rules::{Feeding, HalfRows, Rules};

/// Positions whose exits one task looks up, in whole rows.
const TASK: usize = 1 << 17;

/// Once fewer than one in so many positions changed, one more sweep lists its changes and the rest is followed.
const FEW: usize = 40;

/// Best exit where there is none.
const NOTHING: u8 = biased(i8::MIN);

/// The values and the best exits.
pub(super) fn solve(
    rules: &dyn Rules,
    halves: &dyn HalfRows,
    index: &LayerIndex,
    lower: &Lower,
    work: Work<'_>,
) -> Result<(Vec<i8>, Vec<i8>), SolveError> {
    let Work { progress, checkpoint } = work;
    let n = usize::from(index.layer().seeds);
    debug_assert_eq!(rules.half(), index.halves().pits());
    let tables = HalfTables::new(halves, index.halves(), n);
    let grid = Grid::new(index);
    let effects = effects(&tables, &grid.counts);
    let must_feed = must_feed(&tables, &grid, halves.feeding());
    let mut exits = vec![NOTHING; index.size() as usize];
    Exits::new(&grid, &tables, &effects, halves.feeding(), lower)?.look_up(&mut exits, progress)?;

    // Whatever is sure of a value is sure for good, so that the values themselves are all there is to leave.
    let mut turned = left(checkpoint, &grid, &exits);
    let leave = |turned: &[u8]| checkpoint.leave(&mut |out| out.write_all(turned));
    let layer = Ready { grid: &grid, tables: &tables, must_feed: &must_feed, exits: &exits };
    let sweeps = Sweeps { layer, effects: &effects };
    loop {
        let changed = sweeps.sweep(&mut turned, None, progress).inspect_err(|_| leave(&turned))?;
        if changed <= turned.len() / FEW {
            break;
        }
        if checkpoint.is_due() {
            leave(&turned);
        }
    }
    let mut changes = vec![Vec::new(); n + 1];
    sweeps.sweep(&mut turned, Some(&mut changes), progress).inspect_err(|_| leave(&turned))?;
    drop(effects);
    let values: Vec<AtomicU8> = turned.into_iter().map(AtomicU8::new).collect();
    settle(layer, &UnMoves::new(&tables, &grid, index.halves()), &values, changes, work)?;

    let mut values: Vec<u8> = values.into_iter().map(AtomicU8::into_inner).collect();
    let mut turned = Vec::new();
    for own in 0..=n {
        let block = &mut values[grid.block(own)];
        turned.clear();
        turned.extend_from_slice(block);
        turn_back(&turned, block, grid.counts[n - own]);
    }
    let plainly = |bytes: Vec<u8>| bytes.into_iter().map(plain).collect();
    Ok((plainly(values), plainly(exits)))
}

/// The turned values that were left, or those of the beginning: what is won by leaving the layer is sure.
fn left(checkpoint: &dyn Checkpoint, grid: &Grid, exits: &[u8]) -> Vec<u8> {
    let mut turned = vec![biased(0); exits.len()];
    let read = checkpoint.left().is_some_and(|mut left| left.read_exact(&mut turned).is_ok());
    if !read {
        turned[grid.block(0)].fill(biased(-(grid.n as i8)));
        for own in 1..=grid.n {
            let block = &mut turned[grid.block(own)];
            turn_back(&exits[grid.block(own)], block, grid.counts[own]);
            block.par_iter_mut().with_min_len(TASK).for_each(|value| *value = (*value).max(biased(0)));
        }
    }
    turned
}

/// The best move out of the layer for every position, or its value if play is over; `i8::MIN` where there is none. With
/// the half tables by which it was found.
fn look_up(
    halves: &dyn HalfRows,
    index: &LayerIndex,
    lower: &Lower,
    progress: &dyn Progress,
) -> Result<(HalfTables<StorelessMove>, Vec<i8>), SolveError> {
    let n = usize::from(index.layer().seeds);
    let tables = HalfTables::new(halves, index.halves(), n);
    let grid = Grid::new(index);
    let effects = effects(&tables, &grid.counts);
    let mut exits = vec![NOTHING; index.size() as usize];
    Exits::new(&grid, &tables, &effects, halves.feeding(), lower)?.look_up(&mut exits, progress)?;
    drop(effects);
    Ok((tables, exits.into_iter().map(plain).collect()))
}

/// See [`exits`](super::exits).
pub(super) fn exits(
    halves: &dyn HalfRows,
    index: &LayerIndex,
    lower: &Lower,
    progress: &dyn Progress,
) -> Result<Vec<i8>, SolveError> {
    Ok(look_up(halves, index, lower, progress)?.1)
}

/// See [`complete`](super::complete).
pub(super) fn complete(
    halves: &dyn HalfRows,
    index: &LayerIndex,
    lower: &Lower,
    stored: &mut [i8],
    left_out: Option<LeftOut<'_>>,
    progress: &dyn Progress,
) -> Result<(), SolveError> {
    let (tables, exits) = look_up(halves, index, lower, progress)?;
    stored.iter_mut().zip(&exits).for_each(|(value, &exit)| *value = exit.max(*value));
    if let Some(left_out) = left_out {
        left_out.fill_in(&tables, &exits, stored);
    }
    Ok(())
}

/// Whether a move fails the duty that `feeding` puts on moves which can do better.
fn starves(feeding: Feeding, other_was_empty: bool, own_move: &StorelessMove, other_move: OtherMove) -> bool {
    match feeding {
        Feeding::Free => false,
        Feeding::Feed => other_was_empty && own_move.drops == 0,
        Feeding::Spare => other_move.seeds == 0,
    }
}

/// By rank of the mover's row when the other row is empty: whether only moves that feed it are legal.
fn must_feed(tables: &HalfTables<StorelessMove>, grid: &Grid, feeding: Feeding) -> Vec<bool> {
    let lone = tables.other[0].of(0);
    let feeds = |m: &StorelessMove| !starves(feeding, true, m, lone[usize::from(m.class)]);
    (0..grid.counts[grid.n])
        .map(|row| feeding != Feeding::Free && tables.own[grid.n].of(row).iter().any(feeds))
        .collect()
}

/// The best of the moves that leave the layer.
struct Exits<'a> {
    grid: &'a Grid,
    tables: &'a HalfTables<StorelessMove>,
    effects: &'a [Effects],
    feeding: Feeding,
    below: Vec<Below<'a>>,
}

impl<'a> Exits<'a> {
    fn new(
        grid: &'a Grid,
        tables: &'a HalfTables<StorelessMove>,
        effects: &'a [Effects],
        feeding: Feeding,
        lower: &'a Lower,
    ) -> Result<Self, SolveError> {
        Ok(Self { grid, tables, effects, feeding, below: layers_below(lower, grid.n)? })
    }

    /// Fills in the best exit of every position.
    fn look_up(&self, exits: &mut [u8], progress: &dyn Progress) -> Result<(), SolveError> {
        let n = self.grid.n;
        progress.stage("exits", exits.len() as u64);
        exits[self.grid.block(0)].fill(biased(-(n as i8)));
        for own in 1..=n {
            let takings = self.takings(own);
            let row_len = self.grid.counts[n - own];
            let chunk = (TASK / row_len).max(1);
            exits[self.grid.block(own)].par_chunks_mut(chunk * row_len).enumerate().try_for_each(|(i, rows)| {
                check(progress)?;
                for (row, exits) in (i * chunk..).zip(rows.chunks_mut(row_len)) {
                    self.look_up_row(own, row, &takings, exits);
                }
                progress.advance(rows.len() as u64);
                Ok(())
            })?;
        }
        Ok(())
    }

    /// By class: the captures of a mover with `own` seeds, those that win as much together.
    fn takings(&self, own: usize) -> Vec<Vec<Taking<'_>>> {
        let Grid { n, counts, .. } = self.grid;
        let classes = self.tables.classes.list().iter();
        let taking = |(captures, drops): (&Vec<Capture>, usize)| {
            let mut takings: Vec<Taking> = Vec::new();
            if drops > own {
                // Nobody can drop more seeds than he has.
                return takings;
            }
            for capture in captures {
                let bare = capture.seeds == 0 && self.feeding == Feeding::Spare;
                let below = &self.below[n - usize::from(capture.gain)];
                let row = capture.row as usize * counts[own - drops];
                let place = (capture.from, below.starts[usize::from(capture.seeds)] + row);
                match takings.iter_mut().find(|taking| (taking.gain, taking.bare) == (capture.gain, bare)) {
                    Some(taking) => taking.places.push(place),
                    None => {
                        takings.push(Taking { gain: capture.gain, bare, values: below.values, places: vec![place] });
                    }
                }
            }
            takings
        };
        self.effects[n - own].captures.iter().zip(classes.map(|class| usize::from(class.drops))).map(taking).collect()
    }

    /// The exits of all positions with the same own row.
    #[inline]
    fn look_up_row(&self, own: usize, row: usize, takings: &[Vec<Taking<'_>>], exits: &mut [u8]) {
        let moves = self.tables.own[own].of(row);
        for own_move in moves {
            let column = own_move.row as usize;
            for taking in &takings[usize::from(own_move.class)] {
                // The gain less the value, as biased bytes.
                let gain = taking.gain.wrapping_add(biased(0));
                for &(from, child) in &taking.places {
                    if taking.bare && self.may_spare(own, moves, from as usize) {
                        continue;
                    }
                    let exit = &mut exits[from as usize];
                    *exit = (*exit).max(gain.wrapping_sub(taking.values[child + column] as u8));
                }
            }
        }
    }

    /// Whether some move leaves the other player a seed, so that those which do not are illegal.
    fn may_spare(&self, own: usize, moves: &[StorelessMove], column: usize) -> bool {
        let others = self.tables.other[self.grid.n - own].of(column);
        moves.iter().any(|m| others[usize::from(m.class)].seeds > 0)
    }
}

/// Captures of one class that win as much.
struct Taking<'a> {
    gain: u8,
    /// Whether they leave the other row bare although the rules ask to spare it.
    bare: bool,
    /// The layer they lead to.
    values: &'a [i8],
    /// The other row before, and the first rank below with the other row after.
    places: Vec<(u32, usize)>,
}

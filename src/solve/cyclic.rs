//! Games without laps in which seeds can circle: exits, then sweeps over whole rows, then the rest one by one.
//!
//! First every position's moves out of the layer are looked up ([`exits`](Exits)). Then all rows are swept a dozen
//! times ([`sweeps`](super::sweeps)); a sweep costs little more than reading the layer, and after a few of them only
//! some per cent of the values are not final. Those are found by following changes backwards
//! ([`settle`](super::settle)).
//!
//! Following jumps from position to position. Where the layer lies in a folder because memory is too small for it,
//! every jump may have to wait for the disk, and there is no memory for lists of changes either; so sweeps, which go
//! through the rows in order, are then repeated until nothing changes.

use rayon::prelude::*;

use super::checkpoint::{Checkpoint, Work};
use super::drops::{Capture, Captures, Drops, drops};
use super::halves::{Below, OtherMove, OwnTable, Sower, StorelessMove, TableSizes, layers_below};
use super::left_out::LeftOut;
use super::settle::settle;
use super::sweeps::{Grid, Ready, Sweeps, biased, plain, turn_back};
use super::unmoves::UnMoves;
use super::{Lower, Needs, Progress, SolveError, check};
use crate::index::LayerIndex;
use crate::memory::Pages;
use crate::rules::{Feeding, HalfRows, Layer, Rules};

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
) -> Result<(Pages, Pages), SolveError> {
    let Work { progress, checkpoint, .. } = work;
    let n = usize::from(index.layer().seeds);
    debug_assert_eq!(rules.half(), index.halves().pits());
    let sower = Sower::new(halves, index.halves(), n);
    let grid = Grid::new(index);
    let mut exits = work.pages(index.size() as usize)?;
    Exits { grid: &grid, sower: &sower, feeding: halves.feeding(), below: layers_below(lower, n)? }
        .look_up(&mut exits, progress)?;

    // Whatever is sure of a value is sure for good, so that the values themselves are all there is to leave.
    let mut turned = work.pages(exits.len())?;
    begin(&mut turned, checkpoint, &grid, &exits);
    let leave = |turned: &[u8]| checkpoint.leave(&mut |out| out.write_all(turned));
    let must_feed = must_feed(&sower, n, halves.feeding());
    let layer = Ready { grid: &grid, own: &[], must_feed: &must_feed, exits: &exits };
    if work.room.is_folder() {
        let pair = |own, turned: &mut [u8]| {
            let moves = HalfMoves::of(&sower, n, |seeds| seeds == own || seeds == n - own);
            let changed = moves.sweeps(layer).sweep_pair(own, turned, None, progress)?;
            if checkpoint.is_due() {
                leave(turned);
            }
            Ok(changed)
        };
        let mut changed = 1;
        while changed > 0 {
            progress.stage("sweep", turned.len() as u64);
            let pairs = (0..=n / 2).map(|own| pair(own, &mut turned));
            changed = pairs.sum::<Result<usize, SolveError>>().inspect_err(|_| leave(&turned))?;
        }
    } else {
        let moves = HalfMoves::of(&sower, n, |_| true);
        let sweeps = moves.sweeps(layer);
        while sweeps.sweep(&mut turned, None, progress).inspect_err(|_| leave(&turned))? > turned.len() / FEW {
            if checkpoint.is_due() {
                leave(&turned);
            }
        }
        let mut changes = vec![Vec::new(); n + 1];
        sweeps.sweep(&mut turned, Some(&mut changes), progress).inspect_err(|_| leave(&turned))?;
        let HalfMoves { own, .. } = moves;
        let unmoves = UnMoves::new(&sower, &own, &grid, index.halves());
        settle(Ready { own: &own, ..layer }, &unmoves, turned.shared(), changes, work)?;
    }

    let largest = (0..=n).map(|own| grid.block(own).len()).max().unwrap_or(0);
    let mut copy = work.pages(largest)?;
    for own in 0..=n {
        let block = &mut turned[grid.block(own)];
        let copy = &mut copy[..block.len()];
        copy.copy_from_slice(block);
        turn_back(copy, block, grid.counts[n - own]);
    }
    unbias(&mut turned);
    unbias(&mut exits);
    Ok((turned, exits))
}

/// Turns biased bytes into the values under them.
fn unbias(bytes: &mut [u8]) {
    bytes.par_chunks_mut(TASK).for_each(|bytes| bytes.iter_mut().for_each(|byte| *byte = plain(*byte) as u8));
}

/// Fills in the turned values that were left, or those of the beginning: what is won by leaving the layer is sure.
fn begin(turned: &mut [u8], checkpoint: &dyn Checkpoint, grid: &Grid, exits: &[u8]) {
    let read = checkpoint.left().is_some_and(|mut left| left.read_exact(turned).is_ok());
    if !read {
        turned[grid.block(0)].fill(biased(-(grid.n as i8)));
        for own in 1..=grid.n {
            let block = &mut turned[grid.block(own)];
            turn_back(&exits[grid.block(own)], block, grid.counts[own]);
            block.par_iter_mut().with_min_len(TASK).for_each(|value| *value = (*value).max(biased(0)));
        }
    }
}

/// The half moves that sweeps look at, by seeds: none for numbers of seeds that nobody asked for.
struct HalfMoves {
    own: Vec<OwnTable>,
    drops: Vec<Vec<Drops>>,
}

impl HalfMoves {
    fn of(sower: &Sower<'_>, n: usize, wanted: impl Fn(usize) -> bool + Sync) -> Self {
        let tables = |seeds| {
            if wanted(seeds) { (sower.own(seeds), drops(&sower.other(seeds))) } else { Default::default() }
        };
        let (own, drops) = (0..=n).into_par_iter().map(tables).unzip();
        Self { own, drops }
    }

    /// Sweeps of a layer with these moves.
    fn sweeps<'a>(&'a self, layer: Ready<'a>) -> Sweeps<'a> {
        Sweeps { layer: Ready { own: &self.own, ..layer }, drops: &self.drops }
    }
}

/// See [`exits`](super::exits).
pub(super) fn exits(
    halves: &dyn HalfRows,
    index: &LayerIndex,
    lower: &Lower,
    work: Work<'_>,
) -> Result<Pages, SolveError> {
    Ok(look_up(halves, index, lower, work)?.1)
}

/// The best move out of the layer for every position, or its value if play is over; `i8::MIN` where there is none. With
/// what makes the half moves by which it was found.
fn look_up<'a>(
    halves: &'a dyn HalfRows,
    index: &'a LayerIndex,
    lower: &Lower,
    work: Work<'_>,
) -> Result<(Sower<'a>, Pages), SolveError> {
    let n = usize::from(index.layer().seeds);
    let sower = Sower::new(halves, index.halves(), n);
    let grid = Grid::new(index);
    let mut exits = work.pages(index.size() as usize)?;
    Exits { grid: &grid, sower: &sower, feeding: halves.feeding(), below: layers_below(lower, n)? }
        .look_up(&mut exits, work.progress)?;
    unbias(&mut exits);
    Ok((sower, exits))
}

/// See [`complete`](super::complete).
pub(super) fn complete(
    halves: &dyn HalfRows,
    index: &LayerIndex,
    lower: &Lower,
    stored: &mut [i8],
    left_out: Option<LeftOut<'_>>,
    work: Work<'_>,
) -> Result<(), SolveError> {
    let (sower, exits) = look_up(halves, index, lower, work)?;
    let exits = exits.signed();
    stored.iter_mut().zip(exits).for_each(|(value, &exit)| *value = exit.max(*value));
    if let Some(left_out) = left_out {
        left_out.fill_in(&sower, exits, stored);
    }
    Ok(())
}

/// By rank of the mover's row when the other row is empty: whether only moves that feed it are legal.
fn must_feed(sower: &Sower<'_>, n: usize, feeding: Feeding) -> Vec<bool> {
    let (own, alone) = (sower.own(n), sower.other(0));
    let feeds = |m: &StorelessMove| match feeding {
        Feeding::Free => false,
        Feeding::Feed => m.drops > 0,
        Feeding::Spare => alone.of(0)[usize::from(m.class)].seeds > 0,
    };
    own.all().map(|moves| moves.iter().any(feeds)).collect()
}

/// The best of the moves that leave the layer.
struct Exits<'a> {
    grid: &'a Grid,
    sower: &'a Sower<'a>,
    feeding: Feeding,
    below: Vec<Below<'a>>,
}

impl Exits<'_> {
    /// Fills in the best exit of every position.
    fn look_up(&self, exits: &mut [u8], progress: &dyn Progress) -> Result<(), SolveError> {
        let n = self.grid.n;
        progress.stage("exits", exits.len() as u64);
        exits[self.grid.block(0)].fill(biased(-(n as i8)));
        for own in 1..=n {
            let other = n - own;
            let (moves, captures) =
                rayon::join(|| self.sower.own(own), || Captures::of(&self.sower.other(other), other));
            let takings = self.takings(own, &captures);
            let row_len = self.grid.counts[n - own];
            let chunk = (TASK / row_len).max(1);
            exits[self.grid.block(own)].par_chunks_mut(chunk * row_len).enumerate().try_for_each(|(i, rows)| {
                check(progress)?;
                rows.fill(NOTHING);
                for (row, exits) in (i * chunk..).zip(rows.chunks_mut(row_len)) {
                    look_up_row(moves.of(row), &captures, &takings, exits);
                }
                progress.advance(rows.len() as u64);
                Ok(())
            })?;
        }
        Ok(())
    }

    /// By class: the captures of a mover with `own` seeds, those that win as much together.
    fn takings(&self, own: usize, captures: &Captures) -> Vec<Vec<Taking<'_>>> {
        let Grid { n, counts, .. } = self.grid;
        let classes = self.sower.classes.list().iter();
        let taking = |(captures, drops): (&[Capture], usize)| {
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
        captures.by_class().zip(classes.map(|class| usize::from(class.drops))).map(taking).collect()
    }
}

/// The exits of all positions with the same own row.
#[inline]
fn look_up_row(moves: &[StorelessMove], captures: &Captures, takings: &[Vec<Taking<'_>>], exits: &mut [u8]) {
    for own_move in moves {
        let column = own_move.row as usize;
        for taking in &takings[usize::from(own_move.class)] {
            // The gain less the value, as biased bytes.
            let gain = taking.gain.wrapping_add(biased(0));
            for &(from, child) in &taking.places {
                if taking.bare && may_spare(moves, captures, from as usize) {
                    continue;
                }
                let exit = &mut exits[from as usize];
                *exit = (*exit).max(gain.wrapping_sub(taking.values[child + column] as u8));
            }
        }
    }
}

/// Whether some move leaves the other player a seed, so that those which do not are illegal.
fn may_spare(moves: &[StorelessMove], captures: &Captures, column: usize) -> bool {
    let left = |m: &StorelessMove| captures.seeds_left(usize::from(m.class), usize::from(m.drops), column);
    moves.iter().any(|m| left(m) > 0)
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

/// See [`needs`](super::needs).
pub(super) fn needs(rules: &dyn Rules, halves: &dyn HalfRows, layer: Layer, size: u64) -> Needs {
    let sizes = TableSizes::new(rules, halves, layer);
    let n = sizes.seeds();
    let own = |seeds| sizes.own(seeds, size_of::<StorelessMove>());
    let other = |seeds| sizes.other(seeds, size_of::<OtherMove>());
    // A number of seeds has its other half moves and what becomes of them at a time.
    let number = |seeds| own(seeds) + 2 * other(seeds);
    // The values, the best exits, and the lists of changes.
    let state = size.saturating_mul(2);
    let lists = size / 8;
    let tables = sizes.sum(|seeds| own(seeds) + other(seeds) + sizes.unmoves(seeds));
    Needs {
        memory: state.saturating_add(lists).saturating_add(tables),
        least: (0..=n / 2).map(|own| number(own).saturating_add(number(n - own))).max().unwrap_or(0),
        // The layer, a block that is turned, and the values that are left when the work is interrupted.
        room: state.saturating_add(sizes.largest_block()).saturating_add(size),
    }
}

//! The stored graph of a layer, for games with relay laps.
//!
//! A relay sowing cannot be undone in a closed form: the laps before the last one leave no trace. So every position's
//! moves are made once, forwards, and the edges that stay inside the layer are kept, turned round by a counting sort:
//! each position then knows its predecessors, and propagation touches every edge once. Repeated forward passes would
//! need no edges but make every sowing dozens of times, and sowing is what costs.
//!
//! The sort goes through squares: edges from one run of 2^16 ranks to another lie together, so that both ends of an
//! edge fit into one word, and all that is written while a run of targets is sorted stays in cache and belongs to one
//! thread. The price is eight bytes an edge while the graph is turned and four afterwards, with four to five a position
//! for offsets.

use std::io::{self, Read, Write};
use std::ops::Range;

use rayon::prelude::*;

use super::checkpoint::{Work, read_u64};
use super::{SolveError, check};
use crate::index::LayerIndex;
use crate::rules::{Layer, Marks, Moves, Rules, Sown, Turn, Value};

/// Ranks and edges are counted in 32 bits.
pub const EDGE_LIMIT: u64 = u32::MAX as u64;

/// Ranks of a run, sown by one task and sorted by one task.
const RUN: usize = 1 << 16;

/// Who precedes whom inside a layer.
pub(super) struct Graph {
    /// `from[ends[i - 1]..ends[i]]` are the predecessors of `i`, once for each move.
    ends: Vec<u32>,
    from: Vec<u32>,
}

/// What one look at a position tells beside its edges.
pub(super) struct Look<'a> {
    pub rank: u64,
    /// Its value, if play is over.
    pub over: Option<Value>,
    /// Moves that leave the layer or stop play.
    pub exits: &'a [Sown],
    /// Number of moves that stay inside the layer.
    pub open: u8,
}

/// The edges from a run of ranks, by the run they lead to.
struct Forward {
    /// `edges[starts[run]..starts[run + 1]]` lead to a run: the target's place in its run above the origin's in its own.
    starts: Vec<u32>,
    edges: Vec<u32>,
}

/// What a solver keeps of the first look at each position.
pub(super) trait Looks: Sync {
    /// Takes in a look. Called once for every rank, from many threads.
    fn take(&self, look: &Look<'_>) -> Result<(), SolveError>;

    /// Writes what is kept of some ranks, all of which have been looked at.
    fn write(&self, ranks: Range<usize>, out: &mut dyn Write) -> io::Result<()>;

    /// Reads what was written of these ranks.
    fn read(&self, ranks: Range<usize>, from: &mut dyn Read) -> io::Result<()>;
}

/// All runs, sown or still to be sown.
struct Sowing<'a, L> {
    rules: &'a dyn Rules,
    index: &'a LayerIndex,
    looks: &'a L,
    runs: Vec<Option<Forward>>,
}

impl<L: Looks> Sowing<'_, L> {
    fn ranks(&self, run: usize) -> Range<usize> {
        run * RUN..((run + 1) * RUN).min(self.index.size() as usize)
    }

    /// Sows until all runs are done or work is to pause; returns whether they are done.
    fn go_on(&mut self, work: Work<'_>) -> Result<bool, SolveError> {
        let mut runs = std::mem::take(&mut self.runs);
        runs.par_iter_mut().enumerate().filter(|(_, forward)| forward.is_none()).try_for_each(|(run, forward)| {
            if !work.should_pause() {
                let ranks = self.ranks(run);
                *forward = Some(sow_range(self.rules, self.index, ranks.clone(), self.looks)?);
                work.progress.advance(ranks.len() as u64);
            }
            Ok(())
        })?;
        self.runs = runs;
        Ok(self.runs.iter().all(Option::is_some))
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let sown = || self.runs.iter().enumerate().filter_map(|(run, forward)| Some((run, forward.as_ref()?)));
        out.write_all(&(sown().count() as u64).to_le_bytes())?;
        for (run, forward) in sown() {
            for number in [run, forward.edges.len()] {
                out.write_all(&(number as u64).to_le_bytes())?;
            }
            write_words(&forward.starts, out)?;
            write_words(&forward.edges, out)?;
            self.looks.write(self.ranks(run), out)?;
        }
        Ok(())
    }

    fn read(&mut self, from: &mut dyn Read) -> io::Result<()> {
        for _ in 0..read_u64(from)? {
            let run = read_u64(from)? as usize;
            let edges = read_u64(from)? as usize;
            let starts = read_words(self.runs.len() + 1, from)?;
            let edges = read_words(edges, from)?;
            self.looks.read(self.ranks(run), from)?;
            let Some(forward) = self.runs.get_mut(run) else { return Err(io::ErrorKind::InvalidData.into()) };
            *forward = Some(Forward { starts, edges });
        }
        Ok(())
    }
}

fn write_words(words: &[u32], out: &mut dyn Write) -> io::Result<()> {
    words.chunks(1 << 14).try_for_each(|chunk| {
        let bytes: Vec<u8> = chunk.iter().flat_map(|word| word.to_le_bytes()).collect();
        out.write_all(&bytes)
    })
}

fn read_words(count: usize, from: &mut dyn Read) -> io::Result<Vec<u32>> {
    let mut words = vec![0; count];
    from.read_exact(bytemuck::cast_slice_mut(&mut words))?;
    words.iter_mut().for_each(|word| *word = u32::from_le(*word));
    Ok(words)
}

impl Graph {
    /// Makes every move of the layer once, shows `looks` every position, and stores what stays.
    pub(super) fn build(
        rules: &dyn Rules,
        index: &LayerIndex,
        looks: &impl Looks,
        work: Work<'_>,
    ) -> Result<Self, SolveError> {
        let size = index.size();
        let check_fits = |found, unit| match found {
            0..=EDGE_LIMIT => Ok(()),
            _ => Err(SolveError::TooLarge { layer: index.layer(), found, unit, most: EDGE_LIMIT }),
        };
        check_fits(size, "positions")?;
        let Work { progress, checkpoint, .. } = work;
        progress.stage("sow", size);
        let none = || std::iter::repeat_with(|| None).take(size.div_ceil(RUN as u64) as usize).collect();
        let mut sowing = Sowing { rules, index, looks, runs: none() };
        if let Some(mut left) = checkpoint.left()
            && sowing.read(&mut left).is_err()
        {
            sowing.runs = none();
        }
        work.in_steps(&mut sowing, |sowing| sowing.go_on(work), Sowing::write)?;
        if checkpoint.is_due() {
            checkpoint.leave(&mut |out| sowing.write(out));
        }
        let forward: Vec<Forward> = sowing.runs.into_iter().flatten().collect();
        let edges: u64 = forward.iter().map(|forward| forward.edges.len() as u64).sum();
        check_fits(edges, "moves")?;

        progress.stage("sort", edges);
        let mut ends = vec![0; size as usize];
        let mut from = vec![0; edges as usize];
        let mut rest = from.as_mut_slice();
        let mut first = 0;
        let mut tasks = Vec::new();
        for (run, ends) in ends.chunks_mut(RUN).enumerate() {
            let len: usize = forward.iter().map(|forward| forward.to(run).len()).sum();
            let (own, others) = rest.split_at_mut(len);
            tasks.push((run, first, ends, own));
            rest = others;
            first += len as u32;
        }
        tasks.into_par_iter().try_for_each(|(run, first, ends, from)| {
            check(progress)?;
            sort_run(&forward, run, first, ends, from);
            progress.advance(from.len() as u64);
            Ok(())
        })?;
        Ok(Self { ends, from })
    }

    /// The predecessors of a position, once for each move.
    #[inline]
    pub(super) fn predecessors(&self, rank: u32) -> impl Iterator<Item = u32> {
        let i = rank as usize;
        let start = if i == 0 { 0 } else { self.ends[i - 1] as usize };
        self.from[start..self.ends[i] as usize].iter().copied()
    }

    /// Bytes at the peak, foretold from the moves of some positions.
    pub(super) fn memory(rules: &dyn Rules, index: &LayerIndex) -> u64 {
        let size = index.size();
        let ranks = (0..SAMPLE.min(size)).map(|i| i.wrapping_mul(SCATTER) % size);
        let mut moves = Moves::new();
        let mut stay = 0;
        let mut sampled = 0;
        for rank in ranks {
            rules.expand(&index.unrank(rank), &mut moves);
            stay += moves.iter().filter(|(_, sown)| stays(rules, index.layer(), sown)).count() as u64;
            sampled += 1;
        }
        let edges = u128::from(size) * u128::from(stay) / sampled.max(1);
        u64::try_from(8 * edges).unwrap_or(u64::MAX).saturating_add(4 * size)
    }
}

/// Positions whose moves are counted to foretell those of a layer.
const SAMPLE: u64 = 1 << 11;

/// An odd factor that spreads consecutive numbers over all ranks.
const SCATTER: u64 = 0x9e37_79b9_7f4a_7c15;

/// Whether a move stays inside the layer. Seeds that are not won stay on the board; opening a pit leads elsewhere.
#[inline]
fn stays(rules: &dyn Rules, layer: Layer, sown: &Sown) -> bool {
    sown.turn == Turn::Pass
        && sown.gain == 0
        && sown.gain_other == 0
        && (rules.marks() != Marks::Closed || rules.closed(&sown.board) == layer.closed)
}

impl Forward {
    fn to(&self, run: usize) -> &[u32] {
        &self.edges[self.starts[run] as usize..self.starts[run + 1] as usize]
    }
}

/// Sorts the edges that lead to a run by target. `ends` become where the predecessors of each target end, the first
/// of them lying at `first`; `from` becomes these predecessors.
fn sort_run(forward: &[Forward], run: usize, first: u32, ends: &mut [u32], from: &mut [u32]) {
    for forward in forward {
        for edge in forward.to(run) {
            ends[(edge >> 16) as usize] += 1;
        }
    }
    let mut sum = 0;
    for end in &mut *ends {
        let count = std::mem::replace(end, sum);
        sum += count;
    }
    for (origin, forward) in (0..).step_by(RUN).zip(forward) {
        for edge in forward.to(run) {
            let end = &mut ends[(edge >> 16) as usize];
            from[*end as usize] = origin + (edge & 0xffff);
            *end += 1;
        }
    }
    for end in ends {
        *end += first;
    }
}

fn sow_range(
    rules: &dyn Rules,
    index: &LayerIndex,
    ranks: Range<usize>,
    looks: &impl Looks,
) -> Result<Forward, SolveError> {
    let layer = index.layer();
    let first = ranks.start as u64;
    let (mut targets, mut origins) = (Vec::new(), Vec::new());
    let (mut moves, mut exits) = (Moves::new(), Vec::new());
    let mut result = Ok(());
    index.walk(first..ranks.end as u64, |rank, board| {
        let over = rules.expand(board, &mut moves);
        exits.clear();
        let before = targets.len();
        for (_, sown) in &moves {
            if stays(rules, layer, sown) {
                targets.push(index.rank(&sown.board) as u32);
                origins.push((rank - first) as u16);
            } else {
                exits.push(*sown);
            }
        }
        if result.is_ok() {
            result = looks.take(&Look { rank, over, exits: &exits, open: (targets.len() - before) as u8 });
        }
    });
    result?;

    let runs = index.size().div_ceil(RUN as u64) as usize;
    let mut starts = vec![0; runs + 1];
    for target in &targets {
        starts[(target >> 16) as usize + 1] += 1;
    }
    for run in 0..runs {
        starts[run + 1] += starts[run];
    }
    let mut next = starts.clone();
    let mut edges = vec![0; targets.len()];
    for (target, origin) in targets.into_iter().zip(origins) {
        let place = &mut next[(target >> 16) as usize];
        edges[*place as usize] = target << 16 | u32::from(origin);
        *place += 1;
    }
    Ok(Forward { starts, edges })
}

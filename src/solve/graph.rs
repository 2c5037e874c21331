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

use rayon::prelude::*;

use super::{Progress, SolveError, check};
use crate::index::LayerIndex;
use crate::rules::{Marks, Moves, Rules, Sown, Turn, Value};

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

impl Graph {
    /// Makes every move of the layer once, shows `visit` what leaves it, and stores what stays.
    pub(super) fn build(
        rules: &dyn Rules,
        index: &LayerIndex,
        progress: &dyn Progress,
        visit: impl Fn(&Look<'_>) -> Result<(), SolveError> + Sync,
    ) -> Result<Self, SolveError> {
        let size = index.size();
        let check_fits = |found, unit| match found {
            0..=EDGE_LIMIT => Ok(()),
            _ => Err(SolveError::TooLarge { layer: index.layer(), found, unit, most: EDGE_LIMIT }),
        };
        check_fits(size, "positions")?;
        progress.stage("sow", size);
        let runs = size.div_ceil(RUN as u64);
        let forward: Vec<Forward> = (0..runs)
            .into_par_iter()
            .map(|run| {
                check(progress)?;
                let ranks = run * RUN as u64..((run + 1) * RUN as u64).min(size);
                let forward = sow_range(rules, index, ranks.clone(), &visit);
                progress.advance(ranks.end - ranks.start);
                forward
            })
            .collect::<Result<_, _>>()?;
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

    /// Bytes at the peak for a layer of `size` ranks with `moves` moves a position, rounded up.
    pub(super) fn memory(size: u64, moves: u64) -> u64 {
        size.saturating_mul(8 * moves + 5)
    }
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
    ends.iter_mut().for_each(|end| *end += first);
}

fn sow_range(
    rules: &dyn Rules,
    index: &LayerIndex,
    ranks: std::ops::Range<u64>,
    visit: &(impl Fn(&Look<'_>) -> Result<(), SolveError> + Sync),
) -> Result<Forward, SolveError> {
    let layer = index.layer();
    // Opening a pit leads to another layer.
    let opens = rules.marks() == Marks::Closed;
    let first = ranks.start;
    let (mut targets, mut origins) = (Vec::new(), Vec::new());
    let (mut moves, mut exits) = (Moves::new(), Vec::new());
    let mut result = Ok(());
    index.walk(ranks, |rank, board| {
        let over = rules.expand(board, &mut moves);
        exits.clear();
        let before = targets.len();
        for (_, sown) in &moves {
            // Seeds that are not won stay on the board.
            let stays = sown.turn == Turn::Pass
                && sown.gain == 0
                && sown.gain_other == 0
                && !(opens && rules.closed(&sown.board) != layer.closed);
            if stays {
                targets.push(index.rank(&sown.board) as u32);
                origins.push((rank - first) as u16);
            } else {
                exits.push(*sown);
            }
        }
        if result.is_ok() {
            result = visit(&Look { rank, over, exits: &exits, open: (targets.len() - before) as u8 });
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

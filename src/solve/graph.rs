//! The stored graph of a layer, for games with relay laps.
//!
//! A relay sowing cannot be undone in a closed form: the laps before the last one leave no trace. So every position's
//! moves are made once, forwards, and the edges that stay inside the layer are kept, turned round by a counting sort:
//! each position then knows its predecessors, and propagation touches every edge once. Repeated forward passes would
//! need no edges but make every sowing dozens of times, and sowing is what costs. The price is eight bytes an edge
//! while the graph is turned (the forward edges are freed as they are read) and four afterwards, with four to five a
//! position for offsets.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use rayon::prelude::*;

use super::{Progress, SolveError, check};
use crate::index::LayerIndex;
use crate::rules::{Moves, Rules, Sown, Turn, Value};

/// Ranks and edges are counted in 32 bits.
pub const EDGE_LIMIT: u64 = u32::MAX as u64;

/// Ranks expanded by one task.
const CHUNK: u64 = 1 << 14;

/// Who precedes whom inside a layer.
pub(super) struct Graph {
    /// `from[ends[i - 1]..ends[i]]` are the predecessors of `i`, once for each move.
    ends: Vec<AtomicU32>,
    from: Vec<AtomicU32>,
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

/// Forward edges of a run of ranks: targets, and their number by rank.
struct Forward {
    first: u32,
    targets: Vec<u32>,
    degrees: Vec<u8>,
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
        let chunks: Vec<Forward> = (0..size.div_ceil(CHUNK))
            .into_par_iter()
            .map(|chunk| {
                check(progress)?;
                let ranks = chunk * CHUNK..((chunk + 1) * CHUNK).min(size);
                let forward = sow_range(rules, index, ranks.clone(), &visit);
                progress.advance(ranks.end - ranks.start);
                forward
            })
            .collect::<Result<_, _>>()?;
        let edges: u64 = chunks.iter().map(|chunk| chunk.targets.len() as u64).sum();
        check_fits(edges, "moves")?;

        progress.stage("sort", edges);
        let ends = zeros(size as usize);
        chunks.par_iter().for_each(|chunk| {
            for &target in &chunk.targets {
                ends[target as usize].fetch_add(1, Relaxed);
            }
        });
        let mut sum = 0;
        for end in &ends {
            sum += end.swap(sum, Relaxed);
        }
        let from = zeros(edges as usize);
        chunks.into_par_iter().try_for_each(|chunk| {
            check(progress)?;
            let mut targets = chunk.targets.iter();
            for (rank, &degree) in (chunk.first..).zip(&chunk.degrees) {
                for &target in targets.by_ref().take(usize::from(degree)) {
                    from[ends[target as usize].fetch_add(1, Relaxed) as usize].store(rank, Relaxed);
                }
            }
            progress.advance(chunk.targets.len() as u64);
            Ok(())
        })?;
        Ok(Self { ends, from })
    }

    /// The predecessors of a position, once for each move.
    #[inline]
    pub(super) fn predecessors(&self, rank: u32) -> impl Iterator<Item = u32> {
        let i = rank as usize;
        let start = if i == 0 { 0 } else { self.ends[i - 1].load(Relaxed) as usize };
        self.from[start..self.ends[i].load(Relaxed) as usize].iter().map(|from| from.load(Relaxed))
    }

    /// Bytes at the peak for a layer of `size` ranks with `moves` moves a position, rounded up.
    pub(super) fn memory(size: u64, moves: u64) -> u64 {
        size.saturating_mul(8 * moves + 5)
    }
}

fn zeros(len: usize) -> Vec<AtomicU32> {
    let mut words = Vec::new();
    words.resize_with(len, || AtomicU32::new(0));
    words
}

fn sow_range(
    rules: &dyn Rules,
    index: &LayerIndex,
    ranks: std::ops::Range<u64>,
    visit: &(impl Fn(&Look<'_>) -> Result<(), SolveError> + Sync),
) -> Result<Forward, SolveError> {
    let seeds = u32::from(index.layer().seeds);
    let mut forward = Forward { first: ranks.start as u32, targets: Vec::new(), degrees: Vec::new() };
    let (mut moves, mut exits) = (Moves::new(), Vec::new());
    let mut result = Ok(());
    index.walk(ranks, |rank, board| {
        let over = rules.expand(board, &mut moves);
        exits.clear();
        let closed = board.marks().count_ones();
        let before = forward.targets.len();
        for (_, sown) in &moves {
            let stays =
                sown.turn == Turn::Pass && sown.board.seeds() == seeds && sown.board.marks().count_ones() == closed;
            if stays {
                forward.targets.push(index.rank(&sown.board) as u32);
            } else {
                exits.push(*sown);
            }
        }
        let open = (forward.targets.len() - before) as u8;
        forward.degrees.push(open);
        if result.is_ok() {
            result = visit(&Look { rank, over, exits: &exits, open });
        }
    });
    forward.targets.shrink_to_fit();
    result.map(|()| forward)
}

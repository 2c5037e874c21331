//! Solving a layer: the exact value of every position in it, given the layers below.
//!
//! Four solvers share this entry. Games whose sowing splits into halves ([`HalfRows`](crate::rules::HalfRows)) are solved
//! on tables of half moves: in one pass where moves without gain cannot cycle ([`acyclic`]), by sweeps over rows where
//! they can ([`cyclic`]). Games with relay laps are solved on the stored graph of the layer ([`graph`]): by thresholds
//! ([`relay`]), or by win and loss with distance ([`outcome`]). Nothing here knows files, beyond where it is told to take
//! the pages of a layer from; nothing recurses over positions.

mod acyclic;
mod checkpoint;
mod cyclic;
mod drops;
mod graph;
mod halves;
mod left_out;
mod outcome;
mod relay;
mod settle;
mod sweeps;
mod thresholds;
mod unmoves;
mod verify;

use std::collections::BTreeMap;
use std::fmt;
use std::io;
use std::ops::Deref;
use std::sync::Arc;

use thiserror::Error;

use crate::index::{LayerIndex, positions};
use crate::memory::Pages;
use crate::rules::{Layer, Rules, Scoring};
pub use checkpoint::{Checkpoint, NoCheckpoint, Work};
pub use graph::EDGE_LIMIT;
pub use left_out::LeftOut;
pub use verify::{Difference, Verdict, verify, verify_sample};

/// Net seeds by rank.
#[derive(Clone)]
pub enum SeedValues {
    /// On the heap.
    Owned(Vec<i8>),
    /// In pages of their own.
    Paged(Arc<Pages>),
}

impl Deref for SeedValues {
    type Target = [i8];

    fn deref(&self) -> &[i8] {
        match self {
            Self::Owned(values) => values,
            Self::Paged(pages) => pages.signed(),
        }
    }
}

impl PartialEq for SeedValues {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for SeedValues {}

impl fmt::Debug for SeedValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&**self).finish()
    }
}

/// The values of a layer by rank.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Values {
    /// Net seeds.
    Seeds(SeedValues),
    /// Outcomes with distance, as [`Value`](crate::rules::Value) codes them.
    Outcome(Vec<i16>),
}

impl Values {
    /// Net seeds on the heap.
    #[must_use]
    pub fn seeds(values: Vec<i8>) -> Self {
        Self::Seeds(SeedValues::Owned(values))
    }

    /// Net seeds in pages, a byte each.
    #[must_use]
    pub fn paged(values: Pages) -> Self {
        Self::Seeds(SeedValues::Paged(Arc::new(values)))
    }

    /// The value at a rank.
    #[must_use]
    pub fn get(&self, rank: u64) -> i16 {
        match self {
            Self::Seeds(values) => i16::from(values[rank as usize]),
            Self::Outcome(values) => values[rank as usize],
        }
    }

    /// Number of ranks.
    #[must_use]
    pub fn len(&self) -> usize {
        match self {
            Self::Seeds(values) => values.len(),
            Self::Outcome(values) => values.len(),
        }
    }

    /// Whether there is no rank.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A layer with its numbering and values.
pub struct SolvedLayer {
    /// The numbering.
    pub index: LayerIndex,
    /// The values by rank.
    pub values: Values,
}

/// What solving a layer finds.
pub struct Solved {
    /// The values.
    pub layer: SolvedLayer,
    /// What each position is worth at the least by its moves out of the layer, as [`exits`] finds it, where the solver
    /// has it at hand.
    pub floors: Option<Pages>,
}

/// The solved layers that a layer's moves may lead to.
#[derive(Clone, Default)]
pub struct Lower {
    layers: BTreeMap<Layer, Arc<SolvedLayer>>,
}

impl Lower {
    /// Adds a solved layer.
    pub fn insert(&mut self, layer: Arc<SolvedLayer>) {
        self.layers.insert(layer.index.layer(), layer);
    }

    /// The solved layer, if it is there.
    #[must_use]
    pub fn get(&self, layer: Layer) -> Option<&SolvedLayer> {
        self.layers.get(&layer).map(AsRef::as_ref)
    }

    /// Whether the layer is there.
    #[must_use]
    pub fn contains(&self, layer: Layer) -> bool {
        self.layers.contains_key(&layer)
    }

    fn seeds(&self, layer: Layer) -> Result<(&LayerIndex, &[i8]), SolveError> {
        match self.get(layer) {
            Some(SolvedLayer { index, values: Values::Seeds(values) }) => Ok((index, values)),
            _ => Err(SolveError::MissingLayer { layer }),
        }
    }
}

/// Why a layer was not solved.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum SolveError {
    /// [`Progress::is_cancelled`] said so.
    #[error("interrupted")]
    Interrupted,
    /// A move leads to a layer that is not at hand.
    #[error("layer {layer} is needed and not there; solve the layers in the order of Rules::layers")]
    MissingLayer {
        /// The layer.
        layer: Layer,
    },
    /// The layer cannot be numbered or its graph not be stored.
    #[error("layer {layer} is too large to solve: {found} {unit}, at most {most} fit")]
    TooLarge {
        /// The layer.
        layer: Layer,
        /// How many there are.
        found: u64,
        /// What is counted.
        unit: &'static str,
        /// How many can be.
        most: u64,
    },
    /// The system gives no pages for the layer.
    #[error("{bytes} bytes for a layer are refused: {reason}; free memory, or space on the disk if it lies there")]
    NoRoom {
        /// How many were asked for.
        bytes: u64,
        /// The system's answer.
        reason: io::ErrorKind,
    },
}

/// Hears how far a solver is, and may stop it.
///
/// All methods are called from many threads and must be cheap.
pub trait Progress: Sync {
    /// A stage begins that will [`advance`](Progress::advance) by `positions` in all.
    fn stage(&self, name: &'static str, positions: u64);
    /// So many more positions of the stage are done.
    fn advance(&self, positions: u64);
    /// Whether to give up. Solvers ask at least every few million positions.
    fn is_cancelled(&self) -> bool;
}

/// Progress that nobody watches.
pub struct Unwatched;

impl Progress for Unwatched {
    fn stage(&self, _: &'static str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn is_cancelled(&self) -> bool {
        false
    }
}

fn check(progress: &dyn Progress) -> Result<(), SolveError> {
    if progress.is_cancelled() { Err(SolveError::Interrupted) } else { Ok(()) }
}

/// Solves `layer` on the current rayon pool.
///
/// The values are the same for any number of threads.
///
/// # Errors
/// A layer below is missing, the layer is too large, or `progress` cancelled the work.
pub fn solve(rules: &dyn Rules, layer: Layer, lower: &Lower, progress: &dyn Progress) -> Result<Solved, SolveError> {
    resume(rules, layer, lower, Work { progress, ..Work::ALONE })
}

/// As [`solve`], but goes on from where the checkpoint of `work` says that an earlier attempt ended, leaves its work
/// there when it is cancelled or when that is due, and keeps the layer where `work` says.
///
/// # Errors
/// As [`solve`], or there is no room for the layer.
pub fn resume(rules: &dyn Rules, layer: Layer, lower: &Lower, work: Work<'_>) -> Result<Solved, SolveError> {
    let index = LayerIndex::new(rules, layer).ok_or(SolveError::TooLarge {
        layer,
        found: u64::MAX,
        unit: "positions",
        most: 1 << 62,
    })?;
    let (values, floors) = match (rules.scoring(), rules.half_rows()) {
        (Scoring::Outcome, _) => (Values::Outcome(outcome::solve(rules, &index, work)?), None),
        (Scoring::Seeds, Some(halves)) if halves.acyclic() => {
            (Values::paged(acyclic::solve(rules, halves, &index, lower, work)?), None)
        }
        (Scoring::Seeds, Some(halves)) => {
            let (values, exits) = cyclic::solve(rules, halves, &index, lower, work)?;
            (Values::paged(values), Some(exits))
        }
        (Scoring::Seeds, None) => (Values::seeds(relay::solve(rules, &index, lower, work)?), None),
    };
    Ok(Solved { layer: SolvedLayer { index, values }, floors })
}

/// The least that each position of a layer is worth by its moves out of the layer alone, by rank: `i8::MIN` where
/// there is none, the value itself where play is over.
///
/// `None` for games in which finding this out costs as much as solving the layer, and for those in which it says
/// little.
///
/// # Errors
/// As [`solve`].
pub fn exits(
    rules: &dyn Rules,
    index: &LayerIndex,
    lower: &Lower,
    work: Work<'_>,
) -> Result<Option<Pages>, SolveError> {
    match rules.half_rows().filter(|halves| !halves.acyclic()) {
        Some(halves) => cyclic::exits(halves, index, lower, work).map(Some),
        None => Ok(None),
    }
}

/// Makes the values of a layer whole that a table stores without what its moves out of the layer tell, and with
/// `leaves_out` also without the positions of [`LeftOut`].
///
/// Does nothing for games whose tables store everything.
///
/// # Errors
/// As [`solve`].
pub fn complete(
    rules: &dyn Rules,
    index: &LayerIndex,
    lower: &Lower,
    stored: &mut [i8],
    leaves_out: bool,
    work: Work<'_>,
) -> Result<(), SolveError> {
    let Some(halves) = rules.half_rows().filter(|halves| !halves.acyclic()) else { return Ok(()) };
    let left_out = LeftOut::of(rules, index).filter(|_| leaves_out);
    cyclic::complete(halves, index, lower, stored, left_out, work)
}

/// What solving a layer takes, beside the layers below it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Needs {
    /// Bytes of memory with the layer in memory.
    pub memory: u64,
    /// Bytes of memory with the layer in a folder; as many as in memory for games that have no way to do that.
    pub least: u64,
    /// Bytes that the layer takes in a folder.
    pub room: u64,
}

/// What solving a layer takes; `None` if the layer cannot be counted.
#[must_use]
pub fn needs(rules: &dyn Rules, layer: Layer) -> Option<Needs> {
    let size = positions(rules, layer)?;
    // Games on stored graphs have their moves sampled, unless the layer is too large for one anyway.
    let index = || if size > 2 * EDGE_LIMIT { None } else { LayerIndex::new(rules, layer) };
    let in_memory = |memory: u64| Needs { memory, least: memory, room: 0 };
    Some(match (rules.scoring(), rules.half_rows()) {
        (Scoring::Outcome, _) => in_memory(index().map_or(u64::MAX, |index| outcome::memory(rules, &index))),
        (Scoring::Seeds, Some(halves)) if halves.acyclic() => acyclic::needs(rules, halves, layer, size),
        (Scoring::Seeds, Some(halves)) => cyclic::needs(rules, halves, layer, size),
        (Scoring::Seeds, None) => in_memory(index().map_or(u64::MAX, |index| relay::memory(rules, &index))),
    })
}

//! What a build will do, before it does it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{Database, DatabaseError};
use crate::index::positions;
use crate::rules::{Layer, Rules, Scoring};
use crate::solve::{self, Lower, Unwatched, solve};
use crate::table::Access;

/// One layer of a plan.
#[derive(Clone, Debug)]
pub struct Step {
    /// The layer.
    pub layer: Layer,
    /// Its positions.
    pub positions: u64,
    /// Bytes of memory at the peak of solving it in memory. Pages of mapped files, which the system drops when it needs
    /// room, are not counted.
    pub memory: u64,
    /// The same if the layer lies in files of the folder while it is solved; no less than in memory for games that
    /// cannot do that.
    pub least: u64,
    /// Bytes of those files, with the copy that is left when the work is interrupted.
    pub room: u64,
    /// Bytes of its table, estimated.
    pub disk: u64,
    /// Time to solve it, estimated.
    pub time: Duration,
    /// Whether its table is there already.
    pub present: bool,
}

impl Step {
    /// Whether the layer has to lie in files while it is solved, because only `ceiling` bytes of memory may be used.
    #[must_use]
    pub fn is_in_files(&self, ceiling: u64) -> bool {
        self.memory > ceiling && self.least < self.memory
    }

    /// Bytes of memory at the peak if only `ceiling` may be used; more than that if they are not enough.
    #[must_use]
    pub fn memory_within(&self, ceiling: u64) -> u64 {
        if self.is_in_files(ceiling) { self.least } else { self.memory }
    }
}

/// All layers that a build of so many seeds needs, in the order in which they are solved.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The layers.
    pub steps: Vec<Step>,
}

impl Plan {
    /// The layers that are still to be solved.
    pub fn missing(&self) -> impl Iterator<Item = &Step> {
        self.steps.iter().filter(|step| !step.present)
    }

    /// Bytes of the files in which a layer lies while it is solved, at the most, if only `ceiling` bytes of memory may be
    /// used.
    #[must_use]
    pub fn room(&self, ceiling: u64) -> u64 {
        self.missing().filter(|step| step.is_in_files(ceiling)).map(|step| step.room).max().unwrap_or(0)
    }
}

/// Layers of at most so many positions are made to learn the speed of this machine, the largest of them last.
const SAMPLE: u64 = 2_500_000;

/// Time after which no further layer is begun for that.
const SAMPLE_TIME: Duration = Duration::from_secs(1);

/// How many times as long a layer takes in files, where values are swept until none changes.
const IN_FILES: f64 = 2.0;

/// Bits of table a position, from the layers that were measured; the games differ by some 30 %.
const BITS: u64 = 4;

/// Bytes beside all that grows with the layer: code, stacks, buffers of the writer.
pub(super) const FIXED_MEMORY: u64 = 12 << 20;

/// The same, and bytes more a thread, for a layer in files where captures tell some of the values: the part of the layer
/// to which the model of its table is fitted, and what that counts, then take more than solving it.
const FITTING: [u64; 2] = [16 << 20, 3 << 19];

impl Database {
    /// Plans a build on the current rayon pool, of all layers up to `seeds`, and of games with closed pits those with at
    /// most `closed` of them.
    ///
    /// # Errors
    /// The folder cannot be read, or a layer is too large to count.
    pub fn plan(&self, seeds: u8, closed: u8) -> Result<Plan, DatabaseError> {
        let rules = self.rules.as_ref();
        let present = self.layers()?;
        let mut steps = Vec::new();
        // Finished layers stay in memory where files may not be mapped.
        let mut below = 0_u64;
        let fitting =
            if is_swept(rules) { FITTING[0] + FITTING[1] * rayon::current_num_threads() as u64 } else { FIXED_MEMORY };
        for layer in rules.layers(seeds).into_iter().filter(|layer| layer.closed <= closed) {
            let positions = positions(rules, layer).ok_or(DatabaseError::TooLarge { layer })?;
            let needs = solve::needs(rules, layer).ok_or(DatabaseError::TooLarge { layer })?;
            let memory = needs.memory.saturating_add(below).saturating_add(FIXED_MEMORY);
            let mapped = self.access == Access::Map;
            steps.push(Step {
                layer,
                positions,
                memory,
                least: if mapped { needs.least.saturating_add(fitting).min(memory) } else { memory },
                room: needs.room,
                disk: (positions / ranks_share(rules)).saturating_mul(BITS * value_bytes(rules)) / 8 + 4096,
                time: Duration::ZERO,
                present: present.binary_search(&layer).is_ok(),
            });
            if self.access == Access::Read {
                below = below.saturating_add(positions / ranks_share(rules));
            }
        }
        Ok(Plan { steps })
    }

    /// Fills in the estimated times of a plan for a build that has `ceiling` bytes of memory, by making layers of up to
    /// some million positions in memory, tables included, which takes about a second.
    ///
    /// # Errors
    /// A small layer could not be solved or packed.
    pub fn estimate(&self, plan: &mut Plan, ceiling: u64) -> Result<(), DatabaseError> {
        let rules = self.rules.as_ref();
        let mut lower = Lower::default();
        let (mut last, mut seconds_a_position) = (f64::INFINITY, 1e-6);
        let begin = Instant::now();
        for layer in sample_layers(rules, plan) {
            let begin_of_layer = Instant::now();
            let solved = solve(rules, layer, &lower, &Unwatched)?;
            let solved = self.pack(solved)?;
            // Layers of a few hundred positions tell more about starting threads than about solving.
            let seconds = begin_of_layer.elapsed().as_secs_f64().max(1e-4);
            let now = seconds / solved.index.positions() as f64;
            // Of two layers the faster one, because other programs may have disturbed one of them.
            seconds_a_position = now.min(last);
            last = now;
            lower.insert(Arc::new(solved));
            if begin.elapsed() > SAMPLE_TIME {
                break;
            }
        }
        for step in &mut plan.steps {
            let times = if is_swept(rules) && step.is_in_files(ceiling) { IN_FILES } else { 1.0 };
            step.time = Duration::from_secs_f64((step.positions as f64 * seconds_a_position * times).min(1e15));
        }
        Ok(())
    }
}

/// Small layers of the plan; for a game without lower layers, one of fewer seeds.
fn sample_layers(rules: &dyn Rules, plan: &Plan) -> Vec<Layer> {
    let small = |layer: &Layer| positions(rules, *layer).is_some_and(|count| count <= SAMPLE);
    let layers: Vec<Layer> = plan.steps.iter().map(|step| step.layer).take_while(small).collect();
    match (layers.is_empty(), plan.steps.first()) {
        (true, Some(first)) => (0..first.layer.seeds).rev().map(Layer::of).find(small).into_iter().collect(),
        _ => layers,
    }
}

/// Whether layers are swept until nothing changes, and their tables leave out what captures tell.
fn is_swept(rules: &dyn Rules) -> bool {
    rules.half_rows().is_some_and(|halves| !halves.acyclic())
}

fn ranks_share(rules: &dyn Rules) -> u64 {
    if rules.mirror().is_some() { 2 } else { 1 }
}

fn value_bytes(rules: &dyn Rules) -> u64 {
    if rules.scoring() == Scoring::Outcome { 2 } else { 1 }
}

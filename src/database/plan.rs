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
    /// Bytes of memory at the peak of solving it. Pages of mapped files, which the system drops when it needs room, are
    /// not counted.
    pub memory: u64,
    /// Bytes of its table, estimated.
    pub disk: u64,
    /// Time to solve it, estimated.
    pub time: Duration,
    /// Whether its table is there already.
    pub present: bool,
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
}

/// Layers of at most so many positions are solved to learn the speed of this machine.
const SAMPLE: u64 = 400_000;

/// Bits of table a position, from the layers that were measured; the games differ by some 30 %.
const BITS: u64 = 4;

/// Bytes beside all that grows with the layer: code, stacks, buffers of the writer.
const FIXED_MEMORY: u64 = 12 << 20;

impl Database {
    /// Plans a build of all layers up to `seeds`, and of games with closed pits those with at most `closed` of them.
    ///
    /// # Errors
    /// The folder cannot be read, or a layer is too large to count.
    pub fn plan(&self, seeds: u8, closed: u8) -> Result<Plan, DatabaseError> {
        let rules = self.rules.as_ref();
        let present = self.layers()?;
        let mut steps = Vec::new();
        // Finished layers stay in memory where files may not be mapped.
        let mut below = 0_u64;
        for layer in rules.layers(seeds).into_iter().filter(|layer| layer.closed <= closed) {
            let positions = positions(rules, layer).ok_or(DatabaseError::TooLarge { layer })?;
            let memory = solve::memory(rules, layer).ok_or(DatabaseError::TooLarge { layer })?;
            steps.push(Step {
                layer,
                positions,
                memory: memory.saturating_add(below).saturating_add(FIXED_MEMORY),
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

    /// Fills in the estimated times of a plan by solving layers of up to some 100,000 positions in memory, which takes
    /// about a second.
    ///
    /// # Errors
    /// A small layer could not be solved.
    pub fn estimate(&self, plan: &mut Plan) -> Result<(), DatabaseError> {
        let rules = self.rules.as_ref();
        let mut lower = Lower::default();
        let mut speed = 1e6;
        for layer in sample_layers(rules, plan) {
            let begin = Instant::now();
            let solved = solve(rules, layer, &lower, &Unwatched)?.layer;
            // Layers of a few hundred positions tell more about starting threads than about solving.
            let seconds = begin.elapsed().as_secs_f64().max(1e-4);
            speed = solved.index.positions() as f64 / seconds;
            lower.insert(Arc::new(solved));
        }
        for step in &mut plan.steps {
            step.time = Duration::from_secs_f64((step.positions as f64 / speed).min(1e15));
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

fn ranks_share(rules: &dyn Rules) -> u64 {
    if rules.mirror().is_some() { 2 } else { 1 }
}

fn value_bytes(rules: &dyn Rules) -> u64 {
    if rules.scoring() == Scoring::Outcome { 2 } else { 1 }
}

//! Net seeds in games with relay laps: the stored graph of the layer, then thresholds.

use std::io::{self, Read, Write};
use std::ops::Range;

use super::checkpoint::Work;
use super::graph::{Graph, Look, Looks};
use super::thresholds::{Backward, NOTHING, States, settle_all};
use super::{Lower, SolveError};
use crate::index::LayerIndex;
use crate::rules::{Layer, Rules, Sown, Turn, Value, worth};

pub(super) fn solve(
    rules: &dyn Rules,
    index: &LayerIndex,
    lower: &Lower,
    work: Work<'_>,
) -> Result<Vec<i8>, SolveError> {
    let best = Best { rules, lower, states: States::new(index.size() as usize) };
    let graph = Graph::build(rules, index, &best, work)?;
    settle_all(&best.states, index.layer().seeds as i8, &graph, work.progress)?;
    drop(graph);
    Ok(best.states.into_values())
}

/// The best exit of every position and the number of its open moves.
struct Best<'a> {
    rules: &'a dyn Rules,
    lower: &'a Lower,
    states: States,
}

impl Looks for Best<'_> {
    fn take(&self, look: &Look<'_>) -> Result<(), SolveError> {
        let mut best = look.over.map_or(NOTHING, |value| value.0 as i8);
        for sown in look.exits {
            best = best.max(exit(self.rules, sown, self.lower)?);
        }
        self.states.set(look.rank as usize, best, look.open);
        Ok(())
    }

    fn write(&self, ranks: Range<usize>, out: &mut dyn Write) -> io::Result<()> {
        self.states.write(ranks, out)
    }

    fn read(&self, ranks: Range<usize>, from: &mut dyn Read) -> io::Result<()> {
        self.states.read(ranks, from)
    }
}

fn exit(rules: &dyn Rules, sown: &Sown, lower: &Lower) -> Result<i8, SolveError> {
    let layer = Layer { seeds: sown.board.seeds() as u8, closed: rules.closed(&sown.board) };
    let after = if layer.seeds == 0 || sown.turn == Turn::Endless {
        Value::DRAW
    } else {
        let (index, values) = lower.seeds(layer)?;
        Value(i16::from(values[index.rank(&sown.board) as usize]))
    };
    Ok(worth(rules.scoring(), sown, after).0 as i8)
}

impl Backward for Graph {
    type Node = u32;

    fn node(&self, rank: usize) -> u32 {
        rank as u32
    }

    fn rank(&self, node: u32) -> usize {
        node as usize
    }

    fn predecessors(&self, node: u32, into: &mut Vec<u32>) {
        into.extend(Graph::predecessors(self, node));
    }
}

/// Bytes that solving a layer takes at the most, roughly.
pub(super) fn memory(rules: &dyn Rules, index: &LayerIndex) -> u64 {
    Graph::memory(rules, index).saturating_add(2 * index.size())
}

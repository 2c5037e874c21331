//! Tables at the leaves of a search.

use crate::rules::{Board, Layer, Rules, Value};
use crate::solve::{Lower, SolvedLayer, Values};

/// Exact values of positions with few seeds.
pub trait Probe: Sync {
    /// The most seeds a position may have to be worth asking about; `None` if nothing is covered.
    fn most_seeds(&self) -> Option<u8>;

    /// The value of a position; `None` if it is not covered. It may cost microseconds.
    fn probe(&self, board: &Board) -> Option<Value>;

    /// The layer if it lies raw in memory, which makes a probe cost about one cache miss.
    fn raw(&self, layer: Layer) -> Option<&SolvedLayer> {
        let _ = layer;
        None
    }
}

/// No tables at all.
pub struct NoTables;

impl Probe for NoTables {
    fn most_seeds(&self) -> Option<u8> {
        None
    }

    fn probe(&self, _: &Board) -> Option<Value> {
        None
    }
}

/// Solved layers in memory.
pub struct InMemory<'a> {
    rules: &'a dyn Rules,
    layers: &'a Lower,
    most_seeds: Option<u8>,
}

impl<'a> InMemory<'a> {
    /// Probes `layers`, which were solved under `rules`.
    #[must_use]
    pub fn new(rules: &'a dyn Rules, layers: &'a Lower) -> Self {
        let most_closed = if rules.plain_sowing().is_some() { 0 } else { 2 * rules.half() as u8 };
        let covers = |&seeds: &u8| (0..=most_closed).any(|closed| layers.contains(Layer { seeds, closed }));
        Self { rules, layers, most_seeds: (0..=127).rev().find(covers) }
    }
}

impl Probe for InMemory<'_> {
    fn most_seeds(&self) -> Option<u8> {
        self.most_seeds
    }

    fn probe(&self, board: &Board) -> Option<Value> {
        let layer = Layer { seeds: board.seeds() as u8, closed: self.rules.closed(board) };
        let solved = self.layers.get(layer)?;
        Some(Value(solved.values.get(solved.index.checked_rank(board)?)))
    }

    fn raw(&self, layer: Layer) -> Option<&SolvedLayer> {
        self.layers.get(layer).filter(|solved| matches!(solved.values, Values::Seeds(_)))
    }
}

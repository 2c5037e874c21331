//! The layers below the one being solved, as this process sees them, and what one look at a position tells.
//!
//! Everything that is asked of solved layers goes through [`Below`]. As many of them as there is room for are held as
//! plain bytes, the largest ones first; the rest are probed in their tables, which the system maps once a machine.

use std::collections::BTreeMap;

use rayon::prelude::*;
use sowbase::database::Database;
use sowbase::index::LayerIndex;
use sowbase::rules::{Board, Layer, Moves, Rules, Scoring, Sown, Turn, Value, worth};
use sowbase::solve::SolveError;

use crate::error::Error;

/// Best value when no move leaves the layer.
pub const NOTHING: i8 = i8::MIN;

/// Positions one task looks at.
const TASK: u64 = 1 << 12;

/// What one look at a position tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Look {
    /// Its value, if play is over.
    pub over: Option<Value>,
    /// The best of its moves that leave the layer, or its value if play is over (games of seeds).
    pub best: i8,
    /// Whether some move wins at once, and whether some move never stops (games of outcomes).
    pub wins: bool,
    pub endless: bool,
    /// Moves that stay in the layer.
    pub open: u8,
}

struct Held {
    index: LayerIndex,
    values: Vec<i8>,
}

/// The layers below.
pub struct Below<'a> {
    database: &'a Database,
    room: u64,
    held: BTreeMap<Layer, Held>,
}

impl<'a> Below<'a> {
    /// Layers of this database, of which up to `room` bytes may be held.
    pub fn new(database: &'a Database, room: u64) -> Self {
        Self { database, room, held: BTreeMap::new() }
    }

    /// The rules of the game.
    pub fn rules(&self) -> &dyn Rules {
        self.database.rules().as_ref()
    }

    /// Whether tables of this game leave out what the layers below tell.
    pub fn is_floored(&self) -> bool {
        self.rules().scoring() == Scoring::Seeds && self.rules().half_rows().is_some_and(|halves| !halves.acyclic())
    }

    /// Whether a layer of so many ranks is worth holding and there is room for it.
    pub fn wants(&self, size: u64) -> bool {
        self.rules().scoring() == Scoring::Seeds && size <= self.room
    }

    /// Holds a layer; lets go of the lowest ones, which are asked least, where room is short.
    pub fn hold(&mut self, index: LayerIndex, values: Vec<i8>) {
        let size = values.len() as u64;
        while self.held.values().map(|held| held.values.len() as u64).sum::<u64>() + size > self.room {
            if self.held.pop_first().is_none() {
                return;
            }
        }
        self.held.insert(index.layer(), Held { index, values });
    }

    /// The value of a position of a layer below.
    fn value(&self, board: &Board) -> Result<Value, Error> {
        let layer = self.database.layer_of(board);
        if layer.seeds == 0 {
            return Ok(Value::DRAW);
        }
        if let Some(Held { index, values }) = self.held.get(&layer) {
            return Ok(Value(i16::from(values[index.rank(board) as usize])));
        }
        Ok(self.database.probe(board)?.ok_or(SolveError::MissingLayer { layer })?)
    }

    fn stays(&self, layer: Layer, sown: &Sown) -> bool {
        // Seeds that nobody won are still on the board; opening a pit leads to another layer all the same.
        let keeps_seeds = sown.turn == Turn::Pass && sown.gain == 0 && sown.gain_other == 0;
        keeps_seeds && self.rules().closed(&sown.board) == layer.closed
    }

    /// Looks at a position of `layer`, and shows `stay` each position of the layer that a move leads to.
    ///
    /// # Errors
    /// A layer below is missing or damaged.
    pub fn look(
        &self,
        layer: Layer,
        board: &Board,
        moves: &mut Moves,
        mut stay: impl FnMut(&Board),
    ) -> Result<Look, Error> {
        let rules = self.rules();
        let over = rules.expand(board, moves);
        let best = match (over, rules.scoring()) {
            (Some(value), Scoring::Seeds) => value.0 as i8,
            _ => NOTHING,
        };
        let mut look = Look { over, best, wins: false, endless: false, open: 0 };
        for (_, sown) in moves.iter() {
            if self.stays(layer, sown) {
                look.open += 1;
                stay(&sown.board);
                continue;
            }
            look.wins |= sown.turn == Turn::Won;
            look.endless |= sown.turn == Turn::Endless;
            if rules.scoring() == Scoring::Seeds {
                let after = if sown.turn == Turn::Endless { Value::DRAW } else { self.value(&sown.board)? };
                look.best = look.best.max(worth(Scoring::Seeds, sown, after).0 as i8);
            }
        }
        Ok(look)
    }

    /// The best exits of consecutive ranks, see [`Look::best`].
    ///
    /// # Errors
    /// As [`Below::look`].
    pub fn exits(&self, index: &LayerIndex, ranks: std::ops::Range<u64>) -> Result<Vec<i8>, Error> {
        let tasks = (ranks.end - ranks.start).div_ceil(TASK);
        let task = |i: u64| ranks.start + i * TASK..ranks.end.min(ranks.start + (i + 1) * TASK);
        let parts = (0..tasks).into_par_iter().map(|i| {
            let mut moves = Moves::new();
            let mut exits = Vec::with_capacity(TASK as usize);
            let mut result = Ok(());
            index.walk(task(i), |_, board| match self.look(index.layer(), board, &mut moves, |_| {}) {
                Ok(look) => exits.push(look.best),
                Err(error) => result = Err(error),
            });
            result.map(|()| exits)
        });
        Ok(parts.collect::<Result<Vec<_>, Error>>()?.concat())
    }
}

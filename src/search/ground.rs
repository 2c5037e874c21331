//! What the search needs of a game: positions it can copy, their keys, their children, and table values.

use super::transposition::{Key, NO_HINT};
use super::{Bounds, Probe};
use crate::rules::{Board, MARK, Move, Moves, Rules, Scoring, Turn};

/// A move and what the search knows about it.
#[derive(Clone, Copy)]
pub(super) struct Child<P> {
    /// The position after the move, seen by whoever moves next.
    pub position: P,
    pub key: Key,
    /// What the move is worth to its mover, as far as it is known.
    pub worth: Bounds,
    /// What is known of the position itself.
    pub known: Bounds,
    /// Seeds won by the mover less those won by the other player.
    pub net: i16,
    /// Place in the order of trying, high first.
    pub order: i16,
    pub turn: Turn,
    pub mv: Move,
    /// Seeds left on the board.
    pub seeds: u8,
    /// The move to try first in the position after it.
    pub hint: u8,
    /// Depth to which the position was searched in vain.
    pub searched: u8,
    /// Whether its value is to be looked for in the transposition table, or by search.
    pub is_open: bool,
    /// Where on the path the position stands already; `u32::MAX` if nowhere.
    pub repeats: u32,
}

impl<P> Child<P> {
    pub(super) fn new(position: P, mv: Move, net: i16, seeds: u8, turn: Turn) -> Self {
        Self {
            position,
            key: Key::default(),
            worth: Bounds { lower: i16::MIN, upper: i16::MAX },
            known: Bounds { lower: i16::MIN, upper: i16::MAX },
            net,
            order: 0,
            turn,
            mv,
            seeds,
            hint: NO_HINT,
            searched: 0,
            is_open: false,
            repeats: u32::MAX,
        }
    }

    /// The worth of the move if the position after it lies within `bounds`.
    #[inline]
    pub(super) fn worth_of(&self, bounds: Bounds) -> Bounds {
        match self.turn {
            Turn::Again => Bounds { lower: self.net + bounds.lower, upper: self.net + bounds.upper },
            _ => Bounds { lower: self.net - bounds.upper, upper: self.net - bounds.lower },
        }
    }
}

/// A game as the search plays it. Values are net seeds, or 1, 0, -1 where a game only knows win, draw and loss.
pub(super) trait Ground: Sync {
    type Position: Copy + Send + Sync;

    fn pack(&self, board: &Board) -> Self::Position;
    fn unpack(&self, position: &Self::Position) -> Board;

    /// Tells positions apart: exactly where the position fits into 96 bits, else with 96 bits of a hash, so that two
    /// of a thousand million visited positions are confused with a chance below 1e-11.
    fn key(&self, position: &Self::Position) -> Key;

    /// The largest value of a position with so many seeds.
    fn most(&self, seeds: u8) -> i16;

    /// What a finished position is worth, where that can be told without looking for moves.
    fn over(&self, position: &Self::Position, seeds: u8) -> Option<i16>;

    /// Empty pits of the player to move (`own`) or of the other one.
    fn empty_pits(&self, position: &Self::Position, own: bool) -> i16;

    /// The most seeds of positions in the tables.
    fn most_probed(&self) -> Option<u8>;

    /// The value in the tables.
    fn probe(&self, position: &Self::Position, seeds: u8) -> Option<i16>;

    /// Appends the moves; or returns what the position is worth if play is over.
    fn children(
        &self,
        position: &Self::Position,
        seeds: u8,
        moves: &mut Moves,
        children: &mut Vec<Child<Self::Position>>,
    ) -> Option<i16>;
}

/// Any game, played as its rules say.
pub(super) struct Plain<'a> {
    pub rules: &'a dyn Rules,
    pub probe: &'a dyn Probe,
    pub most_probed: Option<u8>,
}

impl Plain<'_> {
    fn score(&self, value: i16) -> i16 {
        match self.rules.scoring() {
            Scoring::Seeds => value,
            Scoring::Outcome => value.signum(),
        }
    }
}

impl Ground for Plain<'_> {
    type Position = Board;

    fn pack(&self, board: &Board) -> Board {
        *board
    }

    fn unpack(&self, position: &Board) -> Board {
        *position
    }

    fn key(&self, position: &Board) -> Key {
        let hash = xxhash_rust::xxh3::xxh3_128(position);
        Key { low: hash as u64, high: (hash >> 64) as u32 }
    }

    fn most(&self, seeds: u8) -> i16 {
        match self.rules.scoring() {
            Scoring::Seeds => i16::from(seeds),
            Scoring::Outcome => 1,
        }
    }

    fn over(&self, _: &Board, _: u8) -> Option<i16> {
        None
    }

    fn empty_pits(&self, position: &Board, own: bool) -> i16 {
        let half = if own { position.own() } else { position.other() };
        half.iter().filter(|&&pit| pit & !MARK == 0).count() as i16
    }

    fn most_probed(&self) -> Option<u8> {
        self.most_probed
    }

    fn probe(&self, position: &Board, seeds: u8) -> Option<i16> {
        if self.most_probed.is_none_or(|most| seeds > most) {
            return None;
        }
        self.probe.probe(position).map(|value| self.score(value.0))
    }

    fn children(
        &self,
        position: &Board,
        seeds: u8,
        moves: &mut Moves,
        children: &mut Vec<Child<Board>>,
    ) -> Option<i16> {
        if let Some(value) = self.rules.expand(position, moves) {
            return Some(self.score(value.0));
        }
        for (mv, sown) in moves.iter() {
            let net = match sown.turn {
                Turn::Won => 1,
                Turn::Lost => -1,
                _ => i16::from(sown.gain) - i16::from(sown.gain_other),
            };
            let left = seeds - sown.gain - sown.gain_other;
            children.push(Child::new(sown.board, *mv, net, left, sown.turn));
        }
        None
    }
}

//! What a position is worth, as one number.

/// How a game counts its result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scoring {
    /// By seeds: a value is the net seeds the mover still wins.
    Seeds,
    /// By win, draw or loss: a value also tells the distance in moves.
    Outcome,
}

/// The worth of a position to the player to move.
///
/// [`Scoring::Seeds`]: net seeds still to be won. [`Scoring::Outcome`]: `d + 1` for a win that takes `d` moves of both
/// players together, `-(d + 1)` for a loss that takes `d`, 0 for a draw.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Value(pub i16);

impl Value {
    /// Even play, or a drawn game.
    pub const DRAW: Self = Self(0);

    /// A game won in `distance` moves.
    #[must_use]
    pub const fn win(distance: u16) -> Self {
        Self(distance as i16 + 1)
    }

    /// A game lost in `distance` moves.
    #[must_use]
    pub const fn loss(distance: u16) -> Self {
        Self(-(distance as i16) - 1)
    }

    /// Moves to the end of a won or lost game.
    #[must_use]
    pub const fn distance(self) -> Option<u16> {
        match self.0 {
            0 => None,
            code => Some(code.unsigned_abs() - 1),
        }
    }

    /// The outcome one move earlier, seen by the player who made that move.
    #[must_use]
    pub const fn step_back(self) -> Self {
        match self.0 {
            0 => self,
            code if code > 0 => Self(-code - 1),
            code => Self(-code + 1),
        }
    }

    /// Orders values by how much the mover likes them: more seeds; or sooner wins before draws before later losses
    /// before sooner ones.
    #[must_use]
    pub const fn preference(self, scoring: Scoring) -> i32 {
        match scoring {
            Scoring::Seeds => self.0 as i32,
            Scoring::Outcome => self.0.signum() as i32 * 0x1_0000 - self.0 as i32,
        }
    }
}

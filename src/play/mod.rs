//! A game between two players: what was played, how it stands and how it ends, as text that can be kept and read again.
//!
//! The player who begins is `first`, the other one `second`. A [`Record`] takes one sowing at a time; [`draw`] shows
//! the board, and [`tell`] what a sowing did.

mod draw;
mod record;

use std::fmt;

pub use draw::{draw, tell, title};
pub use record::{Cause, Ending, PlayError, Ply, Record, RecordError};

/// A player by the order of play.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Seat {
    /// Who begins.
    First,
    /// Who does not.
    Second,
}

impl Seat {
    /// The other player.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::First => Self::Second,
            Self::Second => Self::First,
        }
    }

    const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Seat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::First => "first",
            Self::Second => "second",
        })
    }
}

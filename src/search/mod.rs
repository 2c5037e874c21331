//! Searching over the tables: what a position too large for them is worth, and each of its moves.
//!
//! The question "is this position worth at least `x`?" is answered by a null-window search ([`tree`]) on a packed board
//! where the game allows it ([`rows`]), with what was proved before in a table shared by all threads
//! ([`transposition`]) and exact values at the leaves ([`probe`]). Asking for different `x`, with growing effort,
//! closes in on the value ([`driver`]); whenever it is stopped, the bounds proved so far are true. Games that only know
//! win, draw and loss are searched for the distance as well ([`distance`]). What a long search has proved can be
//! written to a file and taken up again ([`book`]).

pub mod book;
mod distance;
mod driver;
mod ground;
mod probe;
mod rows;
mod transposition;
mod tree;

pub use driver::{Answer, Known, Limits, MoveAnswer, Search, SearchError, Snapshot, Unwatched, Watch};
pub use probe::{InMemory, NoTables, Probe};
pub use transposition::{Entry, Key, NO_HINT, Transpositions};

/// What a value is known to lie between, both ends included: net seeds, or 1, 0, -1 for win, draw and loss.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Bounds {
    /// The value is at least this.
    pub lower: i16,
    /// The value is at most this.
    pub upper: i16,
}

impl Bounds {
    /// A known value.
    #[must_use]
    pub const fn exact(value: i16) -> Self {
        Self { lower: value, upper: value }
    }

    /// What holds if both hold.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self { lower: self.lower.max(other.lower), upper: self.upper.min(other.upper) }
    }

    /// Whether the value is known.
    #[must_use]
    pub const fn is_exact(self) -> bool {
        self.lower == self.upper
    }
}

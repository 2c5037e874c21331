//! Games whose sowing splits into what happens in each row.
//!
//! Without relay laps, what a move does to the mover's row depends on that row and the pit alone, and what it does to
//! the other row depends on it only through a *class*: how many seeds arrive, and where the last one fell. A solver
//! can then tabulate both halves once a row instead of sowing once a position.

use super::board::MAX_PITS;

/// One row, at most half a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Row {
    pits: [u8; MAX_PITS / 2],
    len: u8,
}

impl Row {
    /// A row with these seeds.
    #[must_use]
    pub fn of(pits: &[u8]) -> Self {
        let mut row = Self { pits: [0; MAX_PITS / 2], len: pits.len() as u8 };
        row.pits[..pits.len()].copy_from_slice(pits);
        row
    }

    /// The seeds by pit.
    #[must_use]
    pub fn pits(&self) -> &[u8] {
        &self.pits[..usize::from(self.len)]
    }

    /// The seeds by pit, to change.
    #[must_use]
    pub fn pits_mut(&mut self) -> &mut [u8] {
        &mut self.pits[..usize::from(self.len)]
    }

    /// All seeds in the row.
    #[must_use]
    pub fn seeds(&self) -> u8 {
        self.pits().iter().sum()
    }
}

/// Where the last seed of a sowing fell.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Last {
    /// In the other row.
    Other,
    /// In the mover's row or store, where it concerns the other row no further.
    Own,
    /// In this empty pit of the mover, whose facing pit is taken.
    Facing(u8),
}

/// All that the other row feels of a move.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Class {
    /// Seeds dropped into the other row, one a pit from its owner's left, round after round.
    pub drops: u8,
    /// Where the last seed fell.
    pub last: Last,
}

/// What a move does to the mover's row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OwnHalf {
    /// What the other row feels.
    pub class: Class,
    /// Seeds dropped into the mover's store.
    pub store: u8,
    /// Whether the mover moves again.
    pub again: bool,
    /// The mover's row if nothing is captured.
    pub row: Row,
    /// The mover's row if [`OtherHalf::captures`] (it differs where the capturing seed is taken too).
    pub row_after_capture: Row,
}

/// What a move does to the other row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OtherHalf {
    /// The row with the seeds dropped in and the captured ones gone.
    pub row: Row,
    /// Whether the move captures, perhaps from an empty pit.
    pub captures: bool,
}

/// Which moves a player must make for the other one's sake.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Feeding {
    /// No duty.
    Free,
    /// If the other row is empty, moves that drop a seed there, where there is one.
    Feed,
    /// Moves that leave the other row a seed, where there is one.
    Spare,
}

/// The half-row form of a game; a law demands that it agrees with [`Rules::expand`](super::Rules::expand).
///
/// Seeds are won in three ways only: into the store, out of the other row, and the capturing seed itself; so the gain
/// of a move is what is missing from both rows afterwards.
pub trait HalfRows: Send + Sync {
    /// Whether moves without gain can never lead back to an earlier position.
    fn acyclic(&self) -> bool;

    /// Whether play is over when the other row is empty (it always is when the mover's row is). A finished position
    /// is worth the mover's seeds less the other's.
    fn ends_on_other_empty(&self) -> bool {
        false
    }

    /// The duty to feed.
    fn feeding(&self) -> Feeding {
        Feeding::Free
    }

    /// Whether a move that ends a turn can leave the mover's row like this. No move leads to a position whose other
    /// row is of another kind, so that tables leave such positions out.
    ///
    /// The answer may be yes for rows that no move leaves, never the other way round.
    fn can_leave(&self, _row: &[u8]) -> bool {
        true
    }

    /// Sows the mover's half from the occupied `pit`.
    fn sow_own(&self, row: &[u8], pit: usize) -> OwnHalf;

    /// Sows the other half.
    fn sow_other(&self, row: &[u8], class: Class) -> OtherHalf;
}

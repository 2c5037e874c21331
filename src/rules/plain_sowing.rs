//! Games whose move is one round of drops and then at most one capture, described as data.
//!
//! Where a sowing runs depends on the pit and its seeds alone, so that a search can add a ready-made pattern of drops
//! to a packed board. A law demands that what follows from the description equals
//! [`Rules::expand`](super::Rules::expand).

use super::Feeding;

/// What the last seed of a sowing may win.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Capture {
    /// Falling into an empty pit of the mover, the seeds of the facing pit.
    Facing {
        /// The capturing seed is won too.
        take_own: bool,
        /// An empty facing pit is a capture as well.
        empty_too: bool,
    },
    /// Falling into the other row, the seeds of that pit and of those before it in the row, while they hold two, or up
    /// to `most`.
    Chain {
        /// The most seeds of a pit that can be won: 2 or 3.
        most: u8,
        /// A capture of all that the other row holds wins nothing.
        void_slam: bool,
    },
}

/// A two-row game in which no sowing goes on from its last pit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PlainSowing {
    /// The mover's store lies between his row and the other one and is sown; ending there he moves again.
    pub store: bool,
    /// The origin gets no seed.
    pub skip_origin: bool,
    /// What can be won.
    pub capture: Capture,
    /// Play is over when the other row is empty, not only when the mover's is.
    pub ends_on_other_empty: bool,
    /// The duty to feed.
    pub feeding: Feeding,
}

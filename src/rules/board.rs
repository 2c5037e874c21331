//! The board as the player to move sees it.

use std::fmt;
use std::ops::{Deref, DerefMut};

/// The most pits a board can have: four rows of ten.
pub const MAX_PITS: usize = 40;

/// The most seeds a board can hold. Values are net seeds in a signed byte, and a pit's count shares its byte with a
/// mark, so 127 is the end for both.
pub const MAX_SEEDS: u32 = 127;

/// The bit of a pit's byte that a game may use to mark the pit; the other seven bits count its seeds.
///
/// Kiothi marks pits that their owner has not lifted from yet; Nam Nam marks pits owned by the player of the row they
/// do *not* lie in. Both readings are the same for either seat, so that turning the board needs no translation.
pub const MARK: u8 = 0x80;

/// Seeds by pit, the mover's half first, each half in the order in which its owner's seeds travel.
///
/// In two-row games index `0..w` is the mover's row from his left to his right and `w..2w` the other row from *its*
/// owner's left to right; sowing runs to the next index, cyclically. In kujifunza each half is a ring of `2w` pits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Board {
    pits: [u8; MAX_PITS],
    len: u8,
}

impl Board {
    /// An empty board of `len` pits.
    ///
    /// # Panics
    /// If `len` is odd or larger than [`MAX_PITS`]; boards are made by rule sets, whose sizes are checked.
    #[must_use]
    pub fn empty(len: usize) -> Self {
        assert!(len <= MAX_PITS && len.is_multiple_of(2), "a board of {len} pits");
        Self { pits: [0; MAX_PITS], len: len as u8 }
    }

    /// The board with these pits, marks included.
    ///
    /// # Panics
    /// As [`Board::empty`].
    #[must_use]
    pub fn of(pits: &[u8]) -> Self {
        let mut board = Self::empty(pits.len());
        board.copy_from_slice(pits);
        board
    }

    /// Pits of one player.
    #[must_use]
    pub fn half(&self) -> usize {
        usize::from(self.len) / 2
    }

    /// The mover's pits.
    #[must_use]
    pub fn own(&self) -> &[u8] {
        &self[..self.half()]
    }

    /// The other player's pits.
    #[must_use]
    pub fn other(&self) -> &[u8] {
        &self[self.half()..]
    }

    /// Seeds in pit `i`, without its mark.
    #[must_use]
    pub fn count(&self, i: usize) -> u8 {
        self[i] & !MARK
    }

    /// Whether pit `i` is marked.
    #[must_use]
    pub fn marked(&self, i: usize) -> bool {
        self[i] & MARK != 0
    }

    /// Marked pits as a bit set, bit `i` for pit `i`.
    #[must_use]
    pub fn marks(&self) -> u64 {
        (0..self.len()).filter(|&i| self.marked(i)).fold(0, |set, i| set | 1 << i)
    }

    /// The same seeds with exactly the pits of `set` marked.
    #[must_use]
    pub fn with_marks(mut self, set: u64) -> Self {
        for i in 0..self.len() {
            self[i] = self.count(i) | if set >> i & 1 == 1 { MARK } else { 0 };
        }
        self
    }

    /// All seeds on the board.
    #[must_use]
    pub fn seeds(&self) -> u32 {
        self.iter().map(|&pit| u32::from(pit & !MARK)).sum()
    }

    /// The same board seen by the other player.
    #[must_use]
    pub fn turned(&self) -> Self {
        // Never less, but it lets the loop go unchecked.
        let half = self.half().min(MAX_PITS / 2);
        let mut board = *self;
        for i in 0..half {
            board.pits[i] = self.pits[half + i];
            board.pits[half + i] = self.pits[i];
        }
        board
    }
}

impl Deref for Board {
    type Target = [u8];
    #[inline]
    fn deref(&self) -> &[u8] {
        &self.pits[..usize::from(self.len)]
    }
}

impl DerefMut for Board {
    #[inline]
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.pits[..usize::from(self.len)]
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = |pits: &[u8]| {
            let star = |&pit: &u8| if pit & MARK == 0 { "" } else { "*" };
            pits.iter().map(|pit| format!("{}{}", pit & !MARK, star(pit))).collect::<Vec<_>>().join(" ")
        };
        write!(f, "[{} | {}]", row(self.own()), row(self.other()))
    }
}

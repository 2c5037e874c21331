//! What is known of a position while its layer is solved, in one word, and how it settles.
//!
//! Positions settle level by level. Of a game of seeds, level `t = n, .., 1` settles the values `t` and `-t`; what never
//! settles is worth 0. Of a game of outcomes, level `d = 0, 1, ..` has the positions that end in `d` moves.
//!
//! For every `x >= 1` the sets of positions worth at least `x` and at most `-x` are the least fixed point of a monotone
//! operator, so messages may arrive in any order and from any number of processes: the values are the same.

use std::sync::atomic::{AtomicU16, AtomicU32, Ordering::Relaxed};

use sowbase::rules::Value;
use sowbase::table::Cell;

use crate::below::Look;

/// A word that threads share.
pub trait Word: Copy + Eq + Send + Sync + 'static {
    /// The word in memory.
    type Shared: Send + Sync;
    /// Bytes in a file.
    const BYTES: usize;
    /// Of positions that were not looked at yet.
    const UNSEEN: Self;
    fn share(self) -> Self::Shared;
    fn load(shared: &Self::Shared) -> Self;
    fn store(self, shared: &Self::Shared);
    /// Replaces `self` by `new`, or tells what is there instead.
    fn replace(self, new: Self, shared: &Self::Shared) -> Result<(), Self>;
    fn put(self, bytes: &mut Vec<u8>);
    /// Reads [`Word::BYTES`] bytes.
    fn get(bytes: &[u8]) -> Self;
}

macro_rules! word {
    ($word:ty, $shared:ty) => {
        impl Word for $word {
            type Shared = $shared;
            const BYTES: usize = size_of::<$word>();
            const UNSEEN: Self = <$word>::MAX;

            fn share(self) -> $shared {
                <$shared>::new(self)
            }

            #[inline]
            fn load(shared: &$shared) -> Self {
                shared.load(Relaxed)
            }

            #[inline]
            fn store(self, shared: &$shared) {
                shared.store(self, Relaxed);
            }

            #[inline]
            fn replace(self, new: Self, shared: &$shared) -> Result<(), Self> {
                shared.compare_exchange_weak(self, new, Relaxed, Relaxed).map(|_| ())
            }

            fn put(self, bytes: &mut Vec<u8>) {
                bytes.extend(self.to_le_bytes());
            }

            fn get(bytes: &[u8]) -> Self {
                let mut word = [0; size_of::<$word>()];
                word.copy_from_slice(bytes);
                <$word>::from_le_bytes(word)
            }
        }
    };
}

word!(u16, AtomicU16);
word!(u32, AtomicU32);

/// A way of counting results.
pub trait Tally: Send + Sync + 'static {
    /// What is known of a position.
    type Word: Word;
    /// Its value in a table.
    type Cell: Cell;
    /// Whether all levels are done as soon as no position is pending.
    const ENDS_EARLY: bool;
    /// The last of the levels.
    const LAST: u16;

    /// The levels of a layer of `seeds` seeds, in order.
    fn levels(seeds: u8) -> Box<dyn Iterator<Item = u16>>;

    /// What one look tells.
    fn first(look: &Look) -> Self::Word;

    /// The word at the beginning of a level.
    fn begin(word: Self::Word, level: u16) -> Self::Word;

    /// The word after a position in the layer that a move leads to has turned out lost (or won) at this level.
    fn hear(word: Self::Word, lost: bool, level: u16) -> Self::Word;

    /// Whether the position has settled and its predecessors are to be told at this level.
    fn is_due(word: Self::Word, level: u16) -> bool;

    /// Whether the predecessors are still to be told, at this level or a later one.
    fn is_pending(word: Self::Word) -> bool;

    /// The word once its predecessors were told.
    fn told(word: Self::Word) -> Self::Word;

    /// The value, when all levels are done.
    fn value(word: Self::Word) -> Self::Cell;
}

/// Net seeds: the best value so far in the low byte, six bits of open moves, two flags.
pub struct Seeds;

const SEEDS_OPEN: u16 = 1 << 8;
const SEEDS_OPEN_MASK: u16 = 0x3f << 8;
const SEEDS_PENDING: u16 = 1 << 14;
const SEEDS_SETTLED: u16 = 1 << 15;

impl Tally for Seeds {
    type Word = u16;
    type Cell = i8;
    const ENDS_EARLY: bool = false;
    const LAST: u16 = 1;

    fn levels(seeds: u8) -> Box<dyn Iterator<Item = u16>> {
        Box::new((Self::LAST..=u16::from(seeds)).rev())
    }

    fn first(look: &Look) -> u16 {
        u16::from(look.best as u8) | u16::from(look.open) * SEEDS_OPEN
    }

    #[inline]
    fn begin(word: u16, level: u16) -> u16 {
        let (best, t) = (word as u8 as i8, level as i8);
        let settles = word & SEEDS_SETTLED == 0 && (best == t || (word & SEEDS_OPEN_MASK == 0 && best == -t));
        if settles { word | SEEDS_SETTLED | SEEDS_PENDING } else { word }
    }

    #[inline]
    fn hear(word: u16, lost: bool, level: u16) -> u16 {
        if word & SEEDS_SETTLED != 0 {
            return word;
        }
        let t = level as i8;
        let best = (word as u8 as i8).max(if lost { t } else { -t });
        let open = (word & SEEDS_OPEN_MASK).saturating_sub(SEEDS_OPEN);
        let settles = best >= t || (open == 0 && best <= -t);
        u16::from(best as u8) | open | if settles { SEEDS_SETTLED | SEEDS_PENDING } else { 0 }
    }

    #[inline]
    fn is_due(word: u16, _: u16) -> bool {
        word & SEEDS_PENDING != 0
    }

    fn is_pending(word: u16) -> bool {
        word & SEEDS_PENDING != 0
    }

    #[inline]
    fn told(word: u16) -> u16 {
        word & !SEEDS_PENDING
    }

    fn value(word: u16) -> i8 {
        if word & SEEDS_SETTLED == 0 { 0 } else { word as u8 as i8 }
    }
}

/// Win, draw and loss with distance: the value in the low half, six bits of open moves, three flags.
pub struct Outcome;

const OUTCOME_OPEN: u32 = 1 << 16;
const OUTCOME_OPEN_MASK: u32 = 0x3f << 16;
/// Some move never stops, so that the position is not lost.
const OUTCOME_SAFE: u32 = 1 << 29;
const OUTCOME_PENDING: u32 = 1 << 30;
const OUTCOME_SETTLED: u32 = 1 << 31;

fn settled(value: Value) -> u32 {
    u32::from(value.0 as u16) | OUTCOME_SETTLED | OUTCOME_PENDING
}

impl Tally for Outcome {
    type Word = u32;
    type Cell = i16;
    const ENDS_EARLY: bool = true;
    const LAST: u16 = i16::MAX as u16 - 1;

    fn levels(_: u8) -> Box<dyn Iterator<Item = u16>> {
        Box::new(0..=Self::LAST)
    }

    fn first(look: &Look) -> u32 {
        match look.over {
            Some(Value::DRAW) => OUTCOME_SAFE,
            Some(value) => settled(value),
            None if look.wins => settled(Value::win(1)),
            None if look.open == 0 && !look.endless => settled(Value::loss(1)),
            None => u32::from(look.open) * OUTCOME_OPEN | if look.endless { OUTCOME_SAFE } else { 0 },
        }
    }

    fn begin(word: u32, _: u16) -> u32 {
        word
    }

    #[inline]
    fn hear(word: u32, lost: bool, level: u16) -> u32 {
        if word & OUTCOME_SETTLED != 0 {
            return word;
        }
        if lost {
            return settled(Value::win(level + 1));
        }
        let open = (word & OUTCOME_OPEN_MASK).saturating_sub(OUTCOME_OPEN);
        if open == 0 && word & OUTCOME_SAFE == 0 {
            return settled(Value::loss(level + 1));
        }
        word & OUTCOME_SAFE | open
    }

    #[inline]
    fn is_due(word: u32, level: u16) -> bool {
        word & OUTCOME_PENDING != 0 && Value(word as u16 as i16).distance() == Some(level)
    }

    fn is_pending(word: u32) -> bool {
        word & OUTCOME_PENDING != 0
    }

    #[inline]
    fn told(word: u32) -> u32 {
        word & !OUTCOME_PENDING
    }

    fn value(word: u32) -> i16 {
        if word & OUTCOME_SETTLED == 0 { 0 } else { word as u16 as i16 }
    }
}

//! What the search has proved so far, by position, shared by all threads without locks.
//!
//! An entry is two words. The second holds the bounds and 32 bits of the position's key, the first the other 64 bits
//! of the key mixed with the second word: an entry torn by two threads writing at once does not match any key. Four
//! entries make a bucket of one cache line; the one that cost least to prove gives way. An entry is a fact for ever,
//! so nothing needs to be cleared between searches of the same rules.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::Bounds;
use crate::memory::Words;

/// A position in 96 bits; see [`Ground::key`](super::ground::Ground::key).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Key {
    /// The lower 64 bits.
    pub low: u64,
    /// The upper 32 bits.
    pub high: u32,
}

/// What is known about a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Entry {
    /// Proved bounds of its value.
    pub bounds: Bounds,
    /// The number of the move to try first; [`NO_HINT`] if none stood out.
    pub hint: u8,
    /// What it cost to prove: the binary logarithm of the positions visited, up to 30.
    pub work: u8,
    /// The depth to which it was searched in vain, rounded down to an even number, at most 62.
    pub searched: u8,
}

/// No move stood out. Moves have numbers below it, or the hint is lost.
pub const NO_HINT: u8 = 63;

const ENTRIES: usize = 4;
const WORDS: usize = 2 * ENTRIES;
/// Bytes of a bucket: a cache line.
const BUCKET: usize = 8 * WORDS;
const MIX: u64 = 0x9e37_79b9_7f4a_7c15;

fn encode(entry: Entry, high: u32) -> u64 {
    // The work counts from 1, so that no entry is 0, which means an empty place.
    let tail = u16::from(entry.work.min(30) + 1) << 11
        | u16::from(entry.searched.min(62) / 2) << 6
        | u16::from(entry.hint.min(NO_HINT));
    let bounds = u16::from_le_bytes([entry.bounds.lower as i8 as u8, entry.bounds.upper as i8 as u8]);
    u64::from(high) << 32 | u64::from(tail) << 16 | u64::from(bounds)
}

fn decode(word: u64) -> Entry {
    let [lower, upper] = (word as u16).to_le_bytes();
    let tail = (word >> 16) as u16;
    Entry {
        bounds: Bounds { lower: i16::from(lower as i8), upper: i16::from(upper as i8) },
        hint: (tail & 63) as u8,
        work: ((tail >> 11) as u8).wrapping_sub(1),
        searched: (tail >> 6 & 31) as u8 * 2,
    }
}

/// The table.
pub struct Transpositions {
    words: Words,
    buckets: u64,
}

impl Transpositions {
    /// A table of at most `bytes` bytes, at least one bucket; smaller if the system does not give as much. Memory is
    /// taken when first written.
    ///
    /// # Panics
    /// The system does not even give a page.
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        let mut buckets = (bytes / BUCKET).max(1);
        let words = loop {
            match Words::new(buckets * WORDS) {
                Ok(words) => break words,
                Err(error) => assert!(buckets > 1, "no memory at all: {error}"),
            }
            buckets /= 2;
        };
        Self { words, buckets: buckets as u64 }
    }

    #[inline]
    fn bucket(&self, key: Key) -> &[AtomicU64; WORDS] {
        let hash = (key.low ^ u64::from(key.high).rotate_left(43)).wrapping_mul(MIX);
        let hash = (hash ^ hash >> 29 ^ u64::from(key.high)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let bucket = (u128::from(hash ^ hash >> 32) * u128::from(self.buckets)) >> 64;
        let start = bucket as usize * WORDS;
        self.words[start..].first_chunk().unwrap_or_else(|| unreachable!("a bucket lies inside the table"))
    }

    /// Loads the first word of a position's bucket, so that a [`get`](Self::get) soon after finds it in the cache.
    /// Touching several buckets in a row overlaps their cache misses, which cost most of the time of a search.
    #[must_use]
    #[inline]
    pub fn touch(&self, key: Key) -> u64 {
        self.bucket(key)[0].load(Relaxed)
    }

    /// What is known about a position.
    #[must_use]
    #[inline]
    pub fn get(&self, key: Key) -> Option<Entry> {
        let bucket = self.bucket(key);
        for entry in bucket.chunks_exact(2) {
            let word = entry[1].load(Relaxed);
            if entry[0].load(Relaxed) ^ word.wrapping_mul(MIX) == key.low
                && (word >> 32) as u32 == key.high
                && word as u32 != 0
            {
                return Some(decode(word));
            }
        }
        None
    }

    /// Adds a fact; bounds already known of the position are kept where they are narrower.
    #[inline]
    pub fn put(&self, key: Key, mut entry: Entry) {
        let bucket = self.bucket(key);
        let (mut place, mut least) = (0, u64::MAX);
        for (i, old) in bucket.chunks_exact(2).enumerate() {
            let word = old[1].load(Relaxed);
            if old[0].load(Relaxed) ^ word.wrapping_mul(MIX) == key.low && (word >> 32) as u32 == key.high {
                if word as u32 != 0 {
                    let known = decode(word);
                    entry.bounds = entry.bounds.and(known.bounds);
                    entry.work = entry.work.max(known.work);
                    entry.searched = entry.searched.max(known.searched);
                }
                place = i;
                break;
            }
            let work = word >> 27 & 31;
            if work < least {
                (place, least) = (i, work);
            }
        }
        let word = encode(entry, key.high);
        bucket[2 * place].store(key.low ^ word.wrapping_mul(MIX), Relaxed);
        bucket[2 * place + 1].store(word, Relaxed);
    }

    /// Calls `visit` with everything that is known. Costs a pass over the whole table.
    pub fn for_each(&self, mut visit: impl FnMut(Key, Entry)) {
        for entry in self.words.chunks_exact(2) {
            let word = entry[1].load(Relaxed);
            if word as u32 != 0 {
                let low = entry[0].load(Relaxed) ^ word.wrapping_mul(MIX);
                visit(Key { low, high: (word >> 32) as u32 }, decode(word));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_are_found_and_narrowed() {
        let table = Transpositions::new(1 << 12);
        let key = |i: u64| Key { low: i.wrapping_mul(0x1234_5678_9abc_def1), high: i as u32 };
        for i in 1..40 {
            let bounds = Bounds { lower: -(i as i16), upper: i as i16 };
            table.put(key(i), Entry { bounds, hint: 3, work: 1, searched: 0 });
        }
        table.put(key(7), Entry { bounds: Bounds { lower: 2, upper: 90 }, hint: NO_HINT, work: 9, searched: 5 });
        let entry = table.get(key(7)).expect("the costly one stays");
        assert_eq!(entry, Entry { bounds: Bounds { lower: 2, upper: 7 }, hint: NO_HINT, work: 9, searched: 4 });
        assert_eq!(table.get(key(1000)), None);
        let mut found = 0;
        table.for_each(|key, entry| {
            assert_eq!(table.get(key), Some(entry));
            found += 1;
        });
        assert!(found > 30);
    }
}

//! Decoded blocks kept in memory.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Mutex, PoisonError};

use super::shape::Span;
use super::{Bytes, Table, TableError};

/// Independent parts of a cache, so that threads seldom wait for each other.
const SHARDS: usize = 64;

/// What a block costs besides its values: key, slot and share of the map, roughly.
const OVERHEAD: usize = 96;

/// A table and a block of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Key {
    table: u64,
    block: u64,
}

/// A bounded store of decoded blocks for any number of tables and threads.
///
/// A probe of a block that is present costs one look-up under a lock that one in 64 blocks shares;
/// otherwise the block is decoded, outside the lock, and kept. Blocks that were not used lately
/// make room (second chance). The cache knows a table by its identity, not by its file: a table
/// opened twice is cached twice, and blocks of a dropped table fade away.
#[derive(Debug)]
pub struct BlockCache {
    shards: Vec<Mutex<Shard>>,
    shard_bytes: usize,
}

impl BlockCache {
    /// A cache that holds at most about `bytes` bytes of values and bookkeeping.
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        Self { shards: std::iter::repeat_with(Mutex::default).take(SHARDS).collect(), shard_bytes: bytes / SHARDS }
    }

    /// The stored value of `rank` in `table`, as [`Table::value`] gives it.
    ///
    /// # Errors
    ///
    /// Those of [`Table::value`]. Errors are not cached.
    pub fn value<D: Bytes>(&self, table: &Table<D>, rank: u64) -> Result<i16, TableError> {
        let span = table.locate(rank)?;
        let place = usize::try_from(rank - span.first).unwrap_or(usize::MAX);
        let key = Key { table: table.id(), block: span.block };
        let shard = &self.shards[shard_of(key)];
        let present = |shard: &Mutex<Shard>| shard.lock().unwrap_or_else(PoisonError::into_inner).find(key, place);
        if let Some(value) = present(shard) {
            return Ok(value);
        }
        let values = decode(table, span)?;
        let value = values.get(place);
        shard.lock().unwrap_or_else(PoisonError::into_inner).keep(key, values, self.shard_bytes);
        Ok(value)
    }

    /// Bytes held at present, values and bookkeeping.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let bytes = |shard: &Mutex<Shard>| shard.lock().unwrap_or_else(PoisonError::into_inner).bytes;
        self.shards.iter().map(bytes).sum()
    }
}

/// The values of a block in the width of their table.
#[derive(Debug)]
enum Values {
    Bytes(Box<[i8]>),
    Words(Box<[i16]>),
}

impl Values {
    fn get(&self, place: usize) -> i16 {
        match self {
            Values::Bytes(values) => values[place].into(),
            Values::Words(values) => values[place],
        }
    }

    fn bytes(&self) -> usize {
        OVERHEAD
            + match self {
                Values::Bytes(values) => values.len(),
                Values::Words(values) => 2 * values.len(),
            }
    }
}

fn decode<D: Bytes>(table: &Table<D>, span: Span) -> Result<Values, TableError> {
    Ok(if table.width() == 1 {
        let mut values = vec![0; span.len];
        table.read(span.first, &mut values)?;
        Values::Bytes(values.into())
    } else {
        let mut values = vec![0; span.len];
        table.read(span.first, &mut values)?;
        Values::Words(values.into())
    })
}

#[derive(Debug)]
struct Slot {
    key: Key,
    values: Values,
    used: bool,
}

#[derive(Debug, Default)]
struct Shard {
    places: HashMap<Key, usize, BuildHasherDefault<Mixer>>,
    slots: Vec<Slot>,
    hand: usize,
    bytes: usize,
}

impl Shard {
    fn find(&mut self, key: Key, place: usize) -> Option<i16> {
        let slot = &mut self.slots[*self.places.get(&key)?];
        slot.used = true;
        Some(slot.values.get(place))
    }

    /// Keeps a block unless another thread did so meanwhile, or it alone exceeds `most` bytes.
    fn keep(&mut self, key: Key, values: Values, most: usize) {
        let bytes = values.bytes();
        if bytes > most || self.places.contains_key(&key) {
            return;
        }
        while self.bytes + bytes > most {
            self.evict();
        }
        self.bytes += bytes;
        self.places.insert(key, self.slots.len());
        self.slots.push(Slot { key, values, used: false });
    }

    /// Drops the next block that was not used since the hand last passed it.
    fn evict(&mut self) {
        loop {
            self.hand %= self.slots.len();
            if !std::mem::take(&mut self.slots[self.hand].used) {
                break;
            }
            self.hand += 1;
        }
        let slot = self.slots.swap_remove(self.hand);
        self.bytes -= slot.values.bytes();
        self.places.remove(&slot.key);
        if let Some(moved) = self.slots.get(self.hand) {
            self.places.insert(moved.key, self.hand);
        }
        self.hand += 1;
    }
}

fn shard_of(key: Key) -> usize {
    (mix(mix(key.table) ^ key.block) >> 58) as usize % SHARDS
}

/// Spreads the bits of a number that nobody chooses to do harm.
fn mix(x: u64) -> u64 {
    let x = x.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^ (x >> 32)
}

/// Hashes keys with [`mix`]: the default hasher would cost as much as the rest of a probe.
#[derive(Debug, Default)]
struct Mixer(u64);

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(byte.into());
        }
    }

    fn write_u64(&mut self, x: u64) {
        self.0 = mix(self.0 ^ x);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

//! Frequency tables turned inside out: which symbol has a residue, and where among its own.
//!
//! The residues of a state modulo [`SCALE`] are divided into equal buckets, one for each symbol.
//! By the alias method each bucket is shared by at most two symbols, its own below a threshold and
//! another above, and still each symbol gets exactly as many residues as its frequency. So a table
//! takes one word a symbol, all tables stay in the fastest cache, and finding a symbol is one
//! look-up and one comparison.

use super::{SCALE, SCALE_BITS};

/// Fewest buckets of a table, by their binary logarithm, so that a threshold fits six bits.
const BUCKET_BITS_MIN: u32 = 5;

/// Bits that describe one of the two symbols of a bucket: symbol (7), frequency less one
/// ([`SCALE_BITS`]), offset less the place in the bucket, modulo [`SCALE`] ([`SCALE_BITS`]).
const SHARE_BITS: u32 = 7 + 2 * SCALE_BITS;

/// What a residue stands for.
pub(super) struct Hit {
    pub symbol: u8,
    pub frequency: u32,
    /// Place of the residue among those of the symbol.
    pub offset: u32,
}

/// The tables for decoding.
#[derive(Clone)]
pub(super) struct Alias {
    /// Buckets of all tables: the share below the threshold, the share above, the threshold.
    buckets: Box<[u64]>,
    /// Buckets of a table, by their binary logarithm.
    bucket_bits: u32,
}

impl Alias {
    /// Prepares tables whose frequencies add up to [`SCALE`], of at most 127 symbols each.
    pub fn of(tables: &[Vec<u16>]) -> Self {
        let symbols = tables.first().map_or(0, Vec::len);
        let bucket_bits = symbols.next_power_of_two().ilog2().max(BUCKET_BITS_MIN);
        let buckets = tables.iter().flat_map(|table| divide(table, bucket_bits));
        Self { buckets: buckets.collect(), bucket_bits }
    }

    /// The symbol that `residue`, less than [`SCALE`], stands for under a table; `None` if there
    /// is no such table.
    #[inline]
    #[allow(clippy::cast_possible_truncation)] // The fields of a share are masked.
    pub fn find(&self, table: u8, residue: u32) -> Option<Hit> {
        let place_bits = SCALE_BITS - self.bucket_bits;
        let (bucket, place) = (residue >> place_bits, residue & ((1 << place_bits) - 1));
        let index = u32::from(table) << self.bucket_bits | bucket;
        let shares = *self.buckets.get(index as usize)?;
        let above = u64::from(place) >= shares >> (2 * SHARE_BITS);
        let share = if above { shares >> SHARE_BITS } else { shares };
        let mask = u32::from(SCALE - 1);
        Some(Hit {
            symbol: (share & 0x7f) as u8,
            frequency: (((share >> 7) as u32) & mask) + 1,
            offset: (place + (share >> (7 + SCALE_BITS)) as u32) & mask,
        })
    }
}

/// Divides the residues among the buckets of one table.
fn divide(table: &[u16], bucket_bits: u32) -> Vec<u64> {
    let size = u32::from(SCALE) >> bucket_bits;
    let mut rest: Vec<u32> = table.iter().map(|&frequency| frequency.into()).collect();
    rest.resize(1 << bucket_bits, 0);
    // The other symbol of each bucket; a bucket of one symbol has it above a threshold of zero.
    let mut other: Vec<usize> = (0..rest.len()).collect();
    let (mut poor, mut rich): (Vec<usize>, Vec<usize>) = (0..rest.len()).partition(|&symbol| rest[symbol] < size);
    while let (Some(&giver), Some(taker)) = (rich.last(), poor.pop()) {
        other[taker] = giver;
        rest[giver] -= size - rest[taker];
        if rest[giver] < size {
            rich.pop();
            poor.push(giver);
        }
    }
    let mut used = vec![0_u32; rest.len()];
    let mut share = |symbol: usize, from: u32, to: u32| {
        let frequency = u64::from(table.get(symbol).copied().unwrap_or(1));
        let offset = used[symbol].wrapping_sub(from) & u32::from(SCALE - 1);
        used[symbol] += to - from;
        symbol as u64 & 0x7f
            | (frequency.wrapping_sub(1) & u64::from(SCALE - 1)) << 7
            | u64::from(offset) << (7 + SCALE_BITS)
    };
    (0..rest.len())
        .map(|bucket| {
            let threshold = if other[bucket] == bucket { 0 } else { rest[bucket] };
            let below = share(bucket, 0, threshold);
            let above = share(other[bucket], threshold, size);
            u64::from(threshold) << (2 * SHARE_BITS) | above << SHARE_BITS | below
        })
        .collect()
}

/// The tables for encoding.
#[derive(Clone)]
pub(super) struct Residues {
    /// Shares of all symbols by table.
    shares: Vec<Share>,
    /// Symbols of a table.
    symbols: usize,
    /// The residues of each table, symbol by symbol and in the order of their offsets.
    list: Vec<u16>,
}

/// What a symbol has of a table.
#[derive(Clone, Copy)]
pub(super) struct Share {
    /// 2^64 divided by the frequency, rounded so that [`Share::divide`] is right.
    inverse: u64,
    /// Place of its first residue.
    start: u32,
    frequency: u32,
}

impl Share {
    pub fn frequency(self) -> u32 {
        self.frequency
    }

    /// The quotient of `state` and the frequency, and the residue at the offset that remains.
    #[inline]
    pub fn divide(self, state: u32, residues: &Residues) -> Option<(u32, u32)> {
        // An inverse that is too small by less than 2^-52 of itself makes up for the one added.
        let quotient = ((u128::from(state) + 1) * u128::from(self.inverse) >> 64) as u32;
        let offset = state - quotient * self.frequency;
        let residue = *residues.list.get((self.start + offset) as usize)?;
        Some((quotient, residue.into()))
    }
}

impl Residues {
    /// Inverts [`Alias::of`] the same tables.
    pub fn of(tables: &[Vec<u16>]) -> Self {
        let alias = Alias::of(tables);
        let symbols = tables.first().map_or(0, Vec::len);
        let mut shares = Vec::with_capacity(tables.len() * symbols);
        let mut list = vec![0; tables.len() * usize::from(SCALE)];
        for (number, table) in (0..).zip(tables) {
            let mut start = u32::from(number) * u32::from(SCALE);
            for &frequency in table {
                let frequency = u32::from(frequency);
                let inverse = u64::MAX.checked_div(frequency.into()).unwrap_or(0);
                shares.push(Share { inverse, start, frequency });
                start += frequency;
            }
            for residue in 0..SCALE {
                if let Some(hit) = alias.find(number, residue.into()) {
                    let share = &shares[usize::from(number) * symbols + usize::from(hit.symbol)];
                    list[(share.start + hit.offset) as usize] = residue;
                }
            }
        }
        Self { shares, symbols, list }
    }

    /// What a symbol has of a table, `None` if it is nothing.
    #[inline]
    pub fn share(&self, table: u8, symbol: u8) -> Option<Share> {
        let share = self.shares.get(usize::from(table) * self.symbols + usize::from(symbol))?;
        (share.frequency > 0).then_some(*share)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_symbol_has_as_many_residues_as_its_frequency() {
        let one = vec![SCALE];
        let skewed = vec![0, 1, SCALE - 4, 0, 3];
        let even = vec![SCALE / 64; 64];
        let mut many = vec![1; 127];
        many[77] += SCALE - 127;
        for table in [one, skewed, even, many] {
            let alias = Alias::of(std::slice::from_ref(&table));
            let mut found = vec![Vec::new(); table.len()];
            for residue in 0..SCALE {
                let hit = alias.find(0, residue.into()).unwrap();
                let symbol = usize::from(hit.symbol);
                assert_eq!(hit.frequency, u32::from(table[symbol]));
                found[symbol].push(hit.offset);
            }
            for (offsets, &frequency) in found.iter_mut().zip(&table) {
                offsets.sort_unstable();
                assert_eq!(*offsets, (0..u32::from(frequency)).collect::<Vec<_>>());
            }
        }
    }

    #[test]
    fn encoding_finds_the_residue_that_decoding_takes_for_the_symbol() {
        for frequency in 1..SCALE {
            let table = vec![frequency, SCALE - frequency];
            let (alias, residues) =
                (Alias::of(std::slice::from_ref(&table)), Residues::of(std::slice::from_ref(&table)));
            let share = residues.share(0, 0).unwrap();
            let highest = u32::MAX >> SCALE_BITS << SCALE_BITS;
            let end = u32::from(frequency) << (31 - SCALE_BITS);
            for state in [0, 1, 65_535, 65_536, end - 1, end, 2 * end - 1, highest - 1, highest, u32::MAX] {
                let (quotient, residue) = share.divide(state, &residues).unwrap();
                let hit = alias.find(0, residue).unwrap();
                assert_eq!((hit.symbol, hit.frequency), (0, u32::from(frequency)));
                assert_eq!(u64::from(quotient) * u64::from(frequency) + u64::from(hit.offset), u64::from(state));
            }
        }
    }
}

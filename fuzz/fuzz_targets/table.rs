//! Any bytes, once as they are and once with the checksums of preamble and header put right, so
//! that the fuzzer reaches what lies behind them.
//!
//! `fuzz/README.md` tells how to run it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use sowbase::table::{BlockCache, Table};
use xxhash_rust::xxh3::xxh3_64;

/// Reads what can be read; errors are fine.
fn read(bytes: &[u8]) {
    let Ok(table) = Table::new(bytes, "fuzz") else {
        return;
    };
    let count = table.count();
    let ranks = [0, count / 3, count / 2, count.saturating_sub(1), count];
    let cache = BlockCache::new(1 << 16);
    for rank in ranks {
        // A block may be sound up to a value and not to its end.
        if let Ok(value) = table.value(rank) {
            let mut single = [0_i16];
            if table.read(rank, &mut single).is_ok() {
                assert_eq!(single[0], value);
            }
            if let Ok(cached) = cache.value(&table, rank) {
                assert_eq!(cached, value);
            }
        }
    }
    let _ = table.values(&ranks[..4], &mut [0; 4]);
    let _ = table.read(0, &mut [0_i8; 600]);
    let _ = table.check(|_| {});
}

fuzz_target!(|data: &[u8]| {
    read(data);
    if data.len() < 64 {
        return;
    }
    let mut bytes = data.to_vec();
    bytes[..12].copy_from_slice(b"\x89SOW\r\n\x1a\n\x01\0\0\0");
    let len = bytes.len() as u64;
    bytes[16..24].copy_from_slice(&len.to_le_bytes());
    let mut header_at = [0; 8];
    header_at.copy_from_slice(&bytes[24..32]);
    let header = usize::try_from(u64::from_le_bytes(header_at)).ok();
    let header_sum = header.and_then(|at| bytes.get(at..)).map_or(0, xxh3_64);
    bytes[32..40].copy_from_slice(&header_sum.to_le_bytes());
    let body_sum = xxh3_64(&bytes[64..]);
    bytes[40..48].copy_from_slice(&body_sum.to_le_bytes());
    let preamble_sum = xxh3_64(&bytes[..56]);
    bytes[56..64].copy_from_slice(&preamble_sum.to_le_bytes());
    read(&bytes);
});

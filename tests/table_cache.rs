//! The cache gives what the tables hold and keeps to its size.

mod table_support;

use sowbase::table::{BlockCache, Table};
use table_support::{Layer, codecs, write};

#[test]
fn cached_values_are_the_tables_values() {
    let bytes = Layer::<i8>::synthetic(40_000);
    let words = Layer::<i16>::synthetic(20_000);
    let mut files = Vec::new();
    for codec in codecs(&bytes) {
        files.push(write(&bytes, codec, Some(256)));
    }
    for codec in codecs(&words) {
        files.push(write(&words, codec, Some(256)));
    }
    let tables: Vec<_> = files.iter().map(|file| Table::new(file, "cached").unwrap()).collect();
    for size in [0, 100_000, 1 << 20] {
        let cache = BlockCache::new(size);
        std::thread::scope(|scope| {
            for thread in 1..4_u64 {
                let (cache, tables) = (&cache, &tables);
                scope.spawn(move || {
                    for probe in 0..20_000 {
                        let random = probe * 0x9e37_79b9 * thread;
                        let table = &tables[usize::try_from(random >> 7).unwrap() % tables.len()];
                        let rank = random % table.count();
                        let value = cache.value(table, rank).unwrap();
                        if probe % 16 == 0 {
                            assert_eq!(value, table.value(rank).unwrap());
                        }
                    }
                });
            }
        });
        assert!(cache.bytes() <= size, "{} of {size} bytes", cache.bytes());
        assert_eq!(cache.bytes() > 0, size > 0);
        assert!(cache.value(&tables[0], 40_000).is_err());
    }
}

#[test]
fn damage_is_reported_and_not_cached() {
    let layer = Layer::<i8>::synthetic(2000);
    for codec in codecs(&layer) {
        let mut file = write(&layer, codec, Some(256));
        file[70] ^= 1;
        let table = Table::new(&file, "damaged").unwrap();
        let cache = BlockCache::new(1 << 20);
        assert!(cache.value(&table, 0).is_err());
        assert!(cache.value(&table, 0).is_err());
        assert!(cache.value(&table, 1999).is_ok());
    }
}

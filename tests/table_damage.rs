//! Damaged, lying and foreign files give errors, never wrong values or panics.

mod table_support;

use proptest::prelude::*;
use sowbase::table::{Access, Cell, FORMAT_VERSION, Part, Table, TableError, TableFile, Writer};
use table_support::{Layer, codecs, options, write};
use xxhash_rust::xxh3::xxh3_64;

/// Small files of every kind with their stored values.
fn samples() -> Vec<(Vec<u8>, Vec<i16>)> {
    let bytes = Layer::<i8>::synthetic(700);
    let words = Layer::<i16>::synthetic(150);
    let mut samples = Vec::new();
    for codec in codecs(&bytes) {
        samples.push(write(&bytes, codec, Some(64)));
    }
    for codec in codecs(&words) {
        samples.push(write(&words, codec, None));
    }
    let stored = |file: &Vec<u8>| {
        let table = Table::new(file, "sample").unwrap();
        let mut values = vec![0; usize::try_from(table.count()).unwrap()];
        table.read(0, &mut values).unwrap();
        values
    };
    samples.into_iter().map(|file| (file.clone(), stored(&file))).collect()
}

/// Opens and reads `file` in every way. What succeeds must give `expected`, where there is one;
/// returns whether everything succeeded.
fn survives(file: &[u8], expected: Option<&[i16]>) -> bool {
    let Ok(table) = Table::new(file, "damaged") else {
        return false;
    };
    let mut whole = true;
    let count = table.count();
    for rank in (0..count.min(1000)).chain(count.checked_sub(1)) {
        match table.value(rank) {
            Ok(value) => {
                if let Some(expected) = expected {
                    assert_eq!(value, expected[usize::try_from(rank).unwrap()]);
                }
            }
            Err(_) => whole = false,
        }
    }
    let mut values = vec![0; usize::try_from(count).unwrap_or(0).min(5000)];
    match table.read(0, &mut values) {
        Ok(()) => assert!(expected.is_none_or(|expected| expected == values)),
        Err(_) => whole = false,
    }
    // Only a file of its own size can have so many blocks that this takes long.
    table.check(|_| {}).is_ok() && whole
}

#[test]
fn files_cut_short_are_refused() {
    for (file, _) in samples() {
        for len in 0..file.len() {
            assert!(Table::new(&file[..len], "short").is_err(), "{len} bytes");
        }
        let mut long = file.clone();
        long.push(0);
        assert!(matches!(Table::new(&long, "long"), Err(TableError::Length { .. })));
    }
}

#[test]
fn flipped_bits_never_give_wrong_values() {
    for (mut file, expected) in samples() {
        for bit in 0..8 * file.len() {
            file[bit / 8] ^= 1 << (bit % 8);
            assert!(!survives(&file, Some(&expected)), "bit {bit} is not covered");
            file[bit / 8] ^= 1 << (bit % 8);
        }
        assert!(survives(&file, Some(&expected)));
    }
}

/// Gives `file` valid checksums again.
fn vouch(file: &mut [u8]) {
    let header_at = usize::try_from(u64::from_le_bytes(file[24..32].try_into().unwrap())).unwrap();
    let sums = [(32, file.get(header_at..).map_or(0, xxh3_64)), (40, xxh3_64(&file[64..]))];
    for (at, sum) in sums {
        file[at..at + 8].copy_from_slice(&sum.to_le_bytes());
    }
    let sum = xxh3_64(&file[..56]);
    file[56..64].copy_from_slice(&sum.to_le_bytes());
}

#[test]
fn lying_headers_are_survived() {
    for (file, _) in samples() {
        let header_at = usize::try_from(u64::from_le_bytes(file[24..32].try_into().unwrap())).unwrap();
        for at in (8..56).chain(header_at..file.len()) {
            for lie in [0, 1, 0x7f, 0xff, file[at].wrapping_add(1), file[at] ^ 0x80] {
                let mut liar = file.clone();
                liar[at] = lie;
                vouch(&mut liar);
                survives(&liar, None);
            }
        }
    }
}

#[test]
fn lying_index_records_are_survived() {
    for (file, _) in samples() {
        let header_at = usize::try_from(u64::from_le_bytes(file[24..32].try_into().unwrap())).unwrap();
        let record = header_at - 140;
        let number = Table::new(&file, "sample").unwrap().check(|_| {}).map(|()| {
            let first = u64::from_le_bytes(file[record..record + 8].try_into().unwrap());
            u64::from(first != 64)
        });
        let Ok(0) = number else { continue };
        for at in record..record + 136 {
            for lie in [0, 1, 0x3f, 0x7f, 0xff, file[at].wrapping_add(1)] {
                let mut liar = file.clone();
                liar[at] = lie;
                let mut sum = crc32fast::Hasher::new();
                sum.update(&0_u64.to_le_bytes());
                sum.update(&liar[record..record + 136]);
                let sum = sum.finalize().to_le_bytes();
                liar[record + 136..record + 140].copy_from_slice(&sum);
                vouch(&mut liar);
                survives(&liar, None);
            }
        }
    }
}

#[test]
fn other_files_and_versions_are_refused_with_words() {
    let file = write(&Layer::<i8>::synthetic(10), codecs(&Layer::<i8>::synthetic(10)).remove(0), None);
    let error = Table::new("#!/bin/sh\nexit", "script").unwrap_err();
    assert!(matches!(error, TableError::Magic { .. }), "{error}");
    let mut newer = file.clone();
    newer[8..12].copy_from_slice(&(FORMAT_VERSION + 1).to_le_bytes());
    let error = Table::new(&newer, "newer").unwrap_err();
    assert!(matches!(error, TableError::Version { found: 2, expected: 1, .. }), "{error}");
    let error = Table::new(&file[..0], "empty").unwrap_err();
    assert!(matches!(error, TableError::Magic { .. }), "{error}");
    let error = Table::new(&file[..60], "short").unwrap_err();
    assert!(matches!(error, TableError::Length { expected: 64, .. }), "{error}");
    let text = String::from_utf8_lossy(&file).replace("\r\n", "\n").into_bytes();
    assert!(matches!(Table::new(&text, "text"), Err(TableError::Magic { .. })));
    let mut damaged = file.clone();
    damaged[64] ^= 1;
    let table = Table::new(&damaged, "damaged").unwrap();
    let error = table.value(0).unwrap_err();
    assert!(matches!(error, TableError::Checksum { part: Part::Block(0), .. }), "{error}");
}

#[test]
fn an_unfinished_table_is_called_so() {
    let folder = tempfile::tempdir().unwrap();
    let layer = Layer::<i8>::synthetic(3000);
    let path = folder.path().join("layer");
    let codec = codecs(&layer).remove(0);
    let shape = layer.shape();
    let mut writer = Writer::<i8>::create(&path, layer.meta(), shape, options(&layer, codec)).unwrap();
    writer.append(&layer.values[..2000], None).unwrap();
    let partial = std::fs::read_dir(folder.path()).unwrap().next().unwrap().unwrap().path();
    assert!(partial.to_str().unwrap().ends_with(".partial"));
    let error = TableFile::open(&partial, Access::Read).unwrap_err();
    assert!(matches!(error, TableError::Unfinished { .. }), "{error}");
    let error = writer.finish().unwrap_err();
    assert!(matches!(error, TableError::Count { found: 2000, expected: 3000, .. }), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn wide_values_do_not_become_bytes() {
    let layer = Layer::<i16>::synthetic(100);
    for codec in codecs(&layer) {
        let file = write(&layer, codec, None);
        let table = Table::new(&file, "wide").unwrap();
        let error = table.read(0, &mut [0_i8; 3]).unwrap_err();
        assert!(matches!(error, TableError::Width { found: 2, expected: 1, .. }), "{error}");
    }
    assert_eq!((i8::WIDTH, i16::WIDTH), (1, 2));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_bytes_are_survived(tail in proptest::collection::vec(any::<u8>(), 64..2000), vouched: bool) {
        let mut file = write(&Layer::<i8>::synthetic(0), codecs(&Layer::<i8>::synthetic(0)).remove(0), None);
        file.truncate(64);
        file.extend(tail);
        let len = file.len() as u64;
        file[16..24].copy_from_slice(&len.to_le_bytes());
        if vouched {
            vouch(&mut file);
        }
        survives(&file, None);
    }
}

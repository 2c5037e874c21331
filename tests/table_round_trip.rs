//! Tables give back what was written.

mod table_support;

use proptest::prelude::*;
use sowbase::table::{Access, Cell, Table, TableFile};
use table_support::{Layer, codecs, layers, write};

/// Reads every rank in every way and compares with the layer.
fn compare<C: Cell + std::fmt::Debug>(layer: &Layer<C>, bytes: &[u8]) {
    let table = Table::new(bytes, "test").unwrap();
    table.check(|_| {}).unwrap();
    let count = layer.values.len();
    assert_eq!(table.count(), count as u64);
    assert_eq!(table.meta(), &layer.meta());
    assert_eq!(table.floored(), layer.floors.is_some());
    let mut above = layer.floors.iter().flatten().zip(&layer.values);
    assert_eq!(table.leaves_out(), above.any(|(floor, value)| floor > value));
    let mut all = vec![C::default(); count];
    table.read(0, &mut all).unwrap();
    layer.assert_stored(&all);
    let wide: Vec<i16> = all.iter().map(|&value| value.into()).collect();
    let ranks: Vec<u64> = (0..count as u64).rev().step_by(3).collect();
    let mut some = vec![0; ranks.len()];
    table.values(&ranks, &mut some).unwrap();
    for (&rank, &value) in ranks.iter().zip(&some) {
        assert_eq!(value, wide[usize::try_from(rank).unwrap()]);
        assert_eq!(table.value(rank).unwrap(), value);
    }
    let middle = count / 3..count - count / 4;
    let mut part = vec![0_i16; middle.len()];
    table.read(middle.start as u64, &mut part).unwrap();
    assert_eq!(part, wide[middle]);
    assert!(table.value(count as u64).is_err());
    assert!(table.read(u64::MAX, &mut part).is_err() || part.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn bytes_round_trip(layer in layers::<i8>(-20..20)) {
        for codec in codecs(&layer) {
            compare(&layer, &write(&layer, codec, None));
        }
    }

    #[test]
    fn words_round_trip(layer in layers::<i16>(-700..700)) {
        for codec in codecs(&layer) {
            compare(&layer, &write(&layer, codec, None));
        }
    }

    #[test]
    fn block_sizes_round_trip(layer in layers::<i8>(-3..3), block in 1_u32..300) {
        for codec in codecs(&layer) {
            compare(&layer, &write(&layer, codec, Some(block)));
        }
    }
}

#[test]
fn mapped_and_read_files_agree() {
    let layer = Layer::<i8>::synthetic(20_000);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("layer");
    for codec in codecs(&layer) {
        std::fs::write(&path, write(&layer, codec, None)).unwrap();
        let mapped = TableFile::open(&path, Access::Map).unwrap();
        let read = TableFile::open(&path, Access::Read).unwrap();
        for rank in (0..mapped.count()).step_by(7) {
            assert_eq!(mapped.value(rank).unwrap(), read.value(rank).unwrap());
        }
        mapped.check(|_| {}).unwrap();
        read.check(|_| {}).unwrap();
    }
}

#[test]
fn an_empty_layer_is_a_table() {
    let layer = Layer::<i8>::synthetic(0);
    for codec in codecs(&layer) {
        compare(&layer, &write(&layer, codec, None));
    }
}

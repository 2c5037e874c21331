//! Layers to write, for the tests of tables.
#![allow(dead_code)] // Each test file uses a part of this.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::path::Path;

use proptest::collection::vec;
use proptest::prelude::*;
use sowbase::table::{Cell, Codec, Meta, Model, Options, Segment, Shape, Writer};

/// A layer to be written.
#[derive(Debug, Clone)]
pub struct Layer<C> {
    pub segments: Vec<Segment>,
    pub values: Vec<C>,
    pub floors: Option<Vec<C>>,
}

impl<C: Cell + Debug> Layer<C> {
    /// One with runs, noise and floors, always the same for a count.
    pub fn synthetic(count: u64) -> Self {
        let mut state = 1_u64;
        let mut random = move || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            i16::try_from(state >> 49).unwrap()
        };
        let mut last = 0;
        let mut values = Vec::new();
        let mut floors = Vec::new();
        for _ in 0..count {
            if random() % 3 == 0 {
                last = random() % 12 - random() % 12;
            }
            values.push(C::narrow(last).unwrap());
            let floor = match random() % 30 {
                0..10 => last,
                10 => 100,
                _ => -100,
            };
            floors.push(C::narrow(floor).unwrap());
        }
        let mut segments = Vec::new();
        let mut rest = count;
        for row_len in [1, 5, 130, 700, 3, 9000] {
            let rows = (rest / 3).div_ceil(row_len).min(rest / row_len);
            if rows > 0 {
                segments.push(Segment { rows, row_len });
                rest -= rows * row_len;
            }
        }
        if rest > 0 {
            segments.push(Segment { rows: 1, row_len: rest });
        }
        Self { segments, values, floors: Some(floors) }
    }

    pub fn shape(&self) -> Shape {
        Shape::new(self.segments.clone()).unwrap()
    }

    pub fn meta(&self) -> Meta {
        Meta {
            rules: "test pits=6".into(),
            fingerprint: 0x1234_5678_9abc_def0,
            seeds: 7,
            closed: 3,
            index: "halves-1".into(),
            positions: self.values.len() as u64,
            histogram: BTreeMap::from([(-3, 5), (0, 1 << 40)]),
        }
    }

    /// Checks that `stored` are values a reader may find.
    pub fn assert_stored(&self, stored: &[C]) {
        assert_eq!(stored.len(), self.values.len());
        for (rank, (&stored, &value)) in stored.iter().zip(&self.values).enumerate() {
            match &self.floors {
                Some(floors) if floors[rank] > value => {}
                Some(floors) if floors[rank] == value => assert!(stored <= value, "rank {rank}"),
                _ => assert_eq!(stored, value, "rank {rank}"),
            }
        }
    }
}

/// Layers of up to some thousand values in random rows, with and without floors.
pub fn layers<C: Cell + Debug>(range: std::ops::Range<i16>) -> impl Strategy<Value = Layer<C>> {
    let start = range.start;
    let segments = vec((1_u64..20, 1_u64..150), 0..4);
    (segments, any::<bool>()).prop_flat_map(move |(segments, floored)| {
        let segments: Vec<Segment> = segments.into_iter().map(|(rows, row_len)| Segment { rows, row_len }).collect();
        let count: u64 = segments.iter().map(|s| s.rows * s.row_len).sum();
        let count = usize::try_from(count).unwrap();
        // Repeated runs, so that all kinds of block occur.
        let runs = vec((range.clone(), 1_usize..60, any::<bool>()), count.div_ceil(10));
        runs.prop_map(move |runs| {
            let cells = runs.iter().cycle().flat_map(|&(value, len, free)| {
                (0..len).map(move |i| {
                    let value = if i % 5 == 4 { start } else { value };
                    let floor = match i % 6 {
                        0 | 2 | 4 if free => value,
                        1 if free => 2 * value.abs() + 1,
                        _ => start - 1,
                    };
                    (C::narrow(value).unwrap(), C::narrow(floor).unwrap())
                })
            });
            let (values, floors) = cells.take(count).unzip();
            Layer { segments: segments.clone(), values, floors: Some(floors).filter(|_| floored) }
        })
    })
}

/// Options for writing `layer`.
pub fn options<C>(layer: &Layer<C>, codec: Codec) -> Options {
    Options { codec, block: None, floored: layer.floors.is_some() }
}

/// Every codec, fit for `layer`.
pub fn codecs<C: Cell>(layer: &Layer<C>) -> Vec<Codec> {
    let model = Model::fit(&layer.values, layer.floors.as_deref());
    vec![Codec::Zstd(3), Codec::Context(model)]
}

/// The file of a layer, written in uneven pieces.
pub fn write<C: Cell + Debug>(layer: &Layer<C>, codec: Codec, block: Option<u32>) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("layer");
    let len = write_to(&path, layer, codec, block);
    let bytes = std::fs::read(&path).unwrap();
    assert_eq!(bytes.len() as u64, len);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    bytes
}

/// Writes a layer to `path`.
pub fn write_to<C: Cell + Debug>(path: &Path, layer: &Layer<C>, codec: Codec, block: Option<u32>) -> u64 {
    let mut options = options(layer, codec);
    options.block = block;
    let shape = layer.shape();
    let mut meta = layer.meta();
    meta.histogram.clear();
    let mut writer = Writer::<C>::create(path, meta, shape, options).unwrap();
    let mut done = 0;
    let mut piece = 1;
    while done < layer.values.len() {
        let end = layer.values.len().min(done + piece);
        let floors = layer.floors.as_ref().map(|floors| &floors[done..end]);
        writer.append(&layer.values[done..end], floors).unwrap();
        done = end;
        piece = piece * 3 + 1;
    }
    writer.meta_mut().histogram = layer.meta().histogram;
    writer.finish().unwrap()
}

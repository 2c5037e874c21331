//! Probes of table files: warm, cached, batched and whole, each with its answers asserted.
//!
//! The layer is synthetic unless `SOWBASE_BENCH_TABLE` names the file of a real one; then that file
//! is probed, and the same values packed by zstd. Bits a value are printed for each.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use sowbase::table::{Access, BlockCache, Codec, Meta, Model, Options, Segment, Shape, TableFile, Writer};

/// Probes in one measured round.
const PROBES: usize = 4096;

/// A sequence of random numbers that is the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        ((self.0 >> 32) * bound) >> 32
    }
}

/// Rows like those of a two-row layer of 14 seeds.
fn shape() -> Shape {
    let rows = |seeds: u64| (1..=5).fold(1, |rows, i| rows * (seeds + i) / i);
    let segments = (0..=14).map(|own| Segment { rows: rows(own), row_len: rows(14 - own) });
    Shape::new(segments.collect()).expect("the shape of a layer")
}

/// Values that mostly repeat one of the last few, as those of a game do, though with less order.
fn layer(count: u64) -> Vec<i8> {
    let mut random = Random(1);
    let mut recent = [0_i8, 2, -2, 5];
    (0..count)
        .map(|_| {
            let pick = random.below(10);
            if pick == 9 {
                let place = usize::try_from(random.below(4)).unwrap_or(0);
                let step = i8::try_from(random.below(9)).unwrap_or(0) - 4;
                recent[place] = (recent[place] + step).clamp(-14, 14);
            }
            recent[[0, 0, 0, 0, 1, 1, 1, 2, 2, 3][usize::try_from(pick).unwrap_or(0)]]
        })
        .collect()
}

fn write(path: &Path, shape: Shape, values: &[i8], codec: Codec) {
    let options = Options { codec, block: None, floored: false };
    let meta = Meta { rules: "synthetic".into(), histogram: BTreeMap::new(), ..Meta::default() };
    let mut writer = Writer::create(path, meta, shape, options).expect("a temporary file");
    writer.append(values, None).expect("space for the file");
    writer.finish().expect("space for the file");
}

/// Benches one table against the values it is known to hold.
fn bench_table(criterion: &mut Criterion, name: &str, path: &Path, values: &[i16]) {
    let table = TableFile::open(path, Access::Map).expect("a whole table");
    let millibits = 8000 * table.file_len() / table.count().max(1);
    let (bits, rest) = (millibits / 1000, millibits % 1000);
    println!("{name}: {} values, {bits}.{rest:03} bits a value", table.count());
    let mut random = Random(2);
    let ranks: Vec<u64> = (0..PROBES).map(|_| random.below(table.count())).collect();
    let at = |rank: u64| values[usize::try_from(rank).unwrap_or(usize::MAX)];

    let mut group = criterion.benchmark_group("table");
    group.measurement_time(Duration::from_secs(3)).sample_size(20);
    group.throughput(Throughput::Elements(PROBES as u64));
    for (how, access) in [("map", Access::Map), ("read", Access::Read)] {
        let table = TableFile::open(path, access).expect("a whole table");
        group.bench_function(BenchmarkId::new(format!("probe/{how}"), name), |bencher| {
            bencher.iter(|| {
                for &rank in &ranks {
                    assert_eq!(table.value(black_box(rank)).expect("a value"), at(rank));
                }
            });
        });
    }
    let cache = BlockCache::new(1 << 30);
    group.bench_function(BenchmarkId::new("probe/cached", name), |bencher| {
        bencher.iter(|| {
            for &rank in &ranks {
                assert_eq!(cache.value(&table, black_box(rank)).expect("a value"), at(rank));
            }
        });
    });
    let mut found = vec![0; ranks.len()];
    group.bench_function(BenchmarkId::new("probe/batch", name), |bencher| {
        bencher.iter(|| {
            table.values(black_box(&ranks), &mut found).expect("values");
            assert!(ranks.iter().zip(&found).all(|(&rank, &value)| value == at(rank)));
        });
    });
    let mut all = vec![0_i16; values.len()];
    group.throughput(Throughput::Elements(values.len() as u64));
    group.bench_function(BenchmarkId::new("read", name), |bencher| {
        bencher.iter(|| table.read(0, black_box(&mut all)).expect("values"));
    });
    // Also when a filter left the bench above out.
    table.read(0, &mut all).expect("values");
    assert!(all == values);
    group.bench_function(BenchmarkId::new("open", name), |bencher| {
        bencher.iter(|| {
            let table = TableFile::open(path, Access::Map).expect("a whole table");
            assert_eq!(table.count(), values.len() as u64);
        });
    });
    group.finish();
}

fn bench(criterion: &mut Criterion) {
    if let Some(path) = std::env::var_os("SOWBASE_BENCH_TABLE").map(PathBuf::from) {
        let table = TableFile::open(&path, Access::Map).expect("a whole table");
        let mut values = vec![0; usize::try_from(table.count()).unwrap_or(0)];
        table.read(0, &mut values).expect("values");
        let seeds = table.meta().seeds;
        bench_table(criterion, &format!("{seeds}-{}", table.codec()), &path, &values);
        let narrow: Result<Vec<i8>, _> = values.iter().map(|&value| i8::try_from(value)).collect();
        if let Ok(narrow) = narrow {
            let folder = tempfile::tempdir().expect("a temporary folder");
            let path = folder.path().join("layer");
            write(&path, table.shape().clone(), &narrow, Codec::Zstd(19));
            bench_table(criterion, &format!("{seeds}-zstd"), &path, &values);
        }
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("layer");
    let values = layer(shape().count());
    let wide: Vec<i16> = values.iter().map(|&value| value.into()).collect();
    for codec in [Codec::Zstd(19), Codec::Context(Model::fit(&values, None))] {
        let name = match codec {
            Codec::Zstd(_) => "zstd",
            Codec::Context(_) => "context",
        };
        write(&path, shape(), &values, codec);
        bench_table(criterion, name, &path, &wide);
    }
}

criterion_group!(benches, bench);
criterion_main!(benches);

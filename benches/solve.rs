//! Time to solve one layer of each game, given the layers below; each run's answer is checked against a known one.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use sowbase::games;
use sowbase::index::positions;
use sowbase::rules::Rules;
use sowbase::solve::{Lower, SolvedLayer, Unwatched, Values, solve};

/// Game, width, seeds, and the sum of the layer's values by rank.
const LAYERS: &[(&str, usize, u8, i64)] = &[
    ("awari", 6, 12, 1_744_456),
    ("oware", 6, 12, 1_808_715),
    ("kalaha", 6, 12, 2_299_020),
    ("bao-kenya", 8, 8, 590_648),
    ("bao-laps", 8, 7, 151_194),
    ("kiothi", 10, 6, -50_072),
    ("nam-nam", 6, 8, 41_776),
    ("kujifunza", 3, 10, 61_249),
];

fn sum(layer: &SolvedLayer) -> i64 {
    match &layer.values {
        Values::Seeds(values) => values.iter().map(|&value| i64::from(value)).sum(),
        Values::Outcome(values) => values.iter().map(|&value| i64::from(value)).sum(),
    }
}

fn layers(c: &mut Criterion) {
    let mut group = c.benchmark_group("solve");
    group.sample_size(10);
    for &(game, width, seeds, expected) in LAYERS {
        let rules = games::make(game, Some(width), &[]).expect("a game of the registry");
        let (lower, layer) = below(rules.as_ref(), seeds);
        let size = positions(rules.as_ref(), layer).expect("a small layer");
        group.throughput(Throughput::Elements(size));
        group.bench_function(BenchmarkId::new(game, seeds), |b| {
            b.iter(|| {
                let solved = solve(rules.as_ref(), layer, &lower, &Unwatched).expect("a small layer").layer;
                assert_eq!(sum(black_box(&solved)), expected, "{game} {seeds}");
            });
        });
    }
    group.finish();
}

/// The solved layers below the one of `seeds` seeds, and that layer.
fn below(rules: &dyn Rules, seeds: u8) -> (Lower, sowbase::rules::Layer) {
    let mut layers = rules.layers(seeds);
    let last = layers.pop().expect("at least one layer");
    let mut lower = Lower::default();
    for layer in layers {
        lower.insert(Arc::new(solve(rules, layer, &lower, &Unwatched).expect("a small layer").layer));
    }
    (lower, last)
}

criterion_group!(benches, layers);
criterion_main!(benches);

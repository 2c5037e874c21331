//! Openings by search, with the answers checked.

use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use sowbase::games;
use sowbase::search::{Bounds, InMemory, Limits, Search, Transpositions, Unwatched};
use sowbase::solve::{self, Lower, solve};

fn openings(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("search");
    group.sample_size(10);
    // Game, width, seeds a pit, tables up to so many seeds, value.
    for (game, width, per_pit, tables, value) in
        [("kalaha", 6, 3, 12, 2), ("kalah", 6, 3, 12, 2), ("kalaha", 5, 3, 10, 8), ("kalaha", 6, 4, 18, 10)]
    {
        let rules = games::make(game, Some(width), &[]).expect("a game of the registry");
        let mut lower = Lower::default();
        for layer in rules.layers(tables) {
            let solved =
                solve(rules.as_ref(), layer, &lower, &solve::Unwatched).expect("small layers can be solved").layer;
            lower.insert(Arc::new(solved));
        }
        let probe = InMemory::new(rules.as_ref(), &lower);
        let limits = Limits { every_move: false, ..Limits::default() };
        group.bench_function(format!("{game}({width},{per_pit}) over {tables} seeds"), |bencher| {
            bencher.iter(|| {
                let table = Transpositions::new(1 << 29);
                let search = Search::new(rules.as_ref(), &probe, Some(&table));
                let answer = search.run(&rules.initial(per_pit), &[], &limits, &Unwatched).expect("it fits");
                assert_eq!(answer.value, Bounds::exact(value));
                answer.nodes
            });
        });
    }
    group.finish();
}

criterion_group!(benches, openings);
criterion_main!(benches);

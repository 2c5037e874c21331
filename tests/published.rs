//! Values that others have published, or that independent programs found, from the tables of the solvers alone.

mod boards;

use std::collections::BTreeMap;

use boards::{last_layer, rules_of, solve_up_to, value, ways_to_lay};
use sowbase::games::GAMES;
use sowbase::rules::{Layer, Moves, Turn, Value, worth};

#[test]
fn awari_histograms() {
    let golden: serde_json::Value =
        serde_json::from_str(include_str!("golden/awari-lincke.json")).expect("the golden file is JSON");
    let layers = golden["layers"].as_object().expect("layers by seeds");
    let rules = rules_of("awari", 6);
    let lower = solve_up_to(rules.as_ref(), 12);
    for (seeds, expected) in layers {
        let seeds = seeds.parse().expect("a number of seeds");
        let layer = last_layer(rules.as_ref(), &lower, seeds);
        let mut histogram: BTreeMap<String, u64> = BTreeMap::new();
        for rank in 0..layer.index.size() {
            *histogram.entry(layer.values.get(rank).to_string()).or_default() += 1;
        }
        let expected: BTreeMap<String, u64> = expected
            .as_object()
            .expect("counts by value")
            .iter()
            .map(|(value, count)| (value.clone(), count.as_u64().expect("a count")))
            .collect();
        assert_eq!(histogram, expected, "{seeds} seeds");
    }
    assert_eq!(layers.len(), 13);
}

/// Initial positions of Kalaha and Kalah whose tables take a few million bytes.
#[test]
fn kalah_values_and_opening_moves() {
    let mut checked = 0;
    for line in include_str!("golden/kalah.txt").lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().take_while(|word| !word.starts_with('[')).collect();
        let [width, per_pit, game, expected, moves @ ..] = &words[..] else { panic!("too short: {line}") };
        let (width, per_pit): (usize, u8) = (width.parse().expect("a width"), per_pit.parse().expect("seeds a pit"));
        let seeds: u8 = per_pit * 2 * width as u8;
        if ways_to_lay(seeds.into(), 2 * width as u64 + 1) > 12_000_000 {
            continue;
        }
        let rules = rules_of(game, width);
        let lower = solve_up_to(rules.as_ref(), seeds);
        let start = rules.initial(per_pit);
        assert_eq!(value(rules.as_ref(), &lower, &start).to_string(), *expected, "{line}");
        let mut first = Moves::new();
        rules.expand(&start, &mut first);
        let worths = first.iter().map(|(_, sown)| {
            worth(rules.scoring(), sown, Value(value(rules.as_ref(), &lower, &sown.board))).0.to_string()
        });
        if moves != ["-"] {
            assert_eq!(worths.collect::<Vec<_>>(), moves, "{line}");
        }
        checked += 1;
    }
    assert_eq!(checked, 10);
}

#[test]
fn initial_positions_of_narrow_boards() {
    for (game, width, per_pit, expected) in [("oware", 3, 2, 3), ("awale", 3, 2, -2), ("kalaha", 6, 1, 2)] {
        let rules = rules_of(game, width);
        let start = rules.initial(per_pit);
        let lower = solve_up_to(rules.as_ref(), start.seeds() as u8);
        assert_eq!(value(rules.as_ref(), &lower, &start), expected, "{game} {width}x{per_pit}");
    }
}

/// Four rows of two pits with two seeds each: counts by outcome, and a line of best play that keeps its promise.
#[test]
fn kujifunza_of_two_pits_a_row() {
    let rules = rules_of("kujifunza", 2);
    let lower = solve_up_to(rules.as_ref(), 16);
    let layer = last_layer(rules.as_ref(), &lower, 16);
    let mut outcomes = BTreeMap::new();
    for rank in 0..layer.index.size() {
        *outcomes.entry(-layer.values.get(rank).signum()).or_default() += u64::from(layer.index.weight(rank));
    }
    assert_eq!(outcomes, BTreeMap::from([(-1, 148_882), (0, 82), (1, 96_193)]));

    let mut board = rules.initial(2);
    let mut promised = Value(value(rules.as_ref(), &lower, &board));
    let mut moves = Moves::new();
    while let Some(distance) = promised.distance() {
        if let Some(over) = rules.expand(&board, &mut moves) {
            assert_eq!((over, distance), (promised, 0));
            return;
        }
        let worth_of = |sown| worth(rules.scoring(), sown, Value(value(rules.as_ref(), &lower, &sown.board)));
        let (_, best) = moves
            .iter()
            .max_by_key(|(_, sown)| worth_of(sown).preference(rules.scoring()))
            .expect("a position that is not over has a move");
        assert_eq!(worth_of(best), promised);
        if matches!(best.turn, Turn::Won | Turn::Lost) {
            assert_eq!(distance, 1);
            return;
        }
        board = best.board;
        promised = Value(value(rules.as_ref(), &lower, &board));
        assert_eq!(promised.distance(), Some(distance - 1));
    }
    panic!("the start is won or lost");
}

#[test]
fn values_do_not_depend_on_the_number_of_threads() {
    for game in GAMES {
        let rules = rules_of(game.id, 4);
        let most = boards::seeds_within(rules.as_ref(), 12, 100_000);
        let solved = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be started");
            pool.install(|| solve_up_to(rules.as_ref(), most))
        };
        let [one, two, three] = [1, 2, 3].map(solved);
        for layer in rules.layers(most) {
            let [one, two, three] = [&one, &two, &three].map(|lower| lower.get(layer).map(|layer| &layer.values));
            assert!(one.is_some() && one == two && one == three, "{} layer {layer}", game.id);
        }
        assert!(rules.layers(most).contains(&Layer::of(most)));
    }
}

//! Search equals table on small boards of every game, with tables that reach only part of the way.

use std::sync::Arc;

use sowbase::games;
use sowbase::rules::{Board, Moves, Rules, Scoring, Turn, Value, worth};
use sowbase::search::{Answer, Bounds, InMemory, Limits, NoTables, Probe, Search, Transpositions, Unwatched};
use sowbase::solve::{self, Lower, solve};

/// Every game, and every setting that changes what moves do.
const RULES: &[(&str, &[&str])] = &[
    ("kalaha", &[]),
    ("kalah", &[]),
    ("awale", &[]),
    ("awale", &["chain_own=true"]),
    ("awale", &["grand_slam=void"]),
    ("oware", &[]),
    ("awari", &[]),
    ("oware-abapa", &[]),
    ("nam-nam", &[]),
    ("nam-nam", &["endless=illegal"]),
    ("bao-kenya", &[]),
    ("bao-kenya", &["take_own=true"]),
    ("bao-laps", &[]),
    ("bao-laps", &["take_own=true"]),
    ("kiothi", &[]),
    ("kiothi", &["flags=true"]),
    ("kujifunza", &[]),
    ("kujifunza", &["endless=draw"]),
];

fn make(game: &str, width: usize, settings: &[&str]) -> Box<dyn Rules> {
    let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
    games::make(game, Some(width), &settings).expect("a game of the registry")
}

/// Every layer of up to `seeds` seeds.
fn solve_all(rules: &dyn Rules, seeds: u8) -> Lower {
    let mut all = Lower::default();
    for layer in (0..=seeds).flat_map(|n| rules.layers(n)) {
        if !all.contains(layer) {
            let solved = solve(rules, layer, &all, &solve::Unwatched).expect("small layers can be solved").layer;
            all.insert(Arc::new(solved));
        }
    }
    all
}

/// The tables of `all`, but only for positions of up to `most` seeds, and raw or not.
struct Part<'a> {
    tables: InMemory<'a>,
    most: u8,
    raw: bool,
}

impl Probe for Part<'_> {
    fn most_seeds(&self) -> Option<u8> {
        Some(self.most)
    }

    fn probe(&self, board: &Board) -> Option<Value> {
        self.tables.probe(board)
    }

    fn raw(&self, layer: sowbase::rules::Layer) -> Option<&solve::SolvedLayer> {
        self.tables.raw(layer).filter(|_| self.raw)
    }
}

/// Compares all that an unlimited search says about the positions of `seeds` seeds with the tables.
fn compare(
    rules: &dyn Rules,
    all: &Lower,
    seeds: u8,
    probe: &dyn Probe,
    table: Option<&Transpositions>,
    threads: usize,
) {
    let limits = Limits { threads, ..Limits::default() };
    for closed in 0..=2 * rules.half() as u8 {
        let Some(solved) = all.get(sowbase::rules::Layer { seeds, closed }) else { continue };
        for rank in 0..solved.index.size() {
            let board = solved.index.unrank(rank);
            let answer = Search::new(rules, probe, table).run(&board, &[], &limits, &Unwatched).expect("it fits");
            check(rules, &board, &answer, all, Value(solved.values.get(rank)));
        }
    }
}

fn check(rules: &dyn Rules, board: &Board, answer: &Answer, all: &Lower, value: Value) {
    let game = rules.rule_set().text();
    let outcome = rules.scoring() == Scoring::Outcome;
    let bounds = |value: Value| Bounds::exact(if outcome { value.0.signum() } else { value.0 });
    let distance = |value: Value| if outcome { value.distance() } else { None };
    assert_eq!(answer.value, bounds(value), "{game} {board:?} {answer:?}");
    assert_eq!(answer.distance, distance(value), "{game} {board:?} {answer:?}");
    let mut moves = Moves::new();
    let _ = rules.expand(board, &mut moves);
    assert_eq!(moves.len(), answer.moves.len(), "{game} {board:?}");
    let tables = InMemory::new(rules, all);
    for ((mv, sown), found) in moves.iter().zip(&answer.moves) {
        let after = match sown.turn {
            Turn::Pass | Turn::Again => tables.probe(&sown.board).expect("all layers are solved"),
            _ => Value::DRAW,
        };
        let expected = worth(rules.scoring(), sown, after);
        assert_eq!((found.mv, found.sown), (*mv, *sown));
        assert_eq!(found.worth, bounds(expected), "{game} {board:?} {mv:?}");
        assert_eq!(found.distance, distance(expected), "{game} {board:?} {mv:?}");
    }
    if let Some(first) = answer.line.first() {
        let found = answer.moves.iter().find(|found| found.mv == *first).expect("the line is legal");
        assert_eq!(found.worth, answer.value, "{game} {board:?}");
    }
}

fn is_outcome(rules: &dyn Rules) -> bool {
    rules.scoring() == Scoring::Outcome
}

#[test]
fn search_equals_table() {
    for &(game, settings) in RULES {
        for (width, seeds) in [(2, 5), (3, 4)] {
            let rules = make(game, width, settings);
            let rules = rules.as_ref();
            let seeds = if settings.contains(&"flags=true") { 3 } else { seeds };
            let all = solve_all(rules, seeds);
            let table = Transpositions::new(1 << 20);
            for n in 0..=seeds {
                for raw in [true, false] {
                    // Kujifunza's positions all have as many seeds, and tables of them would answer at once.
                    let most = if is_outcome(rules) { 0 } else { n / 2 };
                    let part = Part { tables: InMemory::new(rules, &all), most, raw };
                    compare(rules, &all, n, &part, Some(&table), 1);
                }
            }
        }
    }
}

#[test]
fn without_any_table() {
    for &(game, settings) in RULES {
        let rules = make(game, 2, settings);
        let rules = rules.as_ref();
        let seeds = if settings.contains(&"flags=true") { 2 } else { 4 };
        let all = solve_all(rules, seeds);
        for n in 0..=seeds {
            compare(rules, &all, n, &NoTables, None, 1);
        }
    }
}

#[test]
fn with_two_threads_and_a_tiny_transposition_table() {
    for &(game, settings) in RULES {
        let rules = make(game, 2, settings);
        let rules = rules.as_ref();
        let seeds = if settings.contains(&"flags=true") { 2 } else { 4 };
        let all = solve_all(rules, seeds);
        let table = Transpositions::new(1 << 10);
        for n in 0..=seeds {
            compare(rules, &all, n, &NoTables, Some(&table), 2);
        }
    }
}

//! Small solved boards and all variants of all games, for the tests.

#![allow(dead_code, reason = "each test file uses some of these helpers")]

use std::sync::Arc;

use sowbase::games::{self, GAMES, Game};
use sowbase::rules::{Board, Layer, MARK, OptionInfo, OptionKind, Rules};
use sowbase::solve::{Lower, SolvedLayer, Unwatched, solve};

/// Solves every layer that positions of `seeds` seeds need, in memory.
pub fn solve_up_to(rules: &dyn Rules, seeds: u8) -> Lower {
    let mut lower = Lower::default();
    for layer in rules.layers(seeds) {
        let solved = solve(rules, layer, &lower, &Unwatched).expect("small layers can be solved").layer;
        lower.insert(Arc::new(solved));
    }
    lower
}

/// Solves every layer below that of `seeds` seeds, in memory.
pub fn solve_below(rules: &dyn Rules, seeds: u8) -> Lower {
    let mut lower = Lower::default();
    for layer in rules.layers(seeds).into_iter().filter(|layer| *layer < Layer::of(seeds)) {
        let solved = solve(rules, layer, &lower, &Unwatched).expect("small layers can be solved").layer;
        lower.insert(Arc::new(solved));
    }
    lower
}

/// Solves every layer of at most `seeds` seeds, in memory; more than [`solve_up_to`] where layers skip seeds.
pub fn solve_all(rules: &dyn Rules, seeds: u8) -> Lower {
    let mut lower = Lower::default();
    for layer in (0..=seeds).flat_map(|n| rules.layers(n)) {
        if !lower.contains(layer) {
            let solved = solve(rules, layer, &lower, &Unwatched).expect("small layers can be solved").layer;
            lower.insert(Arc::new(solved));
        }
    }
    lower
}

/// The layer of `seeds` seeds with all pits open.
pub fn last_layer<'a>(rules: &dyn Rules, lower: &'a Lower, seeds: u8) -> &'a SolvedLayer {
    let layer = rules.layers(seeds).into_iter().find(|layer| layer.seeds == seeds && layer.closed == 0);
    lower.get(layer.expect("the layer is listed")).expect("the layer is solved")
}

/// The value of a position whose layer is solved.
pub fn value(rules: &dyn Rules, lower: &Lower, board: &Board) -> i16 {
    let layer = lower.get(layer_of(rules, board)).expect("the layer is solved");
    layer.values.get(layer.index.rank(board))
}

/// The layer of a position.
pub fn layer_of(rules: &dyn Rules, board: &Board) -> Layer {
    Layer { seeds: board.seeds() as u8, closed: rules.closed(board) }
}

/// The rules of `words`: a game, then `NAME=VALUE` as often as needed.
pub fn rules_of(words: &str, width: usize) -> Box<dyn Rules> {
    let mut words = words.split_whitespace();
    let game = words.next().expect("a game");
    let rules: Vec<String> = words.map(str::to_owned).collect();
    games::make(game, Some(width), &rules).unwrap_or_else(|error| panic!("{error}"))
}

/// A board written `1 0 2* / 0 0 3`: the mover's half, then the other; a star marks a pit.
pub fn board_of(text: &str) -> Board {
    let pit = |word: &str| match word.strip_suffix('*') {
        Some(count) => MARK | count.parse::<u8>().expect("a count"),
        None => word.parse().expect("a count"),
    };
    Board::of(&text.split_whitespace().filter(|word| *word != "/").map(pit).collect::<Vec<_>>())
}

/// Settings of an option that cover its values: all words, all numbers up to four and the largest, and owners both
/// fair to the seats and not.
fn settings(option: &OptionInfo, width: usize) -> Vec<String> {
    match option.kind {
        OptionKind::Switch => vec!["false".to_owned(), "true".to_owned()],
        OptionKind::Choice(words) => words.iter().map(|&word| word.to_owned()).collect(),
        OptionKind::Number(first, last) => {
            let mut numbers: Vec<u8> = (first..=last.min(4)).chain([last]).collect();
            numbers.dedup();
            numbers.iter().map(u8::to_string).collect()
        }
        OptionKind::Owners => {
            let (ours, theirs) = ("1".repeat(width - 1), "0".repeat(width - 1));
            vec![
                format!("1{ours}0{theirs}"),
                format!("0{ours}1{theirs}"),
                format!("1{ours}1{theirs}"),
                "10".repeat(width),
                "1".repeat(2 * width),
            ]
        }
    }
}

/// The rules of `game` under every combination of settings.
pub fn variants(game: &Game, width: usize) -> Vec<Box<dyn Rules>> {
    let mut combinations: Vec<Vec<String>> = vec![vec![]];
    for option in game.options {
        let settings = settings(option, width);
        combinations = combinations
            .iter()
            .flat_map(|rules| {
                settings.iter().map(move |setting| [&rules[..], &[format!("{}={setting}", option.name)]].concat())
            })
            .collect();
    }
    combinations
        .iter()
        .map(|rules| games::make(game.id, Some(width), rules).expect("settings of the registry are accepted"))
        .collect()
}

/// The rules of every game under every combination of settings.
pub fn all_variants(width: usize) -> Vec<Box<dyn Rules>> {
    GAMES.iter().flat_map(|game| variants(game, width)).collect()
}

/// The ways to lay so many seeds into so many pits.
pub fn ways_to_lay(seeds: u64, pits: u64) -> u64 {
    (1..pits).fold(1, |ways, i| ways * (seeds + i) / i)
}

/// The largest number of seeds, at most `most`, for which all boards together, marks left out, number at most `limit`.
pub fn seeds_within(rules: &dyn Rules, most: u8, limit: u64) -> u8 {
    // All boards of up to n seeds are those of n seeds with one pit more, where the others wait.
    let boards = |n: u8| ways_to_lay(n.into(), 2 * rules.half() as u64 + 1);
    (1..=most).rev().find(|&n| boards(n) <= limit).unwrap_or(1)
}

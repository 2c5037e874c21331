//! Every value of small boards, under every combination of settings, against an oracle that shares nothing with the
//! solvers but the moves and what they are worth.

mod boards;

use std::collections::HashMap;

use rayon::prelude::*;
use sowbase::games;
use sowbase::rules::{Board, Marks, Moves, Rules, Turn, Value, worth};

type Known = HashMap<Board, Value>;

/// Every board of `seeds` seeds with every set of marks that the rules allow.
fn boards_of(rules: &dyn Rules, seeds: u8) -> Vec<Board> {
    let pits = 2 * rules.half();
    let mut boards = vec![Board::empty(pits)];
    for pit in 0..pits {
        let lay = |board: &Board| {
            let left = seeds - board.seeds() as u8;
            let counts = if pit + 1 == pits { left..=left } else { 0..=left };
            let board = *board;
            counts.map(move |count| {
                let mut board = board;
                board[pit] = count;
                board
            })
        };
        boards = boards.iter().flat_map(lay).collect();
    }
    let sets: Vec<u64> = match rules.marks() {
        Marks::None => vec![0],
        Marks::Closed => (0..1 << pits).collect(),
        Marks::Seats(set) => vec![set, Board::empty(pits).with_marks(set).turned().marks()],
    };
    boards.iter().flat_map(|board| sets.iter().map(|&set| board.with_marks(set))).collect()
}

/// Adds the values of all positions of `seeds` seeds: from nothing known, the best move again and again, for all
/// positions at once, until nothing changes.
fn add_values(rules: &dyn Rules, seeds: u8, known: &mut Known) {
    let boards = boards_of(rules, seeds);
    let expanded: Vec<(Option<Value>, Moves)> = boards
        .iter()
        .map(|board| {
            let mut moves = Moves::new();
            (rules.expand(board, &mut moves), moves)
        })
        .collect();
    known.extend(boards.iter().map(|&board| (board, Value::DRAW)));
    loop {
        let best = |(over, moves): &(Option<Value>, Moves)| {
            let worths = moves.iter().map(|(_, sown)| {
                let goes_on = matches!(sown.turn, Turn::Pass | Turn::Again);
                worth(rules.scoring(), sown, if goes_on { known[&sown.board] } else { Value::DRAW })
            });
            over.or(worths.max_by_key(|value| value.preference(rules.scoring()))).expect("a move or an end")
        };
        let values: Vec<Value> = expanded.iter().map(best).collect();
        let changed = boards.iter().zip(&values).filter(|(board, value)| known[board] != **value).count();
        if changed == 0 {
            return;
        }
        known.extend(boards.iter().copied().zip(values));
    }
}

fn compare(rules: &dyn Rules, most: u8) -> usize {
    let lower = boards::solve_all(rules, most);
    let mut known = Known::new();
    for seeds in 0..=most {
        add_values(rules, seeds, &mut known);
    }
    for (board, value) in &known {
        assert_eq!(boards::value(rules, &lower, board), value.0, "{} {board:?}", rules.rule_set().text());
    }
    known.len()
}

fn compare_all(rule_sets: &[Box<dyn Rules>], most: u8, limit: u64) {
    let compared: usize = rule_sets
        .par_iter()
        .map(|rules| compare(rules.as_ref(), boards::seeds_within(rules.as_ref(), most, limit)))
        .sum();
    assert!(compared > 1000 * rule_sets.len(), "{compared} positions");
}

#[test]
fn solvers_agree_on_two_pits_a_row_under_all_settings() {
    compare_all(&boards::all_variants(2), 10, 13_000);
}

#[test]
fn solvers_agree_on_three_pits_a_row_under_all_settings() {
    let rule_sets: Vec<_> =
        boards::all_variants(3).into_iter().filter(|rules| rules.marks() != Marks::Closed).collect();
    compare_all(&rule_sets, 8, 3_003);
}

#[test]
fn solvers_agree_with_closed_pits_on_three_pits_a_row() {
    for rules in ["kiothi flags=true", "kiothi flags=true protected=stop chain_max=3 crossed_in=lap endless=illegal"] {
        compare(boards::rules_of(rules, 3).as_ref(), 5);
    }
}

#[test]
fn solvers_agree_on_the_real_widths() {
    games::GAMES.par_iter().for_each(|game| {
        let rules = boards::rules_of(game.id, game.width);
        compare(rules.as_ref(), boards::seeds_within(rules.as_ref(), 8, 6_000));
    });
}

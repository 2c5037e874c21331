//! Single moves, ends, cycles and endless sowings worked out by hand, a table for each game.
//!
//! A line of a table reads: rules | position | move | what comes of it | won | and then. Positions are written in
//! sowing order, the mover's half first, a star for a closed pit; the result is seen by the next player. Instead of a
//! board stand `illegal`, `over` (then *won* is what the position is worth) or `any`. *Won* is the mover's seeds, or
//! the mover's and the other player's, as `4:0`. *And then* is empty, `again`, `endless`, `won` or `lost`.

mod boards;

use std::collections::HashSet;

use boards::{board_of, rules_of};
use sowbase::rules::{Board, Move, Moves, Rules, Sown, Turn, Value};

/// The rules of a line, on a board of its width.
fn rules_for(words: &str, board: &Board) -> Box<dyn Rules> {
    let rows = if words.starts_with("kujifunza") { 4 } else { 2 };
    rules_of(words, board.len() / rows)
}

fn moves_of(rules: &dyn Rules, board: &Board) -> Moves {
    let mut moves = Moves::new();
    rules.expand(board, &mut moves);
    moves
}

fn names(words: &str, position: &str) -> String {
    let board = board_of(position);
    let rules = rules_for(words, &board);
    moves_of(rules.as_ref(), &board).iter().map(|(mv, _)| rules.move_name(*mv)).collect::<Vec<_>>().join(" ")
}

fn play(words: &str, position: &str, name: &str) -> Option<Sown> {
    let board = board_of(position);
    let rules = rules_for(words, &board);
    let mut moves = moves_of(rules.as_ref(), &board).into_iter();
    moves.find(|(mv, _)| rules.move_name(*mv) == name).map(|(_, sown)| sown)
}

fn over(words: &str, position: &str) -> Option<Value> {
    let board = board_of(position);
    rules_for(words, &board).expand(&board, &mut Moves::new())
}

fn check_line(line: &str) {
    let [rules, position, name, result, won, then] = line.split('|').map(str::trim).collect::<Vec<_>>()[..] else {
        panic!("not six columns: {line}")
    };
    if result == "over" {
        assert_eq!(over(rules, position).map(|value| value.0.to_string()).as_deref(), Some(won), "{line}");
        return;
    }
    assert_eq!(over(rules, position), None, "{line}");
    let sown = play(rules, position, name);
    if result == "illegal" {
        assert_eq!(sown, None, "{line}");
        return;
    }
    let sown = sown.unwrap_or_else(|| panic!("no such move: {line}"));
    if result != "any" {
        assert_eq!(sown.board, board_of(result), "{line}");
    }
    let (mover, other) = won.split_once(':').unwrap_or((won, "0"));
    assert_eq!((sown.gain.to_string(), sown.gain_other.to_string()), (mover.to_owned(), other.to_owned()), "{line}");
    let turn = match then {
        "" => Turn::Pass,
        "again" => Turn::Again,
        "endless" => Turn::Endless,
        "won" => Turn::Won,
        "lost" => Turn::Lost,
        _ => panic!("unknown sequel: {line}"),
    };
    assert_eq!(sown.turn, turn, "{line}");
}

fn check(table: &str) {
    table.lines().map(str::trim).filter(|line| !line.is_empty()).for_each(check_line);
}

/// The plies after which play without gain first comes back to `position`, found breadth first.
fn shortest_cycle(words: &str, position: &str) -> Option<usize> {
    let start = board_of(position);
    let rules = rules_for(words, &start);
    let (mut wave, mut seen) = (vec![start], HashSet::new());
    for plies in 1..100 {
        let stays =
            |board| moves_of(rules.as_ref(), board).into_iter().filter(|(_, s)| s.gain == 0 && s.gain_other == 0);
        let next: Vec<Board> = wave.iter().flat_map(stays).map(|(_, sown)| sown.board).collect();
        if next.contains(&start) {
            return Some(plies);
        }
        wave = next.into_iter().filter(|board| seen.insert(*board)).collect();
    }
    None
}

#[test]
fn golden_moves() {
    let mut lines = 0;
    for line in include_str!("golden/moves.txt").lines().filter(|line| !line.starts_with('#')) {
        let [game, position, name, result, gain, notes] = line.split('|').map(str::trim).collect::<Vec<_>>()[..] else {
            panic!("not six columns: {line}")
        };
        match (game, result) {
            (_, "over") => assert_eq!(over(game, position), Some(Value(14)), "{line}"),
            ("kujifunza", _) => {
                let sown = play(game, position, name).expect("the opening move is a mtaji");
                assert_eq!(sown.board.other()[..8], [3, 1, 0, 4, 4, 4, 1, 5], "own front row");
                // A back row is written from its owner's left, and its ring runs from his right.
                let back: Vec<u8> = sown.board.other()[8..].iter().rev().copied().collect();
                assert_eq!(back, [3, 3, 0, 3, 3, 0, 3, 3], "own back row");
            }
            _ => {
                let then = if notes == "same player again" { "again" } else { "" };
                check_line(&format!("{game} | {position} | {name} | {result} | {gain} | {then}"));
            }
        }
        lines += 1;
    }
    assert_eq!(lines, 19);
}

#[test]
fn kalaha() {
    check(
        "
        kalaha | 4 4 4 4 4 4 / 4 4 4 4 4 4  | 3 | 4 4 0 5 5 5 / 4 4 4 4 4 4 | 1  | again
        kalaha | 1 0 0 0 0 1 / 3 0 0 0 0 0  | 1 | 3 0 0 0 0 0 / 0 0 0 0 0 1 | 1  |
        kalah  | 1 0 0 0 0 1 / 3 0 0 0 0 0  | 1 | 3 0 0 0 0 0 / 0 1 0 0 0 1 | 0  |
        kalaha | 1 0 0 0 0 1 / 3 0 0 0 5 0  | 1 | 3 0 0 0 0 0 / 0 0 0 0 0 1 | 6  |
        kalah  | 1 0 0 0 0 1 / 3 0 0 0 5 0  | 1 | 3 0 0 0 0 0 / 0 0 0 0 0 1 | 6  |
        kalaha | 13 0 0 0 0 0 / 0 0 0 0 0 2 | 1 | 1 1 1 1 1 0 / 0 1 1 1 1 1 | 5  |
        kalah  | 13 0 0 0 0 0 / 0 0 0 0 0 2 | 1 | 1 1 1 1 1 0 / 0 1 1 1 1 1 | 5  |
        kalaha | 0 0 13 0 0 0 / 1 1 1 1 1 1 | 3 | 2 2 2 0 2 2 / 1 1 0 1 1 1 | 4  |
        kalaha | 0 0 0 0 0 8 / 1 0 0 0 0 0  | 6 | 2 1 1 1 1 0 / 0 0 0 0 0 0 | 3  |
        kalaha | 0 0 0 0 0 0 / 2 0 0 0 0 3  |   | over                      | -5 |
        kalaha | 2 0 0 0 0 3 / 0 0 0 0 0 0  |   | over                      | 5  |
        kalaha | 0 0 0 0 0 1 / 3 0 0 0 0 0  | 6 | 0 0 0 0 0 0 / 3 0 0 0 0 0 | 1  | again
        ",
    );
}

/// The other store gets nothing from either seat: after the other row comes the own one.
#[test]
fn both_seats_leave_out_the_other_store() {
    for game in ["kalaha", "bao-kenya"] {
        check(&format!(
            "
            {game} | 0 1 0 0 0 9 / 0 1 0 0 0 9  | 6 | 1 2 1 1 1 10 / 1 2 0 0 0 0 | 1 |
            {game} | 1 2 1 1 1 10 / 1 2 0 0 0 0 | 6 | 2 3 1 1 1 1 / 2 3 2 1 1 0  | 1 |
            "
        ));
    }
}

/// Each keeps what lies in his row, once; and an extra turn does not delay the end.
#[test]
fn the_last_sweep_counts_once_and_the_extra_turn_falls_away() {
    let rules = rules_of("kalaha", 6);
    let lower = boards::solve_up_to(rules.as_ref(), 4);
    assert_eq!(boards::value(rules.as_ref(), &lower, &board_of("0 0 0 0 0 1 / 3 0 0 0 0 0")), 1 - 3);
    assert_eq!(over("kalaha", "0 0 0 0 0 0 / 3 0 0 0 0 0"), Some(Value(-3)));
}

#[test]
fn awale() {
    check(
        "
        awale                  | 1 0 0 0 0 2 / 1 1 0 0 0 3  | 6 | 0 0 0 0 0 3 / 1 0 0 0 0 0 | 4  |
        awale                  | 1 0 0 0 0 1 / 2 0 0 0 0 3  | 6 | 3 0 0 0 0 3 / 1 0 0 0 0 0 | 0  |
        oware                  | 1 0 0 0 0 1 / 2 0 0 0 0 3  | 6 | 0 0 0 0 0 3 / 1 0 0 0 0 0 | 3  |
        awale                  | 0 0 0 0 0 12 / 0 0 0 1 1 1 | 6 | 0 1 1 2 2 2 / 1 1 1 1 1 0 | 2  |
        awale                  | 0 0 0 1 0 1 / 1 0 0 0 0 0  | 4 | 1 0 0 0 0 0 / 0 0 0 0 1 1 | 0  |
        awale                  | 0 0 0 1 0 1 / 1 0 0 0 0 0  | 6 | illegal                   |    |
        awale grand_slam=void  | 0 0 0 1 0 1 / 1 0 0 0 0 0  | 6 | 2 0 0 0 0 0 / 0 0 0 1 0 0 | 0  |
        awale grand_slam=allow | 0 0 0 1 0 1 / 1 0 0 0 0 0  | 6 | 0 0 0 0 0 0 / 0 0 0 1 0 0 | 2  |
        awale                  | 0 0 0 0 1 2 / 0 0 0 0 0 0  | 6 | 1 1 0 0 0 0 / 0 0 0 0 1 0 | 0  |
        awale                  | 0 0 0 0 1 2 / 0 0 0 0 0 0  | 5 | illegal                   |    |
        awale grand_slam=allow | 0 0 0 0 1 2 / 0 0 0 0 0 0  | 5 | illegal                   |    |
        awale                  | 0 0 0 0 0 0 / 0 2 0 0 0 1  |   | over                      | -3 |
        awale                  | 0 0 0 0 1 2 / 1 0 0 0 0 3  | 6 | 2 1 0 0 0 3 / 0 0 0 0 1 0 | 0  |
        awale                  | 0 0 0 1 1 2 / 1 1 0 0 0 3  | 6 | 0 0 0 0 0 3 / 0 0 0 1 1 0 | 4  |
        awale                  | 0 0 0 3 1 1 / 0 0 0 0 0 3  | 4 | 1 0 0 0 0 3 / 0 0 0 0 2 2 | 0  |
        awale                  | 0 0 0 3 1 1 / 1 0 0 0 0 3  | 4 | 0 0 0 0 0 3 / 0 0 0 0 2 2 | 2  |
        awale chain_own=true   | 0 0 0 3 1 1 / 1 0 0 0 0 3  | 4 | 0 0 0 0 0 3 / 0 0 0 0 0 0 | 6  |
        awale                  | 0 0 0 0 0 22 / 0 0 0 0 0 0 | 6 | 2 2 2 2 2 2 / 2 2 2 2 2 0 | 0  |
        awale                  | 0 0 0 0 0 23 / 0 0 0 0 0 1 | 6 | 3 2 2 2 2 3 / 2 2 2 2 2 0 | 0  |
        ",
    );
    assert_eq!(names("awale", "0 0 0 1 0 1 / 1 0 0 0 0 0"), "4");
    assert_eq!(names("awale grand_slam=void", "0 0 0 1 0 1 / 1 0 0 0 0 0"), "4 6");
    assert_eq!(shortest_cycle("awale", "0 0 0 0 1 0 / 0 0 0 0 0 1"), Some(12));
}

#[test]
fn oware() {
    check(
        "
        oware       | 1 0 0 0 0 3 / 1 2 1 0 0 5  | 6 | 0 0 0 0 0 5 / 1 0 0 0 0 0  | 7  |
        awale       | 1 0 0 0 0 3 / 1 2 1 0 0 5  | 6 | 2 3 0 0 0 5 / 1 0 0 0 0 0  | 2  |
        oware       | 0 0 0 1 0 1 / 1 0 0 0 0 0  | 6 | 0 0 0 0 0 0 / 0 0 0 1 0 0  | 2  |
        oware-abapa | 0 0 0 1 0 1 / 1 0 0 0 0 0  | 6 | 2 0 0 0 0 0 / 0 0 0 1 0 0  | 0  |
        awari       | 0 0 0 1 0 1 / 1 0 0 0 0 0  | 6 | illegal                    |    |
        awari       | 0 0 0 0 0 1 / 1 0 0 0 0 0  | 6 | 0 0 0 0 0 0 / 0 0 0 0 0 0  | 2  |
        oware       | 12 0 0 0 0 0 / 1 1 1 1 1 1 | 1 | 2 2 2 2 2 2 / 0 2 1 1 1 1  | 0  |
        oware       | 23 0 0 0 0 0 / 0 0 0 0 0 0 | 1 | 2 2 2 2 2 2 / 0 3 2 2 2 2  | 0  |
        oware       | 11 0 0 0 0 0 / 1 1 1 1 1 1 | 1 | 0 0 0 0 0 0 / 0 1 1 1 1 1  | 12 |
        oware-abapa | 11 0 0 0 0 0 / 1 1 1 1 1 1 | 1 | 2 2 2 2 2 2 / 0 1 1 1 1 1  | 0  |
        oware-abapa | 0 0 0 0 0 2 / 1 1 0 0 0 0  | 6 | 2 2 0 0 0 0 / 0 0 0 0 0 0  | 0  |
        oware       | 0 0 0 0 0 2 / 1 1 0 0 0 0  | 6 | 0 0 0 0 0 0 / 0 0 0 0 0 0  | 4  |
        oware       | 0 0 0 0 1 1 / 0 0 0 0 0 0  | 5 | illegal                    |    |
        oware       | 0 0 0 0 1 1 / 0 0 0 0 0 0  | 6 | 1 0 0 0 0 0 / 0 0 0 0 1 0  | 0  |
        oware       | 1 0 0 0 0 0 / 0 0 0 0 0 0  | 1 | 0 0 0 0 0 0 / 0 1 0 0 0 0  | 0  |
        oware       | 0 0 0 0 0 0 / 0 0 0 1 0 0  |   | over                       | -1 |
        oware       | 0 0 0 0 1 17 / 0 0 0 0 0 0 | 5 | illegal                    |    |
        oware       | 0 0 0 0 1 17 / 0 0 0 0 0 0 | 6 | 0 0 0 0 0 0 / 1 1 1 1 2 0  | 12 |
        awari       | 0 0 0 0 1 17 / 0 0 0 0 0 0 | 5 | 0 0 0 0 0 0 / 0 0 0 0 0 18 | 0  |
        ",
    );
    assert_eq!(names("awari", "0 0 0 0 0 1 / 1 0 0 0 0 0"), "6");
    assert_eq!(shortest_cycle("oware", "0 0 0 0 1 0 / 0 0 0 0 0 1"), Some(12));
    let rules = rules_of("oware", 6);
    let lower = boards::solve_up_to(rules.as_ref(), 3);
    assert_eq!(boards::value(rules.as_ref(), &lower, &board_of("0 0 0 1 0 1 / 1 0 0 0 0 0")), 3);
}

/// A player who cannot feed may play what he likes, and gets all that is left.
#[test]
fn no_feeding_move_ends_the_game_in_one_move() {
    for game in ["awale", "oware", "awari", "oware-abapa"] {
        let rules = rules_of(game, 6);
        let lower = boards::solve_up_to(rules.as_ref(), 4);
        let board = board_of("1 2 1 0 0 0 / 0 0 0 0 0 0");
        assert_eq!(names(game, "1 2 1 0 0 0 / 0 0 0 0 0 0"), "1 2 3", "{game}");
        assert_eq!(boards::value(rules.as_ref(), &lower, &board), 4, "{game}");
    }
}

#[test]
fn nam_nam() {
    check(
        "
        nam-nam        | 4 4 4 4 4 4 / 4 4 4 4 4 4 | 1  | 6 6 0 1 6 6 / 2 7 1 6 1 6 | 0   |
        nam-nam        | 0 0 0 0 0 1 / 3 2 2 2 2 0 | 6  | 0 2 2 2 2 0 / 0 0 0 0 0 0 | 4   |
        nam-nam        | 1 0 0 0 0 2 / 3 0 2 2 2 0 | 6  | 0 1 2 2 2 0 / 1 0 0 0 0 0 | 0:4 |
        nam-nam        | 2 3 0 0 0 0 / 2 2 2 1 0 0 | 1  | 2 2 2 1 0 0 / 0 0 1 0 0 0 | 4   |
        nam-nam        | 0 0 0 0 0 1 / 3 1 1 1 1 0 | 6  | 0 0 0 0 0 0 / 0 0 0 0 0 0 | 8   |
        nam-nam last=0 | 0 0 0 0 0 1 / 3 1 1 1 1 0 | 6  | 0 1 1 1 1 0 / 0 0 0 0 0 0 | 4   |
        nam-nam last=3 | 0 0 0 0 0 1 / 3 1 1 1 1 0 | 6  | 0 1 1 1 1 0 / 0 0 0 0 0 0 | 4   |
        nam-nam        | 0 0 0 0 0 2 / 3 0 1 1 1 0 | 6  | 0 0 0 0 0 0 / 0 0 0 0 0 0 | 0:8 |
        nam-nam last=0 | 0 0 0 0 0 2 / 3 0 1 1 1 0 | 6  | 0 1 1 1 1 0 / 0 0 0 0 0 0 | 0:4 |
        nam-nam        | 0 0 0 0 0 0 / 1 1 0 0 0 0 | -  | 1 1 0 0 0 0 / 0 0 0 0 0 0 | 0   |
        nam-nam        | 0 0 0 0 0 0 / 0 0 0 0 0 0 |    | over                      | 0   |
        nam-nam        | 2 0 1 / 1 1 0             | 1  | 2 0 1 / 1 1 0             | 0   |
        nam-nam        | 1 4 0 0 0 0 / 0 0 0 0 0 3 | 1  | 1 0 0 0 0 3 / 0 0 1 1 1 1 | 0   |
        nam-nam        | 0 1 0 1 3 1 / 0 2 1 0 2 1 | 5  | any                       | 0   | endless
        nam-nam endless=illegal | 0 1 0 1 3 1 / 0 2 1 0 2 1 | 5 | illegal           |     |
        ",
    );
    assert_eq!(shortest_cycle("nam-nam", "2 0 1 / 1 1 0"), Some(1));
    // A lone seed goes six pits along a row, and the other player passes in between five times.
    assert_eq!(shortest_cycle("nam-nam", "1 0 0 0 0 0 / 0 0 0 0 0 0"), Some(11));
}

/// Owners decide who may lift and who wins a four on the way, whichever row the pit lies in. A star marks the pits of
/// the player across.
#[test]
fn nam_nam_owners() {
    let owners = "owners=111111100000";
    check(&format!(
        "
        nam-nam {owners} | 0 0 0 0 0 2 / 3* 0 2 2 2 0 | 6  | 0* 1 2 2 2 0 / 0 0 0 0 0 0 | 4 |
        nam-nam {owners} | 0 0 0 0 0 0 / 2* 0 0 0 0 0 | o1 | 0* 1 1 0 0 0 / 0 0 0 0 0 0 | 0 |
        nam-nam {owners} | 0 0 0 0 0 0 / 0* 1 0 0 0 0 | -  | 0* 1 0 0 0 0 / 0 0 0 0 0 0 | 0 |
        nam-nam {owners} | 2* 0 0 0 0 0 / 0 0 0 0 0 0 | -  | 0 0 0 0 0 0 / 2* 0 0 0 0 0 | 0 |
        nam-nam {owners} | 3* 2 0 0 0 0 / 2 2 2 1 0 2 | 1  | illegal                    |   |
        "
    ));
    assert_eq!(names(&format!("nam-nam {owners}"), "1 0 0 0 0 1 / 1* 1 0 0 0 0"), "1 6 o1");
    assert_eq!(names(&format!("nam-nam {owners}"), "1* 0 0 0 0 1 / 1 1 0 0 0 0"), "6");
}

#[test]
fn bao_kenya() {
    check(
        "
        bao-kenya | 3 3 3 3 3 3 3 3 / 3 3 3 3 3 3 3 3  | 6 | 3 3 3 3 3 0 4 4 / 3 3 3 3 3 3 3 3 | 1  | again
        bao-kenya | 2 0 0 0 0 0 0 1 / 0 0 0 0 0 6 0 0  | 1 | 0 0 0 0 0 0 0 0 / 0 1 1 0 0 0 0 1 | 6  |
        bao-kenya | 0 0 0 0 0 0 0 0 / 0 1 1 0 0 0 0 1  |   | over                              | -3 |
        bao-kenya | 0 0 0 0 0 0 0 17 / 0 0 0 0 0 0 0 0 | 8 | 1 1 1 1 1 1 1 0 / 1 1 1 1 1 1 1 1 | 2  | again
        bao-kenya | 2 0 0 0 0 0 0 1 / 0 0 0 0 0 0 0 6  | 1 | 0 0 0 0 0 0 0 6 / 0 1 1 0 0 0 0 1 | 0  |
        bao-kenya | 1 0 0 0 0 0 0 1 / 0 0 0 0 0 0 0 0  | 1 | 0 0 0 0 0 0 0 0 / 0 1 0 0 0 0 0 1 | 0  |
        bao-kenya take_own=true | 2 0 0 0 0 0 0 1 / 0 0 0 0 0 6 0 0 | 1 | 0 0 0 0 0 0 0 0 / 0 1 0 0 0 0 0 1 | 7 |
        bao-kenya take_own=true | 2 0 0 0 0 0 0 1 / 0 0 0 0 0 0 0 6 | 1 | 0 0 0 0 0 0 0 6 / 0 1 1 0 0 0 0 1 | 0 |
        ",
    );
}

#[test]
fn bao_laps() {
    check(
        "
        bao-laps | 2 2 2 2 2 2 2 2 / 2 2 2 2 2 2 2 2 | 1 | 0 3 0 0 3 3 0 3 / 1 0 1 4 4 1 3 3 | 3  |
        bao-laps | 2 0 1 0 0 0 0 0 / 0 0 0 4 0 7 0 0 | 1 | 0 0 0 0 0 7 0 0 / 0 1 0 1 1 0 0 0 | 4  |
        bao-laps | 1 0 0 0 0 0 0 2 / 1 0 0 0 0 0 0 3 | 8 | 2 1 0 0 0 0 0 3 / 1 0 0 0 0 0 0 0 | 0  |
        bao-laps | 1 0 0 0 0 0 0 2 / 1 0 0 0 0 0 0 3 | 1 | illegal                           |    |
        bao-laps | 1 0 1 0 0 0 0 0 / 0 0 0 0 0 0 3 0 | 1 | 0 0 0 0 0 0 0 0 / 0 1 1 0 0 0 0 0 | 3  |
        bao-laps | 0 0 0 0 0 0 0 0 / 0 2 0 0 0 0 0 1 |   | over                              | -3 |
        bao-laps take_own=true | 2 0 1 0 0 0 0 0 / 0 0 0 4 0 7 0 0 | 1 | 0 0 0 0 0 7 0 0 / 0 1 0 1 0 0 0 0 | 5 |
        bao-laps | 2 0 1 0 1 0 1 0 / 1 0 1 0 2 1 0 1 | 1 | any                               | 0  | endless
        bao-laps endless=illegal | 2 0 1 0 1 0 1 0 / 1 0 1 0 2 1 0 1 | 1 | over | 0 |
        ",
    );
    assert_eq!(names("bao-laps", "1 0 1 0 0 0 0 0 / 0 0 0 0 0 0 3 0"), "1 3");
    assert_eq!(shortest_cycle("bao-laps", "0 1 1 0 0 0 0 0 / 0 1 0 0 0 0 0 0"), Some(15));
}

#[test]
fn kiothi() {
    check(
        "
        kiothi | 0 0 0 0 0 0 0 0 0 12 / 0 0 0 0 0 0 0 0 2 0 | 10 | 1 1 1 1 1 1 1 1 0 1 / 1 0 0 0 0 0 0 0 0 0 | 4  |
        kiothi | 0 0 0 0 0 0 0 0 0 11 / 0 0 0 0 0 0 0 0 0 1 | 10 | 1 1 1 1 1 1 0 0 0 0 / 0 0 0 0 0 0 0 0 0 0 | 6  |
        kiothi | 0 0 0 0 0 0 0 0 0 1 / 6 0 0 0 0 0 0 2 0 0  | 10 | 0 1 1 1 1 1 1 0 0 0 / 0 0 0 0 0 0 0 0 0 0 | 3  |
        kiothi | 1 0 0 0 0 0 0 0 0 0 / 0 0 0 0 0 0 0 0 3 0  | 1  | 0 0 0 0 0 0 0 0 3 0 / 0 1 0 0 0 0 0 0 0 0 | 0  |
        kiothi | 1 0 0 0 0 0 0 0 0 11 / 0 0 0 0 0 0 0 2 0 0 | 10 | 1 1 1 1 1 1 1 0 1 1 / 0 1 0 0 0 0 0 0 0 0 | 4  |
        kiothi | 0 0 0 0 0 0 0 0 0 0 / 0 0 0 0 0 0 0 0 3 0  |    | over                                      | -3 |
        ",
    );
    assert_eq!(shortest_cycle("kiothi", "0 0 0 0 0 0 0 0 1 0 / 0 0 0 0 0 0 0 0 0 1"), Some(20));
    let rules = rules_of("kiothi", 10);
    assert_eq!(rules.initial(6), board_of("0 0 0 0 0 6 6 6 6 6 / 0 0 0 0 0 6 6 6 6 6"));
}

#[test]
fn kiothi_options() {
    check(
        "
        kiothi crossed_in=lap | 1 0 0 0 0 0 0 0 0 11 / 0 0 0 0 0 0 0 2 0 0 | 10 | 1 1 1 1 1 1 1 3 1 1 / 0 1 1 0 0 0 0 0 0 0 | 0 |
        kiothi chain_max=1 | 0 0 0 0 0 0 0 0 0 11 / 0 0 0 0 0 0 0 0 0 1 | 10 | 1 1 1 1 1 1 1 1 1 0 / 0 0 0 0 0 0 0 0 0 0 | 3 |
        kiothi chain_max=w | 0 0 0 0 0 0 0 0 0 11 / 0 0 0 0 0 0 0 0 0 1 | 10 | 0 0 0 0 0 0 0 0 0 0 / 0 0 0 0 0 0 0 0 0 0 | 12 |
        ",
    );
}

/// A star marks a pit that its owner has not lifted from.
#[test]
fn kiothi_closed_pits() {
    check(
        "
        kiothi flags=true | 0 0 0 0 0 0 0 0 0 12 / 0 0 0 0 0 0 0 0 2* 0 | 10 | 1 1 1 1 1 1 1 1 3* 1 / 1 0 0 0 0 0 0 0 0 0 | 1 |
        kiothi flags=true | 0 0 0 0 0 0 0 0 0 12 / 0 0 0 0 0 0 0 0 2 0* | 10 | 1 1 1 1 1 1 1 1 0 1* / 1 0 0 0 0 0 0 0 0 0 | 4 |
        kiothi flags=true | 0 0 0 0 0 0 0 0 0 11 / 0 0 0 0 0 0 0 0 0* 1 | 10 | 1 1 1 1 1 1 0 0 1* 0 / 0 0 0 0 0 0 0 0 0 0 | 5 |
        kiothi flags=true protected=stop | 0 0 0 0 0 0 0 0 0 11 / 0 0 0 0 0 0 0 0 0* 1 | 10 | 1 1 1 1 1 1 1 1 1* 0 / 0 0 0 0 0 0 0 0 0 0 | 3 |
        kiothi flags=true | 0* 2* 0 0 0 0 0 0 0 0 / 0 0 0 0 0 0 0 0 3 0 | 2 | 0 0 0 0 0 0 0 0 3 0 / 0* 0 1 1 0 0 0 0 0 0 | 0 |
        kiothi flags=true | 0 0 0 0 0 0 0 0 0 1* / 1* 0 0 0 0 0 0 0 3 0 | 10 | 0* 1 1 0 0 0 0 0 3 0 / 0 0 0 0 0 0 0 0 0 0 | 0 |
        ",
    );
    let start = rules_of("kiothi flags=true", 10).initial(6);
    assert_eq!(start, board_of("0* 0* 0* 0* 0* 6* 6* 6* 6* 6* / 0* 0* 0* 0* 0* 6* 6* 6* 6* 6*"));
}

/// Rings: front row from the left, then back row from the right; `>` is clockwise. A finished game is worth 1 if won
/// and -1 if lost.
#[test]
fn kujifunza() {
    check(
        "
        kujifunza | 2 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 / 0 0 0 0 0 3 0 0 0 2 0 0 0 0 0 0 | 1> | any | 0 | won
        kujifunza | 2 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0 / 0 0 0 0 0 3 0 0 0 2 0 0 0 0 0 0 | 1< | illegal | |
        kujifunza | 16 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 / 0 0 0 0 0 0 0 3 0 0 0 0 0 0 0 0 | 1> | 0 0 0 0 0 0 0 3 0 0 0 0 0 0 0 0 / 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 | 0 |
        kujifunza | 0 0 2 0 / 0 0 2 0 | | over | -1 |
        kujifunza | 0 0 0 0 / 0 0 0 0 | | over | -1 |
        kujifunza | 1 1 0 1 / 2 0 0 0 | | over | -1 |
        kujifunza | 2 0 0 0 / 0 0 1 1 | | over | 1  |
        kujifunza | 1 0 0 0 / 0 0 1 1 | | over | 1  |
        kujifunza | 2 0 0 0 / 0 1 0 0 | 1< | 0 1 0 0 / 0 0 1 1 | 0 |
        kujifunza own_front=during | 2 0 0 0 / 0 1 0 0 | 1< | any | 0 | lost
        kujifunza own_front=during | 2 0 0 0 / 0 1 0 0 | 1> | 0 1 0 0 / 0 1 1 0 | 0 |
        kujifunza lone_end=inward  | 2 0 0 0 / 0 1 0 0 | 1< | illegal | |
        kujifunza lone_end=inward  | 2 0 0 0 / 0 1 0 0 | 1> | 0 1 0 0 / 0 1 1 0 | 0 |
        kujifunza lone_end=inward  | 0 2 0 0 / 1 0 0 0 | 2> | illegal | |
        ",
    );
    assert_eq!(names("kujifunza", "16 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 / 0 0 0 0 0 0 0 3 0 0 0 0 0 0 0 0"), "1> 1<");
    assert_eq!(names("kujifunza", "1 0 0 3 / 0 1 0 0"), "b1<", "a mtaji from the back row is compulsory");
    assert_eq!(names("kujifunza", "1 0 0 3 / 1 0 0 0"), "b1> b1<", "the back row, where no front pit holds two");
    assert_eq!(names("kujifunza", "2 0 2 0 / 0 0 1 2"), "", "nothing is played once the other front row is empty");
    assert_eq!(names("kujifunza", "2 0 0 2 / 0 1 0 0"), "1> 1<", "the front row first");
}

/// After the capture in the right corner the seeds go counter-clockwise; the next one is in the centre.
#[test]
fn kujifunza_direction_of_a_capture_in_the_centre() {
    let position = "0 0 0 1 0 2 0 1 0 0 0 0 0 0 0 0 / 5 0 0 0 1 0 0 1 0 0 0 0 0 0 0 0";
    let after = "0 0 0 0 0 0 0 1 0 0 0 0 0 0 0 0";
    check(&format!(
        "
        kujifunza               | {position} | 6> | {after} / 1 1 1 0 2 2 3 0 0 0 0 0 0 0 0 0 | 0 |
        kujifunza central=first | {position} | 6> | {after} / 1 0 0 2 1 1 2 3 0 0 0 0 0 0 0 0 | 0 |
        "
    ));
}

/// No number of laps makes a sowing endless: this one captures after 108.
#[test]
fn a_long_sowing_is_followed_to_its_end() {
    check(
        "bao-laps | 1 0 1 2 1 2 7 1 / 2 3 0 2 3 2 1 2 | 6 | 1 0 5 0 3 0 0 3 / 4 1 3 0 1 0 1 2 | 6 |
         bao-laps endless=illegal | 1 0 1 2 1 2 7 1 / 2 3 0 2 3 2 1 2 | 6 | 1 0 5 0 3 0 0 3 / 4 1 3 0 1 0 1 2 | 6 |",
    );
}

/// `2, (0 1) x a, 0 2 1, (0 1) x b`: the sowing of the 2 never stops, for every split of `a + b = w - 2`.
fn endless_ring(width: usize, a: usize) -> Vec<u8> {
    [vec![2], [0, 1].repeat(a), vec![0, 2, 1], [0, 1].repeat(width - 2 - a)].concat()
}

#[test]
fn endless_rings_of_every_width() {
    for width in 2..=10 {
        for a in 0..=width - 2 {
            let board = Board::of(&endless_ring(width, a));
            for game in ["nam-nam", "bao-laps", "kiothi"] {
                let drawn = moves_of(rules_of(game, width).as_ref(), &board);
                let (_, sown) = drawn.iter().find(|(mv, _)| *mv == Move(0)).expect("pit 1 holds two");
                assert_eq!((sown.turn, sown.gain, sown.gain_other), (Turn::Endless, 0, 0), "{game} {board:?}");
                assert_eq!(sown.board.seeds(), board.seeds(), "{game} {board:?}");
                let illegal = moves_of(rules_of(&format!("{game} endless=illegal"), width).as_ref(), &board);
                assert!(illegal.iter().all(|(mv, _)| *mv != Move(0)), "{game} {board:?}");
            }
        }
    }
}

/// The same rings in the four rows, where the other player's only front seed lies across from an empty pit.
#[test]
fn endless_rings_of_the_four_row_game() {
    let mut met = 0;
    for width in 2..=10 {
        for a in 0..=width - 2 {
            let ring = endless_ring(width, a);
            for facing in (0..width).filter(|&facing| ring[width - 1 - facing] == 0) {
                let mut other = vec![0; 2 * width];
                other[facing] = 1;
                let board = Board::of(&[ring.clone(), other].concat());
                let drawn = moves_of(rules_of("kujifunza endless=draw", width).as_ref(), &board);
                let illegal = moves_of(rules_of("kujifunza", width).as_ref(), &board);
                let clockwise = drawn.iter().find(|(mv, _)| *mv == Move(0)).expect("a takata");
                assert_eq!(clockwise.1.turn, Turn::Endless, "{board:?}");
                assert!(illegal.iter().all(|(mv, _)| *mv != Move(0)), "{board:?}");
                met += 1;
            }
        }
    }
    assert!(met > 100, "{met} rings");
}

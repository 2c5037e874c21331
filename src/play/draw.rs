//! Boards and sowings for people.

use super::{Ply, Record, Seat};
use crate::games;
use crate::rules::notation;
use crate::rules::{Act, Board, Marks, Rules, Scoring, Step, Steps, Turn};

/// The board with `bottom` in front, rows as people sit: `bottom`'s row from his left to his right, the other player's
/// row turned round. Pits have the numbers by which their owner calls them, and `>` stands before the rows of the
/// player to move. Four rows: each player's front row lies in the middle. A star marks a closed pit (kiothi), and `~`
/// one that belongs to the player of the other row (nam-nam).
#[must_use]
pub fn draw(record: &Record, bottom: Seat) -> String {
    let rules = record.rules();
    let mover = record.seat();
    let board = if mover == bottom { record.board() } else { record.board().turned() };
    let cells = |own: bool| rows(rules, &board, own);
    let (near, mut far) = (cells(true), cells(false));
    far.iter_mut().for_each(|row| row.reverse());
    far.reverse();
    let width = near.iter().chain(&far).flatten().map(String::len).max().unwrap_or(1).max(2) + 2;
    let line = |mark: char, left: &str, between: &str, row: &[String]| {
        let cells: Vec<String> = row.iter().map(|cell| format!("{cell:^width$}")).collect();
        format!("{mark} {left}{}{left}", cells.join(between)).trim_end().to_owned()
    };
    let rule = format!("  +{}", format!("{}+", "-".repeat(width)).repeat(rules.rule_set().width()));
    let w = rules.rule_set().width();
    let names = |prefix: &str| (1..=w).map(|pit| format!("{prefix}{pit}")).collect::<Vec<_>>();
    let reversed = |mut names: Vec<String>| {
        names.reverse();
        names
    };
    let four = near.len() == 2;
    let mut text = vec![label(record, bottom.other())];
    let numbers = |text: &mut Vec<String>, row: Vec<String>| text.push(line(' ', " ", " ", &row));
    numbers(&mut text, reversed(names(if four { "b" } else { "" })));
    for (owner, rows) in [(bottom.other(), &far), (bottom, &near)] {
        for row in rows {
            text.push(rule.clone());
            text.push(line(if owner == mover { '>' } else { ' ' }, "|", "|", row));
        }
        if four && owner == bottom.other() {
            text.push(rule.clone());
            numbers(&mut text, reversed(names("")));
            numbers(&mut text, names(""));
        }
    }
    text.push(rule);
    numbers(&mut text, names(if four { "b" } else { "" }));
    text.push(label(record, bottom));
    text.join("\n")
}

/// The pits of one player row by row, his front row first, each from his left to his right.
fn rows(rules: &dyn Rules, board: &Board, own: bool) -> Vec<Vec<String>> {
    let w = rules.rule_set().width();
    let half = rules.half();
    let mut cells = vec![String::new(); half];
    let first = if own { 0 } else { half };
    for pit in first..first + half {
        let mark = match (board.marked(pit), rules.marks()) {
            (true, Marks::Closed) => "*",
            (true, Marks::Seats(_)) => "~",
            _ => "",
        };
        let (_, place) = notation::place(rules, pit);
        cells[place] = format!("{}{mark}", board.count(pit));
    }
    cells.chunks(w).map(<[String]>::to_vec).collect()
}

fn label(record: &Record, seat: Seat) -> String {
    match record.rules().scoring() {
        Scoring::Seeds => format!("  {seat}, won {}", record.won()[seat as usize]),
        Scoring::Outcome => format!("  {seat}"),
    }
}

/// What a sowing did, in one line.
#[must_use]
pub fn tell(rules: &dyn Rules, ply: &Ply) -> String {
    let mut text = format!("{} plays {}", ply.seat, rules.move_name(ply.mv));
    let Steps { steps, cut } = rules.steps(&ply.board, ply.mv);
    let count = |wanted: fn(&Step) -> bool| steps.iter().filter(|step| wanted(step)).count();
    let laps = count(|step| step.act == Act::Lift);
    let sown: usize = steps
        .iter()
        .filter(|step| matches!(step.act, Act::Drop | Act::Store))
        .map(|step| usize::from(step.seeds))
        .sum();
    if cut {
        text += &format!(": sows more than {sown} seeds in more than {laps} laps");
    } else if laps > 1 {
        text += &format!(": sows {sown} seeds in {laps} laps");
    } else if sown > 0 {
        text += &format!(": sows {sown}");
    } else {
        text += ": passes";
    }
    if ply.sown.gain > 0 {
        text += &format!(", wins {}", ply.sown.gain);
    }
    if ply.sown.gain_other > 0 {
        text += &format!(", gives {}", ply.sown.gain_other);
    }
    text += match ply.sown.turn {
        Turn::Pass => "",
        Turn::Again => ", moves again",
        Turn::Endless => ", and would never stop",
        Turn::Won => ", takes the last of the other front row",
        Turn::Lost => ", and empties the own front row",
    };
    text
}

/// The game's name for people.
#[must_use]
pub fn title(rules: &dyn Rules) -> &'static str {
    games::find(rules.rule_set().game()).map_or("", |game| game.title)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn record(game: &str, width: usize, rules: &[String], position: &str) -> Record {
        let rules: Arc<dyn Rules> = Arc::from(games::make(game, Some(width), rules).expect("a game of the registry"));
        let position = notation::parse(rules.as_ref(), position, 0).expect("a position");
        Record::new(rules, &position)
    }

    #[test]
    fn two_rows_face_each_other() {
        let mut record = record("kalaha", 3, &[], "1 2 3 / 4 5 12 : 7-0");
        let expected = "  second, won 0\n    3    2    1\n  +----+----+----+\n  | 12 | 5  | 4  |\n  +----+----+----+\n\
                        > | 1  | 2  | 3  |\n  +----+----+----+\n    1    2    3\n  first, won 7";
        assert_eq!(draw(&record, Seat::First), expected);
        record.play_turn("1").expect("legal");
        let turned = draw(&record, Seat::First);
        assert!(turned.contains("\n> | 12 | 5  | 4  |\n") && turned.contains("\n  | 0  | 3  | 3  |\n"), "{turned}");
        assert!(draw(&record, Seat::Second).contains("\n> | 4  | 5  | 12 |\n"));
        assert_eq!(tell(record.rules(), &record.plies()[0]), "first plays 1: sows 1");
    }

    #[test]
    fn four_rows_have_the_front_rows_in_the_middle() {
        let record = record("kujifunza", 3, &[], "1 2 3 / 6 5 4 / 7 8 9 / 12 11 10");
        let board = draw(&record, Seat::First);
        let rows: Vec<&str> = board.lines().filter(|line| line.contains('|')).collect();
        assert_eq!(rows, ["  | 10 | 11 | 12 |", "  | 9  | 8  | 7  |", "> | 1  | 2  | 3  |", "> | 6  | 5  | 4  |"]);
    }

    #[test]
    fn marks_are_shown() {
        let closed = record("kiothi", 2, &["flags=true".to_owned()], "6* 0 / 1 0*");
        assert!(draw(&closed, Seat::First).contains("| 6* | 0  |"));
        let owners = record("nam-nam", 2, &["owners=1110".to_owned()], "4 4 / 4 4");
        assert!(draw(&owners, Seat::First).contains("| 4  | 4~ |"));
    }
}

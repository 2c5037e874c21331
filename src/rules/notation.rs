//! Positions as people write them.
//!
//! `own / other`, each row from its owner's left to right, counts separated by blanks or commas; for four rows
//! `own front / own back / other front / other back`. Seeds already won may follow: `: 10-8`, the player to move
//! first. A star marks a pit that its owner has not lifted from yet (kiothi). `start` is the initial position.

use std::fmt::Write as _;

use thiserror::Error;

use super::{Board, MARK, MAX_SEEDS, Marks, Rules};

/// A position as it was written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position {
    /// The board as the player to move sees it.
    pub board: Board,
    /// Seeds already won by the player to move and by the other one, if that was said.
    pub won: Option<(u32, u32)>,
    /// Whether stars were written although these rules know no closed pits; all pits count as opened then.
    pub stars_ignored: bool,
}

/// Why a text is not a position of a game.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum NotationError {
    /// Not as many rows as the board has.
    #[error("found {found} row(s) separated by '/', expected {expected}: {form}")]
    Rows {
        /// Rows in the text.
        found: usize,
        /// Rows of the board.
        expected: usize,
        /// What they are.
        form: &'static str,
    },
    /// Not as many pits as a row has.
    #[error("the {row} row has {found} pit(s), expected {expected}")]
    Pits {
        /// Which row.
        row: &'static str,
        /// Counts in the text.
        found: usize,
        /// Pits of a row.
        expected: usize,
    },
    /// Something that is no number of seeds.
    #[error("pit {pit} of the {row} row is '{found}', expected a number of seeds from 0 to {MAX_SEEDS}{}", star(.stars))]
    Count {
        /// Which row.
        row: &'static str,
        /// Which pit, 1 for the leftmost.
        pit: usize,
        /// What stands there.
        found: String,
        /// Whether a star may follow.
        stars: bool,
    },
    /// More seeds than a board can hold.
    #[error("the position has {found} seeds, at most {MAX_SEEDS} are supported")]
    Seeds {
        /// Seeds in the text.
        found: u32,
    },
    /// Seeds won that cannot be read.
    #[error("the seeds won are ': {found}', expected two numbers like ': 10-8', the player to move first")]
    Won {
        /// What follows the colon.
        found: String,
    },
}

fn star(stars: &bool) -> &'static str {
    if *stars { ", with a star if the pit is closed" } else { "" }
}

const TWO_ROWS: [&str; 2] = ["own", "other"];
const FOUR_ROWS: [&str; 4] = ["own front", "own back", "other front", "other back"];

/// The names of the rows of a board, in the order in which they are written.
fn row_names(rules: &dyn Rules) -> &'static [&'static str] {
    if rules.half() == rules.rule_set().width() { &TWO_ROWS } else { &FOUR_ROWS }
}

/// The pits of each row, in the order in which they are written.
fn rows(rules: &dyn Rules) -> Vec<Vec<usize>> {
    let (w, half) = (rules.rule_set().width(), rules.half());
    let mut rows = Vec::new();
    for first in [0, half] {
        rows.push((first..first + w).collect());
        if half > w {
            // A ring runs through the back row from its owner's right to his left.
            rows.push((first + w..first + half).rev().collect());
        }
    }
    rows
}

/// Reads a position; `start` means the initial one with `per_pit` seeds in each pit that the game fills.
///
/// # Errors
/// What is wrong and where: the row, the pit, and what was expected there.
pub fn parse(rules: &dyn Rules, text: &str, per_pit: u8) -> Result<Position, NotationError> {
    let (board_text, won_text) = match text.split_once(':') {
        Some((board, won)) => (board, Some(won.trim())),
        None => (text, None),
    };
    let won = won_text.map(parse_won).transpose()?;
    if board_text.trim() == "start" {
        let found = rules.initial(1).seeds() * u32::from(per_pit);
        if found > MAX_SEEDS {
            return Err(NotationError::Seeds { found });
        }
        return Ok(Position { board: rules.initial(per_pit), won, stars_ignored: false });
    }
    let names = row_names(rules);
    let texts: Vec<&str> = board_text.split('/').collect();
    if texts.len() != names.len() {
        let form = if names.len() == 2 {
            "own / other, each from its owner's left to right"
        } else {
            "own front / own back / other front / other back, each from its owner's left to right"
        };
        return Err(NotationError::Rows { found: texts.len(), expected: names.len(), form });
    }
    let stars = rules.rule_set().game() == "kiothi";
    let mut board = Board::empty(2 * rules.half());
    let mut total = 0_u32;
    for ((row_text, name), pits) in texts.iter().zip(names).zip(rows(rules)) {
        let counts: Vec<&str> = row_text.split([',', ' ', '\t']).filter(|count| !count.is_empty()).collect();
        if counts.len() != pits.len() {
            return Err(NotationError::Pits { row: name, found: counts.len(), expected: pits.len() });
        }
        for (i, (count, pit)) in counts.iter().zip(pits).enumerate() {
            let (number, closed) = match count.strip_suffix('*') {
                Some(number) if stars => (number, true),
                _ => (*count, false),
            };
            let seeds = number.parse::<u32>().ok().filter(|_| number.bytes().all(|digit| digit.is_ascii_digit()));
            let seeds = seeds.filter(|&seeds| seeds <= MAX_SEEDS).ok_or_else(|| NotationError::Count {
                row: name,
                pit: i + 1,
                found: clip(count),
                stars,
            })?;
            total += seeds;
            board[pit] = seeds as u8 | if closed { MARK } else { 0 };
        }
    }
    if total > MAX_SEEDS {
        return Err(NotationError::Seeds { found: total });
    }
    let starred = board.marks() != 0;
    let board = match rules.marks() {
        Marks::None => board.with_marks(0),
        Marks::Closed => board,
        Marks::Seats(_) => board.with_marks(rules.initial(0).marks()),
    };
    Ok(Position { board, won, stars_ignored: starred && rules.marks() == Marks::None })
}

fn parse_won(text: &str) -> Result<(u32, u32), NotationError> {
    let number = |text: &str| text.trim().parse::<u32>().ok().filter(|&seeds| seeds <= 1000);
    let pair = text.split_once('-').and_then(|(own, other)| Some((number(own)?, number(other)?)));
    pair.ok_or_else(|| NotationError::Won { found: clip(text) })
}

/// Enough of a bad text to recognise it.
fn clip(text: &str) -> String {
    let mut clipped: String = text.chars().take(24).collect();
    if clipped.len() < text.len() {
        clipped.push('…');
    }
    clipped
}

/// Writes a board so that [`parse`] reads it back.
#[must_use]
pub fn write(rules: &dyn Rules, board: &Board) -> String {
    let mut text = String::new();
    let starred = rules.marks() == Marks::Closed;
    for (number, pits) in rows(rules).iter().enumerate() {
        text += if number > 0 { " / " } else { "" };
        for (i, &pit) in pits.iter().enumerate() {
            let star = if starred && board.marked(pit) { "*" } else { "" };
            // Writing to a string cannot fail.
            let _ = write!(text, "{}{}{star}", if i > 0 { " " } else { "" }, board.count(pit));
        }
    }
    text
}

/// The counts of one player's pits in the order in which they are written (front row, then back row).
#[must_use]
pub fn counts(rules: &dyn Rules, board: &Board, own: bool) -> Vec<u8> {
    let rows = rows(rules);
    let (mine, theirs) = rows.split_at(rows.len() / 2);
    (if own { mine } else { theirs }).iter().flatten().map(|&pit| board.count(pit)).collect()
}

/// Where a pit stands in [`counts`]: whether among the mover's pits, and its place there.
#[must_use]
pub fn place(rules: &dyn Rules, pit: usize) -> (bool, usize) {
    let own = pit < rules.half();
    let rows = rows(rules);
    let (mine, theirs) = rows.split_at(rows.len() / 2);
    let place = (if own { mine } else { theirs }).iter().flatten().position(|&other| other == pit);
    (own, place.unwrap_or_default())
}

/// The owners of a Nam Nam board in ring order, the mover's row first, 1 for a pit of the mover.
#[must_use]
pub fn owners(board: &Board) -> String {
    (0..board.len()).map(|i| if (i < board.half()) == board.marked(i) { '0' } else { '1' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::make;

    #[test]
    fn positions_read_back_as_written() {
        for (game, text) in [
            ("oware", "0 0 0 1 0 1 / 1 0 0 0 0 0"),
            ("kujifunza", "1 2 3 4 5 6 7 8 / 8 7 6 5 4 3 2 1 / 0 0 0 0 0 0 0 1 / 1 0 0 0 0 0 0 0"),
        ] {
            let rules = make(game, None, &[]).expect("a game");
            let position = parse(rules.as_ref(), text, 4).expect("a position");
            assert_eq!(write(rules.as_ref(), &position.board), text);
        }
        let rules = make("kiothi", Some(2), &["flags=true".to_owned()]).expect("a game");
        let position = parse(rules.as_ref(), "6*,0 / 1 0* : 3-4", 6).expect("a position");
        assert_eq!(position.won, Some((3, 4)));
        assert_eq!(write(rules.as_ref(), &position.board), "6* 0 / 1 0*");
    }

    #[test]
    fn rings_run_back_from_right_to_left() {
        let rules = make("kujifunza", Some(3), &[]).expect("a game");
        let position = parse(rules.as_ref(), "1 2 3 / 6 5 4 / 7 8 9 / 12 11 10", 2).expect("a position");
        assert_eq!(&position.board[..], &[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    }

    #[test]
    fn errors_name_the_place() {
        let rules = make("oware", None, &[]).expect("a game");
        let error = |text: &str| parse(rules.as_ref(), text, 4).expect_err("no position").to_string();
        assert!(error("1 2 3").contains("found 1 row"));
        assert!(error("1 2 3 4 5 / 0 0 0 0 0 0").contains("own row has 5 pit(s), expected 6"));
        assert!(error("1 2 3 4 5 x / 0 0 0 0 0 0").contains("pit 6 of the own row is 'x'"));
        assert!(error("1 2 3 4 5 -6 / 0 0 0 0 0 0").contains("'-6'"));
        assert!(error("1 2 3 4 5 6* / 0 0 0 0 0 0").contains("'6*'"));
        assert!(error("1 2 3 4 5 99 / 99 0 0 0 0 0").contains("213 seeds"));
        assert!(error("1 2 3 4 5 6 / 0 0 0 0 0 0 : 3").contains(": 3"));
        assert!(error("1 2 3 4 5 999999999999999999999 / 0 0 0 0 0 0").contains("pit 6"));
    }
}

//! What was played.
//!
//! ```text
//! sowbase game 1
//! rules kalaha --pits 4
//! start 3 3 3 3 / 3 3 3 3 : 0-0
//! moves 1-4 2
//! moves 3
//! shared
//! ```
//!
//! `rules` are the arguments that ask for them. `start` is the position before the first move, seen by `first`. A turn
//! of several sowings is joined by `-`; moves may be spread over lines as one likes. `shared` ends a game that both
//! players gave up as going round.

use std::sync::Arc;

use thiserror::Error;

use super::Seat;
use crate::games;
use crate::rules::notation::{self, NotationError, Position};
use crate::rules::{Board, Move, Moves, Rules, Scoring, Sown, Turn, Value};

const HEAD: &str = "sowbase game 1";

/// Turns of a line of a saved game.
const TURNS_A_LINE: usize = 16;

/// So often the same position ends a game that goes round.
const TIMES: usize = 3;

/// Why a game is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cause {
    /// By the rules there is nothing left to play.
    Over,
    /// The last sowing never stops; what is left is shared.
    Endless,
    /// The same position came back once too often; what is left is shared.
    Repetition,
    /// The players agreed that play goes round; what is left is shared.
    Agreed,
}

/// How a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ending {
    /// Why.
    pub cause: Cause,
    /// Who has won; nobody in a draw. In awale an even score is won by whoever first held half of all seeds.
    pub winner: Option<Seat>,
    /// Twice the seeds of each player, `first` first (shared seeds may be halves); zero where only the outcome counts.
    pub doubled: [i32; 2],
}

/// A sowing that was played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ply {
    /// The board before it, seen by its mover.
    pub board: Board,
    /// Who moved.
    pub seat: Seat,
    /// The move.
    pub mv: Move,
    /// What it did.
    pub sown: Sown,
    /// Seeds won before it.
    won: [u32; 2],
}

/// Why something cannot be played.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum PlayError {
    /// The game has ended.
    #[error("play is over")]
    Over,
    /// No such move here.
    #[error("'{found}' cannot be played here; the moves are {legal}")]
    Illegal {
        /// What was asked for.
        found: String,
        /// All moves.
        legal: String,
    },
    /// A turn goes on although it has ended.
    #[error("the turn ends with '{last}', so '{rest}' cannot follow in it")]
    TurnEnded {
        /// The sowing that ends it.
        last: String,
        /// What should have followed.
        rest: String,
    },
    /// Sharing what is left although nothing goes round.
    #[error("play has not come back to an earlier position")]
    NotRound,
}

/// Why a text is not a saved game.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum RecordError {
    /// It does not begin as one.
    #[error("not a saved game: the first line is not '{HEAD}'")]
    Head,
    /// It was played by other rules.
    #[error("the game was played by other rules; take it up with: sowbase play {found} (these are {expected})")]
    Rules {
        /// Whose it is.
        found: String,
        /// Whose was expected.
        expected: String,
    },
    /// The start cannot be read.
    #[error("line {line}: {source}")]
    Start {
        /// Where.
        line: usize,
        /// What is wrong.
        source: NotationError,
    },
    /// A move cannot be played.
    #[error("line {line}: {source}")]
    Move {
        /// Where.
        line: usize,
        /// What is wrong.
        source: PlayError,
    },
    /// A line that means nothing, or stands in the wrong place.
    #[error("line {line}: '{found}' is not expected there")]
    Line {
        /// Where.
        line: usize,
        /// How it begins.
        found: String,
    },
    /// There is no start.
    #[error("the game has no line 'start'")]
    NoStart,
}

/// A game from its start to where it stands.
#[derive(Clone)]
pub struct Record {
    rules: Arc<dyn Rules>,
    start: Board,
    start_won: [u32; 2],
    plies: Vec<Ply>,
    agreed: bool,
}

impl Record {
    /// A game that begins at `position`.
    #[must_use]
    pub fn new(rules: Arc<dyn Rules>, position: &Position) -> Self {
        let (first, second) = position.won.unwrap_or((0, 0));
        Self { rules, start: position.board, start_won: [first, second], plies: Vec::new(), agreed: false }
    }

    /// The rules.
    #[must_use]
    pub fn rules(&self) -> &dyn Rules {
        self.rules.as_ref()
    }

    /// The board, seen by the player to move.
    #[must_use]
    pub fn board(&self) -> Board {
        self.plies.last().map_or(self.start, |ply| ply.sown.board)
    }

    /// Who is to move.
    #[must_use]
    pub fn seat(&self) -> Seat {
        match self.plies.last() {
            None => Seat::First,
            Some(ply) if ply.sown.turn == Turn::Again => ply.seat,
            Some(ply) => ply.seat.other(),
        }
    }

    /// Seeds won so far, `first` first; what a finished game leaves on the board is not among them.
    #[must_use]
    pub fn won(&self) -> [u32; 2] {
        let Some(ply) = self.plies.last() else { return self.start_won };
        let mut won = ply.won;
        won[ply.seat.index()] += u32::from(ply.sown.gain);
        won[ply.seat.other().index()] += u32::from(ply.sown.gain_other);
        won
    }

    /// The position as [`notation`] knows it, with the seeds won.
    #[must_use]
    pub fn position(&self) -> Position {
        let won = self.won();
        let seat = self.seat();
        let won = (self.rules.scoring() == Scoring::Seeds).then(|| (won[seat.index()], won[seat.other().index()]));
        Position { board: self.board(), won, stars_ignored: false }
    }

    /// What was played.
    #[must_use]
    pub fn plies(&self) -> &[Ply] {
        &self.plies
    }

    /// The legal moves; none if the game has ended.
    #[must_use]
    pub fn moves(&self) -> Moves {
        let mut moves = Moves::new();
        if self.result().is_none() {
            let _ = self.rules.expand(&self.board(), &mut moves);
        }
        moves
    }

    /// How often the position has been on the board since a seed was last won, this time included.
    #[must_use]
    pub fn times(&self) -> usize {
        let (board, seat) = (self.board(), self.seat());
        let quiet = self.plies.iter().rev().take_while(|ply| ply.sown.gain == 0 && ply.sown.gain_other == 0);
        1 + quiet.filter(|ply| ply.board == board && ply.seat == seat).count()
    }

    /// How the game ended; `None` while it goes on.
    #[must_use]
    pub fn result(&self) -> Option<Ending> {
        let turn = self.plies.last().map(|ply| ply.sown.turn);
        let over = self.rules.expand(&self.board(), &mut Moves::new());
        let (cause, value) = match (turn, over) {
            (Some(Turn::Endless), _) => (Cause::Endless, Value::DRAW),
            // The board is seen by the player who did not make the last move.
            (Some(Turn::Won), _) => (Cause::Over, Value::loss(0)),
            (Some(Turn::Lost), _) => (Cause::Over, Value::win(0)),
            (_, Some(value)) => (Cause::Over, value),
            _ if self.agreed => (Cause::Agreed, Value::DRAW),
            _ if self.times() >= TIMES => (Cause::Repetition, Value::DRAW),
            _ => return None,
        };
        let (own, other) = (self.seat(), self.seat().other());
        let mut doubled = [0; 2];
        let mut lead = i32::from(value.0);
        if self.rules.scoring() == Scoring::Seeds {
            let (won, seeds) = (self.won().map(|won| won as i32), self.board().seeds() as i32);
            doubled[own.index()] = 2 * won[own.index()] + seeds + lead;
            doubled[other.index()] = 2 * won[other.index()] + seeds - lead;
            lead = doubled[own.index()] - doubled[other.index()];
        }
        let winner = match lead.signum() {
            1 => Some(own),
            -1 => Some(other),
            _ if self.rules.first_half_wins() => self.first_to_hold_half(),
            _ => None,
        };
        Some(Ending { cause, winner, doubled })
    }

    /// Who was the first to win half of all seeds by captures.
    fn first_to_hold_half(&self) -> Option<Seat> {
        let all = self.start_won.iter().sum::<u32>() + self.start.seeds();
        let later = self.plies.iter().skip(1).map(|ply| ply.won);
        let scores = std::iter::once(self.start_won).chain(later).chain(std::iter::once(self.won()));
        let holds = |won: [u32; 2]| match won.map(|won| 2 * won >= all) {
            [true, false] => Some(Seat::First),
            [false, true] => Some(Seat::Second),
            _ => None,
        };
        scores.into_iter().find_map(holds)
    }

    /// Plays one sowing.
    ///
    /// # Errors
    /// The game has ended, or the move is not legal.
    pub fn play(&mut self, mv: Move) -> Result<(), PlayError> {
        let moves = self.moves();
        if moves.is_empty() {
            return Err(PlayError::Over);
        }
        let Some((mv, sown)) = moves.into_iter().find(|(other, _)| *other == mv) else {
            return Err(self.illegal(&self.rules.move_name(mv)));
        };
        self.plies.push(Ply { board: self.board(), seat: self.seat(), mv, sown, won: self.won() });
        Ok(())
    }

    /// Plays a move by its name, or several sowings of one turn joined by `-`; all of them or none. Returns how many.
    ///
    /// # Errors
    /// The game has ended, or a move is not legal.
    pub fn play_turn(&mut self, turn: &str) -> Result<usize, PlayError> {
        let before = self.plies.len();
        let played = self.try_turn(turn);
        if played.is_err() {
            self.plies.truncate(before);
        }
        played.map(|()| self.plies.len() - before)
    }

    fn try_turn(&mut self, turn: &str) -> Result<(), PlayError> {
        // A lone dash is a pass.
        let mut rest = Some(turn);
        let mut last: Option<&str> = None;
        while let Some(text) = rest {
            let (name, tail) = match text.split_once('-') {
                Some((name, tail)) if !name.is_empty() => (name, Some(tail)),
                _ => (text, None),
            };
            if let (Some(last), Some(ply)) = (last, self.plies.last())
                && ply.sown.turn != Turn::Again
            {
                return Err(PlayError::TurnEnded { last: last.to_owned(), rest: text.to_owned() });
            }
            let moves = self.moves();
            if moves.is_empty() {
                return Err(PlayError::Over);
            }
            let mv = moves.iter().map(|(mv, _)| *mv).find(|mv| self.rules.move_name(*mv) == name);
            self.play(mv.ok_or_else(|| self.illegal(name))?)?;
            (last, rest) = (Some(name), tail);
        }
        Ok(())
    }

    fn illegal(&self, found: &str) -> PlayError {
        let names: Vec<String> = self.moves().iter().map(|(mv, _)| self.rules.move_name(*mv)).collect();
        let found: String = found.chars().take(24).collect();
        PlayError::Illegal { found, legal: names.join(" ") }
    }

    /// Takes the last sowing back, or the agreement to share; tells whether there was one.
    pub fn undo(&mut self) -> bool {
        std::mem::take(&mut self.agreed) || self.plies.pop().is_some()
    }

    /// Ends a game that goes round.
    ///
    /// # Errors
    /// The game has ended, or the position is a new one.
    pub fn share(&mut self) -> Result<(), PlayError> {
        if self.result().is_some() {
            return Err(PlayError::Over);
        }
        if self.times() < 2 {
            return Err(PlayError::NotRound);
        }
        self.agreed = true;
        Ok(())
    }

    /// The turns in words, sowings of one turn joined.
    #[must_use]
    pub fn turns(&self) -> Vec<String> {
        let mut turns: Vec<String> = Vec::new();
        let mut again = false;
        for ply in &self.plies {
            let name = self.rules.move_name(ply.mv);
            match turns.last_mut().filter(|_| again) {
                Some(turn) => *turn += &format!("-{name}"),
                None => turns.push(name),
            }
            again = ply.sown.turn == Turn::Again;
        }
        turns
    }

    /// The game as text; [`Record::parse`] reads it back.
    #[must_use]
    pub fn text(&self) -> String {
        let rules = self.rules.as_ref();
        let [first, second] = self.start_won;
        let mut text = format!(
            "{HEAD}\nrules {}\nstart {} : {first}-{second}\n",
            games::arguments(rules.rule_set()),
            notation::write(rules, &self.start)
        );
        for turns in self.turns().chunks(TURNS_A_LINE) {
            text += &format!("moves {}\n", turns.join(" "));
        }
        if self.agreed {
            text += "shared\n";
        }
        text
    }

    /// Reads a game back.
    ///
    /// # Errors
    /// The text is no saved game, belongs to other rules, or holds a move that cannot be played.
    pub fn parse(rules: &Arc<dyn Rules>, text: &str) -> Result<Self, RecordError> {
        let mut lines = text.lines().map(str::trim).zip(1..).filter(|(line, _)| !line.is_empty());
        if lines.next().is_none_or(|(line, _)| line != HEAD) {
            return Err(RecordError::Head);
        }
        let expected = games::arguments(rules.rule_set());
        let mut record: Option<Self> = None;
        for (content, line) in lines {
            let (word, rest) = content.split_once(' ').unwrap_or((content, ""));
            match (word, &mut record) {
                ("rules", None) => {
                    if rest != expected {
                        return Err(RecordError::Rules { found: rest.chars().take(200).collect(), expected });
                    }
                }
                ("start", None) => {
                    let position = notation::parse(rules.as_ref(), rest, 0);
                    let position = position.map_err(|source| RecordError::Start { line, source })?;
                    record = Some(Self::new(Arc::clone(rules), &position));
                }
                ("moves", Some(record)) => {
                    for turn in rest.split_whitespace() {
                        record.play_turn(turn).map_err(|source| RecordError::Move { line, source })?;
                    }
                }
                ("shared", Some(record)) => record.share().map_err(|source| RecordError::Move { line, source })?,
                _ => return Err(RecordError::Line { line, found: content.chars().take(24).collect() }),
            }
        }
        record.ok_or(RecordError::NoStart)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(game: &str, width: Option<usize>, position: &str) -> Record {
        let rules: Arc<dyn Rules> = Arc::from(games::make(game, width, &[]).expect("a game of the registry"));
        let position = notation::parse(rules.as_ref(), position, 3).expect("a position");
        Record::new(rules, &position)
    }

    #[test]
    fn every_game_is_played_saved_read_and_taken_back() {
        for game in games::GAMES {
            let mut record = record(game.id, None, "start");
            let start = record.board();
            for step in 0..200 {
                let moves = record.moves();
                if moves.is_empty() {
                    break;
                }
                record.play(moves[(step * 7 + 3) % moves.len()].0).expect("a legal move");
            }
            let read = Record::parse(&record.rules, &record.text()).expect("just written");
            assert_eq!((read.plies(), read.result()), (record.plies(), record.result()), "{}", game.id);
            let (won, seeds) = (record.won(), record.board().seeds());
            assert_eq!(won[0] + won[1] + seeds, start.seeds(), "{}", game.id);
            while record.undo() {}
            assert_eq!((record.board(), record.seat(), record.won()), (start, Seat::First, [0, 0]));
        }
    }

    #[test]
    fn extra_turns_are_one_turn() {
        let mut record = record("kalaha", Some(4), "start");
        assert_eq!(record.play_turn("2-1"), Ok(2));
        assert_eq!(record.seat(), Seat::Second);
        let error = record.play_turn("1-2").expect_err("the first sowing ends the turn");
        assert_eq!(error.to_string(), "the turn ends with '1', so '2' cannot follow in it");
        assert_eq!(record.turns(), ["2-1"]);
        assert!(matches!(record.play_turn("9"), Err(PlayError::Illegal { .. })));
    }

    #[test]
    fn play_that_goes_round_ends_and_shares() {
        let mut round = record("oware", None, "0 0 0 0 1 0 / 0 0 0 0 0 1 : 20-25");
        assert_eq!(round.share(), Err(PlayError::NotRound));
        while round.result().is_none() {
            round.play(round.moves()[0].0).expect("a legal move");
            assert!(round.plies().len() < 100);
        }
        let result = round.result().expect("just seen");
        assert_eq!(result, Ending { cause: Cause::Repetition, winner: Some(Seat::Second), doubled: [42, 52] });
        round.undo();
        assert_eq!(round.result(), None);
        while round.times() != 2 {
            round.undo();
        }
        round.share().expect("the position came back");
        assert_eq!(round.result().map(|result| result.cause), Some(Cause::Agreed));
        let read = Record::parse(&round.rules, &round.text()).expect("just written");
        assert_eq!(read.result(), round.result());
    }

    #[test]
    fn an_even_score_in_awale_is_won_by_the_first_to_hold_half() {
        let mut even = record("awale", None, "0 0 0 0 0 1 / 1 0 0 0 0 0 : 22-24");
        even.play_turn("6").expect("the only move");
        let ending = |winner| Some(Ending { cause: Cause::Over, winner, doubled: [48, 48] });
        assert_eq!(even.result(), ending(Some(Seat::Second)));
        let mut draw = record("oware", None, "0 0 0 0 0 1 / 1 0 0 0 0 0 : 22-24");
        draw.play_turn("6").expect("the only move");
        assert_eq!(draw.result(), ending(None));
    }

    #[test]
    fn bad_texts_are_refused() {
        let rules: Arc<dyn Rules> = Arc::from(games::make("oware", None, &[]).expect("a game of the registry"));
        let error = |text: &str| Record::parse(&rules, text).err().expect("no game").to_string();
        assert_eq!(error(""), "not a saved game: the first line is not 'sowbase game 1'");
        assert_eq!(error("sowbase game 1\n"), "the game has no line 'start'");
        assert!(error("sowbase game 1\nrules awale\n").contains("sowbase play awale"));
        assert!(error("sowbase game 1\nmoves 1\n").contains("line 2: 'moves 1' is not expected"));
        let head = "sowbase game 1\nrules oware\nstart";
        assert!(error(&format!("{head} 1 2 / 3\n")).starts_with("line 3: the own row has 2 pit(s)"));
        assert!(error(&format!("{head} start\nmoves 1\n")).starts_with("line 4: play is over"));
        assert!(error(&format!("{head} 4 4 4 4 4 4 / 4 4 4 4 4 4\nmoves 1 7\n")).contains("'7' cannot be played"));
        assert!(error(&format!("{head} 4 4 4 4 4 4 / 4 4 4 4 4 4\nshared\n")).contains("not come back"));
    }
}

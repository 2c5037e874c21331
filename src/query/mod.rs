//! Answers about a position: its value, its moves with their values, the best ones and a line of best play.

mod answer;
mod catalogue;
mod deep;
mod progress;
mod stats;

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use thiserror::Error;

pub use answer::{Answer, LineEnds, MoveAnswer, PositionAnswer, Worth};
pub use catalogue::{game_json, option_default, option_values, preset_json};
pub use deep::Effort;
pub use stats::Stats;

use self::progress::Sight;
use crate::database::{Database, DatabaseError};
use crate::games;
use crate::index::positions;
use crate::rules::notation::{self, Position};
use crate::rules::{Board, Layer, Move, Moves, Rules, Scoring, Sown, Turn, Value, worth};
use crate::search::book::BookError;
use crate::search::{SearchError, Transpositions};
use crate::solve::{Lower, Unwatched, solve};

/// How far a question may go beyond the tables.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    /// Positions that may be solved in memory to answer one question; 0 to answer from tables alone.
    pub build: u64,
    /// Moves of the line.
    pub line: usize,
}

impl Default for Reach {
    fn default() -> Self {
        Self { build: 6_000_000, line: 60 }
    }
}

/// Why a question has no answer.
#[derive(Debug, Error)]
pub enum QueryError {
    /// The tables cannot be used.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The position cannot be searched.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// The proofs on disk cannot be used.
    #[error(transparent)]
    Book(#[from] BookError),
}

/// What was done to answer beyond reading tables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note(pub String);

/// Answers questions about one rule set, from its tables and from small layers solved on the spot.
pub struct Oracle {
    database: Database,
    reach: Reach,
    solved: Mutex<Lower>,
    facts: Mutex<Option<Arc<Transpositions>>>,
}

impl Oracle {
    /// An oracle over the tables of `database`.
    #[must_use]
    pub fn new(database: Database, reach: Reach) -> Self {
        Self { database, reach, solved: Mutex::default(), facts: Mutex::default() }
    }

    /// The tables.
    #[must_use]
    pub fn database(&self) -> &Database {
        &self.database
    }

    fn rules(&self) -> &dyn Rules {
        self.database.rules().as_ref()
    }

    /// The value of a position, if tables or layers solved before know it.
    ///
    /// # Errors
    /// A damaged or foreign table.
    pub fn value(&self, board: &Board) -> Result<Option<Value>, DatabaseError> {
        let layer = self.database.layer_of(board);
        {
            let solved = self.solved.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(layer) = solved.get(layer) {
                return Ok(layer.index.checked_rank(board).map(|rank| Value(layer.values.get(rank))));
            }
        }
        if let Some(value) = self.database.probe(board)? {
            return Ok(Some(value));
        }
        Ok(self.rules().expand(board, &mut Moves::new()))
    }

    /// Answers about a position: from tables where they reach, from layers solved in memory where those are small,
    /// and with bounds otherwise. The second result tells what was solved.
    ///
    /// # Errors
    /// A damaged or foreign table, or a folder that cannot be read.
    pub fn answer(&self, position: &Position) -> Result<(Answer, Option<Note>), DatabaseError> {
        self.answer_with_line(position, self.reach.line)
    }

    /// As [`Oracle::answer`], with a line of at most so many moves. The line and the move to play cost far more than
    /// the values; 0 leaves both out.
    ///
    /// # Errors
    /// A damaged or foreign table, or a folder that cannot be read.
    pub fn answer_with_line(&self, position: &Position, line: usize) -> Result<(Answer, Option<Note>), DatabaseError> {
        let mut note = None;
        if !self.knows(&position.board)? {
            note = self.solve_small(&position.board)?;
        }
        let mut answer = self.describe(position, line)?;
        if position.stars_ignored {
            answer.notes.push("closed pits count as opened: these tables were made without flags".to_owned());
        }
        Ok((answer, note))
    }

    /// Whether the value of a position and those of all its moves are known, so that no best move is missed.
    ///
    /// # Errors
    /// A damaged or foreign table.
    pub fn knows(&self, board: &Board) -> Result<bool, DatabaseError> {
        for (_, sown) in &self.moves(board) {
            if self.move_worth(sown)?.exact().is_none() {
                return Ok(false);
            }
        }
        Ok(self.bounds(board)?.exact().is_some())
    }

    /// The value of a position, or what is known of it from its moves.
    fn bounds(&self, board: &Board) -> Result<Worth, DatabaseError> {
        if let Some(value) = self.value(board)? {
            return Ok(Worth::Exact(value));
        }
        let scoring = self.rules().scoring();
        let mut best = self.widest(board, true);
        for (_, sown) in &self.moves(board) {
            best = best.or(self.move_worth(sown)?, scoring);
        }
        Ok(match best {
            // Bounds that meet leave one number of seeds; of an outcome they do not tell the distance.
            Worth::Between(lower, upper) if lower == upper && scoring == Scoring::Seeds => Worth::Exact(Value(lower)),
            _ => best,
        })
    }

    fn moves(&self, board: &Board) -> Moves {
        let mut moves = Moves::new();
        let _ = self.rules().expand(board, &mut moves);
        moves
    }

    /// What can be said of a position without looking: everything, or as the start of a maximum the least.
    fn widest(&self, board: &Board, least: bool) -> Worth {
        match self.rules().scoring() {
            Scoring::Seeds => {
                let n = board.seeds() as i16;
                Worth::Between(-n, if least { -n } else { n })
            }
            Scoring::Outcome => Worth::Between(-1, if least { -1 } else { 1 }),
        }
    }

    /// What a move is worth to its mover.
    fn move_worth(&self, sown: &Sown) -> Result<Worth, DatabaseError> {
        let scoring = self.rules().scoring();
        if !matches!(sown.turn, Turn::Pass | Turn::Again) {
            return Ok(Worth::Exact(worth(scoring, sown, Value::DRAW)));
        }
        Ok(match self.value(&sown.board)? {
            Some(value) => Worth::Exact(worth(scoring, sown, value)),
            None => {
                let net = i16::from(sown.gain) - i16::from(sown.gain_other);
                let Worth::Between(lower, upper) = self.widest(&sown.board, false) else {
                    return Ok(Worth::Between(-1, 1));
                };
                Worth::Between(net + lower, net + upper)
            }
        })
    }

    /// Solves the missing layers below a position in memory, if they are small.
    fn solve_small(&self, board: &Board) -> Result<Option<Note>, DatabaseError> {
        let rules = self.rules();
        let target = self.database.layer_of(board);
        let mut solved = self.solved.lock().unwrap_or_else(PoisonError::into_inner);
        let needed: Vec<Layer> =
            rules.layers(target.seeds).into_iter().filter(|layer| layer.closed <= target.closed).collect();
        let within =
            |sum: u64, layer: &Layer| sum.checked_add(positions(rules, *layer)?).filter(|&sum| sum <= self.reach.build);
        if needed.iter().try_fold(0, within).is_none() {
            return Ok(None);
        }
        let begin = std::time::Instant::now();
        let mut count = 0;
        for layer in needed {
            if solved.contains(layer) {
                continue;
            }
            let ready = match self.database.load(layer, &mut solved)? {
                Some(loaded) => loaded,
                None => {
                    count += 1;
                    Arc::new(solve(rules, layer, &solved, &Unwatched)?.layer)
                }
            };
            solved.insert(ready);
        }
        let arguments = games::arguments(rules.rule_set());
        Ok((count > 0).then(|| {
            Note(format!(
                "{count} layer(s) up to {} seeds have no table and were solved in {:.1} s; keep them with: sowbase build {arguments} --seeds {}",
                target.seeds,
                begin.elapsed().as_secs_f64(),
                target.seeds
            ))
        }))
    }

    fn describe(&self, position: &Position, line: usize) -> Result<Answer, DatabaseError> {
        let rules = self.rules();
        let scoring = rules.scoring();
        let board = &position.board;
        let mut moves = Moves::new();
        let over = rules.expand(board, &mut moves);
        let worth = match over {
            Some(value) => Worth::Exact(value),
            None => self.bounds(board)?,
        };
        let mut answers = Vec::new();
        for (mv, sown) in &moves {
            answers.push(self.describe_move(*mv, sown)?);
        }
        let mut answer = Answer::new(rules, position, worth, over.is_some());
        if let (Worth::Exact(value), false) = (worth, over.is_some()) {
            for mv in &mut answers {
                mv.best = mv.worth.exact().is_some_and(|worth| scoring.same(worth, value));
            }
            answer.best = answers.iter().filter(|mv| mv.best).map(|mv| mv.name.clone()).collect();
            if line > 0 {
                let mut sight = Sight::default();
                answer.play = self.play(board, value, &moves, &mut sight)?.map(|mv| rules.move_name(mv));
                self.follow(board, false, &mut answer, line, &mut sight)?;
            } else {
                answer.line_ends = LineEnds::Limit;
            }
        }
        answer.moves = answers;
        Ok(answer)
    }

    fn describe_move(&self, mv: Move, sown: &Sown) -> Result<MoveAnswer, DatabaseError> {
        let rules = self.rules();
        Ok(MoveAnswer {
            name: rules.move_name(mv),
            pit: (mv != Move::PASS).then(|| rules.move_pit(mv)),
            gain: sown.gain,
            gain_other: sown.gain_other,
            again: sown.turn == Turn::Again,
            endless: sown.turn == Turn::Endless,
            worth: self.move_worth(sown)?,
            best: false,
            after: (sown.turn != Turn::Endless).then(|| PositionAnswer::new(rules, &sown.board)),
        })
    }

    /// The move to play and what it does: a best move that makes progress, so that whoever follows it move by move
    /// gets at least the value against every defence. `None` if play is over or the tables do not reach.
    ///
    /// # Errors
    /// A damaged or foreign table.
    pub fn next(&self, board: &Board) -> Result<Option<(Move, Sown)>, DatabaseError> {
        self.next_in(board, &mut Sight::default())
    }

    fn next_in(&self, board: &Board, sight: &mut Sight) -> Result<Option<(Move, Sown)>, DatabaseError> {
        let mut moves = Moves::new();
        if self.rules().expand(board, &mut moves).is_some() {
            return Ok(None);
        }
        // Its moves may tell the value even where its own layer is not at hand.
        let Some(value) = self.bounds(board)?.exact() else { return Ok(None) };
        let Some(chosen) = self.play(board, value, &moves, sight)? else { return Ok(None) };
        Ok(moves.into_iter().find(|(mv, _)| *mv == chosen))
    }

    fn play(
        &self,
        board: &Board,
        value: Value,
        moves: &Moves,
        sight: &mut Sight,
    ) -> Result<Option<Move>, DatabaseError> {
        let scoring = self.rules().scoring();
        let mut best = Vec::new();
        for (mv, sown) in moves {
            let exact = self.move_worth(sown)?.exact();
            if exact.is_some_and(|worth| worth.preference(scoring) == value.preference(scoring)) {
                best.push((*mv, *sown));
            }
        }
        if scoring == Scoring::Outcome || value == Value::DRAW || best.len() < 2 || self.is_acyclic() {
            return Ok(best.first().map(|(mv, _)| *mv));
        }
        progress::choose(self, sight, board, value, &best)
    }

    fn is_acyclic(&self) -> bool {
        self.rules().half_rows().is_some_and(crate::rules::HalfRows::acyclic)
    }

    /// Adds best play of both sides from `board` to the line; `again` tells whether that goes on with a turn.
    fn follow(
        &self,
        board: &Board,
        mut again: bool,
        answer: &mut Answer,
        line: usize,
        sight: &mut Sight,
    ) -> Result<(), DatabaseError> {
        let rules = self.rules();
        let mut board = *board;
        let mut seen = HashSet::new();
        answer.line_ends = LineEnds::Limit;
        while answer.line.len() < line {
            if rules.expand(&board, &mut Moves::new()).is_some() {
                answer.line_ends = LineEnds::Over;
                return Ok(());
            }
            if !seen.insert(board) {
                answer.line_ends = LineEnds::Repetition;
                return Ok(());
            }
            let Some((mv, sown)) = self.next_in(&board, sight)? else {
                return Ok(());
            };
            answer.add_to_line(rules.move_name(mv), again);
            again = sown.turn == Turn::Again;
            match sown.turn {
                Turn::Pass | Turn::Again => {}
                Turn::Endless => {
                    answer.line_ends = LineEnds::Repetition;
                    return Ok(());
                }
                Turn::Won | Turn::Lost => {
                    answer.line_ends = LineEnds::Over;
                    return Ok(());
                }
            }
            board = sown.board;
        }
        Ok(())
    }
}

impl Scoring {
    /// Whether two values are equally good, distances apart.
    #[must_use]
    fn same(self, a: Value, b: Value) -> bool {
        match self {
            Self::Seeds => a == b,
            Self::Outcome => a.0.signum() == b.0.signum(),
        }
    }
}

/// Reads a position as the command line writes it.
///
/// # Errors
/// What is wrong with the text, and where.
pub fn parse(rules: &dyn Rules, text: &str, per_pit: u8) -> Result<Position, notation::NotationError> {
    notation::parse(rules, text, per_pit)
}

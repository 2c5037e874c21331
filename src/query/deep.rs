//! Answers beyond the tables, by search.

use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::progress::Sight;
use super::{Answer, LineEnds, Note, Oracle, QueryError, Worth};
use crate::database::DatabaseError;
use crate::index::positions;
use crate::rules::notation::Position;
use crate::rules::{Board, Layer, Move, Moves, Scoring, Turn, Value};
use crate::search::book::Book;
use crate::search::{Bounds, Limits, MoveAnswer, Probe, Search, Snapshot, Transpositions, Watch};
use crate::solve::{Lower, SolvedLayer, Unwatched, Values, solve};

/// What a search may spend.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// Wall time; `None` for as long as it takes.
    pub time: Option<Duration>,
    /// Bytes for layers in memory and for what has been proved, half for each.
    pub memory: u64,
    /// Threads.
    pub threads: usize,
    /// Whether the moves beside the best get no more time than the value took.
    pub value_first: bool,
}

/// Wall time between two times that a long search writes down what it has proved.
const BETWEEN_SAVES: Duration = Duration::from_secs(60);

/// Wall time for solving layers below a position, if the search has no limit.
const GROUND: Duration = Duration::from_secs(20);

/// Positions of layers below that are solved for one search, at the most.
const MOST_SOLVED: u64 = 100_000_000;

/// Facts that a book keeps, 16 bytes each.
const FACTS: usize = 2_000_000;

/// A table of proved facts takes memory as it fills, but more than this is seldom filled in an evening.
const MOST_FACTS_BYTES: u64 = 4 << 30;

/// Raw layers where there are some, and the tables beyond them.
struct Leaves<'a> {
    oracle: &'a Oracle,
    lower: &'a Lower,
    most_seeds: Option<u8>,
}

impl Probe for Leaves<'_> {
    fn most_seeds(&self) -> Option<u8> {
        self.most_seeds
    }

    fn probe(&self, board: &Board) -> Option<Value> {
        let layer = self.oracle.database.layer_of(board);
        match self.lower.get(layer) {
            Some(solved) => solved.index.checked_rank(board).map(|rank| Value(solved.values.get(rank))),
            // A table that fails says nothing, so the search goes on below it; the answer stays right.
            None => self.oracle.database.probe(board).ok().flatten(),
        }
    }

    fn raw(&self, layer: Layer) -> Option<&SolvedLayer> {
        self.lower.get(layer).filter(|solved| matches!(solved.values, Values::Seeds(_)))
    }
}

/// Passes on what a watch hears, and remembers the last of it for the book.
struct Latest<'a> {
    watch: &'a dyn Watch,
    /// First moves, nodes and seconds.
    state: Mutex<(Vec<MoveAnswer>, u64, f64)>,
}

impl Latest<'_> {
    fn note(&self, board: &Board, proofs: &mut Book) {
        let (moves, nodes, seconds) = &*self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !moves.is_empty() {
            proofs.note(board, moves, *nodes, *seconds);
        }
    }
}

impl Watch for Latest<'_> {
    fn report(&self, snapshot: &Snapshot<'_>) {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner) =
            (snapshot.moves.to_vec(), snapshot.nodes, snapshot.seconds);
        self.watch.report(snapshot);
    }

    fn is_cancelled(&self) -> bool {
        self.watch.is_cancelled()
    }
}

impl Oracle {
    /// Answers about a position that the tables do not reach, by searching down to them, with bounds where the effort
    /// does not suffice. A position that the tables do reach is answered as [`Oracle::answer`] does.
    ///
    /// With a `book`, what was proved before is taken from it, and what is proved is put there every minute and at the
    /// end, so that a stopped search goes on where it was.
    ///
    /// # Errors
    /// A damaged or foreign table or book, or a position that cannot be searched.
    pub fn search(
        &self,
        position: &Position,
        effort: Effort,
        book: Option<&Path>,
        watch: &dyn Watch,
    ) -> Result<(Answer, Option<Note>), QueryError> {
        let begin = Instant::now();
        let (mut answer, note) = self.answer(position)?;
        if answer.worth.exact().is_some() {
            return Ok((answer, note));
        }
        let rules = self.rules();
        let board = &position.board;
        let lower = self.lay_ground(board, effort.memory / 2, begin + effort.time.map_or(GROUND, |time| time / 8))?;
        let leaves = Leaves { oracle: self, lower: &lower, most_seeds: self.most_covered(&lower)? };
        let facts = self.facts((effort.memory / 2).min(MOST_FACTS_BYTES) as usize);
        let mut proofs = match book {
            Some(path) => Book::load(path, rules.rule_set())?,
            None => Book::default(),
        };
        proofs.restore(&facts);
        let limits = Limits {
            time: effort.time.map(|time| time.saturating_sub(begin.elapsed())),
            threads: effort.threads.max(1),
            every_move: true,
            value_first: effort.value_first,
        };
        let known = proofs.openings.get(board).map(|opening| opening.moves.clone()).unwrap_or_default();
        let search = Search::new(rules, &leaves, Some(facts.as_ref()));
        let latest = Latest { watch, state: Mutex::default() };
        let found = std::thread::scope(|scope| {
            let (done, is_done) = mpsc::channel::<()>();
            if let Some(path) = book {
                let (latest, proofs, facts) = (&latest, &proofs, &facts);
                scope.spawn(move || {
                    while is_done.recv_timeout(BETWEEN_SAVES) == Err(RecvTimeoutError::Timeout) {
                        let mut proofs = proofs.clone();
                        latest.note(board, &mut proofs);
                        proofs.keep(facts, FACTS);
                        // What cannot be written now shows at the end, if it still cannot.
                        let _ = proofs.save(path, rules.rule_set());
                    }
                });
            }
            let found = search.run(board, &known, &limits, &latest);
            drop(done);
            found
        })?;
        proofs.note(board, &found.moves, found.nodes, found.seconds);
        if let Some(path) = book {
            proofs.keep(&facts, FACTS);
            // The answer is worth more than its being kept.
            if let Err(error) = proofs.save(path, rules.rule_set()) {
                answer.notes.push(format!("what was proved is not kept: {error}"));
            }
        }
        self.take_in(board, &proofs, &mut answer);
        if answer.worth.exact().is_some() {
            self.take_line(board, &found.line, &mut answer)?;
        }
        answer.effort = Some((found.nodes, begin.elapsed().as_secs_f64()));
        Ok((answer, note))
    }

    /// A table of facts, of about `bytes` bytes if there is none yet. Where play cannot go round it is the same for all
    /// searches, since positions that are asked for one after the other have much in common. Where it can, facts come
    /// with marks how deep was searched in vain, which would hold up the next search.
    fn facts(&self, bytes: usize) -> Arc<Transpositions> {
        let mut kept = self.facts.lock().unwrap_or_else(PoisonError::into_inner);
        match &*kept {
            Some(facts) => Arc::clone(facts),
            None => {
                let facts = Arc::new(Transpositions::new(bytes));
                *kept = self.is_acyclic().then(|| Arc::clone(&facts));
                facts
            }
        }
    }

    /// Brings the layers below a position into memory, from tables where there are some and by solving the small ones
    /// that have none, as many as fit into `memory` bytes; no layer is solved that would be begun after `deadline`. Each
    /// is about twice the work of the one before, so that the last one ends soon after.
    fn lay_ground(&self, board: &Board, memory: u64, deadline: Instant) -> Result<Lower, DatabaseError> {
        let rules = self.rules();
        let target = self.database.layer_of(board);
        let mut solved_before = self.solved.lock().unwrap_or_else(PoisonError::into_inner);
        let mut lower = solved_before.clone();
        let (mut bytes, mut solved) = (0_u64, 0_u64);
        if rules.scoring() == Scoring::Outcome {
            // Seeds never leave the board, so no layer is below.
            return Ok(lower);
        }
        for layer in rules.layers(target.seeds) {
            let Some(size) = positions(rules, layer).filter(|_| layer < target && layer.closed <= target.closed) else {
                continue;
            };
            bytes = bytes.saturating_add(size);
            if bytes > memory {
                break;
            }
            if lower.contains(layer) {
                continue;
            }
            let ready = match self.database.load(layer, &mut lower)? {
                Some(loaded) => loaded,
                None => {
                    solved = solved.saturating_add(size);
                    if solved > MOST_SOLVED || Instant::now() > deadline {
                        break;
                    }
                    Arc::new(solve(rules, layer, &lower, &Unwatched)?.layer)
                }
            };
            lower.insert(ready);
        }
        // The line of play goes on into these layers.
        solved_before.clone_from(&lower);
        Ok(lower)
    }

    fn most_covered(&self, lower: &Lower) -> Result<Option<u8>, DatabaseError> {
        let in_memory = (0..=127).rev().find(|&seeds| (0..=40).any(|closed| lower.contains(Layer { seeds, closed })));
        let on_disk = self.database.layers()?.into_iter().map(|layer| layer.seeds).max();
        Ok(in_memory.max(on_disk))
    }

    /// Puts what was proved of the first moves into the answer.
    fn take_in(&self, board: &Board, proofs: &Book, answer: &mut Answer) {
        let Some(opening) = proofs.openings.get(board) else { return };
        let scoring = answer.scoring;
        let rules = self.rules();
        for known in &opening.moves {
            let name = rules.move_name(known.mv);
            if let Some(mv) = answer.moves.iter_mut().find(|mv| mv.name == name) {
                mv.worth = worth_of(scoring, known.worth, known.distance);
            }
        }
        let ranges = || answer.moves.iter().map(|mv| mv.worth.range(scoring));
        let (Some(lower), Some(upper)) = (ranges().map(|r| r.0).max(), ranges().map(|r| r.1).max()) else { return };
        let best = answer.moves.iter().filter_map(|mv| mv.worth.exact()).max_by_key(|value| value.preference(scoring));
        answer.worth = match best {
            Some(value) if lower == upper && scoring.number(value) == lower => Worth::Exact(value),
            _ if lower == upper && scoring == Scoring::Seeds => Worth::Exact(Value(lower)),
            _ => Worth::Between(lower, upper),
        };
        if let Worth::Exact(value) = answer.worth {
            for mv in &mut answer.moves {
                mv.best = mv.worth.exact().is_some_and(|worth| scoring.same(worth, value));
            }
            answer.best = answer.moves.iter().filter(|mv| mv.best).map(|mv| mv.name.clone()).collect();
        }
    }

    /// Writes the line that the search proved, and goes on by the tables where it ends.
    fn take_line(&self, board: &Board, line: &[Move], answer: &mut Answer) -> Result<(), DatabaseError> {
        let rules = self.rules();
        let (mut board, mut again) = (*board, false);
        answer.play = answer.best.first().cloned();
        answer.line_ends = LineEnds::Limit;
        for mv in line {
            let mut moves = Moves::new();
            let _ = rules.expand(&board, &mut moves);
            let Some((_, sown)) = moves.iter().find(|(other, _)| other == mv) else { break };
            answer.add_to_line(rules.move_name(*mv), again);
            again = sown.turn == Turn::Again;
            if !matches!(sown.turn, Turn::Pass | Turn::Again) {
                answer.line_ends = if sown.turn == Turn::Endless { LineEnds::Repetition } else { LineEnds::Over };
                return Ok(());
            }
            board = sown.board;
        }
        if let Some(first) = answer.line.first() {
            answer.play = Some(first.clone());
        }
        self.follow(&board, again, answer, self.reach.line, &mut Sight::default())
    }
}

fn worth_of(scoring: Scoring, bounds: Bounds, distance: Option<u16>) -> Worth {
    match (scoring, bounds.is_exact(), bounds.lower, distance) {
        (Scoring::Seeds, true, value, _) => Worth::Exact(Value(value)),
        (Scoring::Outcome, true, 0, _) => Worth::Exact(Value::DRAW),
        (Scoring::Outcome, true, 1, Some(distance)) => Worth::Exact(Value::win(distance)),
        (Scoring::Outcome, true, -1, Some(distance)) => Worth::Exact(Value::loss(distance)),
        _ => Worth::Between(bounds.lower, bounds.upper),
    }
}

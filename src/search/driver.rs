//! From tests against single numbers to the value of a position and of each of its moves.
//!
//! A test near the value costs most, one far from it little. So each round of effort first asks at the best guess and
//! goes on from the answer (each answer narrows the bounds, often by more than one); when a test is too hard for the
//! round, questions ever farther off on both sides narrow the bounds as far as they can. Then the next round allows
//! more: positions where play cannot go round, depth where it can.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use thiserror::Error;

use super::distance::Distances;
use super::ground::{Child, Ground, Plain};
use super::rows::Rows;
use super::transposition::{NO_HINT, Transpositions};
use super::tree::{Clock, Memory, NEAR_BYTES, Node, Worker};
use super::{Bounds, Probe};
use crate::rules::{Board, Move, Moves, Rules, Scoring, Sown, Turn, Value, while_wanted, worth};

/// How far a search may go.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Wall time; `None` for as long as it takes.
    pub time: Option<Duration>,
    /// Threads, at least 1.
    pub threads: usize,
    /// Whether every first move is to be valued, not only the best.
    pub every_move: bool,
    /// Whether the other moves get no more time than the value took (and a second).
    pub value_first: bool,
}

impl Default for Limits {
    fn default() -> Self {
        Self { time: None, threads: 1, every_move: true, value_first: false }
    }
}

/// Hears how far a search is, and may stop it. Called from several threads.
pub trait Watch: Sync {
    /// Something new was proved.
    fn report(&self, snapshot: &Snapshot<'_>);
    /// Whether to give up; asked every few thousand positions of each thread.
    fn is_cancelled(&self) -> bool;
}

/// A search that nobody watches.
pub struct Unwatched;

impl Watch for Unwatched {
    fn report(&self, _: &Snapshot<'_>) {}
    fn is_cancelled(&self) -> bool {
        false
    }
}

/// What a running search has proved.
#[derive(Clone, Copy, Debug)]
pub struct Snapshot<'a> {
    /// Bounds of the position's value.
    pub value: Bounds,
    /// The first moves.
    pub moves: &'a [MoveAnswer],
    /// Positions reached by a move and looked at.
    pub nodes: u64,
    /// Table values looked up.
    pub probes: u64,
    /// Wall time since the beginning.
    pub seconds: f64,
}

/// A first move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MoveAnswer {
    /// The move.
    pub mv: Move,
    /// What it does.
    pub sown: Sown,
    /// What it is worth to its mover, `gain` included.
    pub worth: Bounds,
    /// Outcome games: moves of both players to the end of a won or lost game, this one included.
    pub distance: Option<u16>,
}

/// What was proved of a first move before a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Known {
    /// The move.
    pub mv: Move,
    /// What it is worth.
    pub worth: Bounds,
    /// Outcome games: moves to the end of a won or lost game.
    pub distance: Option<u16>,
}

/// What a search has found.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// Bounds of the position's value; exact if nothing stopped the search.
    pub value: Bounds,
    /// Outcome games: moves to the end of a won or lost game.
    pub distance: Option<u16>,
    /// The first moves in the order of the rules; none if play is over.
    pub moves: Vec<MoveAnswer>,
    /// One line of best play of both sides from an exact value, as far as it was followed: to the end of play, to the
    /// tables, or to a repetition.
    pub line: Vec<Move>,
    /// Positions reached by a move and looked at.
    pub nodes: u64,
    /// Table values looked up.
    pub probes: u64,
    /// Wall time.
    pub seconds: f64,
}

/// Why there is no answer.
#[derive(Debug, Error)]
pub enum SearchError {
    /// A position that the search does not take.
    #[error("a board of {found} pits was given to {game}, which has {expected}")]
    Board {
        /// The game.
        game: &'static str,
        /// Pits of the board.
        found: usize,
        /// Pits of the game.
        expected: usize,
    },
    /// More seeds than a value can count.
    #[error("{found} seeds on the board; at most 127 can be searched")]
    Seeds {
        /// Seeds on the board.
        found: u32,
    },
    /// The system would not start a thread.
    #[error("a search thread could not be started")]
    Thread(#[source] std::io::Error),
}

/// A search under one rule set.
#[derive(Clone, Copy)]
pub struct Search<'a> {
    rules: &'a dyn Rules,
    probe: &'a dyn Probe,
    table: Option<&'a Transpositions>,
}

impl<'a> Search<'a> {
    /// Searches by `rules` down to the tables of `probe`. What is proved goes to `table`, which may be kept for further
    /// searches under the same rules; without one, only small positions can be searched.
    #[must_use]
    pub fn new(rules: &'a dyn Rules, probe: &'a dyn Probe, table: Option<&'a Transpositions>) -> Self {
        Self { rules, probe, table }
    }

    /// Proves what it can about `board`; `known` is what was proved of its first moves earlier.
    ///
    /// Whatever stops it, all bounds returned are true. The cost is that of the question: from microseconds to years.
    ///
    /// # Errors
    /// The board is not one of the game, or a thread could not be started.
    pub fn run(
        &self,
        board: &Board,
        known: &[Known],
        limits: &Limits,
        watch: &dyn Watch,
    ) -> Result<Answer, SearchError> {
        let expected = 2 * self.rules.half();
        if board.len() != expected {
            let game = self.rules.rule_set().game();
            return Err(SearchError::Board { game, found: board.len(), expected });
        }
        let seeds = board.seeds();
        if seeds > crate::rules::MAX_SEEDS {
            return Err(SearchError::Seeds { found: seeds });
        }
        let acyclic = self.rules.half_rows().is_some_and(crate::rules::HalfRows::acyclic);
        let plain = Plain { rules: self.rules, probe: self.probe, most_probed: self.probe.most_seeds() };
        match (Rows::new(self.rules, self.probe, seeds as u8), acyclic) {
            (Some(rows), true) => self.drive::<_, false>(&rows, board, known, limits, watch),
            (Some(rows), false) => self.drive::<_, true>(&rows, board, known, limits, watch),
            (None, true) => self.drive::<_, false>(&plain, board, known, limits, watch),
            (None, false) => self.drive::<_, true>(&plain, board, known, limits, watch),
        }
    }

    fn drive<G: Ground, const CYCLIC: bool>(
        &self,
        ground: &G,
        board: &Board,
        known: &[Known],
        limits: &Limits,
        watch: &dyn Watch,
    ) -> Result<Answer, SearchError> {
        let started = Instant::now();
        let driver = Driver::<G, CYCLIC> {
            search: *self,
            ground,
            stack: stack_bytes(self.rules, board.seeds() as usize, CYCLIC),
            watch,
            started,
            until: AtomicU64::new(until(limits.time)),
            limit: AtomicU64::new(until(limits.time)),
            counts: Counts::default(),
            near: (0..limits.threads.max(1)).map(|_| Transpositions::new(NEAR_BYTES)).collect(),
        };
        driver.run(board, known, limits)
    }
}

/// Room for the deepest recursion: see [`tree`](super::tree) for the number of moves; a visit takes less than a
/// kilobyte when optimised and some three otherwise.
fn stack_bytes(rules: &dyn Rules, seeds: usize, cyclic: bool) -> usize {
    let deepest = if cyclic { usize::from(u8::MAX) + 1 } else { rules.half() * seeds * (seeds + 1) / 2 + seeds };
    (1 << 20) + deepest * 4096
}

/// A time limit in microseconds.
fn until(time: Option<Duration>) -> u64 {
    time.map_or(u64::MAX, |time| time.as_micros() as u64)
}

#[derive(Default)]
struct Counts {
    nodes: AtomicU64,
    probes: AtomicU64,
}

/// Time between two looks at the clock on behalf of threads that are in a long sowing.
const LOOK: Duration = Duration::from_millis(20);

/// How hard a test may be tried.
#[derive(Clone, Copy)]
struct Effort {
    /// Positions a thread may visit.
    budget: u64,
    /// Moves without an end.
    depth: u8,
}

impl Effort {
    const FIRST: Self = Self { budget: 1 << 16, depth: 6 };

    fn next(self) -> Option<Self> {
        // Even depths, growing by a quarter: growth by a constant would let results of vain searches at one depth
        // block each other at the next for ever.
        let depth = u32::from(self.depth) + (u32::from(self.depth) / 4).max(2);
        // A test that is given up leaves little behind, so budgets grow fast.
        Some(Self { budget: self.budget.saturating_mul(16), depth: u8::try_from(depth & !1).ok()? })
    }

    /// So much less that some of it can be spent in passing.
    fn part(self) -> Self {
        Self { budget: self.budget / 16, depth: self.depth / 8 * 6 }
    }
}

struct Driver<'a, G: Ground, const CYCLIC: bool> {
    search: Search<'a>,
    ground: &'a G,
    stack: usize,
    watch: &'a dyn Watch,
    started: Instant,
    /// When to give up what is being tried, in microseconds after the start.
    until: AtomicU64,
    /// When to give up altogether.
    limit: AtomicU64,
    counts: Counts,
    /// A small table for each thread.
    near: Vec<Transpositions>,
}

impl<G: Ground, const CYCLIC: bool> Clock for Driver<'_, G, CYCLIC> {
    fn tick(&self, nodes: u64, probes: u64) -> bool {
        self.counts.nodes.fetch_add(nodes, Relaxed);
        self.counts.probes.fetch_add(probes, Relaxed);
        self.is_over()
    }
}

/// A position to be valued.
#[derive(Clone, Copy)]
struct Target<P> {
    position: P,
    seeds: u8,
    bounds: Bounds,
    guess: i16,
}

/// Makes the bounds of a position and of its moves agree.
fn merge(value: &mut Bounds, answers: &mut [MoveAnswer]) {
    let best = |bound: fn(&MoveAnswer) -> i16| answers.iter().map(bound).max();
    *value = value.and(Bounds {
        lower: best(|answer| answer.worth.lower).unwrap_or(i16::MIN),
        upper: best(|answer| answer.worth.upper).unwrap_or(i16::MAX),
    });
    for answer in answers {
        answer.worth.upper = answer.worth.upper.min(value.upper);
    }
}

/// How long a game of this value lasts: the winner hurries, the loser delays.
fn distance_of(value: i16, answers: &[MoveAnswer]) -> Option<u16> {
    answers
        .iter()
        .filter(|answer| value != 0 && answer.worth == Bounds::exact(value))
        .map(|answer| answer.distance)
        .reduce(|a, b| if value > 0 { a.min(b).or(a).or(b) } else { a.and(b).and(a.max(b)) })
        .flatten()
}

impl<G: Ground, const CYCLIC: bool> Driver<'_, G, CYCLIC> {
    fn is_over(&self) -> bool {
        self.watch.is_cancelled() || self.elapsed() >= self.until.load(Relaxed)
    }

    fn elapsed(&self) -> u64 {
        self.started.elapsed().as_micros() as u64
    }

    fn run(&self, board: &Board, known: &[Known], limits: &Limits) -> Result<Answer, SearchError> {
        let every_move = limits.every_move;
        let rules = self.search.rules;
        let outcome = rules.scoring() == Scoring::Outcome;
        let mut moves = Moves::new();
        if let Some(value) = rules.expand(board, &mut moves) {
            let distance = if outcome { value.distance() } else { None };
            let value = Bounds::exact(if outcome { value.0.signum() } else { value.0 });
            return Ok(self.answer(value, distance, Vec::new(), Vec::new()));
        }
        let mut root = self.target(board);
        let mut answers = Vec::new();
        let mut targets = Vec::new();
        for (mv, sown) in &moves {
            let mut target = self.target(&sown.board);
            let mut answer = MoveAnswer { mv: *mv, sown: *sown, worth: root.bounds, distance: None };
            if matches!(sown.turn, Turn::Pass | Turn::Again) {
                answer.worth = self.worth_of(sown, target.bounds);
            } else {
                let value = worth(rules.scoring(), sown, Value::DRAW);
                answer.distance = if outcome { value.distance() } else { None };
                answer.worth = Bounds::exact(if outcome { value.0.signum() } else { value.0 });
            }
            for known in known.iter().filter(|known| known.mv == *mv) {
                answer.worth = answer.worth.and(known.worth);
                answer.distance = answer.distance.or(known.distance);
            }
            target.bounds = target.bounds.and(self.after_of(sown, answer.worth));
            answers.push(answer);
            targets.push(target);
        }
        let mut distances = outcome.then(|| Distances::new(rules));
        let mut effort = Some(Effort::FIRST);
        while let Some(now) = effort {
            merge(&mut root.bounds, &mut answers);
            self.settle(&mut root, now, |bounds| self.report(bounds, &answers))?;
            merge(&mut root.bounds, &mut answers);
            if limits.value_first && root.bounds.is_exact() {
                self.limit.fetch_min(2 * self.elapsed() + 1_000_000, Relaxed);
                self.until.store(self.limit.load(Relaxed), Relaxed);
            }
            if every_move {
                // As long as the value is not known, the moves are asked about in passing.
                let now = if root.bounds.is_exact() { now } else { now.part() };
                for i in 0..answers.len() {
                    let sown = answers[i].sown;
                    if answers[i].worth.is_exact() || !matches!(sown.turn, Turn::Pass | Turn::Again) {
                        continue;
                    }
                    targets[i].bounds = targets[i].bounds.and(self.after_of(&sown, answers[i].worth));
                    let mut answer = answers[i];
                    self.settle(&mut targets[i], now, |bounds| {
                        answer.worth = self.worth_of(&sown, bounds);
                        let mut all = answers.clone();
                        all[i] = answer;
                        self.report(root.bounds, &all);
                    })?;
                    answers[i].worth = answers[i].worth.and(self.worth_of(&sown, targets[i].bounds));
                    merge(&mut root.bounds, &mut answers);
                }
            }
            if let Some(distances) = &mut distances {
                distances.deepen(&mut answers, u16::from(now.depth), &|| self.is_over(), &self.counts.nodes);
                merge(&mut root.bounds, &mut answers);
            }
            let settled = |answer: &MoveAnswer| {
                let counted = !outcome || answer.worth == Bounds::exact(0) || answer.distance.is_some();
                answer.worth.is_exact() && counted
            };
            let enough = root.bounds.is_exact() && (!(every_move || outcome) || answers.iter().all(settled));
            if enough || self.is_over() {
                break;
            }
            effort = now.next();
        }
        let distance = if root.bounds.is_exact() { distance_of(root.bounds.lower, &answers) } else { None };
        // Which move is best, and the line, are part of the value.
        self.until.store(until(limits.time), Relaxed);
        if root.bounds.is_exact() && !answers.iter().any(|answer| answer.worth == root.bounds) {
            let effort = effort.unwrap_or(Effort::FIRST);
            for answer in &mut answers {
                if answer.worth.upper == root.bounds.upper && self.is_worth(&answer.sown, root.bounds.lower, effort)? {
                    answer.worth = root.bounds;
                    break;
                }
            }
        }
        let line =
            if root.bounds.is_exact() && !outcome { self.line(board, root.bounds.lower, &answers)? } else { vec![] };
        Ok(self.answer(root.bounds, distance, answers, line))
    }

    fn report(&self, value: Bounds, moves: &[MoveAnswer]) {
        self.watch.report(&Snapshot {
            value,
            moves,
            nodes: self.counts.nodes.load(Relaxed),
            probes: self.counts.probes.load(Relaxed),
            seconds: self.started.elapsed().as_secs_f64(),
        });
    }

    fn answer(&self, value: Bounds, distance: Option<u16>, moves: Vec<MoveAnswer>, line: Vec<Move>) -> Answer {
        Answer {
            value,
            distance,
            moves,
            line,
            nodes: self.counts.nodes.load(Relaxed),
            probes: self.counts.probes.load(Relaxed),
            seconds: self.started.elapsed().as_secs_f64(),
        }
    }

    /// A position with what is known about it at once.
    fn target(&self, board: &Board) -> Target<G::Position> {
        let position = self.ground.pack(board);
        let seeds = board.seeds() as u8;
        let most = self.ground.most(seeds);
        let value = self.ground.probe(&position, seeds).or_else(|| self.ground.over(&position, seeds));
        let mut bounds = value.map_or(Bounds { lower: -most, upper: most }, Bounds::exact);
        if value.is_none() {
            let entry = self.search.table.and_then(|table| table.get(self.ground.key(&position)));
            bounds = entry.map_or(bounds, |entry| entry.bounds.and(bounds));
        }
        Target { position, seeds, bounds, guess: i16::MIN }
    }

    fn child(&self, sown: &Sown) -> Child<G::Position> {
        let net = i16::from(sown.gain) - i16::from(sown.gain_other);
        Child::new(self.ground.pack(&sown.board), Move(0), net, sown.board.seeds() as u8, sown.turn)
    }

    /// What a move is worth if the position after it lies within `bounds`.
    fn worth_of(&self, sown: &Sown, bounds: Bounds) -> Bounds {
        self.child(sown).worth_of(bounds)
    }

    /// The inverse: where the position after a move lies if the move is worth so much.
    fn after_of(&self, sown: &Sown, worth: Bounds) -> Bounds {
        let net = self.child(sown).net;
        match sown.turn {
            Turn::Again => Bounds { lower: worth.lower - net, upper: worth.upper - net },
            _ => Bounds { lower: net - worth.upper, upper: net - worth.lower },
        }
    }

    /// Narrows the bounds of a position as far as `effort` goes.
    fn settle(
        &self,
        target: &mut Target<G::Position>,
        effort: Effort,
        mut report: impl FnMut(Bounds),
    ) -> Result<(), SearchError> {
        // A quarter of the time is left for bounds, should this test be too hard.
        let limit = self.limit.load(Relaxed);
        self.until.store(if limit == u64::MAX { limit } else { limit / 4 * 3 }, Relaxed);
        let middle = i16::midpoint(target.bounds.lower, target.bounds.upper);
        let mut x = if target.guess == i16::MIN { middle } else { target.guess };
        let mut step = 1;
        while !target.bounds.is_exact() {
            x = x.clamp(target.bounds.lower + 1, target.bounds.upper);
            target.guess = x;
            if !self.narrow(target, x, effort, &mut report)? {
                break;
            }
            // That a position is worth something is proved in far fewer positions than that it is not worth more: the
            // mover needs one good turn, and the other player an answer to every one. So climb from below.
            let Bounds { lower, upper } = target.bounds;
            if lower >= x {
                x = lower + 1;
            } else {
                x = (i16::midpoint(lower, upper) + 1).max(upper - step);
                step *= 2;
            }
        }
        self.until.store(limit, Relaxed);
        // The value is known, time is up, or `x` is too hard: halve what lies beyond it on either side, for bounds in
        // passing.
        let effort = Effort { budget: effort.part().budget, ..effort };
        for below in [true, false] {
            while !self.is_over() {
                let Bounds { lower, upper } = target.bounds;
                let far = if below { i16::midpoint(lower, x) } else { i16::midpoint(x, upper + 1) };
                if far <= lower || far == x || far > upper || !self.narrow(target, far, effort, &mut report)? {
                    break;
                }
            }
        }
        Ok(())
    }

    /// Asks whether the position is worth `x`; tells whether there was an answer.
    fn narrow(
        &self,
        target: &mut Target<G::Position>,
        x: i16,
        effort: Effort,
        report: &mut impl FnMut(Bounds),
    ) -> Result<bool, SearchError> {
        let before = target.bounds;
        target.bounds = before.and(self.test(target, x, effort)?);
        if target.bounds != before {
            report(target.bounds);
        }
        Ok(target.bounds.lower >= x || target.bounds.upper < x)
    }

    fn test(&self, target: &Target<G::Position>, x: i16, effort: Effort) -> Result<Bounds, SearchError> {
        let key = self.ground.key(&target.position);
        let entry = self.search.table.and_then(|table| table.get(key));
        let known = entry.map_or(target.bounds, |entry| entry.bounds.and(target.bounds));
        if known.lower >= x || known.upper < x || self.is_over() {
            return Ok(known);
        }
        let hint = entry.map_or(NO_HINT, |entry| entry.hint);
        let node = Node { position: target.position, key, seeds: target.seeds, known, hint };
        let done = Arc::new(AtomicBool::new(false));
        std::thread::scope(|scope| {
            let (running, all_ended) = mpsc::channel::<()>();
            let threads: Vec<_> = (0..)
                .zip(&self.near)
                .map(|(number, near)| {
                    let (done, running) = (&done, running.clone());
                    std::thread::Builder::new().stack_size(self.stack).spawn_scoped(scope, move || {
                        let memory = self.search.table.map(|shared| Memory { shared, near });
                        let budget = if CYCLIC { u64::MAX } else { effort.budget };
                        let mut worker = Worker::<G, CYCLIC>::new(self.ground, memory, self, done, number, budget);
                        let found = while_wanted(done, || worker.test(node, x, effort.depth));
                        drop(running);
                        found
                    })
                })
                .collect();
            drop(running);
            while all_ended.recv_timeout(LOOK) == Err(RecvTimeoutError::Timeout) {
                if self.is_over() {
                    done.store(true, Relaxed);
                }
            }
            let mut bounds = known;
            for thread in threads {
                let found = thread.map_err(SearchError::Thread)?.join();
                bounds = bounds.and(found.unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            }
            Ok(bounds)
        })
    }

    /// Follows best moves from a position of known value.
    fn line(&self, board: &Board, value: i16, answers: &[MoveAnswer]) -> Result<Vec<Move>, SearchError> {
        let mut line = Vec::new();
        let Some(best) = answers.iter().find(|answer| answer.worth == Bounds::exact(value)) else {
            return Ok(line);
        };
        let effort = Effort { budget: 1 << 22, depth: 24 };
        let mut seen = vec![*board];
        let mut step = Some((best.mv, best.sown, value));
        let mut moves = Moves::new();
        while let Some((mv, sown, value)) = step.take() {
            line.push(mv);
            let target = self.target(&sown.board);
            let ends = !matches!(sown.turn, Turn::Pass | Turn::Again)
                || self.ground.probe(&target.position, target.seeds).is_some()
                || seen.contains(&sown.board);
            if ends || self.is_over() || self.search.rules.expand(&sown.board, &mut moves).is_some() {
                break;
            }
            seen.push(sown.board);
            let value = self.after_of(&sown, Bounds::exact(value)).lower;
            let hint = self.search.table.and_then(|table| table.get(self.ground.key(&target.position)));
            let hint = hint.map_or(NO_HINT, |entry| entry.hint);
            moves.sort_by_key(|(mv, _)| mv.0 != hint);
            for (mv, sown) in &moves {
                if self.is_worth(sown, value, effort)? {
                    step = Some((*mv, *sown, value));
                    break;
                }
            }
        }
        Ok(line)
    }

    /// Whether a move is proved to be worth `value` with so much effort.
    fn is_worth(&self, sown: &Sown, value: i16, effort: Effort) -> Result<bool, SearchError> {
        if !matches!(sown.turn, Turn::Pass | Turn::Again) {
            return Ok(self.child(sown).net >= value);
        }
        let target = self.target(&sown.board);
        if self.worth_of(sown, target.bounds).lower >= value {
            return Ok(true);
        }
        let after = self.after_of(sown, Bounds::exact(value)).lower;
        let x = if sown.turn == Turn::Again { after } else { after + 1 };
        Ok(self.worth_of(sown, self.test(&target, x, effort)?).lower >= value)
    }
}

//! Proving a solved layer, independently of the way it was solved.
//!
//! That every value is the best of its moves is not enough where play can go round: a ring of `v` and `-v` that no
//! capture ever redeems agrees with itself. So two things are shown, by making every move forwards and with nothing
//! shared with the solvers but the rules:
//!
//! * *agreement*: each value is the best of its moves;
//! * *ground*, for net seeds: a value `v > 0` has a move that leaves the layer for `v`, or one to a position worth `-v`
//!   that has ground; a value `v < 0` has ground if every move that keeps `v` inside the layer leads to a position with
//!   ground. The smallest set closed under this is found by sweeping over what is still without ground. Together they
//!   say that the values are the least fixed point of rules.md's iteration from 0, which is what they are defined as;
//!   a value of 0 needs no ground.
//!
//! Outcomes carry their distances, which are ground of their own: agreement proves them.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering::Relaxed};

use rayon::prelude::*;

use super::{Lower, Progress, SolveError, SolvedLayer, check};
use crate::rules::{Board, Layer, Moves, Rules, Scoring, Sown, Turn, Value, worth};

/// Ranks checked by one task.
const CHUNK: u64 = 1 << 14;

/// Differences that are told one by one.
const TOLD: usize = 10;

/// A position whose value is not proved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// The position.
    pub board: Board,
    /// The value in the table.
    pub found: Value,
    /// The best of its moves; the same as `found` if the value lacks ground.
    pub expected: Value,
}

/// What a verification found.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Verdict {
    /// Positions looked at.
    pub checked: u64,
    /// Positions whose value is not the best of their moves.
    pub differing: u64,
    /// Positions whose value agrees with its moves but rests on nothing.
    pub groundless: u64,
    /// The first few of both, by rank.
    pub first: Vec<Difference>,
}

impl Verdict {
    /// Whether everything looked at is proved.
    #[must_use]
    pub fn is_proof(&self) -> bool {
        self.differing == 0 && self.groundless == 0
    }
}

struct Looker<'a> {
    rules: &'a dyn Rules,
    layer: &'a SolvedLayer,
    lower: &'a Lower,
}

/// Proves every value of `layer`, given proved layers below.
///
/// Takes a byte a rank of memory, and the time of making every move once and those of unproved positions again a few
/// times.
///
/// # Errors
/// A layer below is missing, or `progress` cancelled the work.
pub fn verify(
    rules: &dyn Rules,
    layer: &SolvedLayer,
    lower: &Lower,
    progress: &dyn Progress,
) -> Result<Verdict, SolveError> {
    let looker = Looker { rules, layer, lower };
    let size = layer.index.size();
    progress.stage("agreement", size);
    let grounded: Vec<AtomicU8> = (0..size).map(|_| AtomicU8::new(0)).collect();
    let found = Found::default();
    let chunks = size.div_ceil(CHUNK);
    (0..chunks).into_par_iter().try_for_each(|chunk| {
        check(progress)?;
        let ranks = chunk * CHUNK..((chunk + 1) * CHUNK).min(size);
        let mut moves = Moves::new();
        let mut result = Ok(());
        layer.index.walk(ranks.clone(), |rank, board| {
            if result.is_err() {
                return;
            }
            match looker.agrees(board, rank, &mut moves) {
                Ok(None) => {}
                Ok(Some(difference)) => found.add(rank, difference, &found.differing),
                Err(error) => result = Err(error),
            }
        });
        progress.advance(ranks.end - ranks.start);
        result
    })?;
    let cyclic = rules.half_rows().is_none_or(|halves| !halves.acyclic());
    if rules.scoring() == Scoring::Seeds && cyclic {
        looker.ground(&grounded, &found, progress)?;
    }
    Ok(found.verdict(size))
}

/// Checks `ranks` for agreement alone, as a quick look.
///
/// # Errors
/// As [`verify`].
pub fn verify_sample(
    rules: &dyn Rules,
    layer: &SolvedLayer,
    lower: &Lower,
    ranks: &[u64],
    progress: &dyn Progress,
) -> Result<Verdict, SolveError> {
    let looker = Looker { rules, layer, lower };
    progress.stage("agreement", ranks.len() as u64);
    let found = Found::default();
    ranks.par_chunks(CHUNK as usize).try_for_each(|ranks| {
        check(progress)?;
        let mut moves = Moves::new();
        for &rank in ranks {
            let board = layer.index.unrank(rank);
            if let Some(difference) = looker.agrees(&board, rank, &mut moves)? {
                found.add(rank, difference, &found.differing);
            }
        }
        progress.advance(ranks.len() as u64);
        Ok(())
    })?;
    Ok(found.verdict(ranks.len() as u64))
}

impl Looker<'_> {
    fn value(&self, rank: u64) -> Value {
        Value(self.layer.values.get(rank))
    }

    fn stays(&self, board: &Board, sown: &Sown) -> bool {
        sown.turn == Turn::Pass && self.layer_of(&sown.board) == self.layer_of(board)
    }

    fn layer_of(&self, board: &Board) -> Layer {
        Layer { seeds: board.seeds() as u8, closed: self.rules.closed(board) }
    }

    /// What a move is worth by the tables.
    fn worth(&self, sown: &Sown) -> Result<Value, SolveError> {
        let after = match sown.turn {
            Turn::Endless | Turn::Won | Turn::Lost => Value::DRAW,
            Turn::Pass | Turn::Again if sown.board.seeds() == 0 => Value::DRAW,
            Turn::Pass | Turn::Again => {
                let layer = self.layer_of(&sown.board);
                let solved = if layer == self.layer.index.layer() { Some(self.layer) } else { self.lower.get(layer) };
                let solved = solved.ok_or(SolveError::MissingLayer { layer })?;
                Value(solved.values.get(solved.index.rank(&sown.board)))
            }
        };
        Ok(worth(self.rules.scoring(), sown, after))
    }

    /// The difference between the value of a position and the best of its moves, if there is one.
    fn agrees(&self, board: &Board, rank: u64, moves: &mut Moves) -> Result<Option<Difference>, SolveError> {
        let scoring = self.rules.scoring();
        let expected = match self.rules.expand(board, moves) {
            Some(value) => value,
            None => {
                let mut best: Option<Value> = None;
                for (_, sown) in moves.iter() {
                    let worth = self.worth(sown)?;
                    if best.is_none_or(|best| worth.preference(scoring) > best.preference(scoring)) {
                        best = Some(worth);
                    }
                }
                best.unwrap_or(Value::DRAW)
            }
        };
        let found = self.value(rank);
        Ok((found != expected).then_some(Difference { board: *board, found, expected }))
    }

    /// Sweeps over the positions without ground until no more get any, and tells those that are left.
    fn ground(&self, grounded: &[AtomicU8], found: &Found, progress: &dyn Progress) -> Result<(), SolveError> {
        let size = self.layer.index.size();
        let mut open: Vec<u64> = (0..size.div_ceil(CHUNK)).collect();
        progress.stage("ground", size);
        loop {
            let gained = AtomicU64::new(0);
            let still: Vec<Option<u64>> = open
                .par_iter()
                .map(|&chunk| {
                    check(progress)?;
                    let ranks = chunk * CHUNK..((chunk + 1) * CHUNK).min(size);
                    let (got, left) = self.sweep(ranks, grounded)?;
                    gained.fetch_add(got, Relaxed);
                    progress.advance(got);
                    Ok((left > 0).then_some(chunk))
                })
                .collect::<Result<_, SolveError>>()?;
            open = still.into_iter().flatten().collect();
            if gained.into_inner() == 0 {
                break;
            }
        }
        for chunk in open {
            for rank in chunk * CHUNK..((chunk + 1) * CHUNK).min(size) {
                if grounded[rank as usize].load(Relaxed) == 0 {
                    let value = self.value(rank);
                    let board = self.layer.index.unrank(rank);
                    found.add(rank, Difference { board, found: value, expected: value }, &found.groundless);
                }
            }
        }
        Ok(())
    }

    /// Looks once at every position of `ranks` without ground; returns how many got some and how many did not.
    fn sweep(&self, ranks: std::ops::Range<u64>, grounded: &[AtomicU8]) -> Result<(u64, u64), SolveError> {
        let (mut got, mut left) = (0, 0);
        let mut moves = Moves::new();
        for rank in ranks {
            if grounded[rank as usize].load(Relaxed) != 0 {
                continue;
            }
            let value = self.value(rank);
            let has_ground = value == Value::DRAW || {
                let board = self.layer.index.unrank(rank);
                self.rules.expand(&board, &mut moves).is_some() || self.rests(&board, value, &moves, grounded)?
            };
            if has_ground {
                grounded[rank as usize].store(1, Relaxed);
                got += 1;
            } else {
                left += 1;
            }
        }
        Ok((got, left))
    }

    fn rests(&self, board: &Board, value: Value, moves: &Moves, grounded: &[AtomicU8]) -> Result<bool, SolveError> {
        for (_, sown) in moves {
            if self.worth(sown)? != value {
                continue;
            }
            let ground =
                !self.stays(board, sown) || grounded[self.layer.index.rank(&sown.board) as usize].load(Relaxed) != 0;
            if ground == (value.0 > 0) {
                return Ok(ground);
            }
        }
        Ok(value.0 < 0)
    }
}

#[derive(Default)]
struct Found {
    differing: AtomicU64,
    groundless: AtomicU64,
    first: Mutex<Vec<(u64, Difference)>>,
}

impl Found {
    fn add(&self, rank: u64, difference: Difference, count: &AtomicU64) {
        count.fetch_add(1, Relaxed);
        let mut first = self.first.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let place = first.partition_point(|(other, _)| *other < rank);
        if place < TOLD {
            first.insert(place, (rank, difference));
            first.truncate(TOLD);
        }
    }

    fn verdict(self, checked: u64) -> Verdict {
        let first = self.first.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        Verdict {
            checked,
            differing: self.differing.into_inner(),
            groundless: self.groundless.into_inner(),
            first: first.into_iter().map(|(_, difference)| difference).collect(),
        }
    }
}

//! How long a won or lost game lasts, where only the outcome counts.
//!
//! Iterative deepening: what a depth-first search of `d` moves calls won or lost ends within `d`, and what it leaves
//! open does not. So the depth at which a first move is decided is its distance.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::Bounds;
use super::driver::MoveAnswer;
use crate::rules::{Board, Moves, Rules, Turn, Value, worth};

/// Most positions that are remembered.
const MOST_KEPT: usize = 1 << 22;

/// What is known of a position.
#[derive(Clone, Copy, Default)]
struct Seen {
    /// 1 or -1 if it is decided within `within` moves.
    sign: i16,
    within: u16,
    /// It is not decided within so many moves.
    open_to: u16,
}

/// The search, with what it remembers.
pub(super) struct Distances<'a> {
    rules: &'a dyn Rules,
    seen: HashMap<Board, Seen>,
    depth: u16,
    nodes: u64,
    stopped: bool,
}

impl<'a> Distances<'a> {
    pub(super) fn new(rules: &'a dyn Rules) -> Self {
        Self { rules, seen: HashMap::new(), depth: 0, nodes: 0, stopped: false }
    }

    /// Decides the first moves that are decided within `depth` moves, draws left out.
    pub(super) fn deepen(
        &mut self,
        answers: &mut [MoveAnswer],
        depth: u16,
        stop: &dyn Fn() -> bool,
        nodes: &AtomicU64,
    ) {
        while self.depth < depth {
            let open = |answer: &&mut MoveAnswer| answer.distance.is_none() && answer.worth != Bounds::exact(0);
            for answer in answers.iter_mut().filter(open) {
                let sign = self.look(&answer.sown.board, self.depth, stop);
                if self.stopped {
                    break;
                }
                if sign != 0 {
                    let after = if sign > 0 { Value::win(self.depth) } else { Value::loss(self.depth) };
                    let value = worth(self.rules.scoring(), &answer.sown, after);
                    answer.worth = Bounds::exact(value.0.signum());
                    answer.distance = value.distance();
                }
            }
            nodes.fetch_add(std::mem::take(&mut self.nodes), Relaxed);
            if self.stopped {
                return;
            }
            self.depth += 1;
        }
    }

    /// 1 if the mover wins within `depth` moves, -1 if he loses, else 0. The recursion is as deep as `depth`, which
    /// fits a byte.
    fn look(&mut self, board: &Board, depth: u16, stop: &dyn Fn() -> bool) -> i16 {
        let seen = self.seen.get(board).copied().unwrap_or_default();
        if seen.sign != 0 && seen.within <= depth {
            return seen.sign;
        }
        // Decided, but later than `depth` as far as is known: only worth a look below what is known to be open.
        if seen.open_to > depth {
            return 0;
        }
        self.nodes += 1;
        if self.stopped || (self.nodes.is_multiple_of(1 << 12) && stop()) {
            self.stopped = true;
            return 0;
        }
        let mut moves = Moves::new();
        if let Some(value) = self.rules.expand(board, &mut moves) {
            return value.0.signum();
        }
        if depth == 0 {
            return 0;
        }
        let mut sign = -1;
        for (_, sown) in &moves {
            let worth = match sown.turn {
                Turn::Won => 1,
                Turn::Lost => -1,
                Turn::Pass => -self.look(&sown.board, depth - 1, stop),
                Turn::Again | Turn::Endless => 0,
            };
            if self.stopped {
                return 0;
            }
            sign = sign.max(worth);
            if sign > 0 {
                break;
            }
        }
        if self.seen.len() < MOST_KEPT || self.seen.contains_key(board) {
            let seen = self.seen.entry(*board).or_default();
            if sign == 0 {
                seen.open_to = seen.open_to.max(depth + 1);
            } else if seen.sign == 0 || depth < seen.within {
                (seen.sign, seen.within) = (sign, depth);
            }
        }
        sign
    }
}

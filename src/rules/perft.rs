//! Counting move sequences.

use super::{Board, Move, Moves, Rules, Turn};

/// Counts the sequences of exactly `depth` sowings from `board`, for each first move.
///
/// Each sowing is a ply, an extra turn too. A finished game is not extended, but the last ply may finish it. The cost
/// grows with the answer; the recursion is as deep as `depth`.
#[must_use]
pub fn perft(rules: &dyn Rules, board: &Board, depth: u32) -> Vec<(Move, u64)> {
    let mut moves = Moves::new();
    if depth == 0 || rules.expand(board, &mut moves).is_some() {
        return Vec::new();
    }
    moves
        .iter()
        .map(|(mv, sown)| {
            let goes_on = matches!(sown.turn, Turn::Pass | Turn::Again);
            let leaves = match depth {
                1 => 1,
                _ if goes_on => count(rules, &sown.board, depth - 1),
                _ => 0,
            };
            (*mv, leaves)
        })
        .collect()
}

fn count(rules: &dyn Rules, board: &Board, depth: u32) -> u64 {
    perft(rules, board, depth).iter().map(|(_, leaves)| leaves).sum()
}

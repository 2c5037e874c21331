//! Choosing, among the best moves of a game that can go round, one that makes progress.
//!
//! Let a position be worth `v > 0` to one player, the *winner*. Its *rank* is the length of the shortest proof: 0 if
//! the winner can leave the layer for `v` at once; otherwise 1 more than the least rank among the moves that keep the
//! value, if the winner is to move, and than the greatest among the replies that keep it, if the other one is (0 if
//! there is none: each of his moves leaves the layer or gives more away). Ranks are finite, because values are the
//! least fixed point of exactly this. A winner who always moves to a smaller rank cashes `v`, whatever the defence;
//! the defender delays by moving to the greatest.
//!
//! Ranks are found by looking all round the position, twice as far each time. A rank within the distance looked is
//! exact, so that choices made at one position after the other fit together.

use std::collections::{HashMap, VecDeque};

use super::Oracle;
use crate::database::DatabaseError;
use crate::rules::{Board, Move, Sown, Turn, Value};

/// Positions looked at before giving up.
const MOST: usize = 400_000;

struct Node {
    /// The winner is to move.
    winner: bool,
    /// He can leave the layer for the value at once.
    cashes: bool,
    /// Known rank.
    rank: Option<u32>,
    /// Moves inside the layer that keep the value, by node.
    keep: Vec<u32>,
    expanded: bool,
}

/// What was looked at last. A line of play stays inside it until it leaves the layer.
#[derive(Default)]
pub(super) struct Sight(Option<Graph>);

/// The best move with the smallest rank for the winner, or the greatest for the other player; if no rank is found
/// within reach, the first of `best` that leaves the layer, or the first.
pub(super) fn choose(
    oracle: &Oracle,
    sight: &mut Sight,
    board: &Board,
    value: Value,
    best: &[(Move, Sown)],
) -> Result<Option<Move>, DatabaseError> {
    let winner = value.0 > 0;
    let leaves = |sown: &Sown| sown.turn != Turn::Pass || sown.board.seeds() != board.seeds();
    let leaving = best.iter().find(|(_, sown)| leaves(sown)).map(|(mv, _)| *mv);
    if winner && leaving.is_some() {
        return Ok(leaving);
    }
    let graph = match sight.0.take().filter(|graph| graph.has_ranked(board, value)) {
        Some(graph) => graph,
        None => Graph::around(oracle, board, value)?,
    };
    let graph = sight.0.insert(graph);
    let ranks = best.iter().filter(|(_, sown)| !leaves(sown)).filter_map(|(mv, sown)| {
        let number = graph.numbers.get(&(sown.board, !winner))?;
        Some((graph.nodes[*number as usize].rank?, *mv))
    });
    let chosen = if winner {
        ranks.min_by_key(|(rank, _)| *rank)
    } else {
        ranks.fold(None, |most: Option<(u32, Move)>, next| match most {
            Some(most) if most.0 >= next.0 => Some(most),
            _ => Some(next),
        })
    };
    Ok(chosen.map(|(_, mv)| mv).or(leaving).or_else(|| best.first().map(|(mv, _)| *mv)))
}

struct Graph {
    nodes: Vec<Node>,
    numbers: HashMap<(Board, bool), u32>,
    boards: Vec<Board>,
    /// What the winner is to get.
    value: i16,
}

impl Graph {
    /// Looks round a position until its rank is known.
    fn around(oracle: &Oracle, board: &Board, value: Value) -> Result<Self, DatabaseError> {
        let mut graph = Self { nodes: Vec::new(), numbers: HashMap::new(), boards: Vec::new(), value: value.0.abs() };
        let root = graph.number(board, value.0 > 0);
        let mut depth = 4;
        let mut frontier = vec![root];
        let mut looked = 0;
        loop {
            while looked < depth && !frontier.is_empty() && graph.nodes.len() < MOST {
                frontier = graph.expand_all(oracle, &frontier)?;
                looked += 1;
            }
            graph.rank_all();
            let found = graph.nodes[root as usize].rank;
            if found.is_some() || frontier.is_empty() || graph.nodes.len() >= MOST {
                return Ok(graph);
            }
            depth *= 2;
        }
    }

    /// Whether the rank of a position of this value is known, and with it those of the moves that matter there.
    fn has_ranked(&self, board: &Board, value: Value) -> bool {
        let number = self.numbers.get(&(*board, value.0 > 0));
        self.value == value.0.abs() && number.is_some_and(|&number| self.nodes[number as usize].rank.is_some())
    }

    fn number(&mut self, board: &Board, winner: bool) -> u32 {
        let next = self.nodes.len() as u32;
        let number = *self.numbers.entry((*board, winner)).or_insert(next);
        if number == next {
            self.nodes.push(Node { winner, cashes: false, rank: None, keep: Vec::new(), expanded: false });
            self.boards.push(*board);
        }
        number
    }

    /// Expands all of `frontier` and returns the positions that are new.
    fn expand_all(&mut self, oracle: &Oracle, frontier: &[u32]) -> Result<Vec<u32>, DatabaseError> {
        let first_new = self.nodes.len() as u32;
        for &number in frontier {
            self.expand(oracle, number)?;
        }
        Ok((first_new..self.nodes.len() as u32).collect())
    }

    fn expand(&mut self, oracle: &Oracle, number: u32) -> Result<(), DatabaseError> {
        let board = self.boards[number as usize];
        let winner = self.nodes[number as usize].winner;
        let wanted = if winner { self.value } else { -self.value };
        let mut keep = Vec::new();
        for (_, sown) in &oracle.moves(&board) {
            if oracle.move_worth(sown)?.exact() != Some(Value(wanted)) {
                continue;
            }
            let leaves = sown.turn != Turn::Pass || sown.board.seeds() != board.seeds();
            match (leaves, winner) {
                (true, true) => {
                    self.nodes[number as usize].cashes = true;
                    return Ok(());
                }
                (true, false) => {}
                (false, _) => keep.push(self.number(&sown.board, !winner)),
            }
        }
        let node = &mut self.nodes[number as usize];
        node.keep = keep;
        node.expanded = true;
        Ok(())
    }

    /// Gives every position its rank as far as the positions expanded so far tell, by rising rank.
    fn rank_all(&mut self) {
        let mut before: Vec<Vec<u32>> = vec![Vec::new(); self.nodes.len()];
        for (i, node) in (0..).zip(&self.nodes) {
            node.keep.iter().for_each(|&child| before[child as usize].push(i));
        }
        let mut unranked_replies: Vec<usize> = self.nodes.iter().map(|node| node.keep.len()).collect();
        let mut wave = VecDeque::new();
        for (i, node) in (0..).zip(&mut self.nodes) {
            if node.cashes || (!node.winner && node.expanded && node.keep.is_empty()) {
                node.rank = Some(0);
                wave.push_back(i);
            } else {
                node.rank = None;
            }
        }
        while let Some(i) = wave.pop_front() {
            let rank = self.nodes[i as usize].rank;
            for &b in &before[i as usize] {
                let node = &mut self.nodes[b as usize];
                unranked_replies[b as usize] -= 1;
                if node.rank.is_none() && (node.winner || unranked_replies[b as usize] == 0) {
                    node.rank = rank.map(|rank| rank + 1);
                    wave.push_back(b);
                }
            }
        }
    }
}

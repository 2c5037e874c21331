//! Taking moves back, for games whose sowing splits by rows.
//!
//! The position before a move has as its mover's row some row that a half move turns into the present other row; these
//! are looked up in an inverted table, which is all that is stored. Its other row is the present mover's row with the
//! seeds that the move dropped there taken out again.

use sowbase::index::{Compositions, LayerIndex};
use sowbase::rules::{Board, Class, HalfRows, Last, Layer, Moves, Row, Rules};
use sowbase::solve::SolveError;

/// A row that a half move turns into a given row.
#[derive(Clone, Copy)]
struct Before {
    row: u32,
    seeds: u8,
    class: Class,
    captures: bool,
}

const NOBODY: Before = Before { row: 0, seeds: 0, class: Class { drops: 0, last: Last::Own }, captures: false };

/// The inverted half moves of all rows of up to so many seeds: some sixty bytes a row of six pits.
pub struct UnMoves<'a> {
    rules: &'a dyn Rules,
    halves: &'a dyn HalfRows,
    ways: Compositions,
    /// By seeds of a row: the number of rows with fewer.
    first: Vec<usize>,
    /// `before[ends[row]..ends[row + 1]]` are the half moves that lead to a row, by rising seeds before.
    ends: Vec<u32>,
    before: Vec<Before>,
}

impl<'a> UnMoves<'a> {
    /// Inverts the half moves of a layer.
    ///
    /// # Errors
    /// There are more than 2^32 of them.
    pub fn new(rules: &'a dyn Rules, halves: &'a dyn HalfRows, layer: Layer) -> Result<Self, SolveError> {
        let n = usize::from(layer.seeds);
        let ways = Compositions::new(rules.half(), n);
        let mut first = vec![0];
        for seeds in 0..=n {
            let rows = first[seeds] as u64 + ways.count(seeds);
            let found = rows.saturating_mul(rules.half() as u64);
            if found > u64::from(u32::MAX) {
                return Err(SolveError::TooLarge { layer, found, unit: "half moves", most: u64::from(u32::MAX) });
            }
            first.push(rows as usize);
        }
        let mut ends = vec![0_u32; first[n + 1] + 1];
        for_each_half_move(halves, &ways, n, |after, _| ends[first[after.0] + after.1 + 1] += 1);
        for row in 1..ends.len() {
            ends[row] += ends[row - 1];
        }
        let mut next = ends.clone();
        let mut before = vec![NOBODY; ends[ends.len() - 1] as usize];
        for_each_half_move(halves, &ways, n, |after, half_move| {
            let place = &mut next[first[after.0] + after.1];
            before[*place as usize] = half_move;
            *place += 1;
        });
        Ok(Self { rules, halves, ways, first, ends, before })
    }

    /// Calls `visit` with the rank of every position that has a legal move without gain to `after`, once for each such
    /// move.
    #[inline]
    pub fn predecessors(&self, index: &LayerIndex, after: &Board, mut visit: impl FnMut(u64)) {
        let n = usize::from(index.layer().seeds);
        let (seeds, rank) = self.ways.rank(after.other());
        let row = self.first[seeds] + rank as usize;
        for before in &self.before[self.ends[row] as usize..self.ends[row + 1] as usize] {
            let Some(other) = self.lift(after.own(), before) else { continue };
            let own_seeds = usize::from(before.seeds);
            let (other_seeds, other_rank) = self.ways.rank(other.pits());
            let rank = index.start(own_seeds) + u64::from(before.row) * self.ways.count(n - own_seeds) + other_rank;
            // With an empty other row, play may be over, or other moves be due.
            if (other_seeds == 0 || own_seeds + other_seeds == seeds) && !self.leads(index, rank, after) {
                continue;
            }
            visit(rank);
        }
    }

    /// The other row before a move, if the move turns it into `after` without gain.
    #[inline]
    fn lift(&self, after: &[u8], before: &Before) -> Option<Row> {
        let mut row = Row::of(after);
        let drops = usize::from(before.class.drops);
        let (rounds, rest) = (drops / after.len(), drops % after.len());
        for (pit, seeds) in row.pits_mut().iter_mut().enumerate() {
            *seeds = seeds.checked_sub((rounds + usize::from(pit < rest)) as u8)?;
        }
        let again = self.halves.sow_other(row.pits(), before.class);
        (again.captures == before.captures && again.row.pits() == after).then_some(row)
    }

    /// Whether some legal move leads from a rank to `after`.
    fn leads(&self, index: &LayerIndex, rank: u64, after: &Board) -> bool {
        let mut moves = Moves::new();
        self.rules.expand(&index.unrank(rank), &mut moves);
        moves.iter().any(|(_, sown)| sown.board == *after)
    }
}

/// Calls `visit` with every half move that wins nothing in the mover's row: seeds and rank of the row after it, and what
/// was before, by rising seeds before.
fn for_each_half_move(
    halves: &dyn HalfRows,
    ways: &Compositions,
    n: usize,
    mut visit: impl FnMut((usize, usize), Before),
) {
    for seeds in 0..=n {
        let mut row = vec![0; ways.pits()];
        row[ways.pits() - 1] = seeds as u8;
        for rank in 0..ways.count(seeds) as u32 {
            for pit in (0..row.len()).filter(|&pit| row[pit] > 0) {
                let half = halves.sow_own(&row, pit);
                if half.again || half.store > 0 {
                    continue;
                }
                // Only a sowing that ends opposite can capture without winning a seed: from an empty pit.
                let facing = matches!(half.class.last, Last::Facing(_));
                for captures in [false, true].into_iter().take(1 + usize::from(facing)) {
                    let after = if captures { &half.row_after_capture } else { &half.row };
                    let (left, after) = ways.rank(after.pits());
                    if left + usize::from(half.class.drops) == seeds {
                        visit(
                            (left, after as usize),
                            Before { row: rank, seeds: seeds as u8, class: half.class, captures },
                        );
                    }
                }
            }
            Compositions::advance(&mut row);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use sowbase::games;
    use sowbase::rules::Turn;

    use super::*;

    /// Taken back, the moves of a layer are exactly those made forwards.
    #[test]
    fn unmoves_are_moves_backwards() {
        let rule_sets: [(&str, usize, &[&str]); 12] = [
            ("oware", 3, &[]),
            ("oware", 4, &["grand_slam=void"]),
            ("awari", 3, &[]),
            ("awale", 4, &[]),
            ("awale", 3, &["grand_slam=void"]),
            ("awale", 3, &["grand_slam=allow", "chain_own=true"]),
            ("kalaha", 3, &[]),
            ("kalah", 4, &[]),
            ("bao-kenya", 3, &[]),
            ("bao-kenya", 4, &["take_own=true"]),
            ("oware", 2, &[]),
            ("kalah", 2, &[]),
        ];
        for (game, width, options) in rule_sets {
            let options: Vec<String> = options.iter().map(|&option| option.to_owned()).collect();
            let rules = games::make(game, Some(width), &options).unwrap();
            let Some(halves) = rules.half_rows() else {
                continue;
            };
            for n in 0..=9 {
                let index = LayerIndex::new(rules.as_ref(), Layer::of(n)).unwrap();
                let unmoves = UnMoves::new(rules.as_ref(), halves, Layer::of(n)).unwrap();
                let mut edges: BTreeMap<(u64, u64), i32> = BTreeMap::new();
                let mut moves = Moves::new();
                index.walk(0..index.size(), |rank, board| {
                    rules.expand(board, &mut moves);
                    for (_, sown) in moves.iter().filter(|(_, sown)| sown.board.seeds() == u32::from(n)) {
                        assert_eq!(sown.turn, Turn::Pass);
                        *edges.entry((rank, index.rank(&sown.board))).or_default() += 1;
                    }
                    unmoves.predecessors(&index, board, |before| *edges.entry((before, rank)).or_default() -= 1);
                });
                edges.retain(|_, count| *count != 0);
                assert!(edges.is_empty(), "{game} {width} {options:?}, {n} seeds: {edges:?}");
            }
        }
    }
}

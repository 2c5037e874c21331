//! Games in which a move without gain only carries seeds to the right inside the mover's row.
//!
//! Such a move lowers the rank of the mover's row A, and its child is (B, A') with the rows exchanged: f(A, B) needs
//! f(B, A') for A' < A, and nothing else of the layer. So for two numbers of seeds s and n - s, with rows B of n - s
//! seeds in tiles of neighbours and rows A of s seeds rising inside a tile, f(A, tile) followed by f(tile, A) finds
//! every child done: A' was earlier in this tile, and B' < B in this or an earlier tile. One pass solves the layer;
//! the pairs {s, n - s} are independent of each other.

use rayon::prelude::*;

use super::halves::{HalfTables, OtherMove, OwnMove};
use super::{Lower, Progress, SolveError, check};
use crate::index::LayerIndex;
use crate::rules::{HalfRows, Layer, Rules};

/// Rows of a tile: few enough that the lower rows they lead to stay in cache.
const TILE: usize = 64;

/// A layer below: its values and where each number of own seeds begins.
struct Below<'a> {
    values: &'a [i8],
    starts: Vec<usize>,
}

struct Pass<'a> {
    n: usize,
    counts: Vec<usize>,
    tables: HalfTables,
    below: Vec<Below<'a>>,
    ends_on_other_empty: bool,
}

pub(super) fn solve(
    rules: &dyn Rules,
    halves: &dyn HalfRows,
    index: &LayerIndex,
    lower: &Lower,
    progress: &dyn Progress,
) -> Result<Vec<i8>, SolveError> {
    let n = usize::from(index.layer().seeds);
    debug_assert_eq!(rules.half(), index.halves().pits());
    progress.stage("solve", index.size());
    let mut below = Vec::new();
    for m in 0..n {
        let (lower_index, values) = lower.seeds(Layer::of(m as u8))?;
        below.push(Below { values, starts: (0..=m).map(|own| lower_index.start(own) as usize).collect() });
    }
    let pass = Pass {
        n,
        counts: (0..=n).map(|seeds| index.halves().count(seeds) as usize).collect(),
        tables: HalfTables::new(halves, index.halves(), n),
        below,
        ends_on_other_empty: halves.ends_on_other_empty(),
    };
    let mut values = vec![0_i8; index.size() as usize];
    let mut blocks: Vec<Option<&mut [i8]>> = Vec::new();
    let mut rest = values.as_mut_slice();
    for own in 0..=n {
        let (block, others) = rest.split_at_mut(pass.counts[own] * pass.counts[n - own]);
        blocks.push(Some(block));
        rest = others;
    }
    let mut pairs = Vec::new();
    for own in 0..=n / 2 {
        if let Some(small) = blocks[own].take() {
            pairs.push((own, small, blocks[n - own].take()));
        }
    }
    // The largest pairs have nearly equal halves; begin with them so that no thread is left alone with one.
    pairs.par_iter_mut().rev().with_max_len(1).try_for_each(|(own, small, large)| match large {
        Some(large) => pass.solve_pair(*own, small, large, progress),
        None => pass.solve_equal(small, progress),
    })?;
    Ok(values)
}

impl Pass<'_> {
    /// Blocks of `own` and of `n - own` seeds, which are different.
    fn solve_pair(
        &self,
        own: usize,
        small: &mut [i8],
        large: &mut [i8],
        progress: &dyn Progress,
    ) -> Result<(), SolveError> {
        let other = self.n - own;
        let (small_rows, large_rows) = (self.counts[own], self.counts[other]);
        for tile in (0..large_rows).step_by(TILE) {
            check(progress)?;
            let tile = tile..(tile + TILE).min(large_rows);
            for a in 0..small_rows {
                let moves = self.tables.own[own].of(a);
                for b in tile.clone() {
                    let child = &large[b * small_rows..][..small_rows];
                    small[a * large_rows + b] = self.value(own, moves, self.tables.other[other].of(b), child);
                }
                let others = self.tables.other[own].of(a);
                let child = &small[a * large_rows..][..large_rows];
                for b in tile.clone() {
                    large[b * small_rows + a] = self.value(other, self.tables.own[other].of(b), others, child);
                }
            }
            progress.advance(2 * (tile.len() * small_rows) as u64);
        }
        Ok(())
    }

    /// The block whose halves hold as many seeds.
    fn solve_equal(&self, block: &mut [i8], progress: &dyn Progress) -> Result<(), SolveError> {
        let own = self.n / 2;
        let rows = self.counts[own];
        let (own_table, other_table) = (&self.tables.own[own], &self.tables.other[own]);
        for tile in (0..rows).step_by(TILE) {
            check(progress)?;
            let tile = tile..(tile + TILE).min(rows);
            // Rows before the tile were its partners when they were in a tile themselves.
            for a in tile.start..rows {
                for b in tile.clone() {
                    block[a * rows + b] =
                        self.value(own, own_table.of(a), other_table.of(b), &block[b * rows..][..rows]);
                }
                for b in tile.clone() {
                    block[b * rows + a] =
                        self.value(own, own_table.of(b), other_table.of(a), &block[a * rows..][..rows]);
                }
            }
            progress.advance(((2 * (rows - tile.start) - tile.len()) * tile.len()) as u64);
        }
        Ok(())
    }

    /// The value of a position with `own` seeds in the mover's row; `child` holds the positions of this layer in which
    /// the other player is to move, by the rank of the mover's row.
    #[inline]
    fn value(&self, own: usize, moves: &[OwnMove], others: &[OtherMove], child: &[i8]) -> i8 {
        if own == 0 || (own == self.n && self.ends_on_other_empty) {
            return own as i8 - (self.n - own) as i8;
        }
        let mut best = i8::MIN;
        for own_move in moves {
            let other_move = others[usize::from(own_move.class)];
            let captured = usize::from(other_move.captures);
            let row = own_move.row[captured] as usize;
            let seeds = usize::from(own_move.seeds[captured]);
            let left = seeds + usize::from(other_move.seeds);
            let gain = (self.n - left) as i8;
            let value = if gain == 0 {
                -child[row]
            } else {
                let below = &self.below[left];
                let other_row = other_move.row as usize;
                if own_move.again {
                    let row_len = self.counts[usize::from(other_move.seeds)];
                    gain + below.values[below.starts[seeds] + row * row_len + other_row]
                } else {
                    let row_len = self.counts[seeds];
                    gain - below.values[below.starts[usize::from(other_move.seeds)] + other_row * row_len + row]
                }
            };
            best = best.max(value);
        }
        best
    }
}

//! Positions that no move leads to: tables leave them out, and one look at their moves tells what they are worth.

use std::ops::Range;

use rayon::prelude::*;

use super::halves::{OtherMove, Sower, StorelessMove, for_each_row};
use super::sweeps::Grid;
use crate::index::LayerIndex;
use crate::rules::Rules;

/// Positions among which values are filled in together.
const BAND: usize = 1 << 22;

/// The positions of a layer that no move leads to.
pub struct LeftOut<'a> {
    index: &'a LayerIndex,
    grid: Grid,
    /// By seeds in the other row: ranks of the rows that no move leaves behind.
    rows: Vec<Vec<usize>>,
}

impl<'a> LeftOut<'a> {
    /// The positions of a layer of games whose seeds can circle; none for other games.
    #[must_use]
    pub fn of(rules: &'a dyn Rules, index: &'a LayerIndex) -> Option<Self> {
        let halves = rules.half_rows().filter(|halves| !halves.acyclic())?;
        let grid = Grid::new(index);
        let rows = |seeds| {
            let (mut rank, mut rows) = (0, Vec::new());
            for_each_row(index.halves(), seeds, |row| {
                if !halves.can_leave(row) {
                    rows.push(rank);
                }
                rank += 1;
            });
            rows
        };
        let rows = (0..=grid.n).map(rows).collect();
        Some(Self { index, grid, rows })
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.iter().all(Vec::is_empty)
    }

    /// Calls `visit` with the rank of each of them.
    pub fn for_each(&self, visit: impl FnMut(usize)) {
        self.for_each_in(0..self.index.size() as usize, visit);
    }

    /// Calls `visit` with the rank of each of them among `ranks`.
    pub fn for_each_in(&self, ranks: Range<usize>, mut visit: impl FnMut(usize)) {
        for own in 0..=self.grid.n {
            let (block, row_len) = (self.grid.block(own), self.grid.counts[self.grid.n - own]);
            let begin = ranks.start.clamp(block.start, block.end);
            let first = block.start + (begin - block.start) / row_len * row_len;
            for row in (first..block.end.min(ranks.end)).step_by(row_len) {
                let left_out = self.rows[self.grid.n - own].iter().map(|other| row + other);
                left_out.filter(|rank| ranks.contains(rank)).for_each(&mut visit);
            }
        }
    }

    /// Puts their values among those of all other positions; `sower` is that of the layer and `exits` are
    /// those of [`exits`](super::exits).
    ///
    /// Costs a look at each of their moves, on the current rayon pool, and at most a few megabytes.
    pub(super) fn fill_in(&self, sower: &Sower<'_>, exits: &[i8], values: &mut [i8]) {
        let Grid { n, counts, .. } = &self.grid;
        for own in 0..=*n {
            let (block, others) = (self.grid.block(own), n - own);
            let (own_table, table) = rayon::join(|| sower.own(own), || sower.other(others));
            let best = |row: usize, other: usize, values: &[i8]| {
                let place = block.start + row * counts[others] + other;
                let after = table.of(other);
                let moves = own_table.of(row).iter().map(|own_move| (own_move, after[usize::from(own_move.class)]));
                let inside = moves.filter(|(_, other_move)| other_move.gain == 0);
                inside.fold(exits[place], |best, (own_move, other_move)| {
                    best.max(-values[self.child(others, own_move, other_move)])
                })
            };
            let band = (BAND / counts[others]).max(1);
            for first in (0..counts[own]).step_by(band) {
                let rows = first..(first + band).min(counts[own]);
                let now = &*values;
                let found: Vec<i8> = (rows.clone().into_par_iter())
                    .flat_map_iter(|row| self.rows[others].iter().map(move |&other| best(row, other, now)))
                    .collect();
                let mut found = found.into_iter();
                let values = &mut values[block.start + rows.start * counts[others]..];
                for row in values.chunks_mut(counts[others]).take(rows.len()) {
                    self.rows[others].iter().zip(&mut found).for_each(|(&other, value)| row[other] = value);
                }
            }
        }
    }

    /// The rank after a move that wins nothing from a position with `others` seeds in the other row.
    fn child(&self, others: usize, own_move: &StorelessMove, other_move: OtherMove) -> usize {
        let own = others + usize::from(own_move.drops);
        self.grid.starts[own] + other_move.row as usize * self.grid.counts[self.grid.n - own] + own_move.row as usize
    }
}

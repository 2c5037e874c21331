//! Tables of half moves: what every move does to every row, computed once a row instead of once a position.

use std::collections::BTreeSet;

use rayon::prelude::*;

use super::{Lower, SolveError};
use crate::index::Compositions;
use crate::rules::{Class, HalfRows, Layer, Rules};

/// What a move does to the mover's row.
#[derive(Clone, Copy)]
pub(super) struct OwnMove {
    /// Number of the move's class.
    pub class: u16,
    /// Seeds dropped into the other row.
    pub drops: u8,
    pub again: bool,
    /// Rank of the row afterwards, and its seeds: `[nothing captured, captured]`.
    pub row: [u32; 2],
    pub seeds: [u8; 2],
}

/// What a move does to the mover's row in a game without stores, where all seeds that are not dropped stay in it.
#[derive(Clone, Copy)]
pub(super) struct StorelessMove {
    /// Rank of the row afterwards.
    pub row: u32,
    /// Number of the move's class.
    pub class: u16,
    /// Seeds dropped into the other row.
    pub drops: u8,
}

impl From<OwnMove> for StorelessMove {
    fn from(OwnMove { class, drops, row, .. }: OwnMove) -> Self {
        Self { row: row[0], class, drops }
    }
}

/// What a move does to the other row.
#[derive(Clone, Copy)]
pub(super) struct OtherMove {
    /// Rank of the row afterwards.
    pub row: u32,
    /// Its seeds.
    pub seeds: u8,
    /// Seeds captured out of it.
    pub gain: u8,
    pub captures: bool,
}

/// The mover's halves of all moves from the rows of one number of seeds, in a game without stores.
#[derive(Default)]
pub(super) struct OwnTable {
    starts: Vec<u32>,
    moves: Vec<StorelessMove>,
}

impl OwnTable {
    /// The moves from all rows in rank order.
    pub(super) fn all(&self) -> impl Iterator<Item = &[StorelessMove]> {
        self.starts.windows(2).map(|ends| &self.moves[ends[0] as usize..ends[1] as usize])
    }

    #[inline]
    pub(super) fn of(&self, row: usize) -> &[StorelessMove] {
        &self.moves[self.starts[row] as usize..self.starts[row + 1] as usize]
    }
}

/// The other halves of all classes for the rows of one number of seeds.
pub(super) struct OtherTable {
    classes: usize,
    moves: Vec<OtherMove>,
}

impl OtherTable {
    /// How many classes there are for these rows.
    pub(super) fn classes(&self) -> usize {
        self.classes
    }

    /// All rows in rank order, each by class number.
    pub(super) fn rows(&self) -> impl Iterator<Item = &[OtherMove]> {
        self.moves.chunks_exact(self.classes.max(1))
    }

    /// By class number.
    #[inline]
    pub(super) fn of(&self, row: usize) -> &[OtherMove] {
        &self.moves[row * self.classes..][..self.classes]
    }
}

/// The classes of moves in a layer, sorted by seeds dropped.
pub(super) struct Classes {
    list: Vec<Class>,
}

impl Classes {
    /// How many classes drop at most `drops` seeds; they are the first.
    pub(super) fn up_to(&self, drops: usize) -> usize {
        self.list.partition_point(|class| usize::from(class.drops) <= drops)
    }

    /// The number of a class of the layer.
    fn number(&self, class: Class) -> u16 {
        self.list.partition_point(|other| *other < class) as u16
    }

    pub(super) fn list(&self) -> &[Class] {
        &self.list
    }
}

/// Calls `visit` with every row of `seeds` seeds, in rank order.
pub(super) fn for_each_row(ways: &Compositions, seeds: usize, mut visit: impl FnMut(&[u8])) {
    let mut row = vec![0; ways.pits()];
    row[ways.pits() - 1] = seeds as u8;
    loop {
        visit(&row);
        if !Compositions::advance(&mut row) {
            return;
        }
    }
}

/// Makes the tables of a layer, one number of seeds at a time, so that nobody has to keep more of them than he needs.
pub(super) struct Sower<'a> {
    halves: &'a dyn HalfRows,
    ways: &'a Compositions,
    n: usize,
    pub classes: Classes,
}

impl<'a> Sower<'a> {
    /// For a layer of `n` seeds. Sows every row once, to find the classes.
    pub(super) fn new(halves: &'a dyn HalfRows, ways: &'a Compositions, n: usize) -> Self {
        // The rows are sown again for the moves: to keep what cannot be numbered yet takes more memory than the tables
        // themselves.
        let mut list: Vec<Class> = (0..=n)
            .into_par_iter()
            .flat_map_iter(|seeds| {
                let mut found = BTreeSet::new();
                for_each_row(ways, seeds, |row| {
                    let classes = (0..row.len()).filter(|&pit| row[pit] > 0).map(|pit| halves.sow_own(row, pit).class);
                    found.extend(classes);
                });
                found
            })
            .collect();
        list.sort_unstable();
        list.dedup();
        Self { halves, ways, n, classes: Classes { list } }
    }

    /// How many moves there are from all rows of so many seeds.
    pub(super) fn own_moves(&self, seeds: usize) -> usize {
        own_moves(self.ways, seeds) as usize
    }

    /// Calls `visit` with the moves from each row of so many seeds, in rank order.
    pub(super) fn for_each_own(&self, seeds: usize, mut visit: impl FnMut(&mut dyn Iterator<Item = OwnMove>)) {
        for_each_row(self.ways, seeds, |row| {
            visit(&mut (0..row.len()).filter(|&pit| row[pit] > 0).map(|pit| {
                let half = self.halves.sow_own(row, pit);
                let plain = self.ways.rank(half.row.pits());
                let captured = self.ways.rank(half.row_after_capture.pits());
                OwnMove {
                    class: self.classes.number(half.class),
                    drops: half.class.drops,
                    again: half.again,
                    row: [plain.1 as u32, captured.1 as u32],
                    seeds: [plain.0 as u8, captured.0 as u8],
                }
            }));
        });
    }

    /// The mover's halves for rows of so many seeds.
    pub(super) fn own(&self, seeds: usize) -> OwnTable {
        let mut starts = Vec::with_capacity(self.ways.count(seeds) as usize + 1);
        let mut moves = Vec::with_capacity(self.own_moves(seeds));
        self.for_each_own(seeds, |from_row| {
            starts.push(moves.len() as u32);
            moves.extend(from_row.map(StorelessMove::from));
        });
        starts.push(moves.len() as u32);
        OwnTable { starts, moves }
    }

    /// The other halves for rows of so many seeds.
    pub(super) fn other(&self, seeds: usize) -> OtherTable {
        let possible = &self.classes.list[..self.classes.up_to(self.n - seeds)];
        let mut moves = Vec::with_capacity(possible.len() * self.ways.count(seeds) as usize);
        for_each_row(self.ways, seeds, |row| {
            for &class in possible {
                let half = self.halves.sow_other(row, class);
                let (left, rank) = self.ways.rank(half.row.pits());
                moves.push(OtherMove {
                    row: rank as u32,
                    seeds: left as u8,
                    gain: (seeds + usize::from(class.drops) - left) as u8,
                    captures: half.captures,
                });
            }
        });
        OtherTable { classes: possible.len(), moves }
    }

    /// [`other`](Self::other) for all numbers of seeds.
    pub(super) fn all_other(&self) -> Vec<OtherTable> {
        (0..=self.n).into_par_iter().map(|seeds| self.other(seeds)).collect()
    }
}

/// How many moves there are from all rows of so many seeds: from each pit as many as there are ways to lay the seeds
/// but one that lies in it.
fn own_moves(ways: &Compositions, seeds: usize) -> u64 {
    seeds.checked_sub(1).map_or(0, |rest| ways.count(rest).saturating_mul(ways.pits() as u64))
}

/// A layer below: its values and where each number of own seeds begins.
pub(super) struct Below<'a> {
    pub values: &'a [i8],
    pub starts: Vec<usize>,
}

/// The layers of fewer than `n` seeds, by seeds.
pub(super) fn layers_below(lower: &Lower, n: usize) -> Result<Vec<Below<'_>>, SolveError> {
    let below = |m: usize| {
        let (index, values) = lower.seeds(Layer::of(m as u8))?;
        Ok(Below { values, starts: (0..=m).map(|own| index.start(own) as usize).collect() })
    };
    (0..n).map(below).collect()
}

/// Bytes that the half moves of a layer take, by number of seeds.
pub(super) struct TableSizes {
    ways: Compositions,
    n: usize,
    /// In how many ways a sowing may end in the mover's row, as far as the other row feels it.
    own_ends: usize,
}

impl TableSizes {
    pub(super) fn new(rules: &dyn Rules, halves: &dyn HalfRows, layer: Layer) -> Self {
        let n = usize::from(layer.seeds);
        let own_ends = if halves.acyclic() { 1 + rules.half() } else { 1 };
        Self { ways: Compositions::new(rules.half(), n), n, own_ends }
    }

    /// So many bytes for each move from the rows of so many seeds, and four for each row.
    pub(super) fn own(&self, seeds: usize, bytes: usize) -> u64 {
        own_moves(&self.ways, seeds).saturating_mul(bytes as u64).saturating_add(self.rows(seeds).saturating_mul(4))
    }

    /// So many bytes for each class and row of so many seeds.
    pub(super) fn other(&self, seeds: usize, bytes: usize) -> u64 {
        // A sowing ends in the other row after any number of drops, or in the mover's after whole rounds of them.
        let rest = self.n - seeds;
        let classes = rest + self.own_ends * (1 + rest / self.ways.pits());
        self.rows(seeds).saturating_mul((classes * bytes) as u64)
    }

    /// What it takes to take moves back into rows of so many seeds: their pits, and the moves that lead there.
    pub(super) fn unmoves(&self, seeds: usize) -> u64 {
        let pits = self.ways.pits() as u64;
        self.own(seeds, 8).saturating_add(self.rows(seeds).saturating_mul(pits))
    }

    /// Seeds of the layer.
    pub(super) fn seeds(&self) -> usize {
        self.n
    }

    /// Positions of the largest block.
    pub(super) fn largest_block(&self) -> u64 {
        (0..=self.n).map(|own| self.rows(own).saturating_mul(self.rows(self.n - own))).max().unwrap_or(0)
    }

    /// Rows of so many seeds.
    fn rows(&self, seeds: usize) -> u64 {
        self.ways.count(seeds)
    }

    /// The sum over all numbers of seeds.
    pub(super) fn sum(&self, bytes: impl Fn(usize) -> u64) -> u64 {
        (0..=self.n).map(bytes).fold(0, u64::saturating_add)
    }
}

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

/// The mover's halves of all moves from the rows of one number of seeds.
pub(super) struct OwnTable<M> {
    starts: Vec<u32>,
    moves: Vec<M>,
}

impl<M> OwnTable<M> {
    #[inline]
    pub(super) fn of(&self, row: usize) -> &[M] {
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

/// All half moves of a layer.
pub(super) struct HalfTables<M> {
    pub classes: Classes,
    /// By seeds in the mover's row.
    pub own: Vec<OwnTable<M>>,
    /// By seeds in the other row; only classes that the rest of the seeds can drop.
    pub other: Vec<OtherTable>,
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

impl<M: From<OwnMove> + Send> HalfTables<M> {
    pub(super) fn new(halves: &dyn HalfRows, ways: &Compositions, n: usize) -> Self {
        // Sown twice, for the classes and for the moves: to keep what cannot be numbered yet takes more memory than the
        // tables themselves.
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
        let classes = Classes { list };
        let own = (0..=n)
            .into_par_iter()
            .map(|seeds| {
                let (mut starts, mut moves) = (Vec::new(), Vec::new());
                for_each_row(ways, seeds, |row| {
                    starts.push(moves.len() as u32);
                    for pit in (0..row.len()).filter(|&pit| row[pit] > 0) {
                        let half = halves.sow_own(row, pit);
                        let plain = ways.rank(half.row.pits());
                        let captured = ways.rank(half.row_after_capture.pits());
                        moves.push(M::from(OwnMove {
                            class: classes.number(half.class),
                            drops: half.class.drops,
                            again: half.again,
                            row: [plain.1 as u32, captured.1 as u32],
                            seeds: [plain.0 as u8, captured.0 as u8],
                        }));
                    }
                });
                starts.push(moves.len() as u32);
                moves.shrink_to_fit();
                OwnTable { starts, moves }
            })
            .collect();
        let other = (0..=n)
            .into_par_iter()
            .map(|seeds| {
                let possible = &classes.list[..classes.up_to(n - seeds)];
                let mut moves = Vec::with_capacity(possible.len() * ways.count(seeds) as usize);
                for_each_row(ways, seeds, |row| {
                    for &class in possible {
                        let half = halves.sow_other(row, class);
                        let (left, rank) = ways.rank(half.row.pits());
                        moves.push(OtherMove {
                            row: rank as u32,
                            seeds: left as u8,
                            gain: (seeds + usize::from(class.drops) - left) as u8,
                            captures: half.captures,
                        });
                    }
                });
                OtherTable { classes: possible.len(), moves }
            })
            .collect();
        Self { classes, own, other }
    }
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

/// Bytes that the half tables of a layer take, roughly.
pub(super) fn tables_memory(rules: &dyn Rules, halves: &dyn HalfRows, layer: Layer) -> u64 {
    let n = usize::from(layer.seeds);
    let ways = Compositions::new(rules.half(), n);
    let w = rules.half();
    let per_row = |seeds: usize| {
        // A sowing ends in the other row after any number of drops, or in the mover's after whole rounds of them.
        let own_ends = if halves.acyclic() { 1 + w } else { 1 };
        let classes = (n - seeds) + own_ends * (1 + (n - seeds) / w);
        let occupied = (w * seeds).div_ceil((seeds + w - 1).max(1));
        let own = occupied * if halves.acyclic() { size_of::<OwnMove>() } else { size_of::<StorelessMove>() };
        let other = classes * size_of::<OtherMove>();
        let inverse = if halves.acyclic() { 0 } else { w + 8 * occupied };
        (own + other + inverse) as u64
    };
    (0..=n).map(|seeds| ways.count(seeds).saturating_mul(per_row(seeds))).fold(0, u64::saturating_add)
}

//! Numbering the positions of a layer.
//!
//! A position is its mover's half and the other half. A layer is cut into segments by the number of seeds in the
//! mover's half; inside a segment a position's rank is `rank of own half * row length + rank of other half`, so that
//! all positions with the same own half lie side by side. Halves are ranked lexicographically, which keeps
//! neighbouring values alike and lets the rank of a half fall whenever seeds move to the right inside it.

mod compositions;
mod mirror;

pub use compositions::Compositions;

use std::sync::Arc;

use crate::rules::{Board, Layer, MARK, Marks, Rules};
use mirror::Mirror;

/// A run of rows of equal length: all positions whose mover has so many seeds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Segment {
    /// Rows, one for each own half.
    pub rows: u64,
    /// Positions a row, one for each other half.
    pub row_len: u64,
}

/// Number of positions of a layer, counting both of a mirrored pair; `None` above 2^63.
#[must_use]
pub fn positions(rules: &dyn Rules, layer: Layer) -> Option<u64> {
    let pits = 2 * rules.half();
    let base = Compositions::new(pits, usize::from(layer.seeds)).count(usize::from(layer.seeds));
    let sets = mark_sets(rules.marks(), layer, pits).len() as u64;
    if base == u64::MAX { None } else { base.checked_mul(sets).filter(|&all| all < 1 << 63) }
}

/// The sets of marks that positions of a layer carry, in the order of the index.
fn mark_sets(marks: Marks, layer: Layer, pits: usize) -> Vec<u64> {
    match marks {
        Marks::None => vec![0],
        Marks::Closed => subsets(pits, u32::from(layer.closed)),
        Marks::Seats(set) => {
            let half = pits / 2;
            let turned = (set >> half) | (set & ((1 << half) - 1)) << half;
            if set == turned { vec![set] } else { vec![set.min(turned), set.max(turned)] }
        }
    }
}

/// All sets of `count` of `pits` pits, as rising bit sets.
fn subsets(pits: usize, count: u32) -> Vec<u64> {
    let end = 1_u64 << pits;
    let mut set = (1_u64 << count) - 1;
    let mut sets = Vec::new();
    while set < end {
        sets.push(set);
        if set == 0 {
            break;
        }
        // The next larger number with as many bits: carry the lowest run of ones, and put its rest back at the bottom.
        let lowest = set & set.wrapping_neg();
        let carried = set + lowest;
        set = carried | ((set ^ carried) >> 2) / lowest;
    }
    sets
}

/// The numbering of one layer: a bijection between its positions and `0..size`.
///
/// Where the rules have a mirror, only one position of each mirrored pair has a rank and both are found under it.
pub struct LayerIndex {
    layer: Layer,
    half: usize,
    ways: Arc<Compositions>,
    /// First rank of each segment, inside one set of marks, and the size of all as last entry.
    starts: Vec<u64>,
    segments: Vec<Segment>,
    mark_sets: Vec<u64>,
    mirror: Option<Mirror>,
    positions: u64,
}

impl LayerIndex {
    /// The index of a layer.
    ///
    /// Costs little but for mirrored games, which tabulate every half of up to `layer.seeds` seeds.
    ///
    /// Returns `None` if the layer has 2^63 positions or more.
    #[must_use]
    pub fn new(rules: &dyn Rules, layer: Layer) -> Option<Self> {
        let half = rules.half();
        let n = usize::from(layer.seeds);
        let positions = positions(rules, layer)?;
        let ways = Arc::new(Compositions::new(half, n));
        let mirror = rules.mirror().map(|map| Mirror::new(&ways, &map, n));
        let mut segments = Vec::new();
        for own in 0..=n {
            match &mirror {
                None => segments.push(Segment { rows: ways.count(own), row_len: ways.count(n - own) }),
                Some(mirror) => segments.extend(mirror.segments(own, n - own)),
            }
        }
        let mut starts = vec![0];
        for segment in &segments {
            starts.push(starts[starts.len() - 1] + segment.rows * segment.row_len);
        }
        let mark_sets = mark_sets(rules.marks(), layer, 2 * half);
        Some(Self { layer, half, ways, starts, segments, mark_sets, mirror, positions })
    }

    /// The layer that is numbered.
    #[must_use]
    pub fn layer(&self) -> Layer {
        self.layer
    }

    /// How halves are ranked.
    #[must_use]
    pub fn halves(&self) -> &Compositions {
        &self.ways
    }

    fn base(&self) -> u64 {
        self.starts[self.starts.len() - 1]
    }

    /// Number of ranks.
    #[must_use]
    pub fn size(&self) -> u64 {
        self.base() * self.mark_sets.len() as u64
    }

    /// Number of positions; more than [`LayerIndex::size`] where mirrored pairs share a rank.
    #[must_use]
    pub fn positions(&self) -> u64 {
        self.positions
    }

    /// The rows in rank order.
    #[must_use]
    pub fn shape(&self) -> Vec<Segment> {
        self.segments.repeat(self.mark_sets.len())
    }

    /// First rank of the segment of `own` seeds in the mover's half (games without mirror and marks).
    #[must_use]
    pub fn start(&self, own: usize) -> u64 {
        self.starts[own]
    }

    /// The name of this numbering, stored in tables; a different one must have a different name.
    #[must_use]
    pub fn scheme(&self) -> &'static str {
        if self.mirror.is_some() { "halves-mirror-1" } else { "halves-1" }
    }

    /// The rank of a position of this layer; `None` if its seeds or marks are those of another layer.
    #[must_use]
    pub fn checked_rank(&self, board: &Board) -> Option<u64> {
        let fits = board.len() == 2 * self.half
            && board.seeds() == u32::from(self.layer.seeds)
            && self.mark_sets.binary_search(&board.marks()).is_ok();
        fits.then(|| self.rank(board))
    }

    /// The rank of a position, which must be one of this layer.
    #[must_use]
    #[inline]
    pub fn rank(&self, board: &Board) -> u64 {
        if self.mark_sets.len() == 1 && self.mark_sets[0] == 0 {
            return self.base_rank(board);
        }
        let set = self.mark_sets.binary_search(&board.marks()).unwrap_or_default();
        set as u64 * self.base() + self.base_rank(&board.with_marks(0))
    }

    #[inline]
    fn base_rank(&self, board: &Board) -> u64 {
        let n = usize::from(self.layer.seeds);
        let (own_seeds, own) = self.ways.rank(board.own());
        let (other_seeds, other) = self.ways.rank(board.other());
        debug_assert_eq!(own_seeds + other_seeds, n);
        match &self.mirror {
            None => self.starts[own_seeds] + own * self.ways.count(n - own_seeds) + other,
            Some(mirror) => {
                let (segment, offset) = mirror.place(own_seeds, own, n - own_seeds, other);
                self.starts[segment] + offset
            }
        }
    }

    /// The position of a rank; for mirrored pairs, one of the two.
    #[must_use]
    pub fn unrank(&self, rank: u64) -> Board {
        let n = usize::from(self.layer.seeds);
        let (set, rank) = (rank / self.base(), rank % self.base());
        let segment = self.starts.partition_point(|&start| start <= rank) - 1;
        let offset = rank - self.starts[segment];
        let Segment { row_len, .. } = self.segments[segment];
        let (row, column) = (offset / row_len, offset % row_len);
        let (own_seeds, own, other) = match &self.mirror {
            None => (segment, row, column),
            Some(mirror) => mirror.unplace(segment, row, column, n),
        };
        let mut board = Board::empty(2 * self.half);
        self.ways.unrank(own_seeds, own, &mut board[..self.half]);
        self.ways.unrank(n - own_seeds, other, &mut board[self.half..]);
        board.with_marks(self.mark_sets[set as usize])
    }

    /// How many positions are found under this rank: 1, or 2 for a mirrored pair.
    #[must_use]
    pub fn weight(&self, rank: u64) -> u8 {
        match &self.mirror {
            None => 1,
            Some(_) => {
                let rank = rank % self.base();
                let segment = self.starts.partition_point(|&start| start <= rank) - 1;
                let offset = rank - self.starts[segment];
                let row_len = self.segments[segment].row_len;
                self.mirror.as_ref().map_or(1, |m| m.weight(segment, offset % row_len, usize::from(self.layer.seeds)))
            }
        }
    }

    /// Calls `visit` with each rank of `ranks` and its position, in order; faster than unranking one by one.
    pub fn walk(&self, ranks: std::ops::Range<u64>, mut visit: impl FnMut(u64, &Board)) {
        if ranks.is_empty() {
            return;
        }
        if self.mirror.is_some() {
            ranks.for_each(|rank| visit(rank, &self.unrank(rank)));
            return;
        }
        let mut board = self.unrank(ranks.start);
        let half = self.half;
        for rank in ranks.clone() {
            visit(rank, &board);
            if rank + 1 == ranks.end {
                return;
            }
            // Marks share the byte with the seeds, so a marked board is numbered anew a row at a time.
            let marks = board.marks();
            let mut plain = if marks == 0 { board } else { board.with_marks(0) };
            if Compositions::advance(&mut plain[half..]) {
                board = if marks == 0 { plain } else { plain.with_marks(marks) };
            } else {
                board = self.unrank(rank + 1);
            }
        }
    }

    /// Calls `visit` with every position of the layer in lexicographic order (own half, then other half); marked
    /// boards once for each set of marks, in the order of the index.
    pub fn walk_lexicographic(&self, mut visit: impl FnMut(&Board)) {
        let n = self.layer.seeds;
        for &marks in &self.mark_sets {
            let mut board = Board::empty(2 * self.half);
            let last = board.len() - 1;
            board[last] = n;
            loop {
                if marks == 0 {
                    visit(&board);
                } else {
                    visit(&board.with_marks(marks));
                }
                if !Compositions::advance(&mut board) {
                    break;
                }
            }
        }
    }
}

/// The marks are the top bit of each pit; the seeds of a half are what is left.
const _: () = assert!(MARK == 0x80);

//! Numbering one of each pair of mirrored positions.
//!
//! The mirror acts on both halves at once. Of a pair whose own halves differ the one with the smaller own half is
//! kept; where the own half is its own image, the one with the smaller other half. So each number of own seeds has two
//! segments: rows of own halves that differ from their image, each with all other halves, and rows of symmetric own
//! halves, each with the other halves that are not larger than their image.

use super::{Compositions, Segment};

/// One half among those with as many seeds.
#[derive(Clone, Copy)]
struct Half {
    image: u32,
    /// Number among the kept halves of its sort (differing or symmetric).
    row: u32,
}

pub(super) struct Mirror {
    /// By seeds and rank.
    halves: Vec<Vec<Half>>,
    /// By seeds: ranks of kept halves that differ from their image, in order.
    differing: Vec<Vec<u32>>,
    /// By seeds: ranks of symmetric halves, in order.
    symmetric: Vec<Vec<u32>>,
    /// By seeds and rank: number among the halves that are not larger than their image.
    column: Vec<Vec<u32>>,
    /// By seeds: ranks of the halves that are not larger than their image.
    columns: Vec<Vec<u32>>,
}

impl Mirror {
    /// `map[i]` is the pit that pit `i` of a half becomes.
    pub(super) fn new(ways: &Compositions, map: &[u8], most: usize) -> Self {
        let mut mirror = Self { halves: vec![], differing: vec![], symmetric: vec![], column: vec![], columns: vec![] };
        let pits = ways.pits();
        for seeds in 0..=most {
            let mut row = vec![0; pits];
            row[pits - 1] = seeds as u8;
            let mut image = vec![0; pits];
            let (mut halves, mut column) = (Vec::new(), Vec::new());
            let (mut differing, mut symmetric, mut columns) = (Vec::new(), Vec::new(), Vec::new());
            for rank in 0..ways.count(seeds) as u32 {
                for (i, &to) in map.iter().enumerate() {
                    image[usize::from(to)] = row[i];
                }
                let image = ways.rank(&image).1 as u32;
                let kept = if rank == image { &mut symmetric } else { &mut differing };
                halves.push(Half { image, row: kept.len() as u32 });
                column.push(columns.len() as u32);
                if rank <= image {
                    kept.push(rank);
                    columns.push(rank);
                }
                Compositions::advance(&mut row);
            }
            mirror.halves.push(halves);
            mirror.column.push(column);
            mirror.differing.push(differing);
            mirror.symmetric.push(symmetric);
            mirror.columns.push(columns);
        }
        mirror
    }

    pub(super) fn segments(&self, own: usize, other: usize) -> [Segment; 2] {
        [
            Segment { rows: self.differing[own].len() as u64, row_len: self.halves[other].len() as u64 },
            Segment { rows: self.symmetric[own].len() as u64, row_len: self.columns[other].len() as u64 },
        ]
    }

    /// The segment of a position and its place inside it.
    #[inline]
    pub(super) fn place(&self, own_seeds: usize, own: u64, other_seeds: usize, other: u64) -> (usize, u64) {
        let halves = &self.halves[own_seeds];
        let own = own as u32;
        let half = halves[own as usize];
        let others = &self.halves[other_seeds];
        if half.image == own {
            let other = (other as u32).min(others[other as usize].image);
            let column = self.column[other_seeds][other as usize];
            let row_len = self.columns[other_seeds].len() as u64;
            return (2 * own_seeds + 1, u64::from(half.row) * row_len + u64::from(column));
        }
        let (row, column) = if own < half.image {
            (half.row, other as u32)
        } else {
            (halves[half.image as usize].row, others[other as usize].image)
        };
        (2 * own_seeds, u64::from(row) * others.len() as u64 + u64::from(column))
    }

    /// Own seeds, rank of the own half and rank of the other half.
    pub(super) fn unplace(&self, segment: usize, row: u64, column: u64, n: usize) -> (usize, u64, u64) {
        let own = segment / 2;
        if segment.is_multiple_of(2) {
            (own, u64::from(self.differing[own][row as usize]), column)
        } else {
            let other = self.columns[n - own][column as usize];
            (own, u64::from(self.symmetric[own][row as usize]), u64::from(other))
        }
    }

    /// 2 unless the position is its own image.
    pub(super) fn weight(&self, segment: usize, column: u64, n: usize) -> u8 {
        let own = segment / 2;
        let is_own_image = segment % 2 == 1 && {
            let other = self.columns[n - own][column as usize];
            self.halves[n - own][other as usize].image == other
        };
        if is_own_image { 1 } else { 2 }
    }
}

//! Which process owns which position: pure arithmetic on ranks.
//!
//! A layer is cut into blocks of equally many ranks, dealt out in turn, so that every process has some of every part of
//! the layer: positions of one value lie close together, and dealt out whole they would leave most processes idle while
//! that value is followed.

use std::ops::Range;

/// The largest block: two to this power ranks.
const LARGEST: u32 = 16;

/// The smallest block, for layers so small that communication is all they cost.
const SMALLEST: u32 = 6;

/// Blocks each process has at least, if the layer is large enough.
const BLOCKS_EACH: u64 = 16;

/// How the ranks of a layer are dealt to processes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Partition {
    size: u64,
    shift: u32,
    processes: u64,
}

impl Partition {
    /// Deals `size` ranks to so many processes, at least one.
    pub fn new(size: u64, processes: usize) -> Self {
        let enough = |&shift: &u32| size >> shift >= BLOCKS_EACH * processes as u64;
        let shift = (SMALLEST..=LARGEST).rev().find(enough).unwrap_or(SMALLEST);
        Self::with_shift(size, processes, shift)
    }

    /// Deals out blocks of `1 << shift` ranks, at most 2^31.
    pub fn with_shift(size: u64, processes: usize, shift: u32) -> Self {
        Self { size, shift: shift.min(31), processes: processes.max(1) as u64 }
    }

    /// Number of ranks dealt out.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Blocks have `1 << shift` ranks.
    pub fn shift(&self) -> u32 {
        self.shift
    }

    /// The owner of a rank, and the place of the rank among what it owns.
    #[inline]
    pub fn owner(&self, rank: u64) -> (usize, u32) {
        let block = rank >> self.shift;
        let place = (block / self.processes) << self.shift | (rank & ((1 << self.shift) - 1));
        ((block % self.processes) as usize, place as u32)
    }

    /// The rank at a place of a process.
    #[inline]
    pub fn rank(&self, process: usize, place: u32) -> u64 {
        let place = u64::from(place);
        ((place >> self.shift) * self.processes + process as u64) << self.shift | (place & ((1 << self.shift) - 1))
    }

    /// How many ranks a process owns.
    pub fn len(&self, process: usize) -> u64 {
        self.blocks(process).map(|block| block.end - block.start).sum()
    }

    /// The most ranks that any process owns.
    pub fn longest(&self) -> u64 {
        // Blocks are dealt in turn, so the first process has a block more than others or the same.
        self.size.div_ceil(self.processes << self.shift) << self.shift
    }

    /// The blocks of a process, in order.
    pub fn blocks(&self, process: usize) -> impl Iterator<Item = Range<u64>> + use<> {
        let Self { size, shift, processes } = *self;
        let all = size.div_ceil(1 << shift);
        (process as u64..all)
            .step_by(processes as usize)
            .map(move |block| block << shift..size.min((block + 1) << shift))
    }

    /// Consecutive ranks cut where the owner changes, in order.
    pub fn cut(&self, ranks: Range<u64>) -> impl Iterator<Item = Range<u64>> + use<> {
        let shift = self.shift;
        let blocks = if ranks.is_empty() { 0..0 } else { ranks.start >> shift..((ranks.end - 1) >> shift) + 1 };
        blocks.map(move |block| ranks.start.max(block << shift)..ranks.end.min((block + 1) << shift))
    }
}

/// Splits consecutive numbers as evenly as they go into `parts`, some of which may be empty.
pub fn split(range: &Range<u64>, parts: usize) -> Vec<Range<u64>> {
    let (len, parts) = (range.end - range.start, parts as u64);
    let edge = |part: u64| range.start + len / parts * part + (len % parts).min(part);
    (0..parts).map(|part| edge(part)..edge(part + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rank_has_one_owner_and_one_place() {
        for size in [0, 1, 63, 64, 65, 1000, 4096, 70_001] {
            for processes in 1..=5 {
                for partition in [Partition::new(size, processes), Partition::with_shift(size, processes, 2)] {
                    let mut next = vec![0; processes];
                    for rank in 0..size {
                        let (owner, place) = partition.owner(rank);
                        assert_eq!(u64::from(place), next[owner], "places of a process are in the order of ranks");
                        assert_eq!(partition.rank(owner, place), rank);
                        next[owner] += 1;
                    }
                    for (process, &found) in next.iter().enumerate() {
                        assert_eq!(partition.len(process), found);
                        assert!(found <= partition.longest());
                        let ranks = partition.blocks(process).flatten();
                        assert!(ranks.eq((0..found).map(|place| partition.rank(process, place as u32))));
                    }
                }
            }
        }
    }

    #[test]
    fn owners_have_almost_equally_much() {
        for processes in 1..=9 {
            let partition = Partition::new(1_352_078, processes);
            let lens: Vec<u64> = (0..processes).map(|process| partition.len(process)).collect();
            let (least, most) = (lens.iter().min().unwrap(), lens.iter().max().unwrap());
            assert!(*most as f64 <= 1.1 * *least as f64, "{lens:?}");
        }
    }

    #[test]
    fn cuts_are_consecutive_and_have_one_owner() {
        let partition = Partition::with_shift(1000, 3, 4);
        for (start, end) in [(0, 0), (0, 1), (5, 16), (15, 17), (3, 999), (990, 1000)] {
            let mut at = start;
            for part in partition.cut(start..end) {
                assert_eq!(part.start, at);
                assert!(part.start < part.end);
                let owner = partition.owner(part.start).0;
                assert!(part.clone().all(|rank| partition.owner(rank).0 == owner));
                at = part.end;
            }
            assert_eq!(at, end);
        }
    }

    #[test]
    fn parts_are_even() {
        assert_eq!(split(&(10..21), 3), [10..14, 14..18, 18..21]);
        assert_eq!(split(&(5..6), 3), [5..6, 6..6, 6..6]);
        assert_eq!(split(&(5..5), 2), [5..5, 5..5]);
    }
}

//! Ranking the ways to lay seeds into a row of pits.

/// The compositions of `s` seeds into a fixed number of pits, for every `s` up to a bound, in lexicographic order.
pub struct Compositions {
    pits: usize,
    most: usize,
    /// `ways[m * (most + 1) + r]`: compositions of `r` seeds into `m` pits, saturating.
    ways: Vec<u64>,
}

impl Compositions {
    /// Tables for rows of `pits` pits and at most `most` seeds.
    #[must_use]
    pub fn new(pits: usize, most: usize) -> Self {
        let stride = most + 1;
        let mut ways = vec![0_u64; (pits + 1) * stride];
        ways[0] = 1;
        for m in 1..=pits {
            ways[m * stride] = 1;
            for r in 1..stride {
                ways[m * stride + r] = ways[m * stride + r - 1].saturating_add(ways[(m - 1) * stride + r]);
            }
        }
        Self { pits, most, ways }
    }

    /// Pits a row.
    #[must_use]
    pub fn pits(&self) -> usize {
        self.pits
    }

    /// Number of rows with exactly `seeds` seeds; `u64::MAX` if there are that many or more.
    #[must_use]
    #[inline]
    pub fn count(&self, seeds: usize) -> u64 {
        self.ways[self.pits * (self.most + 1) + seeds]
    }

    /// Seeds in a row, and its rank among the rows with as many.
    ///
    /// Before row `p` come, for each pit, the rows that agree up to there and then hold fewer seeds; with `r` seeds
    /// left for `m` pits these are `ways(m, r) - ways(m, r - p[i])`.
    #[must_use]
    #[inline]
    pub fn rank(&self, row: &[u8]) -> (usize, u64) {
        let stride = self.most + 1;
        let (mut seeds, mut rank) = (0, 0);
        for (m, &pit) in row.iter().rev().enumerate() {
            let table = &self.ways[(m + 1) * stride..(m + 2) * stride];
            let left = seeds;
            seeds += usize::from(pit);
            rank += table[seeds] - table[left];
        }
        (seeds, rank)
    }

    /// Writes the row of `seeds` seeds with this rank into `row`.
    pub fn unrank(&self, seeds: usize, mut rank: u64, row: &mut [u8]) {
        let stride = self.most + 1;
        let mut left = seeds;
        let last = row.len() - 1;
        for (i, pit) in row[..last].iter_mut().enumerate() {
            let table = &self.ways[(self.pits - i) * stride..];
            let all = table[left];
            let mut after = left;
            // Skip the rows with fewer seeds here: those before `left - after` number `all - table[after]`.
            while after > 0 && all - table[after - 1] <= rank {
                after -= 1;
            }
            rank -= all - table[after];
            *pit = (left - after) as u8;
            left = after;
        }
        row[last] = left as u8;
    }

    /// Turns a row into the next one with as many seeds; returns whether there is one.
    #[inline]
    pub fn advance(row: &mut [u8]) -> bool {
        let last = row.len() - 1;
        let Some(i) = row[1..].iter().rposition(|&pit| pit > 0).map(|i| i + 1) else {
            return false;
        };
        let moved = std::mem::take(&mut row[i]);
        row[i - 1] += 1;
        row[last] = moved - 1;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_count_up_in_lexicographic_order() {
        for pits in 1..=5 {
            let ways = Compositions::new(pits, 7);
            for seeds in 0..=7 {
                let mut row = vec![0; pits];
                row[pits - 1] = seeds as u8;
                let mut before = None;
                for rank in 0..ways.count(seeds) {
                    assert_eq!(ways.rank(&row), (seeds, rank));
                    let mut again = vec![9; pits];
                    ways.unrank(seeds, rank, &mut again);
                    assert_eq!(again, row);
                    assert!(before.is_none_or(|b| b < row));
                    before = Some(row.clone());
                    assert_eq!(Compositions::advance(&mut row), rank + 1 < ways.count(seeds));
                }
            }
        }
    }

    #[test]
    fn counts_are_binomials_and_saturate() {
        assert_eq!(Compositions::new(12, 24).count(24), 417_225_900);
        assert_eq!(Compositions::new(20, 15).count(15), 1_855_967_520);
        assert_eq!(Compositions::new(20, 127).count(127), u64::MAX);
    }
}

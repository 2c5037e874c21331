//! Two-row games on a packed board: a row is a word, a pit a byte, a sowing two additions.

use super::Probe;
use super::ground::{Child, Ground};
use super::transposition::Key;
use crate::index::Compositions;
use crate::rules::{Board, Capture, Feeding, Layer, Move, Moves, PlainSowing, Rules, Turn};
use crate::solve::Values;

/// The two rows, the mover's first, each with its owner's leftmost pit in the lowest byte.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct Packed {
    own: u64,
    other: u64,
}

const ONES: u64 = 0x0101_0101_0101_0101;

/// All seeds of a row (or of bytes whose sum is below 256).
#[inline]
const fn sum(row: u64) -> u8 {
    (row.wrapping_mul(ONES) >> 56) as u8
}

/// What sowing so many seeds from a pit adds, the pit itself being emptied first.
#[derive(Clone, Copy, Default)]
struct Drops {
    own: u64,
    other: u64,
    store: u8,
    /// The pit in the mover's row, `w` his store, or `w + 1` and on the other row.
    last: u8,
}

impl Drops {
    fn of(w: usize, sowing: &PlainSowing, pit: usize, seeds: u8) -> Self {
        let mut drops = Self::default();
        let (mut at, mut hand) = (pit, seeds);
        while hand > 0 {
            at = (at + 1) % (2 * w + 1);
            if (at == pit && sowing.skip_origin) || (at == w && !sowing.store) {
                continue;
            }
            match at {
                _ if at == w => drops.store += 1,
                _ if at < w => drops.own += 1 << (8 * at),
                _ => drops.other += 1 << (8 * (at - w - 1)),
            }
            hand -= 1;
        }
        drops.last = at as u8;
        drops
    }
}

/// A layer in memory, to be looked up without a detour over a board.
struct RawLayer<'a> {
    values: &'a [i8],
    /// By seeds in the mover's row: rank of the first position, less the constants of both rows' ranks, and row length.
    segments: Vec<(i64, i64)>,
}

/// A plain game on rows of up to eight pits.
pub(super) struct Rows<'a> {
    w: usize,
    sowing: PlainSowing,
    probe: &'a dyn Probe,
    most_probed: Option<u8>,
    raw: Vec<Option<RawLayer<'a>>>,
    /// `less[m][s]`: ways to lay `s - 1` seeds into `m + 2` pits; see [`Rows::row_rank`].
    less: Vec<[u32; 128]>,
    /// By pit and seeds.
    drops: Vec<[Drops; 128]>,
}

impl<'a> Rows<'a> {
    /// The packed form of a game for positions of up to `seeds` seeds; `None` if it has none.
    pub(super) fn new(rules: &dyn Rules, probe: &'a dyn Probe, seeds: u8) -> Option<Self> {
        let sowing = rules.plain_sowing()?;
        let w = rules.half();
        // The key must be exact: six bytes a row, or eight times six bits.
        if w > 8 || (w > 6 && seeds > 63) {
            return None;
        }
        let drops = (0..w).map(|pit| std::array::from_fn(|seeds| Drops::of(w, &sowing, pit, seeds as u8))).collect();
        let most_probed = probe.most_seeds().filter(|_| rules.marks() == crate::rules::Marks::None);
        let most = usize::from(most_probed.unwrap_or(0)).min(127);
        let mut less = vec![[0; 128]; 7];
        for (m, less) in less.iter_mut().enumerate().take(w - 1) {
            let ways = Compositions::new(m + 2, most);
            for seeds in 1..=most {
                less[seeds] = ways.count(seeds - 1).min(u64::from(u32::MAX)) as u32;
            }
        }
        let raw = (0..=most as u8)
            .map(|n| {
                let solved = probe.raw(Layer::of(n)).filter(|_| most_probed.is_some())?;
                let Values::Seeds(values) = &solved.values else { return None };
                let index = &solved.index;
                let n = usize::from(n);
                let segments = (0..=n).map(|own| {
                    let (rows, row_len) = (index.halves().count(own) as i64, index.halves().count(n - own) as i64);
                    // Both ranks are counted down from the last row; see `row_rank`.
                    (index.start(own) as i64 + (rows - 1) * row_len + row_len - 1, row_len)
                });
                Some(RawLayer { values, segments: segments.collect() })
            })
            .collect();
        Some(Self { w, sowing, probe, most_probed, raw, less, drops })
    }

    /// How many rows with as many seeds come after this one.
    ///
    /// The rank of a row is the sum over `m` of `ways(m + 1, S_m) - ways(m + 1, S_(m-1))`, where `S_m` are the seeds of
    /// the last `m + 1` pits. Taking terms with the same `S_m` together leaves `ways(w, S_(w-1)) - 1`, the last rank,
    /// less the sum over `m < w - 1` of `ways(m + 2, S_m - 1)`. One multiplication finds all `S_m`.
    #[inline]
    fn row_rank(&self, row: u64) -> i64 {
        let suffixes = (row.swap_bytes() >> (64 - 8 * self.w)).wrapping_mul(ONES);
        let mut after = 0;
        for (m, less) in self.less[..self.w - 1].iter().enumerate() {
            after += u64::from(less[(suffixes >> (8 * m)) as usize & 127]);
        }
        after as i64
    }

    #[inline]
    fn sow(&self, position: Packed, pit: usize, drops: &Drops) -> (Packed, u8, Turn) {
        let w = self.w;
        let mut own = (position.own & !(0xff << (8 * pit))) + drops.own;
        let mut other = position.other + drops.other;
        let mut gain = drops.store;
        let last = usize::from(drops.last);
        match self.sowing.capture {
            Capture::Facing { take_own, empty_too } => {
                if last == w {
                    return (Packed { own, other }, gain, Turn::Again);
                }
                if last < w && own >> (8 * last) & 0xff == 1 {
                    let facing = 8 * (w - 1 - last);
                    let taken = (other >> facing) as u8;
                    other &= !(0xff << facing);
                    gain += taken;
                    if take_own && (taken > 0 || empty_too) {
                        own &= !(0xff << (8 * last));
                        gain += 1;
                    }
                }
            }
            Capture::Chain { most, void_slam } => {
                if last > w {
                    let at = last - w - 1;
                    let up_to = u64::MAX >> (56 - 8 * at);
                    // A byte is 0 exactly where the pit can be taken.
                    let evened = if most == 3 { other & !ONES } else { other };
                    let kept = (evened ^ (2 * ONES)) & up_to;
                    let keep_bits = match kept {
                        0 => 0,
                        _ => 64 - (kept.leading_zeros() & !7),
                    };
                    let keep = 1_u64.checked_shl(keep_bits).unwrap_or(0).wrapping_sub(1);
                    let chain = other & up_to & !keep;
                    if !(void_slam && chain == other) {
                        other &= !chain;
                        gain += sum(chain);
                    }
                }
            }
        }
        (Packed { own: other, other: own }, gain, Turn::Pass)
    }
}

/// Six bits of each byte, side by side.
#[inline]
const fn squeeze(row: u64) -> u64 {
    let row = (row & 0x003f_003f_003f_003f) | (row >> 2 & 0x0fc0_0fc0_0fc0_0fc0);
    let row = (row & 0x0000_0fff_0000_0fff) | (row >> 4 & 0x00ff_f000_00ff_f000);
    (row & 0x00ff_ffff) | (row >> 8 & 0xffff_ff00_0000)
}

impl Ground for Rows<'_> {
    type Position = Packed;

    fn pack(&self, board: &Board) -> Packed {
        let row = |pits: &[u8]| pits.iter().rev().fold(0, |row, &pit| row << 8 | u64::from(pit));
        Packed { own: row(board.own()), other: row(board.other()) }
    }

    fn unpack(&self, position: &Packed) -> Board {
        let mut board = Board::empty(2 * self.w);
        board[..self.w].copy_from_slice(&position.own.to_le_bytes()[..self.w]);
        board[self.w..].copy_from_slice(&position.other.to_le_bytes()[..self.w]);
        board
    }

    #[inline]
    fn key(&self, position: &Packed) -> Key {
        let (own, other) = match self.w {
            ..=6 => (position.own, position.other),
            _ => (squeeze(position.own), squeeze(position.other)),
        };
        Key { low: own | other << 48, high: (other >> 16) as u32 }
    }

    #[inline]
    fn most(&self, seeds: u8) -> i16 {
        i16::from(seeds)
    }

    #[inline]
    fn over(&self, position: &Packed, seeds: u8) -> Option<i16> {
        if position.own == 0 {
            Some(-i16::from(seeds))
        } else if position.other == 0 && self.sowing.ends_on_other_empty {
            Some(i16::from(seeds))
        } else {
            None
        }
    }

    #[inline]
    fn empty_pits(&self, position: &Packed, own: bool) -> i16 {
        let row = if own { position.own } else { position.other };
        // Counts are below 128, so adding 127 sets the highest bit of every pit that holds a seed.
        let full = (row + 127 * ONES) & (128 * ONES);
        self.w as i16 - full.count_ones() as i16
    }

    fn most_probed(&self) -> Option<u8> {
        self.most_probed
    }

    #[inline]
    fn probe(&self, position: &Packed, seeds: u8) -> Option<i16> {
        if self.most_probed.is_none_or(|most| seeds > most) {
            return None;
        }
        let Some(Some(layer)) = self.raw.get(usize::from(seeds)) else {
            return self.probe.probe(&self.unpack(position)).map(|value| value.0);
        };
        let (last, row_len) = layer.segments[usize::from(sum(position.own))];
        let rank = last - self.row_rank(position.own) * row_len - self.row_rank(position.other);
        Some(i16::from(layer.values[rank as usize]))
    }

    #[inline]
    fn children(&self, position: &Packed, seeds: u8, _: &mut Moves, children: &mut Vec<Child<Packed>>) -> Option<i16> {
        let over = self.over(position, seeds);
        if over.is_some() {
            return over;
        }
        let base = children.len();
        let must_feed = self.sowing.feeding == Feeding::Feed && position.other == 0;
        let mut feeds = false;
        for (pit, drops) in self.drops.iter().enumerate() {
            let hand = (position.own >> (8 * pit)) as usize & 127;
            if hand == 0 {
                continue;
            }
            let (after, gain, turn) = self.sow(*position, pit, &drops[hand]);
            feeds |= drops[hand].other > 0;
            children.push(Child::new(after, Move(pit as u8), i16::from(gain), seeds - gain, turn));
        }
        if must_feed && feeds {
            retain(children, base, |child| {
                self.drops[usize::from(child.mv.0)][(position.own >> (8 * child.mv.0)) as usize & 127].other > 0
            });
        }
        if self.sowing.feeding == Feeding::Spare && children[base..].iter().any(|child| child.position.own > 0) {
            retain(children, base, |child| child.position.own > 0);
        }
        None
    }
}

fn retain<P: Copy>(children: &mut Vec<Child<P>>, base: usize, keep: impl Fn(&Child<P>) -> bool) {
    let mut kept = base;
    for i in base..children.len() {
        if keep(&children[i]) {
            children[kept] = children[i];
            kept += 1;
        }
    }
    children.truncate(kept);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games;
    use crate::index::LayerIndex;
    use crate::search::NoTables;

    #[test]
    fn packed_moves_equal_the_rules() {
        for (game, settings) in [
            ("kalaha", vec![]),
            ("kalah", vec![]),
            ("awale", vec![]),
            ("awale", vec!["grand_slam=void".to_owned()]),
            ("oware", vec![]),
            ("awari", vec![]),
            ("oware-abapa", vec![]),
            ("bao-kenya", vec![]),
            ("bao-kenya", vec!["take_own=true".to_owned()]),
        ] {
            for (w, seeds) in [(2, 9), (3, 7), (4, 5), (8, 3)] {
                let rules = games::make(game, Some(w), &settings).expect("a game of the registry");
                let rows = Rows::new(rules.as_ref(), &NoTables, 60).expect("a plain game");
                for n in 0..=seeds {
                    let index = LayerIndex::new(rules.as_ref(), Layer::of(n)).expect("a small layer");
                    index.walk(0..index.size(), |_, board| compare(rules.as_ref(), &rows, board));
                }
                // Sowings that go round, and large counts.
                for i in 0..2 * w {
                    for j in 0..2 * w {
                        let mut board = Board::empty(2 * w);
                        board[i] += 29;
                        board[j] += 17;
                        compare(rules.as_ref(), &rows, &board);
                    }
                }
            }
        }
    }

    fn compare(rules: &dyn Rules, rows: &Rows<'_>, board: &Board) {
        let (mut moves, mut children) = (Moves::new(), Vec::new());
        let packed = rows.pack(board);
        assert_eq!(rows.unpack(&packed), *board);
        let over = rows.children(&packed, board.seeds() as u8, &mut Moves::new(), &mut children);
        assert_eq!(over, rules.expand(board, &mut moves).map(|value| value.0), "{board:?}");
        assert_eq!(over, rows.over(&packed, board.seeds() as u8));
        let plain: Vec<_> = moves.iter().map(|(mv, sown)| (*mv, sown.board, i16::from(sown.gain), sown.turn)).collect();
        let quick: Vec<_> =
            children.iter().map(|child| (child.mv, rows.unpack(&child.position), child.net, child.turn)).collect();
        assert_eq!(plain, quick, "{} {board:?}", rules.rule_set().text());
        assert!(children.iter().all(|child| u32::from(child.seeds) == rows.unpack(&child.position).seeds()));
    }

    #[test]
    fn keys_tell_positions_apart() {
        for w in [6, 8] {
            let rules = games::make("kalaha", Some(w), &[]).expect("a game of the registry");
            let rows = Rows::new(rules.as_ref(), &NoTables, 60).expect("a plain game");
            let mut keys = std::collections::HashSet::new();
            let mut boards = 0;
            for i in 0..2 * w {
                for seeds in 0..=63_u8 {
                    for j in 0..i {
                        let mut board = Board::empty(2 * w);
                        board[i] = seeds;
                        board[j] = 63 - seeds;
                        boards += usize::from(seeds > 0 && seeds < 63);
                        keys.insert(rows.key(&rows.pack(&board)));
                    }
                }
            }
            assert_eq!(keys.len(), boards + 2 * w);
        }
    }
}

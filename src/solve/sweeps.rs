//! Evaluating a layer row by row.
//!
//! With endless play worth 0, the sets of positions worth at least `x` and at most `-x` are, for every `x >= 1`, the
//! least fixed point of a monotone operator. No position is in sets of both signs, so one byte holds what is sure so
//! far: it starts at 0, only moves away from it, and the best of all exits and of `-value(child)` is the operator for
//! all `x` at once. Any order of evaluation ends in the same values.
//!
//! Values lie *turned*: in each block, by the rank of the other row and then that of the mover's row. A move from the
//! own row A to A' that drops seeds into the other row B leads to the position (B', A'), so that for a fixed A and all
//! B the children lie in the one turned row of A', in a few runs of neighbours ([`Drops`](super::drops::Drops)). The
//! results for A are a column of the turned block; they are gathered for some rows and then turned as squares of bytes.
//!
//! A move that drops nothing lowers the rank of the mover's row, and most moves are of this kind. So the blocks of `s`
//! and of `n - s` seeds are swept together, in strips of rows A rising: first (A, B) for the strip and all B, then
//! (B, A). Whole chains of such moves are then followed in one sweep.

use std::ops::Range;

use rayon::prelude::*;

use super::drops::{Drops, DropsIn};
use super::halves::OwnTable;
use super::unmoves::Halves;
use super::{Progress, SolveError, check};
use crate::index::LayerIndex;

/// Positions of one task: enough to be worth handing out, few enough to stay in cache.
const TASK: usize = 1 << 13;

/// Positions of a strip and of its counterpart.
const STRIP: usize = 1 << 17;

/// Values and exits are stored with the sign bit flipped, because every processor compares unsigned bytes.
pub(super) const fn biased(value: i8) -> u8 {
    value as u8 ^ 0x80
}

/// The value under a biased byte.
pub(super) const fn plain(byte: u8) -> i8 {
    (byte ^ 0x80) as i8
}

/// The biased byte of the opposite value.
pub(super) const fn opposite(byte: u8) -> u8 {
    byte.wrapping_neg()
}

/// Where a turned value lies, in five bytes, because millions of places are listed.
#[derive(Clone, Copy)]
pub(super) struct Place([u8; 5]);

impl Place {
    #[inline]
    pub(super) fn new(place: usize) -> Self {
        let mut bytes = [0; 5];
        bytes.copy_from_slice(&(place as u64).to_le_bytes()[..5]);
        Self(bytes)
    }

    #[inline]
    pub(super) fn get(self) -> usize {
        let mut bytes = [0; 8];
        bytes[..5].copy_from_slice(&self.0);
        u64::from_le_bytes(bytes) as usize
    }
}

/// The shape of a layer: blocks by the seeds of the mover's row.
pub(super) struct Grid {
    pub n: usize,
    /// Rows by seeds.
    pub counts: Vec<usize>,
    /// First rank of each block.
    pub starts: Vec<usize>,
}

impl Grid {
    pub(super) fn new(index: &LayerIndex) -> Self {
        let n = usize::from(index.layer().seeds);
        Self {
            n,
            counts: (0..=n).map(|seeds| index.halves().count(seeds) as usize).collect(),
            starts: (0..=n).map(|own| index.start(own) as usize).collect(),
        }
    }

    /// The position whose turned value lies at `place`.
    #[inline]
    pub(super) fn halves(&self, place: usize) -> Halves {
        let own = self.starts.partition_point(|&start| start <= place) - 1;
        let rest = place - self.starts[own];
        Halves::new(own, rest % self.counts[own], rest / self.counts[own])
    }

    pub(super) fn block(&self, own: usize) -> Range<usize> {
        self.starts[own]..self.starts[own] + self.counts[own] * self.counts[self.n - own]
    }
}

/// A layer whose exits are known.
#[derive(Clone, Copy)]
pub(super) struct Ready<'a> {
    pub grid: &'a Grid,
    /// By seeds.
    pub own: &'a [OwnTable],
    /// By rank of the mover's row when the other row is empty: whether only moves that feed it are legal.
    pub must_feed: &'a [bool],
    /// Best exits by rank.
    pub exits: &'a [u8],
}

/// What a sweep needs to know.
pub(super) struct Sweeps<'a> {
    pub layer: Ready<'a>,
    /// What each class does to the other rows, by seeds.
    pub drops: &'a [Vec<Drops>],
}

/// Some own rows against some other rows.
struct Strip {
    own: usize,
    rows: Range<usize>,
    columns: Range<usize>,
}

impl Sweeps<'_> {
    /// Evaluates every position once and returns how many changed. Their places are appended to `changes`, if given,
    /// by the distance of the new value from 0.
    pub(super) fn sweep(
        &self,
        turned: &mut [u8],
        mut changes: Option<&mut [Vec<Place>]>,
        progress: &dyn Progress,
    ) -> Result<usize, SolveError> {
        progress.stage("sweep", turned.len() as u64);
        (0..=self.layer.grid.n / 2).map(|own| self.sweep_pair(own, turned, changes.as_deref_mut(), progress)).sum()
    }

    /// As [`sweep`](Self::sweep) for the blocks of `own` seeds, at most half of all, and of the others. Looks at the
    /// half moves of no other numbers of seeds.
    pub(super) fn sweep_pair(
        &self,
        own: usize,
        turned: &mut [u8],
        mut changes: Option<&mut [Vec<Place>]>,
        progress: &dyn Progress,
    ) -> Result<usize, SolveError> {
        let Grid { n, counts, .. } = self.layer.grid;
        let mut fresh = Vec::new();
        let mut changed = 0;
        let other = n - own;
        let (rows, columns) = (counts[own], counts[other]);
        let step = (STRIP / columns).max(1).next_multiple_of(LINE);
        for first in (0..rows).step_by(step) {
            check(progress)?;
            let strip = first..(first + step).min(rows);
            let equal = own == other;
            let forth = Strip { own, rows: strip.clone(), columns: if equal { first..columns } else { 0..columns } };
            let back =
                Strip { own: other, rows: if equal { strip.end..columns } else { 0..columns }, columns: strip.clone() };
            for strip in [forth, back] {
                // A player without seeds has no move.
                if strip.own > 0 {
                    changed += self.sweep_strip(&strip, turned, &mut fresh, changes.as_deref_mut());
                }
                progress.advance((strip.rows.len() * strip.columns.len()) as u64);
            }
        }
        Ok(changed)
    }

    fn sweep_strip(
        &self,
        strip: &Strip,
        turned: &mut [u8],
        fresh: &mut Vec<u8>,
        changes: Option<&mut [Vec<Place>]>,
    ) -> usize {
        let Strip { own, rows, columns } = strip;
        let (turned_len, row_len) = (self.layer.grid.counts[*own], self.layer.grid.counts[self.layer.grid.n - own]);
        let (width, start) = (columns.len(), self.layer.grid.starts[*own]);
        if width == 0 || rows.is_empty() {
            return 0;
        }
        fresh.resize(rows.len() * width, 0);
        let chunk = (TASK / width).max(1);
        let values = &*turned;
        let drops: Vec<DropsIn> =
            self.drops[self.layer.grid.n - own].iter().map(|drops| drops.within(columns)).collect();
        fresh.par_chunks_mut(chunk * width).enumerate().for_each(|(i, fresh)| {
            let first = rows.start + i * chunk;
            for (row, fresh) in (first..).zip(fresh.chunks_exact_mut(width)) {
                self.least(strip, &drops, row, values, fresh);
                let exits = &self.layer.exits[start + row * row_len..][columns.clone()];
                for (value, &exit) in fresh.iter_mut().zip(exits) {
                    *value = exit.max(opposite(*value));
                }
            }
        });
        let fresh = &*fresh;
        let band = (TASK / rows.len()).max(1).next_multiple_of(SQUARE);
        let bands = turned[start + columns.start * turned_len..start + columns.end * turned_len]
            .par_chunks_mut(band * turned_len)
            .enumerate();
        let turn = |i: usize, band_rows: &mut [u8], found: Option<&mut Vec<[usize; 2]>>| {
            turn(&fresh[i * band..], width, band_rows, turned_len, rows.clone(), found)
        };
        let Some(changes) = changes else {
            return bands.map(|(i, band_rows)| turn(i, band_rows, None)).sum();
        };
        let found: Vec<Vec<[usize; 2]>> = bands
            .map(|(i, band_rows)| {
                let mut found = Vec::new();
                turn(i, band_rows, Some(&mut found));
                for [column, _] in &mut found {
                    *column += columns.start + i * band;
                }
                found
            })
            .collect();
        let mut changed = 0;
        for &[column, row] in found.iter().flatten() {
            let place = start + column * turned_len + row;
            changes[usize::from(plain(turned[place]).unsigned_abs())].push(Place::new(place));
            changed += 1;
        }
        changed
    }

    /// The least value of the children inside the layer, for the columns of the strip.
    #[inline]
    fn least(&self, strip: &Strip, drops: &[DropsIn], row: usize, turned: &[u8], least: &mut [u8]) {
        let Strip { own, columns, .. } = strip;
        let other = self.layer.grid.n - own;
        least.fill(u8::MAX);
        for own_move in self.layer.own[*own].of(row) {
            if own_move.drops == 0 && other == 0 && self.layer.must_feed[row] {
                continue;
            }
            let block = other + usize::from(own_move.drops);
            let len = self.layer.grid.counts[block];
            let child = &turned[self.layer.grid.starts[block] + own_move.row as usize * len..][..len];
            let drops = &drops[usize::from(own_move.class)];
            for run in drops.runs {
                let from = (run.from as usize).max(columns.start);
                let to = run.to as usize + from - run.from as usize;
                let len = (run.from as usize + run.len as usize).min(columns.end) - from;
                lower(&mut least[from - columns.start..][..len], &child[to..][..len]);
            }
            for &[from, to] in drops.singles {
                let least = &mut least[from as usize - columns.start];
                *least = (*least).min(child[to as usize]);
            }
        }
    }
}

/// Makes each byte the lesser of the two.
///
/// Most runs are short, and what is left over at their ends would cost more than the rest; so the last block overlaps
/// the one before it, which does no harm to a minimum. It is read first, as it would have to wait for what was just
/// written.
#[inline]
fn lower(least: &mut [u8], other: &[u8]) {
    const BLOCK: usize = 16;
    let len = least.len().min(other.len());
    match len {
        BLOCK.. => {
            let end = lesser::<BLOCK>(&least[len - BLOCK..], &other[len - BLOCK..]);
            for (least, other) in least[..len - 1].chunks_exact_mut(BLOCK).zip(other.chunks_exact(BLOCK)) {
                least.copy_from_slice(&lesser::<BLOCK>(least, other));
            }
            least[len - BLOCK..len].copy_from_slice(&end);
        }
        8.. => lower_ends::<8>(&mut least[..len], &other[..len]),
        4.. => lower_ends::<4>(&mut least[..len], &other[..len]),
        // Runs are cut short at the edges of a strip.
        _ => least.iter_mut().zip(other).for_each(|(least, &other)| *least = (*least).min(other)),
    }
}

/// As [`lower`], for `N` to `2 * N` bytes.
#[inline]
fn lower_ends<const N: usize>(least: &mut [u8], other: &[u8]) {
    let last = least.len() - N;
    let (begin, end) = (lesser::<N>(least, other), lesser::<N>(&least[last..], &other[last..]));
    least[..N].copy_from_slice(&begin);
    least[last..].copy_from_slice(&end);
}

/// The lesser of the first bytes.
#[inline]
fn lesser<const N: usize>(least: &[u8], other: &[u8]) -> [u8; N] {
    let mut block = [0; N];
    block.copy_from_slice(&least[..N]);
    block.iter_mut().zip(&other[..N]).for_each(|(least, &other)| *least = (*least).min(other));
    block
}

/// Bytes of a line of the cache.
const LINE: usize = 64;

/// Reads a byte of each line of the cache that these bytes lie in. They arrive side by side then, not one after the other
/// where they are used.
#[inline]
fn touch<'a>(parts: impl Iterator<Item = &'a [u8]>) {
    let touched = parts.fold(0, |touched, part| {
        let last = part.last().copied().unwrap_or(0);
        part.iter().step_by(LINE).fold(touched ^ last, |touched, byte| touched ^ byte)
    });
    std::hint::black_box(touched);
}

/// Bands of squares whose lines are asked for together, so that they arrive together.
const AHEAD: usize = 8;

/// Bytes a side of the squares that are turned in registers.
const SQUARE: usize = 8;

/// Writes columns of `from`, whose rows have `width` bytes, to the places `rows` of the rows of `into`, which have
/// `len`. Returns how many bytes changed, and appends the row and place of each to `found`, if given.
fn turn(
    from: &[u8],
    width: usize,
    into: &mut [u8],
    len: usize,
    rows: Range<usize>,
    mut found: Option<&mut Vec<[usize; 2]>>,
) -> usize {
    let mut changed = 0;
    let bands = into.len().div_ceil(SQUARE * len);
    for i in 0..bands {
        if i % AHEAD == 0 && rows.len() <= 4 * LINE {
            touch(into[i * SQUARE * len..].chunks(len).take(AHEAD * SQUARE).map(|line| &line[rows.clone()]));
        }
        let end = ((i + 1) * SQUARE * len).min(into.len());
        let band = &mut into[i * SQUARE * len..end];
        let columns = band.len() / len;
        let squares = if columns == SQUARE { rows.len() / SQUARE * SQUARE } else { 0 };
        for row in (0..squares).step_by(SQUARE) {
            let mut square: [u64; SQUARE] = std::array::from_fn(|j| word(&from[(row + j) * width + SQUARE * i..]));
            turn_square(&mut square);
            let mut sums = 0;
            for (j, line) in square.into_iter().enumerate() {
                let place = &mut band[j * len + rows.start + row..][..SQUARE];
                let differing = differing(line, word(place));
                sums += differing;
                if let Some(found) = &mut found {
                    let places = (0..SQUARE).filter(|k| differing >> (8 * k) & 1 == 1);
                    found.extend(places.map(|k| [SQUARE * i + j, rows.start + row + k]));
                }
                place.copy_from_slice(&line.to_le_bytes());
            }
            changed += sum_of_bytes(sums);
        }
        for row in squares..rows.len() {
            for j in 0..columns {
                let value = from[row * width + SQUARE * i + j];
                let place = &mut band[j * len + rows.start + row];
                if *place != value {
                    changed += 1;
                    if let Some(found) = &mut found {
                        found.push([SQUARE * i + j, rows.start + row]);
                    }
                    *place = value;
                }
            }
        }
    }
    changed
}

/// The lowest bit of each byte in which two words differ.
#[inline]
fn differing(a: u64, b: u64) -> u64 {
    const LOW: u64 = 0x7f7f_7f7f_7f7f_7f7f;
    let bits = a ^ b;
    ((((bits & LOW) + LOW) | bits) >> 7) & 0x0101_0101_0101_0101
}

/// The sum of the bytes of a word, which is less than 256.
#[inline]
fn sum_of_bytes(word: u64) -> usize {
    (word.wrapping_mul(0x0101_0101_0101_0101) >> 56) as usize
}

#[inline]
fn word(bytes: &[u8]) -> u64 {
    let mut word = [0; SQUARE];
    word.copy_from_slice(&bytes[..SQUARE]);
    u64::from_le_bytes(word)
}

/// Exchanges the rows and columns of a square of bytes: of its quarters, of their quarters, of theirs.
#[inline]
fn turn_square(square: &mut [u64; SQUARE]) {
    for (distance, mask) in [(4, 0x0000_0000_ffff_ffff), (2, 0x0000_ffff_0000_ffff), (1, 0x00ff_00ff_00ff_00ff_u64)] {
        for i in (0..SQUARE).filter(|i| i & distance == 0) {
            let (a, b) = (square[i], square[i + distance]);
            let swapped = (a >> (8 * distance) ^ b) & mask;
            square[i] = a ^ swapped << (8 * distance);
            square[i + distance] = b ^ swapped;
        }
    }
}

/// Copies a turned block into rank order: `into` has rows of `row_len`, `turned` has as many columns.
pub(super) fn turn_back(turned: &[u8], into: &mut [u8], row_len: usize) {
    let turned_len = into.len() / row_len;
    let band = (TASK / row_len).max(1).next_multiple_of(SQUARE);
    into.par_chunks_mut(band * row_len).enumerate().for_each(|(i, rows)| {
        turn(&turned[i * band..], turned_len, rows, row_len, 0..row_len, None);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turning_exchanges_rows_and_columns() {
        for (rows, columns) in [(1, 1), (8, 8), (3, 20), (17, 9), (40, 33)] {
            let from: Vec<u8> = (0..rows * columns).map(|i| (i * 7 + i / 5) as u8).collect();
            let mut into = vec![0; from.len()];
            turn_back(&from, &mut into, rows);
            for row in 0..rows {
                for column in 0..columns {
                    assert_eq!(into[column * rows + row], from[row * columns + column]);
                }
            }
        }
    }

    #[test]
    fn runs_of_every_length_are_lowered() {
        for len in 0..70 {
            let mut least: Vec<u8> = (0..len).map(|i| (i * 37 % 101) as u8).collect();
            let other: Vec<u8> = (0..len).map(|i| (i * 53 % 97) as u8).collect();
            let expected: Vec<u8> = least.iter().zip(&other).map(|(&a, &b)| a.min(b)).collect();
            lower(&mut least, &other);
            assert_eq!(least, expected);
        }
    }

    #[test]
    fn biased_bytes_keep_order_and_turn_round() {
        for value in -127..=127_i8 {
            assert_eq!(plain(biased(value)), value);
            assert_eq!(plain(opposite(biased(value))), -value);
            assert!(biased(value) < biased(value).saturating_add(1) || value == 127);
        }
    }
}

//! Net seeds in games that can cycle, by descending thresholds.
//!
//! Each position keeps the best it is sure of and the number of its moves inside the layer whose outcome is open. At
//! threshold `t = n, .., 1` a position is worth `t` once its best is `t`, and `-t` once no move is open and its best
//! is `-t`; a settled position tells its predecessors. What never settles is worth 0, the value of endless play.
//!
//! For every `x >= 1` the sets of positions worth at least `x` and at most `-x` are the least fixed point of a
//! monotone operator, so any order in which threads meet ends in the same values; relaxed atomics are enough.

use std::io::{self, Read, Write};
use std::ops::Range;
use std::sync::atomic::{AtomicU16, Ordering::Relaxed};

use rayon::prelude::*;

use super::{Progress, SolveError, check};

/// Best value in the low byte, open moves above, and a flag once the value is final.
const SETTLED: u16 = 0x8000;
const OPEN: u16 = 0x0100;

/// Ranks scanned by one task.
const CHUNK: usize = 1 << 16;

/// Positions whose predecessors are looked up together, so that their cache misses overlap.
const BATCH: usize = 16;

/// Best value when nothing is sure yet.
pub(super) const NOTHING: i8 = i8::MIN;

/// The state of every position of a layer, two bytes each.
pub(super) struct States(Vec<AtomicU16>);

impl States {
    pub(super) fn new(size: usize) -> Self {
        let mut states = Vec::new();
        states.resize_with(size, || AtomicU16::new(0));
        Self(states)
    }

    /// Records what one forward look at a position tells: the best of its moves that leave the layer (or its value if
    /// play is over), and how many moves stay in the layer.
    #[inline]
    pub(super) fn set(&self, i: usize, best: i8, open: u8) {
        self.0[i].store(u16::from(best as u8) | u16::from(open) * OPEN, Relaxed);
    }

    /// Writes the states of some positions.
    pub(super) fn write(&self, range: Range<usize>, out: &mut dyn Write) -> io::Result<()> {
        let bytes: Vec<u8> = self.0[range].iter().flat_map(|state| state.load(Relaxed).to_le_bytes()).collect();
        out.write_all(&bytes)
    }

    /// Reads the states that were written of these positions.
    pub(super) fn read(&self, range: Range<usize>, from: &mut dyn Read) -> io::Result<()> {
        self.0[range].iter().try_for_each(|state| {
            let mut bytes = [0; 2];
            from.read_exact(&mut bytes)?;
            state.store(u16::from_le_bytes(bytes), Relaxed);
            Ok(())
        })
    }

    /// The values; positions that never settled are worth 0.
    pub(super) fn into_values(self) -> Vec<i8> {
        let mut words: Vec<u16> = self.0.into_iter().map(AtomicU16::into_inner).collect();
        let size = words.len();
        let value = |word: u16| if word & SETTLED == 0 { 0 } else { word as u8 };
        // Two values share one of the words, so that the states shrink where they lie.
        for pair in 0..size.div_ceil(2) {
            let second = words.get(2 * pair + 1).map_or(0, |&word| value(word));
            words[pair] = u16::from_ne_bytes([value(words[2 * pair]), second]);
        }
        words.truncate(size.div_ceil(2));
        words.shrink_to_fit();
        let bytes: &[i8] = bytemuck::cast_slice(&words);
        bytes[..size].to_vec()
    }

    /// Takes in that one open move of position `i` is worth `value`, at threshold `t`; returns whether that settled it.
    #[inline]
    fn close(&self, i: usize, value: i8, t: i8) -> bool {
        let mut word = self.0[i].load(Relaxed);
        loop {
            if word & SETTLED != 0 {
                return false;
            }
            let best = (word as u8 as i8).max(value);
            let open = (word & !0xff) - OPEN;
            let settles = best >= t || (open == 0 && best <= -t);
            let next = open | u16::from(best as u8) | if settles { SETTLED } else { 0 };
            match self.0[i].compare_exchange_weak(word, next, Relaxed, Relaxed) {
                Ok(_) => return settles,
                Err(now) => word = now,
            }
        }
    }

    /// Settles position `i` if its state alone says so at threshold `t`.
    #[inline]
    fn settle(&self, i: usize, t: i8) -> bool {
        let word = self.0[i].load(Relaxed);
        let best = word as u8 as i8;
        // At 0 open moves the word is the best value alone.
        let settles = word & SETTLED == 0 && (best == t || word == u16::from(-t as u8));
        settles && self.0[i].fetch_or(SETTLED, Relaxed) & SETTLED == 0
    }

    #[inline]
    fn value(&self, i: usize) -> i8 {
        self.0[i].load(Relaxed) as u8 as i8
    }
}

/// How a layer's positions are reached from each other.
pub(super) trait Backward: Sync {
    /// A position in the form in which its predecessors are quickly found.
    type Node: Copy + Send;
    /// The position of a rank.
    fn node(&self, rank: usize) -> Self::Node;
    /// The rank of a position.
    fn rank(&self, node: Self::Node) -> usize;
    /// Appends every position with a legal move inside the layer to `node`, once for each such move.
    fn predecessors(&self, node: Self::Node, into: &mut Vec<Self::Node>);
}

/// Settles everything that settles at thresholds `n..=1`.
pub(super) fn settle_all<B: Backward>(
    states: &States,
    n: i8,
    backward: &B,
    progress: &dyn Progress,
) -> Result<(), SolveError> {
    let size = states.0.len();
    progress.stage("propagate", size as u64);
    for t in (1..=n).rev() {
        (0..size.div_ceil(CHUNK)).into_par_iter().try_for_each(|chunk| {
            check(progress)?;
            let mut settled: Vec<B::Node> = Vec::new();
            let mut before: Vec<B::Node> = Vec::new();
            let mut done = 0;
            for i in chunk * CHUNK..((chunk + 1) * CHUNK).min(size) {
                if states.settle(i, t) {
                    settled.push(backward.node(i));
                    if settled.len() >= BATCH {
                        done += propagate(states, t, backward, &mut settled, &mut before);
                    }
                }
            }
            done += propagate(states, t, backward, &mut settled, &mut before);
            progress.advance(done);
            Ok(())
        })?;
    }
    Ok(())
}

/// Tells the predecessors of `settled`, and theirs, until nothing more settles; returns how many positions did.
fn propagate<B: Backward>(
    states: &States,
    t: i8,
    backward: &B,
    settled: &mut Vec<B::Node>,
    before: &mut Vec<B::Node>,
) -> u64 {
    let mut done = 0;
    while !settled.is_empty() {
        let batch = settled.split_off(settled.len().saturating_sub(BATCH));
        done += batch.len() as u64;
        // Those settled as won and as lost tell opposite things.
        for won in [true, false] {
            before.clear();
            for &node in batch.iter().filter(|&&node| (states.value(backward.rank(node)) > 0) == won) {
                backward.predecessors(node, before);
            }
            // Reading all states first lets the processor fetch them side by side.
            let touched = before.iter().fold(0, |sum, &node| sum ^ states.value(backward.rank(node)));
            std::hint::black_box(touched);
            let value = if won { -t } else { t };
            settled.extend(before.iter().filter(|&&node| states.close(backward.rank(node), value, t)));
        }
    }
    done
}

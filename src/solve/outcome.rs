//! Win, draw and loss with distance: breadth first, backwards from the ends of play.
//!
//! Distances are counted in moves of both players. After all positions that end within `d` moves are known, one is won
//! in `d + 1` if some move leads to a loss in `d`, and lost in `d + 1` if its last open move turned out to be a win for
//! the other player in `d`. So the winner hurries and the loser delays. What is never reached draws.

use std::io::{self, Read, Write};
use std::ops::Range;
use std::sync::atomic::{AtomicI16, AtomicU8, Ordering::Relaxed};

use rayon::prelude::*;

use super::checkpoint::Work;
use super::graph::{Graph, Look, Looks};
use super::{SolveError, check};
use crate::index::LayerIndex;
use crate::rules::{Rules, Turn, Value};

/// Ranks of a wave handled by one task.
const CHUNK: usize = 1 << 12;

/// A position that can always be drawn never runs out of open moves.
const NEVER: u8 = u8::MAX;

/// The value of every position as far as it is known, and the number of its open moves.
struct Ends {
    values: Vec<AtomicI16>,
    open: Vec<AtomicU8>,
}

impl Looks for Ends {
    fn take(&self, look: &Look<'_>) -> Result<(), SolveError> {
        let i = look.rank as usize;
        let turns = |turn| look.exits.iter().any(|sown| sown.turn == turn);
        let value = match look.over {
            Some(value) => value,
            None if turns(Turn::Won) => Value::win(1),
            None if look.open == 0 && !turns(Turn::Endless) => Value::loss(1),
            None => Value::DRAW,
        };
        self.values[i].store(value.0, Relaxed);
        self.open[i].store(if turns(Turn::Endless) { NEVER } else { look.open }, Relaxed);
        Ok(())
    }

    fn write(&self, ranks: Range<usize>, out: &mut dyn Write) -> io::Result<()> {
        ranks.into_iter().try_for_each(|i| {
            let [low, high] = self.values[i].load(Relaxed).to_le_bytes();
            out.write_all(&[low, high, self.open[i].load(Relaxed)])
        })
    }

    fn read(&self, ranks: Range<usize>, from: &mut dyn Read) -> io::Result<()> {
        ranks.into_iter().try_for_each(|i| {
            let mut bytes = [0; 3];
            from.read_exact(&mut bytes)?;
            let [low, high, open] = bytes;
            self.values[i].store(i16::from_le_bytes([low, high]), Relaxed);
            self.open[i].store(open, Relaxed);
            Ok(())
        })
    }
}

pub(super) fn solve(rules: &dyn Rules, index: &LayerIndex, work: Work<'_>) -> Result<Vec<i16>, SolveError> {
    let size = index.size() as usize;
    let mut ends = Ends { values: Vec::new(), open: Vec::new() };
    ends.values.resize_with(size, || AtomicI16::new(0));
    ends.open.resize_with(size, || AtomicU8::new(0));
    let graph = Graph::build(rules, index, &ends, work)?;
    let Ends { values, open } = ends;
    let progress = work.progress;

    progress.stage("propagate", size as u64);
    let known: Vec<u32> = (0..size as u32).filter(|&i| values[i as usize].load(Relaxed) != 0).collect();
    let distance = |i: u32| Value(values[i as usize].load(Relaxed)).distance();
    let (mut wave, mut next): (Vec<u32>, Vec<u32>) = known.into_iter().partition(|&i| distance(i) == Some(0));
    let mut length = 0_u16;
    while !wave.is_empty() || !next.is_empty() {
        check(progress)?;
        progress.advance(wave.len() as u64);
        let reached: Vec<Vec<u32>> = wave
            .par_chunks(CHUNK)
            .map(|chunk| {
                let mut reached = Vec::new();
                for &i in chunk {
                    let lost = values[i as usize].load(Relaxed) < 0;
                    for before in graph.predecessors(i) {
                        let b = before as usize;
                        let settles = lost || (open[b].load(Relaxed) != NEVER && open[b].fetch_sub(1, Relaxed) == 1);
                        let value = if lost { Value::win(length + 1) } else { Value::loss(length + 1) };
                        if settles && values[b].compare_exchange(0, value.0, Relaxed, Relaxed).is_ok() {
                            reached.push(before);
                        }
                    }
                }
                reached
            })
            .collect();
        next.extend(reached.into_iter().flatten());
        wave = std::mem::take(&mut next);
        length += 1;
    }
    Ok(values.into_iter().map(AtomicI16::into_inner).collect())
}

/// Bytes that solving a layer takes at the most, roughly.
pub(super) fn memory(rules: &dyn Rules, index: &LayerIndex) -> u64 {
    Graph::memory(rules, index).saturating_add(3 * index.size())
}

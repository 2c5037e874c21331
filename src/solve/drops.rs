//! What moves do to whole runs of other rows.
//!
//! Halves are ranked lexicographically, so dropping seeds into the first pits of a row shifts a run of neighbouring
//! rows to another run of neighbours: all rows at once if one seed is dropped, the rows that agree in their first pit
//! if two are, and so on. A sweep then treats a run of positions with a single loop over bytes.

use std::ops::Range;

use rayon::prelude::*;

use super::halves::HalfTables;

/// Rows `from..from + len` become the rows `to..to + len`.
#[derive(Clone, Copy)]
pub(super) struct Run {
    pub from: u32,
    pub to: u32,
    pub len: u32,
}

/// Shorter runs are listed row by row.
const SHORTEST: u32 = 4;

/// What the moves of one class that win nothing do to the rows of one number of seeds.
#[derive(Default)]
pub(super) struct Drops {
    runs: Vec<Run>,
    /// The rows that lie in no run, with what they become.
    singles: Vec<[u32; 2]>,
}

/// The part of [`Drops`] that concerns some of the rows.
pub(super) struct DropsIn<'a> {
    /// The first and the last of these may reach out of the rows.
    pub runs: &'a [Run],
    pub singles: &'a [[u32; 2]],
}

impl Drops {
    /// What happens to these rows.
    pub(super) fn within(&self, rows: &Range<usize>) -> DropsIn<'_> {
        let first = self.runs.partition_point(|run| (run.from + run.len) as usize <= rows.start);
        let end = self.runs.partition_point(|run| (run.from as usize) < rows.end);
        let single = |row: usize| self.singles.partition_point(|single| (single[0] as usize) < row);
        DropsIn {
            runs: &self.runs[first..end.max(first)],
            singles: &self.singles[single(rows.start)..single(rows.end)],
        }
    }
}

/// A row out of which a move of the class captures.
#[derive(Clone, Copy)]
pub(super) struct Capture {
    pub from: u32,
    /// What is left of it.
    pub row: u32,
    pub seeds: u8,
    pub gain: u8,
}

/// By class, for the rows of one number of seeds.
pub(super) struct Effects {
    pub drops: Vec<Drops>,
    pub captures: Vec<Vec<Capture>>,
}

/// The effects of all classes on all rows, by seeds.
pub(super) fn effects<M: Sync>(tables: &HalfTables<M>, counts: &[usize]) -> Vec<Effects> {
    (0..counts.len())
        .into_par_iter()
        .map(|seeds| {
            let classes = tables.other[seeds].classes();
            let mut effects = Effects { drops: Vec::with_capacity(classes), captures: Vec::with_capacity(classes) };
            for class in 0..classes {
                let mut all: Vec<Run> = Vec::new();
                let mut captures = Vec::new();
                for from in 0..counts[seeds] as u32 {
                    let after = tables.other[seeds].of(from as usize)[class];
                    if after.gain > 0 {
                        captures.push(Capture { from, row: after.row, seeds: after.seeds, gain: after.gain });
                        continue;
                    }
                    match all.last_mut() {
                        Some(run) if run.from + run.len == from && run.to + run.len == after.row => run.len += 1,
                        _ => all.push(Run { from, to: after.row, len: 1 }),
                    }
                }
                let (runs, short): (Vec<Run>, Vec<Run>) = all.into_iter().partition(|run| run.len >= SHORTEST);
                let singles = short.iter().flat_map(|run| (0..run.len).map(|i| [run.from + i, run.to + i])).collect();
                effects.drops.push(Drops { runs, singles });
                effects.captures.push(captures);
            }
            effects
        })
        .collect()
}

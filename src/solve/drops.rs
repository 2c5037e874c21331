//! What moves do to whole runs of other rows.
//!
//! Halves are ranked lexicographically, so dropping seeds into the first pits of a row shifts a run of neighbouring
//! rows to another run of neighbours: all rows at once if one seed is dropped, the rows that agree in their first pit
//! if two are, and so on. A sweep then treats a run of positions with a single loop over bytes.

use std::ops::Range;

use super::halves::{OtherMove, OtherTable};

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

/// What moves that win nothing do to the rows of a table, by class.
pub(super) fn drops(other: &OtherTable) -> Vec<Drops> {
    let of_class = |class: usize| {
        let mut all: Vec<Run> = Vec::new();
        for (from, after) in (0..).zip(other.rows()) {
            let after = after[class];
            match all.last_mut() {
                _ if after.gain > 0 => {}
                Some(run) if run.from + run.len == from && run.to + run.len == after.row => run.len += 1,
                _ => all.push(Run { from, to: after.row, len: 1 }),
            }
        }
        let (mut runs, short): (Vec<Run>, Vec<Run>) = all.into_iter().partition(|run| run.len >= SHORTEST);
        runs.shrink_to_fit();
        let mut singles = Vec::with_capacity(short.iter().map(|run| run.len as usize).sum());
        singles.extend(short.iter().flat_map(|run| (0..run.len).map(|i| [run.from + i, run.to + i])));
        Drops { runs, singles }
    };
    (0..other.classes()).map(of_class).collect()
}

/// The rows of one number of seeds out of which moves capture, by class and then by row.
pub(super) struct Captures {
    seeds: usize,
    all: Vec<Vec<Capture>>,
}

impl Captures {
    /// Those out of the rows of a table, which have so many seeds.
    pub(super) fn of(other: &OtherTable, seeds: usize) -> Self {
        let capture = |class: usize, (from, after): (u32, &[OtherMove])| {
            let OtherMove { row, seeds, gain, .. } = after[class];
            (gain > 0).then_some(Capture { from, row, seeds, gain })
        };
        let of_class = |class: usize| (0..).zip(other.rows()).filter_map(|row| capture(class, row)).collect();
        Self { seeds, all: (0..other.classes()).map(of_class).collect() }
    }

    /// By class.
    pub(super) fn by_class(&self) -> impl Iterator<Item = &[Capture]> {
        self.all.iter().map(Vec::as_slice)
    }

    /// Seeds left in the other row by a move of the class, which drops so many into this row.
    pub(super) fn seeds_left(&self, class: usize, drops: usize, row: usize) -> usize {
        let captures = &self.all[class];
        match captures.binary_search_by_key(&row, |capture| capture.from as usize) {
            Ok(place) => usize::from(captures[place].seeds),
            Err(_) => self.seeds + drops,
        }
    }
}

//! Building the missing tables of a folder.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::lock::FolderLock;
use super::plan::FIXED_MEMORY;
use super::recipe::{meta, sample, table_options};
use super::unfinished::Unfinished;
use super::{Database, DatabaseError, Plan, Step, shape};
use crate::index::LayerIndex;
use crate::memory::{Pages, Room};
use crate::rules::Layer;
use crate::solve::{self, LeftOut, Lower, Progress, SolveError, Solved, SolvedLayer, Unwatched, Values, Work, resume};
use crate::table::{Cell, Model, Packer, Writer};

/// How a build may spend the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct BuildOptions {
    /// Bytes of memory that may be used; the machine's memory if `None`.
    pub memory: Option<u64>,
    /// How often the work on a long layer is left on the disk, so that a sudden end costs no more than that;
    /// [`CHECKPOINT`] if `None`. It is also left when progress cancels the build.
    pub checkpoint: Option<Duration>,
}

impl BuildOptions {
    /// Bytes of memory that may be used, if anybody or anything says so.
    #[must_use]
    pub fn ceiling(&self) -> u64 {
        self.memory.or_else(free_memory).unwrap_or(u64::MAX)
    }
}

/// Time between two checkpoints unless [`BuildOptions`] say otherwise.
pub const CHECKPOINT: Duration = Duration::from_secs(600);

/// A table that a build has written.
#[derive(Clone, Debug)]
pub struct Built {
    /// The layer.
    pub layer: Layer,
    /// Its positions.
    pub positions: u64,
    /// Bytes of the table.
    pub bytes: u64,
    /// Time from the first position to the finished file.
    pub time: Duration,
}

/// Hears of the layers of a build as well as of the progress inside each.
pub trait BuildProgress: Progress {
    /// A layer begins.
    fn begin(&self, step: &Step);
    /// A layer's table is in its place.
    fn end(&self, built: &Built);
}

impl BuildProgress for Unwatched {
    fn begin(&self, _: &Step) {}
    fn end(&self, _: &Built) {}
}

/// Values handed to the writer at a time.
const CHUNK: usize = 1 << 22;

impl Database {
    /// Solves every missing layer of `plan` and writes its table, in order.
    ///
    /// A table appears under its name only when it is whole and on the disk, so a build that was stopped in any way
    /// goes on with the first layer that is missing, and inside it with what was left of it. The bytes of the tables do not depend on threads, interruptions
    /// or the machine.
    ///
    /// # Errors
    /// Another build holds the folder, a layer does not fit into memory or its table onto the disk (both found before
    /// anything is solved), a table below is damaged, a write failed, or `progress` cancelled the work.
    pub fn build(
        &self,
        plan: &Plan,
        options: BuildOptions,
        progress: &dyn BuildProgress,
    ) -> Result<Vec<Built>, DatabaseError> {
        if plan.missing().next().is_none() {
            return Ok(Vec::new());
        }
        let ceiling = options.ceiling();
        check_memory(plan, ceiling)?;
        let _lock = self.prepare_within(plan, ceiling)?;
        let mut lower = Lower::default();
        let mut all_built = Vec::new();
        let last_missing = plan.steps.iter().rposition(|step| !step.present).unwrap_or(0);
        for step in &plan.steps[..=last_missing] {
            if progress.is_cancelled() {
                return Err(SolveError::Interrupted.into());
            }
            let interval = options.checkpoint.unwrap_or(CHECKPOINT);
            let unfinished = Unfinished::new(self, step.layer, step.positions, interval);
            // Another build may have made the table between planning and locking.
            let room = if step.is_in_files(ceiling) { Room::Folder(&self.folder) } else { Room::Memory };
            let memory = ceiling.saturating_sub(FIXED_MEMORY);
            let work = Work { progress, checkpoint: &unfinished, room, memory };
            if let Some(loaded) = self.load_to(step.layer, &mut lower, room)? {
                unfinished.forget();
                lower.insert(self.set_aside(loaded)?);
                continue;
            }
            progress.begin(step);
            let begin = Instant::now();
            let Solved { layer, floors } = self.solve(step, &lower, work, &unfinished)?;
            let solved = self.set_aside(Arc::new(layer))?;
            let written = self.write(&solved, floors, progress);
            if written.as_ref().is_err_and(DatabaseError::is_interrupt) {
                unfinished.leave_values(&solved.values);
            }
            let bytes = unfinished.failure().map_or(written, Err)?;
            let built = Built { layer: step.layer, positions: step.positions, bytes, time: begin.elapsed() };
            unfinished.forget();
            progress.end(&built);
            all_built.push(built);
            lower.insert(solved);
        }
        Ok(all_built)
    }

    /// Solves a layer, or goes on with what was left of it.
    fn solve(
        &self,
        step: &Step,
        lower: &Lower,
        work: Work<'_>,
        unfinished: &Unfinished,
    ) -> Result<Solved, DatabaseError> {
        let rules = self.rules.as_ref();
        let index = self.index(step.layer)?;
        if let Some(values) = unfinished.values(index.size(), rules.scoring(), work.room) {
            let floors = solve::exits(rules, &index, lower, work)?;
            return Ok(Solved { layer: SolvedLayer { index, values }, floors });
        }
        let solved = resume(rules, step.layer, lower, work);
        match (solved, unfinished.failure()) {
            (Err(SolveError::Interrupted), Some(failure)) => Err(failure),
            (solved, _) => Ok(solved?),
        }
    }

    /// Takes the folder for a build of `plan` by whoever calls: locks it for as long as what is returned lives, checks
    /// the disk, and removes what a killed build left behind.
    ///
    /// # Errors
    /// Another build holds the folder, or the tables do not fit onto the disk.
    pub fn prepare(&self, plan: &Plan) -> Result<FolderLock, DatabaseError> {
        self.prepare_within(plan, u64::MAX)
    }

    /// As [`prepare`](Self::prepare), for a build that has so many bytes of memory.
    fn prepare_within(&self, plan: &Plan, ceiling: u64) -> Result<FolderLock, DatabaseError> {
        let lock = FolderLock::take(&self.folder)?;
        self.check_disk(plan, ceiling)?;
        self.sweep()?;
        Ok(lock)
    }

    fn check_disk(&self, plan: &Plan, ceiling: u64) -> Result<(), DatabaseError> {
        let tables = plan.missing().map(|step| step.disk).fold(0, u64::saturating_add);
        let aside = self.room_aside(plan).saturating_add(plan.room(ceiling));
        let free = fs4::available_space(&self.folder)
            .map_err(|source| DatabaseError::io(&self.folder, "ask for the free space of", source))?;
        // The estimate of the tables may be off; refuse only what is out of the question.
        if (tables / 2).saturating_add(aside) > free {
            let needed = tables.saturating_add(aside);
            return Err(DatabaseError::Disk { folder: self.folder.clone(), needed, free });
        }
        Ok(())
    }

    /// Removes what a killed build left behind.
    fn sweep(&self) -> Result<(), DatabaseError> {
        let io = |source| DatabaseError::io(&self.folder, "tidy the folder", source);
        for entry in std::fs::read_dir(&self.folder).map_err(io)? {
            let entry = entry.map_err(io)?;
            if entry.file_name().to_str().is_some_and(|name| name.starts_with('.') && name.ends_with(".partial")) {
                std::fs::remove_file(entry.path()).map_err(io)?;
            }
        }
        Ok(())
    }

    /// Writes the table of a solved layer.
    fn write(
        &self,
        solved: &SolvedLayer,
        mut floors: Option<Pages>,
        progress: &dyn Progress,
    ) -> Result<u64, DatabaseError> {
        match &solved.values {
            Values::Seeds(values) => {
                self.raise(floors.as_mut(), &solved.index);
                let floors = floors.as_ref().map(Pages::signed);
                self.write_cells(&solved.index, values, floors, |&value| i16::from(value), progress)
            }
            Values::Outcome(values) => self.write_cells(&solved.index, values, None, |&value| value, progress),
        }
    }

    /// Makes packing the table of a solved layer as much work as it is in a build, for nothing but the time it takes.
    pub(super) fn pack(&self, solved: Solved) -> Result<SolvedLayer, DatabaseError> {
        let Solved { layer, mut floors } = solved;
        match &layer.values {
            Values::Seeds(values) => {
                self.raise(floors.as_mut(), &layer.index);
                self.pack_cells(&layer.index, values, floors.as_ref().map(Pages::signed))?;
            }
            Values::Outcome(values) => self.pack_cells(&layer.index, values, None)?,
        }
        Ok(layer)
    }

    fn pack_cells<C: Cell>(&self, index: &LayerIndex, values: &[C], floors: Option<&[C]>) -> Result<(), DatabaseError> {
        let packer = Packer::new(&shape(index)?, table_options(fit(values, floors), floors.is_some()));
        let packed = packer.pack(0, values, floors);
        packed.map_err(|source| DatabaseError::io(&self.folder, "pack a layer as for a table in", source))?;
        Ok(())
    }

    /// Raises floors where no move leads to a position, since the reader looks at its moves. Where a capture already
    /// gives the value, the table may store less as it is: the reader takes the best capture into account. What is free
    /// packs better.
    fn raise(&self, floors: Option<&mut Pages>, index: &LayerIndex) {
        if let (Some(floors), Some(left_out)) = (floors, LeftOut::of(self.rules.as_ref(), index)) {
            let floors = floors.signed_mut();
            left_out.for_each(|rank| floors[rank] = i8::MAX);
        }
    }

    fn write_cells<C: Cell>(
        &self,
        index: &LayerIndex,
        values: &[C],
        floors: Option<&[C]>,
        widen: impl Fn(&C) -> i16 + Sync,
        progress: &dyn Progress,
    ) -> Result<u64, DatabaseError> {
        progress.stage("write", values.len() as u64);
        let meta = meta(self.rules.as_ref(), index, histogram(index, values, widen));
        let options = table_options(fit(values, floors), floors.is_some());
        let mut writer = Writer::<C>::create(&self.file(index.layer()), meta, shape(index)?, options)?;
        for (i, chunk) in values.chunks(CHUNK).enumerate() {
            if progress.is_cancelled() {
                return Err(SolveError::Interrupted.into());
            }
            writer.append(chunk, floors.map(|floors| &floors[i * CHUNK..][..chunk.len()]))?;
            progress.advance(chunk.len() as u64);
        }
        Ok(writer.finish()?)
    }
}

fn check_memory(plan: &Plan, ceiling: u64) -> Result<(), DatabaseError> {
    match plan.missing().find(|step| step.memory_within(ceiling) > ceiling) {
        Some(step) => Err(DatabaseError::Memory { layer: step.layer, needed: step.least, ceiling }),
        None => Ok(()),
    }
}

/// Bytes of memory that programs can still get on this machine, where it tells.
#[must_use]
pub fn free_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// Fits a model to a layer, or to stretches from all over one so large that these tell as much.
fn fit<C: Cell>(values: &[C], floors: Option<&[C]>) -> Model {
    let stretches = sample(values.len() as u64);
    if let [_] = stretches[..] {
        return Model::fit(values, floors);
    }
    let sampled = |all: &[C]| -> Vec<C> {
        let mut sampled = Vec::with_capacity(stretches.iter().map(|part| (part.end - part.start) as usize).sum());
        for part in &stretches {
            sampled.extend_from_slice(&all[part.start as usize..part.end as usize]);
        }
        sampled
    };
    Model::fit(&sampled(values), floors.map(sampled).as_deref())
}

/// Positions by value; a mirrored pair counts twice.
fn histogram<C: Cell>(index: &LayerIndex, values: &[C], widen: impl Fn(&C) -> i16 + Sync) -> BTreeMap<i16, u64> {
    const VALUES: usize = 1 << 16;
    let mirrored = index.positions() > index.size();
    let count = |(i, chunk): (usize, &[C])| {
        let mut counts = vec![0; VALUES];
        for (rank, value) in ((i * CHUNK) as u64..).zip(chunk) {
            counts[usize::from(widen(value).cast_unsigned())] +=
                if mirrored { u64::from(index.weight(rank)) } else { 1 };
        }
        // Few values occur, and the counts of many chunks are waiting to be added up.
        let by_value = |value: i16| (value, counts[usize::from(value.cast_unsigned())]);
        (i16::MIN..=i16::MAX).map(by_value).filter(|(_, count)| *count > 0).collect()
    };
    let add = |mut counts: BTreeMap<i16, u64>, more: BTreeMap<i16, u64>| {
        more.into_iter().for_each(|(value, count)| *counts.entry(value).or_default() += count);
        counts
    };
    values.par_chunks(CHUNK).enumerate().map(count).reduce(BTreeMap::new, add)
}

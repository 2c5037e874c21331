//! Building the missing tables of a folder together.

use std::fmt;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use sowbase::database::{BuildOptions, BuildProgress, Built, CHECKPOINT, Database, DatabaseError, Plan, free_memory};
use sowbase::index::LayerIndex;
use sowbase::rules::{Layer, Scoring};

use crate::below::Below;
use crate::checkpoint::Checkpoints;
use crate::error::Error;
use crate::folders::Folders;
use crate::partition::Partition;
use crate::solve::{self, Work};
use crate::tables;
use crate::tally::{Outcome, Seeds, Tally};
use crate::transport::Transport;

/// How a build may go about it, beside [`BuildOptions`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// What the plain build takes: memory is a ceiling for each machine.
    pub build: BuildOptions,
    /// Whether to print what each layer cost.
    pub stats: bool,
}

/// Bytes beside all that grows with the layer: code, stacks, the window of a table.
const FIXED_MEMORY: u64 = 64 << 20;

/// What a layer cost.
struct Cost {
    layer: Layer,
    positions: u64,
    processes: usize,
    solving: u64,
    table: u64,
    sharing: u64,
    memory: Option<u64>,
    seconds: [f64; 2],
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let each = |bytes: u64| bytes as f64 / self.positions as f64;
        write!(
            f,
            "layer {:>3}: {} process(es), {:.2} s to solve and {:.2} s to write, {:.2} + {:.2} bytes a position between them, \
             and {:.2} to hold the layer",
            self.layer.to_string(),
            self.processes,
            self.seconds[0],
            self.seconds[1],
            each(self.solving),
            each(self.table),
            each(self.sharing),
        )?;
        match self.memory {
            Some(bytes) => write!(f, "; at most {} KiB in a process", bytes / 1024),
            None => Ok(()),
        }
    }
}

/// The most memory that this process has had, where the system tells.
fn peak_memory() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1024)
}

/// One process of a build.
pub struct Build<'a> {
    /// The others.
    pub transport: &'a Transport,
    /// The folder.
    pub database: &'a Database,
    /// How to go about it.
    pub options: Options,
    /// Who hears how far this is.
    pub progress: &'a dyn BuildProgress,
    /// Whether this process was asked to stop.
    pub stop: &'a AtomicBool,
}

impl Build<'_> {
    /// Makes the missing tables of the root's plan. A meeting.
    ///
    /// # Errors
    /// As the plain build, in whichever process; and if somebody was asked to stop. Errors that all processes have at the
    /// same time come back from all of them; whoever has one alone must end the others, which wait for it.
    pub fn run(&self, plan: &Plan) -> Result<Vec<Built>, Error> {
        let Self { transport, database, .. } = *self;
        let present = self.agree_on_present(plan)?;
        let Some(last_missing) = present.iter().rposition(|present| !present) else {
            return Ok(Vec::new());
        };
        let room = self.room(plan, &present)?;
        let lock = if transport.is_root() { Some(database.prepare(plan)?) } else { None };
        let folders = Folders::find(transport, database.folder())?;
        let mut below = Below::new(database, room);
        let mut all_built = Vec::new();
        for (i, (step, present)) in plan.steps[..=last_missing].iter().zip(present).enumerate() {
            if present {
                folders.fetch(transport, database, step.layer)?;
                self.hold(&mut below, step.layer)?;
                continue;
            }
            self.progress.begin(step);
            let begin = Instant::now();
            let bytes = match database.rules().scoring() {
                Scoring::Seeds => {
                    self.make::<Seeds>(&mut below, &folders, step.layer, i < last_missing, |below, index, values| {
                        below.hold(index, values);
                    })?
                }
                Scoring::Outcome => self.make::<Outcome>(&mut below, &folders, step.layer, false, |_, _, _| {})?,
            };
            folders.fetch(transport, database, step.layer)?;
            let built = Built { layer: step.layer, positions: step.positions, bytes, time: begin.elapsed() };
            self.progress.end(&built);
            all_built.push(built);
        }
        drop(lock);
        Ok(all_built)
    }

    /// Which layers of the plan the root has.
    fn agree_on_present(&self, plan: &Plan) -> Result<Vec<bool>, Error> {
        let mut bytes: Vec<u8> = plan.steps.iter().map(|step| u8::from(step.present)).collect();
        self.transport.broadcast(&mut bytes);
        let (found, expected) = (bytes.len() as u64, plan.steps.len() as u64);
        if found != expected {
            return Err(Error::Length { from: 0, found, expected });
        }
        Ok(bytes.into_iter().map(|byte| byte != 0).collect())
    }

    /// Bytes that each process may use to hold layers below, if the missing layers can be solved at all.
    fn room(&self, plan: &Plan, present: &[bool]) -> Result<u64, Error> {
        let transport = self.transport;
        let machine = self.options.build.memory.or_else(free_memory).unwrap_or(u64::MAX);
        // The least of all counts, so that all come to the same conclusion.
        let ceiling = u64::MAX - transport.most(u64::MAX - machine / transport.neighbours() as u64);
        let mut most = 0;
        for (step, _) in plan.steps.iter().zip(present).filter(|(_, present)| !**present) {
            let index = self.database.index(step.layer)?;
            let partition = Partition::new(index.size(), transport.processes());
            let (found, places) = (partition.longest(), u64::from(u32::MAX));
            if found > places {
                return Err(Error::TooFewProcesses { layer: step.layer, found, most: places });
            }
            let below = Below::new(self.database, 0);
            let solving = match self.database.rules().scoring() {
                Scoring::Seeds => solve::memory::<Seeds>(&below, &index, &partition),
                Scoring::Outcome => solve::memory::<Outcome>(&below, &index, &partition),
            };
            let needed = solving.saturating_add(FIXED_MEMORY);
            if needed > ceiling {
                return Err(DatabaseError::Memory { layer: step.layer, needed, ceiling }.into());
            }
            most = most.max(needed);
        }
        Ok(ceiling - most)
    }

    /// Holds a layer that is there, if there is room.
    fn hold(&self, below: &mut Below<'_>, layer: Layer) -> Result<(), Error> {
        let size = self.database.index(layer)?.size();
        if !below.wants(size) {
            return Ok(());
        }
        let missing = || sowbase::solve::SolveError::MissingLayer { layer };
        let open = self.database.layer(layer)?.ok_or_else(missing)?;
        let values = tables::read(self.transport, below, &open)?;
        below.hold(self.database.index(layer)?, values);
        Ok(())
    }

    /// Solves a layer and writes its table; gives the values to `keep` if layers above need them and there is room for
    /// them. Returns the bytes of the table.
    fn make<T: Tally>(
        &self,
        below: &mut Below<'_>,
        folders: &Folders,
        layer: Layer,
        is_needed: bool,
        keep: impl FnOnce(&mut Below<'_>, LayerIndex, Vec<T::Cell>),
    ) -> Result<u64, Error> {
        let Self { transport, database, .. } = *self;
        let index = database.index(layer)?;
        let partition = Partition::new(index.size(), transport.processes());
        let work = Work { transport, index: &index, partition, below, progress: self.progress, stop: self.stop };
        let rules = database.rules().rule_set().text();
        let every = self.options.build.checkpoint.unwrap_or(CHECKPOINT);
        let mut checkpoints = Checkpoints::new(database.folder(), rules, every);
        let (begin, sent) = (Instant::now(), transport.sent());
        let words = solve::solve::<T>(&work, &mut checkpoints)?;
        let (solved, sent_solved) = (Instant::now(), transport.sent());
        let written = match tables::write(&work, &words, database, folders, is_needed && below.wants(index.size())) {
            Err(error) if error.is_interrupt() => {
                // Writing begins again, solving does not.
                checkpoints.save(&work, &words, T::LAST)?;
                return Err(error);
            }
            written => written?,
        };
        checkpoints.clear()?;
        if self.options.stats {
            let sums =
                transport.sum(&[sent_solved - sent, transport.sent() - sent_solved - written.shared, written.shared]);
            let memory = transport.most(peak_memory().unwrap_or(0));
            let cost = Cost {
                layer,
                positions: index.positions(),
                processes: transport.processes(),
                solving: sums[0],
                table: sums[1],
                sharing: sums[2],
                memory: (memory > 0).then_some(memory),
                seconds: [(solved - begin).as_secs_f64(), solved.elapsed().as_secs_f64()],
            };
            if transport.is_root() {
                println!("{cost}");
            }
        }
        if let Some(values) = written.held {
            keep(below, index, values);
        }
        Ok(written.bytes)
    }
}

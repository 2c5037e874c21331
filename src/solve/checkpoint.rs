//! Unfinished layers: what a solver leaves when it is stopped, and takes up again.

use std::io::{self, Read, Write};

use super::{Progress, SolveError, Unwatched, check};
use crate::memory::{Pages, Room};

/// Keeps the unfinished work on one layer.
///
/// What is kept are bytes whose meaning is the solver's. A solver only ever gets back what a solver of the same version
/// left for the same layer of the same rules; the keeper sees to that, and to their being whole.
pub trait Checkpoint: Sync {
    /// What was left the last time, if anything was.
    fn left(&self) -> Option<Box<dyn Read + '_>>;

    /// Whether so much work has been done since the last time that it should be left now, in case of a sudden end.
    /// Solvers ask at least every few million positions.
    fn is_due(&self) -> bool;

    /// Keeps what `write` writes, in place of what was kept before. Work goes on if that fails.
    fn leave(&self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>);
}

/// Keeps nothing.
pub struct NoCheckpoint;

impl Checkpoint for NoCheckpoint {
    fn left(&self) -> Option<Box<dyn Read + '_>> {
        None
    }

    fn is_due(&self) -> bool {
        false
    }

    fn leave(&self, _: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {}
}

/// What a solver hears and leaves while it works, and what it may take.
#[derive(Clone, Copy)]
pub struct Work<'a> {
    /// Hears how far it is.
    pub progress: &'a dyn Progress,
    /// Keeps what is unfinished.
    pub checkpoint: &'a dyn Checkpoint,
    /// Where the layer lies while it is solved. In a folder, solvers of games with half rows take the layer's bytes as
    /// good as in order and keep no more in memory than [`Needs::least`](super::Needs::least); the others keep
    /// everything in memory, wherever this is.
    pub room: Room<'a>,
    /// Bytes of memory to keep to where the layer lies in a folder, as far as that is possible.
    pub memory: u64,
}

impl Work<'_> {
    /// Work in memory that nobody watches or keeps.
    pub const ALONE: Work<'static> =
        Work { progress: &Unwatched, checkpoint: &NoCheckpoint, room: Room::Memory, memory: u64::MAX };

    /// `len` bytes for the layer, all 0.
    pub(super) fn pages(&self, len: usize) -> Result<Pages, SolveError> {
        self.room.pages(len).map_err(|error| SolveError::NoRoom { bytes: len as u64, reason: error.kind() })
    }

    /// Whether the threads should come together, because the work is to be left or to end.
    pub(super) fn should_pause(&self) -> bool {
        self.progress.is_cancelled() || self.checkpoint.is_due()
    }

    /// Does `step` until it says that all is done. In between, whenever the steps come to a pause, the work is left by
    /// `write`.
    pub(super) fn in_steps<S>(
        &self,
        state: &mut S,
        mut step: impl FnMut(&mut S) -> Result<bool, SolveError>,
        write: impl Fn(&S, &mut dyn Write) -> io::Result<()>,
    ) -> Result<(), SolveError> {
        while !step(state)? {
            self.checkpoint.leave(&mut |out| write(state, out));
            check(self.progress)?;
        }
        Ok(())
    }
}

/// Reads a number.
pub(super) fn read_u64(from: &mut dyn Read) -> io::Result<u64> {
    let mut bytes = [0; 8];
    from.read_exact(&mut bytes)?;
    Ok(u64::from_le_bytes(bytes))
}

//! The file in which a build leaves a layer that it could not finish.
//!
//! `.018.unfinished` holds 8 bytes that say what it is, the fingerprint of the rule set, the layer, whether it was still
//! being solved, the length and the checksum of the rest, and then whatever the solver wrote, or all values if only its
//! table was still to be written. A file that is damaged, of other rules or of another version is no help and no harm:
//! the layer is begun anew.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use xxhash_rust::xxh3::Xxh3Default;

use super::{Database, DatabaseError};
use crate::memory::Room;
use crate::rules::{Layer, Scoring};
use crate::solve::{Checkpoint, Values};

/// The last byte is the version of what solvers write.
const MAGIC: [u8; 8] = *b"SOWLEFT\x01";

/// Magic, fingerprint, layer and stage, length and checksum.
const HEADER: usize = 40;

/// How far a layer was.
#[derive(Clone, Copy)]
enum Stage {
    Solving = 0,
    Solved = 1,
}

/// Layers of fewer positions are solved again sooner than read.
const SMALL: u64 = 1 << 20;

/// The unfinished work on one layer of a folder.
pub(super) struct Unfinished {
    path: PathBuf,
    /// Magic, fingerprint and layer, as the file must begin but for the stage in the last byte.
    identity: [u8; 24],
    worthwhile: bool,
    interval: Duration,
    last: Mutex<Instant>,
    failure: Mutex<Option<io::Error>>,
}

impl Unfinished {
    pub(super) fn new(database: &Database, layer: Layer, positions: u64, interval: Duration) -> Self {
        let mut identity = [0; 24];
        identity[..8].copy_from_slice(&MAGIC);
        identity[8..16].copy_from_slice(&database.rules.rule_set().fingerprint().to_le_bytes());
        identity[16..18].copy_from_slice(&[layer.seeds, layer.closed]);
        let table = database.file(layer);
        let stem = table.file_stem().unwrap_or_default().to_string_lossy();
        Self {
            path: table.with_file_name(format!(".{stem}.unfinished")),
            identity,
            worthwhile: positions >= SMALL,
            interval,
            last: Mutex::new(Instant::now()),
            failure: Mutex::default(),
        }
    }

    /// Forgets what was left, once the layer has its table.
    pub(super) fn forget(&self) {
        // At worst a file stays that nobody reads.
        let _ = fs::remove_file(&self.path);
    }

    /// Whether the last attempt to leave work failed, and why.
    pub(super) fn failure(&self) -> Option<DatabaseError> {
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner).take();
        failure.map(|source| DatabaseError::io(&self.path, "keep the unfinished layer", source))
    }

    /// All values of a layer of `size` ranks, if that is what was left.
    pub(super) fn values(&self, size: u64, scoring: Scoring, room: Room<'_>) -> Option<Values> {
        let mut left = self.open(Stage::Solved).ok()?;
        Some(match scoring {
            Scoring::Seeds => {
                let mut values = room.pages(size as usize).ok()?;
                left.read_exact(&mut values).ok()?;
                Values::paged(values)
            }
            Scoring::Outcome => {
                let mut values = vec![0_i16; size as usize];
                left.read_exact(bytemuck::cast_slice_mut(&mut values)).ok()?;
                values.iter_mut().for_each(|value| *value = i16::from_le(*value));
                Values::Outcome(values)
            }
        })
    }

    /// Keeps all values of a layer whose table is not written yet.
    pub(super) fn leave_values(&self, values: &Values) {
        let mut write = |out: &mut dyn Write| match values {
            Values::Seeds(values) => out.write_all(bytemuck::cast_slice(values)),
            Values::Outcome(values) => values.chunks(1 << 14).try_for_each(|chunk| {
                let bytes: Vec<u8> = chunk.iter().flat_map(|value| value.to_le_bytes()).collect();
                out.write_all(&bytes)
            }),
        };
        self.keep(Stage::Solved, &mut write);
    }

    fn keep(&self, stage: Stage, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {
        if !self.worthwhile {
            return;
        }
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = self.write(stage, write).err();
        *self.last.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    fn identity(&self, stage: Stage) -> [u8; 24] {
        let mut identity = self.identity;
        identity[23] = stage as u8;
        identity
    }

    fn open(&self, stage: Stage) -> io::Result<impl Read + use<>> {
        let mut file = BufReader::with_capacity(1 << 20, File::open(&self.path)?);
        let mut header = [0; HEADER];
        file.read_exact(&mut header)?;
        let number = |at: usize| header[at..at + 8].try_into().map(u64::from_le_bytes).unwrap_or_default();
        let mut sum = Summed { inner: io::sink(), sum: Xxh3Default::new(), len: 0 };
        io::copy(&mut file, &mut sum)?;
        if header[..24] != self.identity(stage) || (sum.len, sum.sum.digest()) != (number(24), number(32)) {
            return Err(io::ErrorKind::InvalidData.into());
        }
        file.seek(SeekFrom::Start(HEADER as u64))?;
        Ok(file)
    }

    fn write(&self, stage: Stage, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
        let folder = self.path.parent().unwrap_or(&self.path);
        let mut file = tempfile::Builder::new().prefix(".unfinished").suffix(".partial").tempfile_in(folder)?;
        let mut out = Summed { inner: BufWriter::new(file.as_file()), sum: Xxh3Default::new(), len: 0 };
        out.inner.write_all(&[0; HEADER])?;
        write(&mut out)?;
        out.inner.flush()?;
        let tail = [out.len, out.sum.digest()];
        drop(out);
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&self.identity(stage))?;
        tail.iter().try_for_each(|number| file.write_all(&number.to_le_bytes()))?;
        file.as_file().sync_all()?;
        file.persist(&self.path)?;
        Ok(())
    }
}

impl Checkpoint for Unfinished {
    fn left(&self) -> Option<Box<dyn Read + '_>> {
        let left = self.open(Stage::Solving).ok()?;
        Some(Box::new(left))
    }

    fn is_due(&self) -> bool {
        self.worthwhile && self.last.lock().unwrap_or_else(PoisonError::into_inner).elapsed() >= self.interval
    }

    fn leave(&self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {
        self.keep(Stage::Solving, write);
    }
}

/// Counts and sums what goes through it.
struct Summed<W> {
    inner: W,
    sum: Xxh3Default,
    len: u64,
}

impl<W: Write> Write for Summed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.sum.update(&bytes[..written]);
        self.len += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

//! Saving a layer that is not done, and taking it up again with any number of processes.
//!
//! Between two rounds nothing is under way, so that the words of all positions are the whole state. Every process writes
//! its words into a part of its own; then the root writes a small text file that names these parts, under a temporary
//! name first. A state counts once that file has its name, and the parts of an older one are removed only then.

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use sowbase::rules::Layer;
use xxhash_rust::xxh3::Xxh3;

use crate::error::Error;
use crate::partition::Partition;
use crate::solve::{Words, Work};
use crate::tally::{Tally, Word};
use crate::transport::Transport;

/// All files of states begin so.
const PREFIX: &str = ".checkpoint";

/// Bytes of a part before its words: a checksum of the rest.
const SUM: u64 = 8;

/// Bytes written or read at a time.
const PIECE: usize = 1 << 20;

/// The states of a folder.
pub struct Checkpoints<'a> {
    folder: &'a Path,
    rules: String,
    every: Duration,
    last: Instant,
}

/// What the root's file says.
#[derive(Clone, PartialEq, Eq, Debug)]
struct State {
    rules: String,
    layer: Layer,
    positions: u64,
    level: u16,
    processes: usize,
    shift: u32,
    stamp: u64,
}

impl State {
    fn text(&self) -> String {
        let Self { rules, layer, positions, level, processes, shift, stamp } = self;
        format!(
            "sowbase-mpi state 1\nrules {rules}\nseeds {}\nclosed {}\npositions {positions}\nlevel {level}\n\
             processes {processes}\nshift {shift}\nstamp {stamp}\n",
            layer.seeds, layer.closed
        )
    }

    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        if lines.next() != Some("sowbase-mpi state 1") {
            return None;
        }
        let mut next = |name: &str| lines.next()?.strip_prefix(name)?.strip_prefix(' ');
        let state = Self {
            rules: next("rules")?.to_owned(),
            layer: Layer { seeds: next("seeds")?.parse().ok()?, closed: next("closed")?.parse().ok()? },
            positions: next("positions")?.parse().ok()?,
            level: next("level")?.parse().ok()?,
            processes: next("processes")?.parse().ok().filter(|&processes| (1..=1 << 16).contains(&processes))?,
            shift: next("shift")?.parse().ok().filter(|&shift| shift <= 31)?,
            stamp: next("stamp")?.parse().ok()?,
        };
        (text == state.text()).then_some(state)
    }

    fn partition(&self) -> Partition {
        Partition::with_shift(self.positions, self.processes, self.shift)
    }
}

impl<'a> Checkpoints<'a> {
    /// States in `folder`, of which one is to be made `every` so often.
    pub fn new(folder: &'a Path, rules: String, every: Duration) -> Self {
        Self { folder, rules, every, last: Instant::now() }
    }

    /// Whether it is time to save.
    pub fn is_time(&self, now: Instant) -> bool {
        now.duration_since(self.last) >= self.every
    }

    fn commit_path(&self) -> PathBuf {
        self.folder.join(PREFIX)
    }

    fn part_path(&self, stamp: u64, process: usize) -> PathBuf {
        self.folder.join(format!("{PREFIX}-{stamp:016x}-{process:05}"))
    }

    /// Saves the words of all processes. A meeting.
    ///
    /// # Errors
    /// A file cannot be written. The state saved before is still there then.
    pub fn save<T: Tally>(&mut self, work: &Work<'_>, words: &Words<T>, level: u16) -> Result<(), Error> {
        work.progress.stage("save", work.partition.size());
        let stamp = common_stamp(work.transport);
        let path = self.part_path(stamp, work.transport.process());
        write_part::<T>(&path, words).map_err(|source| Error::Io { path, action: "write the state", source })?;
        // A process that failed has ended all of them; past this meeting every part is on a disk.
        work.transport.any(false);
        if work.transport.is_root() {
            let state = State {
                rules: self.rules.clone(),
                layer: work.index.layer(),
                positions: work.partition.size(),
                level,
                processes: work.transport.processes(),
                shift: work.partition.shift(),
                stamp,
            };
            let path = self.commit_path();
            replace_file(&path, state.text().as_bytes()).map_err(|source| Error::Io {
                path,
                action: "write the state",
                source,
            })?;
        }
        work.transport.any(false);
        self.remove_parts(Some(stamp))?;
        self.last = Instant::now();
        Ok(())
    }

    /// The words and the level of the layer as they were saved, if they were. A meeting.
    ///
    /// # Errors
    /// A file is damaged, missing or cannot be read.
    pub fn restore<T: Tally>(&mut self, work: &Work<'_>) -> Result<Option<(Words<T>, u16)>, Error> {
        self.last = Instant::now();
        let path = self.commit_path();
        let mut text = Vec::new();
        if work.transport.is_root() {
            match fs::read(&path) {
                Ok(found) => text = found,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(source) => return Err(Error::Io { path, action: "read the state", source }),
            }
        }
        work.transport.broadcast(&mut text);
        if text.is_empty() {
            return Ok(None);
        }
        let refuse = |finding: &str| Error::Checkpoint { path: path.clone(), finding: finding.to_owned() };
        let text = String::from_utf8(text).map_err(|_| refuse("the state is not text"))?;
        let state = State::parse(&text).ok_or_else(|| refuse("the state is not one that this program wrote"))?;
        if state.rules != self.rules {
            return Err(refuse(&format!("the state is of '{}', expected '{}'", state.rules, self.rules)));
        }
        if state.layer != work.index.layer() {
            return Ok(None);
        }
        if state.positions != work.partition.size() {
            return Err(refuse(&format!("{} positions, expected {}", state.positions, work.partition.size())));
        }
        work.progress.stage("restore", work.partition.size());
        let transport = work.transport;
        for process in (transport.process()..state.processes).step_by(transport.processes()) {
            let words = state.partition().len(process);
            check_part(&self.part_path(state.stamp, process), words * T::Word::BYTES as u64)?;
        }
        let words = Words::unseen(work.partition.len(transport.process()));
        let mut parts: Vec<Option<File>> = (0..state.processes).map(|_| None).collect();
        let mut place = 0;
        let old = state.partition();
        for piece in work.partition.blocks(transport.process()).flat_map(|block| old.cut(block)) {
            let (owner, first) = old.owner(piece.start);
            let path = self.part_path(state.stamp, owner);
            let failed = |source| Error::Io { path: path.clone(), action: "read the state", source };
            let file = match &mut parts[owner] {
                Some(file) => file,
                empty => empty.insert(File::open(&path).map_err(failed)?),
            };
            let mut bytes = vec![0; (piece.end - piece.start) as usize * T::Word::BYTES];
            file.read_exact_at(&mut bytes, SUM + u64::from(first) * T::Word::BYTES as u64).map_err(failed)?;
            for word in bytes.chunks_exact(T::Word::BYTES) {
                T::Word::get(word).store(&words.words()[place]);
                place += 1;
            }
        }
        // Nobody goes on, and in time removes these files, before all have read them.
        transport.any(false);
        Ok(Some((words, state.level)))
    }

    /// Removes all states of the folder: their layer is done.
    ///
    /// # Errors
    /// The system refuses.
    pub fn clear(&self) -> Result<(), Error> {
        let path = self.commit_path();
        match fs::remove_file(&path) {
            Err(source) if source.kind() != std::io::ErrorKind::NotFound => {
                return Err(Error::Io { path, action: "remove the state", source });
            }
            _ => {}
        }
        self.remove_parts(None)
    }

    /// Removes the parts of all states but one.
    fn remove_parts(&self, but: Option<u64>) -> Result<(), Error> {
        let failed = |source| Error::Io { path: self.folder.to_owned(), action: "tidy the folder", source };
        let kept = but.map(|stamp| format!("{PREFIX}-{stamp:016x}-"));
        for entry in fs::read_dir(self.folder).map_err(failed)? {
            let name = entry.map_err(failed)?.file_name();
            let Some(name) = name.to_str() else { continue };
            let is_part = name.strip_prefix(PREFIX).is_some_and(|rest| rest.starts_with('-'));
            if is_part && !kept.as_ref().is_some_and(|kept| name.starts_with(kept)) {
                match fs::remove_file(self.folder.join(name)) {
                    // Processes that share a folder tidy it together.
                    Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(failed(error)),
                    _ => {}
                }
            }
        }
        Ok(())
    }
}

/// A number that all processes have and no earlier run had. A meeting.
pub fn common_stamp(transport: &Transport) -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let mut bytes = if transport.is_root() { (since.as_nanos() as u64).to_le_bytes().to_vec() } else { Vec::new() };
    transport.broadcast(&mut bytes);
    let mut stamp = [0; 8];
    stamp.copy_from_slice(&bytes);
    u64::from_le_bytes(stamp)
}

/// Checks that a part is whole and has so many bytes of words.
fn check_part(path: &Path, expected: u64) -> Result<(), Error> {
    let failed = |source| Error::Io { path: path.to_owned(), action: "read the state", source };
    let refuse = |finding: String| Error::Checkpoint { path: path.to_owned(), finding };
    let file = File::open(path).map_err(failed)?;
    let found = file.metadata().map_err(failed)?.len();
    if found != SUM + expected {
        return Err(refuse(format!("{found} bytes, expected {}", SUM + expected)));
    }
    let mut sum = [0; SUM as usize];
    file.read_exact_at(&mut sum, 0).map_err(failed)?;
    let mut hasher = Xxh3::new();
    let mut at = SUM;
    let mut piece = vec![0; PIECE];
    while at < found {
        let len = PIECE.min((found - at) as usize);
        file.read_exact_at(&mut piece[..len], at).map_err(failed)?;
        hasher.update(&piece[..len]);
        at += len as u64;
    }
    let (found, expected) = (hasher.digest(), u64::from_le_bytes(sum));
    if found == expected { Ok(()) } else { Err(refuse(format!("checksum {found:016x}, expected {expected:016x}"))) }
}

fn write_part<T: Tally>(path: &Path, words: &Words<T>) -> std::io::Result<()> {
    let file = File::create(path)?;
    let mut writer = BufWriter::with_capacity(PIECE, &file);
    writer.write_all(&[0; SUM as usize])?;
    let mut hasher = Xxh3::new();
    let mut bytes = Vec::with_capacity(PIECE);
    for words in words.words().chunks(PIECE / T::Word::BYTES) {
        bytes.clear();
        words.iter().for_each(|shared| T::Word::load(shared).put(&mut bytes));
        hasher.update(&bytes);
        writer.write_all(&bytes)?;
    }
    writer.flush()?;
    drop(writer);
    file.write_all_at(&hasher.digest().to_le_bytes(), 0)?;
    file.sync_all()
}

/// Gives a file these bytes, all or none.
fn replace_file(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(".partial");
    let partial = PathBuf::from(name);
    let mut file = File::create(&partial)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&partial, path)?;
    match path.parent() {
        Some(folder) => File::open(folder)?.sync_all(),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_are_read_as_they_were_written() {
        let state = State {
            rules: "oware pits=6 grand_slam=allow".to_owned(),
            layer: Layer { seeds: 12, closed: 3 },
            positions: 1_352_078,
            level: 7,
            processes: 4,
            shift: 13,
            stamp: u64::MAX,
        };
        let text = state.text();
        assert_eq!(State::parse(&text), Some(state));
        for len in 0..text.len() {
            assert_eq!(State::parse(&text[..len]), None);
        }
        assert_eq!(State::parse(&text.replace("processes 4", "processes 0")), None);
        assert_eq!(State::parse(&text.replace("shift 13", "shift 64")), None);
    }
}

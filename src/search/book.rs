//! Proofs on disk: what is known about openings, and what a long search needs to go on where it was stopped.
//!
//! A book belongs to one rule set. All numbers are little-endian.
//!
//! ```text
//! 8   magic          8d 53 4f 57 42 4f 0d 0a    (0x8d "SOWBO" CR LF)
//! 4   version        1
//! 8   fingerprint    of the rule set
//! 4   positions      then for each of them, in the order of their pits:
//!     1   pits, and as many bytes of the board, marks included
//!     1   moves, and for each: 1 number, 2 lower, 2 upper, 2 distance (65535: none)
//!     8   nodes      visited for it so far
//!     8   seconds    spent on it so far, as a 64-bit float
//! 8   facts          entries of the transposition table, the costliest to prove first; for each:
//!     8   key, lower 64 bits
//!     4   key, upper 32 bits
//!     1   lower, 1 upper (signed), 1 hint, 1 work
//! 8   checksum       XXH3 of everything before
//! ```
//!
//! A file is written under a temporary name beside the old one, synced and renamed, so that a book is always whole.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use thiserror::Error;
use xxhash_rust::xxh3::xxh3_64;

use super::{Bounds, Entry, Key, Known, MoveAnswer, Transpositions};
use crate::rules::{Board, MAX_PITS, Move, RuleSet};

const MAGIC: [u8; 8] = *b"\x8dSOWBO\r\n";
const VERSION: u32 = 1;
const NO_DISTANCE: u16 = u16::MAX;
const FACT_BYTES: usize = 16;

/// Why a book cannot be used.
#[derive(Debug, Error)]
pub enum BookError {
    /// The file could not be read or written.
    #[error("{}: the book could not be {action}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried.
        action: &'static str,
        /// What went wrong.
        #[source]
        source: io::Error,
    },
    /// The file is no book.
    #[error("{}: not a sowbase book; delete it or name another", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The file was written by a newer program.
    #[error("{}: book version {found}, this program reads version {VERSION}; use the newer program", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
    },
    /// The book is about other rules.
    #[error("{}: the book belongs to other rules (fingerprint {found:016x}, expected {expected:016x})", path.display())]
    Rules {
        /// The file.
        path: PathBuf,
        /// Whose it is.
        found: u64,
        /// Whose was expected.
        expected: u64,
    },
    /// The file is cut short or its bytes have changed.
    #[error("{}: the book is damaged ({what}); delete it, the proofs will be searched anew", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was noticed.
        what: &'static str,
    },
}

/// What is proved of one position.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Opening {
    /// Every first move.
    pub moves: Vec<Known>,
    /// Positions visited so far, in all runs.
    pub nodes: u64,
    /// Seconds so far, in all runs.
    pub seconds: f64,
}

/// Proofs of one rule set.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Book {
    /// Positions that were asked about.
    pub openings: BTreeMap<Board, Opening>,
    facts: Vec<(Key, Entry)>,
}

impl Book {
    /// Notes what a search found of the first moves of `board`, in so many more nodes and seconds; bounds proved before
    /// are kept where they are narrower.
    pub fn note(&mut self, board: &Board, moves: &[MoveAnswer], nodes: u64, seconds: f64) {
        let opening = self.openings.entry(*board).or_default();
        let before = std::mem::take(&mut opening.moves);
        opening.moves = moves
            .iter()
            .map(|found| {
                let known = before.iter().find(|known| known.mv == found.mv);
                Known {
                    mv: found.mv,
                    worth: known.map_or(found.worth, |known| known.worth.and(found.worth)),
                    distance: found.distance.or(known.and_then(|known| known.distance)),
                }
            })
            .collect();
        opening.nodes += nodes;
        opening.seconds += seconds;
    }

    /// Keeps the facts of `table` that cost most to prove, at most `most` of them. Costs a pass over the table, twice.
    pub fn keep(&mut self, table: &Transpositions, most: usize) {
        let mut by_work = [0_usize; 256];
        table.for_each(|_, entry| by_work[usize::from(entry.work)] += 1);
        // The least work of which all entries still fit.
        let (mut least, mut kept) = (256, 0);
        while least > 0 && kept + by_work[least - 1] <= most {
            least -= 1;
            kept += by_work[least];
        }
        self.facts = Vec::with_capacity(kept);
        table.for_each(|key, entry| {
            if usize::from(entry.work) >= least {
                self.facts.push((key, entry));
            }
        });
        self.facts.sort_unstable_by_key(|(key, entry)| (std::cmp::Reverse(entry.work), *key));
    }

    /// Gives the facts back to a transposition table.
    pub fn restore(&self, table: &Transpositions) {
        for (key, entry) in self.facts.iter().rev() {
            table.put(*key, *entry);
        }
    }

    /// Number of facts kept.
    #[must_use]
    pub fn facts(&self) -> usize {
        self.facts.len()
    }

    /// Reads the book of `rules`; an empty one if there is no file.
    ///
    /// # Errors
    /// The file cannot be read, is damaged or foreign, or belongs to other rules or a newer program.
    pub fn load(path: &Path, rules: &RuleSet) -> Result<Self, BookError> {
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(source) => return Err(BookError::Io { path: path.to_owned(), action: "read", source }),
        };
        let mut from = Reader { rest: &bytes, path };
        if from.array()? != MAGIC {
            return Err(BookError::Foreign { path: path.to_owned() });
        }
        let version = u32::from_le_bytes(from.array()?);
        if version != VERSION {
            return Err(BookError::Version { path: path.to_owned(), found: version });
        }
        let (content, checksum) = bytes.split_last_chunk().ok_or_else(|| from.damaged("cut short"))?;
        if xxh3_64(content) != u64::from_le_bytes(*checksum) {
            return Err(from.damaged("wrong checksum"));
        }
        let (found, expected) = (u64::from_le_bytes(from.array()?), rules.fingerprint());
        if found != expected {
            return Err(BookError::Rules { path: path.to_owned(), found, expected });
        }
        let mut book = Self::default();
        for _ in 0..u32::from_le_bytes(from.array()?) {
            let (board, opening) = from.opening()?;
            book.openings.insert(board, opening);
        }
        let facts = u64::from_le_bytes(from.array()?);
        if facts.checked_mul(FACT_BYTES as u64) != Some(from.rest.len().saturating_sub(8) as u64) {
            return Err(from.damaged("wrong length"));
        }
        for _ in 0..facts {
            let low = u64::from_le_bytes(from.array()?);
            let high = u32::from_le_bytes(from.array()?);
            let [lower, upper, hint, work] = from.array()?;
            let bounds = Bounds { lower: i16::from(lower as i8), upper: i16::from(upper as i8) };
            book.facts.push((Key { low, high }, Entry { bounds, hint, work, searched: 0 }));
        }
        Ok(book)
    }

    /// Writes the book, and makes its folder if there is none.
    ///
    /// # Errors
    /// The file cannot be written; the one before stays as it was.
    pub fn save(&self, path: &Path, rules: &RuleSet) -> Result<(), BookError> {
        let failed = |source| BookError::Io { path: path.to_owned(), action: "written", source };
        let bytes = self.bytes(rules);
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs::create_dir_all(folder).map_err(failed)?;
        let mut file = tempfile::NamedTempFile::new_in(folder).map_err(failed)?;
        file.write_all(&bytes).map_err(failed)?;
        file.as_file().sync_all().map_err(failed)?;
        file.persist(path).map_err(|error| failed(error.error))?;
        Ok(())
    }

    fn bytes(&self, rules: &RuleSet) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(rules.fingerprint().to_le_bytes());
        bytes.extend((self.openings.len() as u32).to_le_bytes());
        for (board, opening) in &self.openings {
            bytes.push(board.len() as u8);
            bytes.extend(board.iter());
            bytes.push(opening.moves.len() as u8);
            for known in &opening.moves {
                bytes.push(known.mv.0);
                bytes.extend(known.worth.lower.to_le_bytes());
                bytes.extend(known.worth.upper.to_le_bytes());
                bytes.extend(known.distance.unwrap_or(NO_DISTANCE).to_le_bytes());
            }
            bytes.extend(opening.nodes.to_le_bytes());
            bytes.extend(opening.seconds.to_le_bytes());
        }
        bytes.extend((self.facts.len() as u64).to_le_bytes());
        for (key, entry) in &self.facts {
            bytes.extend(key.low.to_le_bytes());
            bytes.extend(key.high.to_le_bytes());
            bytes.extend([entry.bounds.lower as i8 as u8, entry.bounds.upper as i8 as u8, entry.hint, entry.work]);
        }
        bytes.extend(xxh3_64(&bytes).to_le_bytes());
        bytes
    }
}

struct Reader<'a> {
    rest: &'a [u8],
    path: &'a Path,
}

impl Reader<'_> {
    fn damaged(&self, what: &'static str) -> BookError {
        BookError::Damaged { path: self.path.to_owned(), what }
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], BookError> {
        let (array, rest) = self.rest.split_first_chunk().ok_or_else(|| self.damaged("cut short"))?;
        self.rest = rest;
        Ok(*array)
    }

    fn opening(&mut self) -> Result<(Board, Opening), BookError> {
        let [pits] = self.array()?;
        let pits = usize::from(pits);
        if pits > MAX_PITS || pits % 2 == 1 || pits > self.rest.len() {
            return Err(self.damaged("an impossible board"));
        }
        let (board, rest) = self.rest.split_at(pits);
        self.rest = rest;
        let [moves] = self.array()?;
        let mut opening = Opening::default();
        for _ in 0..moves {
            let [mv] = self.array()?;
            let lower = i16::from_le_bytes(self.array()?);
            let upper = i16::from_le_bytes(self.array()?);
            let distance = Some(u16::from_le_bytes(self.array()?)).filter(|&moves| moves != NO_DISTANCE);
            opening.moves.push(Known { mv: Move(mv), worth: Bounds { lower, upper }, distance });
        }
        opening.nodes = u64::from_le_bytes(self.array()?);
        opening.seconds = f64::from_le_bytes(self.array()?);
        Ok((Board::of(board), opening))
    }
}

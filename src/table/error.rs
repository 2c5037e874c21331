//! What can go wrong with a table file.

use std::fmt;
use std::io;

/// A part of a table file, named in errors about damaged bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The first 64 bytes.
    Preamble,
    /// The header: description, shape, histogram and model.
    Header,
    /// The index record of one group of blocks.
    Group(u64),
    /// One block of values.
    Block(u64),
    /// Everything after the preamble.
    Body,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Preamble => write!(f, "preamble"),
            Part::Header => write!(f, "header"),
            Part::Group(group) => write!(f, "index group {group}"),
            Part::Block(block) => write!(f, "block {block}"),
            Part::Body => write!(f, "body"),
        }
    }
}

/// Everything reading or writing a table file can report.
///
/// `file` is the name the table was opened or created under.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The operating system refused an operation.
    #[error("{file}: cannot {action}: {source}; check the disk's space, health and permissions")]
    Io {
        /// The file or folder concerned.
        file: String,
        /// What was being done, as a verb phrase.
        action: &'static str,
        /// The system's answer.
        source: io::Error,
    },
    /// The first bytes are not those of a table.
    #[error(
        "{file}: not a table: it starts with {found:02x?}, a table with {expected:02x?}; if it was \
         copied as text, copy it again as binary"
    )]
    Magic {
        /// The file concerned.
        file: String,
        /// Its first bytes, at most eight.
        found: Vec<u8>,
        /// The bytes every table starts with.
        expected: [u8; 8],
    },
    /// The table is of a format version this program does not read.
    #[error(
        "{file}: table format version {found}, this program reads version {expected}; build the \
         table again or use the program that wrote it"
    )]
    Version {
        /// The file concerned.
        file: String,
        /// The version the file names.
        found: u32,
        /// The version this program reads.
        expected: u32,
    },
    /// The table was never completed.
    #[error("{file}: the table is unfinished: its build was interrupted; build it again")]
    Unfinished {
        /// The file concerned.
        file: String,
    },
    /// The file is shorter or longer than its own description says.
    #[error(
        "{file}: {found} bytes long, its preamble says {expected}; it was cut short or extended: \
         copy or build it again"
    )]
    Length {
        /// The file concerned.
        file: String,
        /// Bytes there are.
        found: u64,
        /// Bytes there should be (at least).
        expected: u64,
    },
    /// Bytes do not have the checksum stored for them.
    #[error(
        "{file}: {part} is damaged: checksum {found:#x}, stored {expected:#x}; copy or build the \
         table again"
    )]
    Checksum {
        /// The file concerned.
        file: String,
        /// The part that is damaged.
        part: Part,
        /// Checksum of the bytes found.
        found: u64,
        /// Checksum stored in the file.
        expected: u64,
    },
    /// Bytes have the right checksum but contradict the format.
    #[error("{file}: {part} is malformed: {finding}; the table was not written by this program")]
    Malformed {
        /// The file concerned.
        file: String,
        /// The part that is malformed.
        part: Part,
        /// What is wrong with it.
        finding: String,
    },
    /// A rank outside the table was asked for.
    #[error("{file}: rank {rank} is outside the table, which has {count} values")]
    Rank {
        /// The file concerned.
        file: String,
        /// The (first) rank asked for.
        rank: u64,
        /// Values in the table.
        count: u64,
    },
    /// Values of two bytes were asked for as single bytes.
    #[error("{file}: values are {found} bytes wide and do not fit the {expected} byte asked for")]
    Width {
        /// The file concerned.
        file: String,
        /// Bytes a value in the file.
        found: u8,
        /// Bytes a value asked for.
        expected: u8,
    },
    /// Inputs of one call have different lengths.
    #[error("{file}: {found} {what} given for {expected} values; give one for each")]
    Lengths {
        /// The file concerned.
        file: String,
        /// What was given.
        what: &'static str,
        /// How many were given.
        found: u64,
        /// How many were expected.
        expected: u64,
    },
    /// A table was given more or fewer values than its shape has.
    #[error("{file}: {found} values were written, the layer has {expected}; nothing was kept")]
    Count {
        /// The file concerned.
        file: String,
        /// Values given.
        found: u64,
        /// Values of the shape.
        expected: u64,
    },
    /// A shape that no table can have.
    #[error("segment {segment} of {rows} rows of {row_len} values: {finding}")]
    Shape {
        /// Number of the segment.
        segment: usize,
        /// Its rows.
        rows: u64,
        /// Values in each row.
        row_len: u64,
        /// What is wrong with it.
        finding: &'static str,
    },
    /// The writer was used after it had failed.
    #[error("{file}: an earlier write failed; create the table anew")]
    Broken {
        /// The file concerned.
        file: String,
    },
}

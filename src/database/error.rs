//! What can go wrong with a folder of tables.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::rules::Layer;
use crate::solve::SolveError;
use crate::table::TableError;

/// Why a database could not be read or built.
#[derive(Debug, Error)]
pub enum DatabaseError {
    /// A table cannot be read or written.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A layer was not solved.
    #[error(transparent)]
    Solve(#[from] SolveError),
    /// A table is whole but not the one its place promises.
    #[error("{}: the table's {what} is '{found}', expected '{expected}'; move it away and build the layer again", file.display())]
    Foreign {
        /// The table.
        file: PathBuf,
        /// What differs.
        what: &'static str,
        /// What the table says.
        found: String,
        /// What it should say.
        expected: String,
    },
    /// A table leaves out what the layers below tell, and one of them is not there.
    #[error("{}: the table of layer {below} is missing, and values of layer {layer} rest on it; build it again or bring it back", file.display())]
    MissingBelow {
        /// The missing table.
        file: PathBuf,
        /// The layer that was asked for.
        layer: Layer,
        /// The layer that is missing.
        below: Layer,
    },
    /// The operating system refused an operation.
    #[error("{}: cannot {action}: {source}; check the disk's space, health and permissions", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What was being done.
        action: &'static str,
        /// The system's answer.
        source: io::Error,
    },
    /// Another program is building in the same folder.
    #[error("{}: another build is at work in this folder; wait for it to end, or name another folder with --dir", folder.display())]
    Locked {
        /// The folder.
        folder: PathBuf,
    },
    /// A layer needs more memory than it may take.
    #[error(
        "layer {layer} needs at least {} of memory, {} may be used; build fewer seeds or allow more with --memory",
        bytes(*needed),
        bytes(*ceiling)
    )]
    Memory {
        /// The layer.
        layer: Layer,
        /// Bytes it needs at the least, with as much as possible on the disk.
        needed: u64,
        /// Bytes that may be used.
        ceiling: u64,
    },
    /// The tables do not fit on the disk.
    #[error("{}: the tables need about {}, {} are free; build fewer seeds or name another folder with --dir", folder.display(), bytes(*needed), bytes(*free))]
    Disk {
        /// The folder.
        folder: PathBuf,
        /// Bytes that all missing tables take, estimated, and those of layers that lie in files during the build.
        needed: u64,
        /// Bytes that are free.
        free: u64,
    },
    /// A layer has too many positions to be numbered.
    #[error("layer {layer} has more than 2^63 positions; no machine can hold it")]
    TooLarge {
        /// The layer.
        layer: Layer,
    },
}

impl DatabaseError {
    pub(super) fn io(path: &Path, action: &'static str, source: io::Error) -> Self {
        Self::Io { path: path.to_owned(), action, source }
    }

    /// Whether the work was stopped on purpose.
    #[must_use]
    pub fn is_interrupt(&self) -> bool {
        matches!(self, Self::Solve(SolveError::Interrupted))
    }
}

fn bytes(count: u64) -> indicatif::HumanBytes {
    indicatif::HumanBytes(count)
}

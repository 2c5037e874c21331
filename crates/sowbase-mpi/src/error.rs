//! What can go wrong, in any of the processes.

use std::io;
use std::path::PathBuf;

use sowbase::database::DatabaseError;
use sowbase::rules::Layer;
use sowbase::solve::SolveError;
use sowbase::table::TableError;
use thiserror::Error;

use crate::packing::PackingError;

/// Why a build ended before its end.
#[derive(Debug, Error)]
pub enum Error {
    /// Something about the folder or its tables.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// A process has more positions than places are counted.
    #[error("layer {layer} is {found} positions for one process, at most {most} fit; start more processes")]
    TooFewProcesses {
        /// The layer.
        layer: Layer,
        /// Positions of the fullest process.
        found: u64,
        /// How many it can have.
        most: u64,
    },
    /// A message does not make sense.
    #[error("from process {from}: {source}; all processes must run the same version of this program")]
    Message {
        /// Who sent it.
        from: usize,
        /// What is wrong with it.
        source: PackingError,
    },
    /// What arrived is not as long as what was due.
    #[error(
        "from process {from}: {found} bytes, {expected} expected; all processes must run the same version of this program"
    )]
    Length {
        /// Who sent it.
        from: usize,
        /// Bytes that came.
        found: u64,
        /// Bytes that were due.
        expected: u64,
    },
    /// The blocks of a table could not be packed.
    #[error("cannot pack the table of layer {layer}: {source}")]
    Pack {
        /// The layer.
        layer: Layer,
        /// The packer's answer.
        source: io::Error,
    },
    /// The model of a table came over damaged.
    #[error(
        "the model of layer {layer} is damaged: {finding}; all processes must run the same version of this program"
    )]
    Model {
        /// The layer.
        layer: Layer,
        /// What is wrong with it.
        finding: String,
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
    /// A saved state cannot be taken up.
    #[error("{}: {finding}; remove the files whose names begin with .checkpoint to start this layer again", path.display())]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        finding: String,
    },
}

impl Error {
    /// Whether the work was stopped on purpose.
    pub fn is_interrupt(&self) -> bool {
        matches!(self, Self::Database(error) if error.is_interrupt())
    }

    /// Whether a layer is too large, which all processes find out alike before anything is solved.
    pub fn is_refusal(&self) -> bool {
        match self {
            Self::Database(error) => matches!(error, DatabaseError::Memory { .. } | DatabaseError::TooLarge { .. }),
            Self::TooFewProcesses { .. } => true,
            _ => false,
        }
    }
}

impl From<SolveError> for Error {
    fn from(error: SolveError) -> Self {
        Self::Database(error.into())
    }
}

impl From<TableError> for Error {
    fn from(error: TableError) -> Self {
        Self::Database(error.into())
    }
}

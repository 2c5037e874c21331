//! Why a command failed, and the exit code that says so.

use std::io;
use std::process::ExitCode;

use crate::database::DatabaseError;
use crate::query::QueryError;
use crate::rules::RuleError;
use crate::rules::notation::NotationError;
use crate::search::SearchError;
use crate::solve::SolveError;

/// The answer is not there.
pub(super) const NOT_THERE: u8 = 1;
/// Bad usage or position.
pub(super) const USAGE: u8 = 2;
/// A damaged or foreign table, or a failed read or write.
pub(super) const DATA: u8 = 3;
/// Interrupted; the same command goes on.
pub(super) const INTERRUPTED: u8 = 130;

/// A failed command.
#[derive(Debug)]
pub enum Failure {
    /// To be told with this exit code.
    Told(u8, anyhow::Error),
    /// The reader of the output has gone away; nobody is left to tell.
    BrokenPipe,
}

impl Failure {
    pub(super) fn usage(message: impl Into<String>) -> Self {
        Self::Told(USAGE, anyhow::anyhow!(message.into()))
    }

    pub(super) fn not_there(message: impl Into<String>) -> Self {
        Self::Told(NOT_THERE, anyhow::anyhow!(message.into()))
    }

    pub(super) fn data(message: impl Into<String>) -> Self {
        Self::Told(DATA, anyhow::anyhow!(message.into()))
    }

    /// What to tell, if anybody is there to be told.
    #[must_use]
    pub fn message(&self) -> Option<String> {
        match self {
            Self::Told(_, error) => Some(error.to_string()),
            Self::BrokenPipe => None,
        }
    }

    /// The exit code.
    #[must_use]
    pub fn code(&self) -> ExitCode {
        match self {
            Self::Told(code, _) => ExitCode::from(*code),
            Self::BrokenPipe => ExitCode::SUCCESS,
        }
    }
}

impl From<RuleError> for Failure {
    fn from(error: RuleError) -> Self {
        Self::Told(USAGE, error.into())
    }
}

impl From<NotationError> for Failure {
    fn from(error: NotationError) -> Self {
        Self::Told(USAGE, error.into())
    }
}

impl From<DatabaseError> for Failure {
    fn from(error: DatabaseError) -> Self {
        let code = match &error {
            _ if error.is_interrupt() => {
                let text = "interrupted; the same command goes on where this one stopped";
                return Self::Told(INTERRUPTED, anyhow::anyhow!(text));
            }
            DatabaseError::Memory { .. }
            | DatabaseError::TooLarge { .. }
            | DatabaseError::Locked { .. }
            | DatabaseError::Solve(SolveError::TooLarge { .. }) => NOT_THERE,
            _ => DATA,
        };
        Self::Told(code, error.into())
    }
}

impl From<QueryError> for Failure {
    fn from(error: QueryError) -> Self {
        match error {
            QueryError::Database(error) => error.into(),
            QueryError::Search(error @ (SearchError::Board { .. } | SearchError::Seeds { .. })) => {
                Self::Told(USAGE, error.into())
            }
            QueryError::Search(error) => Self::Told(DATA, error.into()),
            QueryError::Book(error) => Self::Told(DATA, error.into()),
        }
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::BrokenPipe,
            _ => Self::data(format!("cannot write the output: {error}")),
        }
    }
}

//! Why a request is not answered.

use std::path::Path;

use axum::http::StatusCode;
use serde_json::{Value as Json, json};
use thiserror::Error;

use crate::database::DatabaseError;
use crate::rules::RuleError;
use crate::rules::notation::NotationError;
use crate::solve::SolveError;

/// A request that is not answered, and why.
#[derive(Debug, Error)]
pub(super) enum Refusal {
    /// The rules cannot be made.
    #[error(transparent)]
    Rules(#[from] RuleError),
    /// The position cannot be read.
    #[error(transparent)]
    Position(#[from] NotationError),
    /// A parameter that is missing, unknown or no number.
    #[error("{0}")]
    Parameter(String),
    /// The move is not legal in the position.
    #[error("'{found}' is not a legal move here; the moves are: {legal}")]
    Move {
        /// What was asked for.
        found: String,
        /// What may be played.
        legal: String,
    },
    /// The tables do not reach.
    #[error("{message}")]
    NotCovered {
        /// What is missing and how to get it.
        message: String,
        /// Fields that tell what is there.
        fields: Box<serde_json::Map<String, Json>>,
    },
    /// No such path.
    #[error("nothing is served at this path; see /openapi.json")]
    Path,
    /// Not GET, HEAD or OPTIONS.
    #[error("only GET is answered")]
    Method,
    /// A path and query longer than allowed.
    #[error("the path and query are {found} bytes long, at most {most} are read")]
    Long {
        /// Their length.
        found: usize,
        /// The most.
        most: usize,
    },
    /// It took too long, or too many ask at once.
    #[error("no answer within {seconds} s; ask again later")]
    Late {
        /// The limit.
        seconds: u64,
    },
    /// A damaged or foreign table, or one that cannot be read.
    #[error("{0}")]
    Data(String),
    /// The program is wrong.
    #[error("the question could not be answered because of a fault of the program")]
    Fault,
}

impl Refusal {
    /// The refusal of a failed read below the folder `dir`, whose place is not for clients to know.
    pub(super) fn of(error: &DatabaseError, dir: &Path) -> Self {
        let message = error.to_string();
        match error {
            DatabaseError::TooLarge { .. }
            | DatabaseError::Memory { .. }
            | DatabaseError::Solve(SolveError::TooLarge { .. }) => Self::NotCovered { message, fields: Box::default() },
            _ => Self::Data(message.replace(&format!("{}/", dir.display()), "")),
        }
    }

    pub(super) fn status(&self) -> StatusCode {
        match self {
            Self::Rules(RuleError::Game { .. }) | Self::NotCovered { .. } | Self::Path => StatusCode::NOT_FOUND,
            Self::Rules(_) | Self::Position(_) | Self::Parameter(_) | Self::Move { .. } => StatusCode::BAD_REQUEST,
            Self::Method => StatusCode::METHOD_NOT_ALLOWED,
            Self::Long { .. } => StatusCode::URI_TOO_LONG,
            Self::Late { .. } => StatusCode::SERVICE_UNAVAILABLE,
            Self::Data(_) | Self::Fault => StatusCode::INTERNAL_SERVER_ERROR,
        }
    }

    pub(super) fn json(&self) -> Json {
        let mut json = json!({"error": self.to_string()});
        if let (Self::NotCovered { fields, .. }, Some(map)) = (self, json.as_object_mut()) {
            map.extend(fields.as_ref().clone());
        }
        json
    }
}

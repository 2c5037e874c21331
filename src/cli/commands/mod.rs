//! One file a command.

pub(super) mod bench;
pub(super) mod build;
pub(super) mod check;
pub(super) mod export;
pub(super) mod games;
pub(super) mod info;
pub(super) mod openings;
pub(super) mod perft;
pub(super) mod play;
pub(super) mod query;
#[cfg(feature = "serve")]
pub(super) mod serve;
pub(super) mod stats;
pub(super) mod verify;

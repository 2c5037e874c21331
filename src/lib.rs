//! Exact answers about mancala games.

pub mod cli;
pub mod database;
pub mod games;
pub mod index;
pub mod query;
pub mod rules;
pub mod search;
#[cfg(feature = "serve")]
pub mod serve;
pub mod solve;
pub mod table;

//! Exact answers about mancala games.

pub mod games;
pub mod index;
pub mod rules;
pub mod search;
pub mod solve;
pub mod table;

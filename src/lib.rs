//! Exact answers about mancala games.

pub mod table;

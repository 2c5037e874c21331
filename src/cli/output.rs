//! Writing results to standard output.

use std::io::{self, Write};

use indicatif::HumanCount;
use serde::Serialize;

use super::failure::Failure;

/// Prints a line; a reader that has gone away ends the command quietly.
pub(super) fn line(text: &str) -> Result<(), Failure> {
    writeln!(io::stdout().lock(), "{text}")?;
    Ok(())
}

/// Prints one JSON object on a line.
pub(super) fn json(object: &impl Serialize) -> Result<(), Failure> {
    let text = serde_json::to_string(object).map_err(|error| Failure::data(error.to_string()))?;
    line(&text)
}

/// A number with its thousands apart.
pub(super) fn count(number: u64) -> String {
    HumanCount(number).to_string()
}

/// Seeds that may be halves, from twice their number.
pub(super) fn halves(doubled: i64) -> String {
    if doubled % 2 == 0 { (doubled / 2).to_string() } else { format!("{}.5", doubled / 2) }
}

//! What a build by many processes would take, without making anything.

use std::fmt::Write as _;

use clap::Args;
use sowbase::cli::{Failure, FolderArgs};
use sowbase::rules::Scoring;

use crate::below::Below;
use crate::partition::Partition;
use crate::solve::memory;
use crate::tally::{Outcome, Seeds};

/// What a forecast rests on.
#[derive(Args, Debug)]
pub struct Forecast {
    #[command(flatten)]
    folder: FolderArgs,
    /// Seeds of the last layer
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=127))]
    seeds: u8,
    /// Seeds of the first layer that is shown
    #[arg(long, value_name = "N", default_value_t = 0)]
    from: u8,
    /// How many processes share a layer
    #[arg(long, value_name = "P", value_parser = clap::value_parser!(u16).range(1..))]
    processes: u16,
    /// Positions a second and process, as `build --stats` tells for a layer of some size
    #[arg(long, value_name = "R")]
    rate: f64,
    /// Bytes of messages a position
    #[arg(long, value_name = "B")]
    traffic: f64,
    /// Bits of table a position
    #[arg(long, value_name = "B", default_value_t = 2.5)]
    bits: f64,
}

/// A number with a unit of 1000 or 1024 times the one before.
fn scaled(number: f64, step: f64, units: &[&str]) -> String {
    let mut number = number;
    let mut unit = 0;
    while number >= step && unit + 1 < units.len() {
        number /= step;
        unit += 1;
    }
    format!("{number:.1} {}", units[unit])
}

fn bytes(number: f64) -> String {
    scaled(number, 1024.0, &["B", "KiB", "MiB", "GiB", "TiB", "PiB"])
}

fn time(seconds: f64) -> String {
    match seconds {
        _ if seconds < 120.0 => format!("{seconds:.1} s"),
        _ if seconds < 7200.0 => format!("{:.1} min", seconds / 60.0),
        _ if seconds < 172_800.0 => format!("{:.1} h", seconds / 3600.0),
        _ => format!("{:.1} d", seconds / 86_400.0),
    }
}

/// A line for each layer: positions, bytes a process while it is solved, bytes of all tables below, messages, time; then
/// the sums.
///
/// # Errors
/// There are no such rules, or a layer is too large to be numbered.
pub fn forecast(args: &Forecast) -> Result<String, Failure> {
    let database = args.folder.open()?;
    let processes = usize::from(args.processes);
    let below = Below::new(&database, 0);
    let mut text = format!(
        "| seeds | positions | a process of {processes} | tables below | messages | time |\n|---:|---:|---:|---:|---:|---:|\n"
    );
    let (mut tables, mut messages, mut seconds, mut all) = (0.0, 0.0, 0.0, 0.0);
    for layer in database.rules().layers(args.seeds) {
        let index = database.index(layer)?;
        let partition = Partition::new(index.size(), processes);
        let needed = match database.rules().scoring() {
            Scoring::Seeds => memory::<Seeds>(&below, &index, &partition),
            Scoring::Outcome => memory::<Outcome>(&below, &index, &partition),
        };
        let positions = index.positions() as f64;
        let (sent, took) = (positions * args.traffic, positions / args.rate / processes as f64);
        if layer.seeds >= args.from {
            let place = if partition.longest() > u64::from(u32::MAX) { " (too few processes)" } else { "" };
            let count = scaled(positions, 1000.0, &["", "thousand", "million", "billion"]);
            let needed = bytes(needed as f64);
            // Text grows in memory.
            let _ = writeln!(
                text,
                "| {layer} | {count} | {needed}{place} | {} | {} | {} |",
                bytes(tables),
                bytes(sent),
                time(took)
            );
        }
        tables += positions * args.bits / 8.0;
        messages += sent;
        seconds += took;
        all += positions;
    }
    let count = scaled(all, 1000.0, &["", "thousand", "million", "billion"]);
    let _ = writeln!(text, "| all | {count} | | {} | {} | {} |", bytes(tables), bytes(messages), time(seconds));
    Ok(text)
}

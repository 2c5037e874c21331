//! `stats`: what the layers hold.

use std::collections::BTreeMap;
use std::process::ExitCode;

use crate::cli::args::StatsArgs;
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::database::{Database, DatabaseError};
use crate::query::Stats;
use crate::rules::{Layer, Scoring, Value};
use crate::solve::Lower;

pub(in crate::cli) fn run(args: &StatsArgs) -> Result<ExitCode, Failure> {
    let database = args.folder.open()?;
    let wanted = |layer: &Layer| args.seeds.is_none_or(|seeds| layer.seeds == seeds);
    let layers: Vec<Layer> = database.layers()?.into_iter().filter(wanted).collect();
    if layers.is_empty() {
        return Err(super::info::nothing_there(&database));
    }
    if !args.folder.json {
        output::line("seeds       positions            win           draw           loss      mean          bytes")?;
    }
    let mut lower = Lower::default();
    for layer in layers {
        let stats = Stats::of(&database, layer)?;
        let crc = if args.crc { Some(crc(&database, layer, &mut lower)?) } else { None };
        if args.folder.json {
            output::json(&stats.json(&database, crc))?;
        } else {
            output::line(&text(&stats, database.rules().scoring(), crc))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn text(stats: &Stats, scoring: Scoring, crc: Option<u32>) -> String {
    let positions = stats.count(|_| true);
    let mut text = format!(
        "{:>5} {:>15} {:>14} {:>14} {:>14} {:>9.4} {:>14}",
        stats.layer.to_string(),
        output::count(positions),
        output::count(stats.count(|value| value > 0)),
        output::count(stats.count(|value| value == 0)),
        output::count(stats.count(|value| value < 0)),
        stats.sum(|value| value) as f64 / positions.max(1) as f64,
        output::count(stats.bytes),
    );
    if let Some(crc) = crc {
        text += &format!("  crc32 {crc:08x}");
    }
    let list = |counts: BTreeMap<i16, u64>| {
        counts.iter().map(|(value, count)| format!("{value}:{count}")).collect::<Vec<_>>().join(" ")
    };
    if scoring == Scoring::Outcome {
        text += &format!("\n      won in {}", list(stats.distances(1)));
        text += &format!("\n      lost in {}", list(stats.distances(-1)));
    } else {
        text += &format!("\n      {}", list(stats.by_number()));
    }
    text
}

/// CRC-32 of the printed values as signed bytes, positions in lexicographic order of (own, other).
pub(super) fn crc(database: &Database, layer: Layer, lower: &mut Lower) -> Result<u32, DatabaseError> {
    let mut hasher = crc32fast::Hasher::new();
    let scoring = database.rules().scoring();
    if let Some(loaded) = database.load(layer, lower)? {
        let mut bytes = Vec::with_capacity(1 << 16);
        loaded.index.walk_lexicographic(|board| {
            bytes.push(scoring.number(Value(loaded.values.get(loaded.index.rank(board)))) as u8);
            if bytes.len() == bytes.capacity() {
                hasher.update(&bytes);
                bytes.clear();
            }
        });
        hasher.update(&bytes);
    }
    Ok(hasher.finalize())
}

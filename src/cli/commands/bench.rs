//! `bench`: a fixed piece of work, and a signature of what came out.

use std::process::ExitCode;
use std::time::Instant;

use serde_json::json;

use super::stats;
use crate::cli::args::{BenchArgs, pool};
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::database::{BuildOptions, Database};
use crate::games;
use crate::query::{Effort, Oracle, Reach, parse};
use crate::rules::Layer;
use crate::search::Unwatched as Alone;
use crate::solve::{Lower, Unwatched};
use crate::table::Access;

/// Game, pits a row, and seeds of the last layer: about a second of work each.
const TABLES: [(&str, usize, u8); 11] = [
    ("awari", 6, 13),
    ("oware", 6, 13),
    ("awale", 6, 12),
    ("oware-abapa", 6, 12),
    ("kalaha", 6, 14),
    ("kalah", 6, 14),
    ("bao-kenya", 8, 9),
    ("bao-laps", 8, 7),
    ("kiothi", 10, 6),
    ("nam-nam", 6, 8),
    ("kujifunza", 3, 13),
];

/// Positions looked up in the last layer of the first of them.
const PROBES: u64 = 200_000;

/// Game, pits and seeds a pit of an opening that is searched over these tables.
const SEARCH: (&str, usize, u8) = ("kalaha", 6, 3);

/// A piece of work that is done.
struct Done {
    what: String,
    count: u64,
    unit: &'static str,
    seconds: f64,
    /// What came out, which must be the same everywhere and always.
    result: String,
}

pub(in crate::cli) fn run(args: &BenchArgs) -> Result<ExitCode, Failure> {
    let pool = pool(args.threads)?;
    let folder =
        tempfile::tempdir().map_err(|error| Failure::data(format!("cannot make a temporary folder: {error}")))?;
    let open = |game: &str, pits: usize| -> Result<Database, Failure> {
        Ok(Database::new(games::make(game, Some(pits), &[])?.into(), folder.path(), Access::Map))
    };
    let begin = Instant::now();
    let mut signature = crc32fast::Hasher::new();
    let mut tell = |done: Done| {
        signature.update(format!("{} {}\n", done.what, done.result).as_bytes());
        show(args, &done)
    };
    pool.install(|| {
        for (game, pits, seeds) in TABLES {
            tell(build(&open(game, pits)?, seeds)?)?;
        }
        let (game, pits, seeds) = TABLES[0];
        tell(probe(&open(game, pits)?, seeds)?)?;
        let (game, pits, per_pit) = SEARCH;
        tell(search(open(game, pits)?, per_pit, pool.current_num_threads())?)
    })?;
    let signature = format!("{:08x}", signature.finalize());
    let seconds = begin.elapsed().as_secs_f64();
    if args.json {
        output::json(&json!({"signature": signature, "seconds": seconds}))?;
    } else {
        output::line(&format!("signature {signature} in {seconds:.1} s"))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn show(args: &BenchArgs, done: &Done) -> Result<(), Failure> {
    let Done { what, count, unit, seconds, result } = done;
    let rate = (*count as f64 / seconds.max(1e-9)) as u64;
    if args.json {
        return output::json(
            &json!({"work": what, "count": count, "unit": unit, "seconds": seconds, "per_second": rate, "result": result}),
        );
    }
    output::line(&format!(
        "{what:<44} {:>12} {unit:<9} {seconds:>7.2} s {:>12}/s  {result}",
        output::count(*count),
        output::count(rate)
    ))
}

/// Makes all tables up to so many seeds; the result is the checksum of the last layer.
fn build(database: &Database, seeds: u8) -> Result<Done, Failure> {
    let plan = database.plan(seeds, 0)?;
    let begin = Instant::now();
    let built = database.build(&plan, BuildOptions::default(), &Unwatched)?;
    let seconds = begin.elapsed().as_secs_f64();
    let crc = stats::crc(database, Layer::of(seeds), &mut Lower::default())?;
    Ok(Done {
        what: format!("build {} {seeds}", games::arguments(database.rules().rule_set())),
        count: built.iter().map(|built| built.positions).sum(),
        unit: "positions",
        seconds,
        result: format!("{crc:08x}"),
    })
}

/// Looks up positions from all over a layer; the result is the sum of their values.
fn probe(database: &Database, seeds: u8) -> Result<Done, Failure> {
    let index = database.index(Layer::of(seeds))?;
    // An odd step, about the golden part of all ranks, comes by each part of the layer in turn.
    let step = (index.size() as f64 * 0.618) as u64 | 1;
    let boards: Vec<_> = (0..PROBES).map(|i| index.unrank(i * step % index.size())).collect();
    let begin = Instant::now();
    let mut sum = 0;
    for board in &boards {
        sum += database.probe(board)?.map_or(0, |value| i64::from(value.0));
    }
    Ok(Done {
        what: format!("probe {} {seeds}", games::arguments(database.rules().rule_set())),
        count: PROBES,
        unit: "probes",
        seconds: begin.elapsed().as_secs_f64(),
        result: sum.to_string(),
    })
}

/// Proves the values of all first moves of an opening; the result is the best of them.
fn search(database: Database, per_pit: u8, threads: usize) -> Result<Done, Failure> {
    let rules = database.rules().clone();
    let position = parse(rules.as_ref(), "start", per_pit)?;
    let oracle = Oracle::new(database, Reach::default());
    let begin = Instant::now();
    let effort = Effort { time: None, memory: 256 << 20, threads, value_first: false };
    let (answer, _) = oracle.search(&position, effort, None, &Alone)?;
    let nodes = answer.effort.map_or(0, |(nodes, _)| nodes);
    Ok(Done {
        what: format!("openings {} --per-pit {per_pit}", games::arguments(rules.rule_set())),
        count: nodes,
        unit: "nodes",
        seconds: begin.elapsed().as_secs_f64(),
        result: answer.worth.exact().map_or(String::new(), |value| value.0.to_string()),
    })
}

//! `stats`: what the layers hold.

use std::collections::BTreeMap;
use std::process::ExitCode;

use serde_json::{Map, Value as Json, json};

use crate::cli::args::StatsArgs;
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::database::{Database, DatabaseError};
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
            output::line(&stats.text(crc))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

struct Stats {
    layer: Layer,
    scoring: Scoring,
    bytes: u64,
    /// Positions by value as it is stored.
    histogram: BTreeMap<i16, u64>,
}

impl Stats {
    fn of(database: &Database, layer: Layer) -> Result<Self, DatabaseError> {
        let open = database.layer(layer)?;
        let (histogram, bytes) =
            open.map(|open| (open.table.meta().histogram.clone(), open.table.file_len())).unwrap_or_default();
        Ok(Self { layer, scoring: database.rules().scoring(), bytes, histogram })
    }

    fn count(&self, wanted: impl Fn(i16) -> bool) -> u64 {
        self.histogram.iter().filter(|(value, _)| wanted(**value)).map(|(_, count)| count).sum()
    }

    /// The sum of `of` over the printed values.
    fn sum(&self, of: impl Fn(i64) -> i64) -> i64 {
        let printed = |value: i16| i64::from(self.scoring.number(Value(value)));
        self.histogram.iter().map(|(&value, &count)| of(printed(value)) * count as i64).sum()
    }

    /// Positions by printed value.
    fn by_number(&self) -> BTreeMap<i16, u64> {
        let mut counts = BTreeMap::new();
        for (&value, count) in &self.histogram {
            *counts.entry(self.scoring.number(Value(value))).or_insert(0) += count;
        }
        counts
    }

    fn json(&self, database: &Database, crc: Option<u32>) -> Json {
        let rule_set = database.rules().rule_set();
        let mut map = Map::new();
        map.insert("game".into(), rule_set.game().into());
        map.insert("rules".into(), rule_set.json());
        map.insert("seeds".into(), self.layer.seeds.into());
        if rule_set.is_on("flags") {
            map.insert("closed".into(), self.layer.closed.into());
        }
        map.insert("positions".into(), self.count(|_| true).into());
        map.insert("win".into(), self.count(|value| value > 0).into());
        map.insert("draw".into(), self.count(|value| value == 0).into());
        map.insert("loss".into(), self.count(|value| value < 0).into());
        map.insert("sum".into(), self.sum(|value| value).into());
        map.insert("abs".into(), self.sum(i64::abs).into());
        map.insert("histogram".into(), json!(keyed(self.by_number())));
        if self.scoring == Scoring::Outcome {
            map.insert("win_in".into(), json!(keyed(self.distances(1))));
            map.insert("loss_in".into(), json!(keyed(self.distances(-1))));
        }
        if let Some(crc) = crc {
            map.insert("crc32".into(), format!("{crc:08x}").into());
        }
        map.insert("bytes".into(), self.bytes.into());
        Json::Object(map)
    }

    /// Positions won (`sign` 1) or lost (-1), by distance.
    fn distances(&self, sign: i16) -> BTreeMap<i16, u64> {
        let of_sign = self.histogram.iter().filter(|(value, _)| value.signum() == sign);
        of_sign.filter_map(|(value, count)| Some((Value(*value).distance()? as i16, *count))).collect()
    }

    fn text(&self, crc: Option<u32>) -> String {
        let positions = self.count(|_| true);
        let mut text = format!(
            "{:>5} {:>15} {:>14} {:>14} {:>14} {:>9.4} {:>14}",
            self.layer.to_string(),
            output::count(positions),
            output::count(self.count(|value| value > 0)),
            output::count(self.count(|value| value == 0)),
            output::count(self.count(|value| value < 0)),
            self.sum(|value| value) as f64 / positions.max(1) as f64,
            output::count(self.bytes),
        );
        if let Some(crc) = crc {
            text += &format!("  crc32 {crc:08x}");
        }
        let list = |counts: BTreeMap<i16, u64>| {
            counts.iter().map(|(value, count)| format!("{value}:{count}")).collect::<Vec<_>>().join(" ")
        };
        if self.scoring == Scoring::Outcome {
            text += &format!("\n      won in {}", list(self.distances(1)));
            text += &format!("\n      lost in {}", list(self.distances(-1)));
        } else {
            text += &format!("\n      {}", list(self.by_number()));
        }
        text
    }
}

fn keyed(counts: BTreeMap<i16, u64>) -> Map<String, Json> {
    counts.into_iter().map(|(value, count)| (value.to_string(), count.into())).collect()
}

/// CRC-32 of the printed values as signed bytes, positions in lexicographic order of (own, other).
fn crc(database: &Database, layer: Layer, lower: &mut Lower) -> Result<u32, DatabaseError> {
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

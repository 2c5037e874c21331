//! What a layer holds: how many positions are won, drawn and lost, and by how much.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json, json};

use crate::database::{Database, DatabaseError};
use crate::rules::{Layer, Scoring, Value};

/// The counts of one layer, as its table states them.
pub struct Stats {
    /// The layer.
    pub layer: Layer,
    scoring: Scoring,
    /// Bytes of its table.
    pub bytes: u64,
    /// Positions by value as it is stored.
    histogram: BTreeMap<i16, u64>,
}

impl Stats {
    /// Reads the counts of a layer from its table; all zero if it has none.
    ///
    /// # Errors
    /// A damaged or foreign table.
    pub fn of(database: &Database, layer: Layer) -> Result<Self, DatabaseError> {
        let open = database.layer(layer)?;
        let (histogram, bytes) =
            open.map(|open| (open.table.meta().histogram.clone(), open.table.file_len())).unwrap_or_default();
        Ok(Self { layer, scoring: database.rules().scoring(), bytes, histogram })
    }

    /// Positions whose stored value is `wanted`.
    #[must_use]
    pub fn count(&self, wanted: impl Fn(i16) -> bool) -> u64 {
        self.histogram.iter().filter(|(value, _)| wanted(**value)).map(|(_, count)| count).sum()
    }

    /// The sum of `of` over the printed values.
    #[must_use]
    pub fn sum(&self, of: impl Fn(i64) -> i64) -> i64 {
        let printed = |value: i16| i64::from(self.scoring.number(Value(value)));
        self.histogram.iter().map(|(&value, &count)| of(printed(value)) * count as i64).sum()
    }

    /// Positions by printed value.
    #[must_use]
    pub fn by_number(&self) -> BTreeMap<i16, u64> {
        let mut counts = BTreeMap::new();
        for (&value, count) in &self.histogram {
            *counts.entry(self.scoring.number(Value(value))).or_insert(0) += count;
        }
        counts
    }

    /// The JSON object that `stats` prints.
    #[must_use]
    pub fn json(&self, database: &Database, crc: Option<u32>) -> Json {
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
    #[must_use]
    pub fn distances(&self, sign: i16) -> BTreeMap<i16, u64> {
        let of_sign = self.histogram.iter().filter(|(value, _)| value.signum() == sign);
        of_sign.filter_map(|(value, count)| Some((Value(*value).distance()? as i16, *count))).collect()
    }
}

fn keyed(counts: BTreeMap<i16, u64>) -> Map<String, Json> {
    counts.into_iter().map(|(value, count)| (value.to_string(), count.into())).collect()
}

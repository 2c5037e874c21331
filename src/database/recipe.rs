//! How the table of a layer is made, whoever makes it: all that its bytes depend on beside the values.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::index::LayerIndex;
use crate::rules::Rules;
use crate::table::{Codec, Meta, Model, Options};

/// The ranks of a layer of `count` values that its model is fitted to, in order: all of them, or stretches from all
/// over a layer so large that these tell as much.
#[must_use]
pub fn sample(count: u64) -> Vec<Range<u64>> {
    const STRETCH: u64 = 1 << 12;
    const STRETCHES: u64 = 1 << 10;
    let apart = count / STRETCHES;
    if apart <= STRETCH {
        return std::iter::once(0..count).collect();
    }
    let starts = (0..count.div_ceil(apart)).map(|i| i * apart);
    starts.map(|start| start..count.min(start + STRETCH)).collect()
}

/// How blocks are packed.
#[must_use]
pub fn table_options(model: Model, floored: bool) -> Options {
    // What captures leave is short; whole values pack better in longer blocks.
    let block = if floored { None } else { Some(1024) };
    Options { codec: Codec::Context(model), block, floored }
}

/// The description of a layer's table; `histogram` counts both positions of a mirrored pair.
#[must_use]
pub fn meta(rules: &dyn Rules, index: &LayerIndex, histogram: BTreeMap<i16, u64>) -> Meta {
    let rule_set = rules.rule_set();
    Meta {
        rules: rule_set.text(),
        fingerprint: rule_set.fingerprint(),
        seeds: index.layer().seeds,
        closed: index.layer().closed,
        index: index.scheme().to_owned(),
        positions: index.positions(),
        histogram,
    }
}

//! Choosing what to store where a floor leaves a choice.
//!
//! A choice costs its own bits and is the context of the next two values. So a few of the cheapest
//! sequences so far are carried along, and the cheapest one at the end wins.

use super::{Cell, Model, SCALE, START, context};

/// Sequences carried along.
const PATHS: usize = 4;

/// Symbols tried for a free value after each sequence.
const TRIES: usize = 3;

/// What symbols cost under each table of a model.
#[derive(Clone)]
pub(super) struct Costs {
    /// Bits of each symbol by table, in 1/65536; `None` if the table does not have it.
    bits: Vec<Vec<Option<u64>>>,
    /// Symbols of each table from the cheapest to the dearest, the lower first among equals.
    order: Vec<Vec<usize>>,
}

impl Costs {
    pub fn of(tables: &[Vec<u16>]) -> Self {
        let of_table = |table: &Vec<u16>| -> Vec<Option<u64>> {
            let whole = log2(SCALE.into());
            let bits = |&frequency: &u16| (frequency > 0).then(|| whole - log2(frequency.into()));
            table.iter().map(bits).collect()
        };
        let order = |table: &Vec<u16>| -> Vec<usize> {
            let mut order: Vec<usize> = (0..table.len()).filter(|&s| table[s] > 0).collect();
            order.sort_by_key(|&symbol| (std::cmp::Reverse(table[symbol]), symbol));
            order
        };
        Self { bits: tables.iter().map(of_table).collect(), order: tables.iter().map(order).collect() }
    }
}

/// A sequence of symbols, by its end.
#[derive(Clone, Copy)]
struct Path {
    bits: u64,
    last: u8,
    previous: u8,
    /// Place of the sequence it continues among those of the step before.
    parent: u8,
}

/// Buffers for choosing, to be used again.
#[derive(Default)]
pub(super) struct Choice {
    steps: Vec<(u8, u8)>,
    ends: Vec<usize>,
    paths: Vec<Path>,
    next: Vec<Path>,
}

impl Choice {
    /// Symbols of a stream of `values`, into `symbols`; where `floors` equals the value, symbols
    /// of lower values may stand for it. Returns whether the model can express them.
    pub fn choose<C: Cell>(
        &mut self,
        model: &Model,
        values: &[C],
        floors: Option<&[C]>,
        symbols: &mut Vec<u8>,
    ) -> bool {
        let costs = model.costs.get_or_init(|| Costs::of(&model.tables));
        self.steps.clear();
        self.ends.clear();
        self.paths.clear();
        self.paths.push(Path { bits: 0, last: START, previous: START, parent: 0 });
        for (place, &value) in values.iter().enumerate() {
            let upto = model.symbols_upto(value.into());
            let free = floors.is_some_and(|floors| floors[place] == value);
            let fixed = upto.checked_sub(1).filter(|&symbol| model.symbols[symbol] == value.into());
            self.next.clear();
            for (parent, path) in (0..).zip(&self.paths) {
                let table = usize::from(model.map[context(path.last, path.previous)]);
                let (Some(bits), Some(order)) = (costs.bits.get(table), costs.order.get(table)) else {
                    return false;
                };
                let extend = |symbol: usize| {
                    Some(Path {
                        bits: path.bits + bits[symbol]?,
                        last: u8::try_from(symbol).ok()?,
                        previous: path.last,
                        parent,
                    })
                };
                if free {
                    let lower = order.iter().copied().filter(|&symbol| symbol < upto);
                    for path in lower.take(TRIES).filter_map(extend) {
                        keep(&mut self.next, path);
                    }
                } else if let Some(path) = fixed.and_then(extend) {
                    keep(&mut self.next, path);
                }
            }
            if self.next.is_empty() {
                return false;
            }
            self.ends.push(self.steps.len());
            self.steps.extend(self.next.iter().map(|path| (path.last, path.parent)));
            std::mem::swap(&mut self.paths, &mut self.next);
        }
        symbols.clear();
        let mut at = 0;
        for &end in self.ends.iter().rev() {
            let (symbol, parent) = self.steps[end + at];
            symbols.push(symbol);
            at = usize::from(parent);
        }
        symbols.reverse();
        true
    }
}

/// Puts `path` among the cheapest, which are in ascending order, one for each context.
fn keep(paths: &mut Vec<Path>, path: Path) {
    let same = |other: &Path| (other.last, other.previous) == (path.last, path.previous);
    if let Some(place) = paths.iter().position(same) {
        if paths[place].bits <= path.bits {
            return;
        }
        paths.remove(place);
    }
    let place = paths.partition_point(|other| other.bits <= path.bits);
    if place < PATHS {
        paths.truncate(PATHS - 1);
        paths.insert(place, path);
    }
}

/// The binary logarithm of `x`, which is at least 1, in 1/65536.
pub(super) fn log2(x: u32) -> u64 {
    let whole = x.ilog2();
    let mut fraction = u64::from(x) << (31 - whole);
    let mut log = u64::from(whole);
    for _ in 0..16 {
        fraction = (fraction * fraction) >> 31;
        log <<= 1;
        if fraction >> 32 == 1 {
            fraction >>= 1;
            log |= 1;
        }
    }
    log
}

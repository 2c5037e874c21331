//! Choosing what to store where a floor leaves a choice.
//!
//! A choice costs its own bits and is the context of the next two values. So a few of the cheapest
//! sequences so far are carried along, and the cheapest one at the end wins.

use super::{Cell, Model, SCALE, START, SYMBOLS_MAX, context};

/// Sequences carried along.
const PATHS: usize = 3;

/// Symbols tried for a free value after each sequence.
const TRIES: usize = 2;

/// The cost of a symbol that a table does not have.
const NEVER: u32 = u32::MAX;

/// No symbol.
const NONE: u8 = u8::MAX;

/// What symbols cost under each table of a model.
#[derive(Clone)]
pub(super) struct Costs {
    symbols: usize,
    /// Bits of each symbol by table, in 1/65536.
    bits: Vec<u32>,
    /// By table and bound: the cheapest symbols below the bound, the cheapest and then the lowest first.
    below: Vec<[u8; TRIES]>,
    /// How many symbols are at most a value of one byte, by the value as an unsigned byte.
    upto: Box<[u8; 256]>,
}

impl Costs {
    pub fn of(model: &Model) -> Self {
        let symbols = model.symbols.len();
        let whole = log2(SCALE.into());
        let cost = |frequency: u16| match frequency {
            0 => NEVER,
            _ => u32::try_from(whole - log2(frequency.into())).unwrap_or(NEVER),
        };
        let mut upto = Box::new([0; 256]);
        for value in i8::MIN..=i8::MAX {
            let count = model.symbols_upto(value.into());
            upto[usize::from(value.cast_unsigned())] = u8::try_from(count).unwrap_or(NONE);
        }
        Self {
            symbols,
            bits: model.tables.iter().flatten().map(|&frequency| cost(frequency)).collect(),
            below: model.tables.iter().flat_map(|table| cheapest_below(table)).collect(),
            upto,
        }
    }

    fn upto(&self, model: &Model, value: i16) -> usize {
        match i8::try_from(value) {
            Ok(value) => usize::from(self.upto[usize::from(value.cast_unsigned())]),
            Err(_) => model.symbols_upto(value),
        }
    }
}

/// For every bound `0..=symbols`, the cheapest symbols below it.
fn cheapest_below(table: &[u16]) -> Vec<[u8; TRIES]> {
    let mut best = [NONE; TRIES];
    let mut all = vec![best];
    for (symbol, &frequency) in (0..).zip(table) {
        let place = best.iter().position(|&other| other == NONE || table[usize::from(other)] < frequency);
        if let Some(place) = place.filter(|_| frequency > 0) {
            best[place..].rotate_right(1);
            best[place] = symbol;
        }
        all.push(best);
    }
    all
}

/// A sequence of symbols, by its end.
#[derive(Clone, Copy, Default)]
struct Path {
    /// Beyond the cheapest sequence of the step before.
    bits: u32,
    last: u8,
    previous: u8,
    /// Place of the sequence it continues among those of the step before.
    parent: u8,
}

/// The cheapest sequences in ascending order, one for each context.
#[derive(Clone, Copy, Default)]
struct Paths {
    all: [Path; PATHS],
    len: usize,
}

impl Paths {
    #[inline]
    fn keep(&mut self, path: Path) {
        for i in 0..self.len {
            if (self.all[i].last, self.all[i].previous) == (path.last, path.previous) {
                if self.all[i].bits <= path.bits {
                    return;
                }
                self.len -= 1;
                for j in i..self.len {
                    self.all[j] = self.all[j + 1];
                }
                break;
            }
        }
        if self.len < PATHS {
            self.len += 1;
        } else if self.all[PATHS - 1].bits <= path.bits {
            return;
        }
        let mut i = self.len - 1;
        while i > 0 && self.all[i - 1].bits > path.bits {
            self.all[i] = self.all[i - 1];
            i -= 1;
        }
        self.all[i] = path;
    }
}

/// Buffers for choosing, to be used again.
#[derive(Default)]
pub(super) struct Choice {
    /// By place: symbol and parent of each sequence.
    steps: Vec<[(u8, u8); PATHS]>,
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
        const { assert!(SYMBOLS_MAX < NONE as usize) };
        let costs = model.costs.get_or_init(|| Costs::of(model));
        if model.tables.is_empty() {
            return values.is_empty();
        }
        self.steps.clear();
        self.steps.reserve(values.len());
        let mut paths = Paths::default();
        paths.keep(Path { bits: 0, last: START, previous: START, parent: 0 });
        for (place, &value) in values.iter().enumerate() {
            let upto = costs.upto(model, value.into());
            let free = floors.is_some_and(|floors| floors[place] == value);
            let mut fixed = [NONE; TRIES];
            if !free {
                if upto == 0 || model.symbols[upto - 1] != value.into() {
                    return false;
                }
                fixed[0] = upto as u8 - 1;
            }
            let mut next = Paths::default();
            let least = paths.all[0].bits;
            for (parent, path) in (0..).zip(&paths.all[..paths.len]) {
                let table = usize::from(model.map[context(path.last, path.previous)]);
                let tries = if free { &costs.below[table * (costs.symbols + 1) + upto] } else { &fixed };
                for &symbol in tries.iter().take_while(|&&symbol| symbol != NONE) {
                    let bits = costs.bits[table * costs.symbols + usize::from(symbol)];
                    if bits != NEVER {
                        next.keep(Path { bits: path.bits - least + bits, last: symbol, previous: path.last, parent });
                    }
                }
            }
            if next.len == 0 {
                return false;
            }
            self.steps.push(next.all.map(|path| (path.last, path.parent)));
            paths = next;
        }
        symbols.clear();
        let mut at = 0;
        for step in self.steps.iter().rev() {
            let (symbol, parent) = step[at];
            symbols.push(symbol);
            at = usize::from(parent);
        }
        symbols.reverse();
        true
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

//! Fitting a model to the values of a layer.
//!
//! All arithmetic is in whole numbers, so that every machine finds the same model.

use std::sync::OnceLock;

use rayon::prelude::*;

use super::choose::{Choice, log2};
use super::{CONTEXTS, Cell, Model, SCALE, START, SYMBOLS_MAX, TABLES_MAX, context};

/// Values after which counting starts afresh, as coding does in each half of a block.
const RUN: usize = 256;

/// Consecutive runs of which all or none are in the part that is looked at first.
const TOGETHER: usize = 4;

/// One in so many runs is in that part.
const APART: usize = 4;

/// Runs a thread takes at least, so that there are few counts to add up.
const RUNS_AT_ONCE: usize = 8192;

/// How often contexts are dealt to tables anew.
const DEALS: usize = 15;

/// Values for each table at least, so that a table costs little against what it saves.
const VALUES_PER_TABLE: usize = 1 << 14;

/// How often each symbol follows each context.
struct Counts {
    symbols: usize,
    counts: Vec<u32>,
}

impl Counts {
    fn new(symbols: usize) -> Self {
        Self { symbols, counts: vec![0; CONTEXTS * symbols] }
    }

    fn of(&self, context: usize) -> &[u32] {
        &self.counts[context * self.symbols..][..self.symbols]
    }

    fn add(&mut self, context: usize, symbol: u8) {
        let count = &mut self.counts[context * self.symbols + usize::from(symbol)];
        *count = count.saturating_add(1);
    }

    fn sum(mut self, other: Self) -> Self {
        for (sum, count) in self.counts.iter_mut().zip(other.counts) {
            *sum = sum.saturating_add(count);
        }
        self
    }
}

/// Values that are counted as one stream, with their floors.
type Run<'a, C> = (&'a [C], Option<&'a [C]>);

impl Model {
    /// Fits a model to `values` in rank order: a whole layer or a sample of whole rows.
    ///
    /// A sample should have some million values from all over the layer: a block with a
    /// sequence of values that the sample never showed is packed by zstd, which takes more.
    ///
    /// `floors` are those that will be given to the writer, see
    /// [`Writer::append`](crate::table::Writer::append); the wrong number of them is ignored here
    /// and reported there. At most 127 different values are told
    /// apart, the most frequent ones; blocks with others are packed by zstd. Deterministic for
    /// any number of threads. Costs some 50 ns a value with floors and 20 without,
    /// divided among the threads of the current rayon pool, and some ten MiB a thread.
    pub fn fit<C: Cell>(values: &[C], floors: Option<&[C]>) -> Self {
        let floors = floors.filter(|floors| floors.len() == values.len());
        let symbols = find_symbols(values);
        let mut model = Self::new(symbols, Vec::new(), Box::new([0; CONTEXTS]));
        if model.symbols.is_empty() {
            return model;
        }
        let runs: Vec<Run<'_, C>> = match floors {
            Some(floors) => values.chunks(RUN).zip(floors.chunks(RUN)).map(|(v, f)| (v, Some(f))).collect(),
            None => values.chunks(RUN).map(|values| (values, None)).collect(),
        };
        let repeat = |model: &Self, _: &mut Choice, run: &Run<'_, C>, symbols: &mut Vec<u8>| {
            model.repeat(run, symbols);
            true
        };
        let choose = |model: &Self, choice: &mut Choice, (values, floors): &Run<'_, C>, symbols: &mut Vec<u8>| {
            choice.choose(model, values, *floors, symbols)
        };
        if floors.is_none() {
            model.deal(&model.count(&runs, repeat), values.len());
            return model;
        }
        // What is chosen and what it costs need each other. A part of the runs tells enough of both for the last choice.
        let part: Vec<Run<'_, C>> = runs.chunks(TOGETHER).step_by(APART).flatten().copied().collect();
        model.deal(&model.count(&part, repeat), values.len());
        model.deal(&model.count(&part, choose), values.len());
        model.deal(&model.count(&runs, choose), values.len());
        model
    }

    /// Symbols that repeat the one before wherever that is allowed.
    fn repeat<C: Cell>(&self, (values, floors): &Run<'_, C>, symbols: &mut Vec<u8>) {
        let costs = self.costs();
        symbols.clear();
        for (place, &value) in values.iter().enumerate() {
            let upto = |value: C| costs.upto(self, value.into());
            let bound = floors.map(|floors| floors[place]).filter(|&floor| floor >= value).map(upto);
            symbols.push(match symbols.last() {
                Some(&last) if bound.is_some_and(|bound| usize::from(last) < bound) => last,
                _ => u8::try_from(upto(value).saturating_sub(1)).unwrap_or(START),
            });
        }
    }

    /// Counts contexts and symbols in `runs`, whose symbols `choose` finds if it can.
    fn count<C: Cell>(
        &self,
        runs: &[Run<'_, C>],
        choose: impl Fn(&Self, &mut Choice, &Run<'_, C>, &mut Vec<u8>) -> bool + Sync,
    ) -> Counts {
        let empty = || (Counts::new(self.symbols.len()), Choice::default(), Vec::new());
        let count_run = |(mut counts, mut choice, mut symbols): (Counts, _, _), run: &_| {
            if !choose(self, &mut choice, run, &mut symbols) {
                self.repeat(run, &mut symbols);
            }
            let (mut last, mut previous) = (START, START);
            for &symbol in &symbols {
                counts.add(context(last, previous), symbol);
                (last, previous) = (symbol, last);
            }
            (counts, choice, symbols)
        };
        runs.par_iter()
            .with_min_len(RUNS_AT_ONCE)
            .fold(empty, count_run)
            .map(|(counts, ..)| counts)
            .reduce(|| Counts::new(self.symbols.len()), Counts::sum)
    }

    /// Deals the contexts to few tables so that the coded length is small.
    fn deal(&mut self, counts: &Counts, values: usize) {
        let mut used: Vec<(usize, u64)> = (0..CONTEXTS)
            .map(|context| (context, counts.of(context).iter().map(|&n| u64::from(n)).sum()))
            .filter(|&(_, total)| total > 0)
            .collect();
        used.sort_by_key(|&(context, total)| (std::cmp::Reverse(total), context));
        let tables = (1 + values / VALUES_PER_TABLE).min(TABLES_MAX).min(used.len());
        let widen = |context: usize| counts.of(context).iter().map(|&n| u64::from(n)).collect();
        let mut sums: Vec<Vec<u64>> = used[..tables].iter().map(|&(context, _)| widen(context)).collect();
        let mut last = Vec::new();
        for _ in 0..DEALS {
            let by_table: Vec<Vec<u32>> = sums.iter().map(|sum| costs(sum)).collect();
            // Beside each other by symbol, as most symbols do not occur in a context.
            let by_symbol =
                |symbol: usize| std::array::from_fn(|table| by_table.get(table).map_or(0, |costs| costs[symbol]));
            let costs: Vec<[u32; TABLES_MAX]> = (0..self.symbols.len()).map(by_symbol).collect();
            let dealt: Vec<u8> =
                used.par_iter().map(|&(context, _)| cheapest(counts.of(context), &costs, tables)).collect();
            if dealt == last {
                break;
            }
            sums = vec![vec![0; self.symbols.len()]; tables];
            for (&(context, _), &table) in used.iter().zip(&dealt) {
                self.map[context] = table;
                for (sum, &count) in sums[usize::from(table)].iter_mut().zip(counts.of(context)) {
                    *sum += u64::from(count);
                }
            }
            last = dealt;
        }
        self.tables = sums.iter().map(|sum| frequencies(sum)).collect();
        self.costs = OnceLock::new();
    }
}

/// The distinct values, ascending; the most frequent ones if there are too many.
fn find_symbols<C: Cell>(values: &[C]) -> Vec<i16> {
    // Added up by value as an unsigned number; one that is 0 is none.
    let mut totals = vec![0_u64; 1 << 16];
    for &value in values {
        totals[usize::from(value.into().cast_unsigned())] += 1;
    }
    let total = |value: i16| (value, totals[usize::from(value.cast_unsigned())]);
    let mut order: Vec<(i16, u64)> = (i16::MIN..=i16::MAX).map(total).filter(|&(_, total)| total > 0).collect();
    order.sort_by_key(|&(value, total)| (std::cmp::Reverse(total), value));
    order.truncate(SYMBOLS_MAX);
    let mut symbols: Vec<i16> = order.into_iter().map(|(value, _)| value).collect();
    symbols.sort_unstable();
    symbols
}

/// The one of so many tables under which a context costs least, the first of equals. `costs` are by symbol and table.
fn cheapest(counts: &[u32], costs: &[[u32; TABLES_MAX]], tables: usize) -> u8 {
    let mut sums = [0_u64; TABLES_MAX];
    for (&count, costs) in counts.iter().zip(costs).filter(|&(&count, _)| count > 0) {
        for (sum, &cost) in sums.iter_mut().zip(costs) {
            *sum += u64::from(count) * u64::from(cost);
        }
    }
    (0..).zip(&sums[..tables]).min_by_key(|&(_, sum)| sum).map_or(0, |(table, _)| table)
}

/// Bits, in 1/65536, that each symbol costs under a table with these counts.
fn costs(sum: &[u64]) -> Vec<u32> {
    let total: u64 = sum.iter().sum();
    let share = |count: u64| (u128::from(count) << 24) / u128::from(total.max(1));
    let bits = |count: u64| (24 << 16) - log2(u32::try_from(share(count)).unwrap_or(u32::MAX).max(1));
    sum.iter().map(|&count| bits(count) as u32).collect()
}

/// Frequencies that add up to [`SCALE`], at least 1 for every symbol that occurs; if none does,
/// the first has them all.
fn frequencies(sum: &[u64]) -> Vec<u16> {
    let total: u64 = sum.iter().sum();
    let mut frequencies: Vec<u16> = sum
        .iter()
        .map(|&count| {
            let share = u128::from(count) * u128::from(SCALE) / u128::from(total.max(1));
            u16::try_from(share).unwrap_or(SCALE).max(u16::from(count > 0))
        })
        .collect();
    if total == 0 {
        frequencies[0] = SCALE;
    }
    let given = |frequencies: &[u16]| frequencies.iter().map(|&f| u32::from(f)).sum::<u32>();
    // What one more or one less is worth is the count over the frequency.
    let worth = |symbol: usize, frequency: u16| (u128::from(sum[symbol]) << 32) / u128::from(frequency);
    while given(&frequencies) < u32::from(SCALE) {
        let gainer = (0..sum.len()).filter(|&s| frequencies[s] > 0);
        let gainer = gainer.max_by_key(|&s| (worth(s, frequencies[s]), s));
        let Some(gainer) = gainer else { break };
        frequencies[gainer] += 1;
    }
    while given(&frequencies) > u32::from(SCALE) {
        let loser = (0..sum.len()).filter(|&s| frequencies[s] > 1);
        let loser = loser.min_by_key(|&s| (worth(s, frequencies[s] - 1), s));
        let Some(loser) = loser else { break };
        frequencies[loser] -= 1;
    }
    frequencies
}

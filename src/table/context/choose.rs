//! Choosing what to store where a floor leaves a choice.
//!
//! A choice costs its own bits and is the context of the next two values. So a few of the cheapest
//! sequences so far are carried along, and the cheapest one at the end wins. After two values
//! without a choice all sequences have the same context, so that one is left; until the next
//! choice it takes no more than looking up its symbols.

use super::{CONTEXTS, Cell, Model, SCALE, START, SYMBOLS_MAX, context};

/// Sequences carried along.
const PATHS: usize = 3;

/// Symbols tried for a free value after the best sequence; after the others it is one.
const TRIES: usize = 2;

/// No symbol.
const NONE: u8 = u8::MAX;

/// A symbol, in the lowest eight bits, and its cost above them, in 1/65536 bits.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Step(u32);

impl Step {
    /// A symbol that a table does not have.
    const NONE: Self = Self(u32::MAX);

    fn of(symbol: u8, frequency: u16) -> Self {
        if frequency == 0 {
            return Self::NONE;
        }
        let cost = log2(SCALE.into()) - log2(frequency.into());
        Self((cost as u32) << 8 | u32::from(symbol))
    }

    fn symbol(self) -> u8 {
        self.0 as u8
    }
}

/// What may be stored for a value: how many symbols are at most the value, above one bit that says
/// whether they all serve or only the last of them does.
#[derive(Clone, Copy)]
struct Mark(u8);

/// What symbols cost under each table of a model.
#[derive(Clone)]
pub(super) struct Costs {
    /// Where the table of each context begins in `steps`.
    rows: Box<[u16; CONTEXTS]>,
    /// By table and mark: the cheapest symbols that may be stored, the cheapest and then the lowest first.
    steps: Vec<[Step; TRIES]>,
    /// How many symbols are at most a value of one byte, by the value as an unsigned byte.
    upto: Box<[u8; 256]>,
    /// The symbol of a value of one byte, likewise.
    symbols: Box<[u8; 256]>,
}

impl Costs {
    pub fn of(model: &Model) -> Self {
        const { assert!(SYMBOLS_MAX < NONE as usize) };
        let row = 2 * (model.symbols.len() + 1);
        let rows = Box::new(model.map.map(|table| u16::from(table) * row as u16));
        let (mut upto, mut symbols) = (Box::new([0; 256]), Box::new([NONE; 256]));
        for value in i8::MIN..=i8::MAX {
            let place = usize::from(value.cast_unsigned());
            upto[place] = model.symbols_upto(value.into()) as u8;
            symbols[place] = model.symbol(value.into()).unwrap_or(NONE);
        }
        Self { rows, steps: model.tables.iter().flat_map(|table| steps(table)).collect(), upto, symbols }
    }

    /// How many symbols are at most `value`.
    #[inline]
    pub fn upto(&self, model: &Model, value: i16) -> usize {
        match i8::try_from(value) {
            Ok(value) => usize::from(self.upto[usize::from(value.cast_unsigned())]),
            Err(_) => model.symbols_upto(value),
        }
    }

    /// The symbol of `value`, [`NONE`] if it has none.
    #[inline]
    fn symbol(&self, model: &Model, value: i16) -> u8 {
        match i8::try_from(value) {
            Ok(value) => self.symbols[usize::from(value.cast_unsigned())],
            Err(_) => model.symbol(value).unwrap_or(NONE),
        }
    }

    /// Marks a stream of values. Returns whether all of those without a choice have symbols.
    fn mark<C: Cell>(&self, model: &Model, values: &[C], floors: &[C], marks: &mut Vec<Mark>) -> bool {
        let mut known = true;
        marks.clear();
        marks.extend(values.iter().zip(floors).map(|(&value, &floor)| {
            let free = floor >= value;
            known &= free || self.symbol(model, value.into()) != NONE;
            Mark((self.upto(model, value.max(floor).into()) as u8) << 1 | u8::from(free))
        }));
        known
    }

    /// What may be stored for a value in a context, the cheapest first.
    #[inline]
    fn steps(&self, context: usize, mark: Mark) -> [Step; TRIES] {
        self.steps[usize::from(self.rows[context]) + usize::from(mark.0)]
    }

    /// The best of `paths` gone on with a value.
    #[inline]
    fn advance(&self, paths: Paths, mark: Mark) -> Paths {
        let [a, b, c] = paths.0;
        let steps = |path: Path| self.steps(path.context(), mark);
        let [step, other] = steps(a);
        // What is tried second after a sequence that is not the best one itself hardly ever wins.
        let all = [a.then(0, step), a.then(0, other), b.then(1, steps(b)[0]), c.then(2, steps(c)[0])];
        // Without branches, as which of them are alike or better cannot be foreseen.
        let best = least(all);
        let all = all.map(|path| path.unless_like(best));
        let second = least(all);
        let all = all.map(|path| path.unless_like(second));
        Paths([best, second, least(all)])
    }
}

#[inline]
fn least([a, b, c, d]: [Path; 4]) -> Path {
    a.min(b).min(c.min(d))
}

/// What may be stored under a table, by mark.
fn steps(table: &[u16]) -> Vec<[Step; TRIES]> {
    let mut best = [(0, 0); TRIES];
    let mut all = vec![[Step::NONE; TRIES]; 2];
    for (symbol, &frequency) in (0..).zip(table) {
        if let Some(place) = best.iter().position(|&(_, other)| other < frequency) {
            best[place..].rotate_right(1);
            best[place] = (symbol, frequency);
        }
        all.push([Step::of(symbol, frequency), Step::NONE]);
        all.push(best.map(|(symbol, frequency)| Step::of(symbol, frequency)));
    }
    all
}

/// The end of a sequence of symbols in one word, of which the least is the best sequence: its bits
/// beyond the best sequence of the step before in 1/65536, its parent's place among the sequences
/// of that step, and its context.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Path(u64);

impl Path {
    const PARENT: u32 = 16;
    const BITS: u32 = 24;

    /// No sequence, by a number of bits that the longest stream does not have.
    const NONE: Self = Self(1 << 63 | CONTEXTS as u64 - 1);

    fn exists(self) -> bool {
        self.0 < 1 << 62
    }

    #[inline]
    fn context(self) -> usize {
        self.0 as usize % CONTEXTS
    }

    #[inline]
    fn symbol(self) -> u8 {
        (self.context() >> 7) as u8
    }

    fn parent(self) -> usize {
        (self.0 >> Self::PARENT) as usize % (PATHS + 1)
    }

    /// This sequence, unless another one leads to the same context.
    #[inline]
    fn unless_like(self, other: Self) -> Self {
        if (self.0 ^ other.0).is_multiple_of(CONTEXTS as u64) { Self::NONE } else { self }
    }

    /// This sequence, at `place` among those of its step, with one more symbol.
    #[inline]
    fn then(self, place: usize, step: Step) -> Self {
        if step == Step::NONE {
            return Self::NONE;
        }
        let bits = (self.0 >> Self::BITS) + u64::from(step.0 >> 8);
        let context = context(step.symbol(), self.symbol());
        Self(bits << Self::BITS | (place as u64) << Self::PARENT | context as u64)
    }
}

/// The best sequences, ascending, one for each context.
#[derive(Clone, Copy)]
struct Paths([Path; PATHS]);

impl Paths {
    /// Counts bits from the best sequence on.
    #[inline]
    fn beyond_best(self) -> Self {
        let least = self.0[0].0 >> Path::BITS << Path::BITS;
        Self(self.0.map(|path| Path(path.0 - least)))
    }
}

/// Buffers for choosing, to be used again.
#[derive(Default)]
pub(super) struct Choice {
    marks: Vec<Mark>,
    /// The sequences after each value since there was only one.
    steps: Vec<Paths>,
}

impl Choice {
    /// Symbols of a stream of `values`, into `symbols`; where `floors` is at least the value, symbols
    /// of anything up to the floor may stand for it. Returns whether the model can express them.
    pub fn choose<C: Cell>(
        &mut self,
        model: &Model,
        values: &[C],
        floors: Option<&[C]>,
        symbols: &mut Vec<u8>,
    ) -> bool {
        symbols.clear();
        if model.tables.is_empty() {
            return values.is_empty();
        }
        let costs = model.costs();
        let Some(floors) = floors else {
            symbols.extend(values.iter().map(|&value| costs.symbol(model, value.into())));
            return !symbols.contains(&NONE);
        };
        if !costs.mark(model, values, floors, &mut self.marks) {
            return false;
        }
        self.steps.clear();
        let mut alone = context(START, START);
        let mut marks = self.marks.iter().copied();
        while let Some(mark) = marks.next() {
            let [step, other] = costs.steps(alone, mark);
            if step == Step::NONE {
                return false;
            }
            if other == Step::NONE {
                symbols.push(step.symbol());
                alone = context(step.symbol(), (alone >> 7) as u8);
                continue;
            }
            let path = Path(alone as u64);
            let mut paths = Paths([path.then(0, step), path.then(0, other), Path::NONE]).beyond_best();
            self.steps.push(paths);
            while paths.0[1].exists() {
                let Some(mark) = marks.next() else { break };
                let next = costs.advance(paths, mark);
                if !next.0[0].exists() {
                    return false;
                }
                paths = next.beyond_best();
                self.steps.push(paths);
            }
            settle(&mut self.steps, symbols);
            alone = paths.0[0].context();
        }
        true
    }
}

/// Appends the symbols of the best sequence that `steps` end with, and forgets them.
fn settle(steps: &mut Vec<Paths>, symbols: &mut Vec<u8>) {
    let done = symbols.len();
    symbols.resize(done + steps.len(), NONE);
    let mut place = 0;
    for (symbol, step) in symbols[done..].iter_mut().zip(steps.iter()).rev() {
        let path = step.0[place];
        *symbol = path.symbol();
        place = path.parent();
    }
    steps.clear();
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

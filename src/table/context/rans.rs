//! Coding a block under a model, and decoding it: rANS with 32-bit states and 16-bit words.

use super::alias::{Alias, Residues};
use super::choose::Choice;
use super::{Cell, Model, SCALE, SCALE_BITS, START, context};

/// Least value of a state between two symbols, and its value before the first one is coded.
const LOWEST: u32 = 1 << 16;

/// Bytes of a state in a stream.
const STATE: usize = 4;

/// What is wrong with a block whose streams run out of bytes.
const SHORT: &str = "a context block that ends early";

/// Values in the first stream of a block of `len` values; the rest is in the second.
fn half(len: usize) -> usize {
    len.div_ceil(2)
}

/// Words of a stream in reading order.
trait Words {
    fn state(&mut self) -> Option<u32>;
    fn word(&mut self) -> Option<u32>;
}

struct Forwards<'a>(&'a [u8]);

/// The bytes of a stream in reverse order.
struct Backwards<'a>(&'a [u8]);

impl Words for Forwards<'_> {
    fn state(&mut self) -> Option<u32> {
        let (state, rest) = self.0.split_first_chunk::<STATE>()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*state))
    }

    #[inline]
    fn word(&mut self) -> Option<u32> {
        let (word, rest) = self.0.split_first_chunk::<2>()?;
        self.0 = rest;
        Some(u16::from_le_bytes(*word).into())
    }
}

impl Words for Backwards<'_> {
    fn state(&mut self) -> Option<u32> {
        let (rest, state) = self.0.split_last_chunk::<STATE>()?;
        self.0 = rest;
        Some(u32::from_be_bytes(*state))
    }

    #[inline]
    fn word(&mut self) -> Option<u32> {
        let (rest, word) = self.0.split_last_chunk::<2>()?;
        self.0 = rest;
        Some(u16::from_be_bytes(*word).into())
    }
}

/// A stream being decoded.
struct Chain<'m, W> {
    model: &'m Model,
    alias: &'m Alias,
    words: W,
    state: u32,
    last: u8,
    context: usize,
}

impl<'m, W: Words> Chain<'m, W> {
    fn start(model: &'m Model, mut words: W) -> Option<Self> {
        Some(Self {
            model,
            alias: model.alias.get_or_init(|| Alias::of(&model.tables)),
            state: words.state()?,
            words,
            last: START,
            context: context(START, START),
        })
    }

    /// Decodes the next symbol. `None` if the stream ends early.
    #[inline]
    fn next(&mut self) -> Option<u8> {
        let table = self.model.map[self.context];
        let hit = self.alias.find(table, self.state & u32::from(SCALE - 1))?;
        self.context = context(hit.symbol, self.last);
        self.last = hit.symbol;
        // A hostile state only wraps.
        self.state = (hit.frequency).wrapping_mul(self.state >> SCALE_BITS).wrapping_add(hit.offset);
        if self.state < LOWEST {
            self.state = self.state << 16 | self.words.word()?;
        }
        Some(hit.symbol)
    }

    /// Decodes up to the symbol at `place`.
    fn nth(&mut self, place: usize) -> Option<u8> {
        for _ in 0..place {
            self.next()?;
        }
        self.next()
    }
}

impl Model {
    /// The bytes of a block, or `None` if it has a value the model cannot express.
    pub(in super::super) fn encode<C: Cell>(&self, values: &[C], floors: Option<&[C]>) -> Option<Vec<u8>> {
        let (first, second) = values.split_at(half(values.len()));
        let floors = floors.map(|floors| floors.split_at(first.len()));
        let mut bytes = self.encode_stream(first, floors.map(|floors| floors.0))?;
        if !second.is_empty() {
            let mut mirrored = self.encode_stream(second, floors.map(|floors| floors.1))?;
            mirrored[..].reverse();
            bytes.extend(mirrored);
        }
        Some(bytes)
    }

    /// A stream in reading order: the final state, then the words, each low byte first.
    fn encode_stream<C: Cell>(&self, values: &[C], floors: Option<&[C]>) -> Option<Vec<u8>> {
        let mut symbols = Vec::with_capacity(values.len());
        if !Choice::default().choose(self, values, floors, &mut symbols) {
            return None;
        }
        let mut coded = Vec::with_capacity(values.len());
        let (mut last, mut previous) = (START, START);
        for symbol in symbols {
            let table = self.map[context(last, previous)];
            let frequency = self.tables[usize::from(table)][usize::from(symbol)];
            coded.push((table, symbol, u32::from(frequency)));
            (last, previous) = (symbol, last);
        }
        let residues = self.residues.get_or_init(|| Residues::of(&self.tables));
        let mut words = Vec::new();
        let mut state = LOWEST;
        for &(table, symbol, frequency) in coded.iter().rev() {
            if u64::from(state) >= u64::from(frequency) << (32 - SCALE_BITS) {
                words.push((state & 0xffff) as u16);
                state >>= 16;
            }
            let residue = residues.of_symbol(table, symbol.into(), state % frequency)?;
            state = (state / frequency) << SCALE_BITS | residue;
        }
        let mut bytes = state.to_le_bytes().to_vec();
        bytes.extend(words.iter().rev().flat_map(|word| word.to_le_bytes()));
        Some(bytes)
    }

    /// Decodes the first `out.len()` of the `len` values of a block, or says what is wrong with
    /// it.
    pub(in super::super) fn decode<C: Cell>(&self, bytes: &[u8], len: usize, out: &mut [C]) -> Result<(), String> {
        let whole = out.len() == len;
        let (head, tail) = out.split_at_mut(half(len).min(out.len()));
        let mut one = Chain::start(self, Forwards(bytes)).ok_or(SHORT)?;
        let mut two = Chain::start(self, Backwards(bytes)).ok_or(SHORT)?;
        let both = tail.len();
        // Two independent chains keep the processor busy.
        for (a, b) in head.iter_mut().zip(tail) {
            let (x, y) = (one.next().ok_or(SHORT)?, two.next().ok_or(SHORT)?);
            (*a, *b) = (self.cell(x), self.cell(y));
        }
        for a in &mut head[both..] {
            *a = self.cell(one.next().ok_or(SHORT)?);
        }
        if whole && (one.state != LOWEST || both > 0 && two.state != LOWEST) {
            return Err("a context block that does not end where it began".into());
        }
        Ok(())
    }

    /// Decodes the value at `place` of the `len` values of a block, or says what is wrong with it.
    pub(in super::super) fn decode_one(&self, bytes: &[u8], len: usize, place: usize) -> Result<i16, String> {
        let first = half(len);
        let symbol = if place < first {
            Chain::start(self, Forwards(bytes)).and_then(|mut chain| chain.nth(place))
        } else {
            Chain::start(self, Backwards(bytes)).and_then(|mut chain| chain.nth(place - first))
        };
        Ok(self.cell(symbol.ok_or(SHORT)?))
    }

    /// The value of a symbol, which fits the cells of the table as the model was checked for them.
    fn cell<C: Cell>(&self, symbol: u8) -> C {
        let value = self.symbols.get(usize::from(symbol)).copied();
        value.and_then(C::narrow).unwrap_or_default()
    }
}

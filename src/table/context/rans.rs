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

/// Buffers for coding, to be used again.
#[derive(Default)]
pub(in super::super) struct Coder {
    choice: Choice,
    streams: [Stream; 2],
}

/// A stream being coded, from its last symbol to its first.
#[derive(Default)]
struct Stream {
    symbols: Vec<u8>,
    /// Room for a word a symbol, filled from its end.
    words: Vec<u16>,
    /// Place of the last word coded, the first one to read.
    at: usize,
    state: u32,
}

impl Stream {
    fn start(&mut self) {
        self.words.resize(self.symbols.len() + 1, 0);
        self.at = self.words.len();
        self.state = LOWEST;
    }

    /// Codes the symbol at `place`. `None` if its table does not have it.
    #[inline]
    fn code(&mut self, model: &Model, residues: &Residues, place: usize) -> Option<()> {
        let before = |steps: usize| place.checked_sub(steps).map_or(START, |place| self.symbols[place]);
        let table = model.map[context(before(1), before(2))];
        let share = residues.share(table, self.symbols[place])?;
        // Without a branch, as whether a word is due cannot be foreseen.
        let due = self.state >> (32 - SCALE_BITS) >= share.frequency();
        self.words[self.at - 1] = self.state as u16;
        self.at -= usize::from(due);
        self.state >>= 16 * u32::from(due);
        let (quotient, residue) = share.divide(self.state, residues)?;
        self.state = quotient << SCALE_BITS | residue;
        Some(())
    }

    /// The stream in reading order: the final state, then the words, each low byte first.
    fn bytes(&self) -> impl DoubleEndedIterator<Item = u8> {
        self.state.to_le_bytes().into_iter().chain(self.words[self.at..].iter().flat_map(|word| word.to_le_bytes()))
    }
}

impl Model {
    /// The bytes of a block, or `None` if it has a value the model cannot express.
    pub(in super::super) fn encode<C: Cell>(
        &self,
        values: &[C],
        floors: Option<&[C]>,
        coder: &mut Coder,
    ) -> Option<Vec<u8>> {
        let (first, second) = values.split_at(half(values.len()));
        let floors = floors.map(|floors| floors.split_at(first.len()));
        let [one, two] = &mut coder.streams;
        let choice = &mut coder.choice;
        if !choice.choose(self, first, floors.map(|floors| floors.0), &mut one.symbols)
            || !choice.choose(self, second, floors.map(|floors| floors.1), &mut two.symbols)
        {
            return None;
        }
        let residues = self.residues.get_or_init(|| Residues::of(&self.tables));
        one.start();
        two.start();
        for place in (second.len()..first.len()).rev() {
            one.code(self, residues, place)?;
        }
        // Two independent chains keep the processor busy.
        for place in (0..second.len()).rev() {
            one.code(self, residues, place)?;
            two.code(self, residues, place)?;
        }
        let mut bytes = Vec::with_capacity(2 * (STATE + values.len()));
        bytes.extend(one.bytes());
        if !second.is_empty() {
            bytes.extend(two.bytes().rev());
        }
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

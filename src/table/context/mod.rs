//! The context codec: each value is coded under the two values before it.
//!
//! A [`Model`] is fitted once for a layer and stored in its header. It has few frequency tables
//! and a map that gives every pair of preceding values the table that suits it. A block is two
//! rANS streams, one for each half of its values; the first is read forwards from the start of the
//! block, the second backwards from its end. So a probe decodes a quarter of a block on average,
//! and a whole block decodes in two independent chains.

mod alias;
mod choose;
mod fit;
mod rans;

use std::fmt;
use std::sync::OnceLock;

use super::Cell;
use alias::{Alias, Residues};
use choose::Costs;
pub(super) use rans::Coder;

/// Most values a model distinguishes; the rest of seven bits stands for "no value before".
const SYMBOLS_MAX: usize = 127;

/// The symbol that stands before the first of a stream.
const START: u8 = 127;

/// Most frequency tables of a model, which bounds its decoding tables to 64 KiB.
const TABLES_MAX: usize = 64;

/// The frequencies of a table add up to two to this power.
const SCALE_BITS: u32 = 11;

/// Sum of the frequencies of a table.
const SCALE: u16 = 1 << SCALE_BITS;

/// Contexts: two symbols of seven bits.
const CONTEXTS: usize = 1 << 14;

/// The context after `last`, before which came `previous`.
fn context(last: u8, previous: u8) -> usize {
    usize::from(last & START) << 7 | usize::from(previous & START)
}

/// A static context model of the values of a layer.
#[derive(Clone)]
pub struct Model {
    /// The values the model knows, ascending; a symbol is a place in it.
    symbols: Vec<i16>,
    /// Frequencies of the symbols in each table.
    tables: Vec<Vec<u16>>,
    /// Table of each context.
    map: Box<[u8; CONTEXTS]>,
    /// The tables as decoding needs them, built for the first block.
    alias: OnceLock<Alias>,
    /// The tables as encoding needs them, built for the first block.
    residues: OnceLock<Residues>,
    /// What symbols cost, for choosing among them.
    costs: OnceLock<Costs>,
}

impl fmt::Debug for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Model")
            .field("symbols", &self.symbols)
            .field("tables", &self.tables.len())
            .finish_non_exhaustive()
    }
}

impl Model {
    /// The bytes that [`Model::from_bytes`] reads: numbers of symbols and tables, the symbols, the
    /// frequencies table by table, and the map for all pairs of symbols (and of the start).
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let count = |len: usize| u16::try_from(len).unwrap_or(u16::MAX).to_le_bytes();
        bytes.extend(count(self.symbols.len()));
        bytes.extend(count(self.tables.len()));
        bytes.extend(self.symbols.iter().flat_map(|symbol| symbol.to_le_bytes()));
        for table in &self.tables {
            bytes.extend(table.iter().flat_map(|frequency| frequency.to_le_bytes()));
        }
        bytes.extend(contexts(self.symbols.len()).map(|context| self.map[context]));
        bytes
    }

    /// Reads a model for values of `width` bytes, or says what is wrong with it.
    ///
    /// # Errors
    ///
    /// The bytes are not those of a model.
    pub fn from_bytes(bytes: &[u8], width: u8) -> Result<Self, String> {
        let mut words = bytes.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]]));
        let mut count = |what: &str, most: usize| match words.next().map(usize::from) {
            Some(count) if count <= most => Ok(count),
            found => Err(format!("{found:?} {what} in the model, at most {most} are possible")),
        };
        let symbol_count = count("symbols", SYMBOLS_MAX)?;
        let table_count = count("tables", TABLES_MAX)?;
        let map_at = 4 + 2 * symbol_count + 2 * symbol_count * table_count;
        let expected = map_at + (symbol_count + 1) * (symbol_count + 1);
        if bytes.len() != expected {
            return Err(format!("a model of {} bytes, {expected} expected", bytes.len()));
        }
        let symbols: Vec<i16> = words.by_ref().take(symbol_count).map(u16::cast_signed).collect();
        if !symbols.is_sorted_by(|a, b| a < b) {
            return Err("the model's symbols do not ascend".into());
        }
        if width == 1 && symbols.iter().any(|&symbol| i8::narrow(symbol).is_none()) {
            return Err("the model has symbols wider than a value".into());
        }
        let mut tables = Vec::with_capacity(table_count);
        for number in 0..table_count {
            let table: Vec<u16> = words.by_ref().take(symbol_count).collect();
            let sum: u64 = table.iter().map(|&frequency| u64::from(frequency)).sum();
            if sum != u64::from(SCALE) {
                return Err(format!("frequencies of table {number} add up to {sum}"));
            }
            tables.push(table);
        }
        let mut map = Box::new([0; CONTEXTS]);
        for (context, &table) in contexts(symbol_count).zip(&bytes[map_at..]) {
            if usize::from(table) >= table_count.max(1) {
                return Err(format!("context {context} has table {table} of {table_count}"));
            }
            map[context] = table;
        }
        Ok(Self::new(symbols, tables, map))
    }

    fn new(symbols: Vec<i16>, tables: Vec<Vec<u16>>, map: Box<[u8; CONTEXTS]>) -> Self {
        Self { symbols, tables, map, alias: OnceLock::new(), residues: OnceLock::new(), costs: OnceLock::new() }
    }

    /// What symbols cost.
    fn costs(&self) -> &Costs {
        self.costs.get_or_init(|| Costs::of(self))
    }

    /// The symbol of `value`, if it has one.
    fn symbol(&self, value: i16) -> Option<u8> {
        self.symbols.binary_search(&value).ok().and_then(|symbol| u8::try_from(symbol).ok())
    }

    /// How many of the symbols are at most `value`.
    fn symbols_upto(&self, value: i16) -> usize {
        self.symbols.partition_point(|&symbol| symbol <= value)
    }
}

/// All contexts that can occur with so many symbols, in the order of the stored map.
fn contexts(symbols: usize) -> impl Iterator<Item = usize> {
    let all = move || (0..u8::try_from(symbols).unwrap_or(START)).chain([START]);
    all().flat_map(move |last| all().map(move |previous| context(last, previous)))
}

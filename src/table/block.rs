//! One block: values to bytes and back, and its entry in the index.

use std::cell::RefCell;
use std::io;

use zstd::bulk::{Compressor, Decompressor};

use super::Cell;
use super::context::{Coder, Model};

/// How the bytes of a block are to be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// One value, repeated.
    Constant,
    /// The values themselves.
    Raw,
    /// A zstd frame of the raw bytes, without its magic number.
    Zstd,
    /// Symbols coded under the file's context model.
    Context,
}

/// Blocks that share one index record.
pub(super) const GROUP: usize = 64;

/// Bytes of one index record: an offset, an entry for each block, a checksum.
pub(super) const RECORD: usize = 8 + 2 * GROUP + 4;

/// Bytes of the checksum after each block.
pub(super) const SUM: usize = 4;

/// Kind and length of a block, without its checksum, as its 16 bits in the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Entry(pub u16);

impl Entry {
    const LEN: u16 = 0x3fff;

    /// The entry of a block of `len` bytes.
    pub fn new(kind: Kind, len: usize) -> Option<Self> {
        let len = u16::try_from(len).ok().filter(|&len| len <= Self::LEN)?;
        Some(Self((kind as u16) << 14 | len))
    }

    pub fn kind(self) -> Kind {
        match self.0 >> 14 {
            0 => Kind::Constant,
            1 => Kind::Raw,
            2 => Kind::Zstd,
            _ => Kind::Context,
        }
    }

    pub fn len(self) -> usize {
        usize::from(self.0 & Self::LEN)
    }
}

/// Checksum of a block or an index record. It covers the number of the part, so that the bytes of
/// another part do not pass for it.
pub(super) fn checksum(number: u64, bytes: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&number.to_le_bytes());
    hasher.update(bytes);
    hasher.finalize()
}

/// Every zstd frame starts with this; it is left out of the file.
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Turns values into blocks; one for each thread.
pub(super) struct Encoder<'a> {
    zstd: Compressor<'static>,
    model: Option<&'a Model>,
    coder: Coder,
}

impl<'a> Encoder<'a> {
    pub fn new(level: i32, model: Option<&'a Model>) -> io::Result<Self> {
        let mut zstd = Compressor::new(level)?;
        // The length of a block follows from the layout, its integrity from its checksum.
        zstd.include_contentsize(false)?;
        zstd.include_checksum(false)?;
        Ok(Self { zstd, model, coder: Coder::default() })
    }

    /// The smallest bytes for `values`; where `floors` is at least the value, anything up to it may
    /// be stored instead.
    pub fn encode<C: Cell>(&mut self, values: &[C], floors: Option<&[C]>) -> io::Result<(Kind, Vec<u8>)> {
        if let Some(value) = constant(values, floors) {
            let mut raw = Vec::new();
            C::put(&[value], &mut raw);
            return Ok((Kind::Constant, raw));
        }
        if let Some(model) = self.model
            && let Some(bytes) = model.encode(values, floors, &mut self.coder)
        {
            return Ok((Kind::Context, bytes));
        }
        let mut raw = Vec::with_capacity(values.len() * usize::from(C::WIDTH));
        C::put(&settle(values, floors), &mut raw);
        let packed = self.zstd.compress(&raw)?;
        match packed.strip_prefix(&ZSTD_MAGIC) {
            Some(frame) if frame.len() < raw.len() => Ok((Kind::Zstd, frame.to_vec())),
            _ => Ok((Kind::Raw, raw)),
        }
    }
}

/// The most that may be stored for the value at `place`, if lower ones serve as well.
fn bound<C: Cell>(values: &[C], floors: Option<&[C]>, place: usize) -> Option<C> {
    floors.map(|floors| floors[place]).filter(|&floor| floor >= values[place])
}

/// The first value that is not free, otherwise the lowest of all; `None` if there are no values.
fn first_stored<C: Cell>(values: &[C], floors: Option<&[C]>) -> Option<C> {
    let fixed = (0..values.len()).find(|&place| bound(values, floors, place).is_none());
    fixed.map(|place| values[place]).or_else(|| values.iter().copied().min())
}

/// The one value that all of a block may be stored as, if there is one.
fn constant<C: Cell>(values: &[C], floors: Option<&[C]>) -> Option<C> {
    let only = first_stored(values, floors)?;
    let serves = |place: usize| bound(values, floors, place).map_or(values[place] == only, |bound| only <= bound);
    (0..values.len()).all(serves).then_some(only)
}

/// Chooses values that repeat the one before wherever that is allowed.
fn settle<C: Cell>(values: &[C], floors: Option<&[C]>) -> Vec<C> {
    let mut last = first_stored(values, floors).unwrap_or_default();
    (0..values.len())
        .map(|place| {
            if bound(values, floors, place).is_none_or(|bound| last > bound) {
                last = values[place];
            }
            last
        })
        .collect()
}

/// Buffers for reading and decoding blocks; one for each thread.
#[derive(Default)]
pub(super) struct Scratch {
    /// Bytes of an index record.
    pub record: Vec<u8>,
    /// Bytes of a block.
    pub block: Vec<u8>,
    pub decoder: Decoder,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Runs `work` with this thread's buffers.
pub(super) fn with_scratch<T>(work: impl FnOnce(&mut Scratch) -> T) -> T {
    SCRATCH.with(|scratch| match scratch.try_borrow_mut() {
        Ok(mut scratch) => work(&mut scratch),
        // A source that itself reads a table.
        Err(_) => work(&mut Scratch::default()),
    })
}

/// Turns blocks into values.
#[derive(Default)]
pub(super) struct Decoder {
    zstd: Decompressor<'static>,
    frame: Vec<u8>,
    raw: Vec<u8>,
    values: Vec<i16>,
}

/// What a block is to be decoded with, besides its bytes.
#[derive(Clone, Copy)]
pub(super) struct Coding<'a> {
    /// Bytes a value in the file, at most those of the values asked for.
    pub width: u8,
    /// The file's context model.
    pub model: Option<&'a Model>,
}

impl Decoder {
    /// Decodes the first `out.len()` of the `len` values of a block, or says what is wrong with it.
    pub fn decode<C: Cell>(
        &mut self,
        kind: Kind,
        bytes: &[u8],
        len: usize,
        coding: Coding<'_>,
        out: &mut [C],
    ) -> Result<(), String> {
        let width = usize::from(coding.width);
        let wanted = out.len() * width;
        let wrong = |found: usize, expected: usize| Err(format!("{found} bytes of values, {expected} expected"));
        match kind {
            Kind::Constant => {
                if bytes.len() != width {
                    return wrong(bytes.len(), width);
                }
                let mut value = [C::default()];
                C::get(bytes, coding.width, &mut value);
                out.fill(value[0]);
            }
            Kind::Raw => {
                if bytes.len() != len * width {
                    return wrong(bytes.len(), len * width);
                }
                C::get(&bytes[..wanted], coding.width, out);
            }
            Kind::Zstd => {
                self.frame.clear();
                self.frame.extend_from_slice(&ZSTD_MAGIC);
                self.frame.extend_from_slice(bytes);
                self.raw.resize(len * width, 0);
                let found = self
                    .zstd
                    .decompress_to_buffer(&self.frame, &mut self.raw[..])
                    .map_err(|error| error.to_string())?;
                if found != len * width {
                    return wrong(found, len * width);
                }
                C::get(&self.raw[..wanted], coding.width, out);
            }
            Kind::Context => {
                let model = coding.model.ok_or("a context block without a model")?;
                model.decode(bytes, len, out)?;
            }
        }
        Ok(())
    }

    /// Decodes the value at `place` of the `len` values of a block, or says what is wrong with it.
    pub fn decode_one(
        &mut self,
        kind: Kind,
        bytes: &[u8],
        len: usize,
        coding: Coding<'_>,
        place: usize,
    ) -> Result<i16, String> {
        if let (Kind::Context, Some(model)) = (kind, coding.model) {
            return model.decode_one(bytes, len, place);
        }
        let mut values = std::mem::take(&mut self.values);
        values.resize(values.len().max(place + 1), 0);
        let decoded = self.decode(kind, bytes, len, coding, &mut values[..=place]);
        let value = values[place];
        self.values = values;
        decoded.map(|()| value)
    }
}

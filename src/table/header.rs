//! The preamble and the header of a table file; the only place that knows `bincode`.
//!
//! `docs/format.md` shows the bytes.

use std::collections::BTreeMap;

use bincode::{Decode, Encode};
use xxhash_rust::xxh3::xxh3_64;

use super::{Part, Segment, Shape, TableError};

/// The first bytes of a table. Like PNG's they show when a file was copied as text or as seven
/// bits.
pub(super) const MAGIC: [u8; 8] = *b"\x89SOW\r\n\x1a\n";

/// The format version written and read.
pub const FORMAT_VERSION: u32 = 1;

/// Length of the preamble in bytes.
pub(super) const PREAMBLE: usize = 64;

/// Longest header in bytes, and the most that decoding one allocates.
pub(super) const HEADER_MAX: usize = 4 << 20;

/// Most values in a block, so that kind and length of a block fit 16 bits.
pub const BLOCK_MAX: u32 = 8191;

/// What a table is about. The table stores it and never interprets it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Encode, Decode)]
pub struct Meta {
    /// The rule set in words, e.g. `oware pits=6 grand_slam=allow`.
    pub rules: String,
    /// Fingerprint of the rule set.
    pub fingerprint: u64,
    /// Seeds on the board: the layer.
    pub seeds: u8,
    /// Seeds the highest layer of a closed set of tables has, as the caller understands it.
    pub closed: u8,
    /// Name and version of the scheme that numbers the positions, e.g. `halves-1`.
    pub index: String,
    /// Positions of the layer, mirrored ones included.
    pub positions: u64,
    /// How many positions have each value.
    pub histogram: BTreeMap<i16, u64>,
}

/// What a table leaves to its caller, as one byte of flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Encode, Decode)]
pub(super) struct Omits(pub u8);

impl Omits {
    /// Stored values may be lower than the true ones where a floor reaches them.
    pub const FLOORS: u8 = 1;
    /// Some stored values mean nothing, as nobody asks for them.
    pub const POSITIONS: u8 = 2;

    pub fn has(self, flag: u8) -> bool {
        self.0 & flag != 0
    }
}

/// The header as it lies in the file.
#[derive(Debug, Clone, PartialEq, Eq, Encode, Decode)]
pub(super) struct Header {
    pub meta: Meta,
    /// Bytes a value, 1 or 2.
    pub width: u8,
    /// What stored values do not tell.
    pub omits: Omits,
    /// Most values in a block.
    pub block: u32,
    /// Number of values.
    pub count: u64,
    /// Rows and row length of each segment.
    pub segments: Vec<(u64, u64)>,
    /// Offset of the block index.
    pub index_at: u64,
    /// The context model, empty if there is none.
    pub model: Vec<u8>,
}

fn config() -> impl bincode::config::Config {
    bincode::config::standard().with_little_endian().with_fixed_int_encoding().with_limit::<HEADER_MAX>()
}

impl Header {
    /// The bytes of the header, or the reason why it cannot be stored.
    pub fn encode(&self) -> Result<Vec<u8>, String> {
        let bytes = bincode::encode_to_vec(self, config()).map_err(|error| error.to_string())?;
        if bytes.len() > HEADER_MAX {
            return Err(format!("{} bytes of header, {HEADER_MAX} are possible", bytes.len()));
        }
        Ok(bytes)
    }

    /// Decodes `bytes`, which were found in `file`, and checks each number on its own.
    pub fn decode(bytes: &[u8], file: &str) -> Result<(Self, Shape), TableError> {
        let malformed = |finding: String| TableError::Malformed { file: file.into(), part: Part::Header, finding };
        let (header, used): (Self, usize) =
            bincode::decode_from_slice(bytes, config()).map_err(|error| malformed(error.to_string()))?;
        if used != bytes.len() {
            return Err(malformed(format!("{used} of {} bytes used", bytes.len())));
        }
        if !matches!(header.width, 1 | 2) {
            return Err(malformed(format!("values of {} bytes", header.width)));
        }
        if !matches!(header.omits.0, 0 | Omits::FLOORS | 3) {
            return Err(malformed(format!("{:#x} as what is left out", header.omits.0)));
        }
        if !(1..=BLOCK_MAX).contains(&header.block) {
            return Err(malformed(format!("blocks of {} values", header.block)));
        }
        let segments = header.segments.iter();
        let shape = Shape::new(segments.map(|&(rows, row_len)| Segment { rows, row_len }).collect())
            .map_err(|error| malformed(error.to_string()))?;
        if shape.count() != header.count {
            return Err(malformed(format!("{} values in segments of {} values", header.count, shape.count())));
        }
        Ok((header, shape))
    }
}

/// The first 64 bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Preamble {
    /// Whether the table was completed.
    pub finished: bool,
    /// Length of the file in bytes.
    pub file_len: u64,
    /// Offset of the header, which reaches to the end of the file.
    pub header_at: u64,
    /// xxh3-64 of the header.
    pub header_sum: u64,
    /// xxh3-64 of everything after the preamble.
    pub body_sum: u64,
}

impl Preamble {
    /// The bytes of the preamble.
    pub fn encode(&self) -> [u8; PREAMBLE] {
        let mut bytes = [0; PREAMBLE];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&FORMAT_VERSION.to_le_bytes());
        bytes[12..16].copy_from_slice(&u32::from(self.finished).to_le_bytes());
        bytes[16..24].copy_from_slice(&self.file_len.to_le_bytes());
        bytes[24..32].copy_from_slice(&self.header_at.to_le_bytes());
        bytes[32..40].copy_from_slice(&self.header_sum.to_le_bytes());
        bytes[40..48].copy_from_slice(&self.body_sum.to_le_bytes());
        let sum = xxh3_64(&bytes[..56]);
        bytes[56..].copy_from_slice(&sum.to_le_bytes());
        bytes
    }

    /// Decodes the first bytes of `file`, which is `file_len` bytes long, and compares them with
    /// that length.
    pub fn decode(bytes: &[u8], file_len: u64, file: &str) -> Result<Self, TableError> {
        let file = || file.to_string();
        if !bytes.starts_with(&MAGIC) {
            let start = &bytes[..bytes.len().min(MAGIC.len())];
            if start.is_empty() || !MAGIC.starts_with(start) {
                return Err(TableError::Magic { file: file(), found: start.to_vec(), expected: MAGIC });
            }
        }
        let Ok(bytes) = <&[u8; PREAMBLE]>::try_from(bytes) else {
            return Err(TableError::Length { file: file(), found: file_len, expected: PREAMBLE as u64 });
        };
        let long = |at: usize| {
            let mut word = [0; 8];
            word.copy_from_slice(&bytes[at..at + 8]);
            u64::from_le_bytes(word)
        };
        let (version, state) = (long(8) & 0xffff_ffff, long(8) >> 32);
        if version != u64::from(FORMAT_VERSION) {
            return Err(TableError::Version {
                file: file(),
                found: u32::try_from(version).unwrap_or(u32::MAX),
                expected: FORMAT_VERSION,
            });
        }
        let (found, expected) = (xxh3_64(&bytes[..56]), long(56));
        if found != expected {
            return Err(TableError::Checksum { file: file(), part: Part::Preamble, found, expected });
        }
        let malformed = |finding: String| TableError::Malformed { file: file(), part: Part::Preamble, finding };
        match state {
            0 => return Err(TableError::Unfinished { file: file() }),
            1 => {}
            _ => return Err(malformed(format!("state {state}"))),
        }
        if long(48) != 0 {
            return Err(malformed(format!("{:#x} in the reserved word", long(48))));
        }
        let preamble =
            Self { finished: true, file_len: long(16), header_at: long(24), header_sum: long(32), body_sum: long(40) };
        if preamble.file_len != file_len {
            return Err(TableError::Length { file: file(), found: file_len, expected: preamble.file_len });
        }
        let header_len = file_len.checked_sub(preamble.header_at);
        if preamble.header_at < PREAMBLE as u64 || header_len.is_none_or(|len| len > HEADER_MAX as u64) {
            return Err(malformed(format!("a header at {}", preamble.header_at)));
        }
        Ok(preamble)
    }
}

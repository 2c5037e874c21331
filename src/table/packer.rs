//! Packing blocks, apart from the file that they go into.

use std::io;
use std::ops::Range;

use rayon::prelude::*;

use super::block::{Encoder, Entry, Kind, checksum};
use super::shape::Layout;
use super::{BLOCK_MAX, Cell, Options, Shape};

/// Consecutive blocks, ready to be put into a table by
/// [`Writer::append_packed`](super::Writer::append_packed).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Packed {
    /// Number of the first block.
    pub first: u64,
    /// Kind and length of each block, as the index of a table has them.
    pub entries: Vec<u16>,
    /// The blocks, each with its checksum.
    pub bytes: Vec<u8>,
}

/// Packs the blocks of a table one by one, so that several processes can share the work on it.
pub struct Packer {
    layout: Layout,
    count: u64,
    block: u32,
    options: Options,
}

impl Packer {
    /// A packer for tables of this shape, made as `options` say.
    #[must_use]
    pub fn new(shape: &Shape, options: Options) -> Self {
        let block = options.block.unwrap_or(options.codec.block()).clamp(1, BLOCK_MAX);
        Self { layout: Layout::new(shape, block), count: shape.count(), block, options }
    }

    /// Number of blocks of the table.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        self.layout.blocks()
    }

    /// Rank of a block's first value; the number of values for the block after the last.
    #[must_use]
    pub fn start(&self, block: u64) -> u64 {
        if block < self.blocks() { self.layout.of_block(block).first } else { self.count }
    }

    pub(super) fn options(&self) -> &Options {
        &self.options
    }

    /// Most values in a block.
    pub(super) fn block(&self) -> u32 {
        self.block
    }

    /// The blocks from number `first` on that `values` hold whole, as places among the values.
    pub(super) fn whole_blocks(&self, first: u64, values: usize) -> Vec<Range<usize>> {
        let mut spans: Vec<Range<usize>> = Vec::new();
        let mut used = 0;
        for block in first..self.blocks() {
            let end = used + self.layout.of_block(block).len;
            if end > values {
                break;
            }
            spans.push(used..end);
            used = end;
        }
        spans
    }

    /// Packs the blocks from number `first` on whose values these are, on the current rayon pool; values after the
    /// last whole block are left out. `floors` are as for [`Writer::append`](super::Writer::append).
    ///
    /// # Errors
    ///
    /// The compressor refuses, or the floors are not as many as the values.
    pub fn pack<C: Cell>(&self, first: u64, values: &[C], floors: Option<&[C]>) -> io::Result<Packed> {
        let wrong = |text: String| io::Error::new(io::ErrorKind::InvalidInput, text);
        let expected = if self.options.floored { values.len() } else { 0 };
        let found = floors.map_or(0, <[C]>::len);
        if found != expected {
            return Err(wrong(format!("{found} floors for {} values, {expected} expected", values.len())));
        }
        let codec = &self.options.codec;
        let packed: Vec<(Kind, Vec<u8>)> = self
            .whole_blocks(first, values.len())
            .into_par_iter()
            .map_init(
                || Encoder::new(codec.level(), codec.model()),
                |encoder, span| match encoder {
                    Ok(encoder) => encoder.encode(&values[span.clone()], floors.map(|floors| &floors[span])),
                    Err(error) => Err(io::Error::new(error.kind(), error.to_string())),
                },
            )
            .collect::<io::Result<_>>()?;
        let mut all = Packed { first, ..Packed::default() };
        for (number, (kind, block)) in (first..).zip(packed) {
            let entry = Entry::new(kind, block.len());
            let entry = entry.ok_or_else(|| wrong(format!("block {number} is {} bytes long", block.len())))?;
            all.entries.push(entry.0);
            all.bytes.extend_from_slice(&block);
            all.bytes.extend_from_slice(&checksum(number, &block).to_le_bytes());
        }
        Ok(all)
    }
}

//! Reading a table.

use std::fmt;
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use rayon::prelude::*;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::block::{Coding, Decoder, Entry, GROUP, Kind, RECORD, SUM, Scratch, checksum, with_scratch};
use super::context::Model;
use super::header::{Header, Omits, PREAMBLE, Preamble};
use super::shape::{Layout, Span};
use super::{Access, Bytes, Cell, FileBytes, Meta, Part, Shape, TableError};

/// Tells open tables apart in a cache.
static NEXT_ID: AtomicU64 = AtomicU64::new(0);

/// A table in a file.
pub type TableFile = Table<FileBytes>;

/// An open table over any bytes.
///
/// Opening checks the header and nothing else; each index record and each block is checked
/// against its checksum whenever it is used. So a damaged table gives errors, never wrong values.
/// All methods may be called from many threads at once.
pub struct Table<D> {
    data: D,
    name: String,
    id: u64,
    preamble: Preamble,
    header: Header,
    shape: Shape,
    layout: Layout,
    model: Option<Model>,
}

impl TableFile {
    /// Opens the table `path`. Reads its preamble and header only.
    ///
    /// # Errors
    ///
    /// [`TableError::Io`] if the file cannot be opened, and everything [`Table::new`] reports.
    pub fn open(path: &Path, access: Access) -> Result<Self, TableError> {
        let name = path.display().to_string();
        let data = FileBytes::open(path, access).map_err(|source| TableError::Io {
            file: name.clone(),
            action: "open the table",
            source,
        })?;
        Self::new(data, &name)
    }
}

impl<D: Bytes> Table<D> {
    /// Opens the table in `data`, called `name` in errors.
    ///
    /// Costs a few microseconds, more with a context model, whatever the table's size.
    ///
    /// # Errors
    ///
    /// [`TableError::Magic`], [`TableError::Version`], [`TableError::Unfinished`],
    /// [`TableError::Length`], [`TableError::Checksum`] or [`TableError::Malformed`], according to
    /// what is wrong with preamble, header or length; [`TableError::Io`] if they cannot be read.
    pub fn new(data: D, name: &str) -> Result<Self, TableError> {
        let name = name.to_string();
        let file_len = data.len();
        let mut buffer = Vec::new();
        let unreadable = |source| TableError::Io { file: name.clone(), action: "read the table", source };
        let start = usize::try_from(file_len).map_or(PREAMBLE, |len| len.min(PREAMBLE));
        let bytes = data.read(0, start, &mut buffer).map_err(unreadable)?;
        let preamble = Preamble::decode(bytes, file_len, &name)?;
        let malformed = |finding: String| TableError::Malformed { file: name.clone(), part: Part::Header, finding };
        let header_len =
            usize::try_from(file_len - preamble.header_at).map_err(|error| malformed(error.to_string()))?;
        let bytes = data.read(preamble.header_at, header_len, &mut buffer).map_err(unreadable)?;
        let (found, expected) = (xxh3_64(bytes), preamble.header_sum);
        if found != expected {
            return Err(TableError::Checksum { file: name, part: Part::Header, found, expected });
        }
        let (header, shape) = Header::decode(bytes, &name)?;
        let layout = Layout::new(&shape, header.block);
        let records = layout.blocks().div_ceil(GROUP as u64);
        let index_end = records.checked_mul(RECORD as u64).and_then(|len| header.index_at.checked_add(len));
        if header.index_at < PREAMBLE as u64 || index_end != Some(preamble.header_at) {
            return Err(malformed(format!(
                "{records} index records from {} to {}",
                header.index_at, preamble.header_at
            )));
        }
        let model = if header.model.is_empty() {
            None
        } else {
            Some(Model::from_bytes(&header.model, header.width).map_err(malformed)?)
        };
        Ok(Self { data, name, id: NEXT_ID.fetch_add(1, Ordering::Relaxed), preamble, header, shape, layout, model })
    }

    /// What the table is about.
    #[must_use]
    pub fn meta(&self) -> &Meta {
        &self.header.meta
    }

    /// The name the table was opened under.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The rows of the layer.
    #[must_use]
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Number of values.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.shape.count()
    }

    /// Bytes a value before packing, 1 or 2.
    #[must_use]
    pub fn width(&self) -> u8 {
        self.header.width
    }

    /// Whether stored values may be lower than the true ones: the caller then takes the maximum
    /// with the floor it knows (the best capture).
    #[must_use]
    pub fn floored(&self) -> bool {
        self.header.omits.has(Omits::FLOORS)
    }

    /// Whether some stored values mean nothing: those of positions that the caller tells from the others and whose
    /// values it finds by other means.
    #[must_use]
    pub fn leaves_out(&self) -> bool {
        self.header.omits.has(Omits::POSITIONS)
    }

    /// Most values in a block.
    #[must_use]
    pub fn block(&self) -> u32 {
        self.header.block
    }

    /// Name of the codec the table was written with: `zstd` or `context`.
    #[must_use]
    pub fn codec(&self) -> &'static str {
        if self.model.is_some() { "context" } else { "zstd" }
    }

    /// Length of the whole file in bytes.
    #[must_use]
    pub fn file_len(&self) -> u64 {
        self.preamble.file_len
    }

    /// What tells this table apart from all others open in this process.
    pub(super) fn id(&self) -> u64 {
        self.id
    }

    /// The block of `rank`.
    pub(super) fn locate(&self, rank: u64) -> Result<Span, TableError> {
        self.check_ranks(rank, 1)?;
        Ok(self.layout.of_rank(rank))
    }

    /// The stored value of `rank`.
    ///
    /// Reads one index record and one block and decodes the block up to the value.
    ///
    /// # Errors
    ///
    /// [`TableError::Rank`], or [`TableError::Checksum`], [`TableError::Malformed`] or
    /// [`TableError::Io`] if the block cannot be read.
    pub fn value(&self, rank: u64) -> Result<i16, TableError> {
        let span = self.locate(rank)?;
        let at = place(rank - span.first);
        with_scratch(|scratch| {
            self.decode_by(span, scratch, |decoder, kind, bytes, coding| {
                decoder.decode_one(kind, bytes, span.len, coding, at)
            })
        })
    }

    /// The stored values of `ranks`, in that order, into `values`.
    ///
    /// Decodes each block once however many ranks lie in it.
    ///
    /// # Errors
    ///
    /// [`TableError::Lengths`] if the two differ in length, and those of [`Table::value`].
    pub fn values(&self, ranks: &[u64], values: &mut [i16]) -> Result<(), TableError> {
        if ranks.len() != values.len() {
            return Err(TableError::Lengths {
                file: self.name.clone(),
                what: "places",
                found: values.len() as u64,
                expected: ranks.len() as u64,
            });
        }
        let mut order: Vec<usize> = (0..ranks.len()).collect();
        order.sort_unstable_by_key(|&index| ranks[index]);
        if let Some(&last) = order.last() {
            self.check_ranks(ranks[last], 1)?;
        }
        let mut block = vec![0_i16; self.header.block as usize];
        with_scratch(|scratch| {
            let mut rest = &order[..];
            while let Some(&index) = rest.first() {
                let span = self.layout.of_rank(ranks[index]);
                let here = rest.partition_point(|&i| ranks[i] - span.first < span.len as u64);
                let upto = place(ranks[rest[here - 1]] - span.first) + 1;
                self.decode(span, scratch, &mut block[..upto])?;
                for &i in &rest[..here] {
                    values[i] = block[place(ranks[i] - span.first)];
                }
                rest = &rest[here..];
            }
            Ok(())
        })
    }

    /// The stored values of the ranks from `start` on, as many as `out` is long.
    ///
    /// The way to read rows and whole layers: each block is decoded once, straight into `out`
    /// if all of it is wanted. Runs on this thread; divide the ranks to use more.
    ///
    /// # Errors
    ///
    /// [`TableError::Width`] if the values do not fit `C`, and those of [`Table::value`].
    pub fn read<C: Cell>(&self, start: u64, out: &mut [C]) -> Result<(), TableError> {
        self.check_ranks(start, out.len() as u64)?;
        if self.header.width > C::WIDTH {
            return Err(TableError::Width { file: self.name.clone(), found: self.header.width, expected: C::WIDTH });
        }
        let mut head = Vec::new();
        with_scratch(|scratch| {
            let mut done = 0;
            while done < out.len() {
                let rank = start + done as u64;
                let span = self.layout.of_rank(rank);
                let skip = place(rank - span.first);
                let take = (span.len - skip).min(out.len() - done);
                let target = &mut out[done..done + take];
                if skip == 0 {
                    self.decode(span, scratch, target)?;
                } else {
                    head.resize(skip + take, C::default());
                    self.decode(span, scratch, &mut head)?;
                    target.copy_from_slice(&head[skip..]);
                }
                done += take;
            }
            Ok(())
        })
    }

    /// Verifies every byte of the table: all checksums, that all blocks decode, and that they lie
    /// where the index says without gaps.
    ///
    /// `progress` is called, from several threads, with the number of values verified since its
    /// last call. Costs reading the file twice; decoding runs on the current rayon pool.
    ///
    /// # Errors
    ///
    /// Those of [`Table::value`], for the damage that is found first.
    pub fn check(&self, progress: impl Fn(u64) + Sync) -> Result<(), TableError> {
        self.check_body()?;
        let groups = self.layout.blocks().div_ceil(GROUP as u64);
        (0..groups).into_par_iter().try_for_each(|group| {
            let values = self.check_group(group)?;
            progress(values);
            Ok(())
        })
    }

    fn check_body(&self) -> Result<(), TableError> {
        const PIECE: u64 = 1 << 20;
        let mut sum = Xxh3::new();
        let mut buffer = Vec::new();
        let mut at = PREAMBLE as u64;
        while at < self.preamble.file_len {
            let len = place((self.preamble.file_len - at).min(PIECE));
            sum.update(self.bytes(at, len, &mut buffer)?);
            at += len as u64;
        }
        let (found, expected) = (sum.digest(), self.preamble.body_sum);
        if found == expected {
            return Ok(());
        }
        Err(self.damaged(Part::Body, found, expected))
    }

    /// Decodes the blocks of a group and compares their places with the index; returns their
    /// number of values.
    fn check_group(&self, group: u64) -> Result<u64, TableError> {
        let first = group * GROUP as u64;
        let blocks = place((self.layout.blocks() - first).min(GROUP as u64));
        let mut block = vec![0_i16; self.header.block as usize];
        let mut values = 0;
        with_scratch(|scratch| {
            let record = self.record(group, &mut scratch.record)?;
            let end = record.offset_of(blocks);
            if record.entries().skip(blocks).any(|entry| entry != Entry(0)) {
                return Err(self.malformed(Part::Group(group), "entries beyond the last block"));
            }
            let next = if first + (blocks as u64) < self.layout.blocks() {
                self.record(group + 1, &mut scratch.block)?.base
            } else {
                self.header.index_at
            };
            if end != Some(next) || (group == 0 && record.base != PREAMBLE as u64) {
                return Err(self.malformed(Part::Group(group), "blocks do not follow each other"));
            }
            for number in first..first + blocks as u64 {
                let span = self.layout.of_block(number);
                self.decode(span, scratch, &mut block[..span.len])?;
                values += span.len as u64;
            }
            Ok(values)
        })
    }

    /// Decodes the first `out.len()` values of the block at `span`.
    fn decode<C: Cell>(&self, span: Span, scratch: &mut Scratch, out: &mut [C]) -> Result<(), TableError> {
        self.decode_by(span, scratch, |decoder, kind, bytes, coding| decoder.decode(kind, bytes, span.len, coding, out))
    }

    /// Reads and verifies the block at `span` and has `decode` make values of it.
    fn decode_by<T>(
        &self,
        span: Span,
        scratch: &mut Scratch,
        decode: impl FnOnce(&mut Decoder, Kind, &[u8], Coding<'_>) -> Result<T, String>,
    ) -> Result<T, TableError> {
        let part = Part::Block(span.block);
        let group = span.block / GROUP as u64;
        let record = self.record(group, &mut scratch.record)?;
        let number = place(span.block % GROUP as u64);
        let entry = record.entry(number);
        let stored = entry.len() + SUM;
        let at = record
            .offset_of(number)
            .filter(|at| {
                let end = at.checked_add(stored as u64);
                *at >= PREAMBLE as u64 && end.is_some_and(|end| end <= self.header.index_at)
            })
            .ok_or_else(|| self.malformed(Part::Group(group), "blocks outside the file"))?;
        let bytes = self.bytes(at, stored, &mut scratch.block)?;
        let (bytes, sum) = bytes.split_at(entry.len());
        let (found, expected) = (checksum(span.block, bytes), word(sum));
        if found != expected {
            return Err(self.damaged(part, found.into(), expected.into()));
        }
        let coding = Coding { width: self.header.width, model: self.model.as_ref() };
        decode(&mut scratch.decoder, entry.kind(), bytes, coding).map_err(|finding| self.malformed(part, &finding))
    }

    /// Reads and verifies the index record of `group`.
    fn record<'a>(&'a self, group: u64, buffer: &'a mut Vec<u8>) -> Result<Record<'a>, TableError> {
        let at = self.header.index_at + group * RECORD as u64;
        let bytes = self.bytes(at, RECORD, buffer)?;
        let (body, sum) = bytes.split_at(RECORD - SUM);
        let (found, expected) = (checksum(group, body), word(sum));
        if found != expected {
            return Err(self.damaged(Part::Group(group), found.into(), expected.into()));
        }
        let (base, entries) = body.split_at(8);
        let mut offset = [0; 8];
        offset.copy_from_slice(base);
        Ok(Record { base: u64::from_le_bytes(offset), entries })
    }

    fn bytes<'a>(&'a self, at: u64, len: usize, buffer: &'a mut Vec<u8>) -> Result<&'a [u8], TableError> {
        self.data.read(at, len, buffer).map_err(|source| {
            if source.kind() == io::ErrorKind::UnexpectedEof {
                TableError::Length {
                    file: self.name.clone(),
                    found: self.data.len().min(at),
                    expected: self.preamble.file_len,
                }
            } else {
                TableError::Io { file: self.name.clone(), action: "read the table", source }
            }
        })
    }

    fn check_ranks(&self, rank: u64, len: u64) -> Result<(), TableError> {
        let count = self.count();
        if rank.checked_add(len).is_some_and(|end| end <= count) {
            return Ok(());
        }
        Err(TableError::Rank { file: self.name.clone(), rank, count })
    }

    fn damaged(&self, part: Part, found: u64, expected: u64) -> TableError {
        TableError::Checksum { file: self.name.clone(), part, found, expected }
    }

    fn malformed(&self, part: Part, finding: &str) -> TableError {
        TableError::Malformed { file: self.name.clone(), part, finding: finding.into() }
    }
}

impl<D> fmt::Debug for Table<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table")
            .field("name", &self.name)
            .field("meta", &self.header.meta)
            .field("count", &self.shape.count())
            .finish_non_exhaustive()
    }
}

/// A verified index record.
struct Record<'a> {
    /// Offset of the first block of the group.
    base: u64,
    entries: &'a [u8],
}

impl Record<'_> {
    fn entry(&self, number: usize) -> Entry {
        Entry(u16::from_le_bytes([self.entries[2 * number], self.entries[2 * number + 1]]))
    }

    fn entries(&self) -> impl Iterator<Item = Entry> {
        (0..GROUP).map(|number| self.entry(number))
    }

    /// Offset of the block `number` of the group, `None` beyond all files.
    fn offset_of(&self, number: usize) -> Option<u64> {
        let before: usize = self.entries().take(number).map(Entry::len).sum();
        self.base.checked_add((before + SUM * number) as u64)
    }
}

/// An offset inside a block, which fits any machine's words.
fn place(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}

fn word(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte))
}

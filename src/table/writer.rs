//! Writing a table.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use super::block::{Entry, GROUP, RECORD, SUM, checksum};
use super::context::Model;
use super::header::{Header, Omits, PREAMBLE, Preamble};
use super::{Cell, Meta, Packed, Packer, Part, Shape, TableError};

/// How a writer packs its blocks. Readers find out from the file.
#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "there is one codec a table, never many")]
pub enum Codec {
    /// zstd at a level (1 to 22) in blocks of 4096 values.
    Zstd(i32),
    /// A context model and an entropy coder in blocks of 512 values: smaller and faster to probe,
    /// slower to read as a whole. A block the model cannot express is packed by zstd.
    Context(Model),
}

impl Codec {
    /// Values in a block unless [`Options::block`] says otherwise.
    pub(super) fn block(&self) -> u32 {
        match self {
            Codec::Zstd(_) => 4096,
            Codec::Context(_) => 512,
        }
    }

    pub(super) fn model(&self) -> Option<&Model> {
        match self {
            Codec::Zstd(_) => None,
            Codec::Context(model) => Some(model),
        }
    }

    pub(super) fn level(&self) -> i32 {
        match self {
            Codec::Zstd(level) => *level,
            Codec::Context(_) => 19,
        }
    }
}

/// How a table is written.
#[derive(Debug, Clone)]
pub struct Options {
    /// How blocks are packed.
    pub codec: Codec,
    /// Most values in a block, 1 to [`BLOCK_MAX`](super::BLOCK_MAX); `None` for the codec's own choice.
    pub block: Option<u32>,
    /// Whether floors are given with the values, and readers take the maximum of the stored
    /// value and the floor.
    pub floored: bool,
}

/// Values packed and written at once. It bounds the writer's memory to a few times as many bytes.
const BATCH: usize = 1 << 20;

/// Writes the values of a layer in rank order.
///
/// The file appears under its name only when [`Writer::finish`] has succeeded. Until then it is a
/// temporary file `.NAME.XXXXXX.partial` in the same folder, which is removed when the writer is
/// dropped, and which readers refuse as unfinished should the process be killed. The bytes depend
/// on the arguments alone, not on how the values are divided among calls nor on the number of
/// threads.
pub struct Writer<C: Cell> {
    path: PathBuf,
    file: NamedTempFile,
    meta: Meta,
    shape: Shape,
    packer: Packer,
    body_sum: Box<Xxh3>,
    at: u64,
    written: u64,
    next_block: u64,
    index: Vec<u8>,
    group: Vec<Entry>,
    group_at: u64,
    values: Vec<C>,
    floors: Vec<C>,
    /// Whether others write some of the blocks, so that what is to be summed is known at the end.
    shared: bool,
    leaves_out: bool,
    broken: bool,
}

impl<C: Cell> Writer<C> {
    /// Starts the table `path` of the given shape.
    ///
    /// # Errors
    ///
    /// [`TableError::Io`] if the temporary file cannot be made.
    pub fn create(path: &Path, meta: Meta, shape: Shape, options: Options) -> Result<Self, TableError> {
        let io_error = |source| TableError::Io { file: path.display().to_string(), action: "create the table", source };
        let name = path.file_name().ok_or_else(|| io_error(io::ErrorKind::InvalidFilename.into()))?;
        let mut prefix = std::ffi::OsString::from(".");
        prefix.push(name);
        prefix.push(".");
        let mut builder = tempfile::Builder::new();
        builder.prefix(&prefix).suffix(".partial");
        // The default would keep the finished table from other users.
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
        let file = builder.tempfile_in(folder_of(path)).map_err(io_error)?;
        let mut writer = Self {
            path: path.to_path_buf(),
            file,
            meta,
            packer: Packer::new(&shape, options),
            shape,
            body_sum: Box::default(),
            at: 0,
            written: 0,
            next_block: 0,
            index: Vec::new(),
            group: Vec::with_capacity(GROUP),
            group_at: PREAMBLE as u64,
            values: Vec::new(),
            floors: Vec::new(),
            shared: false,
            leaves_out: false,
            broken: false,
        };
        let unfinished = Preamble::default().encode();
        writer.file.write_all(&unfinished).map_err(|source| writer.io_error("write the table", source))?;
        writer.at = PREAMBLE as u64;
        Ok(writer)
    }

    /// The description of the table, which may still change (the histogram may be known last).
    pub fn meta_mut(&mut self) -> &mut Meta {
        &mut self.meta
    }

    /// Number of values appended so far.
    #[must_use]
    pub fn appended(&self) -> u64 {
        self.written + self.values.len() as u64
    }

    /// Appends the values of the next ranks.
    ///
    /// `floors`, where given, has one entry for each value: what the reader's caller knows without
    /// the table. Where it equals the value the table may store anything lower. A floor above the
    /// value says that nobody will ask for this value, and the table may store anything; the caller
    /// must be able to tell such ranks. Packing runs on the current rayon pool.
    ///
    /// # Errors
    ///
    /// [`TableError::Lengths`] or [`TableError::Count`] if there are too many values or floors,
    /// [`TableError::Io`] if writing fails; after that the writer is of no more use.
    pub fn append(&mut self, values: &[C], floors: Option<&[C]>) -> Result<(), TableError> {
        self.check_input(values, floors)?;
        self.leaves_out |= floors.is_some_and(|floors| floors.iter().zip(values).any(|(floor, value)| floor > value));
        let mut done = 0;
        while done < values.len() {
            let room = BATCH.saturating_sub(self.values.len()).max(1);
            let take = done..values.len().min(done + room);
            self.values.extend_from_slice(&values[take.clone()]);
            if self.packer.options().floored {
                match floors {
                    Some(floors) => self.floors.extend_from_slice(&floors[take.clone()]),
                    None => self.floors.extend(values[take.clone()].iter().map(below)),
                }
            }
            done = take.end;
            if self.values.len() >= BATCH || self.appended() == self.shape.count() {
                self.pack().inspect_err(|_| self.broken = true)?;
            }
        }
        Ok(())
    }

    fn check_input(&self, values: &[C], floors: Option<&[C]>) -> Result<(), TableError> {
        if self.broken {
            return Err(TableError::Broken { file: self.name() });
        }
        let expected = if self.packer.options().floored { values.len() } else { 0 };
        if let Some(floors) = floors
            && floors.len() != expected
        {
            return Err(TableError::Lengths {
                file: self.name(),
                what: "floors",
                found: floors.len() as u64,
                expected: expected as u64,
            });
        }
        let found = self.appended() + values.len() as u64;
        if found > self.shape.count() {
            return Err(TableError::Count { file: self.name(), found, expected: self.shape.count() });
        }
        Ok(())
    }

    /// Appends blocks that were packed elsewhere by a [`Packer`] of the same shape and options.
    ///
    /// # Errors
    ///
    /// [`TableError::Malformed`] if they are not the next blocks or their lengths are not those of their bytes,
    /// [`TableError::Io`] if writing fails; after that the writer is of no more use.
    pub fn append_packed(&mut self, packed: &Packed) -> Result<(), TableError> {
        let bytes = self.check_packed(packed.first, &packed.entries)?;
        if bytes != packed.bytes.len() as u64 {
            return Err(self.misfit(format!("{} bytes of blocks, {bytes} expected", packed.bytes.len())));
        }
        self.put(packed).inspect_err(|_| self.broken = true)
    }

    /// Leaves room for blocks that were packed elsewhere, of which only the first's number and the entries are known.
    ///
    /// Returns where the caller, or another process, has to write their bytes in the file [`Writer::partial`] before
    /// [`Writer::finish`] is called, which reads the file once more then.
    ///
    /// # Errors
    ///
    /// [`TableError::Malformed`] if they are not the next blocks.
    pub fn reserve(&mut self, first: u64, entries: &[u16]) -> Result<u64, TableError> {
        let bytes = self.check_packed(first, entries)?;
        let at = self.at;
        self.shared = true;
        self.enter(entries);
        self.at += bytes;
        Ok(at)
    }

    /// Says that some floor given to a packer elsewhere was above its value, as [`Writer::append`] finds for its own.
    pub fn leave_out(&mut self) {
        self.leaves_out = true;
    }

    /// The temporary file.
    #[must_use]
    pub fn partial(&self) -> &Path {
        self.file.path()
    }

    /// Checks that these are the next blocks; returns how many bytes they take.
    fn check_packed(&self, first: u64, entries: &[u16]) -> Result<u64, TableError> {
        if self.broken {
            return Err(TableError::Broken { file: self.name() });
        }
        let end = first.saturating_add(entries.len() as u64);
        if !self.values.is_empty() || first != self.next_block || end > self.packer.blocks() {
            return Err(self.misfit(format!("blocks {first} to {end} of {}, not the next ones", self.packer.blocks())));
        }
        Ok(entries.iter().map(|&entry| (Entry(entry).len() + SUM) as u64).sum())
    }

    fn misfit(&self, finding: String) -> TableError {
        TableError::Malformed { file: self.name(), part: Part::Block(self.next_block), finding }
    }

    /// Packs and writes the complete blocks among the waiting values.
    fn pack(&mut self) -> Result<(), TableError> {
        let used = self.packer.whole_blocks(self.next_block, self.values.len()).last().map_or(0, |span| span.end);
        let floored = self.packer.options().floored;
        let floors = floored.then(|| &self.floors[..used]);
        let packed = self.packer.pack(self.next_block, &self.values[..used], floors);
        self.put(&packed.map_err(|source| self.io_error("pack the table", source))?)?;
        self.values.drain(..used);
        if floored {
            self.floors.drain(..used);
        }
        Ok(())
    }

    /// Writes the next blocks and notes where they lie.
    fn put(&mut self, packed: &Packed) -> Result<(), TableError> {
        self.enter(&packed.entries);
        self.write(&packed.bytes)
    }

    /// Notes where the next blocks lie, the first of them at the end of what there is.
    fn enter(&mut self, entries: &[u16]) {
        let mut at = self.at;
        for &entry in entries {
            let entry = Entry(entry);
            self.group.push(entry);
            at += (entry.len() + SUM) as u64;
            self.next_block += 1;
            if self.group.len() == GROUP {
                self.close_group();
                self.group_at = at;
            }
        }
        self.written = self.packer.start(self.next_block);
    }

    /// Appends the record of the current group to the index.
    fn close_group(&mut self) {
        let start = self.index.len();
        self.index.extend_from_slice(&self.group_at.to_le_bytes());
        self.group.resize(GROUP, Entry(0));
        for entry in self.group.drain(..) {
            self.index.extend_from_slice(&entry.0.to_le_bytes());
        }
        let sum = checksum((start / RECORD) as u64, &self.index[start..]);
        self.index.extend_from_slice(&sum.to_le_bytes());
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), TableError> {
        self.body_sum.update(bytes);
        if self.shared {
            let sought = self.file.seek(SeekFrom::Start(self.at));
            sought.map_err(|source| self.io_error("write the table", source))?;
        }
        self.file.write_all(bytes).map_err(|source| self.io_error("write the table", source))?;
        self.at += bytes.len() as u64;
        Ok(())
    }

    /// Completes the table and gives it its name, replacing a file that has it.
    ///
    /// Data and folder are synced to disk before this returns. Returns the length of the file in
    /// bytes.
    ///
    /// # Errors
    ///
    /// [`TableError::Count`] if values are missing, [`TableError::Io`] if writing, syncing or
    /// renaming fails. No file has the table's name then, unless an older one had it before.
    pub fn finish(mut self) -> Result<u64, TableError> {
        if self.broken {
            return Err(TableError::Broken { file: self.name() });
        }
        if self.written != self.shape.count() {
            return Err(TableError::Count { file: self.name(), found: self.appended(), expected: self.shape.count() });
        }
        if !self.group.is_empty() {
            self.close_group();
        }
        let header = Header {
            meta: std::mem::take(&mut self.meta),
            width: C::WIDTH,
            omits: Omits(if self.leaves_out { Omits::POSITIONS } else { 0 } | u8::from(self.packer.options().floored)),
            block: self.packer.block(),
            count: self.shape.count(),
            segments: self.shape.segments().iter().map(|s| (s.rows, s.row_len)).collect(),
            index_at: self.at,
            model: self.packer.options().codec.model().map(Model::to_bytes).unwrap_or_default(),
        };
        let header = header.encode().map_err(|finding| TableError::Malformed {
            file: self.name(),
            part: Part::Header,
            finding,
        })?;
        let index = std::mem::take(&mut self.index);
        self.write(&index)?;
        let header_at = self.at;
        self.write(&header)?;
        if self.shared {
            self.body_sum = self.read_back().map_err(|source| self.io_error("read the table back", source))?;
        }
        let preamble = Preamble {
            finished: true,
            file_len: self.at,
            header_at,
            header_sum: xxh3_64(&header),
            body_sum: self.body_sum.digest(),
        };
        self.publish(&preamble)?;
        Ok(preamble.file_len)
    }

    /// The checksum of everything after the preamble, others' blocks included.
    fn read_back(&self) -> io::Result<Box<Xxh3>> {
        // Opened anew, since a shared file system shows what others wrote to those who open a file after that.
        let mut file = File::open(self.partial())?;
        file.seek(SeekFrom::Start(PREAMBLE as u64))?;
        let mut sum = Box::<Xxh3>::default();
        let mut piece = vec![0; BATCH];
        let mut left = self.at - PREAMBLE as u64;
        while left > 0 {
            let len = usize::try_from(left).unwrap_or(BATCH).min(BATCH);
            file.read_exact(&mut piece[..len])?;
            sum.update(&piece[..len]);
            left -= len as u64;
        }
        Ok(sum)
    }

    /// Makes the temporary file the table.
    fn publish(self, preamble: &Preamble) -> Result<(), TableError> {
        let mut file = self.file.as_file();
        // The body must be on disk before the preamble vouches for it.
        file.sync_all()
            .and_then(|()| file.seek(SeekFrom::Start(0)))
            .and_then(|_| file.write_all(&preamble.encode()))
            .and_then(|()| file.sync_all())
            .map_err(|source| self.io_error("write the table to disk", source))?;
        let failed = |action, source| TableError::Io { file: self.path.display().to_string(), action, source };
        self.file.persist(&self.path).map_err(|error| failed("rename the finished table", error.error))?;
        // Elsewhere a folder cannot be opened; the rename is as durable as the system makes it.
        #[cfg(unix)]
        File::open(folder_of(&self.path))
            .and_then(|folder| folder.sync_all())
            .map_err(|source| failed("write the folder to disk", source))?;
        Ok(())
    }

    fn name(&self) -> String {
        self.path.display().to_string()
    }

    fn io_error(&self, action: &'static str, source: io::Error) -> TableError {
        TableError::Io { file: self.name(), action, source }
    }
}

/// A floor that leaves no choice, except for the lowest value, which leaves none anyway.
fn below<C: Cell>(value: &C) -> C {
    C::narrow((*value).into().saturating_sub(1)).unwrap_or(*value)
}

/// The folder `path` lies in.
fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

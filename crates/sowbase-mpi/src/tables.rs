//! Writing the table of a solved layer together, and holding layers for those above.
//!
//! The table is made window by window: each process gathers the values of its part of a window, consecutive blocks of
//! the table, and packs these. The root notes the lengths of all, tells each process where its part begins, and everybody
//! writes; or, where not all see the root's folder, they send their parts to the root. Then the root adds the header and
//! renames the file. What is in memory beside the layer is one window.

use std::collections::BTreeMap;
use std::fs::File;
use std::ops::Range;
use std::os::unix::fs::FileExt as _;
use std::path::PathBuf;

use rayon::prelude::*;
use sowbase::database::{Database, OpenLayer, recipe, shape};
use sowbase::index::LayerIndex;
use sowbase::rules::{Layer, Moves};
use sowbase::solve::LeftOut;
use sowbase::table::{Cell, Model, Packed, Packer, TableError, Writer};

use crate::below::Below;
use crate::error::Error;
use crate::folders::Folders;
use crate::partition::{Partition, split};
use crate::solve::{Words, Work};
use crate::tally::Tally;
use crate::transport::Transport;

/// Values of a window for each process, at the most.
const WINDOW: u64 = 1 << 20;

/// Values of a window for all processes, at the most.
const WHOLE_WINDOW: u64 = 1 << 29;

/// Values of a window for each of so many processes.
fn window(processes: usize) -> u64 {
    WINDOW.min(WHOLE_WINDOW / processes as u64).max(1)
}

/// What became of a layer's values.
pub struct Written<C> {
    /// Bytes of the table.
    pub bytes: u64,
    /// The values of the whole layer, if they are to be held.
    pub held: Option<Vec<C>>,
    /// Bytes that this process sent so that all can hold the layer.
    pub shared: u64,
}

/// Writes the table of a layer, and gives everybody its values if they are to be held. A meeting.
///
/// # Errors
/// A layer below is damaged, the table cannot be written, or somebody was asked to stop.
pub fn write<T: Tally>(
    work: &Work<'_>,
    words: &Words<T>,
    database: &Database,
    folders: &Folders,
    hold: bool,
) -> Result<Written<T::Cell>, Error> {
    let Work { transport, index, below, progress, .. } = *work;
    let layer = index.layer();
    let own = transport.process();
    let floored = below.is_floored();
    let histogram = histogram::<T>(work, words);
    let options = recipe::table_options(fit(work, words, floored)?, floored);
    let shape = shape(index)?;
    let packer = Packer::new(&shape, options.clone());
    let mut sink = Sink::<T::Cell>::create(transport, database, layer, folders, || {
        let meta = recipe::meta(below.rules(), index, histogram);
        let mut writer = Writer::create(&database.file(layer), meta, shape, options)?;
        if LeftOut::of(below.rules(), index).is_some_and(|left_out| !left_out.is_empty()) {
            writer.leave_out();
        }
        Ok(writer)
    })?;
    progress.stage("write", index.size());
    let mut held = hold.then(|| Vec::with_capacity(index.size() as usize));
    let mut shared = 0;
    for window in windows(&packer, transport.processes()) {
        work.check()?;
        let ranks = |blocks: &Range<u64>| packer.start(blocks.start)..packer.start(blocks.end);
        let parts: Vec<Range<u64>> = window.iter().map(ranks).collect();
        let values = collect(work, words, &parts)?;
        let floors = if floored { Some(floors::<T>(work, &parts[own])?) } else { None };
        let packed = packer.pack(window[own].start, &values, floors.as_deref());
        sink.append(&packed.map_err(|source| Error::Pack { layer, source })?, &window)?;
        if let Some(held) = &mut held {
            let before = transport.sent();
            share(transport, &values, held);
            shared += transport.sent() - before;
        }
        progress.advance(parts.iter().map(|part| part.end - part.start).sum());
    }
    Ok(Written { bytes: sink.finish()?, held, shared })
}

/// Where the parts of a table go.
struct Sink<'a, C: Cell> {
    transport: &'a Transport,
    /// The root's.
    writer: Option<Writer<C>>,
    /// The unfinished file, if everybody writes to it.
    partial: Option<(PathBuf, File)>,
}

impl<'a, C: Cell> Sink<'a, C> {
    /// Makes the file. A meeting.
    fn create(
        transport: &'a Transport,
        database: &Database,
        layer: Layer,
        folders: &Folders,
        create: impl FnOnce() -> Result<Writer<C>, TableError>,
    ) -> Result<Self, Error> {
        let writer = if transport.is_root() { Some(create()?) } else { None };
        if folders.apart {
            return Ok(Self { transport, writer, partial: None });
        }
        let name = writer.as_ref().and_then(|writer| writer.partial().file_name()?.to_str());
        let mut name = name.unwrap_or_default().to_owned().into_bytes();
        transport.broadcast(&mut name);
        // The name is the root's own for the table of this layer.
        let path = database.file(layer).with_file_name(String::from_utf8_lossy(&name).into_owned());
        let file = File::options().write(true).open(&path);
        let file = file.map_err(|source| Error::Io { path: path.clone(), action: "open the table", source })?;
        Ok(Self { transport, writer, partial: Some((path, file)) })
    }

    /// Appends the parts of a window, of which `window` tells the blocks. A meeting.
    fn append(&mut self, packed: &Packed, window: &[Range<u64>]) -> Result<(), Error> {
        let mut message: Vec<u8> = packed.entries.iter().flat_map(|entry| entry.to_le_bytes()).collect();
        let Some((path, file)) = &self.partial else {
            message.extend_from_slice(&packed.bytes);
            if let (Some(messages), Some(writer)) = (self.transport.gather(message), &mut self.writer) {
                for ((from, message), blocks) in messages.into_iter().enumerate().zip(window) {
                    let (entries, bytes) = read_entries(from, &message, blocks)?;
                    writer.append_packed(&Packed { first: blocks.start, entries, bytes: bytes.to_vec() })?;
                }
            }
            return Ok(());
        };
        let mut starts = Vec::new();
        if let (Some(messages), Some(writer)) = (self.transport.gather(message), &mut self.writer) {
            for ((from, message), blocks) in messages.into_iter().enumerate().zip(window) {
                let (entries, _) = read_entries(from, &message, blocks)?;
                starts.extend(writer.reserve(blocks.start, &entries)?.to_le_bytes());
            }
        }
        self.transport.broadcast(&mut starts);
        let own = self.transport.process();
        let expected = 8 * self.transport.processes() as u64;
        let mut start = [0; 8];
        match starts.get(8 * own..8 * own + 8) {
            Some(bytes) => start.copy_from_slice(bytes),
            None => return Err(Error::Length { from: 0, found: starts.len() as u64, expected }),
        }
        let written = file.write_all_at(&packed.bytes, u64::from_le_bytes(start));
        written.map_err(|source| Error::Io { path: path.clone(), action: "write the table", source })
    }

    /// Gives the table its name; returns its bytes. A meeting.
    fn finish(self) -> Result<u64, Error> {
        if let Some((path, file)) = self.partial {
            file.sync_all().map_err(|source| Error::Io { path, action: "write the table to disk", source })?;
            // Everybody's part is on the disk before the root reads the file and vouches for it.
            self.transport.any(false);
        }
        let bytes = self.writer.map(Writer::finish).transpose()?.unwrap_or(0);
        Ok(self.transport.most(bytes))
    }
}

fn read_entries<'m>(from: usize, message: &'m [u8], blocks: &Range<u64>) -> Result<(Vec<u16>, &'m [u8]), Error> {
    let expected = 2 * (blocks.end - blocks.start) as usize;
    let short = Error::Length { from, found: message.len() as u64, expected: expected as u64 };
    let (entries, bytes) = message.split_at_checked(expected).ok_or(short)?;
    Ok((entries.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect(), bytes))
}

/// Reads a table together, to hold the layer. A meeting.
///
/// # Errors
/// This table or one below is damaged, or somebody was asked to stop.
pub fn read(transport: &Transport, below: &Below<'_>, open: &OpenLayer) -> Result<Vec<i8>, Error> {
    let size = open.index.size();
    let mut held = Vec::with_capacity(size as usize);
    let step = window(transport.processes()) * transport.processes() as u64;
    for start in (0..size).step_by(step as usize) {
        let part = split(&(start..size.min(start + step)), transport.processes()).swap_remove(transport.process());
        let mut values = vec![0_i8; (part.end - part.start) as usize];
        open.table.read(part.start, &mut values)?;
        if open.table.floored() {
            let exits = below.exits(&open.index, part)?;
            values.iter_mut().zip(exits).for_each(|(value, exit)| *value = exit.max(*value));
        }
        share(transport, &values, &mut held);
    }
    if let Some(left_out) = LeftOut::of(below.rules(), &open.index).filter(|_| open.table.leaves_out()) {
        let mut ranks = Vec::new();
        left_out.for_each(|rank| ranks.push(rank));
        let found: Vec<i8> = ranks
            .par_iter()
            .map(|&rank| best_move(below, &open.index, &held, rank as u64))
            .collect::<Result<_, _>>()?;
        ranks.into_iter().zip(found).for_each(|(rank, value)| held[rank] = value);
    }
    Ok(held)
}

/// What a position is worth by its moves; those that stay in the layer lead to positions whose values are in `held`.
fn best_move(below: &Below<'_>, index: &LayerIndex, held: &[i8], rank: u64) -> Result<i8, Error> {
    let mut inside = i8::MIN;
    let look = below.look(index.layer(), &index.unrank(rank), &mut Moves::new(), |child| {
        inside = inside.max(-held[index.rank(child) as usize]);
    })?;
    Ok(look.best.max(inside))
}

/// Appends the values of all processes.
fn share<C: Cell>(transport: &Transport, values: &[C], all: &mut Vec<C>) {
    let mut bytes = Vec::with_capacity(values.len() * usize::from(C::WIDTH));
    C::put(values, &mut bytes);
    let bytes = transport.share(&bytes);
    let before = all.len();
    all.resize(before + bytes.len() / usize::from(C::WIDTH), C::default());
    C::get(&bytes, C::WIDTH, &mut all[before..]);
}

/// The blocks of each window, as the part of each process.
fn windows(packer: &Packer, processes: usize) -> Vec<Vec<Range<u64>>> {
    let blocks = packer.blocks();
    let values_a_block = (packer.start(blocks) / blocks.max(1)).max(1);
    let step = (window(processes) / values_a_block).max(1) * processes as u64;
    let starts = (0..blocks).step_by(step as usize);
    starts.map(|start| split(&(start..blocks.min(start + step)), processes)).collect()
}

/// The values of the part of this process, from wherever they are. A meeting.
fn collect<T: Tally>(work: &Work<'_>, words: &Words<T>, parts: &[Range<u64>]) -> Result<Vec<T::Cell>, Error> {
    let Work { transport, partition, .. } = *work;
    let own = transport.process();
    let own_pieces = |part: &Range<u64>| {
        let mut bytes = Vec::new();
        for piece in partition.cut(part.clone()) {
            let (owner, first) = partition.owner(piece.start);
            if owner == own {
                let places = first..first + (piece.end - piece.start) as u32;
                let values: Vec<T::Cell> = places.map(|place| words.value(place)).collect();
                T::Cell::put(&values, &mut bytes);
            }
        }
        bytes
    };
    let mut outgoing: Vec<Vec<u8>> = parts.par_iter().map(own_pieces).collect();
    let to_itself = std::mem::take(&mut outgoing[own]);
    let mut incoming = transport.exchange(&outgoing, 0).incoming;
    incoming[own] = to_itself;
    assemble(&incoming, &partition, &parts[own])
}

/// Puts the pieces of a part in order that arrived from each owner in its own.
fn assemble<C: Cell>(incoming: &[Vec<u8>], partition: &Partition, part: &Range<u64>) -> Result<Vec<C>, Error> {
    let width = usize::from(C::WIDTH);
    let mut next = vec![0; incoming.len()];
    let mut values = vec![C::default(); (part.end - part.start) as usize];
    for piece in partition.cut(part.clone()) {
        let (from, _) = partition.owner(piece.start);
        let bytes = (piece.end - piece.start) as usize * width;
        let end = next[from] + bytes;
        let found = incoming[from].len();
        let slice = incoming[from].get(next[from]..end);
        let slice = slice.ok_or(Error::Length { from, found: found as u64, expected: end as u64 })?;
        let at = (piece.start - part.start) as usize;
        C::get(slice, C::WIDTH, &mut values[at..at + bytes / width]);
        next[from] = end;
    }
    Ok(values)
}

/// What the layers below tell of a part.
fn floors<T: Tally>(work: &Work<'_>, part: &Range<u64>) -> Result<Vec<T::Cell>, Error> {
    let mut exits = work.below.exits(work.index, part.clone())?;
    // Where no move leads, anything may be stored.
    if let Some(left_out) = LeftOut::of(work.below.rules(), work.index) {
        left_out
            .for_each_in(part.start as usize..part.end as usize, |rank| exits[rank - part.start as usize] = i8::MAX);
    }
    Ok(exits.into_iter().map(|exit| T::Cell::narrow(exit.into()).unwrap_or_default()).collect())
}

/// Fits the model of the table: at the root, to the same sample that a single process takes. A meeting.
fn fit<T: Tally>(work: &Work<'_>, words: &Words<T>, floored: bool) -> Result<Model, Error> {
    let Work { transport, index, .. } = *work;
    work.progress.stage("sample", 0);
    let (mut sampled, mut sampled_floors) = (Vec::<T::Cell>::new(), Vec::<T::Cell>::new());
    for stretch in recipe::sample(index.size()) {
        let parts = split(&stretch, transport.processes());
        let values = collect(work, words, &parts)?;
        let mut message = Vec::new();
        T::Cell::put(&values, &mut message);
        if floored {
            T::Cell::put(&floors::<T>(work, &parts[transport.process()])?, &mut message);
        }
        for (from, message) in transport.gather(message).into_iter().flatten().enumerate() {
            let count = (parts[from].end - parts[from].start) as usize;
            let bytes = count * usize::from(T::Cell::WIDTH);
            let expected = if floored { 2 * bytes } else { bytes };
            if message.len() != expected {
                return Err(Error::Length { from, found: message.len() as u64, expected: expected as u64 });
            }
            append(&mut sampled, &message[..bytes], count);
            append(&mut sampled_floors, &message[bytes..], if floored { count } else { 0 });
        }
    }
    let mut bytes = Vec::new();
    if transport.is_root() {
        bytes = Model::fit(&sampled, floored.then_some(&sampled_floors[..])).to_bytes();
    }
    transport.broadcast(&mut bytes);
    Model::from_bytes(&bytes, T::Cell::WIDTH).map_err(|finding| Error::Model { layer: index.layer(), finding })
}

fn append<C: Cell>(values: &mut Vec<C>, bytes: &[u8], count: usize) {
    let before = values.len();
    values.resize(before + count, C::default());
    C::get(bytes, C::WIDTH, &mut values[before..]);
}

/// Positions of all processes by value; a mirrored pair counts twice. A meeting.
fn histogram<T: Tally>(work: &Work<'_>, words: &Words<T>) -> BTreeMap<i16, u64> {
    let Work { transport, index, partition, .. } = *work;
    let process = transport.process();
    let values = 1_usize << (8 * usize::from(T::Cell::WIDTH));
    let slot = |value: T::Cell| (value.into() as usize) & (values - 1);
    let mirrored = index.positions() > index.size();
    let blocks: Vec<Range<u64>> = partition.blocks(process).collect();
    let count = |mut counts: Vec<u64>, block: &Range<u64>| {
        let (_, first) = partition.owner(block.start);
        for (place, rank) in (first..).zip(block.clone()) {
            counts[slot(words.value(place))] += weight(index, rank, mirrored);
        }
        counts
    };
    let add = |mut sums: Vec<u64>, more: Vec<u64>| {
        sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        sums
    };
    let counts = blocks.par_iter().fold(|| vec![0; values], count).reduce(|| vec![0; values], add);
    let counts = transport.sum(&counts);
    let by_value = |value: i16| (value, counts[(value as usize) & (values - 1)]);
    let half = (values / 2) as i32;
    (-half..half).map(|value| by_value(value as i16)).filter(|&(_, count)| count > 0).collect()
}

fn weight(index: &LayerIndex, rank: u64, mirrored: bool) -> u64 {
    if mirrored { u64::from(index.weight(rank)) } else { 1 }
}

//! The only unsafe code of the program: memory maps, and bytes that threads share.
#![allow(unsafe_code)] // Neither mapping a file nor sharing plain bytes can be expressed safely.

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::sync::atomic::{AtomicU8, AtomicU64};

/// Bytes of a huge page, on most systems. Less is not worth asking for.
#[cfg(target_os = "linux")]
const HUGE: usize = 2 << 20;

/// A file mapped for reading.
#[derive(Debug)]
pub(crate) struct Map(memmap2::Mmap);

impl Map {
    /// Maps the whole of `file`.
    pub fn of(file: &File) -> io::Result<Self> {
        // SAFETY: the map is read-only, and the bytes are checked whenever they are used. That
        // nobody changes or truncates the file meanwhile is the caller's contract, see
        // `Access::Map`.
        unsafe { memmap2::MmapOptions::new().map(file) }.map(Self)
    }
}

impl AsRef<[u8]> for Map {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

/// Bytes mapped for reading and writing.
#[derive(Debug)]
pub(super) struct MapMut(memmap2::MmapMut);

impl MapMut {
    /// `len` bytes of memory, in huge pages where the system has them.
    pub fn in_memory(len: usize) -> io::Result<Self> {
        let map = memmap2::MmapMut::map_anon(len)?;
        #[cfg(target_os = "linux")]
        if len >= HUGE {
            // It is only advice: where it is not taken, small pages do as well.
            let _ = map.advise(memmap2::Advice::HugePage);
        }
        Ok(Self(map))
    }

    /// The first `len` bytes of a file that has no name and that nobody else has opened.
    pub fn of(file: &File, len: usize) -> io::Result<Self> {
        // SAFETY: no other program can reach a file without a name through the file system, and this one keeps no
        // other map of it and lets go of the file; so the bytes change through this map alone.
        let map = unsafe { memmap2::MmapOptions::new().len(len).map_mut(file) }?;
        // Where memory is short, reading ahead of places that are all over the file throws out what is needed: kalaha 18,
        // held to 45 MB, takes 5 s so and was given up after 100 s without.
        #[cfg(unix)]
        let _ = map.advise(memmap2::Advice::Random);
        Ok(Self(map))
    }
}

impl AsRef<[u8]> for MapMut {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl AsMut<[u8]> for MapMut {
    fn as_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}

/// Words that many threads change, in huge pages where the system has them.
#[derive(Debug)]
pub(crate) struct Words(MapMut);

impl Words {
    /// `len` words, all 0. Memory is taken when they are first written.
    pub fn new(len: usize) -> io::Result<Self> {
        MapMut::in_memory(len * size_of::<AtomicU64>()).map(Self)
    }
}

impl Deref for Words {
    type Target = [AtomicU64];

    fn deref(&self) -> &[AtomicU64] {
        let bytes = self.0.as_ref();
        // SAFETY: a map begins at a page and holds whole words; any bytes are a word; the map is private here, so that
        // nobody sees its bytes other than as atomics.
        unsafe { std::slice::from_raw_parts(bytes.as_ptr().cast(), bytes.len() / size_of::<AtomicU64>()) }
    }
}

/// Bytes of one owner as bytes that many threads change.
pub(super) fn shared(bytes: &mut [u8]) -> &[AtomicU8] {
    // SAFETY: both types are one byte of any value, and the borrow is exclusive, so that nobody sees the bytes other
    // than as atomics for as long as it lives.
    unsafe { std::slice::from_raw_parts(bytes.as_mut_ptr().cast(), bytes.len()) }
}

//! The memory map: the only unsafe code of the program.
#![allow(unsafe_code)] // Mapping a file cannot be expressed safely.

use std::fs::File;
use std::io;

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

//! Where the bytes of a table come from.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::memory::Map;

/// Bytes that can be read at any place.
pub trait Bytes: Send + Sync {
    /// Number of bytes.
    fn len(&self) -> u64;

    /// Whether there are no bytes.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The `len` bytes from `at` on, borrowed from the source or read into `scratch`.
    ///
    /// # Errors
    ///
    /// [`io::ErrorKind::UnexpectedEof`] if they do not exist, otherwise what the system reports.
    fn read<'a>(&'a self, at: u64, len: usize, scratch: &'a mut Vec<u8>) -> io::Result<&'a [u8]>;
}

impl<T: AsRef<[u8]> + Send + Sync> Bytes for T {
    fn len(&self) -> u64 {
        self.as_ref().len() as u64
    }

    fn read<'a>(&'a self, at: u64, len: usize, _: &'a mut Vec<u8>) -> io::Result<&'a [u8]> {
        usize::try_from(at)
            .ok()
            .and_then(|at| self.as_ref().get(at..at.checked_add(len)?))
            .ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
    }
}

/// How a table file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Access {
    /// Through a memory map: the fastest, for files nobody cuts short meanwhile.
    ///
    /// If another process truncates the file while it is mapped, touching the missing pages ends
    /// this process with a bus error. Finished tables are never changed in place by this program,
    /// only replaced by renaming, which leaves existing maps whole; so the contract is kept unless
    /// someone truncates or overwrites a table by other means. Where that cannot be excluded (a
    /// server, a network file system), use [`Access::Read`].
    #[default]
    Map,
    /// By positioned reads, a system call for each index record and block: a shortened file
    /// is an ordinary error.
    Read,
}

/// An open file, mapped or read at positions.
#[derive(Debug)]
pub struct FileBytes(Open);

#[derive(Debug)]
enum Open {
    Map(Map),
    Read { file: File, len: u64 },
}

impl FileBytes {
    /// Opens `path` for reading.
    ///
    /// # Errors
    ///
    /// What the system reports on opening, sizing or mapping the file.
    pub fn open(path: &Path, access: Access) -> io::Result<Self> {
        let file = File::open(path)?;
        let len = file.metadata()?.len();
        Ok(Self(match access {
            Access::Map => Open::Map(Map::of(&file)?),
            Access::Read => Open::Read { file, len },
        }))
    }
}

impl Bytes for FileBytes {
    fn len(&self) -> u64 {
        match &self.0 {
            Open::Map(map) => map.as_ref().len() as u64,
            Open::Read { len, .. } => *len,
        }
    }

    fn read<'a>(&'a self, at: u64, len: usize, scratch: &'a mut Vec<u8>) -> io::Result<&'a [u8]> {
        match &self.0 {
            Open::Map(map) => map.read(at, len, scratch),
            Open::Read { file, len: whole } => {
                // A length from a damaged file must not size the buffer.
                if at.checked_add(len as u64).is_none_or(|end| end > *whole) {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                scratch.resize(len, 0);
                read_exact_at(file, scratch, at)?;
                Ok(scratch)
            }
        }
    }
}

#[cfg(unix)]
fn read_exact_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(windows)]
fn read_exact_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        let read = std::os::windows::fs::FileExt::seek_read(file, bytes, at)?;
        if read == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        bytes = &mut bytes[read..];
        at += read as u64;
    }
    Ok(())
}

//! Bytes by the million, apart from the heap: in pages of memory, in a file without a name, or in a file that is read.
//!
//! Solvers touch a layer's bytes all over the place, and with pages of 4 KiB every other touch has to look up where a
//! page lies. So bytes in memory are asked for in huge pages, where the system has them. Where memory is too small for a
//! layer its bytes lie in a file without a name, mapped and shared: the system keeps as much of it in memory as there is
//! room for, writes out the rest, and forgets the file when the program ends in whatever way.

mod map;

use std::io::{self, Write};
use std::ops::{Deref, DerefMut};
use std::path::Path;
use std::sync::atomic::AtomicU8;

use map::MapMut;
pub(crate) use map::{Map, Words};

/// Where pages are taken from.
#[derive(Clone, Copy, Debug)]
pub enum Room<'a> {
    /// Memory.
    Memory,
    /// Files without names in this folder.
    Folder(&'a Path),
}

impl Room<'_> {
    /// `len` bytes, all 0. In a folder, the disk has room for all of them when this returns.
    ///
    /// # Errors
    /// There is not as much room, or the system refuses a file or a map.
    pub fn pages(self, len: usize) -> io::Result<Pages> {
        match self {
            Self::Memory => Ok(Pages { map: MapMut::in_memory(len)?, in_file: false }),
            Self::Folder(folder) => {
                let file = tempfile::tempfile_in(folder)?;
                // What is written to a hole of a full disk through a map would end the program.
                fs4::FileExt::allocate(&file, len as u64)?;
                Ok(Pages { map: MapMut::of(&file, len)?, in_file: true })
            }
        }
    }

    /// Whether this is a folder.
    #[must_use]
    pub fn is_folder(self) -> bool {
        matches!(self, Self::Folder(_))
    }
}

/// Some bytes in pages of their own.
#[derive(Debug)]
pub struct Pages {
    map: MapMut,
    in_file: bool,
}

impl Pages {
    /// A copy of `bytes` in a file without a name in `folder`.
    ///
    /// # Errors
    /// The system refuses a file or a map, or the disk is full.
    pub fn copied_to(folder: &Path, bytes: &[u8]) -> io::Result<Self> {
        let mut file = tempfile::tempfile_in(folder)?;
        file.write_all(bytes)?;
        Ok(Self { map: MapMut::of(&file, bytes.len())?, in_file: true })
    }

    /// Whether they lie in a file rather than in memory.
    #[must_use]
    pub fn in_file(&self) -> bool {
        self.in_file
    }

    /// The bytes as numbers with a sign.
    #[must_use]
    pub fn signed(&self) -> &[i8] {
        bytemuck::cast_slice(self)
    }

    /// The bytes as numbers with a sign, to change.
    #[must_use]
    pub fn signed_mut(&mut self) -> &mut [i8] {
        bytemuck::cast_slice_mut(self)
    }

    /// The bytes as threads may change them all at once.
    #[must_use]
    pub fn shared(&mut self) -> &[AtomicU8] {
        map::shared(self)
    }
}

impl Deref for Pages {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.map.as_ref()
    }
}

impl DerefMut for Pages {
    fn deref_mut(&mut self) -> &mut [u8] {
        self.map.as_mut()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::Ordering::Relaxed;

    use super::*;

    #[test]
    fn pages_are_bytes_wherever_they_are() {
        let folder = tempfile::tempdir().expect("a folder");
        for room in [Room::Memory, Room::Folder(folder.path())] {
            for len in [0, 1, 5000, 5 << 20] {
                let mut pages = room.pages(len).expect("room");
                assert!(pages.len() == len && pages.iter().all(|&byte| byte == 0));
                pages.iter_mut().zip(0..).for_each(|(byte, i): (_, usize)| *byte = (i % 251) as u8);
                pages.shared().iter().for_each(|byte| {
                    byte.fetch_add(1, Relaxed);
                });
                let copy = Pages::copied_to(folder.path(), &pages).expect("room");
                assert!(copy.iter().zip(0..).all(|(&byte, i): (_, usize)| byte == (i % 251) as u8 + 1));
                assert_eq!(copy.signed().get(200), pages.signed_mut().get(200));
            }
        }
        assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 0);
    }

    #[test]
    fn words_are_changed_by_all() {
        let words = Words::new(1 << 19).expect("room");
        assert!(words.len() == 1 << 19 && words.iter().all(|word| word.load(Relaxed) == 0));
        std::thread::scope(|scope| {
            for thread in 0..2 {
                let words = &words;
                scope.spawn(move || words.iter().skip(thread).step_by(2).for_each(|word| word.store(7, Relaxed)));
            }
        });
        assert!(words.iter().all(|word| word.load(Relaxed) == 7));
        assert!(Words::new(1 << 58).is_err());
    }

    #[test]
    fn a_full_disk_is_an_error() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(Room::Folder(folder.path()).pages(1 << 60).is_err());
    }
}

//! Folders on many machines: one that all see, or one on each.
//!
//! Whether the processes see the root's folder is found out by trying. Where some do not, each folder gets a copy of
//! every table, so that the layers below are at hand on each machine and are fetched once.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use sowbase::database::Database;
use sowbase::rules::Layer;

use crate::checkpoint::common_stamp;
use crate::error::Error;
use crate::transport::Transport;

/// Bytes copied at a time.
const PIECE: usize = 1 << 24;

/// How the folder of this process relates to the root's.
#[derive(Clone, Copy, Debug)]
pub struct Folders {
    /// Whether any process has another folder than the root.
    pub apart: bool,
    /// Whether this process keeps a folder that is not the root's, alone of all that see it.
    keeper: bool,
}

impl Folders {
    /// Finds out who sees what. A meeting.
    ///
    /// # Errors
    /// A folder cannot be made or written to.
    pub fn find(transport: &Transport, folder: &Path) -> Result<Self, Error> {
        let failed = |source| Error::Io { path: folder.to_owned(), action: "write to the folder", source };
        fs::create_dir_all(folder).map_err(failed)?;
        let token = folder.join(format!(".{:016x}.partial", common_stamp(transport)));
        if transport.is_root() {
            File::create(&token).map_err(failed)?;
        }
        transport.any(false);
        let sees = token.try_exists().map_err(failed)?;
        let apart = transport.any(!sees);
        // Of the processes that share another folder one is the first to make the file.
        let keeper = !sees && File::create_new(&token).is_ok();
        transport.any(false);
        if keeper || transport.is_root() {
            fs::remove_file(&token).map_err(failed)?;
        }
        Ok(Self { apart, keeper })
    }

    /// Copies the root's table of a layer to every other folder that has not got it. A meeting.
    ///
    /// # Errors
    /// A file cannot be read or written.
    pub fn fetch(&self, transport: &Transport, database: &Database, layer: Layer) -> Result<(), Error> {
        if !self.apart {
            return Ok(());
        }
        let path = database.file(layer);
        let read_failed = |source| Error::Io { path: path.clone(), action: "read the table", source };
        let write_failed = |source| Error::Io { path: path.clone(), action: "copy the table", source };
        let mut source = None;
        let mut len = 0;
        if transport.is_root() {
            let file = File::open(&path).map_err(read_failed)?;
            len = file.metadata().map_err(read_failed)?.len();
            source = Some(file);
        }
        let len = transport.most(len);
        let needs = self.keeper && fs::metadata(&path).map_or(0, |found| found.len()) != len;
        if !transport.any(needs) {
            return Ok(());
        }
        let partial = partial_of(&path);
        let mut copy = if needs { Some(File::create(&partial).map_err(write_failed)?) } else { None };
        let mut piece = Vec::new();
        let mut left = len;
        while left > 0 {
            if let Some(source) = &mut source {
                piece.resize(PIECE.min(left as usize), 0);
                source.read_exact(&mut piece).map_err(read_failed)?;
            }
            transport.broadcast(&mut piece);
            if let Some(copy) = &mut copy {
                copy.write_all(&piece).map_err(write_failed)?;
            }
            left -= piece.len() as u64;
        }
        if let Some(copy) = copy {
            copy.sync_all().and_then(|()| fs::rename(&partial, &path)).map_err(write_failed)?;
        }
        transport.any(false);
        Ok(())
    }
}

/// A name for the unfinished copy, which the next build removes if this one dies.
fn partial_of(table: &Path) -> PathBuf {
    let mut name = std::ffi::OsString::from(".");
    name.push(table.file_name().unwrap_or_default());
    name.push(".copy.partial");
    table.with_file_name(name)
}

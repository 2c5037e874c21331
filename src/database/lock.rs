//! One build at a time in a folder.

use std::fs::{self, File, TryLockError};
use std::path::Path;

use super::DatabaseError;

/// Holds the folder's lock until dropped; the system frees it if the process dies.
pub struct FolderLock {
    _file: File,
}

impl FolderLock {
    /// Creates the folder if need be and locks it.
    pub(super) fn take(folder: &Path) -> Result<Self, DatabaseError> {
        fs::create_dir_all(folder).map_err(|source| DatabaseError::io(folder, "create the folder", source))?;
        let path = folder.join(".lock");
        let file = File::create(&path).map_err(|source| DatabaseError::io(&path, "create the lock", source))?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(DatabaseError::Locked { folder: folder.to_owned() }),
            Err(TryLockError::Error(source)) => Err(DatabaseError::io(&path, "lock the folder", source)),
        }
    }
}

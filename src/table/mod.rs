//! Table files: the values of one layer, packed in small blocks that are read one by one.
//!
//! A table knows no game. It holds a sequence of values, one for each rank, in rows of given
//! lengths ([`Shape`]), together with a description that it does not interpret ([`Meta`]).
//! [`Writer`] makes one (with blocks that several [`Packer`]s may have packed), [`Table`] reads one from any bytes, [`TableFile`] from a file, and
//! [`BlockCache`] keeps decoded blocks of many. `docs/format.md` shows every byte.
//!
//! ```
//! use sowbase::table::{Access, Codec, Meta, Options, Shape, TableFile, Writer};
//!
//! let folder = tempfile::tempdir()?;
//! let path = folder.path().join("layer");
//! let options = Options { codec: Codec::Zstd(19), block: None, floored: false };
//! let mut writer = Writer::<i8>::create(&path, Meta::default(), Shape::flat(3)?, options)?;
//! writer.append(&[2, -1, 0], None)?;
//! writer.finish()?;
//!
//! let table = TableFile::open(&path, Access::Map)?;
//! assert_eq!(table.value(1)?, -1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod block;
mod cache;
mod cell;
mod context;
mod error;
mod header;
mod packer;
mod reader;
mod shape;
mod source;
mod writer;

pub use cache::BlockCache;
pub use cell::Cell;
pub use context::Model;
pub use error::{Part, TableError};
pub use header::{BLOCK_MAX, FORMAT_VERSION, Meta};
pub use packer::{Packed, Packer};
pub use reader::{Table, TableFile};
pub use shape::{Segment, Shape};
pub use source::{Access, Bytes, FileBytes};
pub use writer::{Codec, Options, Writer};

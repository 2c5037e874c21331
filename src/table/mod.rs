//! Table files: the values of one layer, packed in small blocks that are read one by one.
mod block;
mod cache;
mod cell;
mod context;
mod error;
mod header;
mod map;
mod reader;
mod shape;
mod source;
mod writer;

pub use cache::BlockCache;
pub use cell::Cell;
pub use context::Model;
pub use error::{Part, TableError};
pub use header::{BLOCK_MAX, FORMAT_VERSION, Meta};
pub use reader::{Table, TableFile};
pub use shape::{Segment, Shape};
pub use source::{Access, Bytes, FileBytes};
pub use writer::{Codec, Options, Writer};

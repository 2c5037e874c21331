//! Table files.

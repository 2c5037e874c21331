//! Proofs on disk.

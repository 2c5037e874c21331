//! Positions as text.

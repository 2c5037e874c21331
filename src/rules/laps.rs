//! Recognising a sowing that never stops.

use super::Board;

/// Watches the laps of one move for a repetition, with the memory of a single board.
///
/// A lap is determined by the board and the pit being lifted (and by the direction or the seeds in hand, where a game
/// has them, passed as part of `at`). Brent's method: keep one such state, compare each later one with it, and replace
/// it after 1, 2, 4, ... laps; a cycle of any length is met as soon as the kept state lies on it and the gap to the
/// next replacement is as long as the cycle. So a repetition is found exactly, after at most about three times the
/// laps up to its first occurrence.
#[derive(Debug)]
pub struct LapWatch {
    kept: Option<(Board, u32)>,
    laps: u32,
    replace_at: u32,
}

impl LapWatch {
    /// Short moves are never compared at all: the watch begins after this many laps.
    const QUIET: u32 = 16;

    /// A watch for a new move.
    #[must_use]
    pub fn new() -> Self {
        Self { kept: None, laps: 0, replace_at: Self::QUIET }
    }

    /// Tells whether the state at the beginning of this lap has been there before in this move.
    #[inline]
    pub fn repeats(&mut self, board: &Board, at: u32) -> bool {
        self.laps += 1;
        if self.laps < Self::QUIET {
            return false;
        }
        if self.kept.as_ref().is_some_and(|(kept, pit)| *pit == at && kept == board) {
            return true;
        }
        if self.laps == self.replace_at {
            self.kept = Some((*board, at));
            self.replace_at = self.replace_at.saturating_mul(2);
        }
        false
    }
}

impl Default for LapWatch {
    fn default() -> Self {
        Self::new()
    }
}

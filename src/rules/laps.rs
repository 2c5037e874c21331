//! Recognising a sowing that never stops.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::Board;

thread_local! {
    static GIVE_UP: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// Does `work`, in which sowings that go on and on are cut short once `give_up` is set.
///
/// With many seeds on the board a single sowing can take seconds, and whoever asked may not want to wait for it. One
/// that was cut short looks endless, so that what `work` found when `give_up` is set must not be used.
pub fn while_wanted<T>(give_up: &Arc<AtomicBool>, work: impl FnOnce() -> T) -> T {
    GIVE_UP.set(Some(Arc::clone(give_up)));
    let found = work();
    GIVE_UP.set(None);
    found
}

fn is_unwanted() -> bool {
    GIVE_UP.with_borrow(|give_up| give_up.as_ref().is_some_and(|give_up| give_up.load(Relaxed)))
}

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
    laps: u64,
    replace_at: u64,
}

impl LapWatch {
    /// Short moves are never compared at all: the watch begins after this many laps.
    const QUIET: u64 = 16;

    /// Laps between two looks whether the end is still wanted, some tenths of a millisecond.
    const LOOK: u64 = 1 << 13;

    /// A watch for a new move.
    #[must_use]
    pub fn new() -> Self {
        Self { kept: None, laps: 0, replace_at: Self::QUIET }
    }

    /// Tells whether the state at the beginning of this lap has been there before in this move, or whether nobody wants
    /// to know any more; see [`while_wanted`].
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
            self.replace_at *= 2;
        }
        self.laps.is_multiple_of(Self::LOOK) && is_unwanted()
    }
}

impl Default for LapWatch {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sowing_that_nobody_wants_is_cut_short() {
        let states = |watch: &mut LapWatch, laps: u32| {
            let board = Board::empty(2);
            (0..laps).find(|&at| watch.repeats(&board, at))
        };
        let give_up = Arc::new(AtomicBool::new(false));
        let wanted = while_wanted(&give_up, || states(&mut LapWatch::new(), 100_000));
        assert_eq!(wanted, None);
        give_up.store(true, Relaxed);
        let unwanted = while_wanted(&give_up, || states(&mut LapWatch::new(), 100_000));
        assert_eq!(unwanted, Some(LapWatch::LOOK as u32 - 1));
        assert_eq!(states(&mut LapWatch::new(), 100_000), None);
    }
}

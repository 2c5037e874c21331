//! A layer that is solved with interruptions has the values of one that is solved straight.

mod boards;

use std::io::{self, Read, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use boards::{rules_of, solve_below};
use sowbase::rules::{Layer, Rules};
use sowbase::solve::{Checkpoint, Lower, Progress, SolveError, Values, Work, resume};

/// Cancels when it has been asked so often whether it does.
struct Impatient {
    asks: AtomicU32,
}

impl Progress for Impatient {
    fn stage(&self, _: &'static str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn is_cancelled(&self) -> bool {
        self.asks.fetch_update(Relaxed, Relaxed, |asks| asks.checked_sub(1)).is_err()
    }
}

/// Keeps the work in memory.
#[derive(Default)]
struct Desk {
    left: Mutex<Option<Vec<u8>>>,
    times: AtomicU32,
    always_due: bool,
}

impl Checkpoint for Desk {
    fn left(&self) -> Option<Box<dyn Read + '_>> {
        let left = self.left.lock().expect("no panic before").clone()?;
        Some(Box::new(io::Cursor::new(left)))
    }

    fn is_due(&self) -> bool {
        self.always_due && self.times.load(Relaxed) < 5
    }

    fn leave(&self, write: &mut dyn FnMut(&mut dyn Write) -> io::Result<()>) {
        let mut bytes = Vec::new();
        write(&mut bytes).expect("memory takes everything");
        *self.left.lock().expect("no panic before") = Some(bytes);
        self.times.fetch_add(1, Relaxed);
    }
}

/// Games of every kind of solver, with layers of several runs or tiles.
const LAYERS: [(&str, usize, u8); 7] = [
    ("oware", 6, 9),
    ("awale", 6, 8),
    ("kalaha", 6, 9),
    ("bao-kenya", 6, 8),
    ("bao-laps", 6, 8),
    ("nam-nam", 6, 8),
    ("kujifunza", 3, 12),
];

/// The rules of a game, the layers below one, that layer, and its values.
fn solved(game: &str, pits: usize, seeds: u8) -> (Box<dyn Rules>, Lower, Layer, Values) {
    let rules = rules_of(game, pits);
    let lower = solve_below(rules.as_ref(), seeds);
    let layer = Layer::of(seeds);
    let straight = resume(rules.as_ref(), layer, &lower, Work::ALONE).expect("it ends").layer.values;
    (rules, lower, layer, straight)
}

#[test]
fn interruptions_do_not_show_in_the_values() {
    for (game, pits, seeds) in LAYERS {
        let (rules, lower, layer, straight) = solved(game, pits, seeds);
        let desk = Desk::default();
        let mut patience = 0;
        let values = loop {
            let progress = Impatient { asks: AtomicU32::new(patience) };
            match resume(rules.as_ref(), layer, &lower, Work { progress: &progress, checkpoint: &desk, ..Work::ALONE })
            {
                Ok(solved) => break solved.layer.values,
                Err(error) => assert_eq!(error, SolveError::Interrupted, "{game}"),
            }
            patience = patience * 3 / 2 + 1;
        };
        assert!(desk.times.load(Relaxed) > 0, "{game} was never interrupted");
        assert!(values == straight, "{game}");
    }
}

#[test]
fn leaving_work_in_between_changes_nothing() {
    for (game, pits, seeds) in LAYERS {
        let (rules, lower, layer, straight) = solved(game, pits, seeds);
        let desk = Desk { always_due: true, ..Desk::default() };
        let values = resume(rules.as_ref(), layer, &lower, Work { checkpoint: &desk, ..Work::ALONE })
            .expect("it ends")
            .layer
            .values;
        assert!(desk.times.load(Relaxed) > 0 && values == straight, "{game}");
        // What was left last is a beginning too.
        let desk = Desk { left: desk.left, ..Desk::default() };
        let again = resume(rules.as_ref(), layer, &lower, Work { checkpoint: &desk, ..Work::ALONE });
        assert!(again.expect("it ends").layer.values == straight, "{game}");
    }
}

#[test]
fn work_that_cannot_be_read_is_begun_anew() {
    for (game, pits, seeds) in LAYERS {
        let (rules, lower, layer, straight) = solved(game, pits, seeds);
        let desk = Desk { left: Mutex::new(Some(vec![7; 3])), ..Desk::default() };
        let values = resume(rules.as_ref(), layer, &lower, Work { checkpoint: &desk, ..Work::ALONE })
            .expect("it ends")
            .layer
            .values;
        assert!(values == straight, "{game}");
    }
}

//! Published values, positions whose value hinges on a cycle, and proofs that are broken off.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::Duration;

use sowbase::games;
use sowbase::rules::{Board, Move};
use sowbase::search::book::{Book, BookError};
use sowbase::search::{
    Answer, Bounds, Known, Limits, MoveAnswer, NoTables, Search, Snapshot, Transpositions, Unwatched, Watch,
};

fn answer(game: &str, width: usize, board: &Board) -> Answer {
    let rules = games::make(game, Some(width), &[]).expect("a game of the registry");
    let table = Transpositions::new(1 << 24);
    let search = Search::new(rules.as_ref(), &NoTables, Some(&table));
    search.run(board, &[], &Limits::default(), &Unwatched).expect("it fits")
}

#[test]
fn kalah_openings_have_the_published_values() {
    let mut checked = 0;
    for line in include_str!("golden/kalah.txt").lines().filter(|line| !line.starts_with('#')) {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (width, per_pit): (usize, u8) = (words[0].parse().expect("pits"), words[1].parse().expect("seeds"));
        // Larger ones take too long in a test.
        if width * usize::from(per_pit) > 12 {
            continue;
        }
        let found = answer(words[2], width, &Board::of(&vec![per_pit; 2 * width]));
        assert_eq!(found.value, Bounds::exact(words[3].parse().expect("a value")), "{line}");
        for (found, word) in found.moves.iter().zip(&words[4..]) {
            let Ok(worth) = word.parse() else { break };
            assert_eq!(found.worth, Bounds::exact(worth), "{line}: {found:?}");
        }
        checked += 1;
    }
    assert!(checked >= 12, "{checked}");
}

#[test]
fn play_that_goes_round_shares_the_rest() {
    // Two seeds that walk round behind each other, and three that come back after fifteen sowings.
    for (game, own, other) in [
        ("awale", [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1]),
        ("oware", [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1]),
        ("awari", [0, 0, 0, 0, 1, 0], [0, 0, 0, 0, 0, 1]),
    ] {
        let found = answer(game, 6, &Board::of(&[own, other].concat()));
        assert_eq!(found.value, Bounds::exact(0), "{game}");
    }
}

/// Cancels after so many questions.
struct Patience(AtomicU32);

impl Watch for Patience {
    fn report(&self, _: &Snapshot<'_>) {}
    fn is_cancelled(&self) -> bool {
        self.0.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_err()
    }
}

#[test]
fn whatever_stops_a_search_leaves_true_bounds() {
    let rules = games::make("kalaha", Some(4), &[]).expect("a game of the registry");
    let board = rules.initial(3);
    let exact = answer("kalaha", 4, &board);
    for patience in [0, 1, 3, 10, 30, 100] {
        let table = Transpositions::new(1 << 20);
        let search = Search::new(rules.as_ref(), &NoTables, Some(&table));
        let watch = Patience(AtomicU32::new(patience));
        let found = search.run(&board, &[], &Limits::default(), &watch).expect("it fits");
        assert!(found.value.lower <= exact.value.lower && exact.value.upper <= found.value.upper);
        for (found, exact) in found.moves.iter().zip(&exact.moves) {
            assert!(found.worth.lower <= exact.worth.lower && exact.worth.upper <= found.worth.upper);
        }
    }
}

#[test]
fn a_time_limit_is_kept() {
    for game in games::GAMES {
        let rules = games::make(game.id, None, &[]).expect("a game of the registry");
        // The clock is not asked inside a sowing, and one of sixty seeds with laps can take seconds.
        if rules.plain_sowing().is_none() {
            continue;
        }
        let table = Transpositions::new(1 << 20);
        let search = Search::new(rules.as_ref(), &NoTables, Some(&table));
        let limits = Limits { time: Some(Duration::from_millis(200)), threads: 2, ..Limits::default() };
        let found = search.run(&rules.initial(game.per_pit), &[], &limits, &Unwatched).expect("it fits");
        // Machines that test are busy, so this only tells a limit from none.
        assert!(found.seconds < 20.0, "{} took {} s", game.id, found.seconds);
        assert!(found.value.lower <= found.value.upper);
    }
}

#[test]
fn known_bounds_are_used() {
    let rules = games::make("kalaha", Some(3), &[]).expect("a game of the registry");
    let search = Search::new(rules.as_ref(), &NoTables, None);
    let known = |(&value, mv)| Known { mv: Move(mv), worth: Bounds::exact(value), distance: None };
    let known: Vec<Known> = [2, 2, -6].iter().zip(0..).map(known).collect();
    let found = search.run(&rules.initial(3), &known, &Limits::default(), &Unwatched).expect("it fits");
    let unaided = search.run(&rules.initial(3), &[], &Limits::default(), &Unwatched).expect("it fits");
    assert_eq!((found.value, &found.moves), (unaided.value, &unaided.moves));
    assert!(found.nodes < unaided.nodes);
}

#[test]
fn known_distances_are_used() {
    let rules = games::make("kujifunza", Some(2), &[]).expect("a game of the registry");
    let search = Search::new(rules.as_ref(), &NoTables, None);
    let run = |known: &[Known]| search.run(&rules.initial(4), known, &Limits::default(), &Unwatched).expect("it fits");
    let unaided = run(&[]);
    assert!(unaided.moves.iter().any(|found| found.distance.is_some()), "{unaided:?}");
    let known = |found: &MoveAnswer| Known { mv: found.mv, worth: found.worth, distance: found.distance };
    let found = run(&unaided.moves.iter().map(known).collect::<Vec<_>>());
    assert_eq!((found.value, found.distance, &found.moves), (unaided.value, unaided.distance, &unaided.moves));
    assert!(found.nodes < unaided.nodes);
}

#[test]
fn boards_of_another_size_are_refused() {
    let rules = games::make("kalaha", Some(3), &[]).expect("a game of the registry");
    let search = Search::new(rules.as_ref(), &NoTables, None);
    let found = search.run(&Board::empty(8), &[], &Limits::default(), &Unwatched);
    assert_eq!(found.expect_err("eight pits").to_string(), "a board of 8 pits was given to kalaha, which has 6");
}

#[test]
fn a_killed_and_resumed_proof_ends_with_the_same_values() {
    let rules = games::make("kalaha", Some(4), &[]).expect("a game of the registry");
    let board = rules.initial(3);
    let exact = answer("kalaha", 4, &board);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("kalaha-4.book");
    let mut runs = 0;
    loop {
        // Everything but the file is forgotten between the runs.
        let mut book = Book::load(&path, rules.rule_set()).expect("the book of the run before");
        let table = Transpositions::new(1 << 20);
        book.restore(&table);
        let known = book.openings.get(&board).map(|opening| opening.moves.clone()).unwrap_or_default();
        let search = Search::new(rules.as_ref(), &NoTables, Some(&table));
        let watch = Patience(AtomicU32::new(20));
        let found = search.run(&board, &known, &Limits::default(), &watch).expect("it fits");
        book.note(&board, &found.moves, found.nodes, found.seconds);
        book.keep(&table, 10_000);
        book.save(&path, rules.rule_set()).expect("the folder takes it");
        runs += 1;
        if found.moves.iter().all(|found| found.worth.is_exact()) {
            assert_eq!(found.value, exact.value);
            for (found, exact) in found.moves.iter().zip(&exact.moves) {
                assert_eq!(found, exact);
            }
            break;
        }
        assert!(runs < 100, "{found:?}");
    }
    assert!(runs > 1);
    let book = Book::load(&path, rules.rule_set()).expect("the last book");
    assert_eq!(book.openings.len(), 1);
    assert!(book.facts() > 0);
}

#[test]
fn damaged_and_foreign_books_are_refused() {
    let rules = games::make("kalaha", Some(3), &[]).expect("a game of the registry");
    let table = Transpositions::new(1 << 12);
    let search = Search::new(rules.as_ref(), &NoTables, Some(&table));
    let board = rules.initial(2);
    let found = search.run(&board, &[], &Limits::default(), &Unwatched).expect("it fits");
    let mut book = Book::default();
    book.note(&board, &found.moves, found.nodes, found.seconds);
    book.keep(&table, 20);
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("book");
    book.save(&path, rules.rule_set()).expect("the folder takes it");
    assert_eq!(Book::load(&path, rules.rule_set()).expect("just written").openings, book.openings);
    let other = games::make("kalah", Some(3), &[]).expect("a game of the registry");
    assert!(matches!(Book::load(&path, other.rule_set()), Err(BookError::Rules { .. })));
    let bytes = std::fs::read(&path).expect("just written");
    for end in 0..bytes.len() {
        std::fs::write(&path, &bytes[..end]).expect("the folder takes it");
        assert!(Book::load(&path, rules.rule_set()).is_err(), "cut to {end} bytes");
    }
    for i in 0..bytes.len() {
        let mut changed = bytes.clone();
        changed[i] ^= 0x10;
        std::fs::write(&path, &changed).expect("the folder takes it");
        assert!(Book::load(&path, rules.rule_set()).is_err(), "byte {i} changed");
    }
    assert!(Book::load(&folder.path().join("none"), rules.rule_set()).expect("no file").openings.is_empty());
}

//! Random boards up to the real widths and 60 seeds: moves end, keep the seeds, and go on being played.

mod boards;

use std::fmt;

use proptest::prelude::*;
use sowbase::games::GAMES;
use sowbase::rules::{Board, Marks, Moves, Rules, Turn, WIDTHS};

/// Rules that say in a failure which they are.
struct Named(Box<dyn Rules>);

impl fmt::Debug for Named {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.rule_set().text())
    }
}

/// A game under some settings on a board of some width.
fn some_rules() -> impl Strategy<Value = Named> {
    (0..GAMES.len(), WIDTHS, any::<prop::sample::Index>()).prop_map(|(game, width, choice)| {
        let mut variants = boards::variants(&GAMES[game], width);
        let chosen = choice.index(variants.len());
        Named(variants.swap_remove(chosen))
    })
}

/// Rules and a board of theirs: up to 60 seeds, each dropped into some pit; a few pits get most where `crowded`.
fn some_position() -> impl Strategy<Value = (Named, Board)> {
    let drops = prop::collection::vec(any::<prop::sample::Index>(), 0..=60);
    (some_rules(), drops, any::<u64>(), any::<bool>()).prop_map(|(rules, drops, marks, crowded)| {
        let mut board = Board::empty(2 * rules.0.half());
        for drop in drops {
            let pits = if crowded { board.len().min(5) } else { board.len() };
            let step = board.len() / pits;
            board[drop.index(pits) * step] += 1;
        }
        let marks = match rules.0.marks() {
            Marks::None => 0,
            Marks::Closed => marks & ((1 << board.len()) - 1),
            Marks::Seats(set) if marks.is_multiple_of(2) => set,
            Marks::Seats(set) => Board::empty(board.len()).with_marks(set).turned().marks(),
        };
        (rules, board.with_marks(marks))
    })
}

/// Plays on from a position, choosing by `choices`, until play is over or the choices are used up.
fn play_on(rules: &dyn Rules, start: Board, choices: &[prop::sample::Index]) -> Result<(), TestCaseError> {
    let seeds = start.seeds();
    let (mut board, mut won, mut moves) = (start, 0, Moves::new());
    for choice in choices {
        let over = rules.expand(&board, &mut moves);
        prop_assert_eq!(over.is_some(), moves.is_empty());
        if over.is_some() {
            return Ok(());
        }
        for (mv, sown) in &moves {
            let gain = u32::from(sown.gain) + u32::from(sown.gain_other);
            prop_assert_eq!(board.seeds(), sown.board.seeds() + gain, "{:?} {:?}", board, mv);
        }
        let (_, sown) = moves[choice.index(moves.len())];
        won += u32::from(sown.gain) + u32::from(sown.gain_other);
        board = sown.board;
        prop_assert_eq!(board.seeds() + won, seeds);
        if !matches!(sown.turn, Turn::Pass | Turn::Again) {
            return Ok(());
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_games_lose_no_seed_and_every_sowing_ends(
        (rules, board) in some_position(),
        choices in prop::collection::vec(any::<prop::sample::Index>(), 1..40),
    ) {
        play_on(rules.0.as_ref(), board, &choices)?;
    }

    /// Longer than a counter of one byte can follow.
    #[test]
    fn long_games_are_played_like_short_ones(
        game in 0..GAMES.len(),
        choices in prop::collection::vec(any::<prop::sample::Index>(), 400),
    ) {
        let rules = boards::rules_of(GAMES[game].id, GAMES[game].width);
        play_on(rules.as_ref(), rules.initial(GAMES[game].per_pit), &choices)?;
    }
}

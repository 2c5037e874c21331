//! Whoever follows `play` gets at least the value, against every defence, in a bounded number of moves: no best move
//! is played for ever without being cashed.

use std::path::Path;
use std::sync::Arc;

use sowbase::database::Database;
use sowbase::games;
use sowbase::index::LayerIndex;
use sowbase::query::{Oracle, Reach, parse};
use sowbase::rules::{Board, Layer, Moves, Rules, Scoring, Sown, Turn, notation};
use sowbase::table::Access;

/// A small generator, so that a failure can be repeated.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % bound
    }
}

/// Plays from `board`, `follower` telling whether the player to move follows `play`; the other one plays at random or
/// follows too. Returns what the follower wins by the time nothing more is due to him, and the value he was promised.
fn play_out(oracle: &Oracle, board: Board, follower: bool, random: bool, dice: &mut Dice) -> (i16, i16) {
    let rules: &Arc<dyn Rules> = oracle.database().rules();
    let promised = |board: &Board, mine: bool| {
        let value = oracle
            .value(board)
            .expect("whole tables")
            .unwrap_or_else(|| panic!("{}: {board:?} is not covered", rules.rule_set().text()))
            .0;
        if mine { value } else { -value }
    };
    let start = promised(&board, follower);
    let (mut board, mut mine, mut won) = (board, follower, 0);
    for _ in 0..3000 {
        let due = promised(&board, mine);
        if due <= 0 {
            return (won + due, start);
        }
        let mut moves = Moves::new();
        if rules.expand(&board, &mut moves).is_some() {
            return (won + due, start);
        }
        let sown: Sown = if mine || !random {
            oracle.next(&board).expect("whole tables").expect("a move").1
        } else {
            moves[dice.below(moves.len())].1
        };
        let net = i16::from(sown.gain) - i16::from(sown.gain_other);
        won += if mine { net } else { -net };
        match sown.turn {
            Turn::Pass => mine = !mine,
            Turn::Again => {}
            Turn::Endless | Turn::Won | Turn::Lost => return (won, start),
        }
        board = sown.board;
    }
    panic!("{}: play goes on without an end from {}", rules.rule_set().text(), notation::write(rules.as_ref(), &board));
}

/// Asks about positions all over a layer, so that it is solved in memory. Some are answered by their moves alone.
fn solve_on_the_spot(oracle: &Oracle, index: &LayerIndex) {
    let rules: &Arc<dyn Rules> = oracle.database().rules();
    for rank in (0..index.size()).step_by(1 + index.size() as usize / 100) {
        let text = notation::write(rules.as_ref(), &index.unrank(rank));
        let position = parse(rules.as_ref(), &text, 1).expect("a position");
        oracle.answer(&position).expect("small layers are solved on the spot");
    }
}

#[test]
fn following_play_cashes_the_value() {
    let cases = [
        ("oware", 6, 9, ""),
        ("oware", 3, 12, "grand_slam=void"),
        ("awari", 4, 10, ""),
        ("awale", 6, 8, ""),
        ("awale", 3, 10, "chain_own=true"),
        ("nam-nam", 4, 9, ""),
        ("nam-nam", 3, 12, "owners=111100"),
        ("bao-laps", 5, 8, ""),
        ("bao-laps", 8, 6, "endless=illegal"),
        ("kiothi", 4, 8, ""),
        ("kiothi", 10, 4, ""),
    ];
    for (game, width, seeds, rule) in cases {
        let rule: Vec<String> = if rule.is_empty() { vec![] } else { vec![rule.to_owned()] };
        let rules: Arc<dyn Rules> = Arc::from(games::make(game, Some(width), &rule).expect("a game"));
        assert_eq!(rules.scoring(), Scoring::Seeds);
        let database = Database::new(Arc::clone(&rules), Path::new("no such folder"), Access::Map);
        let index = database.index(Layer::of(seeds)).expect("a small layer");
        let oracle = Oracle::new(database, Reach::default());
        solve_on_the_spot(&oracle, &index);
        let mut dice = Dice(u64::from(seeds));
        for round in 0..300 {
            let board = index.unrank(dice.below(index.size() as usize) as u64);
            let (won, promised) = play_out(&oracle, board, round % 2 == 0, round % 3 != 0, &mut dice);
            assert!(won >= promised, "{game} {width} {}: {won} of {promised}", notation::write(rules.as_ref(), &board));
        }
    }
}

/// The winner's distance falls by one with every move of best play, and play ends as promised.
#[test]
fn kujifunza_ends_when_it_was_promised() {
    let rules: Arc<dyn Rules> = Arc::from(games::make("kujifunza", Some(2), &[]).expect("a game"));
    let database = Database::new(Arc::clone(&rules), Path::new("no such folder"), Access::Map);
    let index = database.index(Layer::of(12)).expect("a small layer");
    let oracle = Oracle::new(database, Reach::default());
    let start = parse(rules.as_ref(), "start", 2).expect("a position");
    oracle.answer(&parse(rules.as_ref(), "2 2 / 2 2 / 2 2 / 0 0", 2).expect("a position")).expect("solved on the spot");
    assert_eq!(start.board.seeds(), 16);
    let mut dice = Dice(5);
    for _ in 0..500 {
        let mut board = index.unrank(dice.below(index.size() as usize) as u64);
        let mut value = oracle.value(&board).expect("solved").expect("covered");
        while let Some(distance) = value.distance() {
            let Some((_, sown)) = oracle.next(&board).expect("solved") else {
                assert_eq!(distance, 0, "play is over too early");
                break;
            };
            if sown.turn == Turn::Won {
                assert_eq!(distance, 1);
                break;
            }
            let after = oracle.value(&sown.board).expect("solved").expect("covered");
            assert_eq!(after.distance(), Some(distance - 1));
            assert_eq!(after.0.signum(), -value.0.signum());
            (board, value) = (sown.board, after);
        }
    }
}

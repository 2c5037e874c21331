//! Laws that every game keeps, on every width, under every combination of settings.

mod boards;

use std::collections::{HashMap, HashSet};

use boards::{all_variants, ways_to_lay};
use rayon::prelude::*;
use sowbase::games::{self, GAMES, PRESETS};
use sowbase::index::LayerIndex;
use sowbase::rules::{
    Board, Feeding, HalfRows, Layer, MARK, Marks, Move, Moves, Rules, Sown, Turn, Value, WIDTHS, turn_owners,
};
use sowbase::solve::{Lower, SolveError, Unwatched, solve};

/// Calls `law` with the rules of every game, width and combination of settings.
fn for_all_rules(law: impl Fn(&dyn Rules) + Sync) {
    for width in WIDTHS {
        all_variants(width).par_iter().for_each(|rules| law(rules.as_ref()));
    }
}

/// The same, but once for all settings that make no difference to the positions.
fn for_all_numberings(law: impl Fn(&dyn Rules) + Sync) {
    for width in WIDTHS {
        let mut seen = HashSet::new();
        let mut numberings = all_variants(width);
        numberings.retain(|rules| seen.insert(format!("{} {:?}", rules.rule_set().game(), rules.marks())));
        numberings.par_iter().for_each(|rules| law(rules.as_ref()));
    }
}

/// Seeds and closed pits of layers that are small enough to look at in full.
fn small_layers(rules: &dyn Rules, limit: u64) -> Vec<Layer> {
    // Closed pits multiply the positions.
    let limit = if rules.marks() == Marks::Closed { limit / 16 } else { limit };
    let most = boards::seeds_within(rules, 10, limit);
    let pits = 2 * rules.half() as u8;
    // Every number of closed pits on narrow boards; elsewhere the first and last ones, whose sets are few.
    let few_sets = |closed: u8| pits <= 6 || closed < 2 || closed + 1 >= pits;
    let in_full = |layer: &Layer| layer.seeds + 1 >= most && few_sets(layer.closed);
    rules.layers(most).into_iter().filter(in_full).collect()
}

/// Calls `look` with every position of some small layers, its moves, and what it is worth if play is over.
fn for_all_positions(rules: &dyn Rules, limit: u64, mut look: impl FnMut(&Board, Option<Value>, &Moves)) {
    let mut moves = Moves::new();
    for layer in small_layers(rules, limit) {
        let index = LayerIndex::new(rules, layer).expect("the layer is small");
        index.walk_lexicographic(|board| {
            let over = rules.expand(board, &mut moves);
            look(board, over, &moves);
        });
    }
}

fn describe(rules: &dyn Rules, board: &Board) -> String {
    format!("{} {board:?}", rules.rule_set().text())
}

#[test]
fn ranks_number_the_positions() {
    for_all_numberings(|rules| {
        for layer in small_layers(rules, 500) {
            let index = LayerIndex::new(rules, layer).expect("the layer is small");
            let mut boards: HashMap<u64, HashSet<Board>> = HashMap::new();
            let mut before = None;
            index.walk_lexicographic(|board| {
                assert!(before.is_none_or(|b: Board| b.marks() != board.marks() || b < *board), "lexicographic order");
                before = Some(*board);
                assert_eq!((board.seeds(), rules.closed(board)), (u32::from(layer.seeds), layer.closed));
                let rank = index.checked_rank(board).expect("the board is one of the layer");
                boards.entry(rank).or_default().insert(*board);
            });
            assert_eq!(boards.len() as u64, index.size(), "every rank is used: {}", rules.rule_set().text());
            let mut next = 0;
            index.walk(0..index.size(), |rank, board| {
                assert_eq!(rank, next);
                next += 1;
                assert_eq!(*board, index.unrank(rank), "{}", describe(rules, board));
                assert_eq!(index.rank(board), rank, "{}", describe(rules, board));
                assert_eq!(boards[&rank].len(), usize::from(index.weight(rank)), "{}", describe(rules, board));
            });
            assert_eq!(next, index.size());
            let weights: u64 = (0..index.size()).map(|rank| u64::from(index.weight(rank))).sum();
            assert_eq!(weights, index.positions());
            assert_eq!(boards.values().map(HashSet::len).sum::<usize>() as u64, index.positions());
            let shape: u64 = index.shape().iter().map(|segment| segment.rows * segment.row_len).sum();
            assert_eq!(shape, index.size());
            let pits = 2 * rules.half() as u64;
            let marks = match rules.marks() {
                Marks::None => 1,
                Marks::Closed => ways_to_choose(layer.closed.into(), pits),
                Marks::Seats(set) => {
                    if Board::empty(pits as usize).with_marks(set).turned().marks() == set {
                        1
                    } else {
                        2
                    }
                }
            };
            assert_eq!(index.positions(), ways_to_lay(layer.seeds.into(), pits) * marks, "{}", rules.rule_set().text());
        }
    });
}

fn ways_to_choose(chosen: u64, of: u64) -> u64 {
    (0..chosen).fold(1, |ways, i| ways * (of - i) / (i + 1))
}

#[test]
fn foreign_boards_have_no_rank() {
    for_all_numberings(|rules| {
        let index = LayerIndex::new(rules, Layer::of(3)).expect("the layer is small");
        let mut board = index.unrank(0);
        board[0] += 1;
        assert_eq!(index.checked_rank(&board), None, "four seeds");
        let narrower = Board::of(&[[3].as_slice(), &vec![0; 2 * rules.half() - 3]].concat());
        assert_eq!(index.checked_rank(&narrower), None, "two pits fewer");
        let marked = index.unrank(0).with_marks(0b1011);
        assert_eq!(index.checked_rank(&marked), None, "marks of no layer with all pits open");
    });
}

#[test]
fn moves_keep_the_seeds_and_come_in_order() {
    for_all_rules(|rules| {
        let mut listed: HashMap<u8, Vec<Layer>> = HashMap::new();
        for_all_positions(rules, 2_500, |board, over, moves| {
            let context = || describe(rules, board);
            let seeds = board.seeds() as u8;
            assert_eq!(over.is_some(), moves.is_empty(), "{}", context());
            if let Some(value) = over {
                assert!(value.0.unsigned_abs() <= u16::from(seeds).max(1), "{}", context());
            }
            assert!(moves.is_sorted_by(|(a, _), (b, _)| a < b), "{}", context());
            let layers = listed.entry(seeds).or_insert_with(|| rules.layers(seeds));
            let place = |layer: Layer| layers.binary_search(&layer).ok();
            let here = place(boards::layer_of(rules, board)).expect("the layer of a position is listed");
            for (mv, sown) in moves {
                let won = sown.gain + sown.gain_other;
                assert_eq!(board.seeds(), sown.board.seeds() + u32::from(won), "{} {mv:?}", context());
                assert_eq!(sown.board.len(), board.len());
                match sown.turn {
                    Turn::Again => assert!(sown.gain > 0, "{} {mv:?}", context()),
                    Turn::Won | Turn::Lost => assert_eq!(won, 0, "{} {mv:?}", context()),
                    Turn::Pass | Turn::Endless => {}
                }
                let child = place(boards::layer_of(rules, &sown.board));
                let is_bare = sown.board.seeds() == 0;
                assert!(is_bare || child.is_some_and(|child| child <= here), "{} {mv:?}", context());
                assert_eq!(won > 0, sown.board.seeds() < board.seeds());
                if let Marks::Seats(set) = rules.marks() {
                    let marks = if board.marks() == set { board.turned().marks() } else { set };
                    assert_eq!(sown.board.marks(), marks, "owners stay: {} {mv:?}", context());
                }
            }
        });
    });
}

#[test]
fn layers_are_listed_in_order_and_end_with_the_open_board() {
    for_all_rules(|rules| {
        for seeds in 0..=40 {
            let layers = rules.layers(seeds);
            assert!(layers.is_sorted_by(|a, b| a < b));
            assert!(layers.contains(&Layer::of(seeds)));
            assert!(layers.iter().all(|layer| layer.seeds <= seeds));
        }
    });
}

/// The mirror turns left and right, and with them the direction of a move.
#[test]
fn mirrored_positions_have_mirrored_moves() {
    for_all_rules(|rules| {
        let Some(map) = rules.mirror() else { return };
        let mirrored = |board: &Board| {
            let mut image = *board;
            for half in [0, rules.half()] {
                for (i, &to) in map.iter().enumerate() {
                    image[half + usize::from(to)] = board[half + i];
                }
            }
            image
        };
        let mut image_moves = Moves::new();
        for layer in small_layers(rules, 2_500) {
            let index = LayerIndex::new(rules, layer).expect("the layer is small");
            for_all_positions(rules, 2_500, |board, over, moves| {
                let image = mirrored(board);
                assert_eq!(mirrored(&image), *board);
                if board.seeds() == u32::from(layer.seeds) {
                    assert_eq!(index.rank(board), index.rank(&image), "{}", describe(rules, board));
                }
                assert_eq!(rules.expand(&image, &mut image_moves), over, "{}", describe(rules, board));
                let mut expected: Moves = moves
                    .iter()
                    .map(|(mv, sown)| {
                        let pit = map[usize::from(mv.0) / 2];
                        (Move(2 * pit + 1 - mv.0 % 2), Sown { board: mirrored(&sown.board), ..*sown })
                    })
                    .collect();
                expected.sort_by_key(|(mv, _)| *mv);
                assert!(same_but_for_endless_boards(&expected, &image_moves), "{}", describe(rules, board));
            });
        }
    });
}

/// Where a sowing never stops, any board of its loop may be the one that is shown.
fn same_but_for_endless_boards(a: &Moves, b: &Moves) -> bool {
    let plain = |moves: &Moves| -> Moves {
        moves
            .iter()
            .map(|&(mv, sown)| match sown.turn {
                Turn::Endless => (mv, Sown { board: Board::empty(sown.board.len()), ..sown }),
                _ => (mv, sown),
            })
            .collect()
    };
    plain(a) == plain(b)
}

/// The moves that the half rows of a game make up, and the worth of a finished position.
fn expand_by_halves(halves: &dyn HalfRows, board: &Board) -> (Option<Value>, Moves) {
    let row_seeds = |row: &[u8]| row.iter().map(|&pit| i16::from(pit)).sum::<i16>();
    let (own_seeds, other_seeds) = (row_seeds(board.own()), row_seeds(board.other()));
    if own_seeds == 0 || (other_seeds == 0 && halves.ends_on_other_empty()) {
        return (Some(Value(own_seeds - other_seeds)), Moves::new());
    }
    let sow = |pit: usize| {
        let own = halves.sow_own(board.own(), pit);
        let other = halves.sow_other(board.other(), own.class);
        let row = if other.captures { own.row_after_capture } else { own.row };
        let after = Board::of(&[row.pits(), other.row.pits()].concat());
        let gain = (board.seeds() - after.seeds()) as u8;
        let sown = if own.again { Sown::again(&after, gain) } else { Sown::pass(&after, gain) };
        (own.class.drops, other.row.seeds(), (Move(pit as u8), sown))
    };
    let sowings: Vec<_> = (0..board.half()).filter(|&pit| board[pit] > 0).map(sow).collect();
    let serves = |&(drops, left, _): &(u8, u8, (Move, Sown))| match halves.feeding() {
        Feeding::Free => true,
        Feeding::Feed => other_seeds > 0 || drops > 0,
        Feeding::Spare => left > 0,
    };
    let any_serves = sowings.iter().any(serves);
    (None, sowings.into_iter().filter(|sowing| !any_serves || serves(sowing)).map(|(_, _, sown)| sown).collect())
}

#[test]
fn no_move_leads_to_a_position_that_is_left_out() {
    for_all_rules(|rules| {
        let Some(halves) = rules.half_rows() else { return };
        for_all_positions(rules, 20_000, |board, _, moves| {
            for (mv, sown) in moves.iter().filter(|(_, sown)| sown.turn == Turn::Pass) {
                assert!(halves.can_leave(sown.board.other()), "{} by {mv:?}", describe(rules, board));
            }
        });
    });
}

#[test]
fn half_rows_make_up_the_moves() {
    let games = std::sync::Mutex::new(HashSet::new());
    for_all_rules(|rules| {
        let Some(halves) = rules.half_rows() else { return };
        games.lock().expect("no law has failed").insert(rules.rule_set().game());
        for_all_positions(rules, 4_000, |board, over, moves| {
            assert_eq!(expand_by_halves(halves, board), (over, moves.clone()), "{}", describe(rules, board));
        });
    });
    assert_eq!(games.into_inner().expect("no law has failed").len(), 4);
}

/// What a move without gain lowers where play cannot cycle.
fn height(board: &Board) -> u32 {
    let w = board.half();
    (0..w).map(|i| (w - i) as u32 * (u32::from(board[i]) + u32::from(board[w + i]))).sum()
}

#[test]
fn acyclic_games_only_descend() {
    for_all_rules(|rules| {
        if rules.half_rows().is_none_or(|halves| !halves.acyclic()) {
            return;
        }
        for_all_positions(rules, 4_000, |board, _, moves| {
            for (_, sown) in moves.iter().filter(|(_, sown)| sown.gain == 0) {
                assert!(height(&sown.board) < height(board), "{}", describe(rules, board));
            }
        });
    });
}

/// Laps of a relay sowing, each remembered; `None` if one comes back.
fn laps_until_the_end(board: &Board, pit: usize, wins_fours_down_to: Option<u32>) -> Option<usize> {
    let mut pits: Vec<u8> = board.iter().map(|&pit| pit & !MARK).collect();
    let mut seen = HashSet::new();
    let mut at = pit;
    loop {
        if !seen.insert((pits.clone(), at)) {
            return None;
        }
        let mut hand = std::mem::take(&mut pits[at]);
        while hand > 0 {
            at = (at + 1) % pits.len();
            pits[at] += 1;
            hand -= 1;
            if let (Some(last), 4) = (wins_fours_down_to, pits[at]) {
                pits[at] = 0;
                let left = pits.iter().map(|&pit| u32::from(pit)).sum::<u32>() + u32::from(hand);
                if left <= last || hand == 0 {
                    return Some(seen.len());
                }
            }
        }
        if pits[at] == 1 {
            return Some(seen.len());
        }
    }
}

/// The same for a sowing over both rings of the four-row game; `first` is its direction, 1 clockwise.
fn four_row_laps_until_the_end(
    rules: &dyn Rules,
    board: &Board,
    pit: usize,
    first: i32,
    captures: bool,
) -> Option<usize> {
    let (w, ring) = (board.len() / 4, board.len() as i32 / 2);
    let (mut own, mut other) = (board.own().to_vec(), board.other().to_vec());
    let mut seen = HashSet::new();
    let mut direction = first;
    let mut hand = std::mem::take(&mut own[pit]);
    let mut next = (pit as i32 + direction).rem_euclid(ring);
    loop {
        if !seen.insert((own.clone(), other.clone(), hand, next, direction)) {
            return None;
        }
        let mut at = next as usize;
        for _ in 0..hand {
            at = next as usize;
            own[at] += 1;
            next = (next + direction).rem_euclid(ring);
            if rules.rule_set().word("own_front") == "during" && own[..w].iter().all(|&pit| pit == 0) {
                return Some(seen.len());
            }
        }
        if own[at] == 1 {
            return Some(seen.len());
        }
        if captures && at < w && other[w - 1 - at] > 0 {
            hand = std::mem::take(&mut other[w - 1 - at]);
            if other[..w].iter().all(|&pit| pit == 0) {
                return Some(seen.len());
            }
            let near = (w / 2).min(2);
            direction = match () {
                () if at < near => 1,
                () if at >= w - near => -1,
                () if rules.rule_set().word("central") == "first" => first,
                () => direction,
            };
            next = if direction == 1 { 0 } else { w as i32 - 1 };
        } else {
            hand = std::mem::take(&mut own[at]);
        }
    }
}

#[test]
fn endless_sowings_are_those_whose_laps_come_back() {
    let met = std::sync::Mutex::new(HashMap::<(&str, usize), usize>::new());
    for width in 2..=5 {
        all_variants(width).par_iter().for_each(|rules| {
            let rules = rules.as_ref();
            let game = rules.rule_set().game();
            let plain = match game {
                "nam-nam" => Some(u32::from(rules.rule_set().number("last"))),
                "bao-laps" | "kiothi" | "kujifunza" => None,
                _ => return,
            };
            if rules.rule_set().word("endless") == "illegal" {
                return for_all_positions(rules, 13_000, |board, _, moves| {
                    assert!(moves.iter().all(|(_, sown)| sown.turn != Turn::Endless), "{}", describe(rules, board));
                });
            }
            let mut endless = 0;
            for_all_positions(rules, 13_000, |board, _, moves| {
                let laps = |mv: Move| match game {
                    "kujifunza" => {
                        let w = board.len() / 4;
                        let (pit, first) = (usize::from(mv.0) / 2, if mv.0.is_multiple_of(2) { 1 } else { -1 });
                        let seeds = i32::from(board[pit]);
                        let end = (pit as i32 + first * seeds).rem_euclid(2 * w as i32) as usize;
                        let mtaji = seeds < 2 * w as i32 && end < w && board[end] > 0 && board[3 * w - 1 - end] > 0;
                        four_row_laps_until_the_end(rules, board, pit, first, mtaji)
                    }
                    _ => laps_until_the_end(board, usize::from(mv.0), plain),
                };
                for (mv, sown) in moves.iter().filter(|(mv, _)| *mv != Move::PASS) {
                    assert_eq!(laps(*mv).is_none(), sown.turn == Turn::Endless, "{} {mv:?}", describe(rules, board));
                    endless += usize::from(sown.turn == Turn::Endless);
                }
            });
            *met.lock().expect("no law has failed").entry((game, width)).or_default() += endless;
        });
    }
    let met = met.into_inner().expect("no law has failed");
    for game in ["nam-nam", "bao-laps", "kiothi", "kujifunza"] {
        assert!(met[&(game, 2)] > 0, "{game} has endless sowings on two pits a row: {met:?}");
    }
}

/// Striking out endless sowings changes nothing else.
#[test]
fn illegal_endless_sowings_are_just_missing() {
    for width in 2..=4 {
        for game in ["nam-nam", "bao-laps", "kiothi"] {
            let drawn = boards::rules_of(game, width);
            let illegal = boards::rules_of(&format!("{game} endless=illegal"), width);
            let mut left = Moves::new();
            for_all_positions(drawn.as_ref(), 13_000, |board, over, moves| {
                let expected: Moves = moves.iter().copied().filter(|(_, sown)| sown.turn != Turn::Endless).collect();
                let found = illegal.expand(board, &mut left);
                assert_eq!(left, expected, "{game} {board:?}");
                assert_eq!(found, if expected.is_empty() { over.or(Some(Value::DRAW)) } else { None });
            });
        }
    }
}

/// Only an owner's lifting opens a pit; a closed pit of the other player is never taken; open boards need no flags.
#[test]
fn closed_pits_protect_until_they_are_opened() {
    for width in 2..=3 {
        let rules = boards::rules_of("kiothi flags=true", width);
        let plain = boards::rules_of("kiothi", width);
        let mut plain_moves = Moves::new();
        let all_of_other = Board::empty(2 * width).with_marks(((1 << width) - 1) << width).marks();
        for_all_positions(rules.as_ref(), 3_003, |board, over, moves| {
            assert_eq!(plain.expand(&board.with_marks(0), &mut plain_moves), over, "{board:?}");
            assert_eq!(plain_moves.len(), moves.len(), "{board:?}");
            for ((mv, sown), (_, open)) in moves.iter().zip(&plain_moves) {
                let after = sown.board.turned();
                assert_eq!(after.marks() & !board.marks(), 0, "nothing closes: {board:?}");
                assert_eq!(
                    after.marks() >> width,
                    board.marks() >> width,
                    "the other's pits stay as they are: {board:?}"
                );
                assert!(!after.marked(usize::from(mv.0)), "a lifted pit is open: {board:?}");
                assert!(sown.gain <= open.gain, "{board:?}");
                if board.marks() == 0 {
                    assert_eq!(sown, open, "{board:?}");
                }
                if board.marks() & all_of_other == all_of_other {
                    assert!(sown.gain <= 1, "{board:?}");
                }
            }
        });
    }
}

/// Owners seen from the other seat are the same rules with the same values.
#[test]
fn owners_are_the_same_from_both_seats() {
    for owners in ["110001", "111100", "101010", "111111"] {
        let rules = |owners: &str| boards::rules_of(&format!("nam-nam owners={owners}"), 3);
        let (one, two) = (rules(owners), rules(&turn_owners(owners)));
        assert_eq!(one.rule_set().fingerprint(), two.rule_set().fingerprint());
        let [one_lower, two_lower] = [&one, &two].map(|rules| boards::solve_up_to(rules.as_ref(), 8));
        let (a, b) = (one_lower.get(Layer::of(8)), two_lower.get(Layer::of(8)));
        assert!(a.is_some_and(|a| b.is_some_and(|b| a.values == b.values)), "{owners}");
    }
}

/// A table of one rule set must not pass for another's.
#[test]
fn rule_sets_have_names_of_their_own() {
    let mut texts = HashMap::new();
    let mut folders = HashMap::new();
    let mut fingerprints = HashMap::new();
    for width in WIDTHS {
        for rules in all_variants(width) {
            let set = rules.rule_set();
            for (names, name) in [
                (&mut texts, set.text()),
                (&mut folders, set.folder()),
                (&mut fingerprints, set.fingerprint().to_string()),
            ] {
                let before = names.insert(name.clone(), set.text());
                assert!(before.is_none_or(|text| text == set.text()), "{name}");
            }
        }
    }
    for preset in PRESETS {
        let plain = games::make(preset.game, None, &[]).expect("a game of the registry");
        let named = games::make(preset.id, None, &[]).expect("a preset of the registry");
        assert_ne!(plain.rule_set().fingerprint(), named.rule_set().fingerprint(), "{}", preset.id);
    }
}

/// Without the layers below, a layer is refused, not guessed.
#[test]
fn missing_layers_are_asked_for() {
    for game in GAMES.iter().filter(|game| game.id != "kujifunza") {
        let rules = boards::rules_of(game.id, 3);
        let refused = solve(rules.as_ref(), Layer::of(9), &Lower::default(), &Unwatched).err();
        assert!(matches!(refused, Some(SolveError::MissingLayer { .. })), "{}", game.id);
    }
}

//! The steps of a sowing lead from the board before the move to the board after it, in every game.

use proptest::prelude::*;
use sowbase::games;
use sowbase::rules::{Act, Board, Move, Moves, Rules, Sown, Turn};

/// What the steps alone make of the board: the board from the mover's seat, and the seeds won by each.
fn replay(rules: &dyn Rules, board: &Board, mv: Move) -> Option<(Vec<u8>, u8, u8)> {
    let mut pits: Vec<u8> = (0..board.len()).map(|pit| board.count(pit)).collect();
    let (mut hand, mut gain, mut gain_other) = (0, 0, 0);
    let told = rules.steps(board, mv);
    if told.cut {
        return None;
    }
    for step in told.steps {
        let (pit, seeds) = (&mut pits[step.pit], step.seeds);
        match step.act {
            Act::Lift => {
                assert_eq!(*pit, seeds, "a lift takes all");
                *pit = 0;
                hand += seeds;
            }
            Act::Drop => {
                *pit += seeds;
                hand -= seeds;
            }
            Act::Store | Act::TakeHand => {
                hand -= seeds;
                gain += seeds;
            }
            Act::GiveHand => {
                hand -= seeds;
                gain_other += seeds;
            }
            Act::Take | Act::Give => {
                assert_eq!(*pit, seeds, "a capture takes all");
                *pit = 0;
                *(if step.act == Act::Take { &mut gain } else { &mut gain_other }) += seeds;
            }
        }
    }
    assert_eq!(hand, 0, "no seed stays in hand");
    Some((pits, gain, gain_other))
}

fn check(rules: &dyn Rules, board: &Board) {
    let mut moves = Moves::new();
    let _ = rules.expand(board, &mut moves);
    for (mv, Sown { board: after, gain, gain_other, turn }) in &moves {
        let after = if *turn == Turn::Again { *after } else { after.turned() };
        let expected: Vec<u8> = (0..after.len()).map(|pit| after.count(pit)).collect();
        match replay(rules, board, *mv) {
            Some(found) => {
                assert_eq!(found, (expected, *gain, *gain_other), "{} {board:?} {mv:?}", rules.rule_set().text());
            }
            None => assert_eq!(*turn, Turn::Endless, "only an endless sowing has so many steps"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn steps_tell_the_whole_move(
        pits in prop::collection::vec(prop_oneof![3 => 0..4_u8, 1 => 0..20_u8], 40),
        width in 2..9_usize,
        variant in 0..2_usize,
    ) {
        for game in games::GAMES {
            let variants = match game.id {
                "awale" | "oware" => ["grand_slam=void", "grand_slam=allow"],
                "kalaha" => ["empty_capture=true", "empty_capture=false"],
                "bao-kenya" | "bao-laps" => ["take_own=true", "take_own=false"],
                "kiothi" => ["flags=true", "protected=stop"],
                "kujifunza" => ["own_front=during", "endless=draw"],
                _ => ["last=0", "last=4"],
            };
            let rules = games::make(game.id, Some(width), &[variants[variant].to_owned()]).expect("a game");
            let len = 2 * rules.half();
            if pits[..len].iter().map(|&seeds| u32::from(seeds)).sum::<u32>() <= 100 {
                check(rules.as_ref(), &Board::of(&pits[..len]));
            }
        }
    }
}

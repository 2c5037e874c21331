//! Verification is a proof: it accepts every solved layer and rejects altered values, even those that agree with
//! themselves.

mod boards;

use sowbase::games::{self, GAMES};
use sowbase::index::LayerIndex;
use sowbase::rules::{Board, Layer, Move, Moves, Rules, Scoring, Sown, Turn, Value, worth};
use sowbase::solve::{SolvedLayer, Unwatched, Values, verify, verify_sample};

#[test]
fn solved_layers_are_proved() {
    for game in GAMES {
        for width in [2, 3] {
            let rules = games::make(game.id, Some(width), &[]).expect("a game");
            for seeds in [7, 8] {
                let lower = boards::solve_up_to(rules.as_ref(), seeds);
                for layer in rules.layers(seeds) {
                    let solved = lower.get(layer).expect("a solved layer");
                    let verdict = verify(rules.as_ref(), solved, &lower, &Unwatched).expect("a verdict");
                    assert!(verdict.is_proof(), "{} {width} layer {layer}: {verdict:?}", game.id);
                    assert_eq!(verdict.checked, solved.index.size());
                }
            }
        }
    }
}

/// The layer with one value replaced.
fn altered(rules: &dyn Rules, solved: &SolvedLayer, rank: u64, value: i16) -> SolvedLayer {
    let mut all: Vec<i16> = (0..solved.index.size()).map(|rank| solved.values.get(rank)).collect();
    all[rank as usize] = value;
    let values = match &solved.values {
        Values::Seeds(_) => Values::seeds(all.into_iter().map(|value| value as i8).collect()),
        Values::Outcome(_) => Values::Outcome(all),
    };
    SolvedLayer { index: LayerIndex::new(rules, solved.index.layer()).expect("an index"), values }
}

#[test]
fn an_altered_value_is_found() {
    for game in GAMES {
        let rules = games::make(game.id, Some(2), &[]).expect("a game");
        let lower = boards::solve_up_to(rules.as_ref(), 8);
        let solved = boards::last_layer(rules.as_ref(), &lower, 8);
        for rank in (0..solved.index.size()).step_by(7) {
            let wrong = solved.values.get(rank) + 1;
            let layer = altered(rules.as_ref(), solved, rank, wrong);
            let verdict = verify(rules.as_ref(), &layer, &lower, &Unwatched).expect("a verdict");
            assert!(!verdict.is_proof(), "{} rank {rank}", game.id);
            let told = verdict.first.iter().any(|d| layer.index.rank(&d.board) == rank && d.found == Value(wrong));
            assert!(told, "{} rank {rank}: {verdict:?}", game.id);
            let sampled = verify_sample(rules.as_ref(), &layer, &lower, &[rank], &Unwatched).expect("a verdict");
            assert_eq!(sampled.differing, 1);
        }
    }
}

/// Two seeds that chase each other round the board draw; "the mover wins one" and "loses one" in turn would agree with
/// every move of the ring as well. Such a ring is planted and must be found.
#[test]
fn a_ring_of_values_without_ground_is_found() {
    let rules = games::make("oware", Some(6), &[]).expect("a game");
    let lower = boards::solve_up_to(rules.as_ref(), 2);
    let solved = boards::last_layer(rules.as_ref(), &lower, 2);
    let best = |values: &[i8], rank: u64| -> i8 {
        let mut moves = Moves::new();
        if let Some(value) = rules.expand(&solved.index.unrank(rank), &mut moves) {
            return value.0 as i8;
        }
        let value_of = |sown: &Sown| {
            let layer = Layer::of(sown.board.seeds() as u8);
            let after = if layer == solved.index.layer() {
                i16::from(values[solved.index.rank(&sown.board) as usize])
            } else {
                let below = lower.get(layer).expect("a lower layer");
                below.values.get(below.index.rank(&sown.board))
            };
            worth(Scoring::Seeds, sown, Value(after)).0 as i8
        };
        moves.iter().map(|(_, sown)| value_of(sown)).max().expect("a move")
    };
    let Values::Seeds(right) = &solved.values else { panic!("oware counts seeds") };
    // Follow the only moves of the walk and give its positions 1 and -1 in turn.
    let mut board = Board::of(&[0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1]);
    let mut values = right.to_vec();
    let mut sign = 1;
    let mut steps = 0;
    loop {
        let rank = solved.index.rank(&board) as usize;
        if values[rank] != 0 {
            break;
        }
        values[rank] = sign;
        sign = -sign;
        steps += 1;
        let mut moves = Moves::new();
        assert!(rules.expand(&board, &mut moves).is_none());
        let stay = |sown: &&(Move, Sown)| sown.1.gain == 0 && sown.1.turn == Turn::Pass;
        board = moves.iter().find(stay).expect("the walk goes on").1.board;
    }
    assert_eq!(steps, 12, "the walk comes home after twelve moves");
    // Positions that lead into the ring follow suit, until everything agrees again.
    for _ in 0..20 {
        for rank in 0..solved.index.size() {
            values[rank as usize] = best(&values, rank);
        }
    }
    assert!((0..solved.index.size()).all(|rank| values[rank as usize] == best(&values, rank)), "all agrees");
    assert_ne!(values[..], right[..], "the ring survives");
    let index = LayerIndex::new(rules.as_ref(), solved.index.layer()).expect("an index");
    let planted = SolvedLayer { index, values: Values::seeds(values) };
    let verdict = verify(rules.as_ref(), &planted, &lower, &Unwatched).expect("a verdict");
    assert_eq!(verdict.differing, 0);
    assert!(verdict.groundless >= 12, "{verdict:?}");
}

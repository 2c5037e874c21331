//! Bao as played in Kenya with laps: two rows of eight, two seeds a pit, stores for the booty only.
//!
//! A move lifts an own pit of two or more seeds (a single one only if no own pit holds two) and sows counter-clockwise
//! over both rows, nothing skipped. A lap that ends in an occupied pit lifts it and goes on. When it ends in an empty
//! own pit, the seeds of the facing pit are won; the last seed stays (`take_own=false`, the text) or, where something
//! was captured, is won too (`true`). Play is over when the mover's row is empty; the other player takes the rest.

use crate::rules::{
    Act, Board, LapWatch, Move, Moves, OptionInfo, OptionKind, RuleSet, Rules, Sown, Steps, Turn, Value, Witness,
};

/// The options of the game.
pub const OPTIONS: &[OptionInfo] = &[
    OptionInfo {
        name: "take_own",
        kind: OptionKind::Switch,
        default: "false",
        about: "the capturing seed is won with the facing ones",
    },
    super::ENDLESS_DRAW,
];

/// The rules of Bao with laps.
pub struct BaoLaps {
    rule_set: RuleSet,
    take_own: bool,
    endless_is_illegal: bool,
}

impl BaoLaps {
    /// The game with these settings.
    #[must_use]
    pub fn new(rule_set: RuleSet) -> Self {
        Self {
            take_own: rule_set.is_on("take_own"),
            endless_is_illegal: rule_set.word("endless") == "illegal",
            rule_set,
        }
    }

    fn sow(&self, board: &Board, pit: usize, witness: &mut impl Witness) -> Sown {
        let n = board.len();
        let mut board = *board;
        let mut watch = LapWatch::new();
        let mut at = pit;
        loop {
            if watch.repeats(&board, at as u32) {
                return Sown::stop(&board, 0, 0, Turn::Endless);
            }
            let hand = std::mem::take(&mut board[at]);
            witness.see(Act::Lift, at, hand);
            for _ in 0..hand {
                at = if at + 1 == n { 0 } else { at + 1 };
                board[at] += 1;
                witness.see(Act::Drop, at, 1);
            }
            if board[at] == 1 {
                break;
            }
        }
        let mut gain = 0;
        let facing = n - 1 - at;
        if at < n / 2 && board[facing] > 0 {
            witness.see(Act::Take, facing, board[facing]);
            gain = std::mem::take(&mut board[facing]);
            if self.take_own {
                witness.see(Act::Take, at, board[at]);
                gain += std::mem::take(&mut board[at]);
            }
        }
        Sown::pass(&board, gain)
    }
}

impl Rules for BaoLaps {
    fn rule_set(&self) -> &RuleSet {
        &self.rule_set
    }

    fn initial(&self, per_pit: u8) -> Board {
        Board::of(&vec![per_pit; 2 * self.rule_set.width()])
    }

    fn expand(&self, board: &Board, moves: &mut Moves) -> Option<Value> {
        moves.clear();
        let fullest = board.own().iter().copied().max().unwrap_or(0);
        if fullest == 0 {
            return Some(Value(-(board.seeds() as i16)));
        }
        let least = fullest.min(2);
        let pits = (0..board.half()).filter(|&pit| board[pit] >= least);
        moves.extend(pits.map(|pit| (Move(pit as u8), self.sow(board, pit, &mut ()))));
        super::strike_endless(moves, self.endless_is_illegal)
    }
    fn steps(&self, board: &Board, mv: Move) -> Steps {
        let mut steps = Steps::default();
        self.sow(board, usize::from(mv.0), &mut steps);
        steps
    }
}

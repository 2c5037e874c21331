//! Kiothi: two rows of ten, six seeds in each of the five rightmost pits of each row.
//!
//! A move lifts an own pit and sows counter-clockwise over both rows, nothing skipped; a lap that ends in an occupied
//! pit lifts it and goes on. When it ends in an empty own pit and the sowing has crossed the other row, the seed just
//! sown is won, and so is what lies in the facing pit; if it ended in the leftmost pit, in the unbroken run of
//! occupied facing pits from there on, up to `chain_max` columns in all.
//!
//! * `crossed_in`: whether any lap of the move (`move`) or only the last one (`lap`) must have touched the other row.
//! * `flags=true`: a pit stays *closed*, and its seeds cannot be taken, until its owner has lifted from it. Without
//!   flags every pit counts as open. `protected`: a closed pit in a run is passed over (`pass`) or ends it (`stop`).
//!
//! Play is over when the mover's row is empty; the other player takes all that is left.

use crate::rules::{
    Act, Board, LapWatch, Layer, MARK, Marks, Move, Moves, OptionInfo, OptionKind, RuleSet, Rules, Sown, Steps, Turn,
    Value, Witness,
};

/// The options of the game.
pub const OPTIONS: &[OptionInfo] = &[
    OptionInfo {
        name: "crossed_in",
        kind: OptionKind::Choice(&["move", "lap"]),
        default: "move",
        about: "to capture, the whole move or its last lap must have touched the other row",
    },
    OptionInfo {
        name: "chain_max",
        kind: OptionKind::Number(1, 10),
        default: "4",
        about: "most columns taken from the leftmost pit, or w for the whole row",
    },
    OptionInfo {
        name: "protected",
        kind: OptionKind::Choice(&["pass", "stop"]),
        default: "pass",
        about: "a closed pit inside a run of captures is passed over or ends it",
    },
    OptionInfo {
        name: "flags",
        kind: OptionKind::Switch,
        default: "false",
        about: "pits that their owner has not lifted from yet are closed to captures",
    },
    super::ENDLESS_DRAW,
];

/// The rules of Kiothi.
pub struct Kiothi {
    rule_set: RuleSet,
    crossed_in_lap: bool,
    chain_max: usize,
    protected_stops: bool,
    flags: bool,
    endless_is_illegal: bool,
}

impl Kiothi {
    /// The game with these settings.
    #[must_use]
    pub fn new(rule_set: RuleSet) -> Self {
        Self {
            crossed_in_lap: rule_set.word("crossed_in") == "lap",
            chain_max: usize::from(rule_set.number("chain_max")),
            protected_stops: rule_set.word("protected") == "stop",
            flags: rule_set.is_on("flags"),
            endless_is_illegal: rule_set.word("endless") == "illegal",
            rule_set,
        }
    }

    fn sow(&self, board: &Board, pit: usize, witness: &mut impl Witness) -> Sown {
        let n = board.len();
        let w = n / 2;
        let mut board = *board;
        let mut watch = LapWatch::new();
        let mut crossed = false;
        let mut at = pit;
        loop {
            if watch.repeats(&board, at as u32) {
                return Sown::stop(&board, 0, 0, Turn::Endless);
            }
            if self.crossed_in_lap {
                crossed = false;
            }
            let hand = board.count(at);
            witness.see(Act::Lift, at, hand);
            // Only the owner's lifting opens a pit.
            board[at] = if at < w { 0 } else { board[at] & MARK };
            for _ in 0..hand {
                at = if at + 1 == n { 0 } else { at + 1 };
                board[at] += 1;
                witness.see(Act::Drop, at, 1);
                crossed |= at >= w;
            }
            if board.count(at) == 1 {
                break;
            }
        }
        let mut gain = 0;
        if at < w && crossed {
            gain = 1;
            witness.see(Act::Take, at, 1);
            board[at] &= MARK;
            let columns = if at == 0 { self.chain_max.min(w) } else { 1 };
            for facing in (n - at - columns..n - at).rev() {
                let open = !board.marked(facing);
                if board.count(facing) == 0 || (!open && self.protected_stops) {
                    break;
                }
                if open {
                    witness.see(Act::Take, facing, board[facing]);
                    gain += std::mem::take(&mut board[facing]);
                }
            }
        }
        Sown::pass(&board, gain)
    }
}

impl Rules for Kiothi {
    fn rule_set(&self) -> &RuleSet {
        &self.rule_set
    }

    fn initial(&self, per_pit: u8) -> Board {
        let w = self.rule_set.width();
        let mut board = Board::empty(2 * w);
        for i in 0..2 * w {
            board[i] = if i % w >= w - w / 2 { per_pit } else { 0 } | if self.flags { MARK } else { 0 };
        }
        board
    }

    fn expand(&self, board: &Board, moves: &mut Moves) -> Option<Value> {
        moves.clear();
        let pits = (0..board.half()).filter(|&pit| board.count(pit) > 0);
        moves.extend(pits.map(|pit| (Move(pit as u8), self.sow(board, pit, &mut ()))));
        if moves.is_empty() {
            return Some(Value(-(board.seeds() as i16)));
        }
        super::strike_endless(moves, self.endless_is_illegal)
    }

    fn steps(&self, board: &Board, mv: Move) -> Steps {
        let mut steps = Steps::default();
        self.sow(board, usize::from(mv.0), &mut steps);
        steps
    }

    fn marks(&self) -> Marks {
        if self.flags { Marks::Closed } else { Marks::None }
    }

    fn layers(&self, seeds: u8) -> Vec<Layer> {
        let most_closed = if self.flags { 2 * self.rule_set.width() as u8 } else { 0 };
        (0..=seeds).flat_map(|seeds| (0..=most_closed).map(move |closed| Layer { seeds, closed })).collect()
    }
}

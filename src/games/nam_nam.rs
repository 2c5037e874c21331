//! Oware Nam Nam, one round.
//!
//! Two rows; each pit has an owner, at first the player of its row. A move sows the seeds of an own pit
//! counter-clockwise over both rows, nothing skipped. Whenever a pit reaches four, the four are won: by the mover if
//! it was the last seed in hand, otherwise by the owner of the pit, and sowing goes on. A lap that ends in an occupied
//! pit lifts it and goes on; one that ends in an empty pit, or with a four, ends the turn. A capture after which at
//! most four seeds remain, those in hand included, takes them too and ends the round (`last=4`; `last=0` switches it
//! off). A player none of whose pits holds a seed passes.
//!
//! `owners` tells who owns which pit, so that later rounds of a match can be answered too.

use crate::rules::{
    Act, Board, LapWatch, Layer, Marks, Move, Moves, OptionInfo, OptionKind, RuleSet, Rules, Sown, Steps, Turn, Value,
    Witness,
};

/// The options of the game.
pub const OPTIONS: &[OptionInfo] = &[
    OptionInfo {
        name: "owners",
        kind: OptionKind::Owners,
        default: "",
        about: "who owns each pit in ring order, the mover's row first: 1 the mover, 0 the other",
    },
    OptionInfo {
        name: "last",
        kind: OptionKind::Number(0, 4),
        default: "4",
        about: "a capture that leaves at most so many seeds takes them too; 0 switches it off",
    },
    super::ENDLESS_DRAW,
];

/// The rules of one round of Nam Nam.
pub struct NamNam {
    rule_set: RuleSet,
    last: u8,
    endless_is_illegal: bool,
    marks: u64,
}

impl NamNam {
    /// The game with these settings.
    #[must_use]
    pub fn new(rule_set: RuleSet) -> Self {
        let w = rule_set.width();
        let owners = rule_set.word("owners").bytes().enumerate();
        let marks = owners.filter(|&(i, digit)| (digit == b'1') != (i < w)).fold(0, |set, (i, _)| set | 1 << i);
        Self {
            last: rule_set.number("last"),
            endless_is_illegal: rule_set.word("endless") == "illegal",
            marks,
            rule_set,
        }
    }

    /// Sows from `pit` of a board of so many seeds that is shown without its `marks`.
    fn sow(&self, board: &Board, marks: u64, seeds: u8, pit: usize, witness: &mut impl Witness) -> Sown {
        let n = board.len();
        let mut board = *board;
        let is_movers = |i: usize| (i < n / 2) != (marks >> i & 1 == 1);
        let mut left = seeds;
        let (mut gain, mut gain_other) = (0, 0);
        let mut watch = LapWatch::new();
        let mut at = pit;
        let turn = 'turn: loop {
            if watch.repeats(&board, at as u32) {
                break Turn::Endless;
            }
            let mut hand = std::mem::take(&mut board[at]);
            witness.see(Act::Lift, at, hand);
            while hand > 0 {
                at = if at + 1 == n { 0 } else { at + 1 };
                board[at] += 1;
                witness.see(Act::Drop, at, 1);
                hand -= 1;
                if board[at] == 4 {
                    let is_own = hand == 0 || is_movers(at);
                    let won = if is_own { &mut gain } else { &mut gain_other };
                    let (act, act_hand) = if is_own { (Act::Take, Act::TakeHand) } else { (Act::Give, Act::GiveHand) };
                    witness.see(act, at, 4);
                    board[at] = 0;
                    *won += 4;
                    left -= 4;
                    if left <= self.last {
                        *won += left;
                        (0..n).filter(|&i| board[i] > 0).for_each(|i| witness.see(act, i, board[i]));
                        if hand > 0 {
                            witness.see(act_hand, 0, hand);
                        }
                        board = Board::empty(n);
                        break 'turn Turn::Pass;
                    }
                    if hand == 0 {
                        break 'turn Turn::Pass;
                    }
                }
            }
            if board[at] == 1 {
                break Turn::Pass;
            }
        };
        if marks != 0 {
            board = board.with_marks(marks);
        }
        Sown::stop(&board, gain, gain_other, turn)
    }
}

impl Rules for NamNam {
    fn rule_set(&self) -> &RuleSet {
        &self.rule_set
    }

    fn initial(&self, per_pit: u8) -> Board {
        Board::of(&vec![per_pit; 2 * self.rule_set.width()]).with_marks(self.marks)
    }

    fn expand(&self, board: &Board, moves: &mut Moves) -> Option<Value> {
        moves.clear();
        if board.seeds() == 0 {
            return Some(Value::DRAW);
        }
        let w = board.half();
        let (marks, seeds, plain) = (board.marks(), board.seeds() as u8, board.with_marks(0));
        let owned = (0..board.len()).filter(|&i| (i < w) != (marks >> i & 1 == 1) && plain[i] > 0);
        moves.extend(owned.map(|pit| (Move(pit as u8), self.sow(&plain, marks, seeds, pit, &mut ()))));
        if moves.is_empty() {
            moves.push((Move::PASS, Sown::pass(board, 0)));
        }
        super::strike_endless(moves, self.endless_is_illegal)
    }

    fn steps(&self, board: &Board, mv: Move) -> Steps {
        let mut steps = Steps::default();
        if mv != Move::PASS {
            let plain = board.with_marks(0);
            self.sow(&plain, board.marks(), board.seeds() as u8, usize::from(mv.0), &mut steps);
        }
        steps
    }

    fn marks(&self) -> Marks {
        match self.marks {
            0 => Marks::None,
            set => Marks::Seats(set),
        }
    }

    fn layers(&self, seeds: u8) -> Vec<Layer> {
        (seeds % 4..=seeds).step_by(4).map(Layer::of).collect()
    }
}

//! Bao as Kenyan children play it: two rows of eight, a store to the right of each, three seeds a pit.
//!
//! A move sows the seeds of an own pit over the own row, the own store and the other row, leaving out the other store
//! and, on later rounds, the origin. If the last seed falls into the store the mover moves again. If it falls into an
//! own pit that was empty, the seeds of the facing pit are won; the capturing seed stays (`take_own=false`, the text)
//! or, where something was captured, is won too (`true`). Play is over only when the player to move has an empty row:
//! the other one takes what is left.

use super::kalaha::{sow_other_facing, sow_own_with_store};
use crate::rules::{
    Act, Board, Capture, Class, Feeding, HalfRows, Move, Moves, OptionInfo, OptionKind, OtherHalf, OwnHalf,
    PlainSowing, RuleSet, Rules, Sown, Steps, Value, Witness,
};

/// The options of the game.
pub const OPTIONS: &[OptionInfo] = &[OptionInfo {
    name: "take_own",
    kind: OptionKind::Switch,
    default: "false",
    about: "the capturing seed is won with the facing ones",
}];

/// The rules of the children's Bao.
pub struct BaoKenya {
    rule_set: RuleSet,
    take_own: bool,
}

impl BaoKenya {
    /// The game with these settings.
    #[must_use]
    pub fn new(rule_set: RuleSet) -> Self {
        Self { take_own: rule_set.is_on("take_own"), rule_set }
    }

    fn sow(&self, board: &Board, pit: usize, witness: &mut impl Witness) -> Sown {
        let w = board.half();
        let mut board = *board;
        let mut gain = 0;
        let mut hand = std::mem::take(&mut board[pit]);
        witness.see(Act::Lift, pit, hand);
        // Stations 0..w are the mover's row, w his store, and w + 1.. the other row.
        let mut at = pit;
        while hand > 0 {
            at = if at == 2 * w { 0 } else { at + 1 };
            if at == pit {
                continue;
            }
            match at {
                _ if at == w => {
                    gain += 1;
                    witness.see(Act::Store, 0, 1);
                }
                _ => {
                    let pit = if at < w { at } else { at - 1 };
                    board[pit] += 1;
                    witness.see(Act::Drop, pit, 1);
                }
            }
            hand -= 1;
        }
        if at == w {
            return Sown::again(&board, gain);
        }
        let facing = (2 * w - 1).saturating_sub(at);
        if at < w && board[at] == 1 && board[facing] > 0 {
            witness.see(Act::Take, facing, board[facing]);
            gain += std::mem::take(&mut board[facing]);
            if self.take_own {
                witness.see(Act::Take, at, board[at]);
                gain += std::mem::take(&mut board[at]);
            }
        }
        Sown::pass(&board, gain)
    }
}

impl Rules for BaoKenya {
    fn rule_set(&self) -> &RuleSet {
        &self.rule_set
    }

    fn initial(&self, per_pit: u8) -> Board {
        Board::of(&vec![per_pit; 2 * self.rule_set.width()])
    }

    fn expand(&self, board: &Board, moves: &mut Moves) -> Option<Value> {
        moves.clear();
        let pits = (0..board.half()).filter(|&pit| board[pit] > 0);
        moves.extend(pits.map(|pit| (Move(pit as u8), self.sow(board, pit, &mut ()))));
        if moves.is_empty() { Some(Value(-(board.seeds() as i16))) } else { None }
    }

    fn steps(&self, board: &Board, mv: Move) -> Steps {
        let mut steps = Steps::default();
        self.sow(board, usize::from(mv.0), &mut steps);
        steps
    }

    fn half_rows(&self) -> Option<&dyn HalfRows> {
        Some(self)
    }

    fn plain_sowing(&self) -> Option<PlainSowing> {
        Some(PlainSowing {
            store: true,
            skip_origin: true,
            capture: Capture::Facing { take_own: self.take_own, empty_too: false },
            ends_on_other_empty: false,
            feeding: Feeding::Free,
        })
    }
}

impl HalfRows for BaoKenya {
    fn acyclic(&self) -> bool {
        true
    }

    fn sow_own(&self, row: &[u8], pit: usize) -> OwnHalf {
        sow_own_with_store(row, pit, true, self.take_own)
    }

    fn sow_other(&self, row: &[u8], class: Class) -> OtherHalf {
        sow_other_facing(row, class, false)
    }
}

//! Kalaha, and Kalah with `empty_capture=false`.
//!
//! Two rows and a store to the right of each. A move takes all seeds of an own pit and sows them counter-clockwise
//! over the own row, the own store and the other row, never into the other store; the origin is sown like any pit. If
//! the last seed falls into the store the mover moves again. If it falls into an own pit that was empty, it is won
//! together with what lies in the facing pit; an empty facing pit counts too (`empty_capture=true`, the text this game
//! comes from) or makes the whole capture void (`false`, the usual rule). As soon as either row is empty, even when an
//! extra turn is due, play is over and each keeps what lies in his row.

use crate::rules::{
    Act, Board, Capture, Class, Feeding, HalfRows, Last, Move, Moves, OptionInfo, OptionKind, OtherHalf, OwnHalf,
    PlainSowing, Row, RuleSet, Rules, Sown, Steps, Value, Witness,
};

/// The options of the game.
pub const OPTIONS: &[OptionInfo] = &[OptionInfo {
    name: "empty_capture",
    kind: OptionKind::Switch,
    default: "true",
    about: "a last seed in an own empty pit is won even if the facing pit is empty",
}];

/// The rules of Kalaha.
pub struct Kalaha {
    rule_set: RuleSet,
    empty_capture: bool,
}

impl Kalaha {
    /// The game with these settings.
    #[must_use]
    pub fn new(rule_set: RuleSet) -> Self {
        Self { empty_capture: rule_set.is_on("empty_capture"), rule_set }
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
        if at < w && board[at] == 1 {
            let facing = 2 * w - 1 - at;
            if board[facing] > 0 || self.empty_capture {
                for pit in [at, facing] {
                    if board[pit] > 0 {
                        witness.see(Act::Take, pit, board[pit]);
                    }
                    gain += std::mem::take(&mut board[pit]);
                }
            }
        }
        Sown::pass(&board, gain)
    }
}

impl Rules for Kalaha {
    fn rule_set(&self) -> &RuleSet {
        &self.rule_set
    }

    fn initial(&self, per_pit: u8) -> Board {
        Board::of(&vec![per_pit; 2 * self.rule_set.width()])
    }

    fn expand(&self, board: &Board, moves: &mut Moves) -> Option<Value> {
        moves.clear();
        let row_seeds = |row: &[u8]| row.iter().map(|&pit| i16::from(pit)).sum::<i16>();
        let (own, other) = (row_seeds(board.own()), row_seeds(board.other()));
        if own == 0 || other == 0 {
            return Some(Value(own - other));
        }
        let pits = (0..board.half()).filter(|&pit| board[pit] > 0);
        moves.extend(pits.map(|pit| (Move(pit as u8), self.sow(board, pit, &mut ()))));
        None
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
            skip_origin: false,
            capture: Capture::Facing { take_own: true, empty_too: self.empty_capture },
            ends_on_other_empty: true,
            feeding: Feeding::Free,
        })
    }
}

impl HalfRows for Kalaha {
    fn acyclic(&self) -> bool {
        true
    }

    fn ends_on_other_empty(&self) -> bool {
        true
    }

    fn sow_own(&self, row: &[u8], pit: usize) -> OwnHalf {
        sow_own_with_store(row, pit, false, true)
    }

    fn sow_other(&self, row: &[u8], class: Class) -> OtherHalf {
        sow_other_facing(row, class, self.empty_capture)
    }
}

/// The mover's half of a sowing over his row, his store and the other row.
///
/// `skip_origin`: the origin gets no seed; `take_own`: a capturing seed is won too.
pub(super) fn sow_own_with_store(row: &[u8], pit: usize, skip_origin: bool, take_own: bool) -> OwnHalf {
    let w = row.len();
    let mut row = Row::of(row);
    let mut hand = std::mem::take(&mut row.pits_mut()[pit]);
    let (mut store, mut drops, mut at) = (0, 0, pit);
    while hand > 0 {
        at = if at == 2 * w { 0 } else { at + 1 };
        if at == pit && skip_origin {
            continue;
        }
        match at {
            _ if at == w => store += 1,
            _ if at < w => row.pits_mut()[at] += 1,
            _ => drops += 1,
        }
        hand -= 1;
    }
    let captures = at < w && row.pits()[at] == 1;
    let last = match at {
        _ if captures => Last::Facing(at as u8),
        _ if at <= w => Last::Own,
        _ => Last::Other,
    };
    let mut row_after_capture = row;
    if captures && take_own {
        row_after_capture.pits_mut()[at] = 0;
    }
    OwnHalf { class: Class { drops, last }, store, again: at == w, row, row_after_capture }
}

/// The other half of a sowing whose capture empties the facing pit; `empty_too`: it counts as a capture even if that
/// pit is empty.
pub(super) fn sow_other_facing(row: &[u8], class: Class, empty_too: bool) -> OtherHalf {
    let w = row.len();
    let mut row = Row::of(row);
    for drop in 0..usize::from(class.drops) {
        row.pits_mut()[drop % w] += 1;
    }
    let mut captures = false;
    if let Last::Facing(at) = class.last {
        let facing = w - 1 - usize::from(at);
        let taken = std::mem::take(&mut row.pits_mut()[facing]);
        captures = taken > 0 || empty_too;
    }
    OtherHalf { row, captures }
}

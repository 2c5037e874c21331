//! Awalé and Oware, and the presets Awari and Oware Abapa.
//!
//! Two rows; what is won is laid aside. A move sows the seeds of an own pit counter-clockwise over both rows, one a
//! pit, leaving out the origin on every round. If the last seed falls into the other row and makes two there (Oware:
//! two or three), these seeds are won, and so are those of the pits before it, one after the other, as long as they
//! lie in the other row and hold as many.
//!
//! * *Grand slam*, a move that would take all that the other player has: `avoid` forbids every move that leaves the
//!   other row bare while another move exists; `void` lets it be played but take nothing; `allow` lets it take all.
//! * *Feeding*: if the other row is empty, moves that drop a seed there come first; under `avoid` that follows from
//!   the rule itself.
//! * Awalé's `chain_own=true` lets a chain of captures run on into the mover's own row.
//!
//! Play is over when the player to move has an empty row; the other one takes what is left. Seeds that only circle
//! are shared evenly.

use crate::rules::{
    Act, Board, Capture, Class, Feeding, HalfRows, Last, Move, Moves, OptionInfo, OptionKind, OtherHalf, OwnHalf,
    PlainSowing, Row, RuleSet, Rules, Sown, Steps, Value, Witness,
};

const SLAM: &[&str] = &["avoid", "void", "allow"];

/// The options of Awalé.
pub const AWALE_OPTIONS: &[OptionInfo] = &[
    OptionInfo {
        name: "grand_slam",
        kind: OptionKind::Choice(SLAM),
        default: "avoid",
        about: "taking all of the other row: forbidden if avoidable, void, or allowed",
    },
    OptionInfo {
        name: "chain_own",
        kind: OptionKind::Switch,
        default: "false",
        about: "a chain of captures runs on into the mover's own row",
    },
];

/// The options of Oware.
pub const OWARE_OPTIONS: &[OptionInfo] = &[OptionInfo {
    name: "grand_slam",
    kind: OptionKind::Choice(SLAM),
    default: "allow",
    about: "taking all of the other row: forbidden if avoidable, void, or allowed",
}];

#[derive(Clone, Copy, PartialEq, Eq)]
enum GrandSlam {
    Avoid,
    Void,
    Allow,
}

/// The rules of Awalé and Oware.
pub struct Oware {
    rule_set: RuleSet,
    most_taken: u8,
    /// The text of awale lets the first to hold 24 of 48 seeds win.
    first_half_wins: bool,
    grand_slam: GrandSlam,
    chain_own: bool,
}

impl Oware {
    /// Awalé: a pit of two is taken.
    #[must_use]
    pub fn awale(rule_set: RuleSet) -> Self {
        Self { first_half_wins: true, ..Self::new(rule_set, 2) }
    }

    /// Oware: a pit of two or three is taken.
    #[must_use]
    pub fn oware(rule_set: RuleSet) -> Self {
        Self::new(rule_set, 3)
    }

    fn new(rule_set: RuleSet, most_taken: u8) -> Self {
        let grand_slam = match rule_set.word("grand_slam") {
            "avoid" => GrandSlam::Avoid,
            "void" => GrandSlam::Void,
            _ => GrandSlam::Allow,
        };
        Self { most_taken, first_half_wins: false, grand_slam, chain_own: rule_set.is_on("chain_own"), rule_set }
    }

    fn sow(&self, board: &Board, pit: usize, witness: &mut impl Witness) -> Sown {
        let (w, n) = (board.half(), board.len());
        let mut board = *board;
        let mut hand = std::mem::take(&mut board[pit]);
        witness.see(Act::Lift, pit, hand);
        let mut at = pit;
        while hand > 0 {
            at = (at + 1) % n;
            if at != pit {
                board[at] += 1;
                witness.see(Act::Drop, at, 1);
                hand -= 1;
            }
        }
        let sown = board;
        let mut gain = 0;
        if at >= w {
            let end = if self.chain_own { 0 } else { w };
            for i in (end..=at).rev() {
                if !(2..=self.most_taken).contains(&board[i]) {
                    break;
                }
                gain += std::mem::take(&mut board[i]);
            }
        }
        if gain > 0 && self.grand_slam == GrandSlam::Void && is_bare(board.other()) {
            return Sown::pass(&sown, 0);
        }
        for taken in (0..=at).rev().take_while(|&i| board[i] != sown[i]) {
            witness.see(Act::Take, taken, sown[taken]);
        }
        Sown::pass(&board, gain)
    }
}

fn is_bare(row: &[u8]) -> bool {
    row.iter().all(|&pit| pit == 0)
}

impl Rules for Oware {
    fn rule_set(&self) -> &RuleSet {
        &self.rule_set
    }

    fn initial(&self, per_pit: u8) -> Board {
        Board::of(&vec![per_pit; 2 * self.rule_set.width()])
    }

    fn expand(&self, board: &Board, moves: &mut Moves) -> Option<Value> {
        moves.clear();
        let w = board.half();
        let pits = (0..w).filter(|&pit| board[pit] > 0);
        moves.extend(pits.map(|pit| (Move(pit as u8), self.sow(board, pit, &mut ()))));
        if moves.is_empty() {
            return Some(Value(-(board.seeds() as i16)));
        }
        let serves = |(mv, sown): &(Move, Sown)| match self.grand_slam {
            GrandSlam::Avoid => !is_bare(sown.board.own()),
            // The sowing alone counts: it reaches the other row with as many seeds as there are pits to its right.
            _ => !is_bare(board.other()) || usize::from(board[usize::from(mv.0)]) >= w - usize::from(mv.0),
        };
        if moves.iter().any(serves) {
            moves.retain(serves);
        }
        None
    }

    fn steps(&self, board: &Board, mv: Move) -> Steps {
        let mut steps = Steps::default();
        self.sow(board, usize::from(mv.0), &mut steps);
        steps
    }

    fn first_half_wins(&self) -> bool {
        self.first_half_wins
    }

    fn half_rows(&self) -> Option<&dyn HalfRows> {
        // A chain that enters the mover's row makes his half depend on the other one.
        (!self.chain_own).then_some(self)
    }

    fn plain_sowing(&self) -> Option<PlainSowing> {
        let void_slam = self.grand_slam == GrandSlam::Void;
        (!self.chain_own).then_some(PlainSowing {
            store: false,
            skip_origin: true,
            capture: Capture::Chain { most: self.most_taken, void_slam },
            ends_on_other_empty: false,
            feeding: self.feeding(),
        })
    }
}

impl HalfRows for Oware {
    fn acyclic(&self) -> bool {
        false
    }

    fn feeding(&self) -> Feeding {
        match self.grand_slam {
            GrandSlam::Avoid => Feeding::Spare,
            _ => Feeding::Feed,
        }
    }

    fn can_leave(&self, row: &[u8]) -> bool {
        // Every round leaves out the pit that the seeds were taken from.
        row.contains(&0)
    }

    fn sow_own(&self, row: &[u8], pit: usize) -> OwnHalf {
        let w = row.len();
        let mut row = Row::of(row);
        let mut hand = std::mem::take(&mut row.pits_mut()[pit]);
        let (mut drops, mut at) = (0, pit);
        while hand > 0 {
            at = (at + 1) % (2 * w);
            if at == pit {
                continue;
            }
            if at < w {
                row.pits_mut()[at] += 1;
            } else {
                drops += 1;
            }
            hand -= 1;
        }
        let last = if at < w { Last::Own } else { Last::Other };
        OwnHalf { class: Class { drops, last }, store: 0, again: false, row, row_after_capture: row }
    }

    fn sow_other(&self, row: &[u8], class: Class) -> OtherHalf {
        let w = row.len();
        let mut sown = Row::of(row);
        for drop in 0..usize::from(class.drops) {
            sown.pits_mut()[drop % w] += 1;
        }
        let mut row = sown;
        if class.last == Last::Other {
            let at = (usize::from(class.drops) - 1) % w;
            for pit in row.pits_mut()[..=at].iter_mut().rev() {
                if !(2..=self.most_taken).contains(pit) {
                    break;
                }
                *pit = 0;
            }
        }
        if self.grand_slam == GrandSlam::Void && is_bare(row.pits()) {
            row = sown;
        }
        OtherHalf { row, captures: row != sown }
    }
}

//! Bao la Kujifunza, the learner's Bao: four rows of eight, two seeds a pit.
//!
//! Each player owns two rows, a ring of `2w` pits: ring index `0..w` is his front row from his left to his right,
//! `w..2w` the back row from his right to his left, so that clockwise is `+1`. His front pit `c` faces ring pit
//! `w-1-c` of the other player.
//!
//! A pit and a direction are a *mtaji* if the pit holds 2 to `2w-1` seeds and their last one falls into an occupied
//! own front pit whose facing pit is occupied. A mtaji captures: whenever a lap of it ends so, the facing seeds are
//! taken and sown from a front corner, clockwise from the left one if the capturing pit was among the leftmost two
//! (fewer on narrow boards), counter-clockwise from the right one if it was among the rightmost two, otherwise in the
//! direction being sown (`central=current`) or that of the first lap (`first`). Other laps that end in an occupied
//! pit lift it and go on; one that ends in an empty pit ends the move. Without a mtaji a *takata* is played, from the
//! front row if a pit there holds two, else from the back row; it never captures.
//!
//! Who is to move loses if his front row is empty. Otherwise he has won if the other front row is empty, and loses if
//! no pit of his holds two or if he has only endless moves. Taking the last seed of the other front row wins at once.
//! Play that goes on for ever is a draw.

use crate::rules::{
    Act, Board, LapWatch, Layer, Move, Moves, OptionInfo, OptionKind, RuleSet, Rules, Scoring, Sown, Steps, Turn,
    Value, Witness,
};

/// The options of the game.
pub const OPTIONS: &[OptionInfo] = &[
    OptionInfo {
        name: "central",
        kind: OptionKind::Choice(&["current", "first"]),
        default: "current",
        about: "a capture in the centre is sown in the current or in the first lap's direction",
    },
    OptionInfo {
        name: "own_front",
        kind: OptionKind::Choice(&["end", "during"]),
        default: "end",
        about: "an empty own front row loses at the end of the move or already during it",
    },
    OptionInfo {
        name: "lone_end",
        kind: OptionKind::Choice(&["any", "inward"]),
        default: "any",
        about: "a takata from a lone front end pit may start either way or only inward",
    },
    OptionInfo {
        name: "endless",
        kind: OptionKind::Choice(&["draw", "illegal"]),
        default: "illegal",
        about: "a sowing that never stops draws, or may not be played",
    },
];

const CLOCKWISE: u8 = 0;
const COUNTER_CLOCKWISE: u8 = 1;

/// The rules of Bao la Kujifunza.
pub struct Kujifunza {
    rule_set: RuleSet,
    width: usize,
    central_first: bool,
    lost_during: bool,
    lone_end_inward: bool,
    endless_is_illegal: bool,
}

impl Kujifunza {
    /// The game with these settings.
    #[must_use]
    pub fn new(rule_set: RuleSet) -> Self {
        Self {
            width: rule_set.width(),
            central_first: rule_set.word("central") == "first",
            lost_during: rule_set.word("own_front") == "during",
            lone_end_inward: rule_set.word("lone_end") == "inward",
            endless_is_illegal: rule_set.word("endless") == "illegal",
            rule_set,
        }
    }

    fn facing(&self, front: usize) -> usize {
        3 * self.width - 1 - front
    }

    fn captures_at(&self, board: &Board, at: usize) -> bool {
        at < self.width && board[self.facing(at)] > 0
    }

    fn is_mtaji(&self, board: &Board, pit: usize, direction: u8) -> bool {
        let ring = 2 * self.width;
        let seeds = usize::from(board[pit]);
        if !(2..ring).contains(&seeds) {
            return false;
        }
        let at = match direction {
            CLOCKWISE => (pit + seeds) % ring,
            _ => (pit + ring - seeds) % ring,
        };
        board[at] > 0 && self.captures_at(board, at)
    }

    fn sow(&self, board: &Board, pit: usize, first: u8, capturing: bool, witness: &mut impl Witness) -> Sown {
        let (w, ring) = (self.width, 2 * self.width);
        let mut board = *board;
        let mut watch = LapWatch::new();
        let mut direction = first;
        let step = |at: usize, direction: u8| match direction {
            CLOCKWISE => (at + 1) % ring,
            _ => (at + ring - 1) % ring,
        };
        let mut hand = std::mem::take(&mut board[pit]);
        witness.see(Act::Lift, pit, hand);
        let mut next = step(pit, direction);
        loop {
            if watch.repeats(&board, u32::from(hand) << 16 | (next as u32) << 8 | u32::from(direction)) {
                board[next] += hand;
                witness.see(Act::Drop, next, hand);
                return Sown::stop(&board, 0, 0, Turn::Endless);
            }
            let mut at = next;
            while hand > 0 {
                at = next;
                board[at] += 1;
                witness.see(Act::Drop, at, 1);
                hand -= 1;
                next = step(at, direction);
                if self.lost_during && board[..w].iter().all(|&seeds| seeds == 0) {
                    board[at] += hand;
                    witness.see(Act::Drop, at, hand);
                    return Sown::stop(&board, 0, 0, Turn::Lost);
                }
            }
            if board[at] == 1 {
                return Sown::pass(&board, 0);
            }
            if capturing && self.captures_at(&board, at) {
                hand = std::mem::take(&mut board[self.facing(at)]);
                witness.see(Act::Lift, self.facing(at), hand);
                if board[ring..ring + w].iter().all(|&seeds| seeds == 0) {
                    board[at] += hand;
                    witness.see(Act::Drop, at, hand);
                    return Sown::stop(&board, 0, 0, Turn::Won);
                }
                let near = (w / 2).min(2);
                direction = match at {
                    _ if at < near => CLOCKWISE,
                    _ if at >= w - near => COUNTER_CLOCKWISE,
                    _ if self.central_first => first,
                    _ => direction,
                };
                next = if direction == CLOCKWISE { 0 } else { w - 1 };
            } else {
                hand = std::mem::take(&mut board[at]);
                witness.see(Act::Lift, at, hand);
            }
        }
    }

    fn sow_each(&self, board: &Board, pairs: impl Iterator<Item = (usize, u8)>, capturing: bool, moves: &mut Moves) {
        for (pit, direction) in pairs {
            let sown = self.sow(board, pit, direction, capturing, &mut ());
            if sown.turn != Turn::Endless || !self.endless_is_illegal {
                moves.push((Move(2 * pit as u8 + direction), sown));
            }
        }
    }

    /// Whether a takata from `pit` would start out of the front row although nothing else lies there.
    fn leaves_front_bare(&self, board: &Board, pit: usize, direction: u8) -> bool {
        let outward = match direction {
            CLOCKWISE => pit == self.width - 1,
            _ => pit == 0,
        };
        outward && board[..self.width].iter().filter(|&&seeds| seeds > 0).count() == 1
    }
}

impl Rules for Kujifunza {
    fn rule_set(&self) -> &RuleSet {
        &self.rule_set
    }

    fn scoring(&self) -> Scoring {
        Scoring::Outcome
    }

    fn half(&self) -> usize {
        2 * self.width
    }

    fn initial(&self, per_pit: u8) -> Board {
        Board::of(&vec![per_pit; 4 * self.width])
    }

    fn expand(&self, board: &Board, moves: &mut Moves) -> Option<Value> {
        moves.clear();
        let (w, ring) = (self.width, 2 * self.width);
        if board[..w].iter().all(|&seeds| seeds == 0) {
            return Some(Value::loss(0));
        }
        if board[ring..ring + w].iter().all(|&seeds| seeds == 0) {
            return Some(Value::win(0));
        }
        let both_ways = |pits: std::ops::Range<usize>| {
            pits.filter(|&pit| board[pit] >= 2).flat_map(|pit| [(pit, CLOCKWISE), (pit, COUNTER_CLOCKWISE)])
        };
        let is_mtaji = |&(pit, direction): &(usize, u8)| self.is_mtaji(board, pit, direction);
        self.sow_each(board, both_ways(0..ring).filter(is_mtaji), true, moves);
        if moves.is_empty() {
            let near = if board[..w].iter().any(|&seeds| seeds >= 2) { 0..w } else { w..ring };
            let takata = both_ways(near).filter(|pair| !is_mtaji(pair)).filter(|&(pit, direction)| {
                !(self.lone_end_inward && pit < w && self.leaves_front_bare(board, pit, direction))
            });
            self.sow_each(board, takata, false, moves);
        }
        if moves.is_empty() {
            return Some(Value::loss(0));
        }
        None
    }

    fn steps(&self, board: &Board, mv: Move) -> Steps {
        let mut steps = Steps::default();
        let (pit, direction) = (usize::from(mv.0) / 2, mv.0 % 2);
        // Only where there is no mtaji is anything else legal.
        let capturing = self.is_mtaji(board, pit, direction);
        self.sow(board, pit, direction, capturing, &mut steps);
        steps
    }

    fn mirror(&self) -> Option<Vec<u8>> {
        let w = self.width as u8;
        Some((0..w).map(|front| w - 1 - front).chain((w..2 * w).map(|back| 3 * w - 1 - back)).collect())
    }

    fn layers(&self, seeds: u8) -> Vec<Layer> {
        vec![Layer::of(seeds)]
    }

    fn move_pit(&self, mv: Move) -> usize {
        let pit = usize::from(mv.0) / 2;
        if pit < self.width { pit + 1 } else { 2 * self.width - pit }
    }

    fn move_name(&self, mv: Move) -> String {
        let row = if usize::from(mv.0) / 2 < self.width { "" } else { "b" };
        let way = if mv.0 % 2 == CLOCKWISE { '>' } else { '<' };
        format!("{row}{}{way}", self.move_pit(mv))
    }
}

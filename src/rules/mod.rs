//! What a mancala game is: a board, its legal moves with their results, and what a position is worth.
//!
//! Everything here is seen by the player to move, the *mover*. Seeds already won are not part of a position. This
//! module knows neither files nor ranks.

mod board;
mod half_rows;
mod laps;
pub mod notation;
mod perft;
mod plain_sowing;
mod rule_set;
mod steps;
mod value;

pub use board::{Board, MARK, MAX_PITS, MAX_SEEDS};
pub use half_rows::{Class, Feeding, HalfRows, Last, OtherHalf, OwnHalf, Row};
pub use laps::{LapWatch, while_wanted};
pub use perft::perft;
pub use plain_sowing::{Capture, PlainSowing};
pub use rule_set::{OptionInfo, OptionKind, RuleError, RuleSet, Setting, WIDTHS, nearest, turn_owners};
pub use steps::{Act, Step, Steps, Witness};
pub use value::{Scoring, Value};

use std::fmt;

/// A move, numbered by the game: the pit for two-row games, `2 * pit + direction` for kujifunza.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Move(pub u8);

impl Move {
    /// The forced pass of a player who owns no seed (Nam Nam).
    pub const PASS: Self = Self(u8::MAX);
}

/// Who sows next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// The other player; the board is turned.
    Pass,
    /// The same player; the board is not turned.
    Again,
    /// Nobody: the sowing never stops, and what is on the board is shared.
    Endless,
    /// Nobody: the mover has won during the sowing (outcome games).
    Won,
    /// Nobody: the mover has lost during the sowing (outcome games).
    Lost,
}

/// What a move does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sown {
    /// The board as seen by whoever moves next. After [`Turn::Endless`], [`Turn::Won`] and [`Turn::Lost`] it is the
    /// board where play stopped, seeds in hand laid into the last pit reached, seen by the other player.
    pub board: Board,
    /// Seeds won by the mover.
    pub gain: u8,
    /// Seeds won by the other player (only Nam Nam).
    pub gain_other: u8,
    /// Who sows next.
    pub turn: Turn,
}

impl Sown {
    /// A sowing that ends the turn: `board` is still the mover's view and is turned here.
    #[must_use]
    pub fn pass(board: &Board, gain: u8) -> Self {
        Self { board: board.turned(), gain, gain_other: 0, turn: Turn::Pass }
    }

    /// A sowing after which the mover moves again.
    #[must_use]
    pub fn again(board: &Board, gain: u8) -> Self {
        Self { board: *board, gain, gain_other: 0, turn: Turn::Again }
    }

    /// A sowing after which play stops for the reason `turn`; `board` is the mover's view.
    #[must_use]
    pub fn stop(board: &Board, gain: u8, gain_other: u8, turn: Turn) -> Self {
        Self { board: board.turned(), gain, gain_other, turn }
    }
}

/// The legal moves of one position with their results, in the order of the pits.
pub type Moves = Vec<(Move, Sown)>;

/// A set of positions that is solved as a whole.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Layer {
    /// Seeds on the board.
    pub seeds: u8,
    /// Pits that are still closed (Kiothi with flags; 0 everywhere else).
    pub closed: u8,
}

impl Layer {
    /// The layer of `seeds` seeds with every pit open.
    #[must_use]
    pub const fn of(seeds: u8) -> Self {
        Self { seeds, closed: 0 }
    }
}

impl fmt::Display for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.closed {
            0 => write!(f, "{}", self.seeds),
            closed => write!(f, "{}+{closed} closed", self.seeds),
        }
    }
}

/// Which marks the positions of a layer carry.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Marks {
    /// None.
    None,
    /// Any set of [`Layer::closed`] pits.
    Closed,
    /// This set for one seat and the set turned round for the other; when both are the same, one set.
    Seats(u64),
}

/// The rules of one game with its options and width.
///
/// A game states its rules in [`Rules::expand`] alone; everything else describes the set of positions or offers a
/// faster way to the same moves.
pub trait Rules: Send + Sync {
    /// Game, width and options.
    fn rule_set(&self) -> &RuleSet;

    /// How a result is counted.
    fn scoring(&self) -> Scoring {
        Scoring::Seeds
    }

    /// Pits of one player.
    fn half(&self) -> usize {
        self.rule_set().width()
    }

    /// The initial position with `per_pit` seeds in each pit that the game fills.
    fn initial(&self, per_pit: u8) -> Board;

    /// Puts every legal move and its result into `moves` (cleared first) and returns `None`; or, if play is over,
    /// returns what the position is worth and leaves `moves` empty.
    fn expand(&self, board: &Board, moves: &mut Moves) -> Option<Value>;

    /// How a legal move goes, seed by seed; the same sowing that [`Rules::expand`] makes.
    fn steps(&self, board: &Board, mv: Move) -> Steps;

    /// The marks a position may carry.
    fn marks(&self) -> Marks {
        Marks::None
    }

    /// The closed pits that place a position in its layer.
    fn closed(&self, board: &Board) -> u8 {
        match self.marks() {
            Marks::Closed => board.marks().count_ones() as u8,
            Marks::None | Marks::Seats(_) => 0,
        }
    }

    /// Whether turning left and right leaves all values alone, so that an index may keep half of the positions;
    /// returns the pit that each pit of a half becomes.
    fn mirror(&self) -> Option<Vec<u8>> {
        None
    }

    /// Every layer that must be solved before a position of `seeds` seeds can be answered, in that order, itself last.
    fn layers(&self, seeds: u8) -> Vec<Layer> {
        (0..=seeds).map(Layer::of).collect()
    }

    /// Whether whoever first holds half of all seeds has won, so that an even score at the end is no draw. A value cannot
    /// tell who was first; only a game that was played can.
    fn first_half_wins(&self) -> bool {
        false
    }

    /// The half-row structure, for games that have it under these options.
    fn half_rows(&self) -> Option<&dyn HalfRows> {
        None
    }

    /// The pit that a move lifts, 1 for the leftmost of its row.
    fn move_pit(&self, mv: Move) -> usize {
        usize::from(mv.0) % self.half() + 1
    }

    /// The moves as data, for games that are so plain under these options.
    fn plain_sowing(&self) -> Option<PlainSowing> {
        None
    }

    /// The name of a move at the command line.
    fn move_name(&self, mv: Move) -> String {
        let w = self.half();
        match usize::from(mv.0) {
            _ if mv == Move::PASS => "-".to_owned(),
            pit if pit < w => (pit + 1).to_string(),
            pit => format!("o{}", pit - w + 1),
        }
    }
}

/// What a move is worth to its mover when the position after it is worth `after` to whoever moves there.
///
/// `after` is ignored where play stops with the move.
#[must_use]
pub fn worth(scoring: Scoring, sown: &Sown, after: Value) -> Value {
    match (scoring, sown.turn) {
        (Scoring::Seeds, turn) => {
            let rest = match turn {
                Turn::Pass => -after.0,
                Turn::Again => after.0,
                Turn::Endless | Turn::Won | Turn::Lost => 0,
            };
            Value(i16::from(sown.gain) - i16::from(sown.gain_other) + rest)
        }
        (Scoring::Outcome, Turn::Pass) => after.step_back(),
        (Scoring::Outcome, Turn::Again | Turn::Endless) => Value::DRAW,
        (Scoring::Outcome, Turn::Won) => Value::win(1),
        (Scoring::Outcome, Turn::Lost) => Value::loss(1),
    }
}

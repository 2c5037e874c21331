//! Watching a sowing seed by seed.
//!
//! A game states its sowing once; while it sows it tells a [`Witness`] of every seed that moves. The solvers pass `()`,
//! which costs nothing; whoever wants to show a move passes [`Steps`].

/// What happens to a pit during a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Act {
    /// All its seeds go into the mover's hand.
    Lift,
    /// Seeds fall into it from the mover's hand, but for a stopped sowing always a single one.
    Drop,
    /// A seed falls from the hand into the mover's store; there is no pit.
    Store,
    /// Its seeds are won by the mover.
    Take,
    /// Its seeds are won by the other player.
    Give,
    /// The seeds in hand are won by the mover; there is no pit.
    TakeHand,
    /// The seeds in hand are won by the other player; there is no pit.
    GiveHand,
}

/// One step of a move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    /// What happens.
    pub act: Act,
    /// Where, as an index of the mover's board at the beginning of the move; 0 where there is no pit.
    pub pit: usize,
    /// How many seeds move.
    pub seeds: u8,
}

/// Hears of every step of a move.
pub trait Witness {
    /// `seeds` seeds move at `pit`.
    fn see(&mut self, act: Act, pit: usize, seeds: u8);
}

impl Witness for () {
    #[inline]
    fn see(&mut self, _: Act, _: usize, _: u8) {}
}

/// The steps of a move, in order, up to a most.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Steps {
    /// The steps.
    pub steps: Vec<Step>,
    /// Whether there were more than are kept.
    pub cut: bool,
}

impl Steps {
    /// Steps kept of one move. The longest sowings of real games take a few hundred.
    pub const MOST: usize = 4000;
}

impl Witness for Steps {
    fn see(&mut self, act: Act, pit: usize, seeds: u8) {
        if self.steps.len() < Self::MOST {
            self.steps.push(Step { act, pit, seeds });
        } else {
            self.cut = true;
        }
    }
}

//! The null-window search of one thread: is a position worth at least `x`?
//!
//! **Proofs.** Every visit returns bounds that are proved. Before any child is entered, all of them are appraised by
//! what is known without search: the end of play, tables, the transposition table, and the seeds on the board; often
//! that answers the question, or strikes out children (enhanced transposition cut-offs).
//!
//! **Repetition.** Endless play shares what is on the board, so a position met again on the path since the last seed
//! left the board, with the same player to move, counts as 0 there. (Seeds never come back, so history begins at the
//! last of them that left.) A proof of `V >= l` with `l > 0` cannot contain such a leaf, nor can one of `V <= u` with
//! `u < 0`, because 0 satisfies neither; these hold whatever the path. Bounds on the other side of 0 may rest on a
//! repetition. They hold without the path if every position they return to lies in the searched subtree, the subtree's
//! root included: then the player who is content to repeat can do so for ever without leaving it. So each visit tells
//! the shallowest path position it leaned on, and only what leaned on nothing above is stored.
//!
//! **Depth.** In games that cannot go round, each move without gain lowers `h` (the seeds weighted by their distance to
//! the end of their row, at most `half * n`), and each other move lowers `n`; so a line has at most
//! `half * n * (n + 1) / 2 + n` moves and the stack is made large enough for that. In the others the depth is limited.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::Bounds;
use super::ground::{Child, Ground};
use super::transposition::{Entry, Key, NO_HINT, Transpositions};
use crate::rules::{Moves, Turn};

/// Leans on no position of the path.
const NOTHING: u32 = u32::MAX;

/// A position to search, and what is known about it.
#[derive(Clone, Copy)]
pub(super) struct Node<P> {
    pub position: P,
    pub key: Key,
    pub seeds: u8,
    pub known: Bounds,
    pub hint: u8,
}

/// What a visit proved.
#[derive(Clone, Copy)]
struct Found {
    bounds: Bounds,
    /// The shallowest path position that bounds on the far side of 0 lean on.
    leans_on: u32,
}

/// Says when to give up; asked every few thousand positions.
pub(super) trait Clock: Sync {
    /// Adds work done since the last call and tells whether to stop.
    fn tick(&self, nodes: u64, probes: u64) -> bool;
}

/// One thread's search.
pub(super) struct Worker<'a, G: Ground, const CYCLIC: bool> {
    ground: &'a G,
    memory: Option<Memory<'a>>,
    clock: &'a dyn Clock,
    /// Set by whichever thread is done first.
    done: &'a AtomicBool,
    /// Threads beside the first try moves in another order, to be of use to it.
    number: u32,
    /// Positions this thread may visit.
    budget: u64,
    /// Positions with so many seeds or fewer are kept near; see [`NEAR_TABLES`].
    most_near: u8,
    /// Children of all positions on the path, one after the other.
    children: Vec<Child<G::Position>>,
    moves: Moves,
    /// Keys of the positions from the root on.
    path: Vec<Key>,
    stopped: bool,
    visits: u64,
    nodes: u64,
    probes: u64,
    told: (u64, u64),
}

const TICK: u64 = 1 << 8;

/// Positions with so few seeds more than the tables are kept in a thread's own small table alone. Most visits are to
/// these, they cost little to prove, and they come back soon or never, by the same sowings in another order: the cache
/// misses of keeping them among all others cost more than they save.
const NEAR_TABLES: u8 = 6;

/// Where a thread keeps what it proves.
#[derive(Clone, Copy)]
pub(super) struct Memory<'a> {
    /// For all threads and for long.
    pub shared: &'a Transpositions,
    /// For this thread's positions near the tables; small enough to stay in the processor's cache.
    pub near: &'a Transpositions,
}

/// Bytes of a thread's own table. Of 0.25, 0.5, 1, 2, 4 and 16 MiB, 0.5 took the least time for Kalah(6,4) over 20 seeds.
pub(super) const NEAR_BYTES: usize = 1 << 19;

impl<'a, G: Ground, const CYCLIC: bool> Worker<'a, G, CYCLIC> {
    pub(super) fn new(
        ground: &'a G,
        memory: Option<Memory<'a>>,
        clock: &'a dyn Clock,
        done: &'a AtomicBool,
        number: u32,
        budget: u64,
    ) -> Self {
        Self {
            ground,
            memory,
            clock,
            done,
            number,
            budget,
            most_near: if CYCLIC { 0 } else { ground.most_probed().map_or(0, |most| most + NEAR_TABLES) },
            children: Vec::with_capacity(1 << 10),
            moves: Moves::new(),
            path: Vec::new(),
            stopped: false,
            visits: 0,
            nodes: 0,
            probes: 0,
            told: (0, 0),
        }
    }

    /// Bounds of the value of `node` that tell whether it is at least `x`, if time, budget and `depth` suffice, and the
    /// best move if one was found. `depth` counts moves and matters in cyclic games only.
    pub(super) fn test(&mut self, node: Node<G::Position>, x: i16, depth: u8) -> Bounds {
        let found = self.visit(node, x, depth, 0);
        if !self.stopped {
            self.done.store(true, Relaxed);
        }
        self.tell();
        found.bounds
    }

    fn tell(&mut self) -> bool {
        let stop = self.clock.tick(self.nodes - self.told.0, self.probes - self.told.1);
        self.told = (self.nodes, self.probes);
        stop
    }

    /// `since` is the place on the path where the current number of seeds was reached.
    fn visit(&mut self, node: Node<G::Position>, x: i16, depth: u8, since: u32) -> Found {
        self.visits += 1;
        if self.visits.is_multiple_of(TICK) && (self.tell() || self.done.load(Relaxed) || self.visits > self.budget) {
            self.stopped = true;
        }
        let first_visit = self.visits;
        let base = self.children.len();
        let over = self.ground.children(&node.position, node.seeds, &mut self.moves, &mut self.children);
        // A long sowing may have been cut short.
        if CYCLIC && self.done.load(Relaxed) {
            self.stopped = true;
            self.children.truncate(base);
            return Found { bounds: node.known, leans_on: NOTHING };
        }
        if let Some(value) = over {
            return self.leave(&node, Bounds::exact(value), NOTHING, NO_HINT, 0, 0);
        }
        self.nodes += (self.children.len() - base) as u64;
        let place = self.path.len() as u32;
        if CYCLIC {
            self.path.push(node.key);
        }
        let (mut lower, mut hint) = self.appraise(&node, base, x, since);
        let mut leans_on = NOTHING;
        let mut upper = i16::MIN;
        let mut in_vain = 0;
        if lower < x {
            let end = self.sort(base, x, node.hint);
            for child in &self.children[end..] {
                upper = upper.max(child.worth.upper);
                leans_on = leans_on.min(child.repeats);
            }
            for i in base..end {
                let child = self.children[i];
                if CYCLIC && (depth == 0 || child.searched >= depth) {
                    upper = upper.max(child.worth.upper);
                    in_vain = depth.saturating_add(1);
                    continue;
                }
                let goal = match child.turn {
                    Turn::Again => x - child.net,
                    _ => child.net - x + 1,
                };
                let next = Node {
                    position: child.position,
                    key: child.key,
                    seeds: child.seeds,
                    known: child.known,
                    hint: child.hint,
                };
                let since = if child.seeds == node.seeds { since } else { place + 1 };
                let found = self.visit(next, goal, depth.wrapping_sub(1), since);
                if self.stopped {
                    self.children.truncate(base);
                    self.path.truncate(place as usize);
                    return Found { bounds: node.known, leans_on: NOTHING };
                }
                let worth = child.worth_of(found.bounds).and(child.worth);
                if worth.lower >= x {
                    (lower, upper) = (worth.lower, i16::MAX);
                    hint = child.mv.0;
                    leans_on = found.leans_on;
                    break;
                }
                lower = lower.max(worth.lower);
                upper = upper.max(worth.upper);
                leans_on = leans_on.min(found.leans_on);
                if CYCLIC && worth.upper >= x {
                    in_vain = depth.saturating_add(1);
                }
            }
        } else {
            upper = i16::MAX;
            leans_on = self.children[base..].iter().find(|c| c.mv.0 == hint).map_or(NOTHING, |c| c.repeats);
        }
        self.children.truncate(base);
        self.path.truncate(place as usize);
        let bounds = Bounds { lower, upper };
        // What leans on this position alone leans on no path to it.
        let leans_on = if leans_on >= place { NOTHING } else { leans_on };
        let work = (self.visits - first_visit + 1).ilog2() as u8;
        self.leave(&node, bounds, leans_on, hint, work, in_vain)
    }

    /// Where positions of so many seeds are kept.
    #[inline]
    fn table_of(&self, seeds: u8) -> Option<&'a Transpositions> {
        self.memory.map(|memory| if seeds > self.most_near { memory.shared } else { memory.near })
    }

    /// Stores what is a fact and returns all that was found.
    fn leave(
        &mut self,
        node: &Node<G::Position>,
        bounds: Bounds,
        leans_on: u32,
        hint: u8,
        work: u8,
        searched: u8,
    ) -> Found {
        let most = self.ground.most(node.seeds);
        let fact = if leans_on == NOTHING {
            bounds
        } else {
            Bounds {
                lower: if bounds.lower > 0 { bounds.lower } else { -most },
                upper: if bounds.upper < 0 { bounds.upper } else { most },
            }
        };
        if let Some(table) = self.table_of(node.seeds) {
            let fact = fact.and(node.known);
            table.put(node.key, Entry { bounds: fact, hint, work, searched });
        }
        Found { bounds: bounds.and(node.known), leans_on }
    }

    /// Finds out what is known about each child without search, until one is known to be worth `x`; returns the best
    /// lower bound and its move.
    #[inline]
    fn appraise(&mut self, node: &Node<G::Position>, base: usize, x: i16, since: u32) -> (i16, u8) {
        let (mut lower, mut hint) = (i16::MIN, NO_HINT);
        let mut touched = 0;
        let memory = self.memory;
        for child in self.children[base..].iter_mut().rev() {
            if !matches!(child.turn, Turn::Pass | Turn::Again) {
                child.worth = Bounds::exact(child.net);
            } else if let Some(value) = self.ground.probe(&child.position, child.seeds) {
                self.probes += 1;
                child.worth = child.worth_of(Bounds::exact(value));
            } else if let Some(value) = self.ground.over(&child.position, child.seeds) {
                child.worth = child.worth_of(Bounds::exact(value));
            } else {
                child.key = self.ground.key(&child.position);
                if CYCLIC && child.seeds == node.seeds {
                    child.repeats = repeats(&self.path, since, child.key);
                }
                if child.repeats == NOTHING {
                    let most = self.ground.most(child.seeds);
                    child.known = Bounds { lower: -most, upper: most };
                    child.worth = child.worth_of(child.known);
                    child.is_open = true;
                    if let Some(memory) = memory
                        && child.seeds > self.most_near
                        && child.worth.upper >= x
                    {
                        touched ^= memory.shared.touch(child.key);
                    }
                } else {
                    child.worth = Bounds::exact(0);
                }
            }
            if child.worth.lower > lower {
                (lower, hint) = (child.worth.lower, child.mv.0);
                if lower >= x {
                    return (lower, hint);
                }
            }
        }
        std::hint::black_box(touched);
        let Some(memory) = memory else {
            return (lower, hint);
        };
        for child in self.children[base..].iter_mut().filter(|child| child.is_open && child.worth.upper >= x) {
            let table = if child.seeds > self.most_near { memory.shared } else { memory.near };
            if let Some(entry) = table.get(child.key) {
                child.known = entry.bounds;
                child.hint = entry.hint;
                child.searched = entry.searched;
                child.worth = child.worth_of(entry.bounds);
                if child.worth.lower > lower {
                    (lower, hint) = (child.worth.lower, child.mv.0);
                    if lower >= x {
                        break;
                    }
                }
            }
        }
        (lower, hint)
    }

    /// Puts the children that may still be worth `x` first, the most promising at the front; returns where they end.
    ///
    /// What was best before comes first, then extra turns, what wins seeds, what leaves the other player few moves, and
    /// pits to the right. Where a proof succeeds the first child nearly always does, so that what counts is how small
    /// its proof is. The weights are those of the smallest trees for Kalah(6,4) among some twenty tried.
    #[inline]
    fn sort(&mut self, base: usize, x: i16, hint: u8) -> usize {
        let children = &mut self.children[base..];
        let mut end = 0;
        for i in 0..children.len() {
            if children[i].worth.upper < x {
                continue;
            }
            let mut child = children[i];
            let again = child.turn == Turn::Again;
            child.order = 8 * child.net
                + 2 * i16::from(child.mv.0)
                + 3 * self.ground.empty_pits(&child.position, !again)
                + if again { 60 } else { 0 }
                + if child.mv.0 == hint { 2000 } else { 0 };
            if self.number > 0 {
                child.order += (child.key.low.wrapping_mul(u64::from(2 * self.number + 1)) >> 40 & 15) as i16;
            }
            children[i] = children[end];
            let mut at = end;
            while at > 0 && children[at - 1].order < child.order {
                children[at] = children[at - 1];
                at -= 1;
            }
            children[at] = child;
            end += 1;
        }
        base + end
    }
}

/// Where a position stands on the path since `since` with the same player to move as after the last position.
#[inline]
fn repeats(path: &[Key], since: u32, key: Key) -> u32 {
    let place = path.len();
    let mut at = place;
    while at >= since as usize + 2 {
        at -= 2;
        if path[at] == key {
            return at as u32;
        }
    }
    NOTHING
}

//! How a settled position finds those that may move to it, wherever these live.

use rayon::prelude::*;
use sowbase::index::LayerIndex;

use crate::error::Error;
use crate::packing;
use crate::partition::Partition;
use crate::transport::{Transport, flag};
use crate::unmoves::UnMoves;

/// Numbers sent to one process at a time, when all send to all.
pub fn ceiling(processes: usize) -> usize {
    (NUMBERS / processes).max(1)
}

/// Numbers that wait to be sent, in all: 64 MiB of them.
const NUMBERS: usize = 1 << 24;

/// Bytes of memory for what waits to be sent, for its packed form and for what arrives, at the most.
pub const BUFFERS: u64 = 4 * 4 * NUMBERS as u64;

/// Whom to tell, and what it means to be told.
pub trait Links: Sync {
    /// Calls `tell` with each process that is to hear of the settled position at `place` here, and the number it is to
    /// hear.
    fn announce(&self, place: u32, tell: impl FnMut(usize, u32));

    /// Calls `visit` with the place of every position here that a number from a process concerns, once for each move.
    fn deliver(&self, from: usize, number: u32, visit: impl FnMut(u32));
}

/// Moves are taken back by the owner of the position they lead to, and a number is the place of the one before.
pub struct Backwards<'a> {
    /// How.
    pub unmoves: UnMoves<'a>,
    /// The numbering of the layer.
    pub index: &'a LayerIndex,
    /// Who owns what.
    pub partition: Partition,
    /// This process.
    pub process: usize,
}

impl Links for Backwards<'_> {
    #[inline]
    fn announce(&self, place: u32, mut tell: impl FnMut(usize, u32)) {
        let after = self.index.unrank(self.partition.rank(self.process, place));
        self.unmoves.predecessors(self.index, &after, |before| {
            let (owner, place) = self.partition.owner(before);
            tell(owner, place);
        });
    }

    #[inline]
    fn deliver(&self, _: usize, number: u32, mut visit: impl FnMut(u32)) {
        visit(number);
    }
}

/// Moves were made once, forwards, by the owner of the position they start from, which keeps them: sowings in laps cannot
/// be taken back. The owner of the position they lead to knows which processes asked to hear of it, and a number is its
/// place there. So a position is told once to a process, whatever number of moves lead to it from there.
///
/// Memory: eight bytes a move, and a bit for each position and process.
pub struct Stored {
    /// By process: moves to positions there, each the place there above the place here, sorted.
    moves: Vec<Vec<u64>>,
    /// By process: a bit for each position here of which it wants to hear.
    asked: Vec<Vec<u64>>,
}

impl Stored {
    /// Sorts the moves and tells their owners which positions are asked for. A meeting.
    ///
    /// `positions` is the number of positions here.
    ///
    /// # Errors
    /// A message that makes no sense.
    pub fn new(mut moves: Vec<Vec<u64>>, positions: u64, transport: &Transport) -> Result<Self, Error> {
        moves.iter_mut().for_each(|moves| {
            moves.par_sort_unstable();
            moves.shrink_to_fit();
        });
        let mut asked = vec![vec![0_u64; positions.div_ceil(64) as usize]; transport.processes()];
        let mut next = vec![0; moves.len()];
        loop {
            let mut wanted: Vec<Vec<u32>> = Vec::with_capacity(moves.len());
            for (moves, next) in moves.iter().zip(&mut next) {
                wanted.push(take_targets(moves, next, ceiling(transport.processes())));
            }
            let more = moves.iter().zip(&next).any(|(moves, &next)| next < moves.len());
            for &place in &wanted[transport.process()] {
                set(&mut asked[transport.process()], place);
            }
            let pack = |(to, wanted): (usize, &Vec<u32>)| {
                let mut message = Vec::new();
                if to != transport.process() && !wanted.is_empty() {
                    packing::pack(wanted, &mut message);
                }
                message
            };
            let outgoing: Vec<Vec<u8>> = wanted.iter().enumerate().map(pack).collect();
            let exchanged = transport.exchange(&outgoing, if more { flag::MORE } else { 0 });
            for (from, message) in exchanged.incoming.iter().enumerate().filter(|(_, message)| !message.is_empty()) {
                let places = packing::unpack(message, &mut 0).map_err(|source| Error::Message { from, source })?;
                for place in places.into_iter().filter(|&place| u64::from(place) < positions) {
                    set(&mut asked[from], place);
                }
            }
            if exchanged.flags & flag::MORE == 0 {
                return Ok(Self { moves, asked });
            }
        }
    }
}

/// The different targets of sorted moves from `next` on, at most so many; `next` moves behind them.
fn take_targets(moves: &[u64], next: &mut usize, most: usize) -> Vec<u32> {
    let mut targets: Vec<u32> = Vec::new();
    while let Some(&edge) = moves.get(*next) {
        let target = (edge >> 32) as u32;
        if targets.last() != Some(&target) {
            if targets.len() == most {
                break;
            }
            targets.push(target);
        }
        *next += 1;
    }
    targets
}

fn set(bits: &mut [u64], place: u32) {
    bits[(place >> 6) as usize] |= 1 << (place & 63);
}

impl Links for Stored {
    #[inline]
    fn announce(&self, place: u32, mut tell: impl FnMut(usize, u32)) {
        for (process, asked) in self.asked.iter().enumerate() {
            if asked[(place >> 6) as usize] >> (place & 63) & 1 == 1 {
                tell(process, place);
            }
        }
    }

    #[inline]
    fn deliver(&self, from: usize, number: u32, mut visit: impl FnMut(u32)) {
        let moves = &self.moves[from];
        let first = moves.partition_point(|&edge| edge >> 32 < u64::from(number));
        moves[first..].iter().take_while(|&&edge| (edge >> 32) as u32 == number).for_each(|&edge| visit(edge as u32));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_are_taken_in_pieces() {
        let moves: Vec<u64> =
            [(3, 1), (3, 2), (5, 0), (9, 4), (9, 4), (9, 7)].map(|(to, from)| to << 32 | from).to_vec();
        let mut next = 0;
        assert_eq!(take_targets(&moves, &mut next, 2), [3, 5]);
        assert_eq!(take_targets(&moves, &mut next, 2), [9]);
        assert_eq!(next, moves.len());
        assert!(take_targets(&moves, &mut next, 2).is_empty());
    }

    #[test]
    fn a_number_concerns_all_its_moves() {
        let moves: Vec<u64> = [(3, 1), (3, 2), (5, 0), (9, 4), (9, 4)].map(|(to, from)| to << 32 | from).to_vec();
        let stored = Stored { moves: vec![moves], asked: vec![vec![1 << 3 | 1 << 5]] };
        let heard = |number| {
            let mut heard = Vec::new();
            stored.deliver(0, number, |place| heard.push(place));
            heard
        };
        assert_eq!(heard(3), [1, 2]);
        assert_eq!(heard(9), [4, 4]);
        assert!(heard(4).is_empty());
        let mut told = Vec::new();
        stored.announce(5, |process, number| told.push((process, number)));
        stored.announce(9, |process, number| told.push((process, number)));
        assert_eq!(told, [(0, 5)]);
    }
}

//! The only module that calls MPI.
//!
//! Every function here that is not about this process alone is a meeting: all processes call it, in the same order. MPI
//! is called from the main thread only.

use std::cell::Cell;

use mpi::Count;
use mpi::collective::SystemOperation;
use mpi::datatype::{Partition, PartitionMut};
use mpi::environment::Universe;
use mpi::topology::SimpleCommunicator;
use mpi::traits::{Communicator, CommunicatorCollectives, Root};

/// Counts of MPI have 31 bits; no meeting moves more bytes to or from a process at once.
const MOST: usize = 1 << 30;

/// What processes tell each other beside messages; a meeting joins the flags of all.
pub mod flag {
    /// A message was sent, to oneself included.
    pub const SENT: u8 = 1;
    /// Something is left to do.
    pub const MORE: u8 = 2;
    /// Somebody was asked to stop.
    pub const STOP: u8 = 4;
    /// It is time to save.
    pub const SAVE: u8 = 8;
    /// A message is so long that it goes in pieces.
    pub(super) const LONG: u8 = 16;
}

/// What a process has of an exchange.
pub struct Exchanged {
    /// The flags of all processes, joined.
    pub flags: u8,
    /// What each process sent to this one; nothing from itself.
    pub incoming: Vec<Vec<u8>>,
}

/// A process among all.
pub struct Transport {
    world: SimpleCommunicator,
    process: usize,
    processes: usize,
    neighbours: usize,
    sent: Cell<u64>,
}

impl Transport {
    /// This process of the world.
    pub fn new(universe: &Universe) -> Self {
        let world = universe.world();
        let neighbours = world.split_shared(world.rank()).size() as usize;
        Self { process: world.rank() as usize, processes: world.size() as usize, neighbours, world, sent: Cell::new(0) }
    }

    /// The number of this process.
    pub fn process(&self) -> usize {
        self.process
    }

    /// How many there are.
    pub fn processes(&self) -> usize {
        self.processes
    }

    /// How many of them run on this machine.
    pub fn neighbours(&self) -> usize {
        self.neighbours
    }

    /// Whether this is the process that talks to the user.
    pub fn is_root(&self) -> bool {
        self.process == 0
    }

    /// Bytes that this process has sent to others.
    pub fn sent(&self) -> u64 {
        self.sent.get()
    }

    fn count_sent(&self, bytes: usize) {
        self.sent.set(self.sent.get() + bytes as u64);
    }

    /// Sends `outgoing[q]` to each process `q`; what is for oneself must be empty.
    pub fn exchange(&self, outgoing: &[Vec<u8>], flags: u8) -> Exchanged {
        let piece = MOST / self.processes;
        let longest = outgoing.iter().map(Vec::len).max().unwrap_or(0);
        let flags = flags | if longest > 0 { flag::SENT } else { 0 } | if longest > piece { flag::LONG } else { 0 };
        let told: Vec<u64> = outgoing.iter().map(|message| message.len() as u64 | u64::from(flags) << 56).collect();
        let mut heard = vec![0_u64; self.processes];
        self.world.all_to_all_into(&told[..], &mut heard[..]);
        self.count_sent(size_of::<u64>() * (self.processes - 1));
        let flags = heard.iter().fold(0, |all, word| all | (word >> 56) as u8);
        let lens: Vec<usize> = heard.iter().map(|word| (word & ((1 << 56) - 1)) as usize).collect();
        let mut incoming: Vec<Vec<u8>> = vec![Vec::new(); self.processes];
        if flags & flag::SENT != 0 {
            let end = if flags & flag::LONG == 0 { 1 } else { self.most(longest as u64) as usize };
            for at in (0..end).step_by(piece) {
                self.exchange_piece(outgoing, &lens, at, piece, &mut incoming);
            }
        }
        Exchanged { flags, incoming }
    }

    /// Exchanges bytes `at..at + piece` of every message.
    fn exchange_piece(&self, outgoing: &[Vec<u8>], lens: &[usize], at: usize, piece: usize, incoming: &mut [Vec<u8>]) {
        let part = |len: usize| len.min(at.saturating_add(piece)).saturating_sub(at.min(len));
        let mut sent = buffer(0);
        for message in outgoing {
            let start = at.min(message.len());
            sent.extend_from_slice(&message[start..start + part(message.len())]);
        }
        self.count_sent(sent.len());
        let (counts, starts) = counts(outgoing.iter().map(|message| part(message.len())));
        let (received_counts, received_starts) = counts_of(lens, part);
        let mut received = buffer(received_counts.iter().map(|&count| count as usize).sum());
        self.world.all_to_all_varcount_into(
            &Partition::new(&sent[..], counts, starts),
            &mut PartitionMut::new(&mut received[..], &received_counts[..], &received_starts[..]),
        );
        for ((message, &count), &start) in incoming.iter_mut().zip(&received_counts).zip(&received_starts) {
            message.extend_from_slice(&received[start as usize..(start + count) as usize]);
        }
    }

    /// Sends `message` to the root; returns the messages of all there, its own included, and nothing elsewhere.
    pub fn gather(&self, message: Vec<u8>) -> Option<Vec<Vec<u8>>> {
        let mut outgoing = vec![Vec::new(); self.processes];
        let mut own = Vec::new();
        if self.is_root() {
            own = message;
        } else {
            outgoing[0] = message;
        }
        let mut incoming = self.exchange(&outgoing, 0).incoming;
        incoming[0] = own;
        self.is_root().then_some(incoming)
    }

    /// Gives everybody's bytes to everybody, one after the other; less than 2^30 bytes in all.
    pub fn share(&self, part: &[u8]) -> Vec<u8> {
        let mut lens = vec![0_u64; self.processes];
        self.world.all_gather_into(&(part.len() as u64), &mut lens[..]);
        let (counts, starts) = counts(lens.iter().map(|&len| len as usize));
        let mut all = buffer(lens.iter().sum::<u64>() as usize);
        let mut sent = buffer(0);
        sent.extend_from_slice(part);
        self.world.all_gather_varcount_into(&sent[..], &mut PartitionMut::new(&mut all[..], &counts[..], &starts[..]));
        self.count_sent(part.len() * (self.processes - 1));
        all
    }

    /// Gives the root's bytes to everybody.
    pub fn broadcast(&self, bytes: &mut Vec<u8>) {
        let root = self.world.process_at_rank(0);
        let mut len = bytes.len() as u64;
        root.broadcast_into(&mut len);
        bytes.resize(len as usize, 0);
        for piece in bytes.chunks_mut(MOST) {
            root.broadcast_into(piece);
        }
        if self.is_root() {
            self.count_sent(bytes.len() * (self.processes - 1));
        }
    }

    /// Adds up the numbers of all.
    pub fn sum(&self, numbers: &[u64]) -> Vec<u64> {
        let mut sums = vec![0; numbers.len()];
        self.world.all_reduce_into(numbers, &mut sums[..], SystemOperation::sum());
        sums
    }

    /// The greatest number of all.
    pub fn most(&self, number: u64) -> u64 {
        let mut most = 0;
        self.world.all_reduce_into(&number, &mut most, SystemOperation::max());
        most
    }

    /// Whether anybody says yes.
    pub fn any(&self, yes: bool) -> bool {
        self.most(u64::from(yes)) > 0
    }

    /// Ends all processes at once.
    pub fn abort(&self, code: u8) -> ! {
        self.world.abort(i32::from(code))
    }
}

/// So many zeros, which lie somewhere even if there are none: the place of an empty vector is a number to which MPI gives
/// a meaning.
fn buffer(len: usize) -> Vec<u8> {
    let mut buffer = Vec::with_capacity(len.max(1));
    buffer.resize(len, 0);
    buffer
}

/// Counts as MPI has them, and where each part begins.
fn counts(lens: impl Iterator<Item = usize>) -> (Vec<Count>, Vec<Count>) {
    let counts: Vec<Count> = lens.map(|len| len as Count).collect();
    let starts = counts.iter().scan(0, |next, &count| Some(std::mem::replace(next, *next + count))).collect();
    (counts, starts)
}

fn counts_of(lens: &[usize], part: impl Fn(usize) -> usize) -> (Vec<Count>, Vec<Count>) {
    counts(lens.iter().map(|&len| part(len)))
}

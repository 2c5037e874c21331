//! Solving a layer together: rounds of telling and hearing.
//!
//! Each process keeps one word a position of its own ([`tally`](crate::tally)). First it looks at each of them once. Then,
//! level by level, those that have settled are announced ([`links`](crate::links)), which may settle others anywhere.
//! A process announces, and hears what concerns itself, until a message to some other process is as long as it may be,
//! or until nothing is left; then all exchange what they have, apply it, and begin the next round. A level is done after a
//! round in which nobody had anything to say. So no queue grows: what waits to be sent has a ceiling, what arrives has the
//! same, and what is still to be announced is a bit in each word.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

use rayon::prelude::*;
use sowbase::index::LayerIndex;
use sowbase::rules::{Board, Moves, Scoring};
use sowbase::solve::{Progress, SolveError};

use crate::below::{Below, Look};
use crate::checkpoint::Checkpoints;
use crate::error::Error;
use crate::links::{BUFFERS, Backwards, Links, Stored, ceiling};
use crate::packing::{pack, unpack};
use crate::partition::Partition;
use crate::tally::{Tally, Word};
use crate::transport::{Transport, flag};
use crate::unmoves::UnMoves;

/// Positions that share a mark which says that some of them are to be announced.
const CHUNK: usize = 1 << 10;

/// Chunks announced at a time; it bounds how far a message may grow beyond the ceiling.
const WAVE: usize = 64;

/// Positions announced in a round, so that no round lasts long even if there is nobody to send to.
const ENOUGH: u64 = 1 << 24;

/// Numbers of a message applied by one task.
const TASK: usize = 1 << 12;

/// Positions looked at between two questions whether to stop.
const SLICE: u64 = 1 << 20;

/// What all processes need to work together on a layer.
pub struct Work<'a> {
    /// The others.
    pub transport: &'a Transport,
    /// The numbering of the layer.
    pub index: &'a LayerIndex,
    /// Who owns what.
    pub partition: Partition,
    /// The layers below.
    pub below: &'a Below<'a>,
    /// Who hears how far this is.
    pub progress: &'a dyn Progress,
    /// Whether this process was asked to stop.
    pub stop: &'a AtomicBool,
}

impl Work<'_> {
    /// How many positions this process owns.
    fn positions(&self) -> u64 {
        self.partition.len(self.transport.process())
    }

    /// Whether anybody was asked to stop. A meeting.
    pub fn check(&self) -> Result<(), Error> {
        let stop = self.stop.load(Relaxed) || self.progress.is_cancelled();
        if self.transport.any(stop) { Err(SolveError::Interrupted.into()) } else { Ok(()) }
    }
}

/// What is known of each position of this process.
pub struct Words<T: Tally>(Vec<<T::Word as Word>::Shared>);

impl<T: Tally> Words<T> {
    /// Of positions nobody has looked at.
    pub fn unseen(count: u64) -> Self {
        Self((0..count).map(|_| T::Word::UNSEEN.share()).collect())
    }

    /// The words, to read or write.
    pub fn words(&self) -> &[<T::Word as Word>::Shared] {
        &self.0
    }

    /// The value at a place, once the layer is solved.
    #[inline]
    pub fn value(&self, place: u32) -> T::Cell {
        T::value(T::Word::load(&self.0[place as usize]))
    }
}

/// Solves the layer, or goes on where `checkpoints` say it was left. A meeting.
///
/// # Errors
/// A layer below is missing or damaged, a message or checkpoint makes no sense, or somebody was asked to stop.
pub fn solve<T: Tally>(work: &Work<'_>, checkpoints: &mut Checkpoints<'_>) -> Result<Words<T>, Error> {
    let rules = work.below.rules();
    let (words, level) = match checkpoints.restore::<T>(work)? {
        Some((words, level)) => (words, Some(level)),
        None => (Words::unseen(work.positions()), None),
    };
    let halves = rules.half_rows().filter(|_| rules.scoring() == Scoring::Seeds);
    if let Some(halves) = halves {
        if level.is_none() {
            look_at_all(work, &words, None)?;
        }
        let links = Backwards {
            unmoves: UnMoves::new(rules, halves, work.index.layer())?,
            index: work.index,
            partition: work.partition,
            process: work.transport.process(),
        };
        Round::new(work, &words, links).settle_all(level, checkpoints)?;
    } else {
        let mut moves = vec![Vec::new(); work.transport.processes()];
        look_at_all(work, &words, Some(&mut moves))?;
        let links = Stored::new(moves, work.positions(), work.transport)?;
        Round::new(work, &words, links).settle_all(level, checkpoints)?;
    }
    Ok(words)
}

/// Looks once at every position of this process: notes what leaves the layer, counts what stays, and adds the moves that
/// stay to `kept`, see [`Stored`]. A meeting.
fn look_at_all<T: Tally>(work: &Work<'_>, words: &Words<T>, mut kept: Option<&mut Vec<Vec<u64>>>) -> Result<(), Error> {
    let Work { index, partition, below, .. } = *work;
    let keeps = kept.is_some();
    let look_at = |block: Range<u64>| -> Result<Vec<(usize, u64)>, Error> {
        let (mut moves, mut edges) = (Moves::new(), Vec::new());
        let mut result = Ok(());
        let (_, first) = partition.owner(block.start);
        let mut place = first;
        index.walk(block, |_, board| {
            let stay = |after: &Board| {
                if keeps {
                    let (owner, target) = partition.owner(index.rank(after));
                    edges.push((owner, u64::from(target) << 32 | u64::from(place)));
                }
            };
            match below.look(index.layer(), board, &mut moves, stay) {
                Ok(look) => note::<T>(&look, &words.0[place as usize]),
                Err(error) => result = Err(error),
            }
            place += 1;
        });
        result.map(|()| edges)
    };
    work.progress.stage("look", work.partition.size());
    let mut blocks = work.partition.blocks(work.transport.process()).peekable();
    let slices = work.partition.longest().div_ceil(SLICE);
    for _ in 0..slices {
        work.check()?;
        let mut slice = Vec::new();
        let mut positions = 0;
        while let Some(block) = blocks.next_if(|_| positions < SLICE) {
            positions += block.end - block.start;
            slice.push(block);
        }
        for edges in slice.into_par_iter().map(look_at).collect::<Result<Vec<_>, Error>>()? {
            if let Some(kept) = &mut kept {
                edges.into_iter().for_each(|(owner, edge)| kept[owner].push(edge));
            }
        }
        work.progress.advance(positions * work.transport.processes() as u64);
    }
    Ok(())
}

/// Notes what a look tells, unless a restored state knows more.
fn note<T: Tally>(look: &Look, word: &<T::Word as Word>::Shared) {
    if T::Word::load(word) == T::Word::UNSEEN {
        T::first(look).store(word);
    }
}

/// Numbers for one process: of positions that were lost, and of positions that were won.
type Outbox = [Vec<u32>; 2];

/// What threads share of the rounds of a layer: all but the talk with other processes.
struct Here<'a, T: Tally, L: Links> {
    words: &'a Words<T>,
    links: L,
    /// Chunks in which some position is due.
    due: Vec<AtomicBool>,
}

impl<T: Tally, L: Links> Here<'_, T, L> {
    /// Settles what settles by itself at a level, and marks what is due; returns whether anything waits, now or later.
    fn begin(&self, level: u16) -> bool {
        let chunks = self.words.0.par_chunks(CHUNK).zip(&self.due);
        let pending = chunks.map(|(words, due)| {
            let (mut any_due, mut any_pending) = (false, false);
            for shared in words {
                let word = T::Word::load(shared);
                let begun = T::begin(word, level);
                if begun != word {
                    begun.store(shared);
                }
                any_due |= T::is_due(begun, level);
                any_pending |= T::is_pending(begun);
            }
            due.store(any_due, Relaxed);
            any_pending
        });
        pending.reduce(|| false, |a, b| a | b)
    }

    fn announce_chunk(&self, chunk: usize, level: u16) -> (u64, Vec<(u16, bool, u32)>) {
        self.due[chunk].store(false, Relaxed);
        let mut told = Vec::new();
        let mut count = 0;
        let first = chunk * CHUNK;
        for (place, shared) in (first as u32..).zip(&self.words.0[first..self.words.0.len().min(first + CHUNK)]) {
            let word = T::Word::load(shared);
            if T::is_due(word, level) {
                // Between exchanges a word belongs to whoever announces its chunk.
                T::told(word).store(shared);
                let won = T::value(word) > T::Cell::default();
                self.links.announce(place, |process, number| told.push((process as u16, won, number)));
                count += 1;
            }
        }
        (count, told)
    }

    /// Takes in that positions were lost or won.
    fn hear(&self, from: usize, numbers: &[u32], lost: bool, level: u16) {
        numbers.par_chunks(TASK).for_each(|numbers| {
            for &number in numbers {
                self.links.deliver(from, number, |place| self.hear_one(place, lost, level));
            }
        });
    }

    #[inline]
    fn hear_one(&self, place: u32, lost: bool, level: u16) {
        let Some(shared) = self.words.0.get(place as usize) else {
            return;
        };
        let mut word = T::Word::load(shared);
        loop {
            let heard = T::hear(word, lost, level);
            if heard == word {
                return;
            }
            match word.replace(heard, shared) {
                Ok(()) => {
                    if T::is_due(heard, level) {
                        self.due[place as usize / CHUNK].store(true, Relaxed);
                    }
                    return;
                }
                Err(now) => word = now,
            }
        }
    }
}

/// One process in the rounds of a layer.
struct Round<'a, T: Tally, L: Links> {
    work: &'a Work<'a>,
    here: Here<'a, T, L>,
    outboxes: Vec<Outbox>,
}

impl<'a, T: Tally, L: Links> Round<'a, T, L> {
    fn new(work: &'a Work<'a>, words: &'a Words<T>, links: L) -> Self {
        let due = (0..words.0.len().div_ceil(CHUNK)).map(|_| AtomicBool::new(false)).collect();
        let outboxes = vec![Outbox::default(); work.transport.processes()];
        Self { work, here: Here { words, links, due }, outboxes }
    }

    /// Goes through all levels from `level` on.
    fn settle_all(&mut self, level: Option<u16>, checkpoints: &mut Checkpoints<'_>) -> Result<(), Error> {
        let transport = self.work.transport;
        self.work.progress.stage("settle", self.work.partition.size());
        let levels = T::levels(self.work.index.layer().seeds);
        for level in levels.skip_while(|&at| level.is_some_and(|level| at != level)) {
            let pending = self.here.begin(level);
            if T::ENDS_EARLY && !transport.any(pending) {
                break;
            }
            self.settle(level, checkpoints)?;
        }
        Ok(())
    }

    /// Rounds until a level is done.
    fn settle(&mut self, level: u16, checkpoints: &mut Checkpoints<'_>) -> Result<(), Error> {
        let Work { transport, progress, stop, .. } = *self.work;
        loop {
            let (announced, more) = self.announce(level);
            progress.advance(announced * transport.processes() as u64);
            let said = self.outboxes.iter().flatten().any(|numbers| !numbers.is_empty());
            let mut flags = if said || more { flag::MORE } else { 0 };
            if stop.load(Relaxed) || progress.is_cancelled() {
                flags |= flag::STOP;
            }
            if checkpoints.is_time(Instant::now()) {
                flags |= flag::SAVE;
            }
            let flags = self.exchange(level, flags)?;
            // Nothing is under way between two rounds: the words are all there is to save.
            if flags & (flag::STOP | flag::SAVE) != 0 {
                checkpoints.save(self.work, self.here.words, level)?;
            }
            if flags & flag::STOP != 0 {
                return Err(SolveError::Interrupted.into());
            }
            if flags & flag::MORE == 0 {
                return Ok(());
            }
        }
    }

    /// Announces what is due until it is done or a message is long; returns how many positions were announced and whether
    /// some are left.
    fn announce(&mut self, level: u16) -> (u64, bool) {
        let ceiling = ceiling(self.outboxes.len());
        let here = &self.here;
        let own = self.work.transport.process();
        let mut announced = 0;
        let mut at = 0;
        loop {
            let wave: Vec<usize> = (at..here.due.len()).filter(|&i| here.due[i].load(Relaxed)).take(WAVE).collect();
            let Some(&last) = wave.last() else {
                if at == 0 {
                    return (announced, false);
                }
                // What was heard since may have settled something in front.
                at = 0;
                continue;
            };
            if announced >= ENOUGH || self.outboxes.iter().any(|[lost, won]| lost.len() + won.len() >= ceiling) {
                return (announced, true);
            }
            at = last + 1;
            let all_told: Vec<_> = wave.into_par_iter().map(|chunk| here.announce_chunk(chunk, level)).collect();
            for (count, told) in all_told {
                announced += count;
                for (process, won, number) in told {
                    self.outboxes[usize::from(process)][usize::from(won)].push(number);
                }
            }
            // What concerns this process itself needs no round.
            for (won, numbers) in self.outboxes[own].iter_mut().enumerate() {
                here.hear(own, numbers, won == 0, level);
                numbers.clear();
            }
        }
    }

    /// Exchanges the outboxes and hears what others say; returns the joined flags.
    fn exchange(&mut self, level: u16, flags: u8) -> Result<u8, Error> {
        let transport = self.work.transport;
        let outgoing = self.outboxes.par_iter_mut().map(|outbox| {
            let mut message = Vec::new();
            if outbox.iter().any(|numbers| !numbers.is_empty()) {
                for numbers in outbox {
                    numbers.sort_unstable();
                    pack(numbers, &mut message);
                    numbers.clear();
                }
            }
            message
        });
        let outgoing: Vec<Vec<u8>> = outgoing.collect();
        let exchanged = transport.exchange(&outgoing, flags);
        drop(outgoing);
        for (from, message) in exchanged.incoming.iter().enumerate().filter(|(_, message)| !message.is_empty()) {
            let mut at = 0;
            for lost in [true, false] {
                let numbers = unpack(message, &mut at).map_err(|source| Error::Message { from, source })?;
                self.here.hear(from, &numbers, lost, level);
            }
        }
        Ok(exchanged.flags)
    }
}

/// Bytes that solving takes in the fullest process, foretold.
pub fn memory<T: Tally>(below: &Below<'_>, index: &LayerIndex, partition: &Partition) -> u64 {
    let words = partition.longest() * T::Word::BYTES as u64;
    // Small layers never fill the buffers.
    words + BUFFERS.min(64 * partition.longest()) + links_memory(below, index, partition)
}

/// Positions whose moves are counted to foretell those of a layer.
const SAMPLE: u64 = 1 << 11;

/// An odd factor that spreads consecutive numbers over all ranks.
const SCATTER: u64 = 0x9e37_79b9_7f4a_7c15;

fn links_memory(below: &Below<'_>, index: &LayerIndex, partition: &Partition) -> u64 {
    let rules = below.rules();
    if rules.half_rows().is_some() && rules.scoring() == Scoring::Seeds {
        let rows: u64 = (0..=usize::from(index.layer().seeds)).map(|seeds| index.halves().count(seeds)).sum();
        return rows.saturating_mul(8 + 12 * rules.half() as u64);
    }
    let sample = SAMPLE.min(index.size());
    let mut moves = Moves::new();
    let stay: u64 = (0..sample)
        .map(|i| {
            rules.expand(&index.unrank(i.wrapping_mul(SCATTER) % index.size()), &mut moves);
            moves.iter().filter(|(_, sown)| sown.gain == 0).count() as u64
        })
        .sum();
    let all = u128::from(partition.longest()) * u128::from(stay) / u128::from(sample.max(1));
    // Eight bytes a move, and twice that while vectors of them grow.
    u64::try_from(16 * all).unwrap_or(u64::MAX)
}

//! A folder of tables of one rule set.
//!
//! The folder `DIR/<rule set>` holds one file a layer, `018.sow` for 18 seeds or `008+02.sow` for 8 seeds and two
//! closed pits. The files are all there is: what the folder covers is what its files say, and a layer exists once its
//! finished file has been renamed into place.

mod build;
mod error;
mod lock;
mod plan;
pub mod recipe;
mod scratch;
mod unfinished;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

pub use build::{BuildOptions, BuildProgress, Built, CHECKPOINT, free_memory};
pub use error::DatabaseError;
pub use lock::FolderLock;
pub use plan::{Plan, Step};

use crate::index::LayerIndex;
use crate::memory::Room;
use crate::rules::{Board, Layer, Moves, Rules, Scoring, Value, worth};
use crate::solve::{self, Lower, SolvedLayer, Values, Work};
use crate::table::{Access, BlockCache, Shape, TableFile};

/// Bytes of decoded blocks kept for probing. A question and the line of play that answers it look at some ten thousand
/// positions again and again, in as many blocks of half a kilobyte at the most; a server has a cache for each rule set.
const CACHE: usize = 32 << 20;

/// A table with the numbering of its layer.
pub struct OpenLayer {
    /// The numbering.
    pub index: LayerIndex,
    /// The values by rank.
    pub table: TableFile,
}

/// The tables of one rule set.
pub struct Database {
    rules: Arc<dyn Rules>,
    folder: PathBuf,
    access: Access,
    open: Mutex<BTreeMap<Layer, Arc<OpenLayer>>>,
    cache: BlockCache,
}

impl Database {
    /// The tables of `rules` below the database folder `dir`, which need not exist yet. Nothing is read.
    #[must_use]
    pub fn new(rules: Arc<dyn Rules>, dir: &Path, access: Access) -> Self {
        let folder = dir.join(rules.rule_set().folder());
        Self { rules, folder, access, open: Mutex::default(), cache: BlockCache::new(CACHE) }
    }

    /// The rules of these tables.
    #[must_use]
    pub fn rules(&self) -> &Arc<dyn Rules> {
        &self.rules
    }

    /// The folder of this rule set.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The file of a layer.
    #[must_use]
    pub fn file(&self, layer: Layer) -> PathBuf {
        self.folder.join(match layer.closed {
            0 => format!("{:03}.sow", layer.seeds),
            closed => format!("{:03}+{closed:02}.sow", layer.seeds),
        })
    }

    /// The layers that have a file, in order; whether the files are whole shows when they are opened.
    ///
    /// # Errors
    /// The folder exists but cannot be read.
    pub fn layers(&self) -> Result<Vec<Layer>, DatabaseError> {
        let entries = match fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(DatabaseError::io(&self.folder, "read the folder", source)),
        };
        let mut layers = Vec::new();
        for entry in entries {
            let entry = entry.map_err(|source| DatabaseError::io(&self.folder, "read the folder", source))?;
            layers.extend(entry.file_name().to_str().and_then(parse_file_name));
        }
        layers.sort_unstable();
        Ok(layers)
    }

    /// Opens the table of a layer; `None` if there is none.
    ///
    /// The table stays open. Costs a system call or two the first time and a lookup afterwards.
    ///
    /// # Errors
    /// The file is damaged, of another rule set or layer, or cannot be read.
    pub fn layer(&self, layer: Layer) -> Result<Option<Arc<OpenLayer>>, DatabaseError> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = open.get(&layer) {
            return Ok(Some(Arc::clone(found)));
        }
        let file = self.file(layer);
        if !file.try_exists().map_err(|source| DatabaseError::io(&file, "look for the table", source))? {
            return Ok(None);
        }
        let opened = Arc::new(self.open_file(layer, &file)?);
        open.insert(layer, Arc::clone(&opened));
        Ok(Some(opened))
    }

    fn open_file(&self, layer: Layer, file: &Path) -> Result<OpenLayer, DatabaseError> {
        let table = TableFile::open(file, self.access)?;
        let expected = |what, found: String, expected: String| {
            if found == expected {
                Ok(())
            } else {
                Err(DatabaseError::Foreign { file: file.to_owned(), what, found, expected })
            }
        };
        let index = self.index(layer)?;
        let meta = table.meta();
        let rule_set = self.rules.rule_set();
        expected("rules", meta.rules.clone(), rule_set.text())?;
        expected("fingerprint", format!("{:016x}", meta.fingerprint), format!("{:016x}", rule_set.fingerprint()))?;
        expected("layer", Layer { seeds: meta.seeds, closed: meta.closed }.to_string(), layer.to_string())?;
        expected("numbering", meta.index.clone(), index.scheme().to_owned())?;
        let width = if self.rules.scoring() == Scoring::Outcome { 2 } else { 1 };
        expected("bytes a value", table.width().to_string(), width.to_string())?;
        expected("number of values", table.count().to_string(), index.size().to_string())?;
        expected("number of positions", meta.positions.to_string(), index.positions().to_string())?;
        if *table.shape() != shape(&index)? {
            expected("shape", "another".to_owned(), "that of the numbering".to_owned())?;
        }
        Ok(OpenLayer { index, table })
    }

    /// The numbering of a layer.
    ///
    /// # Errors
    /// The layer is too large to number.
    pub fn index(&self, layer: Layer) -> Result<LayerIndex, DatabaseError> {
        LayerIndex::new(self.rules.as_ref(), layer).ok_or(DatabaseError::TooLarge { layer })
    }

    /// The layer that a position belongs to.
    #[must_use]
    pub fn layer_of(&self, board: &Board) -> Layer {
        Layer { seeds: board.seeds() as u8, closed: self.rules.closed(board) }
    }

    /// The value of a position; `None` if its layer has no table.
    ///
    /// Where the table leaves out what captures tell, these are looked up as well, each in a layer below; where it
    /// leaves out the position, all its moves are. Costs some microseconds for each block that was not looked at
    /// lately, and a hundred nanoseconds for each that was.
    ///
    /// # Errors
    /// A damaged or foreign table, or one below that is missing.
    pub fn probe(&self, board: &Board) -> Result<Option<Value>, DatabaseError> {
        let layer = self.layer_of(board);
        let Some(open) = self.layer(layer)? else {
            return Ok(None);
        };
        let Some(rank) = open.index.checked_rank(board) else {
            return Ok(None);
        };
        let left_out = open.table.leaves_out() && self.rules.half_rows().is_some_and(|h| !h.can_leave(board.other()));
        let stored = if left_out { None } else { Some(Value(self.cache.value(&open.table, rank)?)) };
        if !open.table.floored() {
            return Ok(stored);
        }
        let mut moves = Moves::new();
        if let Some(value) = self.rules.expand(board, &mut moves) {
            return Ok(Some(value));
        }
        let mut best = stored.unwrap_or(Value(i16::MIN));
        for (_, sown) in moves.iter().filter(|(_, sown)| left_out || sown.board.seeds() < board.seeds()) {
            // Every step loses seeds or leads to a position that is not left out, so this ends after twice as many
            // steps as there are seeds at the most.
            let below = self.layer_of(&sown.board);
            let after = self.probe(&sown.board)?.ok_or_else(|| self.missing_below(layer, below))?;
            best = Value(best.0.max(worth(Scoring::Seeds, sown, after).0));
        }
        Ok(Some(best))
    }

    fn missing_below(&self, layer: Layer, below: Layer) -> DatabaseError {
        DatabaseError::MissingBelow { file: self.file(below), layer, below }
    }

    /// Reads a whole layer into memory; `None` if it has no table.
    ///
    /// Where the table leaves out what captures tell, the layers below are read too, unless they are in `lower`, and
    /// are kept there with this one.
    ///
    /// # Errors
    /// A damaged or foreign table, or one below that is missing.
    pub fn load(&self, layer: Layer, lower: &mut Lower) -> Result<Option<Arc<SolvedLayer>>, DatabaseError> {
        self.load_to(layer, lower, Room::Memory)
    }

    /// As [`load`](Self::load), with the values of net seeds in `room`.
    fn load_to(
        &self,
        layer: Layer,
        lower: &mut Lower,
        room: Room<'_>,
    ) -> Result<Option<Arc<SolvedLayer>>, DatabaseError> {
        let Some(open) = self.layer(layer)? else {
            return Ok(None);
        };
        let index = self.index(layer)?;
        if open.table.floored() {
            for below in self.rules.layers(layer.seeds).into_iter().filter(|below| *below < layer) {
                if !lower.contains(below) && self.load_to(below, lower, room)?.is_none() {
                    return Err(self.missing_below(layer, below));
                }
            }
        }
        let size = open.table.count() as usize;
        let values = match self.rules.scoring() {
            Scoring::Seeds => {
                let refused = |source| DatabaseError::io(&self.folder, "find room for a layer in memory or in", source);
                let mut values = room.pages(size).map_err(refused)?;
                let plain = values.signed_mut();
                open.table.read(0, plain)?;
                if open.table.floored() {
                    let work = Work { room, ..Work::ALONE };
                    solve::complete(self.rules.as_ref(), &index, lower, plain, open.table.leaves_out(), work)?;
                }
                Values::paged(values)
            }
            Scoring::Outcome => {
                let mut values = vec![0_i16; size];
                open.table.read(0, &mut values)?;
                Values::Outcome(values)
            }
        };
        let loaded = Arc::new(SolvedLayer { index, values });
        if open.table.floored() {
            lower.insert(Arc::clone(&loaded));
        }
        Ok(Some(loaded))
    }
}

/// The rows of a layer as its table has them.
///
/// # Errors
/// The layer is too large for a table.
pub fn shape(index: &LayerIndex) -> Result<Shape, DatabaseError> {
    // A number of seeds of which no half is symmetric leaves an empty segment in mirrored numberings.
    let segments = index.shape().into_iter().filter(|segment| segment.rows > 0);
    let segments = segments.map(|s| crate::table::Segment { rows: s.rows, row_len: s.row_len });
    Ok(Shape::new(segments.collect())?)
}

fn parse_file_name(name: &str) -> Option<Layer> {
    let stem = name.strip_suffix(".sow")?;
    let (seeds, closed) = stem.split_once('+').unwrap_or((stem, "0"));
    let layer = Layer { seeds: seeds.parse().ok()?, closed: closed.parse().ok()? };
    (seeds.len() == 3).then_some(layer)
}

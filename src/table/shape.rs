//! How the ranks of a layer lie in rows and blocks.

use super::TableError;

/// Consecutive rows of equal length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// Number of rows, at least one.
    pub rows: u64,
    /// Values in each row, at least one.
    pub row_len: u64,
}

/// The rows of a layer in rank order.
///
/// A two-row game has one segment for each number of seeds in the mover's row; a layer without
/// such structure is one segment of one row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    segments: Vec<Segment>,
    count: u64,
}

impl Shape {
    /// Most values a layer may have.
    pub const MAX_COUNT: u64 = 1 << 56;

    /// Checks and adds up the segments.
    ///
    /// # Errors
    ///
    /// [`TableError::Shape`] if a segment is empty or the layer has more than
    /// [`Shape::MAX_COUNT`] values.
    pub fn new(segments: Vec<Segment>) -> Result<Self, TableError> {
        let mut count = 0_u64;
        for (number, segment) in segments.iter().enumerate() {
            let refuse =
                |finding| TableError::Shape { segment: number, rows: segment.rows, row_len: segment.row_len, finding };
            let values = segment.rows.checked_mul(segment.row_len);
            if values == Some(0) {
                return Err(refuse("a segment needs a row and a row needs a value"));
            }
            count = values
                .and_then(|values| count.checked_add(values))
                .filter(|&count| count <= Self::MAX_COUNT)
                .ok_or_else(|| refuse("the layer is too large for a table"))?;
        }
        Ok(Self { segments, count })
    }

    /// One row of `count` values (no row at all if `count` is zero).
    ///
    /// # Errors
    ///
    /// [`TableError::Shape`] if `count` exceeds [`Shape::MAX_COUNT`].
    pub fn flat(count: u64) -> Result<Self, TableError> {
        let row = Segment { rows: 1, row_len: count };
        Self::new(if count == 0 { Vec::new() } else { vec![row] })
    }

    /// The segments in rank order.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Number of values.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }
}

/// Where one block lies among the ranks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Span {
    /// Number of the block.
    pub block: u64,
    /// Rank of its first value.
    pub first: u64,
    /// Number of its values: at least one, at most the block target.
    pub len: usize,
}

/// A segment with its place and its division into blocks.
#[derive(Debug, Clone, Copy)]
struct Zone {
    first: u64,
    first_block: u64,
    rows: u64,
    row_len: u64,
    cut: Cut,
}

#[derive(Debug, Clone, Copy)]
enum Cut {
    /// A block is so many whole rows.
    Rows(u64),
    /// A row is so many blocks whose lengths differ by at most one, longer ones first.
    Pieces(u64),
}

/// The division of a shape into row-aligned blocks of at most `target` values.
///
/// Short rows share a block, long rows are split evenly; no block has a part of two rows.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    zones: Vec<Zone>,
    blocks: u64,
}

impl Layout {
    /// Divides `shape`; `target` is at least one.
    pub fn new(shape: &Shape, target: u32) -> Self {
        let target = u64::from(target.max(1));
        let (mut first, mut blocks) = (0, 0);
        let mut zones = Vec::with_capacity(shape.segments.len());
        for &Segment { rows, row_len } in &shape.segments {
            let (cut, inside) = if row_len <= target {
                let together = target / row_len;
                (Cut::Rows(together), rows.div_ceil(together))
            } else {
                let pieces = row_len.div_ceil(target);
                (Cut::Pieces(pieces), rows * pieces)
            };
            zones.push(Zone { first, first_block: blocks, rows, row_len, cut });
            first += rows * row_len;
            blocks += inside;
        }
        Self { zones, blocks }
    }

    /// Number of blocks.
    pub fn blocks(&self) -> u64 {
        self.blocks
    }

    /// The block that holds `rank`, which is less than the shape's count. O(log segments).
    pub fn of_rank(&self, rank: u64) -> Span {
        let zone = &self.zones[self.zones.partition_point(|zone| zone.first <= rank) - 1];
        let inside = rank - zone.first;
        let index = match zone.cut {
            Cut::Rows(together) => inside / (together * zone.row_len),
            Cut::Pieces(pieces) => {
                let (row, column) = (inside / zone.row_len, inside % zone.row_len);
                let (short, longer) = (zone.row_len / pieces, zone.row_len % pieces);
                let in_longer = longer * (short + 1);
                let piece =
                    if column < in_longer { column / (short + 1) } else { longer + (column - in_longer) / short };
                row * pieces + piece
            }
        };
        zone.span(index)
    }

    /// The block of number `block`, which is less than [`Layout::blocks`]. O(log segments).
    pub fn of_block(&self, block: u64) -> Span {
        let zone = &self.zones[self.zones.partition_point(|zone| zone.first_block <= block) - 1];
        zone.span(block - zone.first_block)
    }
}

impl Zone {
    /// The `index`-th block of this zone.
    fn span(&self, index: u64) -> Span {
        let (offset, len) = match self.cut {
            Cut::Rows(together) => {
                let row = index * together;
                (row * self.row_len, together.min(self.rows - row) * self.row_len)
            }
            Cut::Pieces(pieces) => {
                let (row, piece) = (index / pieces, index % pieces);
                let (short, longer) = (self.row_len / pieces, self.row_len % pieces);
                let column = piece * short + piece.min(longer);
                (row * self.row_len + column, short + u64::from(piece < longer))
            }
        };
        Span {
            block: self.first_block + index,
            first: self.first + offset,
            len: usize::try_from(len).unwrap_or(usize::MAX),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_partition_the_ranks_and_never_mix_part_rows() {
        let segments = [(3, 5), (1, 1), (7, 3), (2, 40), (4, 8), (1, 17)];
        let shape = Shape::new(segments.iter().map(|&(rows, row_len)| Segment { rows, row_len }).collect()).unwrap();
        for target in 1..50 {
            let layout = Layout::new(&shape, target);
            let mut rank = 0;
            for block in 0..layout.blocks() {
                let span = layout.of_block(block);
                assert_eq!((span.block, span.first), (block, rank));
                assert!(span.len >= 1 && span.len <= target as usize);
                for _ in 0..span.len {
                    assert_eq!(layout.of_rank(rank), span);
                    rank += 1;
                }
            }
            assert_eq!(rank, shape.count());
        }
    }
}

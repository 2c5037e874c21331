//! Values of finished layers that a build comes back to, beside its memory.
//!
//! A build looks up captures in all layers below. Their tables leave out what captures tell, so that single values
//! cannot be read from them cheaply; and held in memory they would come to cost more than the layer being solved. So they
//! lie as plain bytes in a file without a name, which the system keeps in memory as long as there is room, writes out
//! when there is none, and forgets when the build ends in whatever way.

use std::sync::Arc;

use super::{Database, DatabaseError, Plan};
use crate::memory::Pages;
use crate::rules::Scoring;
use crate::solve::{SeedValues, SolvedLayer, Values};
use crate::table::Access;

/// Layers of fewer positions stay in memory.
const SMALL: usize = 1 << 20;

impl Database {
    /// Bytes of scratch files during a build: all layers below the last one that is missing.
    pub(super) fn room_aside(&self, plan: &Plan) -> u64 {
        let last = plan.steps.iter().rposition(|step| !step.present).unwrap_or(0);
        if self.access != Access::Map || self.rules.scoring() != Scoring::Seeds {
            return 0;
        }
        let sizes = plan.steps[..last].iter().map(|step| step.positions).filter(|&size| size >= SMALL as u64);
        sizes.fold(0, u64::saturating_add)
    }

    /// The layer with its values in a scratch file, if there are many and files may be mapped.
    pub(super) fn set_aside(&self, solved: Arc<SolvedLayer>) -> Result<Arc<SolvedLayer>, DatabaseError> {
        let Values::Seeds(values) = &solved.values else { return Ok(solved) };
        let is_aside = matches!(values, SeedValues::Paged(pages) if pages.in_file());
        if values.len() < SMALL || self.access != Access::Map || is_aside {
            return Ok(solved);
        }
        let copied = Pages::copied_to(&self.folder, bytemuck::cast_slice(values)).map_err(|source| {
            DatabaseError::io(&self.folder, "keep the values of a layer for those above it in", source)
        })?;
        Ok(Arc::new(SolvedLayer { index: self.index(solved.index.layer())?, values: Values::paged(copied) }))
    }
}

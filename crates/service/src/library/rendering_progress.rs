//! The progress of tracks for which recipes are being rendered.

use tonearm_domain::VariantId;

use super::Library;
use crate::caller::Caller;
use crate::refusal::Refusal;

/// A track that is being processed for a recipe that is rendered for existing tracks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TrackInRendering {
    /// The recipe.
    pub variant_id: VariantId,
    /// How much of its file is done, 0..=100.
    pub percent: u8,
}

impl Library {
    /// The tracks for which recipes of the organization are being rendered now, at most 200.
    pub async fn tracks_in_rendering(&self, caller: &Caller) -> Result<Vec<TrackInRendering>, Refusal> {
        caller.require_whole_organization()?;
        let now = self.ambient.now();
        let found = self.catalog.renderings_in_the_making(caller.organization_id, now).await?;
        let in_rendering = |(variant_id, progress): (VariantId, tonearm_domain::TrackProgress)| {
            TrackInRendering { variant_id, percent: progress.percent() }
        };
        Ok(found.into_iter().map(in_rendering).collect())
    }
}

//! All it takes to play one track: cover, levels and signed URLs.

use tonearm_domain::{
    CoverOrigin, CoverSize, FileData, FileOutcome, ObjectKey, PlacedCover, PlaySession, Selection, TrackFile,
    VariantIndex,
};

use super::Playback;
use crate::lookups::ReadyTrack;
use crate::{LevelsJson, Refusal, TrackView};

/// All it takes to play one track.
#[derive(Debug, Clone)]
pub struct Playable {
    /// The track.
    pub track: TrackView,
    /// Its cover in every size.
    pub cover: Vec<CoverImage>,
    /// Its waveform; empty where none was made.
    pub levels: LevelsJson,
    /// Its variants, as the session lists them.
    pub variants: Vec<PlayableVariant>,
}

/// A cover in one size.
#[derive(Debug, Clone)]
pub struct CoverImage {
    /// Which size.
    pub size: CoverSize,
    /// A signed URL.
    pub url: String,
}

/// A file with a signed URL.
#[derive(Debug, Clone)]
pub struct PlayableVariant {
    /// The file.
    pub file: TrackFile,
    /// Where its bytes are.
    pub key: ObjectKey,
    /// How many there are.
    pub size: u64,
    /// The name it is delivered under.
    pub file_name: String,
    /// What else is known of it.
    pub data: FileData,
    /// A signed URL.
    pub url: String,
}

impl Playback {
    /// URLs are valid for what is left of the session.
    pub(super) async fn playable(
        &self,
        session: &PlaySession,
        ready: &ReadyTrack,
    ) -> Result<Playable, Refusal> {
        let left = session.expires_at.unix_seconds() - self.0.ambient.now().unix_seconds();
        let ttl = u32::try_from(left.max(1)).unwrap_or(u32::MAX);
        let surroundings =
            self.0.lookups.surroundings(session.organization_id, session.collection_id).await?;
        let track = surroundings.view(ready.track.clone());
        let cover = self.cover_in(&track, &CoverSize::LISTED, Some(ttl));
        let mut variants: Vec<PlayableVariant> = ready
            .files
            .iter()
            .filter(|file| session.lists(&file.recipe))
            .filter_map(|file| self.sign(file, ttl))
            .collect();
        // The files come in recipe order.
        if let Selection::Only(list) = &session.variants {
            let place = |index: &VariantIndex| list.iter().position(|listed| listed == index);
            variants.sort_by_key(|variant| place(&variant.file.recipe.index));
        }
        Ok(Playable { track, cover, levels: ready.levels.clone(), variants })
    }

    /// The cover that players see for a track, in those of these sizes that it has. A placeholder has no large one.
    pub(super) fn cover_in(
        &self,
        view: &TrackView,
        sizes: &[CoverSize],
        ttl: Option<u32>,
    ) -> Vec<CoverImage> {
        let Some(PlacedCover { cover, folder }) = view.cover else {
            return Vec::new();
        };
        let exists = |size: &CoverSize| *size != CoverSize::Large || cover.origin != CoverOrigin::Generated;
        let image = |size| {
            let key = cover.key(view.track.organization_id, folder, size);
            CoverImage { size, url: self.0.links.delivery(&key, ttl, None) }
        };
        sizes.iter().copied().filter(exists).map(image).collect()
    }

    fn sign(&self, file: &TrackFile, ttl: u32) -> Option<PlayableVariant> {
        let FileOutcome::Made { key, size, file_name, data } = file.outcome.clone() else {
            return None;
        };
        let url = self.0.links.delivery(&key, Some(ttl), None);
        Some(PlayableVariant { file: file.clone(), key, size, file_name, data, url })
    }
}

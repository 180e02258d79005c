//! Everything needed to play one track: cover, levels and signed URLs.

use tonearm_domain::{
    CoverOrigin, CoverSize, FileData, FileOutcome, FileProps, ObjectKey, PlacedCover, PlaySession, Timestamp,
    TrackFile, variant_name,
};
use tonearm_signing::DeliveryTerms;

use super::Playback;
use crate::lookups::{LevelsJson, ReadyTrack};
use crate::refusal::Refusal;
use crate::track_view::TrackView;

/// Everything needed to play one track.
#[derive(Debug, Clone)]
pub struct Playable {
    /// The track.
    pub track: TrackView,
    /// Its cover in every size.
    pub cover: Vec<CoverImage>,
    /// Its waveform. Empty if there is none.
    pub levels: LevelsJson,
    /// Its variants, in the order of the session.
    pub variants: Vec<PlayableVariant>,
    /// The URL of its words as WebVTT, for clients that have the session. None if it has no words.
    pub captions_url: Option<String>,
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
    /// The key of its object.
    pub key: ObjectKey,
    /// Its size in bytes.
    pub size: u64,
    /// The name it is saved under. It includes the variant if a better variant is offered.
    pub file_name: String,
    /// Properties that clients display.
    pub props: FileProps,
    /// Other data about it.
    pub data: FileData,
    /// A signed URL.
    pub url: String,
}

impl Playback {
    /// Everything needed to play a track. URLs are valid until the session expires.
    pub(super) async fn playable(
        &self,
        session: &PlaySession,
        ready: &ReadyTrack,
    ) -> Result<Playable, Refusal> {
        let ttl = self.seconds_until(session.expires_at);
        let parents = self.0.lookups.parents(session.organization_id, ready.track.collection_id).await?;
        let track = parents.view(ready.track.clone());
        let cover = self.cover_in(&track, &CoverSize::LISTED, Some(ttl));
        let sign = |offer: Offer<'_>| {
            let cache = offer.file.recipe.cache;
            self.sign(ready, offer, DeliveryTerms { ttl: Some(ttl), cache, ..DeliveryTerms::default() })
        };
        let mut variants: Vec<PlayableVariant> = offered(session, ready).into_iter().map(sign).collect();
        // The files are in recipe order, and the sort is stable.
        variants.sort_by_key(|variant| session.place(&variant.file.recipe));
        let captions_url = self.captions_url(session, ready);
        Ok(Playable { track, cover, levels: ready.levels.clone(), variants, captions_url })
    }

    /// How long URLs are valid that end at this time, in seconds.
    pub(super) fn seconds_until(&self, end: Timestamp) -> u32 {
        let left = end.unix_seconds() - self.0.ambient.now().unix_seconds();
        u32::try_from(left.max(1)).unwrap_or(u32::MAX)
    }

    /// The cover that players show for a track, in those of these sizes that exist. A placeholder has no large size.
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
            CoverImage {
                size,
                url: self.0.links.delivery(&key, DeliveryTerms { ttl, ..DeliveryTerms::default() }),
            }
        };
        sizes.iter().copied().filter(exists).map(image).collect()
    }

    fn sign(&self, ready: &ReadyTrack, offer: Offer<'_>, terms: DeliveryTerms<'_>) -> PlayableVariant {
        let Offer { file, key, size, data, name } = offer;
        PlayableVariant {
            file: file.clone(),
            key: key.clone(),
            size,
            file_name: name,
            props: FileProps::of(file, &ready.track.info, ready.track.duration),
            data: data.clone(),
            url: self.0.links.delivery(key, terms),
        }
    }
}

/// A made file that a session offers.
pub(super) struct Offer<'a> {
    pub(super) file: &'a TrackFile,
    pub(super) key: &'a ObjectKey,
    size: u64,
    data: &'a FileData,
    /// The name it is saved under.
    pub(super) name: String,
}

/// The files of a track that a session offers, in recipe order. The best one keeps its plain name; the other names
/// include the variant, so that saved files have different names.
pub(super) fn offered<'a>(session: &PlaySession, ready: &'a ReadyTrack) -> Vec<Offer<'a>> {
    let listed = ready.files.iter().filter(|file| session.lists(&file.recipe));
    let mut offers: Vec<Offer<'_>> = listed
        .filter_map(|file| match &file.outcome {
            FileOutcome::Made { key, size, file_name, data, .. } => {
                Some(Offer { file, key, size: *size, data, name: file_name.clone() })
            }
            FileOutcome::Failed { .. } => None,
        })
        .collect();
    // If several are equally good, the first of them.
    let best = offers.iter().rev().max_by_key(|offer| offer.file.quality()).map(|offer| offer.file.id);
    for offer in offers.iter_mut().filter(|offer| Some(offer.file.id) != best) {
        offer.name = variant_name(&offer.name, &offer.file.recipe.index);
    }
    offers
}

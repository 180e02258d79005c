//! A URL that a browser saves instead of playing.

use tonearm_domain::{ErrorCode, PlaySessionId, Timestamp, TrackId, UsageCounts, original_name};
use tonearm_signing::DeliveryTerms;

use super::playable::offered;
use super::{Playback, Visit};
use crate::caller::Caller;
use crate::refusal::{Refusal, Resource};

/// Seconds a download URL is valid.
pub(super) const DOWNLOAD_TTL_SECONDS: u32 = 30;

/// A download.
#[derive(Debug, Clone)]
pub struct Download {
    /// The variant's index.
    pub variant: String,
    /// A signed URL, valid for 30 seconds.
    pub url: String,
    /// When the URL expires.
    pub expires_at: Timestamp,
}

impl Playback {
    /// A URL that saves the source of a track as it was uploaded, valid for 30 seconds, for people who manage the
    /// track.
    pub async fn original_download(&self, caller: &Caller, id: TrackId) -> Result<String, Refusal> {
        let ready = self.0.lookups.track(caller.organization_id, id).await?;
        let ready = ready.ok_or(Refusal::NotFound(Resource::Track))?;
        caller.reach_track(ready.track.collection_id, id)?;
        let source = ready.track.source.as_ref().ok_or(Refusal::Unprocessable {
            code: ErrorCode::NoSource,
            message: "the track has no source file yet",
        })?;
        let name = original_name(&ready.track.file_name, source.key.file.content_type);
        let (ttl, attachment) = (Some(DOWNLOAD_TTL_SECONDS), Some(&*name));
        Ok(self.0.links.delivery(&source.key, DeliveryTerms { ttl, attachment, ..DeliveryTerms::default() }))
    }

    /// A download of one variant, if the session allows downloads and lists the variant. Counted only if there is a
    /// visit.
    pub async fn download(
        &self,
        id: PlaySessionId,
        track_id: TrackId,
        variant: &str,
        visit: Option<&Visit<'_>>,
    ) -> Result<Download, Refusal> {
        let session = self.valid_session(id).await?;
        if !session.is_downloadable {
            return Err(Refusal::Forbidden {
                code: ErrorCode::DownloadsNotAllowed,
                message: "this play session does not allow downloads",
            });
        }
        let track = self.track_of(&session, track_id).await?;
        let offered = offered(&session, &track);
        let found = offered.into_iter().find(|offer| offer.file.recipe.index.as_str() == variant);
        let offer = found.ok_or(Refusal::NotFound(Resource::Variant))?;
        if let Some(visit) = visit {
            self.count(&track.track, Some(&offer.file.recipe.index), UsageCounts::DOWNLOAD);
            self.note_listener(&track.track, None, visit);
        }
        // URLs are signed in whole seconds, which determine when they expire.
        let issued = Timestamp::from_unix_seconds(self.0.ambient.now().unix_seconds());
        let expires_at = issued.unwrap_or(self.0.ambient.now()).plus_seconds(DOWNLOAD_TTL_SECONDS.into());
        let (ttl, attachment) = (Some(DOWNLOAD_TTL_SECONDS), Some(&*offer.name));
        let terms = DeliveryTerms { ttl, attachment, ..DeliveryTerms::default() };
        let url = self.0.links.delivery(offer.key, terms);
        Ok(Download { variant: variant.to_owned(), url, expires_at })
    }
}

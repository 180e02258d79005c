//! The contents of the page behind a share link.

use tonearm_domain::{ContentType, CoverSize, FileData, RecipeKind, TrackId, words_within};

use super::redirect_share::Shared;
use super::{CoverImage, Playback};
use crate::lookups::LevelsJson;
use crate::refusal::Refusal;
use crate::track_view::TrackView;

/// A shared track, for everyone who has the link. It contains nothing that the player does not show.
#[derive(Debug, Clone)]
pub struct SharedTrack {
    /// The track, without its words: see [`SharedWords`].
    pub view: TrackView,
    /// Its cover in every size, smallest first.
    pub cover: Vec<CoverImage>,
    /// Its waveform.
    pub levels: LevelsJson,
    /// The type of its audio file.
    pub content_type: ContentType,
    /// The part of the track that can be heard, if it is a preview.
    pub part: FileData,
    /// The origin of sound and pictures, for the page's security policy.
    pub delivery_origin: String,
    /// Whether the key opens the whole collection.
    pub has_siblings: bool,
    /// Whether the file may be saved, by [`Playback::shared_download`].
    pub is_downloadable: bool,
    /// Whether [`Playback::shared_captions`] may return words.
    pub has_words: bool,
}

/// The words in the part of a track that a share key opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedWords {
    /// Paragraphs, separated by empty lines.
    pub text: String,
    /// The language (BCP 47).
    pub language: Option<String>,
}

/// The part of a track's sound that a file lets people hear.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum AudibleRange {
    Whole,
    /// From this second to that one.
    Part(f64, f64),
    Nothing,
}

impl AudibleRange {
    pub(super) fn of(kind: &RecipeKind, data: &FileData) -> Self {
        match (kind, data) {
            (RecipeKind::Transcode(_) | RecipeKind::Original {}, _) => Self::Whole,
            (RecipeKind::WaveformVideo(video), _) if video.has_sound => Self::Whole,
            (RecipeKind::Preview(_), &FileData::Preview { capture_start, capture_end, .. }) => {
                Self::Part(capture_start, capture_end)
            }
            _ => Self::Nothing,
        }
    }
}

impl Playback {
    /// The track behind a share link. Refused if the link itself would be.
    pub async fn shared_track(&self, track_id: TrackId, key_text: &str) -> Result<SharedTrack, Refusal> {
        self.view_shared(self.shared(track_id, key_text).await?).await
    }

    /// Like [`Self::shared_track`], with the words that the key opens: all of them if it opens the whole sound, those
    /// in the preview if it opens a preview, else none.
    pub async fn shared_track_with_words(
        &self,
        track_id: TrackId,
        key_text: &str,
    ) -> Result<(SharedTrack, Option<SharedWords>), Refusal> {
        let shared = self.shared(track_id, key_text).await?;
        let words = self.words(&shared).await?;
        Ok((self.view_shared(shared).await?, words))
    }

    async fn words(&self, shared: &Shared) -> Result<Option<SharedWords>, Refusal> {
        let track = &shared.ready.track;
        let text = match (&track.transcription, AudibleRange::of(&shared.recipe.kind, &shared.data)) {
            (None, _) | (_, AudibleRange::Nothing) => None,
            (text, AudibleRange::Whole) => text.clone(),
            (Some(_), AudibleRange::Part(start, end)) => {
                let said = self.0.lookups.catalog().track_words(track.id).await?;
                words_within(&said, (start, end))
            }
        };
        Ok(text.map(|text| SharedWords { text, language: track.transcription_language.clone() }))
    }

    async fn view_shared(&self, shared: Shared) -> Result<SharedTrack, Refusal> {
        let Shared { key, ready, recipe, file, data, ttl, .. } = shared;
        let organization_id = key.organization_id;
        let parents = self.0.lookups.parents(organization_id, ready.track.collection_id).await?;
        let mut view = parents.view(ready.track.clone());
        let has_words = view.track.transcription.is_some()
            && AudibleRange::of(&recipe.kind, &data) != AudibleRange::Nothing;
        // People who may hear only a part of the track must not see the words of the whole track.
        (view.track.transcription, view.track.transcription_language) = (None, None);
        Ok(SharedTrack {
            cover: self.cover_in(&view, &CoverSize::ALL, ttl),
            levels: ready.levels.clone(),
            content_type: file.file.content_type,
            part: data,
            delivery_origin: self.0.links.delivery_origin(organization_id),
            has_siblings: key.scope.collection().is_some() && key.scope.track().is_none(),
            is_downloadable: key.is_downloadable,
            has_words,
            view,
        })
    }
}

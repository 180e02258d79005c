//! Tracks.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::chapter::Chapter;
use crate::colour::{Colour, ThemeColour};
use crate::cover::{Cover, CoverOrigin};
use crate::object_key::ObjectKey;
use crate::short_id::ShortId;
use crate::text::Metadata;
use crate::theme::Theme;
use crate::timestamp::Timestamp;
use crate::track_status::{TrackStatus, TransitionError};
use crate::{CollectionId, CreatorId, OrganizationId, TrackId, UploadSessionId};

/// A track: an audio file in a collection, with the results of processing it.
#[derive(Debug, Clone, PartialEq)]
pub struct Track {
    /// Its id.
    pub id: TrackId,
    /// The organization that owns it.
    pub organization_id: OrganizationId,
    /// The collection it is in.
    pub collection_id: CollectionId,
    /// The creator that it is attributed to.
    pub creator_id: Option<CreatorId>,
    /// The upload session it was created in.
    pub upload_session_id: Option<UploadSessionId>,
    /// Its short id, unique in its organization, and the folder of its files.
    pub index: ShortId,
    /// The caller's own external id.
    pub organization_index: Option<String>,
    /// Its position in the collection.
    pub order: i64,
    /// Seconds; 0 until probed.
    pub duration: f64,
    /// The sanitised name, used for delivery.
    pub file_name: String,
    /// The file name as the caller sent it.
    pub file_name_original: Option<String>,
    /// What probing found.
    pub info: TrackInfo,
    /// The caller's own data.
    pub metadata: Metadata,
    /// The title in players.
    pub player_title: Option<String>,
    /// The line under the title in players.
    pub player_subtitle: Option<String>,
    /// Its own player colour.
    pub player_colour: Option<Colour>,
    /// Its colours.
    pub theme: Theme,
    /// The cover in use; columns `cover_version` and `cover_origin`.
    pub cover: Option<Cover>,
    /// The version of its placeholder, which is shown if no other cover can be.
    pub placeholder: Option<ShortId>,
    /// Whether a cover found in the file may be used.
    pub is_cover_overridable: bool,
    /// Whether colours found in the file's cover may be used.
    pub is_theme_overridable: bool,
    /// The transcription of the words in it.
    pub transcription: Option<String>,
    /// The language of the transcription (BCP 47).
    pub transcription_language: Option<String>,
    /// Its processing status.
    pub status: TrackStatus,
    /// The reason for the status, as a sentence for people; set if something failed.
    pub status_reason: Option<String>,
    /// Whether it can be played while it is being processed: a playable file is ready, and the organization allows it.
    pub is_early: bool,
    /// The uploaded file, once it has arrived.
    pub source: Option<Source>,
    /// Until when it waits for its bytes: the expiry of the upload URL, or later while an upload is in progress. When it was
    /// created, if the right of whoever created it has ended since.
    pub upload_expires_at: Timestamp,
    /// When it was created.
    pub created_at: Timestamp,
    /// When it was soft-deleted, if it was.
    pub deleted_at: Option<Timestamp>,
}

impl Track {
    /// Whether it can be played now.
    pub fn is_playable(&self) -> bool {
        self.status.is_playable() || (self.is_early && self.status.is_processing())
    }

    /// The status after its source arrives. A track accepts a source only once.
    ///
    /// A track that was given up because no upload had arrived in time accepts it too: an upload that began while its
    /// URL was valid counts, even if the track was given up since.
    pub fn accept_source(&self) -> Result<TrackStatus, TransitionError> {
        match self.status {
            TrackStatus::InitError if self.source.is_none() => TrackStatus::Initialized.accept_source(),
            status => status.accept_source(),
        }
    }

    /// Whether its upload URL ended with the right of whoever created it.
    pub fn upload_has_ended(&self) -> bool {
        self.upload_expires_at <= self.created_at
    }

    /// Removes the cover and the colours that came from its audio file. Uploaded covers and set colours stay.
    pub fn forget_found_cover(&mut self) {
        self.placeholder = None;
        if self.cover.is_none_or(|cover| cover.origin != CoverOrigin::Uploaded) {
            self.cover = None;
            self.theme.found.clear();
        }
    }

    /// The most vibrant colour of its theme, if it applies. Colours found in the file need the track's permission;
    /// colours that were set, and those of a cover uploaded for it, do not.
    pub fn vibrant_colour(&self) -> Option<Colour> {
        vibrant_colour(&self.theme, self.cover.map(|cover| cover.origin), self.is_theme_overridable)
    }
}

pub(crate) fn vibrant_colour(
    theme: &Theme,
    origin: Option<CoverOrigin>,
    is_theme_overridable: bool,
) -> Option<Colour> {
    let is_own = theme.set.is_some() || origin == Some(CoverOrigin::Uploaded);
    if is_own || is_theme_overridable { ThemeColour::most_vibrant(theme.colours()) } else { None }
}

/// The uploaded file, as it was received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The key of its object.
    pub key: ObjectKey,
    /// Its size in bytes.
    pub size: u64,
    /// The SHA-256 of its bytes.
    pub sha256: [u8; 32],
}

/// What probing found in the source; absent values are null in JSON.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct TrackInfo {
    /// The container, such as `wav`, `mp3`, `mov,mp4,m4a`.
    pub container: Option<String>,
    /// The codec, such as `pcm_s16le`, `aac`.
    pub codec: Option<String>,
    /// Samples per second of one channel, in Hz.
    pub sample_rate: Option<u32>,
    /// Number of channels.
    pub channels: Option<u32>,
    /// Bits per second.
    pub bit_rate: Option<u64>,
    /// Bits per sample, if the codec defines them.
    pub bits_per_sample: Option<u32>,
    /// Size of the file in bytes.
    pub size: Option<u64>,
    /// Integrated loudness in LUFS (EBU R128).
    pub loudness_lufs: Option<f64>,
    /// True peak in dBTP.
    pub true_peak_dbtp: Option<f64>,
    /// Whether the file contains less audio than it declares: it was truncated, or is damaged.
    pub is_truncated: bool,
    /// Tags by lower-case name: those of [`Tags::NAMES`](crate::Tags::NAMES) where the file has them, and others by
    /// their own names.
    pub tags: BTreeMap<String, String>,
    /// Chapters of the file, in order.
    pub chapters: Vec<Chapter>,
}

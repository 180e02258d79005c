//! Recipes: definitions of the variants that are rendered for every track.

use serde::{Deserialize, Serialize};

use crate::ambient::Ambient;
use crate::cache_policy::CachePolicy;
use crate::cover::CoverSettings;
use crate::preview::{PreviewLength, PreviewSettings};
use crate::recipe_error::RecipeError;
use crate::timestamp::Timestamp;
use crate::transcode::{Codec, Transcode};
use crate::variant_index::VariantIndex;
use crate::waveform::{LevelsSettings, WaveformImage, WaveformVideo};
use crate::{OrganizationId, TrackId, VariantId};

/// The type of a recipe with its settings. In SQL and JSON, the type is a field next to the settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "variant_type_id", rename_all = "snake_case")]
pub enum RecipeKind {
    /// The whole track in another codec.
    Transcode(Transcode),
    /// A part of the track.
    Preview(PreviewSettings),
    /// Waveform levels.
    Levels(LevelsSettings),
    /// A picture of the waveform.
    WaveformImage(WaveformImage),
    /// A video of the waveform.
    WaveformVideo(WaveformVideo),
    /// The unchanged upload.
    Original {},
    /// The cover as a separate file.
    Cover(CoverSettings),
}

/// The type of a recipe without its settings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RecipeType {
    /// See [`RecipeKind::Transcode`].
    Transcode,
    /// See [`RecipeKind::Preview`].
    Preview,
    /// See [`RecipeKind::Levels`].
    Levels,
    /// See [`RecipeKind::WaveformImage`].
    WaveformImage,
    /// See [`RecipeKind::WaveformVideo`].
    WaveformVideo,
    /// See [`RecipeKind::Original`].
    Original,
    /// See [`RecipeKind::Cover`].
    Cover,
}

impl RecipeType {
    /// Every type.
    pub const ALL: [Self; 7] = [
        Self::Transcode,
        Self::Preview,
        Self::Levels,
        Self::WaveformImage,
        Self::WaveformVideo,
        Self::Original,
        Self::Cover,
    ];

    /// The type as text, as in SQL and JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Transcode => "transcode",
            Self::Preview => "preview",
            Self::Levels => "levels",
            Self::WaveformImage => "waveform_image",
            Self::WaveformVideo => "waveform_video",
            Self::Original => "original",
            Self::Cover => "cover",
        }
    }

    /// The kind of viewer that clients use for it.
    pub const fn viewer(self) -> &'static str {
        match self {
            Self::Transcode | Self::Preview | Self::Original => "audio",
            Self::Levels => "levels",
            Self::WaveformImage | Self::Cover => "image",
            Self::WaveformVideo => "video",
        }
    }

    /// The type's name for people.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Transcode => "Transcode",
            Self::Preview => "Preview",
            Self::Levels => "Levels",
            Self::WaveformImage => "Waveform image",
            Self::WaveformVideo => "Waveform video",
            Self::Original => "Original",
            Self::Cover => "Cover",
        }
    }

    /// Whether files of this type can be played, and so make a track playable.
    pub const fn is_playable(self) -> bool {
        matches!(self, Self::Transcode | Self::Preview)
    }
}

impl RecipeKind {
    /// The type without the settings.
    pub const fn recipe_type(&self) -> RecipeType {
        match self {
            Self::Transcode(_) => RecipeType::Transcode,
            Self::Preview(_) => RecipeType::Preview,
            Self::Levels(_) => RecipeType::Levels,
            Self::WaveformImage(_) => RecipeType::WaveformImage,
            Self::WaveformVideo(_) => RecipeType::WaveformVideo,
            Self::Original {} => RecipeType::Original,
            Self::Cover(_) => RecipeType::Cover,
        }
    }

    /// The transcode settings, of a transcode or of a preview.
    pub const fn transcode(&self) -> Option<&Transcode> {
        match self {
            Self::Transcode(transcode) => Some(transcode),
            Self::Preview(preview) => Some(&preview.transcode),
            _ => None,
        }
    }

    /// Checks every setting against its bounds.
    pub fn validate(&self) -> Result<(), RecipeError> {
        match self {
            Self::Transcode(transcode) => transcode.validate(),
            Self::Preview(preview) => preview.transcode.validate().and_then(|()| preview.validate()),
            Self::Levels(levels) => levels.validate(),
            Self::WaveformImage(image) => image.validate(),
            Self::WaveformVideo(video) => video.validate(),
            Self::Original {} | Self::Cover(_) => Ok(()),
        }
    }
}

/// A recipe of an organization, or of a single track.
#[derive(Debug, Clone, PartialEq)]
pub struct Recipe {
    /// The record's id (`variant_id`).
    pub id: VariantId,
    /// The organization that owns it.
    pub organization_id: OrganizationId,
    /// The track that it belongs to; none if it applies to all tracks.
    pub track_id: Option<TrackId>,
    /// Its name.
    pub index: VariantIndex,
    /// Its type and settings.
    pub kind: RecipeKind,
    /// Its position among the organization's recipes.
    pub position: i32,
    /// Which caches may store its files, unless the service allows all caches to.
    pub cache: CachePolicy,
    /// When it was created.
    pub created_at: Timestamp,
}

impl Recipe {
    /// Whether both are the same revision of one recipe. A revision is what the settings are: files of one revision are
    /// the same, whatever the recipe is called and wherever it stands.
    pub fn is_same_revision(&self, other: &Self) -> bool {
        self.id == other.id && self.kind == other.kind
    }
}

/// The recipes of a new organization: `hq`, `lq`, `preview`, `levels`, `original`.
pub fn default_recipes(organization_id: OrganizationId, ambient: &Ambient) -> Vec<Recipe> {
    let mp3 = |bitrate| Transcode { codec: Codec::Mp3, bitrate, ..Transcode::default() };
    let preview = PreviewSettings {
        transcode: mp3(128),
        length: PreviewLength::Seconds {
            preview_seconds: 30.0,
            preview_min_percent: 0.0,
            preview_max_percent: 50.0,
        },
        preview_start_percent: 25.0,
    };
    [
        ("hq", RecipeKind::Transcode(mp3(256))),
        ("lq", RecipeKind::Transcode(mp3(96))),
        ("preview", RecipeKind::Preview(preview)),
        ("levels", RecipeKind::Levels(LevelsSettings::default())),
        ("original", RecipeKind::Original {}),
    ]
    .into_iter()
    .zip(0..)
    .map(|((index, kind), position)| Recipe {
        id: ambient.record_id(),
        organization_id,
        track_id: None,
        index: VariantIndex::from_static(index),
        kind,
        position,
        cache: CachePolicy::Private,
        created_at: ambient.now(),
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_have_defaults_and_bounds() {
        let kind: RecipeKind = serde_json::from_str(r#"{"variant_type_id":"transcode"}"#).unwrap();
        assert_eq!(kind, RecipeKind::Transcode(Transcode::default()));
        let kind: RecipeKind =
            serde_json::from_str(r#"{"variant_type_id":"transcode","bitrate":11}"#).unwrap();
        assert_eq!(kind.validate(), Err(RecipeError::Bitrate));
        let kind: RecipeKind =
            serde_json::from_str(r#"{"variant_type_id":"levels","num_samples":0}"#).unwrap();
        assert_eq!(kind.validate(), Err(RecipeError::Samples));
    }

    #[test]
    fn every_kind_survives_json() {
        for json in [
            r#"{"variant_type_id":"preview","preview_type":"percent","codec":"opus"}"#,
            r#"{"variant_type_id":"original"}"#,
            r#"{"variant_type_id":"cover"}"#,
            r#"{"variant_type_id":"waveform_image"}"#,
            r#"{"variant_type_id":"waveform_video"}"#,
        ] {
            let kind: RecipeKind = serde_json::from_str(json).unwrap();
            assert_eq!(kind.validate(), Ok(()));
            let again = serde_json::from_value(serde_json::to_value(&kind).unwrap()).unwrap();
            assert_eq!(kind, again);
        }
    }
}

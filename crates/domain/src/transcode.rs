//! Transcodes: codecs and their settings.

use serde::{Deserialize, Serialize};

use crate::object_key::ContentType;
use crate::recipe_error::RecipeError;

/// The codec of a transcode or preview.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Codec {
    /// AAC-LC in MP4.
    #[default]
    Aac,
    /// MPEG layer III.
    Mp3,
    /// Vorbis in Ogg.
    Ogg,
    /// Opus in Ogg.
    Opus,
    /// FLAC; lossless, the bitrate does not apply.
    Flac,
    /// PCM in RIFF WAVE; lossless, the bitrate does not apply.
    Wav,
}

impl Codec {
    /// The content type of files of this codec.
    pub const fn content_type(self) -> ContentType {
        match self {
            Self::Aac => ContentType::M4a,
            Self::Mp3 => ContentType::Mp3,
            Self::Ogg => ContentType::Ogg,
            Self::Opus => ContentType::Opus,
            Self::Flac => ContentType::Flac,
            Self::Wav => ContentType::Wav,
        }
    }

    /// The codec as text, as in SQL and JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Aac => "aac",
            Self::Mp3 => "mp3",
            Self::Ogg => "ogg",
            Self::Opus => "opus",
            Self::Flac => "flac",
            Self::Wav => "wav",
        }
    }

    /// Whether the codec is lossless, so that a bitrate has no meaning.
    pub const fn is_lossless(self) -> bool {
        matches!(self, Self::Flac | Self::Wav)
    }
}

/// Settings of a transcode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Transcode {
    /// The codec.
    pub codec: Codec,
    /// Kilobits per second, 12..=320.
    pub bitrate: u16,
    /// Keep two channels if the source has two or more; otherwise everything is mixed down to one.
    pub is_stereo: bool,
    /// Omit the source's tags.
    pub is_strip_tags: bool,
    /// Omit the source's cover.
    pub is_strip_cover: bool,
    /// Integrated loudness to normalise to (EBU R128), in LUFS.
    pub loudness_target: Option<f64>,
}

impl Default for Transcode {
    fn default() -> Self {
        Self {
            codec: Codec::default(),
            bitrate: 128,
            is_stereo: true,
            is_strip_tags: true,
            is_strip_cover: true,
            loudness_target: None,
        }
    }
}

impl Transcode {
    /// The requested bitrate, if the codec has one.
    pub fn nominal_bitrate(&self) -> Option<u16> {
        (!self.codec.is_lossless()).then_some(self.bitrate)
    }

    pub(crate) fn validate(&self) -> Result<(), RecipeError> {
        if !(12..=320).contains(&self.bitrate) {
            return Err(RecipeError::Bitrate);
        }
        match self.loudness_target {
            Some(lufs) if !(-70.0..=-5.0).contains(&lufs) => Err(RecipeError::Loudness),
            _ => Ok(()),
        }
    }
}

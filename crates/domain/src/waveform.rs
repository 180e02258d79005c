//! Settings of waveforms: levels, pictures and videos.

use serde::{Deserialize, Serialize};

use crate::colour::Colour;
use crate::levels::Metric;
use crate::object_key::ContentType;
use crate::recipe_error::RecipeError;
use crate::transcode::{Codec, Transcode};

/// Settings of levels.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct LevelsSettings {
    /// The number of levels, 1..=100000. The formats of audiowaveform use `samples_per_pixel` instead.
    pub num_samples: u32,
    /// What each level measures in its share of the track. The formats of audiowaveform always contain peaks.
    pub metric: Metric,
    /// The format of the file.
    pub format: LevelsFormat,
    /// The number of samples that a point of audiowaveform's formats covers, 128..=65536.
    pub samples_per_pixel: u32,
    /// Bits of a number in audiowaveform's formats: 8 or 16.
    pub bits: u8,
    /// Whether audiowaveform's formats contain every channel instead of their mean.
    pub is_split_channels: bool,
}

/// The format of a file of levels.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LevelsFormat {
    /// Tonearm's own JSON, which is also part of playback data.
    #[default]
    Levels,
    /// The JSON of the BBC's audiowaveform, version 2.
    AudiowaveformJson,
    /// The binary form of audiowaveform's format.
    AudiowaveformDat,
}

impl LevelsFormat {
    /// The content type of files of this format.
    pub const fn content_type(self) -> ContentType {
        match self {
            Self::Levels | Self::AudiowaveformJson => ContentType::Json,
            Self::AudiowaveformDat => ContentType::Dat,
        }
    }
}

impl Default for LevelsSettings {
    fn default() -> Self {
        Self {
            num_samples: 320,
            metric: Metric::Peak,
            format: LevelsFormat::Levels,
            samples_per_pixel: 256,
            bits: 8,
            is_split_channels: false,
        }
    }
}

impl LevelsSettings {
    pub(crate) fn validate(&self) -> Result<(), RecipeError> {
        if !(1..=100_000).contains(&self.num_samples) {
            return Err(RecipeError::Samples);
        }
        if !(128..=65_536).contains(&self.samples_per_pixel) {
            return Err(RecipeError::SamplesPerPixel);
        }
        if matches!(self.bits, 8 | 16) { Ok(()) } else { Err(RecipeError::Bits) }
    }
}

/// Settings of a picture of the waveform: a PNG of bars.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WaveformImage {
    /// Pixels, 16..=4096.
    pub width: u32,
    /// Pixels, 16..=4096.
    pub height: u32,
    /// The colour of the bars; none: the player colour of the track.
    pub color: Option<Colour>,
    /// The background; none: the picture is transparent.
    pub background: Option<Colour>,
}

impl Default for WaveformImage {
    fn default() -> Self {
        Self { width: 1200, height: 240, color: None, background: None }
    }
}

impl WaveformImage {
    pub(crate) fn validate(&self) -> Result<(), RecipeError> {
        let rule = "a whole number of pixels from 16 to 4096";
        for (name, side) in [("width", self.width), ("height", self.height)] {
            if !(16..=4096).contains(&side) {
                return Err(RecipeError::Side { name, rule });
            }
        }
        Ok(())
    }
}

/// Settings of a video of the waveform (H.264 in MP4), in which a second colour shows the playback position.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct WaveformVideo {
    /// Pixels, even, 64..=1920.
    pub width: u32,
    /// Pixels, even, 64..=1920.
    pub height: u32,
    /// The colour of the part that has been played; none: the player colour of the track.
    pub color: Option<Colour>,
    /// The background; none: black.
    pub background: Option<Colour>,
    /// Frames a second, 1..=30.
    pub frame_rate: u32,
    /// Whether it contains the audio.
    pub has_sound: bool,
    /// Kilobits per second of the audio, 12..=320.
    pub bitrate: u16,
}

impl Default for WaveformVideo {
    fn default() -> Self {
        Self {
            width: 1280,
            height: 720,
            color: None,
            background: None,
            frame_rate: 10,
            has_sound: true,
            bitrate: 128,
        }
    }
}

impl WaveformVideo {
    /// The transcode settings of its audio.
    pub fn sound(&self) -> Transcode {
        Transcode { codec: Codec::Aac, bitrate: self.bitrate, ..Transcode::default() }
    }

    pub(crate) fn validate(&self) -> Result<(), RecipeError> {
        let rule = "an even number of pixels from 64 to 1920";
        for (name, side) in [("width", self.width), ("height", self.height)] {
            if !(64..=1920).contains(&side) || side % 2 == 1 {
                return Err(RecipeError::Side { name, rule });
            }
        }
        if !(1..=30).contains(&self.frame_rate) {
            return Err(RecipeError::FrameRate);
        }
        self.sound().validate()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_have_bounds() {
        assert_eq!(LevelsSettings::default().validate(), Ok(()));
        assert_eq!(WaveformImage::default().validate(), Ok(()));
        assert_eq!(WaveformVideo::default().validate(), Ok(()));
        let fine = LevelsSettings { samples_per_pixel: 64, ..LevelsSettings::default() };
        assert_eq!(fine.validate(), Err(RecipeError::SamplesPerPixel));
        let odd = LevelsSettings { bits: 12, ..LevelsSettings::default() };
        assert_eq!(odd.validate(), Err(RecipeError::Bits));
        let wide = WaveformImage { width: 5000, ..WaveformImage::default() };
        assert_eq!(
            wide.validate().unwrap_err().to_string(),
            "must be a whole number of pixels from 16 to 4096"
        );
        let odd = WaveformVideo { height: 721, ..WaveformVideo::default() };
        assert!(odd.validate().unwrap_err().to_string().starts_with("must be an even number"));
        let fast = WaveformVideo { frame_rate: 60, ..WaveformVideo::default() };
        assert_eq!(fast.validate(), Err(RecipeError::FrameRate));
        let thin = WaveformVideo { bitrate: 5, ..WaveformVideo::default() };
        assert_eq!(thin.validate(), Err(RecipeError::Bitrate));
    }

    #[test]
    fn levels_of_earlier_versions_are_read() {
        let settings: LevelsSettings = serde_json::from_str(r#"{"num_samples":100,"metric":"rms"}"#).unwrap();
        assert_eq!(
            settings,
            LevelsSettings { num_samples: 100, metric: Metric::Rms, ..LevelsSettings::default() }
        );
    }
}

//! Settings of previews, and the part of a track that a preview contains.

use serde::{Deserialize, Serialize};

use crate::recipe_error::RecipeError;
use crate::transcode::Transcode;

/// Settings of a preview.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PreviewSettings {
    /// How the part is encoded.
    #[serde(flatten)]
    pub transcode: Transcode,
    /// How long the part is.
    #[serde(flatten)]
    pub length: PreviewLength,
    /// Where it starts, as a percentage of the track, 0..=100.
    #[serde(default = "default_start_percent")]
    pub preview_start_percent: f64,
}

/// How long a preview is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "preview_type", rename_all = "snake_case")]
pub enum PreviewLength {
    /// A number of seconds, bounded below and above by shares of the track.
    #[serde(rename = "seconds")]
    Seconds {
        /// Wanted seconds.
        #[serde(default = "default_seconds")]
        preview_seconds: f64,
        /// Minimum share, 0..=100.
        #[serde(default)]
        preview_min_percent: f64,
        /// Maximum share, 0..=100.
        #[serde(default = "default_max_percent")]
        preview_max_percent: f64,
    },
    /// A share of the track, bounded below and above by numbers of seconds.
    #[serde(rename = "percent")]
    Percent {
        /// Wanted share, 0..=100.
        #[serde(default = "default_percent")]
        preview_percent: f64,
        /// Minimum seconds.
        #[serde(default)]
        preview_min_seconds: f64,
        /// Maximum seconds.
        #[serde(default = "default_max_seconds")]
        preview_max_seconds: f64,
    },
}

/// The smallest length, in seconds or percent, that a preview may have or be limited to.
const SHORTEST: f64 = 0.1;

fn default_start_percent() -> f64 {
    25.0
}
fn default_seconds() -> f64 {
    60.0
}
fn default_max_percent() -> f64 {
    50.0
}
fn default_percent() -> f64 {
    25.0
}
fn default_max_seconds() -> f64 {
    90.0
}

/// A named setting.
type Setting = (&'static str, f64);

/// Refuses previews without sound, and bounds that contradict each other.
fn has_length(wanted: Setting, least: Setting, most: Setting) -> Result<(), RecipeError> {
    if let Some((name, _)) = [wanted, most].into_iter().find(|(_, value)| *value < SHORTEST) {
        return Err(RecipeError::NoLength(name));
    }
    if least.1 > most.1 { Err(RecipeError::Bounds { least: least.0, most: most.0 }) } else { Ok(()) }
}

impl PreviewSettings {
    pub(crate) fn validate(&self) -> Result<(), RecipeError> {
        let percent = |name, value: f64| {
            if (0.0..=100.0).contains(&value) { Ok(()) } else { Err(RecipeError::Percent(name)) }
        };
        let seconds = |name, value: f64| {
            if (0.0..=86_400.0).contains(&value) { Ok(()) } else { Err(RecipeError::Seconds(name)) }
        };
        percent("preview_start_percent", self.preview_start_percent)?;
        match self.length {
            PreviewLength::Seconds { preview_seconds, preview_min_percent, preview_max_percent } => {
                seconds("preview_seconds", preview_seconds)?;
                percent("preview_min_percent", preview_min_percent)?;
                percent("preview_max_percent", preview_max_percent)?;
                has_length(
                    ("preview_seconds", preview_seconds),
                    ("preview_min_percent", preview_min_percent),
                    ("preview_max_percent", preview_max_percent),
                )
            }
            PreviewLength::Percent { preview_percent, preview_min_seconds, preview_max_seconds } => {
                percent("preview_percent", preview_percent)?;
                seconds("preview_min_seconds", preview_min_seconds)?;
                seconds("preview_max_seconds", preview_max_seconds)?;
                has_length(
                    ("preview_percent", preview_percent),
                    ("preview_min_seconds", preview_min_seconds),
                    ("preview_max_seconds", preview_max_seconds),
                )
            }
        }
    }

    /// The part of a track of `duration` seconds that the preview contains, as start and end in seconds.
    ///
    /// The upper bound takes precedence over the lower one. A preview is never longer than its track. If it would run
    /// past the end, it starts earlier.
    pub fn window(&self, duration: f64) -> (f64, f64) {
        let share = |percent: f64| duration * percent / 100.0;
        let wanted = match self.length {
            PreviewLength::Seconds { preview_seconds, preview_min_percent, preview_max_percent } => {
                preview_seconds.max(share(preview_min_percent)).min(share(preview_max_percent))
            }
            PreviewLength::Percent { preview_percent, preview_min_seconds, preview_max_seconds } => {
                share(preview_percent).max(preview_min_seconds).min(preview_max_seconds)
            }
        };
        let length = wanted.clamp(0.0, duration);
        let start = share(self.preview_start_percent).min(duration - length).max(0.0);
        (start, start + length)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn preview(json: &str) -> PreviewSettings {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn seconds_are_bounded_by_shares() {
        let settings = preview(r#"{"preview_type":"seconds"}"#);
        assert_eq!(settings.window(200.0), (50.0, 110.0));
        assert_eq!(settings.window(60.0), (15.0, 45.0));
        assert_eq!(settings.window(0.0), (0.0, 0.0));
    }

    #[test]
    fn shares_are_bounded_by_seconds() {
        let settings = preview(r#"{"preview_type":"percent"}"#);
        assert_eq!(settings.window(200.0), (50.0, 100.0));
        assert_eq!(settings.window(1000.0), (250.0, 340.0));
    }

    #[test]
    fn a_late_start_moves_forward() {
        let settings =
            preview(r#"{"preview_type":"percent","preview_percent":50,"preview_start_percent":100}"#);
        assert_eq!(settings.window(100.0), (50.0, 100.0));
    }

    #[test]
    fn a_preview_has_a_length() {
        let refused = |json: &str| preview(json).validate().err().map(|error| error.field());
        for (json, field) in [
            (r#"{"preview_type":"seconds","preview_seconds":0}"#, Some("preview_seconds")),
            (r#"{"preview_type":"seconds","preview_seconds":1e-9}"#, Some("preview_seconds")),
            (r#"{"preview_type":"seconds","preview_max_percent":0}"#, Some("preview_max_percent")),
            (r#"{"preview_type":"seconds","preview_min_percent":51}"#, Some("preview_min_percent")),
            (r#"{"preview_type":"seconds","preview_min_percent":50}"#, None),
            (r#"{"preview_type":"percent","preview_percent":0}"#, Some("preview_percent")),
            (r#"{"preview_type":"percent","preview_max_seconds":0}"#, Some("preview_max_seconds")),
            (r#"{"preview_type":"percent","preview_min_seconds":91}"#, Some("preview_min_seconds")),
            (r#"{"preview_type":"percent","preview_percent":0.1,"preview_max_seconds":0.1}"#, None),
        ] {
            assert_eq!(refused(json), field, "{json}");
        }
    }

    proptest! {
        #[test]
        fn a_preview_stays_inside_its_track(
            duration in 0.0..100_000.0f64,
            start in 0.0..=100.0f64,
            wanted in 0.0..=100.0f64,
            low in 0.0..=100.0f64,
            high in 0.0..=100.0f64,
            by_seconds: bool,
        ) {
            let length = if by_seconds {
                PreviewLength::Seconds { preview_seconds: wanted, preview_min_percent: low, preview_max_percent: high }
            } else {
                PreviewLength::Percent { preview_percent: wanted, preview_min_seconds: low, preview_max_seconds: high }
            };
            let settings = PreviewSettings { transcode: Transcode::default(), length, preview_start_percent: start };
            let (from, to) = settings.window(duration);
            prop_assert!(0.0 <= from && from <= to && to <= duration + 1e-6);
        }
    }
}

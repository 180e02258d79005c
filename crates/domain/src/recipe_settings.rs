//! Recipe settings as callers send them: any subset, applied over the defaults or over the settings of an existing
//! recipe.

use serde_json::{Map, Value, json};

use crate::recipe::{RecipeKind, RecipeType};
use crate::recipe_error::RecipeError;

/// Settings by name. Null means the default of a setting.
pub type RecipeSettings = Map<String, Value>;

/// All settings of all types.
const NAMES: [&str; 27] = [
    "codec",
    "bitrate",
    "is_stereo",
    "is_strip_tags",
    "is_strip_cover",
    "loudness_target",
    "preview_type",
    "preview_seconds",
    "preview_min_percent",
    "preview_max_percent",
    "preview_percent",
    "preview_min_seconds",
    "preview_max_seconds",
    "preview_start_percent",
    "num_samples",
    "metric",
    "format",
    "samples_per_pixel",
    "bits",
    "is_split_channels",
    "width",
    "height",
    "color",
    "background",
    "frame_rate",
    "has_sound",
    "size",
];

impl RecipeKind {
    /// Builds a recipe from its type and settings. Missing settings get their defaults; settings of other types are
    /// ignored.
    pub fn from_settings(recipe_type: RecipeType, settings: &RecipeSettings) -> Result<Self, RecipeError> {
        let kind = Self::read(recipe_type, settings).ok_or_else(|| culprit(recipe_type, settings))?;
        kind.validate()?;
        Ok(kind)
    }

    /// Changes some settings. The type cannot change.
    pub fn with_settings(&self, settings: &RecipeSettings) -> Result<Self, RecipeError> {
        // A recipe always serialises to a JSON object.
        let Ok(Value::Object(mut own)) = serde_json::to_value(self) else {
            return Err(RecipeError::Value("variant_type_id"));
        };
        own.extend(settings.clone());
        Self::from_settings(self.recipe_type(), &own)
    }

    /// Checks each setting against its bounds, including settings that do not belong to the recipe's type.
    pub fn check_settings(settings: &RecipeSettings) -> Result<(), RecipeError> {
        let trials: [(RecipeType, &[&str]); 5] = [
            (RecipeType::Preview, &[]),
            // Records of other types have a field with this name, too.
            (RecipeType::Levels, &["format"]),
            (RecipeType::WaveformImage, &[]),
            // Its sides have narrower bounds than those of a picture.
            (RecipeType::WaveformVideo, &["width", "height"]),
            (RecipeType::Cover, &[]),
        ];
        for (recipe_type, without) in trials {
            let mut given = settings.clone();
            given.retain(|name, _| !without.contains(&name.as_str()));
            Self::from_settings(recipe_type, &given)?;
        }
        for length in ["seconds", "percent"] {
            let mut given = settings.clone();
            given.insert("preview_type".to_owned(), json!(length));
            Self::from_settings(RecipeType::Preview, &given)?;
        }
        Ok(())
    }

    fn read(recipe_type: RecipeType, settings: &RecipeSettings) -> Option<Self> {
        let mut settings = settings.clone();
        settings.retain(|_, value| !value.is_null());
        if recipe_type == RecipeType::Preview {
            settings.entry("preview_type").or_insert_with(|| json!("seconds"));
        }
        settings.insert("variant_type_id".to_owned(), json!(recipe_type));
        serde_json::from_value(Value::Object(settings)).ok()
    }
}

/// Finds the setting that cannot be parsed, even on its own.
fn culprit(recipe_type: RecipeType, settings: &RecipeSettings) -> RecipeError {
    let is_wrong = |name: &&'static str| {
        let Some(value) = settings.get(*name) else { return false };
        let mut alone = Map::from_iter([((*name).to_owned(), value.clone())]);
        // The settings of a preview depend on this one.
        if let Some(length) = settings.get("preview_type").filter(|_| *name != "preview_type") {
            alone.insert("preview_type".to_owned(), length.clone());
        }
        RecipeKind::read(recipe_type, &alone).is_none()
    };
    // With an invalid preview type, all other settings would be reported as invalid.
    let mut order = ["preview_type"].into_iter().chain(NAMES);
    match order.find(is_wrong).unwrap_or("variant_type_id") {
        "bitrate" => RecipeError::Bitrate,
        "loudness_target" => RecipeError::Loudness,
        "num_samples" => RecipeError::Samples,
        "samples_per_pixel" => RecipeError::SamplesPerPixel,
        "bits" => RecipeError::Bits,
        "frame_rate" => RecipeError::FrameRate,
        "format" => RecipeError::LevelsFormat,
        name if name.starts_with("preview_") && name.ends_with("percent") => RecipeError::Percent(name),
        name if name.starts_with("preview_") && name.ends_with("seconds") => RecipeError::Seconds(name),
        name => RecipeError::Value(name),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::levels::Metric;
    use crate::preview::PreviewLength;
    use crate::transcode::{Codec, Transcode};

    fn settings(json: Value) -> RecipeSettings {
        json.as_object().unwrap().clone()
    }

    fn made(recipe_type: RecipeType, json: Value) -> Result<RecipeKind, RecipeError> {
        RecipeKind::from_settings(recipe_type, &settings(json))
    }

    #[test]
    fn what_is_not_given_is_as_usual() {
        let plain = RecipeKind::Transcode(Transcode::default());
        assert_eq!(made(RecipeType::Transcode, json!({})), Ok(plain.clone()));
        assert_eq!(made(RecipeType::Transcode, json!({ "bitrate": null, "width": 3 })), Ok(plain));
        for recipe_type in RecipeType::ALL {
            assert_eq!(made(recipe_type, json!({})).map(|kind| kind.recipe_type()), Ok(recipe_type));
        }
    }

    #[test]
    fn settings_change_one_by_one() {
        let opus = made(RecipeType::Transcode, json!({ "codec": "opus", "loudness_target": -16 })).unwrap();
        let changed = opus.with_settings(&settings(json!({ "bitrate": 48 }))).unwrap();
        let expected = Transcode {
            codec: Codec::Opus,
            bitrate: 48,
            loudness_target: Some(-16.0),
            ..Transcode::default()
        };
        assert_eq!(changed, RecipeKind::Transcode(expected));
        let cleared =
            changed.with_settings(&settings(json!({ "loudness_target": null, "codec": null }))).unwrap();
        assert_eq!(cleared, RecipeKind::Transcode(Transcode { bitrate: 48, ..Transcode::default() }));
        let preview = made(RecipeType::Preview, json!({ "preview_seconds": 5 })).unwrap();
        let RecipeKind::Preview(share) =
            preview.with_settings(&settings(json!({ "preview_type": "percent" }))).unwrap()
        else {
            panic!("no preview")
        };
        assert!(matches!(share.length, PreviewLength::Percent { preview_percent: 25.0, .. }));
    }

    #[test]
    fn a_recipe_that_is_sent_back_stays_as_it_is() {
        for recipe_type in RecipeType::ALL {
            let kind = made(recipe_type, json!({ "metric": "rms", "color": "#ff0000" })).unwrap();
            let sent = serde_json::to_value(&kind).unwrap();
            assert_eq!(kind.with_settings(&settings(sent)), Ok(kind.clone()));
            if let RecipeKind::Levels(levels) = kind {
                assert_eq!(levels.metric, Metric::Rms);
            }
        }
    }

    #[test]
    fn the_setting_at_fault_is_named() {
        for (recipe_type, json, field) in [
            (RecipeType::Transcode, json!({ "is_stereo": true, "codec": "mp2" }), "codec"),
            (RecipeType::Transcode, json!({ "bitrate": "128" }), "bitrate"),
            (RecipeType::Transcode, json!({ "bitrate": 11 }), "bitrate"),
            (RecipeType::Preview, json!({ "preview_type": "all", "preview_seconds": 1 }), "preview_type"),
            (
                RecipeType::Preview,
                json!({ "preview_type": "percent", "preview_percent": "x" }),
                "preview_percent",
            ),
            (RecipeType::Levels, json!({ "format": "mp3" }), "format"),
            (RecipeType::WaveformImage, json!({ "color": "red" }), "color"),
            (RecipeType::WaveformVideo, json!({ "width": 65 }), "width"),
            (RecipeType::Cover, json!({ "size": 7 }), "size"),
        ] {
            assert_eq!(made(recipe_type, json.clone()).unwrap_err().field(), field, "{json}");
        }
    }

    #[test]
    fn settings_of_other_types_are_checked_too() {
        let checked =
            |json: Value| RecipeKind::check_settings(&settings(json)).map_err(|error| error.field());
        assert_eq!(checked(json!({ "width": 101, "format": "mp3", "bitrate": 320, "bits": 16 })), Ok(()));
        for (json, field) in [
            (json!({ "bitrate": 321 }), "bitrate"),
            (json!({ "preview_percent": 101 }), "preview_percent"),
            (json!({ "preview_seconds": -1 }), "preview_seconds"),
            (json!({ "num_samples": 0 }), "num_samples"),
            (json!({ "bits": 12 }), "bits"),
            (json!({ "width": 15 }), "width"),
            (json!({ "frame_rate": 31 }), "frame_rate"),
            (json!({ "size": "huge" }), "size"),
        ] {
            assert_eq!(checked(json), Err(field));
        }
    }
}

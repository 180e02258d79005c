//! The body that creates or updates a recipe.

use serde::{Deserialize, Serialize};
use serde_json::json;
use tonearm_domain::{
    CachePolicy, Codec, Colour, CoverSize, Metric, Patch, RecipeKind, RecipeSettings, RecipeType, Text,
    VariantIndex,
};
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::WholeNumber;

macro_rules! recipe_body {
    ($($(#[$attribute:meta])* $name:ident: $type:ty,)*) => {
        /// The name, the type and the settings of a recipe. Settings that a type does not have are ignored. Null stands for the
        /// default of a setting.
        #[derive(Debug, Deserialize, ToSchema)]
        #[schema(as = variant::Fields)]
        pub(crate) struct RecipeBody {
            /// The name: 2 to 64 characters of a-z, 0-9, _ and -.
            #[serde(default)]
            #[schema(value_type = VariantIndex)]
            pub(super) index: Patch<VariantIndex>,
            /// The type, which cannot be changed.
            #[serde(default)]
            #[schema(value_type = RecipeType)]
            pub(super) variant_type_id: Patch<RecipeType>,
            /// Who may cache the files: only listeners (`private`, the default), or also CDNs (`public`).
            #[serde(default)]
            #[schema(value_type = CachePolicy)]
            pub(super) cache: Patch<CachePolicy>,
            $(#[serde(default)] $(#[$attribute])* $name: Patch<$type>,)*
        }

        impl RecipeBody {
            /// The settings that were sent.
            fn given(&self) -> RecipeSettings {
                let mut settings = RecipeSettings::new();
                $(if let Some(value) = self.$name.as_ref().given() {
                    settings.insert(stringify!($name).to_owned(), json!(value));
                })*
                settings
            }
        }
    };
}

recipe_body! {
    #[schema(value_type = Option<Codec>)]
    codec: Codec,
    /// In kbit/s. For waveform videos, the bitrate of the audio.
    #[schema(value_type = Option<u32>, minimum = 12, maximum = 320)]
    bitrate: WholeNumber,
    #[schema(value_type = Option<bool>)]
    is_stereo: bool,
    #[schema(value_type = Option<bool>)]
    is_strip_tags: bool,
    #[schema(value_type = Option<bool>)]
    is_strip_cover: bool,
    /// In LUFS. Null: the loudness is not changed.
    #[schema(value_type = Option<f64>, minimum = -70, maximum = -5)]
    loudness_target: f64,
    #[schema(value_type = Option<PreviewType>)]
    preview_type: PreviewType,
    #[schema(value_type = Option<f64>, minimum = 0.1, maximum = 86400)]
    preview_seconds: f64,
    #[schema(value_type = Option<f64>, minimum = 0, maximum = 100)]
    preview_min_percent: f64,
    #[schema(value_type = Option<f64>, minimum = 0.1, maximum = 100)]
    preview_max_percent: f64,
    #[schema(value_type = Option<f64>, minimum = 0.1, maximum = 100)]
    preview_percent: f64,
    #[schema(value_type = Option<f64>, minimum = 0, maximum = 86400)]
    preview_min_seconds: f64,
    #[schema(value_type = Option<f64>, minimum = 0.1, maximum = 86400)]
    preview_max_seconds: f64,
    #[schema(value_type = Option<f64>, minimum = 0, maximum = 100)]
    preview_start_percent: f64,
    /// Number of levels.
    #[schema(value_type = Option<u32>, minimum = 1, maximum = 100000)]
    num_samples: WholeNumber,
    #[schema(value_type = Option<Metric>)]
    metric: Metric,
    /// For levels: `levels`, `audiowaveform_json` or `audiowaveform_dat`. Records of other types have this field for display;
    /// it is ignored if it is sent back.
    #[schema(value_type = Option<Text<1000>>)]
    format: Text<1000>,
    #[schema(value_type = Option<u32>, minimum = 128, maximum = 65536)]
    samples_per_pixel: WholeNumber,
    /// 8 or 16.
    #[schema(value_type = Option<u32>, minimum = 8, maximum = 16)]
    bits: WholeNumber,
    #[schema(value_type = Option<bool>)]
    is_split_channels: bool,
    /// In pixels: 16 to 4096 for images; even, and 64 to 1920, for videos.
    #[schema(value_type = Option<u32>, minimum = 16, maximum = 4096)]
    width: WholeNumber,
    /// In pixels, like `width`.
    #[schema(value_type = Option<u32>, minimum = 16, maximum = 4096)]
    height: WholeNumber,
    #[schema(value_type = Option<Colour>)]
    color: Colour,
    #[schema(value_type = Option<Colour>)]
    background: Colour,
    /// In frames per second.
    #[schema(value_type = Option<u32>, minimum = 1, maximum = 30)]
    frame_rate: WholeNumber,
    #[schema(value_type = Option<bool>)]
    has_sound: bool,
    #[schema(value_type = Option<CoverSize>)]
    size: CoverSize,
}

#[derive(Debug, Clone, Copy, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum PreviewType {
    Seconds,
    Percent,
}

impl RecipeBody {
    /// The settings that were sent, after checking their bounds.
    pub(super) fn settings(&self) -> Result<RecipeSettings, ApiError> {
        let settings = self.given();
        RecipeKind::check_settings(&settings).map_err(|error| ApiError::invalid(error.field(), error))?;
        Ok(settings)
    }
}

/// The value of a required field.
pub(super) fn required_value<T>(field: &'static str, value: Patch<T>) -> Result<T, ApiError> {
    value.given().flatten().ok_or_else(|| ApiError::invalid(field, "is required"))
}

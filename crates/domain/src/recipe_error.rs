//! Errors of recipes.

/// The reason why a recipe or one of its settings is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecipeError {
    /// An index with invalid characters or an invalid length.
    #[error("must be 2 to 64 characters of a-z, 0-9, _ and -")]
    Index,
    /// A bitrate outside 12..=320.
    #[error("must be a whole number from 12 to 320 (kbit/s)")]
    Bitrate,
    /// A percentage outside 0..=100.
    #[error("must be a number from 0 to 100")]
    Percent(&'static str),
    /// A number of seconds below zero or above a day.
    #[error("must be a number of seconds from 0 to 86400")]
    Seconds(&'static str),
    /// A preview of no length.
    #[error("must be at least 0.1, so that the preview has a length")]
    NoLength(&'static str),
    /// A lower bound above the upper one.
    #[error("cannot be greater than {most}")]
    Bounds {
        /// The setting that is the lower bound.
        least: &'static str,
        /// The setting that is the upper bound.
        most: &'static str,
    },
    /// A number of samples outside 1..=100000.
    #[error("must be a whole number from 1 to 100000")]
    Samples,
    /// Samples per pixel outside 128..=65536.
    #[error("must be a whole number from 128 to 65536")]
    SamplesPerPixel,
    /// Bits of a peak that are neither 8 nor 16.
    #[error("must be 8 or 16")]
    Bits,
    /// A picture's side outside its bounds.
    #[error("must be {rule}")]
    Side {
        /// Which side.
        name: &'static str,
        /// The allowed values.
        rule: &'static str,
    },
    /// A number of frames a second outside 1..=30.
    #[error("must be a whole number from 1 to 30 (frames per second)")]
    FrameRate,
    /// A loudness target outside -70..=-5 LUFS.
    #[error("must be a number from -70 to -5 (LUFS)")]
    Loudness,
    /// An unknown format of levels.
    #[error("must be levels, audiowaveform_json or audiowaveform_dat")]
    LevelsFormat,
    /// A type other than that of the recipe.
    #[error("cannot be changed; create another variant")]
    OtherType,
    /// A setting with a wrong type or an unknown value.
    #[error("has an invalid value; docs/recipes.md lists the values of each setting")]
    Value(&'static str),
}

impl RecipeError {
    /// The invalid setting.
    pub const fn field(&self) -> &'static str {
        match self {
            Self::Index => "index",
            Self::Bitrate => "bitrate",
            Self::Percent(name)
            | Self::Seconds(name)
            | Self::NoLength(name)
            | Self::Bounds { least: name, .. }
            | Self::Side { name, .. } => name,
            Self::Samples => "num_samples",
            Self::SamplesPerPixel => "samples_per_pixel",
            Self::Bits => "bits",
            Self::FrameRate => "frame_rate",
            Self::Loudness => "loudness_target",
            Self::LevelsFormat => "format",
            Self::OtherType => "variant_type_id",
            Self::Value(name) => name,
        }
    }
}

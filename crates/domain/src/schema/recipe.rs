//! The JSON schema of a recipe: its type, next to the settings of that type.

use utoipa::PartialSchema;
use utoipa::openapi::schema::{ObjectBuilder, SchemaType, Type};

use super::{boolean, number, one_of};
use crate::cover::CoverSize;
use crate::levels::Metric;
use crate::recipe::RecipeType;
use crate::transcode::Codec;

fn integer(minimum: f64, maximum: f64, description: &str) -> ObjectBuilder {
    number(minimum, maximum).schema_type(Type::Integer).description(Some(description))
}

fn percent(description: &str) -> ObjectBuilder {
    number(0.0, 100.0).description(Some(description))
}

fn seconds(description: &str) -> ObjectBuilder {
    number(0.0, 86_400.0).description(Some(description))
}

fn colour(description: &str) -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(SchemaType::from_iter([Type::String, Type::Null]))
        .pattern(Some("^#([0-9a-fA-F]{3}){1,2}$"))
        .description(Some(description))
}

/// A recipe with all settings of its type. `format`, a setting of levels, is defined with the fields that all types
/// share.
pub(super) fn recipe() -> ObjectBuilder {
    let kind = ObjectBuilder::new()
        .description(Some(
            "The type of the recipe, and the settings of that type. Settings that the type does not have are missing.",
        ))
        .property("variant_type_id", RecipeType::schema())
        .required("variant_type_id");
    shown(levels(preview(sound(kind))))
}

fn sound(kind: ObjectBuilder) -> ObjectBuilder {
    let loudness = number(-70.0, -5.0)
        .schema_type(SchemaType::from_iter([Type::Number, Type::Null]))
        .description(Some("In LUFS. Null: the loudness is not changed. Only for transcodes and previews."));
    let of_both = "Only for transcodes and previews.";
    kind.property("codec", Codec::schema())
        .property(
            "bitrate",
            integer(12.0, 320.0, "In kbit/s. For waveform videos, the bitrate of the audio."),
        )
        .property("is_stereo", boolean().description(Some(of_both)))
        .property("is_strip_tags", boolean().description(Some(of_both)))
        .property("is_strip_cover", boolean().description(Some(of_both)))
        .property("loudness_target", loudness)
}

fn preview(kind: ObjectBuilder) -> ObjectBuilder {
    let length = "Whether the length of a preview is set in seconds or in percent.";
    kind.property("preview_type", one_of(["seconds", "percent"]).description(Some(length)))
        .property("preview_start_percent", percent("Where a preview starts in the track."))
        .property("preview_seconds", seconds("Only for previews whose length is set in seconds."))
        .property("preview_min_percent", percent("Only for previews whose length is set in seconds."))
        .property("preview_max_percent", percent("Only for previews whose length is set in seconds."))
        .property("preview_percent", percent("Only for previews whose length is set in percent."))
        .property("preview_min_seconds", seconds("Only for previews whose length is set in percent."))
        .property("preview_max_seconds", seconds("Only for previews whose length is set in percent."))
}

fn levels(kind: ObjectBuilder) -> ObjectBuilder {
    let channels = "Whether each channel has its own levels. Only for levels in the audiowaveform formats.";
    kind.property("num_samples", integer(1.0, 100_000.0, "Number of levels."))
        .property("metric", Metric::schema())
        .property(
            "samples_per_pixel",
            integer(128.0, 65_536.0, "Samples per point. Only for levels in the audiowaveform formats."),
        )
        .property("bits", integer(8.0, 16.0, "8 or 16. Only for levels in the audiowaveform formats."))
        .property("is_split_channels", boolean().description(Some(channels)))
}

fn shown(kind: ObjectBuilder) -> ObjectBuilder {
    kind.property("width", integer(16.0, 4096.0, "In pixels. Only for waveform images and videos."))
        .property("height", integer(16.0, 4096.0, "In pixels. Only for waveform images and videos."))
        .property(
            "color",
            colour("Only for waveform images and videos. Null: the player colour of the track."),
        )
        .property(
            "background",
            colour("Only for waveform images and videos. Null: images are transparent, videos black."),
        )
        .property("frame_rate", integer(1.0, 30.0, "Frames per second of waveform videos."))
        .property("has_sound", boolean().description(Some("Whether waveform videos have sound.")))
        .property("size", CoverSize::schema())
}

//! The vocabulary in OpenAPI: how each type looks in JSON. Only with the feature `openapi`.

mod recipe;

use utoipa::openapi::schema::{Object, ObjectBuilder, Schema, SchemaFormat, SchemaType, Type};
use utoipa::openapi::{ArrayBuilder, OneOfBuilder, Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

use crate::access::KeyType;
use crate::allowed_origins::PageOrigin;
use crate::cache_policy::CachePolicy;
use crate::chapter::Chapter;
use crate::colour::{Colour, ThemeColour};
use crate::cover::CoverSize;
use crate::error_code::ErrorCode;
use crate::event::{EventKind, WebhookKind};
use crate::file_props::FileProps;
use crate::import_bucket::{AccessKeyId, BucketName, BucketRegion};
use crate::job_report::JobStatus;
use crate::levels::{Levels, Metric};
use crate::limits::ExpiresIn;
use crate::recipe::{RecipeKind, RecipeType};
use crate::replacement::ReplacementState;
use crate::short_id::ShortId;
use crate::text::{Metadata, Text};
use crate::theme::Palette;
use crate::timestamp::Timestamp;
use crate::track::TrackInfo;
use crate::track_file::MissedLoudness;
use crate::track_status::TrackStatus;
use crate::transcode::Codec;
use crate::usage::Day;
use crate::variant_data::VariantData;
use crate::variant_index::VariantIndex;
use crate::webhook::DeliveryState;
use crate::{
    ApiKeyId, CollectionId, CreatorId, FileId, JobId, OrganizationId, PlaySessionId, ReplacementId,
    RequestId, SessionHandle, TrackId, UploadId, UploadSessionId, VariantId, WebhookDeliveryId, WebhookId,
};

fn text() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String)
}

/// What PostgreSQL cannot store is in no text.
const NO_NUL: &str = "^[^\\u0000]*$";

fn formatted(format: &str) -> ObjectBuilder {
    text().format(Some(SchemaFormat::Custom(format.to_owned())))
}

fn number(minimum: f64, maximum: f64) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::Number).minimum(Some(minimum)).maximum(Some(maximum))
}

fn one_of(values: impl IntoIterator<Item = &'static str>) -> ObjectBuilder {
    text().enum_values(Some(values))
}

fn boolean() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::Boolean)
}

fn nullable(of: Type) -> Object {
    ObjectBuilder::new().schema_type(SchemaType::from_iter([of, Type::Null])).build()
}

macro_rules! schemas {
    ($($name:ty => $schema:expr;)*) => {
        $(
            impl PartialSchema for $name {
                fn schema() -> RefOr<Schema> {
                    $schema.into()
                }
            }
            impl ToSchema for $name {}
        )*
    };
}

schemas! {
    AccessKeyId => text().min_length(Some(1)).max_length(Some(256)).pattern(Some("^[!-+\\-.0-<>-~]+$"));
    ApiKeyId => formatted("uuid");
    ErrorCode => one_of(ErrorCode::INTERFACE.iter().map(|code| code.as_str())).description(Some(
        "A stable, machine-readable error code. New versions may add codes; treat one that you do not know by its status.",
    ));
    BucketName => text().pattern(Some("^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$"));
    BucketRegion => text().pattern(Some("^[a-zA-Z0-9_-]{1,64}$"));
    CollectionId => formatted("uuid");
    CreatorId => formatted("uuid");
    Day => formatted("date");
    FileId => formatted("uuid");
    JobId => formatted("uuid");
    OrganizationId => formatted("uuid");
    PlaySessionId => formatted("uuid");
    ReplacementId => formatted("uuid");
    ReplacementState => one_of(ReplacementState::ALL.map(ReplacementState::as_str));
    RequestId => formatted("uuid");
    SessionHandle => formatted("uuid");
    TrackId => formatted("uuid");
    UploadId => formatted("uuid");
    UploadSessionId => formatted("uuid");
    VariantId => formatted("uuid");
    WebhookDeliveryId => formatted("uuid");
    WebhookId => formatted("uuid");
    Timestamp => formatted("date-time");
    ShortId => text().pattern(Some("^[a-z0-9]{12}$"));
    PageOrigin => text().max_length(Some(300)).pattern(Some("^[a-z][a-z0-9+.-]{0,39}://[a-z0-9_-]{1,63}(\\.[a-z0-9_-]{1,63})*(:([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?$"));
    VariantIndex => text().pattern(Some("^[a-z0-9_-]{2,64}$"));
    Colour => text().pattern(Some("^#([0-9a-fA-F]{3}){1,2}$"));
    ExpiresIn => number(60.0, 86_400.0)
        .default(Some(ExpiresIn::default().seconds().into()))
        .description(Some("Lifetime in seconds. Default: 3600."));
    FileProps => ObjectBuilder::new()
        .description(Some("Properties of the file for display. Never null."))
        .property("codec", text().min_length(Some(1)).description(Some(
            "The codec, such as `mp3`, `pcm_s16le` or `h264`, or the format if there is no codec, such as `png` or `json`.",
        )))
        .required("codec")
        .property("bitrate", ObjectBuilder::new().schema_type(Type::Integer).minimum(Some(0)).description(Some(
            "In kbit/s. For an original, that of the source; for FLAC and WAV, the mean; 0 for pictures, videos and levels.",
        )))
        .required("bitrate")
        .property("is_stereo", boolean())
        .required("is_stereo")
        .property("is_strip_tags", boolean())
        .required("is_strip_tags")
        .property("is_strip_cover", boolean())
        .required("is_strip_cover");
    Palette => ArrayBuilder::new().items(ThemeColour::schema()).max_items(Some(ThemeColour::MOST));
    CachePolicy => one_of(["private", "public"]);
    CoverSize => one_of(CoverSize::ALL.map(CoverSize::as_str));
    DeliveryState => one_of(DeliveryState::ALL.map(DeliveryState::as_str));
    EventKind => one_of(EventKind::ALL.map(EventKind::as_str));
    WebhookKind => one_of(WebhookKind::ALL.map(WebhookKind::as_str));
    JobStatus => one_of(JobStatus::ALL.map(JobStatus::as_str));
    KeyType => one_of(KeyType::ALL.map(KeyType::as_str));
    TrackStatus => one_of(TrackStatus::ALL.map(TrackStatus::as_str));
    Metric => one_of(["peak", "rms"]);
    Codec => one_of(["aac", "mp3", "ogg", "opus", "flac", "wav"]);
    RecipeType => one_of(RecipeType::ALL.map(RecipeType::as_str));
    RecipeKind => recipe::recipe();
    ThemeColour => ObjectBuilder::new()
        .property("hex", Colour::schema())
        .required("hex")
        .property("area", number(0.0, 1.0))
        .required("area")
        .property("lightness", number(0.0, 1.0))
        .required("lightness")
        .property("saturation", number(0.0, 1.0))
        .required("saturation");
    Levels => ObjectBuilder::new()
        .property("levels", ArrayBuilder::new().items(number(0.0, 1.0)))
        .property("num_samples", ObjectBuilder::new().schema_type(Type::Integer))
        .property("metric", Metric::schema())
        .property("min", number(0.0, 1.0))
        .property("max", number(0.0, 1.0))
        .property("avg", number(0.0, 1.0))
        .property("resample", ObjectBuilder::new().schema_type(Type::Number));
    MissedLoudness => ObjectBuilder::new()
        .property("target_lufs", number(-70.0, -5.0))
        .required("target_lufs")
        .property("loudness_lufs", nullable(Type::Number))
        .required("loudness_lufs")
        .property("true_peak_dbtp", nullable(Type::Number))
        .required("true_peak_dbtp")
        .description(Some(
            "The loudness target that the file missed, its integrated loudness (null if it cannot be measured: \
             silence, or less than 0.4 s) and its true peak.",
        ));
    VariantData => ObjectBuilder::new()
        .property("duration", ObjectBuilder::new().schema_type(Type::Number))
        .property("capture_start", ObjectBuilder::new().schema_type(Type::Number))
        .property("capture_end", ObjectBuilder::new().schema_type(Type::Number))
        .property("extension", text())
        .property("content_type", text())
        .property("missed_loudness", MissedLoudness::schema())
        .description(Some(
            "For previews: the part of the track that they contain, in seconds. For files that missed a loudness \
             target: `missed_loudness`.",
        ));
    TrackInfo => ObjectBuilder::new()
        .property("container", nullable(Type::String))
        .property("codec", nullable(Type::String))
        .property("sample_rate", nullable(Type::Integer))
        .property("channels", nullable(Type::Integer))
        .property("bit_rate", nullable(Type::Integer))
        .property("bits_per_sample", nullable(Type::Integer))
        .property("size", nullable(Type::Integer))
        .property("loudness_lufs", nullable(Type::Number))
        .property("true_peak_dbtp", nullable(Type::Number))
        .property("is_truncated", ObjectBuilder::new().schema_type(Type::Boolean))
        .property("tags", ObjectBuilder::new().additional_properties(Some(text())).description(Some(
            "Tags by name; all values are strings. These names are the same for all formats: `title`, `artist`, `album`, \
             `album_artist`, `composer`, `genre`, `publisher`, `comment`, `track_number`, `track_total`, `disc_number`, \
             `disc_total`, `year`, `language` (BCP 47) and `lyrics` (at most 20,000 characters). Other tags have the names \
             from the file, in lower case.",
        )))
        .property("chapters", ArrayBuilder::new().items(Chapter::schema()).max_items(Some(1000)).description(Some(
            "The chapters of the file, in order and without overlaps. Empty if there are none.",
        )));
    Chapter => ObjectBuilder::new()
        .property("start", number(0.0, 1e7))
        .required("start")
        .property("end", number(0.0, 1e7))
        .required("end")
        .property("title", nullable(Type::String))
        .required("title")
        .description(Some("A part of the track, with its start and end in seconds."));
}

impl<const MAX: usize> PartialSchema for Text<MAX> {
    fn schema() -> RefOr<Schema> {
        text().max_length(Some(MAX)).pattern(Some(NO_NUL)).into()
    }
}

impl<const MAX: usize> ToSchema for Text<MAX> {
    fn name() -> std::borrow::Cow<'static, str> {
        format!("Text{MAX}").into()
    }
}

/// The name of what [`Metadata`] holds, which is described once, as it holds itself.
const METADATA_VALUE: &str = "MetadataValue";

fn metadata_value() -> RefOr<Schema> {
    OneOfBuilder::new()
        .description(Some("Any JSON value without NUL characters."))
        .item(ObjectBuilder::new().schema_type(SchemaType::from_iter([
            Type::Null,
            Type::Boolean,
            Type::Number,
        ])))
        .item(text().pattern(Some(NO_NUL)))
        .item(ArrayBuilder::new().items(Ref::from_schema_name(METADATA_VALUE)))
        .item(object_of_metadata_values())
        .into()
}

fn object_of_metadata_values() -> ObjectBuilder {
    ObjectBuilder::new()
        .schema_type(Type::Object)
        .property_names(Some(text().pattern(Some(NO_NUL)).build()))
        .additional_properties(Some(Ref::from_schema_name(METADATA_VALUE)))
}

impl PartialSchema for Metadata {
    fn schema() -> RefOr<Schema> {
        let limit = "Your own JSON object: at most 64 KiB and 100 levels deep, without NUL characters. Numbers keep their digits. An update \
                     replaces it as a whole.";
        object_of_metadata_values().description(Some(limit)).into()
    }
}

impl ToSchema for Metadata {
    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((METADATA_VALUE.to_owned(), metadata_value()));
    }
}

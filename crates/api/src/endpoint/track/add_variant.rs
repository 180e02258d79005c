//! `POST /v1/track/{track_id}/variant`

use axum::extract::State;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use tonearm_domain::{Codec, JobId, RecipeError, RecipeKind, TrackId, VariantId, VariantIndex};
use tonearm_service::Library;
use utoipa::ToSchema;

use crate::error::{ApiError, ErrorBody};
use crate::extract::{Body, ManageKey, PathId, WholeNumber, required};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, VariantRecord};

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = track::add_variant::Fields)]
pub(crate) struct AddVariantBody {
    #[schema(required, value_type = VariantIndex)]
    index: Option<VariantIndex>,
    #[schema(required, value_type = AddableType)]
    variant_type_id: Option<AddableType>,
    #[schema(value_type = Option<LossyCodec>, default = "aac")]
    codec: Option<Codec>,
    /// In kbit/s.
    #[schema(minimum = 12, maximum = 320, default = 128)]
    #[serde(default, deserialize_with = "bitrate")]
    bitrate: Option<u16>,
    #[schema(default = true)]
    is_stereo: Option<bool>,
    #[schema(default = true)]
    is_strip_tags: Option<bool>,
    #[schema(default = true)]
    is_strip_cover: Option<bool>,
    /// In LUFS. Default: the loudness is not changed.
    #[schema(minimum = -70, maximum = -5)]
    loudness_target: Option<f64>,
    #[schema(default = "seconds")]
    preview_type: Option<PreviewType>,
    #[schema(minimum = 0.1, maximum = 86400, default = 60)]
    preview_seconds: Option<f64>,
    #[schema(minimum = 0, maximum = 100, default = 0)]
    preview_min_percent: Option<f64>,
    #[schema(minimum = 0.1, maximum = 100, default = 50)]
    preview_max_percent: Option<f64>,
    #[schema(minimum = 0, maximum = 100, default = 25)]
    preview_percent: Option<f64>,
    #[schema(minimum = 0, maximum = 86400, default = 0)]
    preview_min_seconds: Option<f64>,
    #[schema(minimum = 0.1, maximum = 86400, default = 90)]
    preview_max_seconds: Option<f64>,
    #[schema(minimum = 0, maximum = 100, default = 25)]
    preview_start_percent: Option<f64>,
}

fn bitrate<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u16>, D::Error> {
    let bitrate = |number: f64| {
        let whole = WholeNumber::try_from(number).ok().and_then(|number| u32::from(number).try_into().ok());
        whole.ok_or_else(|| D::Error::custom("must be a whole number from 12 to 320 (kbit/s)"))
    };
    Option::<f64>::deserialize(deserializer)?.map(bitrate).transpose()
}

/// The codecs of variants that are added to a track.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "only described; the domain's type is what is read")]
enum LossyCodec {
    Aac,
    Mp3,
    Ogg,
    Opus,
}

/// The types of variants that can be added to a track.
#[derive(Debug, Clone, Copy, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum AddableType {
    Transcode,
    Preview,
}

#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum PreviewType {
    #[default]
    Seconds,
    Percent,
}

impl AddVariantBody {
    fn into_recipe(self) -> Result<(VariantIndex, RecipeKind), ApiError> {
        let index = required("index", self.index.clone())?;
        let variant_type = required("variant_type_id", self.variant_type_id)?;
        if self.codec.is_some_and(Codec::is_lossless) {
            return Err(ApiError::invalid("codec", "must be one of aac, mp3, ogg, opus"));
        }
        self.check_bounds().map_err(|error| ApiError::invalid(error.field(), error))?;
        let kind = self.kind(variant_type)?;
        kind.validate().map_err(|error| ApiError::invalid(error.field(), error))?;
        Ok((index, kind))
    }

    /// Checks the bounds of every setting, including settings that this type of variant does not use.
    fn check_bounds(&self) -> Result<(), RecipeError> {
        let within = |most: f64, value: Option<f64>| value.is_none_or(|value| (0.0..=most).contains(&value));
        for (name, percent) in [
            ("preview_min_percent", self.preview_min_percent),
            ("preview_max_percent", self.preview_max_percent),
            ("preview_percent", self.preview_percent),
            ("preview_start_percent", self.preview_start_percent),
        ] {
            if !within(100.0, percent) {
                return Err(RecipeError::Percent(name));
            }
        }
        for (name, seconds) in [
            ("preview_seconds", self.preview_seconds),
            ("preview_min_seconds", self.preview_min_seconds),
            ("preview_max_seconds", self.preview_max_seconds),
        ] {
            if !within(86_400.0, seconds) {
                return Err(RecipeError::Seconds(name));
            }
        }
        Ok(())
    }

    /// Passes on only the settings that were sent, so that the others take the domain's defaults.
    fn kind(self, variant_type: AddableType) -> Result<RecipeKind, ApiError> {
        let mut settings = serde_json::json!({
            "variant_type_id": variant_type,
            "codec": self.codec,
            "bitrate": self.bitrate,
            "is_stereo": self.is_stereo,
            "is_strip_tags": self.is_strip_tags,
            "is_strip_cover": self.is_strip_cover,
            "loudness_target": self.loudness_target,
            "preview_type": self.preview_type.unwrap_or_default(),
            "preview_seconds": self.preview_seconds,
            "preview_min_percent": self.preview_min_percent,
            "preview_max_percent": self.preview_max_percent,
            "preview_percent": self.preview_percent,
            "preview_min_seconds": self.preview_min_seconds,
            "preview_max_seconds": self.preview_max_seconds,
            "preview_start_percent": self.preview_start_percent,
        });
        if let Some(given) = settings.as_object_mut() {
            given.retain(|_, value| !value.is_null());
        }
        serde_json::from_value(settings).map_err(|error| ApiError::invalid("variant", error))
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = track::add_variant::Added)]
pub(crate) struct Added {
    track_id: TrackId,
    variant_id: VariantId,
    job_id: JobId,
    variant: VariantRecord,
}

/// Adds a variant to a track and queues its rendering.
#[utoipa::path(
    post,
    path = "/track/{track_id}/variant",
    tag = "Variants",
    operation_id = "add_track_variant",
    params(("track_id" = TrackId, Path)),
    request_body(content = AddVariantBody, example = json!({ "index": "mobile", "variant_type_id": "transcode", "codec": "opus", "bitrate": 48 })),
    responses(
        (status = 200, body = Answer<Added>, description = "The variant, and the job that renders it."),
        (
            status = 409,
            body = ErrorBody,
            description = "A variant with this index already exists, the status of the track does not allow new variants, or the first request with this `Idempotency-Key` is still in progress.",
        ),
        (
            status = 422,
            body = ErrorBody,
            description = "The track has no source file yet, or the `Idempotency-Key` was used for a different request.",
        ),
    ),
    security(("api_key" = [])),
)]
pub(crate) async fn add_variant(
    ManageKey(caller): ManageKey,
    PathId(track_id): PathId<TrackId>,
    request: CurrentRequest,
    State(library): State<Library>,
    Body(body): Body<AddVariantBody>,
) -> Result<Answer<Added>, ApiError> {
    let (index, kind) = body.into_recipe()?;
    let (recipe, job_id) = library.add_variant(&caller, track_id, index, kind).await?;
    Ok(Answer::traced(request, Added { track_id, variant_id: recipe.id, job_id, variant: recipe.into() }))
}

#[cfg(test)]
mod tests {
    use tonearm_domain::{PreviewLength, Transcode};

    use super::*;

    fn recipe(json: &str) -> Result<RecipeKind, ApiError> {
        let body: AddVariantBody = serde_json::from_str(json).unwrap();
        body.into_recipe().map(|(_, kind)| kind)
    }

    #[test]
    fn what_is_left_out_takes_the_defaults() {
        let kind = recipe(r#"{"index":"my","variant_type_id":"transcode"}"#).unwrap();
        assert_eq!(kind, RecipeKind::Transcode(Transcode::default()));
        let kind = recipe(r#"{"index":"my","variant_type_id":"preview","codec":"opus"}"#).unwrap();
        let RecipeKind::Preview(preview) = kind else { panic!("{kind:?}") };
        assert_eq!(preview.transcode.codec, Codec::Opus);
        assert_eq!(preview.preview_start_percent, 25.0);
        let expected = PreviewLength::Seconds {
            preview_seconds: 60.0,
            preview_min_percent: 0.0,
            preview_max_percent: 50.0,
        };
        assert_eq!(preview.length, expected);
    }

    #[test]
    fn a_whole_number_may_be_spelled_with_a_fraction_of_nothing() {
        let bitrate = |text: &str| {
            let json = format!(r#"{{"index":"my","variant_type_id":"transcode","bitrate":{text}}}"#);
            serde_json::from_str::<AddVariantBody>(&json).ok().map(|body| body.bitrate)
        };
        assert_eq!(bitrate("128.0"), Some(Some(128)));
        assert_eq!(bitrate("1.28e2"), Some(Some(128)));
        assert_eq!(bitrate("null"), Some(None));
        for bad in ["128.5", "-1", "65536", "1e300", "\"128\""] {
            assert_eq!(bitrate(bad), None, "{bad}");
        }
    }

    #[test]
    fn the_field_at_fault_is_named() {
        for (json, field) in [
            (r#"{"variant_type_id":"transcode"}"#, "index"),
            (r#"{"index":"my"}"#, "variant_type_id"),
            (r#"{"index":"my","variant_type_id":"transcode","bitrate":11}"#, "bitrate"),
            (r#"{"index":"my","variant_type_id":"transcode","codec":"flac"}"#, "codec"),
            (
                r#"{"index":"my","variant_type_id":"preview","preview_start_percent":101}"#,
                "preview_start_percent",
            ),
            (
                r#"{"index":"my","variant_type_id":"transcode","preview_max_seconds":86401}"#,
                "preview_max_seconds",
            ),
        ] {
            assert_eq!(recipe(json).unwrap_err().field(), Some(field), "{json}");
        }
    }
}

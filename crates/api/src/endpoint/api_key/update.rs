//! `PUT /v1/api_key/{api_key_id}`

use axum::extract::State;
use serde::Deserialize;
use tonearm_domain::{
    AllowedOrigins, ApiKeyId, CollectionId, CreatorId, KeyType, PageOrigin, Patch, Selection, Text,
    Timestamp, TrackId, VariantIndex,
};
use tonearm_service::{FixedOfKey, Library, UpdateKey};
use utoipa::ToSchema;

use super::read::KeyResponse;
use crate::error::{ApiError, ErrorBody};
use crate::extract::{Body, ManageKey, PathId};
use crate::openapi::NotBlank;
use crate::request_id::CurrentRequest;
use crate::shapes::Answer;

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = api_key::update::Fields)]
pub(crate) struct UpdateKeyBody {
    /// What people recognize it by in the dashboard.
    #[serde(default)]
    #[schema(value_type = NotBlank<200>, required = false)]
    title: Patch<Text<200>>,
    /// Must be in the future; null for a key that does not expire.
    #[serde(default)]
    #[schema(value_type = Option<Timestamp>)]
    expires_at: Patch<Timestamp>,
    /// Whether what the key plays may also be saved.
    #[serde(default)]
    #[schema(value_type = Option<bool>)]
    is_downloadable: Patch<bool>,
    /// The variants that play sessions of this key may list: at least one, and exactly one for a share key. Null for all.
    #[serde(default)]
    #[schema(value_type = Option<Vec<VariantIndex>>)]
    variants: Patch<Vec<VariantIndex>>,
    /// The origins whose pages may use the key: 1 to 20, not for share keys. Null for all.
    #[serde(default)]
    #[schema(value_type = Option<Vec<PageOrigin>>)]
    allowed_origins: Patch<Vec<PageOrigin>>,
    /// Cannot be changed; only the value that the key has is accepted. The same applies to the fields below.
    #[serde(default)]
    #[schema(value_type = Option<KeyType>)]
    api_key_type_id: Patch<KeyType>,
    #[serde(default)]
    #[schema(value_type = Option<CollectionId>)]
    collection_id: Patch<CollectionId>,
    #[serde(default)]
    #[schema(value_type = Option<TrackId>)]
    track_id: Patch<TrackId>,
    #[serde(default)]
    #[schema(value_type = Option<CreatorId>)]
    creator_id: Patch<CreatorId>,
}

impl UpdateKeyBody {
    fn into_update(self) -> Result<UpdateKey, ApiError> {
        let variants = self.variants.given().map(Selection::from_list).transpose();
        let variants = variants.map_err(|error| ApiError::invalid("variants", error))?;
        let origins = self.allowed_origins.given().map(AllowedOrigins::from_list).transpose();
        let origins = origins.map_err(|error| ApiError::invalid("allowed_origins", error))?;
        Ok(UpdateKey {
            title: self.title.map(Into::into),
            expires_at: self.expires_at,
            is_downloadable: self.is_downloadable,
            variants: variants.map_or(Patch::Keep, Patch::Set),
            allowed_origins: origins.map_or(Patch::Keep, Patch::Set),
            fixed: FixedOfKey {
                key_type: self.api_key_type_id,
                collection_id: self.collection_id,
                track_id: self.track_id,
                creator_id: self.creator_id,
            },
        })
    }
}

/// Updates the title, the expiry and the permissions of a key.
///
/// A key can only receive permissions that the calling key has itself. Those of a key of type `api` can only be reduced. You can
/// send back a whole record as it was returned.
#[utoipa::path(
    put,
    path = "/api_key/{api_key_id}",
    tag = "API keys",
    operation_id = "update_api_key",
    params(("api_key_id" = ApiKeyId, Path)),
    request_body(content = UpdateKeyBody, example = json!({ "title": "Old web player", "is_downloadable": false })),
    responses(
        (status = 200, body = Answer<KeyResponse>, description = "The updated record of the key."),
        (status = 409, body = ErrorBody, description = "The key is revoked."),
    ),
    security(("api_key" = [])),
)]
pub(crate) async fn update(
    ManageKey(caller): ManageKey,
    PathId(api_key_id): PathId<ApiKeyId>,
    request: CurrentRequest,
    State(library): State<Library>,
    Body(body): Body<UpdateKeyBody>,
) -> Result<Answer<KeyResponse>, ApiError> {
    let api_key_record = library.update_key(&caller, api_key_id, body.into_update()?).await?.into();
    Ok(Answer::traced(request, KeyResponse { api_key_id, api_key_record }))
}

//! `POST /v1/api_key`

use axum::extract::State;
use serde::{Deserialize, Serialize};
use tonearm_domain::{
    AllowedOrigins, ApiKeyId, CollectionId, CreatorId, KeyScope, KeyType, PageOrigin, Selection, Text,
    Timestamp, TrackId, VariantIndex,
};
use tonearm_service::{CreateKey, CreatedKey, Library};
use utoipa::ToSchema;

use super::described::Described;
use crate::error::ApiError;
use crate::extract::{Body, ManageKey, required};
use crate::openapi::not_blank;
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, KeyRecord};

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = api_key::create::Fields)]
pub(crate) struct Fields {
    #[schema(required, schema_with = not_blank::<200>)]
    title: Option<Text<200>>,
    /// `player`, `uploader` or `share`. Keys of type `api` can only be created in the dashboard or on the command line.
    #[schema(required, value_type = KeyType)]
    api_key_type_id: Option<KeyType>,
    collection_id: Option<CollectionId>,
    /// Requires `collection_id`.
    track_id: Option<TrackId>,
    creator_id: Option<CreatorId>,
    /// The variants that play sessions of this key may list: at least one, and exactly one for a share key. Default: all.
    variants: Option<Vec<VariantIndex>>,
    #[schema(default = false)]
    is_downloadable: Option<bool>,
    /// The origins whose pages may use the key, such as `https://www.example.com`: 1 to 20, not for share keys. Default: all.
    /// Requests without an `Origin` header, such as those of servers, are always allowed.
    allowed_origins: Option<Vec<PageOrigin>>,
    /// Must be in the future.
    expires_at: Option<Timestamp>,
}

impl Fields {
    fn into_key(self) -> Result<CreateKey, ApiError> {
        let title = required("title", self.title)?.non_empty();
        Ok(CreateKey {
            title: title.map_err(|error| ApiError::invalid("title", error))?.into(),
            key_type: required("api_key_type_id", self.api_key_type_id)?,
            collection_id: self.collection_id,
            track_id: self.track_id,
            creator_id: self.creator_id,
            variants: Selection::from_list(self.variants)
                .map_err(|error| ApiError::invalid("variants", error))?,
            is_downloadable: self.is_downloadable.unwrap_or(false),
            allowed_origins: AllowedOrigins::from_list(self.allowed_origins)
                .map_err(|error| ApiError::invalid("allowed_origins", error))?,
            expires_at: self.expires_at,
        })
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = api_key::create::Created)]
pub(crate) struct Created {
    api_key_id: ApiKeyId,
    /// The full key, which is returned only once.
    api_key: String,
    api_key_record: KeyRecord,
    /// For a share key for one track: the link that plays it for anyone who has the link. Null for other keys.
    share_url: Option<String>,
}

/// Creates a key of type `player`, `uploader` or `share`. The full key is returned only once.
#[utoipa::path(
    post,
    path = "/api_key",
    tag = "API keys",
    operation_id = "create_api_key",
    request_body(
        content = Described,
        example = json!({ "title": "Web player", "api_key_type_id": "player", "is_downloadable": false }),
    ),
    responses((status = 200, body = Answer<Created>, description = "The key, which is returned only once.")),
    security(("api_key" = [])),
)]
pub(crate) async fn create(
    ManageKey(caller): ManageKey,
    request: CurrentRequest,
    State(library): State<Library>,
    Body(fields): Body<Fields>,
) -> Result<Answer<Created>, ApiError> {
    let CreatedKey { key, text } = library.create_key_by_key(&caller, fields.into_key()?).await?;
    let api_key = text.reveal().to_owned();
    let share_url = match key.scope {
        KeyScope::Track(_, track_id) if key.key_type == KeyType::Share => {
            Some(library.links().stream(track_id, &api_key))
        }
        _ => None,
    };
    Ok(Answer::traced(
        request,
        Created { api_key_id: key.id, api_key, api_key_record: key.into(), share_url },
    ))
}

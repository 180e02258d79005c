//! `POST /v1/api_key`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::{ApiKeyId, KeyScope, KeyType};
use tonearm_service::{CreatedKey, Library};
use utoipa::ToSchema;

use super::create_body::{CreateKeyBody, CreateKeySchema};
use crate::error::ApiError;
use crate::extract::{Body, ManageKey};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, KeyRecord};

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
        content = CreateKeySchema,
        example = json!({ "title": "Web player", "api_key_type_id": "player", "is_downloadable": false }),
    ),
    responses((status = 200, body = Answer<Created>, description = "The key, which is returned only once.")),
    security(("api_key" = [])),
)]
pub(crate) async fn create(
    ManageKey(caller): ManageKey,
    request: CurrentRequest,
    State(library): State<Library>,
    Body(body): Body<CreateKeyBody>,
) -> Result<Answer<Created>, ApiError> {
    let CreatedKey { key, text } = library.create_key_by_key(&caller, body.into_key()?).await?;
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

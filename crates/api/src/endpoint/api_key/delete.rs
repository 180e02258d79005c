//! `DELETE /v1/api_key/{api_key_id}`

use axum::extract::{FromRequestParts, State};
use http::request::Parts;
use serde::{Deserialize, Serialize};
use tonearm_domain::ApiKeyId;
use tonearm_service::{Library, MadeByKey};
use utoipa::ToSchema;

use crate::app::App;
use crate::error::ApiError;
use crate::extract::{ManageKey, PathId, query};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, KeyRecord};

/// Whether what the key made is revoked with it.
pub(crate) struct WithMade(bool);

#[derive(Debug, Deserialize)]
struct WithMadeText {
    revoke_made: Option<String>,
}

impl FromRequestParts<App> for WithMade {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &App) -> Result<Self, ApiError> {
        let text: WithMadeText = query(parts)?;
        match text.revoke_made.as_deref() {
            None | Some("false") => Ok(Self(false)),
            Some("true") => Ok(Self(true)),
            Some(_) => Err(ApiError::invalid("revoke_made", "must be true or false")),
        }
    }
}

/// How many things a key made that were still there.
#[derive(Serialize, ToSchema)]
#[schema(as = api_key::delete::Made)]
pub(crate) struct Made {
    api_keys: u64,
    signing_keys: u64,
    webhooks: u64,
    import_buckets: u64,
}

impl From<MadeByKey> for Made {
    fn from(MadeByKey { api_keys, signing_keys, webhooks, import_buckets }: MadeByKey) -> Self {
        Self { api_keys, signing_keys, webhooks, import_buckets }
    }
}

#[derive(Serialize, ToSchema)]
#[schema(as = api_key::delete::Deleted)]
pub(crate) struct Deleted {
    api_key_id: ApiKeyId,
    deleted_api_key: KeyRecord,
    /// What the key had made. Revoked with it if `revoke_made` is true; otherwise it is still there.
    made: Made,
}

/// Revokes a key. It stops working within two seconds on all nodes, and so do the play sessions and upload sessions that it
/// opened.
///
/// Its record is kept. Keys of type `api` can also be revoked, and each of them can revoke itself, even if it is limited to a
/// collection or a track.
///
/// With `revoke_made`, the keys, signing keys, webhooks and credentials for buckets that it made are revoked or removed, too. This
/// can also be requested later, for a key that is already revoked.
#[utoipa::path(
    delete,
    path = "/api_key/{api_key_id}",
    tag = "API keys",
    operation_id = "revoke_api_key",
    params(
        ("api_key_id" = ApiKeyId, Path),
        ("revoke_made" = Option<bool>, Query, description = "Whether to revoke what the key made, too. Default: false."),
    ),
    responses((status = 200, body = Answer<Deleted>, description = "The record of the revoked key.")),
    security(("api_key" = [])),
)]
pub(crate) async fn delete(
    ManageKey(caller): ManageKey,
    PathId(api_key_id): PathId<ApiKeyId>,
    WithMade(with_made): WithMade,
    request: CurrentRequest,
    State(library): State<Library>,
) -> Result<Answer<Deleted>, ApiError> {
    let (key, made) = if with_made {
        library.revoke_key_and_made(&caller, api_key_id).await?
    } else {
        let key = library.revoke_key(&caller, api_key_id).await?;
        let mut made = library.made_by_keys(&caller, &[api_key_id]).await?;
        (key, made.remove(&api_key_id).unwrap_or_default())
    };
    let deleted = Deleted { api_key_id, deleted_api_key: key.into(), made: made.into() };
    Ok(Answer::traced(request, deleted))
}

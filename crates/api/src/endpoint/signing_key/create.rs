//! `POST /v1/signing_key`

use axum::extract::State;
use serde::{Deserialize, Serialize};
use tonearm_domain::{ShortId, Text};
use tonearm_service::{CreatedSigningKey, SigningKeys};
use utoipa::ToSchema;

use crate::error::{ApiError, ErrorBody};
use crate::extract::{Body, ManageKey};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, SigningKeyRecord};

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = signing_key::create::Fields)]
pub(crate) struct CreateSigningKeyBody {
    title: Option<Text<1000>>,
}

#[derive(Serialize, ToSchema)]
#[schema(as = signing_key::create::Created)]
pub(crate) struct Created {
    signing_key_id: ShortId,
    signing_key: SigningKeyRecord,
    /// The key of the HMAC, used as text: 64 hex digits. It is returned only once.
    secret: String,
}

/// Creates a key with which your own backend signs delivery URLs. Its secret is returned only once.
///
/// Anyone who has the secret can sign URLs of all files of the organization. It can take up to ten seconds until the key
/// works on all nodes.
#[utoipa::path(
    post,
    path = "/signing_key",
    tag = "Signing keys",
    operation_id = "create_signing_key",
    request_body(content = CreateSigningKeyBody, example = json!({ "title": "Backend" })),
    responses(
        (status = 200, body = Answer<Created>, description = "The key and its secret, which is returned only once."),
        (
            status = 409,
            body = ErrorBody,
            description = "The organization has 100 signing keys that are not revoked, or the first request with this `Idempotency-Key` is still in progress.",
        ),
    ),
    security(("api_key" = [])),
)]
pub(crate) async fn create(
    ManageKey(caller): ManageKey,
    request: CurrentRequest,
    State(signing_keys): State<SigningKeys>,
    Body(body): Body<CreateSigningKeyBody>,
) -> Result<Answer<Created>, ApiError> {
    let title = body.title.map(String::from).unwrap_or_default();
    let CreatedSigningKey { key, secret } = signing_keys.create(&caller, &title).await?;
    Ok(Answer::traced(request, Created { signing_key_id: key.id, signing_key: key.into(), secret }))
}

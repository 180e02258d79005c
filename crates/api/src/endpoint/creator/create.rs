//! `POST /v1/creator`

use axum::extract::State;
use serde::Deserialize;
use tonearm_domain::{Metadata, Text};
use tonearm_service::{CreateCreator, Library};
use utoipa::ToSchema;

use super::read::CreatorResponse;
use crate::error::ApiError;
use crate::extract::{Body, ManageKey, required};
use crate::openapi::NotBlank;
use crate::request_id::CurrentRequest;
use crate::shapes::Answer;

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = creator::create::Fields)]
pub(crate) struct CreateCreatorBody {
    /// Your own id for the creator. It is never interpreted.
    #[schema(required, value_type = NotBlank<1000>)]
    organization_index: Option<Text<1000>>,
    metadata: Option<Metadata>,
}

/// Creates a creator.
#[utoipa::path(
    post,
    path = "/creator",
    tag = "Creators",
    operation_id = "create_creator",
    request_body(content = CreateCreatorBody, example = json!({ "organization_index": "artist-17", "metadata": { "name": "Ada" } })),
    responses((status = 200, body = Answer<CreatorResponse>, description = "The creator.")),
    security(("api_key" = [])),
)]
pub(crate) async fn create(
    ManageKey(caller): ManageKey,
    request: CurrentRequest,
    State(library): State<Library>,
    Body(body): Body<CreateCreatorBody>,
) -> Result<Answer<CreatorResponse>, ApiError> {
    let create = CreateCreator {
        organization_index: required("organization_index", body.organization_index)?.into(),
        metadata: body.metadata.unwrap_or_default(),
    };
    let creator = library.create_creator(&caller, create).await?;
    Ok(Answer::traced(request, CreatorResponse { creator_id: creator.id, creator: creator.into() }))
}

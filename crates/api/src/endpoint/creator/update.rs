//! `PUT /v1/creator/{creator_id}`

use axum::extract::State;
use serde::Deserialize;
use tonearm_domain::{CreatorId, Metadata, Patch, Text};
use tonearm_service::{Library, UpdateCreator};
use utoipa::ToSchema;

use super::read::CreatorResponse;
use crate::error::ApiError;
use crate::extract::{Body, ManageKey, PathId};
use crate::openapi::NotBlank;
use crate::request_id::CurrentRequest;
use crate::shapes::Answer;

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = creator::update::Fields)]
pub(crate) struct UpdateCreatorBody {
    /// Your own id for the creator. It is never interpreted.
    #[serde(default)]
    #[schema(value_type = NotBlank<1000>, required = false)]
    organization_index: Patch<Text<1000>>,
    #[serde(default)]
    #[schema(value_type = Option<Metadata>)]
    metadata: Patch<Metadata>,
}

/// Updates the given fields of a creator.
#[utoipa::path(
    put,
    path = "/creator/{creator_id}",
    tag = "Creators",
    operation_id = "update_creator",
    params(("creator_id" = CreatorId, Path)),
    request_body(content = UpdateCreatorBody, example = json!({ "metadata": { "name": "Ada L." } })),
    responses((status = 200, body = Answer<CreatorResponse>, description = "The updated creator.")),
    security(("api_key" = [])),
)]
pub(crate) async fn update(
    ManageKey(caller): ManageKey,
    PathId(creator_id): PathId<CreatorId>,
    request: CurrentRequest,
    State(library): State<Library>,
    Body(body): Body<UpdateCreatorBody>,
) -> Result<Answer<CreatorResponse>, ApiError> {
    let update = UpdateCreator {
        organization_index: body.organization_index.map(Into::into),
        metadata: body.metadata,
    };
    let creator = library.update_creator(&caller, creator_id, update).await?.into();
    Ok(Answer::traced(request, CreatorResponse { creator_id, creator }))
}

//! `POST /v1/creator`

use axum::extract::State;
use serde::Deserialize;
use tonearm_domain::{Metadata, Text};
use tonearm_service::{CreateCreator, Library};
use utoipa::ToSchema;

use super::read::Found;
use crate::error::ApiError;
use crate::extract::{Body, ManageKey, required};
use crate::openapi::not_blank;
use crate::request_id::CurrentRequest;
use crate::shapes::Answer;

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = creator::create::Fields)]
pub(crate) struct Fields {
    #[schema(required, schema_with = not_blank::<1000>)]
    organization_index: Option<Text<1000>>,
    metadata: Option<Metadata>,
}

/// Creates a creator.
#[utoipa::path(
    post,
    path = "/creator",
    tag = "Creators",
    operation_id = "create_creator",
    request_body(content = Fields, example = json!({ "organization_index": "artist-17", "metadata": { "name": "Ada" } })),
    responses((status = 200, body = Answer<Found>, description = "The creator.")),
    security(("api_key" = [])),
)]
pub(crate) async fn create(
    ManageKey(caller): ManageKey,
    request: CurrentRequest,
    State(library): State<Library>,
    Body(fields): Body<Fields>,
) -> Result<Answer<Found>, ApiError> {
    let create = CreateCreator {
        organization_index: required("organization_index", fields.organization_index)?.into(),
        metadata: fields.metadata.unwrap_or_default(),
    };
    let creator = library.create_creator(&caller, create).await?;
    Ok(Answer::traced(request, Found { creator_id: creator.id, creator: creator.into() }))
}

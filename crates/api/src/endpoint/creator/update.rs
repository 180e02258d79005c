//! `PUT /v1/creator/{creator_id}`

use axum::extract::State;
use serde::Deserialize;
use tonearm_domain::{CreatorId, Metadata, Patch, Text};
use tonearm_service::{Library, UpdateCreator};

use super::read::Found;
use crate::ApiError;
use crate::extract::{Body, ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::Answer;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Fields {
    organization_index: Patch<Text<1000>>,
    metadata: Patch<Metadata>,
}

/// Changes the fields that the body has.
pub(crate) async fn update(
    ManageKey(caller): ManageKey,
    PathId(creator_id): PathId<CreatorId>,
    request: CurrentRequest,
    State(library): State<Library>,
    Body(fields): Body<Fields>,
) -> Result<Answer<Found>, ApiError> {
    let update = UpdateCreator {
        organization_index: fields.organization_index.map(Into::into),
        metadata: fields.metadata,
    };
    let creator = library.update_creator(&caller, creator_id, update).await?.into();
    Ok(Answer::traced(request, Found { creator_id, creator }))
}

//! `DELETE /v1/organization/{organization_id}/cover`

use axum::extract::State;
use tonearm_domain::{CoverOwner, OrganizationId};
use tonearm_service::Library;

use super::read::OrganizationResponse;
use crate::error::ApiError;
use crate::extract::{ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::Answer;

/// Removes the cover of the organization.
#[utoipa::path(
    delete,
    path = "/organization/{organization_id}/cover",
    tag = "Organizations",
    operation_id = "remove_organization_cover",
    params(("organization_id" = OrganizationId, Path)),
    responses((status = 200, body = Answer<OrganizationResponse>, description = "The organization.")),
    security(("api_key" = [])),
)]
pub(crate) async fn remove_cover(
    ManageKey(caller): ManageKey,
    PathId(id): PathId<OrganizationId>,
    request: CurrentRequest,
    State(library): State<Library>,
) -> Result<Answer<OrganizationResponse>, ApiError> {
    // Refused for a key of another organization.
    library.organization(&caller, id).await?;
    library.reset_cover(&caller, CoverOwner::Organization).await?;
    Ok(Answer::traced(request, library.organization(&caller, id).await?.into()))
}

//! `GET /v1/organization/{organization_id}`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::OrganizationId;
use tonearm_service::{Library, OrganizationView};
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, OrganizationRecord};

/// The response to reading and updating an organization.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = organization::read::Found)]
pub(crate) struct OrganizationResponse {
    organization_id: OrganizationId,
    organization: OrganizationRecord,
}

impl From<OrganizationView> for OrganizationResponse {
    fn from(view: OrganizationView) -> Self {
        Self { organization_id: view.organization.id, organization: view.into() }
    }
}

/// Returns the organization of the key.
#[utoipa::path(
    get,
    path = "/organization/{organization_id}",
    tag = "Organizations",
    operation_id = "read_organization",
    params(("organization_id" = OrganizationId, Path)),
    responses((status = 200, body = Answer<OrganizationResponse>, description = "The organization.")),
    security(("api_key" = [])),
)]
pub(crate) async fn read(
    ManageKey(caller): ManageKey,
    PathId(id): PathId<OrganizationId>,
    request: CurrentRequest,
    State(library): State<Library>,
) -> Result<Answer<OrganizationResponse>, ApiError> {
    Ok(Answer::traced(request, library.organization(&caller, id).await?.into()))
}

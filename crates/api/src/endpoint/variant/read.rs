//! `GET /v1/variant/{variant_id}`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::VariantId;
use tonearm_service::Library;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, VariantRecord};

/// The response to creating, reading and updating a recipe.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = variant::read::Found)]
pub(crate) struct VariantResponse {
    pub(super) variant_id: VariantId,
    pub(super) variant: VariantRecord,
}

/// Returns a recipe of the organization or of a track.
#[utoipa::path(
    get,
    path = "/variant/{variant_id}",
    tag = "Variants",
    operation_id = "read_variant",
    params(("variant_id" = VariantId, Path)),
    responses((status = 200, body = Answer<VariantResponse>, description = "The recipe.")),
    security(("api_key" = [])),
)]
pub(crate) async fn read(
    ManageKey(caller): ManageKey,
    PathId(variant_id): PathId<VariantId>,
    request: CurrentRequest,
    State(library): State<Library>,
) -> Result<Answer<VariantResponse>, ApiError> {
    let variant = library.variant(&caller, variant_id).await?.into();
    Ok(Answer::traced(request, VariantResponse { variant_id, variant }))
}

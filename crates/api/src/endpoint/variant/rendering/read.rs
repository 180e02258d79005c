//! `GET /v1/variant/{variant_id}/rendering`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::VariantId;
use tonearm_service::Library;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, RenderingRecord};

/// The response to starting and reading a rendering.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = variant::rendering::Found)]
pub(crate) struct RenderingResponse {
    pub(super) variant_id: VariantId,
    pub(super) rendering: RenderingRecord,
}

/// Returns the progress of the latest rendering of a recipe for existing tracks.
///
/// If there was none, the response is 404 with the code `rendering_not_found`.
#[utoipa::path(
    get,
    path = "/variant/{variant_id}/rendering",
    tag = "Variants",
    operation_id = "read_rendering",
    params(("variant_id" = VariantId, Path)),
    responses((status = 200, body = Answer<RenderingResponse>, description = "The progress of the rendering.")),
    security(("api_key" = [])),
)]
pub(crate) async fn read(
    ManageKey(caller): ManageKey,
    PathId(variant_id): PathId<VariantId>,
    request: CurrentRequest,
    State(library): State<Library>,
) -> Result<Answer<RenderingResponse>, ApiError> {
    let rendering = library.rendering(&caller, variant_id).await?.into();
    Ok(Answer::traced(request, RenderingResponse { variant_id, rendering }))
}

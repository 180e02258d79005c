//! `POST /v1/variant/{variant_id}/rendering`

use axum::extract::State;
use tonearm_domain::VariantId;
use tonearm_service::Library;

use super::read::RenderingResponse;
use crate::error::ApiError;
use crate::extract::{ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::Answer;

/// Renders a recipe in the background for existing tracks whose file is missing, failed, or was made with other settings.
///
/// The tracks stay playable. A rendering of the same recipe that is in progress starts over.
#[utoipa::path(
    post,
    path = "/variant/{variant_id}/rendering",
    tag = "Variants",
    operation_id = "create_rendering",
    params(("variant_id" = VariantId, Path)),
    responses((status = 200, body = Answer<RenderingResponse>, description = "The rendering, which has started.")),
    security(("api_key" = [])),
)]
pub(crate) async fn create(
    ManageKey(caller): ManageKey,
    PathId(variant_id): PathId<VariantId>,
    request: CurrentRequest,
    State(library): State<Library>,
) -> Result<Answer<RenderingResponse>, ApiError> {
    let rendering = library.render_existing(&caller, variant_id).await?.into();
    Ok(Answer::traced(request, RenderingResponse { variant_id, rendering }))
}

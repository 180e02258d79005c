//! `DELETE /v1/variant/{variant_id}`

use axum::extract::State;
use serde::Serialize;
use tonearm_domain::VariantId;
use tonearm_service::Library;
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{ManageKey, PathId};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, VariantRecord};

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = variant::delete::Deleted)]
pub(crate) struct Deleted {
    variant_id: VariantId,
    deleted_variant: VariantRecord,
}

/// Removes a recipe of the organization with its files.
///
/// This takes effect immediately: the name is free, and players no longer find the files, which are removed in the
/// background. Keys no longer list the variant.
#[utoipa::path(
    delete,
    path = "/variant/{variant_id}",
    tag = "Variants",
    operation_id = "delete_variant",
    params(("variant_id" = VariantId, Path)),
    responses((status = 200, body = Answer<Deleted>, description = "The removed recipe.")),
    security(("api_key" = [])),
)]
pub(crate) async fn delete(
    ManageKey(caller): ManageKey,
    PathId(variant_id): PathId<VariantId>,
    request: CurrentRequest,
    State(library): State<Library>,
) -> Result<Answer<Deleted>, ApiError> {
    let deleted_variant = library.remove_recipe(&caller, variant_id).await?.into();
    Ok(Answer::traced(request, Deleted { variant_id, deleted_variant }))
}

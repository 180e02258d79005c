//! `GET /v1/variant`

use axum::extract::State;
use serde::Serialize;
use tonearm_service::Library;

use crate::ApiError;
use crate::extract::ManageKey;
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, VariantRecord};

#[derive(Debug, Serialize)]
pub(crate) struct Listed {
    count: usize,
    variants: Vec<VariantRecord>,
}

/// The organization's recipes, in order; there are few, so all of them.
pub(crate) async fn list(
    ManageKey(caller): ManageKey,
    request: CurrentRequest,
    State(library): State<Library>,
) -> Result<Answer<Listed>, ApiError> {
    let recipes = library.variants(&caller).await?;
    let variants: Vec<VariantRecord> = recipes.into_iter().map(Into::into).collect();
    Ok(Answer::traced(request, Listed { count: variants.len(), variants }))
}

//! `GET /v1/creator`

use axum::extract::State;
use serde::Serialize;
use tonearm_service::Library;

use crate::ApiError;
use crate::extract::{ManageKey, Paged};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, CreatorRecord};

#[derive(Debug, Serialize)]
pub(crate) struct Listed {
    /// How many there are in all, whatever the page.
    count: u64,
    creators: Vec<CreatorRecord>,
}

/// A page of the creators in the key's reach.
pub(crate) async fn list(
    ManageKey(caller): ManageKey,
    Paged(page): Paged,
    request: CurrentRequest,
    State(library): State<Library>,
) -> Result<Answer<Listed>, ApiError> {
    let (count, creators) = library.creators(&caller, page).await?;
    let creators = creators.into_iter().map(Into::into).collect();
    Ok(Answer::traced(request, Listed { count, creators }))
}

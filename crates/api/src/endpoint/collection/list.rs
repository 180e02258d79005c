//! `GET /v1/collection`

use axum::extract::State;
use serde::Serialize;
use tonearm_service::Library;

use crate::ApiError;
use crate::extract::{ManageKey, Paged};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, CollectionRecord};

#[derive(Debug, Serialize)]
pub(crate) struct Listed {
    /// How many there are in all, whatever the page.
    count: u64,
    collections: Vec<CollectionRecord>,
}

/// A page of the collections in the key's reach.
pub(crate) async fn list(
    ManageKey(caller): ManageKey,
    Paged(page): Paged,
    request: CurrentRequest,
    State(library): State<Library>,
) -> Result<Answer<Listed>, ApiError> {
    let (count, collections) = library.collections(&caller, page).await?;
    let collections = collections.into_iter().map(Into::into).collect();
    Ok(Answer::traced(request, Listed { count, collections }))
}

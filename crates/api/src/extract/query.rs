//! The query of a request.

use axum::extract::Query;
use http::StatusCode;
use http::request::Parts;
use serde::de::DeserializeOwned;

use crate::error::ApiError;

/// Its parameters, best as text: what is wrong with one of them can then be told with its name.
pub(crate) fn query<T: DeserializeOwned>(parts: &Parts) -> Result<T, ApiError> {
    let read = Query::try_from_uri(&parts.uri).map(|Query(parameters)| parameters);
    read.map_err(|_| ApiError::new(StatusCode::BAD_REQUEST, "invalid_parameter", "the query is malformed"))
}

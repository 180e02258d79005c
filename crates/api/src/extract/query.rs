//! The query parameters of a request.

use axum::extract::Query;
use http::StatusCode;
use http::request::Parts;
use serde::de::DeserializeOwned;
use tonearm_domain::ErrorCode;

use crate::error::ApiError;

/// The parameters, best read as text, so that an error about a value can name its parameter.
pub(crate) fn query<T: DeserializeOwned>(parts: &Parts) -> Result<T, ApiError> {
    let read = Query::try_from_uri(&parts.uri).map(|Query(parameters)| parameters);
    read.map_err(|_| {
        ApiError::new(StatusCode::BAD_REQUEST, ErrorCode::InvalidParameter, "the query is malformed")
    })
}

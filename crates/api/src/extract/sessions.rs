//! Pages of sessions.

use axum::extract::FromRequestParts;
use http::request::Parts;
use serde::Deserialize;
use tonearm_domain::SessionHandle;
use tonearm_service::SessionPage;
use utoipa::IntoParams;

use super::page::ListQuery;
use super::query;
use crate::error::ApiError;

/// A page of sessions, with one row more than requested, which tells whether more follow.
pub(crate) struct Sessions(pub(crate) SessionPage);

/// All as text, so that an error about a value can name its parameter.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct SessionsText {
    /// Maximum number of results. Default: 50.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 200, default = 50)]
    limit: Option<String>,
    /// Empty for the first page, which is also the default, then the `next_cursor` of the previous page.
    #[param(required = false)]
    cursor: Option<String>,
}

impl Sessions {
    /// The rows of the page, and the cursor of the next one.
    pub(crate) fn cut<T>(
        &self,
        mut rows: Vec<T>,
        handle: impl Fn(&T) -> Option<SessionHandle>,
    ) -> (Vec<T>, Option<SessionHandle>) {
        let has_more = rows.len() as u64 == self.0.limit;
        if has_more {
            rows.pop();
        }
        let next = rows.last().filter(|_| has_more).and_then(handle);
        (rows, next)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Sessions {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let text: SessionsText = query(parts)?;
        let limit = ListQuery::of_limit(text.limit).parse()?.limit() + 1;
        let cursor = text.cursor.as_deref().filter(|cursor| !cursor.is_empty()).map(str::parse).transpose();
        let not_ours = "must be empty, or the `next_cursor` of a previous page";
        let before = cursor.map_err(|_| ApiError::invalid("cursor", not_ours))?;
        Ok(Self(SessionPage { before, limit }))
    }
}

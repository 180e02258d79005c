//! `limit` and `offset` of lists.

use axum::extract::FromRequestParts;
use http::request::Parts;
use serde::Deserialize;
use tonearm_domain::{LimitError, LimitOffset};
use utoipa::IntoParams;

use super::query;
use crate::error::ApiError;

/// The page of a list that a query requests.
pub(crate) struct Paged(pub(crate) LimitOffset);

/// The query of every list. Both are read as text, so that a value that is not a number gets the same error as one out of
/// bounds, and not the error of the query parser.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct ListQuery {
    /// Maximum number of results. Default: 50.
    #[param(value_type = Option<u32>, minimum = 1, maximum = 200, default = 50)]
    limit: Option<String>,
    /// Number of results to skip. Default: 0.
    #[param(value_type = Option<i64>, minimum = 0, default = 0)]
    offset: Option<String>,
}

impl ListQuery {
    fn page(&self) -> Result<LimitOffset, LimitError> {
        let number =
            |text: &Option<String>, error| text.as_deref().map(str::parse).transpose().map_err(|_| error);
        let limit = number(&self.limit, LimitError::Limit)?;
        let offset = number(&self.offset, LimitError::Offset)?;
        LimitOffset::new(limit, offset)
    }

    /// The page, or the error in the parameters.
    pub(super) fn parse(&self) -> Result<LimitOffset, ApiError> {
        self.page().map_err(|error| {
            let field = match error {
                LimitError::Offset => "offset",
                _ => "limit",
            };
            ApiError::invalid(field, error)
        })
    }

    /// For a list that has no offset.
    pub(super) const fn of_limit(limit: Option<String>) -> Self {
        Self { limit, offset: None }
    }

    pub(super) const fn has_offset(&self) -> bool {
        self.offset.is_some()
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Paged {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let list: ListQuery = query(parts)?;
        list.parse().map(Self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_have_bounds() {
        let page = |limit: Option<&str>, offset: Option<&str>| {
            let query = ListQuery { limit: limit.map(str::to_owned), offset: offset.map(str::to_owned) };
            query.page().map(|page| (page.limit(), page.offset()))
        };
        assert_eq!(page(None, None), Ok((50, 0)));
        assert_eq!(page(Some("200"), Some("7")), Ok((200, 7)));
        for bad in ["", "0", "201", "-1", "1.5", "ten", "99999999999999999999"] {
            assert_eq!(page(Some(bad), None), Err(LimitError::Limit), "{bad}");
        }
        for bad in ["", "-1", "x", "99999999999999999999"] {
            assert_eq!(page(None, Some(bad)), Err(LimitError::Offset), "{bad}");
        }
    }
}

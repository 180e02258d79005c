//! `limit` and `offset` of lists.

use axum::extract::FromRequestParts;
use http::request::Parts;
use serde::Deserialize;
use tonearm_domain::{LimitError, Page};

use super::query;
use crate::ApiError;

/// The window of a list that a query asks for.
pub(crate) struct Paged(pub(crate) Page);

/// Both as text, so that what is no number is told apart from what is out of bounds here and not by the query parser.
#[derive(Debug, Deserialize)]
struct Window {
    limit: Option<String>,
    offset: Option<String>,
}

impl Window {
    fn page(&self) -> Result<Page, LimitError> {
        let number =
            |text: &Option<String>, error| text.as_deref().map(str::parse).transpose().map_err(|_| error);
        let limit = number(&self.limit, LimitError::Limit)?;
        let offset = number(&self.offset, LimitError::Offset)?;
        Page::new(limit, offset)
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Paged {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let window: Window = query(parts)?;
        window.page().map(Self).map_err(|error| {
            let field = match error {
                LimitError::Offset => "offset",
                _ => "limit",
            };
            ApiError::invalid(field, error)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_have_bounds() {
        let page = |limit: Option<&str>, offset: Option<&str>| {
            let window = Window { limit: limit.map(str::to_owned), offset: offset.map(str::to_owned) };
            window.page().map(|page| (page.limit(), page.offset()))
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

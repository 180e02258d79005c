//! `limit`, and `offset` or `cursor`, of lists.

use axum::extract::FromRequestParts;
use http::request::Parts;
use serde::Deserialize;
use tonearm_domain::{LimitOffset, ListPosition, ListWindow};
use utoipa::IntoParams;

use super::cursor::ListIdentity;
use super::page::ListQuery;
use super::query;
use crate::error::ApiError;

/// The part of a list that a query requests, by offset or by cursor.
pub(crate) struct Windowed {
    window: ListWindow,
    list: ListIdentity,
}

/// The cursor of the next page, for the response. It is omitted if the list was not requested by cursor.
pub(crate) type NextCursor = Option<Option<String>>;

/// The query of a list that can be read by cursor. Also for the description.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct CursorQuery {
    /// Reads the list page by page: empty for the first page, then the `next_cursor` of the page before. Cannot be
    /// combined with `offset`.
    #[param(required = false)]
    cursor: Option<String>,
}

impl Windowed {
    /// The requested part of the list.
    pub(crate) fn window(&self) -> ListWindow {
        self.window.clone()
    }

    /// The cursor of the next page, if the list is read by cursor.
    pub(crate) fn next(&self, position: Option<&ListPosition>) -> NextCursor {
        match self.window {
            ListWindow::Offset(_) => None,
            ListWindow::After { .. } => Some(position.map(|position| self.list.write(position))),
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Windowed {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let page: ListQuery = query(parts)?;
        let list = ListIdentity::of(parts)?;
        let CursorQuery { cursor } = query(parts)?;
        let Some(cursor) = cursor else {
            return Ok(Self { window: ListWindow::Offset(page.parse()?), list });
        };
        if page.has_offset() {
            return Err(ApiError::invalid("cursor", "cannot be combined with offset; send only one of them"));
        }
        let window = after(&list, &cursor, page.parse()?)?;
        Ok(Self { window, list })
    }
}

/// The page after a cursor. An empty cursor is for the first page.
pub(super) fn after(list: &ListIdentity, cursor: &str, page: LimitOffset) -> Result<ListWindow, ApiError> {
    let position = if cursor.is_empty() { None } else { Some(list.read(cursor)?) };
    Ok(ListWindow::After { position, limit: page.limit() })
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    async fn parsed(path: &str) -> Result<Windowed, ApiError> {
        let (mut parts, ()) = Request::get(path).body(()).unwrap().into_parts();
        Windowed::from_request_parts(&mut parts, &()).await
    }

    #[tokio::test]
    async fn a_cursor_is_only_answered_where_one_was_asked_for() {
        let position = ListPosition::of_id(uuid::Uuid::from_u128(1));
        let by_offset = parsed("/track?offset=3").await.ok().unwrap();
        assert_eq!(by_offset.next(Some(&position)), None);
        let by_cursor = parsed("/track?cursor=&limit=3").await.ok().unwrap();
        assert_eq!(by_cursor.window(), ListWindow::After { position: None, limit: 3 });
        assert_eq!(by_cursor.next(None), Some(None));
        let next = by_cursor.next(Some(&position)).flatten().unwrap();
        let next = parsed(&format!("/track?cursor={next}")).await.ok().unwrap();
        assert_eq!(next.window(), ListWindow::After { position: Some(position), limit: 50 });
    }

    #[tokio::test]
    async fn one_way_is_asked_for_at_a_time() {
        for (path, field) in [
            ("/track?cursor=&offset=0", "cursor"),
            ("/track?cursor=x", "cursor"),
            ("/track?cursor=&limit=0", "limit"),
            ("/track?offset=x", "offset"),
        ] {
            assert_eq!(parsed(path).await.err().unwrap().field(), Some(field), "{path}");
        }
    }
}

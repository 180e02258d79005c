//! Keyset pagination: the cursor in the address of a list, and the links to the pages before and after a page.

use std::str::FromStr;

use serde::Deserialize;
use tonearm_domain::{Cursor, Page};

/// The row after which a page begins, or before which it ends. A value that is not an id counts as missing.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct CursorQuery {
    #[serde(default)]
    after: String,
    #[serde(default)]
    before: String,
}

impl CursorQuery {
    /// Where the page begins; at the first row if neither parameter has an id.
    pub(crate) fn cursor<Id: FromStr>(&self) -> Cursor<Id> {
        match (self.after.parse(), self.before.parse()) {
            (Ok(id), _) => Cursor::After(id),
            (_, Ok(id)) => Cursor::Before(id),
            _ => Cursor::First,
        }
    }
}

/// The queries of the pages before and after a page, without the question mark; `None` at an end of the list.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct PageLinks {
    pub(crate) before: Option<String>,
    pub(crate) after: Option<String>,
}

impl PageLinks {
    /// Calls `query` with the direction, `before` or `after`, and the row at that end of the page.
    pub(crate) fn of<T>(page: &Page<T>, query: impl Fn(&'static str, &T) -> String) -> Self {
        let link = |direction, row: Option<&T>| row.map(|row| query(direction, row));
        Self {
            before: link("before", page.rows.first().filter(|_| page.has_before)),
            after: link("after", page.rows.last().filter(|_| page.has_after)),
        }
    }

    /// Whether the page is the whole list.
    pub(crate) fn is_empty(&self) -> bool {
        self.before.is_none() && self.after.is_none()
    }
}

/// A query of the parameters that have a value.
pub(crate) fn query_string(parameters: &[(&str, &str)]) -> String {
    let given: Vec<_> = parameters.iter().filter(|(_, value)| !value.is_empty()).collect();
    serde_urlencoded::to_string(given).unwrap_or_default()
}

/// Shortens rows to a page of `limit` rows. One row beyond the page means that there are older rows: in that case,
/// returns the last row of the page, after which the next page begins.
pub(crate) fn cut_to_page<T>(rows: &mut Vec<T>, limit: usize) -> Option<&T> {
    let has_older = rows.len() > limit;
    rows.truncate(limit);
    rows.last().filter(|_| has_older)
}

#[cfg(test)]
mod tests {
    use tonearm_domain::Total;

    use super::*;

    #[test]
    fn only_ids_are_cursors() {
        let cursor = |after: &str, before: &str| {
            CursorQuery { after: after.to_owned(), before: before.to_owned() }.cursor::<u32>()
        };
        assert_eq!(cursor("1", "2"), Cursor::After(1));
        assert_eq!(cursor("x", "2"), Cursor::Before(2));
        assert_eq!(cursor("", "x"), Cursor::First);
    }

    #[test]
    fn links_lead_from_the_ends_of_a_page() {
        let links = |has_before, has_after| {
            let page = Page { rows: vec![1, 2, 3], has_before, has_after, total: Total::Exactly(9) };
            PageLinks::of(&page, |direction, row| {
                query_string(&[("q", "a&b"), ("sort", ""), (direction, &row.to_string())])
            })
        };
        let (before, after) = (Some("q=a%26b&before=1".to_owned()), Some("q=a%26b&after=3".to_owned()));
        assert_eq!(links(true, true), PageLinks { before, after: after.clone() });
        assert_eq!(links(false, true), PageLinks { before: None, after });
        assert!(links(false, false).is_empty());
    }

    #[test]
    fn a_full_page_is_the_last_one_unless_there_are_more_rows() {
        let mut rows = vec![3, 2, 1];
        assert_eq!(cut_to_page(&mut rows, 3), None);
        assert_eq!(cut_to_page(&mut rows, 2), Some(&2));
        assert_eq!(rows, [3, 2]);
        assert_eq!(cut_to_page(&mut Vec::<u32>::new(), 2), None);
    }
}

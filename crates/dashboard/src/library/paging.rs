//! The query parameters of lists: search words, an order, and a cursor.

use std::str::FromStr;

use serde::Deserialize;
use tonearm_domain::{CollectionSort, Page, PageQuery, SearchWords, Total, TrackSort};

use crate::form::Choice;
use crate::paging::{CursorQuery, PageLinks, query_string};
use crate::text::{Message, t};

/// The requested page of a list. Invalid values count as missing.
#[derive(Debug, Default, Deserialize)]
pub(super) struct ListQuery {
    #[serde(default)]
    q: String,
    #[serde(default)]
    sort: String,
    #[serde(flatten)]
    cursor: CursorQuery,
}

/// The controls around a list: search, order, total and page links.
pub(super) struct Paging {
    pub(super) q: String,
    pub(super) is_search: bool,
    pub(super) choices: Vec<Choice>,
    pub(super) total: Message,
    pub(super) links: PageLinks,
}

/// An order that people can choose.
pub(super) trait Sort: Copy + Default + Eq + FromStr {
    /// Every order with its name in addresses and the message that names it.
    fn named() -> Vec<(Self, &'static str, &'static str)>;
}

impl Sort for TrackSort {
    fn named() -> Vec<(Self, &'static str, &'static str)> {
        let label = |sort| match sort {
            Self::Order => "library-sort-order",
            Self::Title => "library-title",
            Self::Newest => "library-sort-newest",
            Self::Longest => "library-sort-longest",
            Self::Status => "library-sort-status",
        };
        Self::ALL.map(|sort| (sort, sort.as_str(), label(sort))).to_vec()
    }
}

impl Sort for CollectionSort {
    fn named() -> Vec<(Self, &'static str, &'static str)> {
        let label = |sort| match sort {
            Self::Oldest => "library-sort-oldest",
            Self::Newest => "library-sort-newest",
            Self::Title => "library-title",
        };
        Self::ALL.map(|sort| (sort, sort.as_str(), label(sort))).to_vec()
    }
}

impl Paging {
    /// The search parameter alone, for another list's address.
    pub(super) fn query(&self) -> String {
        serde_urlencoded::to_string([("q", &self.q)]).unwrap_or_default()
    }
}

impl ListQuery {
    /// The query for the page.
    pub(super) fn page_query<S: Sort, Id: FromStr>(&self, limit: u32) -> PageQuery<S, Id> {
        PageQuery {
            words: SearchWords::parse(&self.q),
            sort: self.sort.parse().unwrap_or_default(),
            cursor: self.cursor.cursor(),
            limit,
        }
    }

    /// The controls around the page. `offered` are the orders available here; `rows` is the type of its rows.
    pub(super) fn paging<S: Sort, Id, T>(
        &self,
        query: &PageQuery<S, Id>,
        page: &Page<T>,
        offered: impl Fn(S) -> bool,
        (rows, id): (Rows, impl Fn(&T) -> String),
    ) -> Paging {
        let is_search = query.words.is_some();
        let chosen = S::named().into_iter().filter(|(sort, ..)| offered(*sort));
        let choices =
            chosen.map(|(sort, value, label)| Choice::new(value, t(label).to_string(), sort == query.sort));
        let sort = S::named().into_iter().find(|(sort, ..)| *sort == query.sort && *sort != S::default());
        let words = if is_search { self.q.as_str() } else { "" };
        let sort = sort.map(|(_, value, _)| value).unwrap_or_default();
        Paging {
            q: self.q.clone(),
            is_search,
            choices: choices.collect(),
            total: rows.count_message(page.total, is_search),
            links: PageLinks::of(page, |direction, row| {
                query_string(&[("q", words), ("sort", sort), (direction, &id(row))])
            }),
        }
    }
}

/// The type of rows in a list.
#[derive(Debug, Clone, Copy)]
pub(super) enum Rows {
    /// Collections.
    Collections,
    /// Tracks.
    Tracks,
}

impl Rows {
    /// The message with the number of rows, in total or found.
    pub(super) fn count_message(self, total: Total, is_search: bool) -> Message {
        let (is_exact, count) = match total {
            Total::Exactly(number) => (true, number),
            Total::MoreThan(number) => (false, number),
        };
        let id = match (self, is_search, is_exact) {
            (Self::Collections, false, true) => "library-collections",
            (Self::Collections, false, false) => "library-more-collections",
            (Self::Collections, true, true) => "library-found-collections",
            (Self::Collections, true, false) => "library-found-more-collections",
            (Self::Tracks, false, true) => "common-count-tracks",
            (Self::Tracks, false, false) => "library-more-tracks",
            (Self::Tracks, true, true) => "library-found-tracks",
            (Self::Tracks, true, false) => "library-found-more-tracks",
        };
        t(id).with("count", count)
    }
}

#[cfg(test)]
mod tests {
    use tonearm_domain::{Cursor, Language, TrackId};

    use super::*;
    use crate::text::in_language;

    #[test]
    fn totals_are_texts() {
        let text = |total, is_search| Rows::Tracks.count_message(total, is_search).to_string();
        assert_eq!(text(Total::Exactly(1), false), "1 track");
        assert_eq!(text(Total::Exactly(0), true), "0 tracks found");
        assert_eq!(text(Total::MoreThan(1000), true), "more than 1\u{202f}000 tracks found");
        let one = || Rows::Collections.count_message(Total::Exactly(1), true).to_string();
        let found = Language::ALL.map(|language| in_language(language, one));
        let expected =
            ["1 collection found", "1 Sammlung gefunden", "1 collection trouvée", "1 colección encontrada"];
        assert_eq!(found, expected);
    }

    #[test]
    fn nonsense_counts_as_missing() {
        let list: ListQuery = serde_urlencoded::from_str("sort=wild&after=x&before=1&q=+").unwrap();
        let query = list.page_query::<TrackSort, TrackId>(5);
        assert_eq!((query.sort, query.cursor, query.words), (TrackSort::Order, Cursor::First, None));
    }
}

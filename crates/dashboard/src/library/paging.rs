//! What addresses of lists carry: words, an order, and from which row on.

use std::str::FromStr;

use serde::Deserialize;
use tonearm_domain::{CollectionSort, Cursor, Page, PageQuery, SearchWords, Total, TrackSort};

use crate::amount::count;
use crate::form::Choice;

/// Which page of a list somebody asks for. What makes no sense counts as not said.
#[derive(Debug, Default, Deserialize)]
pub(super) struct ListQuery {
    #[serde(default)]
    q: String,
    #[serde(default)]
    sort: String,
    #[serde(default)]
    after: String,
    #[serde(default)]
    before: String,
}

/// What is around a list: the search, the order, how many there are, and the way on.
pub(super) struct Paging {
    pub(super) q: String,
    pub(super) is_search: bool,
    pub(super) choices: Vec<Choice>,
    pub(super) total: String,
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
}

/// An order as people choose it.
pub(super) trait Sort: Copy + Default + Eq + FromStr {
    /// Every order with its name.
    fn named() -> Vec<(Self, &'static str, &'static str)>;
}

impl Sort for TrackSort {
    fn named() -> Vec<(Self, &'static str, &'static str)> {
        let label = |sort| match sort {
            Self::Order => "Manual order",
            Self::Title => "Title",
            Self::Newest => "Newest first",
            Self::Longest => "Longest first",
            Self::Status => "Status",
        };
        Self::ALL.map(|sort| (sort, sort.as_str(), label(sort))).to_vec()
    }
}

impl Sort for CollectionSort {
    fn named() -> Vec<(Self, &'static str, &'static str)> {
        let label = |sort| match sort {
            Self::Oldest => "Oldest first",
            Self::Newest => "Newest first",
            Self::Title => "Title",
        };
        Self::ALL.map(|sort| (sort, sort.as_str(), label(sort))).to_vec()
    }
}

impl Paging {
    /// The search alone, for another list's address.
    pub(super) fn query(&self) -> String {
        serde_urlencoded::to_string([("q", &self.q)]).unwrap_or_default()
    }
}

impl ListQuery {
    /// The page.
    pub(super) fn page_query<S: Sort, Id: FromStr>(&self, limit: u32) -> PageQuery<S, Id> {
        let cursor = match (self.after.parse(), self.before.parse()) {
            (Ok(id), _) => Cursor::After(id),
            (_, Ok(id)) => Cursor::Before(id),
            _ => Cursor::First,
        };
        PageQuery {
            words: SearchWords::parse(&self.q),
            sort: self.sort.parse().unwrap_or_default(),
            cursor,
            limit,
        }
    }

    /// What is around the page. `offered` are the orders that make sense here, `noun` says what the rows are.
    pub(super) fn paging<S: Sort, Id, T>(
        &self,
        query: &PageQuery<S, Id>,
        page: &Page<T>,
        offered: impl Fn(S) -> bool,
        (noun, id): (&str, impl Fn(&T) -> String),
    ) -> Paging {
        let is_search = query.words.is_some();
        let chosen = S::named().into_iter().filter(|(sort, ..)| offered(*sort));
        let choices = chosen.map(|(sort, value, label)| Choice::new(value, label, sort == query.sort));
        let sort = S::named().into_iter().find(|(sort, ..)| *sort == query.sort && *sort != S::default());
        let to = |name: &'static str, row: Option<&T>| {
            let q = Some(("q", self.q.as_str())).filter(|_| is_search);
            let sort = sort.map(|(_, value, _)| ("sort", value));
            let id = id(row?);
            let pairs: Vec<(&str, &str)> = q.into_iter().chain(sort).chain([(name, id.as_str())]).collect();
            serde_urlencoded::to_string(pairs).ok()
        };
        Paging {
            q: self.q.clone(),
            is_search,
            choices: choices.collect(),
            total: said(page.total, noun, is_search),
            before: if page.has_before { to("before", page.rows.first()) } else { None },
            after: if page.has_after { to("after", page.rows.last()) } else { None },
        }
    }
}

/// A number with its noun.
pub(super) fn number_of(number: u64, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{} {noun}s", count(number)) }
}

/// How many there are, or how many were found.
pub(super) fn said(total: Total, noun: &str, is_search: bool) -> String {
    let said = match total {
        Total::Exactly(number) => number_of(number, noun),
        Total::MoreThan(number) => format!("more than {} {noun}s", count(number)),
    };
    if is_search { format!("{said} found") } else { said }
}

#[cfg(test)]
mod tests {
    use tonearm_domain::TrackId;

    use super::*;

    #[test]
    fn numbers_are_said_in_words() {
        assert_eq!(said(Total::Exactly(1), "track", false), "1 track");
        assert_eq!(said(Total::Exactly(0), "track", true), "0 tracks found");
        assert_eq!(said(Total::MoreThan(1000), "track", true), "more than 1\u{202f}000 tracks found");
    }

    #[test]
    fn nonsense_counts_as_not_said() {
        let asked = ListQuery { sort: "wild".into(), after: "x".into(), before: "1".into(), q: " ".into() };
        let query = asked.page_query::<TrackSort, TrackId>(5);
        assert_eq!((query.sort, query.cursor, query.words), (TrackSort::Order, Cursor::First, None));
    }
}

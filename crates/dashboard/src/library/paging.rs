//! What addresses of lists carry: words, an order, and from which row on.

use std::fmt::Display;
use std::str::FromStr;

use serde::Deserialize;
use tonearm_domain::{CollectionSort, Leaf, Place, SearchWords, Slice, Total, TrackSort};

use crate::amount::count;

/// Which page of a list somebody asks for. What makes no sense counts as not said.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Asked {
    #[serde(default)]
    q: String,
    #[serde(default)]
    sort: String,
    #[serde(default)]
    after: String,
    #[serde(default)]
    before: String,
}

/// One entry of the choice of an order.
pub(super) struct Choice {
    pub(super) value: &'static str,
    pub(super) label: &'static str,
    pub(super) is_chosen: bool,
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
            Self::Order => "In order",
            Self::Title => "By title",
            Self::Newest => "Newest first",
            Self::Longest => "Longest first",
            Self::Status => "By state",
        };
        Self::ALL.map(|sort| (sort, sort.as_str(), label(sort))).to_vec()
    }
}

impl Sort for CollectionSort {
    fn named() -> Vec<(Self, &'static str, &'static str)> {
        let label = |sort| match sort {
            Self::Oldest => "Oldest first",
            Self::Newest => "Newest first",
            Self::Title => "By title",
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

impl Asked {
    /// The page.
    pub(super) fn leaf<S: Sort, Id: FromStr>(&self, limit: u32) -> Leaf<S, Id> {
        let place = match (self.after.parse(), self.before.parse()) {
            (Ok(id), _) => Place::After(id),
            (_, Ok(id)) => Place::Before(id),
            _ => Place::First,
        };
        Leaf { words: SearchWords::parse(&self.q), sort: self.sort.parse().unwrap_or_default(), place, limit }
    }

    /// What is around the page. `offered` are the orders that make sense here, `noun` says what the rows are.
    pub(super) fn paging<S: Sort, Id, T>(
        &self,
        leaf: &Leaf<S, Id>,
        slice: &Slice<T>,
        offered: impl Fn(S) -> bool,
        (noun, id): (&str, impl Fn(&T) -> String),
    ) -> Paging {
        let is_search = leaf.words.is_some();
        let chosen = S::named().into_iter().filter(|(sort, ..)| offered(*sort));
        let choices =
            chosen.map(|(sort, value, label)| Choice { value, label, is_chosen: sort == leaf.sort });
        let sort = S::named().into_iter().find(|(sort, ..)| *sort == leaf.sort && *sort != S::default());
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
            total: said(slice.total, noun, is_search),
            before: if slice.has_before { to("before", slice.rows.first()) } else { None },
            after: if slice.has_after { to("after", slice.rows.last()) } else { None },
        }
    }
}

/// How many there are, or how many were found.
pub(super) fn said(total: Total, noun: &str, is_search: bool) -> String {
    let many = |number: u64, plural: &dyn Display| {
        if number == 1 { format!("1 {noun}") } else { format!("{} {plural}", count(number)) }
    };
    let plural = format!("{noun}s");
    let said = match total {
        Total::Exactly(number) => many(number, &plural),
        Total::MoreThan(number) => format!("more than {} {plural}", count(number)),
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
        let asked = Asked { sort: "wild".into(), after: "x".into(), before: "1".into(), q: " ".into() };
        let leaf = asked.leaf::<TrackSort, TrackId>(5);
        assert_eq!((leaf.sort, leaf.place, leaf.words), (TrackSort::Order, Place::First, None));
    }
}

//! Conditional requests (RFC 9110 section 13).

use http::header::{self, HeaderMap, HeaderName};

use crate::validators::{Validators, parse_date};

/// The result of evaluating the conditions of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// They hold, or there are none.
    Proceed,
    /// The client has this version: 304.
    NotModified,
    /// The client wants another version: 412.
    Failed,
}

/// Evaluates the conditions of a GET or HEAD request in the order of section 13.2.2. Invalid dates are ignored, as the
/// standard demands.
pub(crate) fn evaluate(headers: &HeaderMap, object: &Validators) -> Verdict {
    if headers.contains_key(header::IF_MATCH) {
        if !any_tag(headers, header::IF_MATCH, |tag| tag.is_strongly(object)) {
            return Verdict::Failed;
        }
    } else if let Some(date) = date(headers, header::IF_UNMODIFIED_SINCE)
        && object.modified > date
    {
        return Verdict::Failed;
    }
    if headers.contains_key(header::IF_NONE_MATCH) {
        if any_tag(headers, header::IF_NONE_MATCH, |tag| tag.is_weakly(object)) {
            return Verdict::NotModified;
        }
    } else if let Some(date) = date(headers, header::IF_MODIFIED_SINCE)
        && object.modified <= date
    {
        return Verdict::NotModified;
    }
    Verdict::Proceed
}

/// Whether the request has a condition that [`evaluate`] evaluates.
pub(crate) fn is_conditional(headers: &HeaderMap) -> bool {
    [header::IF_MATCH, header::IF_NONE_MATCH, header::IF_MODIFIED_SINCE, header::IF_UNMODIFIED_SINCE]
        .iter()
        .any(|name| headers.contains_key(name))
}

/// Whether `Range` applies: there is no `If-Range`, or it names this version. Compared strongly: a weak tag
/// never matches, and a date only exactly. (A date is a strong validator here, as content never changes.)
pub(crate) fn range_applies(headers: &HeaderMap, object: &Validators) -> bool {
    if !headers.contains_key(header::IF_RANGE) {
        return true;
    }
    let Some(value) = single(headers, header::IF_RANGE) else {
        return false;
    };
    if value.starts_with('"') || value.starts_with("W/") {
        value == object.etag
    } else {
        parse_date(value) == Some(object.modified)
    }
}

/// The value of a field that has exactly one line.
pub(crate) fn single(headers: &HeaderMap, name: HeaderName) -> Option<&str> {
    let mut lines = headers.get_all(name).iter();
    let value = lines.next()?.to_str().ok()?;
    lines.next().is_none().then_some(value)
}

fn date(headers: &HeaderMap, name: HeaderName) -> Option<i64> {
    single(headers, name).and_then(parse_date)
}

fn any_tag(headers: &HeaderMap, name: HeaderName, matches: impl Fn(Tag<'_>) -> bool) -> bool {
    let mut lines = headers.get_all(name).iter().filter_map(|line| line.to_str().ok());
    lines.any(|line| Tags(line).any(&matches))
}

/// One element of a list of entity tags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tag<'a> {
    /// `*`: any version.
    Any,
    /// With its quotes.
    Strong(&'a str),
    /// With its quotes, without the `W/`.
    Weak(&'a str),
}

impl Tag<'_> {
    fn is_strongly(self, object: &Validators) -> bool {
        match self {
            Self::Any => true,
            Self::Strong(tag) => tag == object.etag,
            Self::Weak(_) => false,
        }
    }

    fn is_weakly(self, object: &Validators) -> bool {
        match self {
            Self::Any => true,
            Self::Strong(tag) | Self::Weak(tag) => tag == object.etag,
        }
    }
}

/// The elements of a list of entity tags, up to the first invalid one. Tags may contain commas.
struct Tags<'a>(&'a str);

impl<'a> Iterator for Tags<'a> {
    type Item = Tag<'a>;

    fn next(&mut self) -> Option<Tag<'a>> {
        let list = self.0.trim_start_matches([' ', '\t', ',']);
        if let Some(rest) = list.strip_prefix('*') {
            self.0 = rest;
            return Some(Tag::Any);
        }
        let (weak, quoted) = match list.strip_prefix("W/") {
            Some(quoted) => (true, quoted),
            None => (false, list),
        };
        let close = quoted.strip_prefix('"')?.find('"')? + 1;
        let (tag, rest) = quoted.split_at(close + 1);
        self.0 = rest;
        Some(if weak { Tag::Weak(tag) } else { Tag::Strong(tag) })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BEFORE: &str = "Sun, 06 Nov 1994 08:49:36 GMT";
    const EXACT: &str = "Sun, 06 Nov 1994 08:49:37 GMT";
    const AFTER: &str = "Sun, 06 Nov 1994 08:49:38 GMT";

    fn object() -> Validators {
        Validators { etag: "\"v1\"".to_owned(), modified: 784_111_777 }
    }

    fn headers(lines: &[(HeaderName, &str)]) -> HeaderMap {
        lines.iter().map(|(name, value)| (name.clone(), value.parse().unwrap())).collect()
    }

    fn verdict(lines: &[(HeaderName, &str)]) -> Verdict {
        evaluate(&headers(lines), &object())
    }

    #[test]
    fn each_condition_alone() {
        use Verdict::*;
        use header::{IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_UNMODIFIED_SINCE};
        for (name, value, expected) in [
            (IF_MATCH, "\"v1\"", Proceed),
            (IF_MATCH, "*", Proceed),
            (IF_MATCH, "\"v0\", \"v1\"", Proceed),
            (IF_MATCH, "W/\"v1\"", Failed),
            (IF_MATCH, "\"v2\"", Failed),
            (IF_MATCH, "v1", Failed),
            (IF_MATCH, "", Failed),
            (IF_NONE_MATCH, "\"v1\"", NotModified),
            (IF_NONE_MATCH, "W/\"v1\"", NotModified),
            (IF_NONE_MATCH, "*", NotModified),
            (IF_NONE_MATCH, " , \"a,b\",W/\"c\" ,\"v1\"", NotModified),
            (IF_NONE_MATCH, "\"v1", Proceed),
            (IF_NONE_MATCH, "\"x\"", Proceed),
            (IF_NONE_MATCH, "\"a,\"v1\"", Proceed),
            (IF_MODIFIED_SINCE, BEFORE, Proceed),
            (IF_MODIFIED_SINCE, EXACT, NotModified),
            (IF_MODIFIED_SINCE, AFTER, NotModified),
            (IF_MODIFIED_SINCE, "yesterday", Proceed),
            (IF_UNMODIFIED_SINCE, BEFORE, Failed),
            (IF_UNMODIFIED_SINCE, EXACT, Proceed),
            (IF_UNMODIFIED_SINCE, AFTER, Proceed),
            (IF_UNMODIFIED_SINCE, "yesterday", Proceed),
        ] {
            assert_eq!(verdict(&[(name.clone(), value)]), expected, "{name}: {value}");
        }
    }

    #[test]
    fn tags_take_precedence_over_dates() {
        use header::{IF_MATCH, IF_MODIFIED_SINCE, IF_NONE_MATCH, IF_UNMODIFIED_SINCE};
        assert_eq!(verdict(&[(IF_MATCH, "\"v1\""), (IF_UNMODIFIED_SINCE, BEFORE)]), Verdict::Proceed);
        assert_eq!(verdict(&[(IF_NONE_MATCH, "\"x\""), (IF_MODIFIED_SINCE, AFTER)]), Verdict::Proceed);
        assert_eq!(verdict(&[(IF_MATCH, "\"x\""), (IF_NONE_MATCH, "\"v1\"")]), Verdict::Failed);
        assert_eq!(verdict(&[(IF_NONE_MATCH, "\"x\""), (IF_NONE_MATCH, "\"v1\"")]), Verdict::NotModified);
        assert_eq!(verdict(&[(IF_MODIFIED_SINCE, AFTER), (IF_MODIFIED_SINCE, AFTER)]), Verdict::Proceed);
    }

    #[test]
    fn if_range_is_strong() {
        let applies = |value| range_applies(&headers(&[(header::IF_RANGE, value)]), &object());
        assert!(range_applies(&HeaderMap::new(), &object()));
        for value in ["\"v1\"", EXACT] {
            assert!(applies(value), "{value}");
        }
        for value in ["W/\"v1\"", "\"x\"", "\"v1\", \"x\"", "*", "v1", BEFORE, AFTER, ""] {
            assert!(!applies(value), "{value}");
        }
    }

    proptest! {
        #[test]
        fn any_list_of_tags_ends(list in "[ -~]{0,60}") {
            prop_assert!(Tags(&list).count() <= list.len());
        }
    }
}

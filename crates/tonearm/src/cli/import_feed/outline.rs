//! Checks that a file is a feed, and that it cannot exhaust the memory or the stack of the parsers: they keep all elements in
//! memory and recurse into nested ones.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// Maximum depth of nested elements.
const DEEPEST: usize = 100;

/// Maximum number of elements and attributes: a hundred for each of [`MOST_ITEMS`].
const MOST_PARTS: usize = 2_000_000;

/// Maximum number of episodes in a feed.
pub(super) const MOST_ITEMS: usize = 20_000;

/// The format of a feed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FeedKind {
    Rss,
    Atom,
}

/// Reads a feed to its end, and returns its format. An error is a sentence.
pub(super) fn outline(bytes: &[u8]) -> Result<FeedKind, String> {
    if is_page(bytes) {
        return Err("this is a web page, not a feed; look for the address of its RSS feed".to_owned());
    }
    let mut reader = Reader::from_reader(bytes);
    let (mut buffer, mut outline) = (Vec::new(), Outline::default());
    loop {
        match reader.read_event_into(&mut buffer) {
            Ok(Event::Start(element)) => {
                outline.element(&element)?;
                outline.depth += 1;
            }
            Ok(Event::Empty(element)) => outline.element(&element)?,
            Ok(Event::End(_)) => outline.depth = outline.depth.saturating_sub(1),
            Ok(Event::Eof) => break,
            Ok(_) => {}
            Err(error) => {
                let at = reader.error_position();
                return Err(format!("this is not a feed: its XML is invalid at byte {at}: {error}"));
            }
        }
        buffer.clear();
    }
    match outline.depth {
        0 => outline.kind.ok_or_else(|| "this is not a feed: it contains no XML".to_owned()),
        _ => Err("the feed is not complete: it ends in the middle of an element".to_owned()),
    }
}

#[derive(Default)]
struct Outline {
    depth: usize,
    parts: usize,
    items: usize,
    kind: Option<FeedKind>,
}

impl Outline {
    fn element(&mut self, element: &BytesStart<'_>) -> Result<(), String> {
        let name = element.local_name();
        if self.kind.is_none() {
            self.kind = Some(match name.as_ref() {
                b"rss" | b"RDF" => FeedKind::Rss,
                b"feed" => FeedKind::Atom,
                _ => return Err("this is neither an RSS nor an Atom feed".to_owned()),
            });
        }
        if matches!(name.as_ref(), b"item" | b"entry") {
            self.items += 1;
        }
        self.parts += 1 + element.attributes().with_checks(false).count();
        if self.depth >= DEEPEST {
            return Err(format!("the feed is nested more than {DEEPEST} elements deep"));
        }
        if self.items > MOST_ITEMS {
            return Err(format!("the feed has more than {MOST_ITEMS} items"));
        }
        if self.parts > MOST_PARTS {
            return Err(format!("the feed has more than {MOST_PARTS} elements and attributes"));
        }
        Ok(())
    }
}

fn is_page(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start();
    let begins = |with: &[u8]| text.get(..with.len()).is_some_and(|start| start.eq_ignore_ascii_case(with));
    begins(b"<!doctype html") || begins(b"<html")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feeds_are_told_from_the_rest() {
        assert_eq!(outline(b"<?xml version=\"1.0\"?><rss><channel/></rss>"), Ok(FeedKind::Rss));
        assert_eq!(outline(b"<feed xmlns=\"http://www.w3.org/2005/Atom\"/>"), Ok(FeedKind::Atom));
        for (text, expected) in [
            ("", "contains no XML"),
            ("\u{feff} <!DOCTYPE html><p>", "web page"),
            ("<HTML>", "web page"),
            ("{\"version\": 1}", "contains no XML"),
            ("<svg/>", "neither an RSS nor an Atom feed"),
            ("<rss><channel>", "not complete"),
            ("<rss></channel></rss>", "invalid at byte"),
        ] {
            let error = outline(text.as_bytes()).unwrap_err();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn what_would_exhaust_a_reader_is_refused() {
        let deep = format!("<rss>{}", "<a:b>".repeat(1_000_000));
        let many = format!("<rss>{}</rss>", "<item/>".repeat(MOST_ITEMS + 1));
        let wide = format!("<rss>{}</rss>", "<a b='' c='' d=''/>".repeat(MOST_PARTS / 4 + 1));
        for (text, expected) in [(deep, "elements deep"), (many, "items"), (wide, "elements and attributes")]
        {
            let error = outline(text.as_bytes()).unwrap_err();
            assert!(error.contains(expected), "{error}");
        }
    }
}

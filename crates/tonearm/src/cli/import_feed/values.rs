//! Parses the values in feeds, which are often malformed.

use jiff::fmt::rfc2822::DateTimeParser;
use sha2::{Digest, Sha256};
use tonearm_domain::{Timestamp, resolve_references};
use url::Url;

/// The longest id of an episode that is used as it is, in characters. A longer one is hashed.
const LONGEST_ID: usize = 200;

/// The longest title that the service accepts, in characters.
const LONGEST_TITLE: usize = 1000;

/// The longest URL of a file that the service accepts, in characters.
pub(super) const LONGEST_URL: usize = 8000;

/// Extensions of audio files, used if the feed gives no specific media type.
const SOUND: [&str; 12] =
    ["mp3", "m4a", "m4b", "aac", "ogg", "oga", "opus", "flac", "wav", "wma", "aif", "aiff"];

/// The parser accepts a wrong day of the week, because some feeds are written by hand.
const DATES: DateTimeParser = DateTimeParser::new().relaxed_weekday(true);

/// A text without the characters that the service does not store. Feeds contain the named entities of HTML, which XML does
/// not have, and references that were escaped twice. Returns `None` if nothing is left.
pub(super) fn text(text: &str) -> Option<String> {
    let text = resolve_references(text);
    let text: String = text.trim().chars().filter(|c| *c != '\0').take(LONGEST_TITLE).collect();
    Some(text).filter(|text| !text.is_empty())
}

/// The text of HTML, in one line.
pub(super) fn html(html: &str) -> Option<String> {
    let (mut plain, mut rest) = (String::new(), html);
    while let Some((before, from)) = rest.split_once('<') {
        plain.push_str(before);
        let is_tag = from.starts_with(|c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?'));
        match from.split_once('>').filter(|_| is_tag) {
            Some((tag, after)) => {
                let name = tag.trim_matches('/').split([' ', '/']).next().unwrap_or_default();
                plain.push_str(if INLINE.contains(&name.to_ascii_lowercase().as_str()) { "" } else { " " });
                rest = after;
            }
            None => {
                plain.push('<');
                rest = from;
            }
        }
    }
    plain.push_str(rest);
    text(&plain.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// Elements within words.
const INLINE: [&str; 12] =
    ["a", "abbr", "b", "code", "em", "i", "mark", "small", "span", "strong", "sub", "sup"];

/// Parses an http or https URL, which may be relative to that of the feed.
pub(super) fn web_url(text: &str, base: Option<&Url>) -> Option<Url> {
    let url = Url::options().base_url(base).parse(text.trim()).ok()?;
    Some(url).filter(|url| matches!(url.scheme(), "http" | "https") && url.as_str().len() <= LONGEST_URL * 4)
}

pub(super) fn is_sound(media_type: &str, url: &Url) -> bool {
    let essence = media_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    if essence.starts_with("audio/") {
        return true;
    }
    // Many feeds have no type, or a generic one.
    let is_generic = matches!(
        essence.as_str(),
        "" | "application/octet-stream" | "application/ogg" | "binary/octet-stream"
    );
    let extension = url.path().rsplit_once('.').map(|(_, extension)| extension.to_ascii_lowercase());
    is_generic && extension.is_some_and(|own| SOUND.contains(&own.as_str()))
}

pub(super) fn id(id: &str) -> Option<String> {
    let id = id.trim();
    if id.is_empty() {
        return None;
    }
    let fits = !id.contains('\0') && id.chars().count() <= LONGEST_ID;
    Some(if fits { id.to_owned() } else { hashed(id) })
}

/// Ids for an item that has none, in the order in which they are tried. The query of its file is the last resort, because
/// it often contains a different token each time.
pub(super) fn ids_of_file(file: &Url, published_at: Option<Timestamp>) -> impl Iterator<Item = String> {
    let mut plain = file.clone();
    plain.set_query(None);
    plain.set_fragment(None);
    let dated = published_at.map(|at| format!("{plain}#{at}"));
    let ids = [Some(plain.into()), dated, Some(file.to_string())];
    ids.into_iter().flatten().map(|text: String| id(&text).unwrap_or_else(|| hashed(&text)))
}

pub(super) fn hashed(id: &str) -> String {
    format!("sha256:{}", hex::encode(Sha256::digest(id)))
}

pub(super) fn date(text: &str) -> Option<Timestamp> {
    let text = text.trim();
    match DATES.parse_timestamp(text) {
        Ok(moment) => Timestamp::from_unix_millis(moment.as_millisecond()),
        // Not valid in RSS, but common.
        Err(_) => text.parse().ok(),
    }
}

/// Parses a duration such as `1:02:03`, `62:03` or `3723`.
pub(super) fn seconds(text: &str) -> Option<u64> {
    let mut total = 0_u64;
    let parts: Vec<&str> = text.trim().split(':').collect();
    if parts.len() > 3 {
        return None;
    }
    for part in parts {
        let whole = part.split('.').next().unwrap_or_default();
        total = total.checked_mul(60)?.checked_add(whole.trim().parse().ok()?)?;
    }
    Some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read() {
        for (text, expected) in [
            ("3723", Some(3723)),
            ("62:03", Some(3723)),
            ("01:02:03.5", Some(3723)),
            ("", None),
            ("1:2:3:4", None),
            ("an hour", None),
            ("99999999999999999999", None),
        ] {
            assert_eq!(seconds(text), expected, "{text}");
        }
    }
}

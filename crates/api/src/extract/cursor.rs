//! Cursors of lists, as text. They are opaque to clients, and valid only for the list that returned them.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::request::Parts;
use sha2::{Digest, Sha256};
use tonearm_domain::{ListPosition, SortValue};
use uuid::Uuid;

use super::query;
use crate::error::ApiError;

const VERSION: u8 = 1;
/// Length of an id in bytes.
const ID: usize = 16;
/// Length of the check at the end, in bytes.
const CHECK: usize = 8;
/// Maximum length of a cursor in characters: lists are sorted by up to 100 characters of a title.
const LONGEST: usize = 1000;
/// Parameters that may differ from page to page.
const OF_PAGE: [&str; 3] = ["cursor", "limit", "offset"];

/// Identifies the list that a request is about: its path, and its query without the parameters that select a page.
#[derive(Clone, Copy)]
pub(crate) struct ListIdentity([u8; 32]);

impl ListIdentity {
    pub(crate) fn of(parts: &Parts) -> Result<Self, ApiError> {
        let mut parameters: Vec<(String, String)> = query(parts)?;
        parameters.retain(|(name, _)| !OF_PAGE.contains(&name.as_str()));
        parameters.sort();
        let mut hash = Sha256::new();
        for text in [parts.uri.path()]
            .into_iter()
            .chain(parameters.iter().flat_map(|(name, value)| [name.as_str(), value]))
        {
            hash.update((text.len() as u64).to_be_bytes());
            hash.update(text);
        }
        Ok(Self(hash.finalize().into()))
    }

    /// Detects cursors of other lists, and cursors that were truncated or changed. It is not a signature, because a
    /// cursor grants no access.
    fn check(&self, bytes: &[u8]) -> [u8; CHECK] {
        let mut hash = Sha256::new();
        hash.update(self.0);
        hash.update(bytes);
        let mut check = [0; CHECK];
        check.copy_from_slice(&hash.finalize()[..CHECK]);
        check
    }

    /// Encodes a position as a cursor.
    pub(crate) fn write(&self, position: &ListPosition) -> String {
        let mut bytes = vec![VERSION];
        bytes.extend_from_slice(position.id.as_bytes());
        match &position.value {
            SortValue::None => bytes.push(b'-'),
            SortValue::Integer(number) => {
                bytes.push(b'i');
                bytes.extend_from_slice(&number.to_be_bytes());
            }
            SortValue::Real(number) => {
                bytes.push(b'r');
                bytes.extend_from_slice(&number.to_be_bytes());
            }
            SortValue::Text(text) => {
                bytes.push(b't');
                bytes.extend_from_slice(text.as_bytes());
            }
        }
        let check = self.check(&bytes);
        bytes.extend_from_slice(&check);
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Decodes the position in a cursor of this list.
    pub(crate) fn read(&self, cursor: &str) -> Result<ListPosition, ApiError> {
        self.parse(cursor).ok_or_else(|| {
            ApiError::invalid("cursor", "does not belong to this list; start again with an empty cursor")
        })
    }

    fn parse(&self, cursor: &str) -> Option<ListPosition> {
        if cursor.len() > LONGEST {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
        let (bytes, check) = bytes.split_last_chunk::<CHECK>()?;
        if self.check(bytes) != *check {
            return None;
        }
        let (id, value) = bytes.strip_prefix(&[VERSION])?.split_first_chunk::<ID>()?;
        let (kind, value) = value.split_first()?;
        let value = match kind {
            b'-' if value.is_empty() => SortValue::None,
            b'i' => SortValue::Integer(i64::from_be_bytes(value.try_into().ok()?)),
            b'r' => SortValue::Real(f64::from_be_bytes(value.try_into().ok()?)),
            b't' => SortValue::Text(String::from_utf8(value.to_vec()).ok()?),
            _ => return None,
        };
        let is_stored = match &value {
            SortValue::Real(number) => number.is_finite(),
            // No list contains text that PostgreSQL cannot store.
            SortValue::Text(text) => !text.contains('\0'),
            _ => true,
        };
        is_stored.then_some(ListPosition { value, id: Uuid::from_bytes(*id) })
    }
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    fn list(path: &str) -> ListIdentity {
        let (parts, ()) = Request::get(path).body(()).unwrap().into_parts();
        ListIdentity::of(&parts).ok().unwrap()
    }

    fn positions() -> Vec<ListPosition> {
        let values = [
            SortValue::None,
            SortValue::Integer(-7),
            SortValue::Real(0.1 + 0.2),
            SortValue::Text(String::new()),
            SortValue::Text("日本の歌 \u{10ffff}".repeat(10)),
        ];
        values.into_iter().map(|value| ListPosition { value, id: Uuid::from_u128(5) }).collect()
    }

    #[test]
    fn what_was_written_is_read() {
        let list = list("/track?sort=title&query=a");
        for position in positions() {
            let cursor = list.write(&position);
            assert!(cursor.len() <= LONGEST);
            assert_eq!(list.read(&cursor).ok(), Some(position));
        }
    }

    #[test]
    fn a_changed_cursor_is_none() {
        let list = list("/track");
        for position in positions() {
            let cursor = list.write(&position);
            for at in 0..cursor.len() {
                let mut changed = cursor.clone().into_bytes();
                changed[at] = if changed[at] == b'A' { b'B' } else { b'A' };
                let changed = String::from_utf8(changed).unwrap();
                assert!(list.read(&changed).is_err(), "{changed}");
                assert!(list.read(&cursor[..at]).is_err());
            }
            assert!(list.read(&format!("{cursor}=")).is_err());
        }
        for bad in ["", " ", "%", "ü", &"A".repeat(5000)] {
            assert_eq!(list.read(bad).unwrap_err().field(), Some("cursor"), "{bad}");
        }
    }

    #[test]
    fn a_cursor_is_good_for_one_list() {
        let cursor = list("/track?sort=title&query=a").write(&positions()[1]);
        for same in ["/track?query=a&sort=title", "/track?limit=3&sort=title&cursor=x&query=%61"] {
            assert!(list(same).read(&cursor).is_ok(), "{same}");
        }
        for other in ["/collection?sort=title&query=a", "/track?sort=title&query=b", "/track?sort=title"] {
            assert!(list(other).read(&cursor).is_err(), "{other}");
        }
    }

    #[test]
    fn what_no_list_has_is_refused() {
        let list = list("/track");
        for value in [SortValue::Real(f64::NAN), SortValue::Text("\0".to_owned())] {
            let cursor = list.write(&ListPosition { value, id: Uuid::nil() });
            assert!(list.read(&cursor).is_err());
        }
    }
}

//! `Content-Disposition` (RFC 6266) for objects that are to be saved.

use http::HeaderValue;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Everything but the `attr-char` of RFC 8187.
const NOT_ATTR_CHAR: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'!')
    .remove(b'#')
    .remove(b'$')
    .remove(b'&')
    .remove(b'+')
    .remove(b'-')
    .remove(b'.')
    .remove(b'^')
    .remove(b'_')
    .remove(b'`')
    .remove(b'|')
    .remove(b'~');

/// The header that makes a browser save the object under `name`. The name is given twice: in ASCII, with `_` for all
/// characters that old clients could misread, and in full.
pub(crate) fn attachment(name: &str) -> HeaderValue {
    if name.is_empty() {
        return HeaderValue::from_static("attachment");
    }
    let fallback: String = name.chars().map(|c| if is_plain(c) { c } else { '_' }).collect();
    let full = utf8_percent_encode(name, NOT_ATTR_CHAR);
    let value = format!("attachment; filename=\"{fallback}\"; filename*=UTF-8''{full}");
    HeaderValue::try_from(value).expect("both spellings of the name are printable ASCII")
}

/// False for characters that end or escape a quoted string, that clients wrongly decode, or that separate folders.
fn is_plain(c: char) -> bool {
    (c == ' ' || c.is_ascii_graphic()) && !matches!(c, '"' | '\\' | '%' | '/')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_are_given_twice() {
        for (name, expected) in [
            ("song.mp3", r#"attachment; filename="song.mp3"; filename*=UTF-8''song.mp3"#),
            ("My Song.mp3", r#"attachment; filename="My Song.mp3"; filename*=UTF-8''My%20Song.mp3"#),
            ("Größe.mp3", r#"attachment; filename="Gr__e.mp3"; filename*=UTF-8''Gr%C3%B6%C3%9Fe.mp3"#),
            (
                "a\"; x=\"\r\n\\%41/.mp3",
                r#"attachment; filename="a_; x=_____41_.mp3"; filename*=UTF-8''a%22%3B%20x%3D%22%0D%0A%5C%2541%2F.mp3"#,
            ),
            ("", "attachment"),
        ] {
            assert_eq!(attachment(name), expected);
        }
    }

    proptest! {
        #[test]
        fn any_name_is_one_header(name: String) {
            let value = attachment(&name);
            let text = value.to_str().unwrap();
            prop_assert_eq!(text.matches('"').count(), if name.is_empty() { 0 } else { 2 });
            if let Some((_, full)) = text.split_once("filename*=UTF-8''") {
                prop_assert_eq!(percent_encoding::percent_decode_str(full).decode_utf8().unwrap(), name);
            }
        }
    }
}

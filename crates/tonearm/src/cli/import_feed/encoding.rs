//! Feeds in UTF-16, which the parsers cannot read.

use std::borrow::Cow;

/// A feed in UTF-8, if it is in UTF-16. Others are left as they are.
pub(super) fn in_utf8(bytes: &[u8]) -> Cow<'_, [u8]> {
    let decode: fn([u8; 2]) -> u16 = match bytes {
        [0xfe, 0xff, ..] | [0, b'<', ..] => u16::from_be_bytes,
        [0xff, 0xfe, ..] | [b'<', 0, ..] => u16::from_le_bytes,
        _ => return Cow::Borrowed(bytes),
    };
    let units = bytes.as_chunks().0.iter().map(|unit| decode(*unit));
    let text: String =
        char::decode_utf16(units).map(|read| read.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
    let text = text.trim_start_matches('\u{feff}');
    // The parsers would follow the declaration, which names the encoding.
    let declared = text.strip_prefix("<?xml").and_then(|rest| rest.split_once("?>"));
    Cow::Owned(declared.map_or(text, |(_, rest)| rest).as_bytes().to_vec())
}

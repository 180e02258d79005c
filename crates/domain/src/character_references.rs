//! The character references of HTML, such as `&eacute;` and `&#233;`, in captions and in feeds.

use std::borrow::Cow;

use quick_xml::escape::resolve_html5_entity;

/// Replaces the character references in a text. What is none stays as it is.
pub fn resolve_references(text: &str) -> String {
    let (mut resolved, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find('&') {
        resolved.push_str(&rest[..at]);
        let (characters, behind) = character_reference(&rest[at..]).unwrap_or(("&".into(), &rest[at + 1..]));
        resolved.push_str(&characters);
        rest = behind;
    }
    resolved + rest
}

/// The character reference of HTML at the start of a text, resolved, and what follows it.
pub(crate) fn character_reference(text: &str) -> Option<(Cow<'static, str>, &str)> {
    let (name, behind) = text.strip_prefix('&')?.split_once(';')?;
    let Some(number) = name.strip_prefix('#') else {
        return Some((resolve_html5_entity(name)?.into(), behind));
    };
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hex) if hex.bytes().all(|byte| byte.is_ascii_hexdigit()) => u32::from_str_radix(hex, 16),
        None if number.bytes().all(|byte| byte.is_ascii_digit()) => number.parse(),
        _ => return None,
    };
    Some((char::from_u32(code.ok()?)?.to_string().into(), behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_resolved_once() {
        for (text, expected) in [
            ("Caf&eacute; &amp; Bar", "Café & Bar"),
            ("&#8217;&#x2019;&#X41;", "’’A"),
            ("AT&T; R&D, a & b; &nothing; &#xD800; &#; &", "AT&T; R&D, a & b; &nothing; &#xD800; &#; &"),
            ("&amp;lt;", "&lt;"),
        ] {
            assert_eq!(resolve_references(text), expected, "{text}");
        }
    }
}

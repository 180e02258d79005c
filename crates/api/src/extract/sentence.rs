//! Messages about values that cannot be read: without names of Rust types and without positions in the text.

use std::fmt::Display;

/// The reason why a value could not be read, from serde's error about it.
pub fn sentence(error: &impl Display) -> String {
    let message = error.to_string();
    // The message names the field, which is more useful than line and column.
    let message = message.rfind(" at line ").map_or(message.as_str(), |at| &message[..at]);
    if let Some(rest) = message.strip_prefix("missing field `") {
        return format!("must have the field `{}`", rest.trim_end_matches('`'));
    }
    let expected = message.split_once(", expected ").map(|(_, expected)| expected);
    match expected {
        Some(expected) if message.starts_with("unknown variant ") => {
            format!("must be one of {}", values(expected))
        }
        Some(expected) if message.starts_with("invalid ") => format!("must be {}", kind(expected)),
        _ => message.to_owned(),
    }
}

/// "one of `a`, `b`", "`a` or `b`" and "`a`" as a plain list.
fn values(expected: &str) -> String {
    let expected = expected.strip_prefix("one of ").unwrap_or(expected);
    expected.replace(" or ", ", ").replace('`', "")
}

/// The type that serde expected, in JSON's terms.
fn kind(expected: &str) -> &str {
    match expected {
        "a boolean" => "true or false",
        "a sequence" => "an array",
        "a map" => "an object",
        "f32" | "f64" => "a number",
        "u8" | "u16" | "u32" | "u64" | "usize" => "a whole number, 0 or greater",
        "i8" | "i16" | "i32" | "i64" | "isize" => "a whole number",
        text if text.contains("string") => "a string",
        text if text.starts_with("struct ") || text.starts_with("enum ") || text.contains("tagged enum") => {
            "an object"
        }
        text => text,
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;
    use tonearm_domain::{KeyType, Metadata, Palette, Text};

    use super::*;

    #[derive(Debug, Deserialize)]
    #[allow(dead_code, reason = "what cannot be read is read here")]
    struct Example {
        text: Option<Text<3>>,
        number: Option<f64>,
        count: Option<u16>,
        flag: Option<bool>,
        kind: Option<KeyType>,
        metadata: Option<Metadata>,
        theme: Option<Palette>,
    }

    fn sentence_of(json: &str) -> String {
        sentence(&serde_json::from_str::<Example>(json).unwrap_err())
    }

    #[test]
    fn no_type_of_rust_is_named() {
        for (json, expected) in [
            (r#"{"text":7}"#, "must be a string"),
            (r#"{"text":"long"}"#, "must have at most 3 characters"),
            (r#"{"number":"7"}"#, "must be a number"),
            (r#"{"count":-7}"#, "must be a whole number, 0 or greater"),
            (r#"{"flag":1}"#, "must be true or false"),
            (r#"{"kind":"root"}"#, "must be one of api, player, uploader, share"),
            (r#"{"metadata":[]}"#, "must be an object"),
            (r#"{"theme":{}}"#, "must be an array"),
            (r#"{"theme":[7]}"#, "must be an object"),
            (r##"{"theme":[{"hex":"#000"}]}"##, "must have the field `area`"),
        ] {
            assert_eq!(sentence_of(json), expected, "{json}");
        }
    }
}

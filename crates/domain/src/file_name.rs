//! Sanitised file names for delivery.

use crate::object_key::ContentType;
use crate::variant_index::VariantIndex;

/// Maximum length of a delivered file name in bytes; the common limit of file systems is 255.
const LONGEST_NAME: usize = 200;

/// Makes a received file name valid on every system: only the last path segment, no control characters, no characters
/// that are reserved on Windows or in a shell, no leading or trailing dots and spaces, at most 200 bytes with the
/// extension kept. If nothing remains, the name becomes `audio`.
pub fn sanitise_file_name(sent: &str) -> String {
    let last = sent.rsplit(['/', '\\']).next().unwrap_or_default();
    let kept: String = last
        .chars()
        .filter(|c| !c.is_control() && !is_direction_override(*c))
        .map(|c| if r#"<>:"|?*"#.contains(c) { '_' } else { c })
        .collect();
    let trimmed = kept.trim_matches(|c: char| c == '.' || c.is_whitespace());
    if trimmed.is_empty() {
        return "audio".to_owned();
    }
    let (stem, extension) = split_extension(trimmed);
    let room = LONGEST_NAME - extension.map_or(0, |e| e.len() + 1);
    let stem = shorten(stem, room).trim_end_matches(|c: char| c == '.' || c.is_whitespace());
    match extension {
        Some(extension) => format!("{stem}.{extension}"),
        None => stem.to_owned(),
    }
}

/// The name under which a rendered file of a track is delivered: the track's file name with the extension of the
/// rendered file.
pub fn delivery_name(track_file_name: &str, extension: &str) -> String {
    let (stem, _) = split_extension(track_file_name);
    format!("{stem}.{extension}")
}

/// Audio file extensions without a [`ContentType`] of their own.
const OTHER_SOUND: [&str; 34] = [
    "ac3", "ape", "au", "avi", "dff", "dsf", "dts", "eac3", "flv", "gsm", "it", "m2ts", "mlp", "mod", "mpc",
    "mpeg", "mpg", "mts", "oma", "qcp", "ra", "rm", "s3m", "shn", "snd", "sox", "tak", "thd", "ts", "tta",
    "voc", "vob", "wv", "xm",
];

/// The name under which an upload is delivered unchanged. If its content type is not known, it keeps its extension only
/// if that is an audio extension.
pub fn original_name(track_file_name: &str, content_type: ContentType) -> String {
    let own = split_extension(track_file_name).1.map(str::to_ascii_lowercase);
    match own {
        Some(own) if content_type == ContentType::Binary && OTHER_SOUND.contains(&own.as_str()) => {
            delivery_name(track_file_name, &own)
        }
        _ => delivery_name(track_file_name, content_type.extension()),
    }
}

/// The name of one of several files that are offered together: `Song.mp3` of `hq` becomes `Song (hq).mp3`, in at most
/// 200 bytes.
pub fn variant_name(file_name: &str, index: &VariantIndex) -> String {
    let (stem, extension) = split_extension(file_name);
    let tail = match extension {
        Some(extension) => format!(" ({index}).{extension}"),
        None => format!(" ({index})"),
    };
    format!("{}{tail}", shorten(stem, LONGEST_NAME.saturating_sub(tail.len())).trim_end())
}

/// Splits off an extension of 1 to 8 ASCII letters and digits.
fn split_extension(name: &str) -> (&str, Option<&str>) {
    match name.rsplit_once('.') {
        Some((stem, extension))
            if !stem.is_empty()
                && (1..=8).contains(&extension.len())
                && extension.bytes().all(|b| b.is_ascii_alphanumeric()) =>
        {
            (stem, Some(extension))
        }
        _ => (name, None),
    }
}

fn shorten(text: &str, bytes: usize) -> &str {
    &text[..text.floor_char_boundary(bytes)]
}

/// Whether a character changes the reading direction, which can make `exe.mp3` look like `3pm.exe`.
fn is_direction_override(c: char) -> bool {
    matches!(c, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn variants_are_told_apart_by_name() {
        let hq = VariantIndex::from_static("hq");
        assert_eq!(variant_name("Song.mp3", &hq), "Song (hq).mp3");
        assert_eq!(variant_name("Vol. 2 live", &hq), "Vol. 2 live (hq)");
        let long = variant_name(&format!("{}.mp3", "ä".repeat(100)), &hq);
        assert!(long.len() <= 200 && long.ends_with("ä (hq).mp3"), "{long}");
    }

    #[test]
    fn names_are_made_safe() {
        for (sent, expected) in [
            ("song.mp3", "song.mp3"),
            ("../../etc/passwd", "passwd"),
            ("C:\\Music\\My Song.wav", "My Song.wav"),
            ("a:b*c?.flac", "a_b_c_.flac"),
            ("", "audio"),
            ("...", "audio"),
            (" .hidden ", "hidden"),
            ("Größe – 日本.opus", "Größe – 日本.opus"),
            ("line\nbreak\0.mp3", "linebreak.mp3"),
            ("evil\u{202E}3pm.exe", "evil3pm.exe"),
        ] {
            assert_eq!(sanitise_file_name(sent), expected);
        }
        assert_eq!(delivery_name("My.Song.wav", "mp3"), "My.Song.mp3");
        assert_eq!(delivery_name("audio", "mp3"), "audio.mp3");
    }

    #[test]
    fn originals_keep_an_extension_of_sound() {
        for (name, content_type, expected) in [
            ("Theme.XM", ContentType::Binary, "Theme.xm"),
            ("Theme.xm", ContentType::Wav, "Theme.wav"),
            ("page.html", ContentType::Binary, "page.bin"),
            ("Theme", ContentType::Binary, "Theme.bin"),
        ] {
            assert_eq!(original_name(name, content_type), expected);
        }
    }

    proptest! {
        #[test]
        fn any_name_becomes_a_bounded_single_segment(sent in "\\PC{0,400}") {
            let name = sanitise_file_name(&sent);
            prop_assert!(!name.is_empty() && name.len() <= LONGEST_NAME);
            prop_assert!(!name.contains(['/', '\\', '\0', '"']));
            prop_assert!(name != "." && name != "..");
            prop_assert_eq!(sanitise_file_name(&name), name);
        }
    }
}

//! Makes text from files and feeds safe to print to a terminal.

use std::path::Path;

/// The longest text that is shown, in characters.
const LONGEST: usize = 300;

/// Text without characters that move the cursor or change colours.
pub(in crate::cli) fn shown_text(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).take(LONGEST).collect()
}

/// A path without control characters. Parts that are not Unicode are replaced.
pub(in crate::cli) fn shown_path(path: &Path) -> String {
    let text = path.to_string_lossy();
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    use super::*;

    #[test]
    fn nothing_moves_the_cursor() {
        assert_eq!(shown_text("a\u{1b}[2Jb\nc"), "a\u{fffd}[2Jb\u{fffd}c");
        assert_eq!(shown_text(&"ä".repeat(1000)).chars().count(), LONGEST);
        let path = Path::new(OsStr::from_bytes(b"a/\xff\x07.mp3"));
        assert_eq!(shown_path(path), "a/\u{fffd}\u{fffd}.mp3");
    }
}

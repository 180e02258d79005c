//! Files that pages load. They are compiled in, and their address changes with their content, so that browsers may
//! cache them permanently.

use std::collections::HashMap;
use std::sync::LazyLock;

use axum::Router;
use axum::extract::Path;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, StatusCode};
use sha2::{Digest, Sha256};
use tonearm_domain::Language;

use crate::text;

/// A file: its name, type and content.
type Asset = (&'static str, &'static str, &'static [u8]);

const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

const ASSETS: &[Asset] = &[
    (
        "style.css",
        CSS,
        concat!(
            include_str!("../assets/tokens.css"),
            include_str!("../assets/base.css"),
            include_str!("../assets/layout.css"),
            include_str!("../assets/parts.css"),
            include_str!("../assets/library.css"),
            include_str!("../assets/track.css"),
            include_str!("../assets/rows.css"),
            include_str!("../assets/shortcuts.css"),
        )
        .as_bytes(),
    ),
    ("dashboard.js", JS, include_bytes!("../assets/dashboard.js")),
    ("copy.js", JS, include_bytes!("../assets/copy.js")),
    ("confirm.js", JS, include_bytes!("../assets/confirm.js")),
    ("choices.js", JS, include_bytes!("../assets/choices.js")),
    ("watch.js", JS, include_bytes!("../assets/watch.js")),
    ("awaited.js", JS, include_bytes!("../assets/awaited.js")),
    ("retitle.js", JS, include_bytes!("../assets/retitle.js")),
    ("in-sight.js", JS, include_bytes!("../assets/in-sight.js")),
    ("live-parts.js", JS, include_bytes!("../assets/live-parts.js")),
    ("progress.js", JS, include_bytes!("../assets/progress.js")),
    ("problems.js", JS, include_bytes!("../assets/problems.js")),
    ("tables.js", JS, include_bytes!("../assets/tables.js")),
    ("sending.js", JS, include_bytes!("../assets/sending.js")),
    ("drafts.js", JS, include_bytes!("../assets/drafts.js")),
    ("signing-in.js", JS, include_bytes!("../assets/signing-in.js")),
    ("rows.js", JS, include_bytes!("../assets/rows.js")),
    ("times.js", JS, include_bytes!("../assets/times.js")),
    ("live.js", JS, include_bytes!("../assets/live.js")),
    ("colours.js", JS, include_bytes!("../assets/colours.js")),
    ("upload.js", JS, include_bytes!("../assets/upload.js")),
    ("chapters.js", JS, include_bytes!("../assets/chapters.js")),
    ("countries.js", JS, include_bytes!("../assets/countries.js")),
    ("crop.js", JS, include_bytes!("../assets/crop.js")),
    ("replace.js", JS, include_bytes!("../assets/replace.js")),
    ("share.js", JS, include_bytes!("../assets/share.js")),
    ("folders.js", JS, include_bytes!("../assets/folders.js")),
    ("transfer.js", JS, include_bytes!("../assets/transfer.js")),
    ("start.js", JS, include_bytes!("../assets/start.js")),
    ("unfinished.js", JS, include_bytes!("../assets/unfinished.js")),
    ("listening.js", JS, include_bytes!("../assets/listening.js")),
    ("shortcuts.js", JS, include_bytes!("../assets/shortcuts.js")),
    ("row-menu.js", JS, include_bytes!("../assets/row-menu.js")),
    ("arrange.js", JS, include_bytes!("../assets/arrange.js")),
    ("select.js", JS, include_bytes!("../assets/select.js")),
    ("selection.js", JS, include_bytes!("../assets/selection.js")),
    ("reorder.js", JS, include_bytes!("../assets/reorder.js")),
    ("moves.js", JS, include_bytes!("../assets/moves.js")),
    ("search.js", JS, include_bytes!("../assets/search.js")),
    ("relative.js", JS, include_bytes!("../assets/relative.js")),
    ("shortcuts-help.js", JS, include_bytes!("../assets/shortcuts-help.js")),
    ("sortable.js", JS, include_bytes!("../assets/sortable.js")),
    ("bar.css", CSS, include_bytes!("../assets/bar.css")),
    ("bar/bar.js", JS, include_bytes!("../assets/bar/bar.js")),
    ("bar/pages.js", JS, include_bytes!("../assets/bar/pages.js")),
    ("bar/player.js", JS, include_bytes!("../assets/bar/player.js")),
    ("bar/queue.js", JS, include_bytes!("../assets/bar/queue.js")),
    ("bar/queue-view.js", JS, include_bytes!("../assets/bar/queue-view.js")),
    ("bar/tracks.js", JS, include_bytes!("../assets/bar/tracks.js")),
    ("bar/view.js", JS, include_bytes!("../assets/bar/view.js")),
    // From the player: the bar uses the same audio.
    ("player/commands.js", JS, include_bytes!("../assets/player/commands.js")),
    ("player/dom.js", JS, include_bytes!("../assets/player/dom.js")),
    ("player/kept.js", JS, include_bytes!("../assets/player/kept.js")),
    ("player/media-session.js", JS, include_bytes!("../assets/player/media-session.js")),
    ("player/playback.js", JS, include_bytes!("../assets/player/playback.js")),
    ("player/problem.js", JS, include_bytes!("../assets/player/problem.js")),
    ("player/request.js", JS, include_bytes!("../assets/player/request.js")),
    ("player/sound.js", JS, include_bytes!("../assets/player/sound.js")),
    ("player/state.js", JS, include_bytes!("../assets/player/state.js")),
    ("player/state-failures.js", JS, include_bytes!("../assets/player/state-failures.js")),
    ("player/state-initial.js", JS, include_bytes!("../assets/player/state-initial.js")),
    ("player/state-listening.js", JS, include_bytes!("../assets/player/state-listening.js")),
    ("player/state-lists.js", JS, include_bytes!("../assets/player/state-lists.js")),
    ("player/state-steps.js", JS, include_bytes!("../assets/player/state-steps.js")),
    ("player/texts.js", JS, include_bytes!("../assets/player/texts.js")),
    ("player/time.js", JS, include_bytes!("../assets/player/time.js")),
    ("texts.js", JS, include_bytes!("../assets/texts.js")),
    ("icon.svg", SVG, include_bytes!("../assets/icon.svg")),
];

/// The files by name, as they are sent: scripts without the lines that are comments.
static SENT: LazyLock<HashMap<&str, (&str, Bytes)>> = LazyLock::new(|| {
    let sent = |&(name, content_type, bytes): &Asset| match str::from_utf8(bytes) {
        Ok(script) if content_type == JS => (name, (content_type, without_comments(script).into())),
        _ => (name, (content_type, Bytes::from_static(bytes))),
    };
    ASSETS.iter().map(sent).collect()
});

fn without_comments(script: &str) -> String {
    let is_comment = |line: &str| {
        let line = line.trim();
        line.starts_with("//") || line.starts_with("/*") && line.find("*/") == Some(line.len() - 2)
    };
    script.split_inclusive('\n').filter(|line| !is_comment(line)).collect()
}

/// One version for all files, so that modules can import each other by relative names.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let mut hash = Sha256::new();
    for (name, _, bytes) in ASSETS {
        hash.update(name.as_bytes());
        hash.update(bytes.len().to_be_bytes());
        hash.update(bytes);
    }
    for language in Language::ALL {
        hash.update(text::table(language));
        hash.update(text::player_table(language));
    }
    hex::encode(&hash.finalize()[..8])
});

/// The module with the texts of scripts. It is the only file that differs between languages. Modules import each other
/// by relative names, so the language is part of the version in every address.
const TEXTS: &str = "texts-table.js";

/// The address of a file, for a page in the language of the request.
pub(crate) fn address(name: &str) -> String {
    format!("/dashboard/assets/{}-{}/{name}", *VERSION, text::current())
}

pub(crate) fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    Router::new().route("/assets/{version}/{*name}", get(serve))
}

async fn serve(Path((version, name)): Path<(String, String)>) -> Response {
    let (version, language) = version.split_once('-').unwrap_or((&version, ""));
    let language = language.parse().unwrap_or_default();
    let found = texts(&name, language).map(|texts| (JS, Bytes::from(texts)));
    let found = found.or_else(|| SENT.get(name.as_str()).cloned());
    let Some((content_type, bytes)) = found else {
        return StatusCode::NOT_FOUND.into_response();
    };
    // A page of another version may still be open after an upgrade. It gets the current file, uncached.
    let is_current = version == *VERSION;
    let cache = if is_current { "public, max-age=31536000, immutable" } else { "no-store" };
    let headers = [
        (CONTENT_TYPE, HeaderValue::from_static(content_type)),
        (CACHE_CONTROL, HeaderValue::from_static(cache)),
    ];
    (headers, bytes).into_response()
}

/// A module with texts: that of scripts, or one that the player's modules request by the name of its language.
fn texts(name: &str, language: Language) -> Option<String> {
    if name == TEXTS {
        return Some(text::table(language));
    }
    let language = name.strip_prefix("player/texts-")?.strip_suffix(".js")?;
    Some(text::player_table(language.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_comments_are_not_sent() {
        let script = "// a\nlet a = 'b'; // c\n  /** d */\n/* e */ let f;\n'//';\n";
        assert_eq!(without_comments(script), "let a = 'b'; // c\n/* e */ let f;\n'//';\n");
    }

    #[test]
    fn names_are_unique_and_the_version_is_stable() {
        for (at, (name, ..)) in ASSETS.iter().enumerate() {
            assert!(ASSETS[at + 1..].iter().all(|(other, ..)| other != name), "{name}");
        }
        assert_eq!(address("a"), address("a"));
    }
}

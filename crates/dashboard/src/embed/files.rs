//! The player's modules and the share pages' style, compiled in.
//!
//! All of them are served under one version, the hash of them all: they may be kept for ever, and modules find each
//! other by relative names. `/embed/player.js` is a name that never changes, for other people's pages.

use std::sync::LazyLock;

use axum::extract::Path;
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use http::header::{ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_TYPE};
use sha2::{Digest, Sha256};

/// What pages name first.
const ENTRY: &str = "player.js";

macro_rules! files {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../assets/player/", $name)))),*]
    };
}

static FILES: &[(&str, &str)] = files![
    "colour.js",
    "controls.js",
    "copy.js",
    "dom.js",
    "player.js",
    "playlist.js",
    "session.js",
    "share.css",
    "sound.js",
    "source.js",
    "style.js",
    "time.js",
    "wave.js",
];

static VERSION: LazyLock<String> = LazyLock::new(|| {
    let mut hash = Sha256::new();
    for (name, text) in FILES {
        hash.update(name);
        hash.update(text);
    }
    hex::encode(&hash.finalize()[..8])
});

/// The address of one of the files, good for this version of the program.
pub(crate) fn address(name: &str) -> String {
    format!("/embed/assets/{}/{name}", *VERSION)
}

/// One file of this version, to be kept for ever; of any other version there is nothing.
pub(crate) async fn module(Path((version, name)): Path<(String, String)>) -> Response {
    match FILES.iter().find(|(own, _)| *own == name && version == *VERSION) {
        Some((name, text)) => answer(name, (*text).into(), "public, max-age=31536000, immutable"),
        None => StatusCode::NOT_FOUND.into_response(),
    }
}

/// The name that never changes: it only names the version in use.
pub(crate) async fn stable_module() -> Response {
    let text = format!("export * from \"./assets/{}/{ENTRY}\";\n", *VERSION);
    answer(ENTRY, text.into(), "public, max-age=300")
}

/// Modules are taken over by other people's pages only where any origin is allowed to.
fn answer(name: &str, text: std::borrow::Cow<'static, str>, kept: &'static str) -> Response {
    let content_type =
        if name.ends_with(".css") { "text/css; charset=utf-8" } else { "text/javascript; charset=utf-8" };
    let headers = [(CONTENT_TYPE, content_type), (CACHE_CONTROL, kept), (ACCESS_CONTROL_ALLOW_ORIGIN, "*")];
    (headers, text.into_owned()).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_imported_module_is_served() {
        for (name, text) in FILES {
            for line in text.lines().filter(|line| line.starts_with("import ")) {
                let from = line.split('"').nth(1).unwrap().trim_start_matches("./");
                assert!(FILES.iter().any(|(own, _)| *own == from), "{name} imports {from}");
            }
        }
    }

    #[tokio::test]
    async fn only_this_version_is_there() {
        let of = |version: &str, name: &str| module(Path((version.to_owned(), name.to_owned())));
        assert_eq!(of(&VERSION, "wave.js").await.status(), StatusCode::OK);
        assert_eq!(of(&VERSION, "../lib.rs").await.status(), StatusCode::NOT_FOUND);
        assert_eq!(of("0000000000000000", "wave.js").await.status(), StatusCode::NOT_FOUND);
    }
}

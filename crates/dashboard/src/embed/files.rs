//! The player, and what share pages load beside it, compiled in.
//!
//! The player is one module that needs no other file of its version: a page may get it from any node, also while nodes
//! of two versions are running. Its versioned address, for our own pages, may be kept for ever. `/embed/player.js` is a
//! name that never changes, for other people's pages.

use std::io::Write;
use std::sync::LazyLock;

use axum::extract::Path;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::{
    ACCEPT_ENCODING, ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG,
    IF_NONE_MATCH, VARY,
};
use http::{HeaderMap, HeaderValue, StatusCode};
use sha2::{Digest, Sha256};

const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";

const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const FOR_MINUTES: HeaderValue = HeaderValue::from_static("public, max-age=300");
const NOT_AT_ALL: HeaderValue = HeaderValue::from_static("no-store");

const PLAYER: File =
    File { name: "player.js", content_type: JS, text: include_str!("../../assets/player/built/player.js") };

/// For browsers that cannot construct style sheets; for others, the player contains it.
const PLAYER_STYLE: File = File {
    name: "player.css",
    content_type: CSS,
    text: include_str!("../../assets/player/built/player.css"),
};

const FILES: [File; 5] = [
    PLAYER,
    PLAYER_STYLE,
    File { name: "share.css", content_type: CSS, text: include_str!("../../assets/share.css") },
    File { name: "copy.js", content_type: JS, text: include_str!("../../assets/copy.js") },
    File { name: "follow.js", content_type: JS, text: include_str!("../../assets/follow.js") },
];

/// A file that pages load.
#[derive(Clone, Copy)]
struct File {
    name: &'static str,
    content_type: &'static str,
    text: &'static str,
}

/// The files in `gzip`, in their order.
static COMPRESSED: LazyLock<[Bytes; 5]> = LazyLock::new(|| FILES.map(|file| compress(file.text)));

static VERSION: LazyLock<String> = LazyLock::new(|| {
    let mut hash = Sha256::new();
    for File { name, text, .. } in FILES {
        hash.update(name);
        hash.update(text.len().to_be_bytes());
        hash.update(text);
    }
    hex::encode(&hash.finalize()[..8])
});

/// The address of one of the files in this version of the program.
pub(crate) fn address(name: &str) -> String {
    format!("/embed/assets/{}/{name}", *VERSION)
}

/// One of the files. A page of another version, which another node rendered, gets the file of this version, which nobody
/// may keep under that address.
pub(crate) async fn asset(Path((version, name)): Path<(String, String)>, headers: HeaderMap) -> Response {
    let Some(at) = FILES.iter().position(|file| file.name == name) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    answer(at, &headers, if version == *VERSION { FOR_EVER } else { NOT_AT_ALL })
}

/// The player under the name that never changes.
pub(crate) async fn stable_script(headers: HeaderMap) -> Response {
    stable(PLAYER.name, &headers)
}

/// Its style, which it looks for beside itself.
pub(crate) async fn stable_style(headers: HeaderMap) -> Response {
    stable(PLAYER_STYLE.name, &headers)
}

fn stable(name: &str, headers: &HeaderMap) -> Response {
    let tag = format!("W/\"{}\"", *VERSION);
    let is_known = headers.get_all(IF_NONE_MATCH).iter().any(|value| lists(value, &tag));
    let mut response = match FILES.iter().position(|file| file.name == name) {
        Some(at) if !is_known => answer(at, headers, FOR_MINUTES),
        Some(_) => (StatusCode::NOT_MODIFIED, shared_headers(FOR_MINUTES)).into_response(),
        None => return StatusCode::NOT_FOUND.into_response(),
    };
    if let Ok(tag) = HeaderValue::try_from(tag) {
        response.headers_mut().insert(ETAG, tag);
    }
    response
}

fn answer(at: usize, headers: &HeaderMap, kept: HeaderValue) -> Response {
    let File { content_type, text, .. } = FILES[at];
    let common = (shared_headers(kept), [(CONTENT_TYPE, HeaderValue::from_static(content_type))]);
    if headers.get_all(ACCEPT_ENCODING).iter().any(|value| lists(value, "gzip")) {
        let coded = [(CONTENT_ENCODING, HeaderValue::from_static("gzip"))];
        return (common, coded, COMPRESSED[at].clone()).into_response();
    }
    (common, text).into_response()
}

/// Modules are taken over by other people's pages only where any origin is allowed to.
fn shared_headers(kept: HeaderValue) -> [(http::HeaderName, HeaderValue); 3] {
    [
        (CACHE_CONTROL, kept),
        (ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*")),
        (VARY, HeaderValue::from_static("accept-encoding")),
    ]
}

/// Whether a list has an entry, unless it is refused with `q=0`.
fn lists(value: &HeaderValue, wanted: &str) -> bool {
    let entries = value.to_str().unwrap_or_default().split(',');
    entries.into_iter().any(|entry| {
        let mut parts = entry.split(';').map(str::trim);
        let is_it = parts.next().is_some_and(|name| name.eq_ignore_ascii_case(wanted));
        is_it && !parts.any(|part| part.strip_prefix("q=").is_some_and(|q| q.parse() == Ok(0.0)))
    })
}

fn compress(text: &str) -> Bytes {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    // Writing to memory does not fail.
    let written = encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish());
    written.unwrap_or_default().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Most bytes of the player as it is delivered.
    const MOST_BYTES: usize = 15_000;

    #[test]
    fn the_player_is_built_from_its_sources() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/player");
        let mut paths: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths
            .retain(|path| path.extension().is_some_and(|extension| extension == "css" || extension == "js"));
        // As tools/player/build reads them: style first, then modules by name.
        paths.sort_by_key(|path| {
            (path.extension().map(std::ffi::OsStr::to_owned), path.file_name().map(ToOwned::to_owned))
        });
        let mut hash = Sha256::new();
        paths.iter().for_each(|path| hash.update(std::fs::read(path).unwrap()));
        let sources = hex::encode(&hash.finalize()[..8]);
        let banner = PLAYER.text.lines().next().unwrap();
        assert!(banner.contains(&sources), "the player has changed: run tools/player/build");
    }

    #[test]
    fn the_player_is_small() {
        let size = compress(PLAYER.text).len();
        assert!(size <= MOST_BYTES, "{size} bytes");
    }

    #[test]
    fn the_player_needs_nothing_beside_it() {
        assert!(!PLAYER.text.contains("from\"./") && !PLAYER.text.contains("import("));
    }

    fn accepting(coding: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(ACCEPT_ENCODING, HeaderValue::from_static(coding))])
    }

    async fn body(response: Response) -> Bytes {
        axum::body::to_bytes(response.into_body(), 1 << 20).await.unwrap()
    }

    #[tokio::test]
    async fn pages_of_another_version_get_this_one_and_do_not_keep_it() {
        let of = async |version: &str, name: &str| {
            asset(Path((version.to_owned(), name.to_owned())), HeaderMap::new()).await
        };
        let own = of(&VERSION, "player.js").await;
        assert_eq!(own.headers()[CACHE_CONTROL], FOR_EVER);
        let other = of("0000000000000000", "player.js").await;
        assert_eq!(other.headers()[CACHE_CONTROL], NOT_AT_ALL);
        assert_eq!(body(own).await, body(other).await);
        assert_eq!(of(&VERSION, "../lib.rs").await.status(), StatusCode::NOT_FOUND);
    }

    #[tokio::test]
    async fn it_is_compressed_for_those_who_can_read_that() {
        let response = stable_script(accepting("br, gzip;q=0.8")).await;
        assert_eq!(response.headers()[CONTENT_ENCODING], "gzip");
        let mut text = String::new();
        let read = body(response).await;
        std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(&read[..]), &mut text).unwrap();
        assert_eq!(text, PLAYER.text);
        for coding in ["br", "gzip;q=0", "identity"] {
            assert!(
                stable_script(accepting(coding)).await.headers().get(CONTENT_ENCODING).is_none(),
                "{coding}"
            );
        }
    }

    #[tokio::test]
    async fn the_stable_name_is_asked_for_again_and_rarely_sent() {
        let first = stable_script(HeaderMap::new()).await;
        let tag = first.headers()[ETAG].clone();
        let again = stable_script(HeaderMap::from_iter([(IF_NONE_MATCH, tag)])).await;
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
        assert!(again.headers().contains_key(ETAG));
    }
}

//! The player, and the other files that share pages load, compiled in.
//!
//! The player is one module that needs no other file of its version: a page may get it from any node, even while nodes
//! of two versions are running. It loads its texts in other languages, and stays English without them. Its versioned
//! address, for our own pages, may be cached permanently. `/embed/player.js` is a stable name, for pages of customers.

use std::io::Write;
use std::sync::LazyLock;

use axum::Router;
use axum::extract::Path;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::{
    ACCEPT_ENCODING, ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG,
    IF_NONE_MATCH, VARY,
};
use http::{HeaderMap, HeaderValue, StatusCode};
use sha2::{Digest, Sha256};
use tonearm_domain::Language;

use crate::text;

const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";

const FOR_EVER: HeaderValue = HeaderValue::from_static("public, max-age=31536000, immutable");
const FOR_MINUTES: HeaderValue = HeaderValue::from_static("public, max-age=300");
const NOT_AT_ALL: HeaderValue = HeaderValue::from_static("no-store");

const PLAYER: &str = include_str!("../../assets/player/built/player.js");

/// Name, type and text of the files that do not depend on the language.
const WRITTEN: [(&str, &str, &str); 5] = [
    ("player.js", JS, PLAYER),
    // For browsers that cannot construct style sheets; for others, the player contains it.
    ("player.css", CSS, include_str!("../../assets/player/built/player.css")),
    ("share.css", CSS, include_str!("../../assets/share.css")),
    ("copy.js", JS, include_str!("../../assets/copy.js")),
    ("follow.js", JS, include_str!("../../assets/follow.js")),
];

/// How many of them, from the beginning, also have stable names.
const STABLE: usize = 2;

/// A file that pages load.
struct File {
    name: String,
    content_type: &'static str,
    text: Bytes,
    /// The text compressed with gzip.
    compressed: Bytes,
}

impl File {
    fn new(name: &str, content_type: &'static str, text: String) -> Self {
        Self { name: name.to_owned(), content_type, compressed: compress(&text), text: text.into() }
    }
}

static FILES: LazyLock<Vec<File>> = LazyLock::new(|| {
    let written = WRITTEN.map(|(name, content_type, text)| File::new(name, content_type, text.to_owned()));
    let sentences =
        translated().map(|language| File::new(&sentences(language), JS, text::player_table(language)));
    let public = File::new("texts.js", JS, text::public_table());
    written.into_iter().chain(sentences).chain([public]).collect()
});

/// The languages whose texts the player loads. English is built in.
fn translated() -> impl Iterator<Item = Language> {
    Language::ALL.into_iter().filter(|language| *language != Language::English)
}

/// The name of the player's texts in a language.
fn sentences(language: Language) -> String {
    format!("texts-{language}.js")
}

static VERSION: LazyLock<String> = LazyLock::new(|| {
    let mut hash = Sha256::new();
    for File { name, text, .. } in FILES.iter() {
        hash.update(name);
        hash.update(text.len().to_be_bytes());
        hash.update(text);
    }
    hex::encode(&hash.finalize()[..8])
});

/// The address of a file in this version of the program.
pub(crate) fn address(name: &str) -> String {
    format!("/embed/assets/{}/{name}", *VERSION)
}

/// The files under their versioned addresses, and the player and its texts under stable names.
pub(crate) fn routes<S: Clone + Send + Sync + 'static>() -> Router<S> {
    let versioned = Router::new().route("/embed/assets/{version}/{name}", get(asset));
    let names = WRITTEN[..STABLE].iter().map(|(name, ..)| (*name).to_owned());
    names.chain(translated().map(sentences)).fold(versioned, |routes, name| {
        let address = format!("/embed/{name}");
        routes.route(&address, get(async move |headers: HeaderMap| stable(&name, &headers)))
    })
}

/// Serves one of the files. A page that a node with another version rendered gets the file of this version, which must
/// not be cached under that address.
async fn asset(Path((version, name)): Path<(String, String)>, headers: HeaderMap) -> Response {
    let Some(file) = FILES.iter().find(|file| file.name == name) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    answer(file, &headers, if version == *VERSION { FOR_EVER } else { NOT_AT_ALL })
}

/// A file under its stable name.
fn stable(name: &str, headers: &HeaderMap) -> Response {
    let tag = format!("W/\"{}\"", *VERSION);
    let is_known = headers.get_all(IF_NONE_MATCH).iter().any(|value| lists(value, &tag));
    let mut response = match FILES.iter().find(|file| file.name == name) {
        Some(file) if !is_known => answer(file, headers, FOR_MINUTES),
        Some(_) => (StatusCode::NOT_MODIFIED, shared_headers(FOR_MINUTES)).into_response(),
        None => return StatusCode::NOT_FOUND.into_response(),
    };
    if let Ok(tag) = HeaderValue::try_from(tag) {
        response.headers_mut().insert(ETAG, tag);
    }
    response
}

fn answer(file: &File, headers: &HeaderMap, kept: HeaderValue) -> Response {
    let common = (shared_headers(kept), [(CONTENT_TYPE, HeaderValue::from_static(file.content_type))]);
    if headers.get_all(ACCEPT_ENCODING).iter().any(|value| lists(value, "gzip")) {
        let coded = [(CONTENT_ENCODING, HeaderValue::from_static("gzip"))];
        return (common, coded, file.compressed.clone()).into_response();
    }
    (common, file.text.clone()).into_response()
}

/// Pages of other sites may import modules only if any origin is allowed.
fn shared_headers(kept: HeaderValue) -> [(http::HeaderName, HeaderValue); 3] {
    [
        (CACHE_CONTROL, kept),
        (ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*")),
        (VARY, HeaderValue::from_static("accept-encoding")),
    ]
}

/// Whether a list has an entry that is not refused with `q=0`.
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
    use axum::body::Body;
    use axum::extract::Request;
    use tower::ServiceExt;

    use super::*;

    /// The most bytes of the player as delivered.
    const MOST_BYTES: usize = 16_800;

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
        let banner = PLAYER.lines().next().unwrap();
        assert!(banner.contains(&sources), "the player has changed: run tools/player/build");
    }

    #[test]
    fn the_player_is_small() {
        let size = compress(PLAYER).len();
        assert!(size <= MOST_BYTES, "{size} bytes");
    }

    #[test]
    fn the_player_needs_nothing_beside_it() {
        assert!(!PLAYER.contains("from\"./"));
        // Its texts in other languages, without which it stays English.
        assert_eq!(PLAYER.matches("import(").count(), 1);
        assert!(PLAYER.contains("import(new URL(`texts-${"));
    }

    #[test]
    fn the_player_asks_for_the_languages_that_there_are() {
        let source = include_str!("../../assets/player/texts.js");
        let languages = source.lines().find(|line| line.starts_with("const LANGUAGES")).unwrap();
        let asked: Vec<_> = languages.split('"').skip(1).step_by(2).collect();
        let mut known: Vec<_> = translated().map(Language::as_str).collect();
        known.sort_unstable();
        assert_eq!(asked, known);
    }

    #[tokio::test]
    async fn sentences_are_beside_the_player() {
        let routes: Router = routes();
        let get = async |address: &str| {
            let request = Request::get(address).body(Body::empty()).unwrap();
            routes.clone().oneshot(request).await.unwrap()
        };
        for address in ["/embed/texts-de.js".to_owned(), address("texts-fr.js"), address("texts.js")] {
            let response = get(&address).await;
            assert_eq!(response.status(), StatusCode::OK, "{address}");
            assert_eq!(response.headers()[CONTENT_TYPE], JS);
            assert_eq!(response.headers()[ACCESS_CONTROL_ALLOW_ORIGIN], "*");
        }
        assert_eq!(get("/embed/texts-en.js").await.status(), StatusCode::NOT_FOUND);
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
        let response = stable("player.js", &accepting("br, gzip;q=0.8"));
        assert_eq!(response.headers()[CONTENT_ENCODING], "gzip");
        let mut text = String::new();
        let read = body(response).await;
        std::io::Read::read_to_string(&mut flate2::read::GzDecoder::new(&read[..]), &mut text).unwrap();
        assert_eq!(text, PLAYER);
        for coding in ["br", "gzip;q=0", "identity"] {
            assert!(
                stable("player.js", &accepting(coding)).headers().get(CONTENT_ENCODING).is_none(),
                "{coding}"
            );
        }
    }

    #[test]
    fn the_stable_name_is_asked_for_again_and_rarely_sent() {
        let first = stable("player.js", &HeaderMap::new());
        let tag = first.headers()[ETAG].clone();
        let again = stable("player.js", &HeaderMap::from_iter([(IF_NONE_MATCH, tag)]));
        assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
        assert!(again.headers().contains_key(ETAG));
    }
}

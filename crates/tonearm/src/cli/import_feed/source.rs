//! Reads a feed from a URL or a file.

use std::fmt::Display;
use std::io::Read;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use axum::http::Request;
use reqwest::StatusCode;
use reqwest::header::{ACCEPT, CONTENT_ENCODING, HeaderMap, LOCATION};
use tonearm_domain::innermost_cause;
use tonearm_outbound::{CallLimits, Outbound, install_tls_provider};
use url::Url;

use super::for_this_command;

/// The largest feed that is read, in bytes.
pub(super) const LARGEST_FEED: u64 = 32 << 20;

/// How long a feed may take, from the first request to the last byte.
const TIMEOUT: Duration = Duration::from_secs(120);

const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);

/// Maximum number of redirects.
const MOST_REDIRECTS: usize = 5;

const TYPES: &str =
    "application/rss+xml, application/atom+xml, application/xml;q=0.9, text/xml;q=0.9, */*;q=0.5";

/// The URL of a feed, or a file that contains the feed.
#[derive(Debug, Clone)]
pub(super) enum FeedSource {
    Url(Url),
    File(PathBuf),
}

/// The bytes of a feed, and its URL, to which its URLs are relative.
pub(super) struct FeedBytes {
    pub(super) bytes: Vec<u8>,
    pub(super) base: Option<Url>,
}

impl FromStr for FeedSource {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        // Podcast apps put `feed:` before the URL.
        let text = text.strip_prefix("feed:").map_or(text, |rest| rest.strip_prefix("//").unwrap_or(rest));
        match text.split_once("://") {
            Some(("http" | "https", _)) => Url::parse(text).map(Self::Url).map_err(|error| error.to_string()),
            Some((scheme, _)) => {
                Err(format!("{scheme} is not supported; use an http or https URL, or a file"))
            }
            None if text.is_empty() => Err("must be an http or https URL, or a file".to_owned()),
            None => Ok(Self::File(text.into())),
        }
    }
}

impl FeedSource {
    /// Its URL, if it has one.
    pub(super) fn url(&self) -> Option<Url> {
        match self {
            Self::Url(url) => Some(url.clone()),
            Self::File(_) => None,
        }
    }

    /// Reads the feed. An error is a sentence, without the URL, which may contain a password.
    pub(super) async fn read(&self) -> Result<FeedBytes, String> {
        match self {
            Self::Url(url) => fetch(url.clone()).await,
            Self::File(path) => {
                let opened =
                    std::fs::File::open(path).map_err(|error| format!("{}: {error}", path.display()))?;
                let mut bytes = Vec::new();
                let read = opened.take(LARGEST_FEED + 1).read_to_end(&mut bytes);
                read.map_err(|error| format!("{}: {error}", path.display()))?;
                check_size(bytes.len() as u64)?;
                Ok(FeedBytes { bytes, base: None })
            }
        }
    }
}

fn check_size(bytes: u64) -> Result<(), String> {
    match bytes > LARGEST_FEED {
        true => Err(format!("the feed is larger than {} MiB", LARGEST_FEED >> 20)),
        false => Ok(()),
    }
}

async fn fetch(url: Url) -> Result<FeedBytes, String> {
    install_tls_provider();
    let client = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::limited(MOST_REDIRECTS))
        .connect_timeout(CONNECT_TIMEOUT)
        .timeout(TIMEOUT)
        .user_agent(concat!("tonearm/", env!("CARGO_PKG_VERSION")))
        .build()
        .map_err(|error| error.to_string())?;
    let host = url.host_str().unwrap_or_default().to_owned();
    let failed = |error: reqwest::Error| format!("the feed cannot be fetched from {host}: {}", cause(error));
    let mut response = client.get(url).header(ACCEPT, TYPES).send().await.map_err(failed)?;
    check_response(&host, response.status(), response.headers())?;
    check_size(response.content_length().unwrap_or_default())?;
    let base = response.url().clone();
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(failed)? {
        check_size((bytes.len() + chunk.len()) as u64)?;
        bytes.extend_from_slice(&chunk);
    }
    Ok(FeedBytes { bytes, base: Some(base) })
}

/// Reads what a feed refers to: its next page, or the place where it is now. Other servers must be public, unless `outbound`
/// allows more: the author of a feed must not reach private addresses through this computer.
pub(super) async fn follow(url: &Url, from: &FeedBytes, outbound: &Outbound) -> Result<FeedBytes, String> {
    if from.base.as_ref().is_some_and(|base| base.origin() == url.origin()) {
        return fetch(url.clone()).await;
    }
    let host = url.host_str().unwrap_or_default();
    let failed = |problem: &dyn Display| {
        format!("the feed cannot be fetched from {host}: {}", for_this_command(problem))
    };
    let most = usize::try_from(LARGEST_FEED).unwrap_or(usize::MAX);
    let limits = CallLimits { timeout: TIMEOUT, body: most.saturating_add(1) };
    let mut url = url.clone();
    for _ in 0..=MOST_REDIRECTS {
        let request = Request::get(url.as_str()).header(ACCEPT, TYPES).body(Vec::new());
        let request = request.map_err(|error| failed(&error))?;
        let answer = outbound.send(request, limits).await.map_err(|error| failed(&error))?;
        let status = StatusCode::from_u16(answer.status).map_err(|error| failed(&error))?;
        if status.is_redirection() {
            let location = answer.headers.get(LOCATION).and_then(|to| to.to_str().ok());
            url = location.and_then(|to| url.join(to).ok()).ok_or_else(|| failed(&"it redirects nowhere"))?;
            continue;
        }
        check_response(host, status, &answer.headers)?;
        check_size(answer.body.len() as u64)?;
        return Ok(FeedBytes { bytes: answer.body.to_vec(), base: Some(url) });
    }
    Err(failed(&format!("the server redirects more than {MOST_REDIRECTS} times")))
}

fn check_response(host: &str, status: StatusCode, headers: &HeaderMap) -> Result<(), String> {
    if !status.is_success() {
        return Err(format!("{host} responds with {status} instead of the feed"));
    }
    match headers.get(CONTENT_ENCODING).is_some_and(|encoding| encoding != "identity") {
        true => Err(format!(
            "{host} sends the feed compressed, which was not requested; serve it without compression"
        )),
        false => Ok(()),
    }
}

/// The cause of an error, which does not contain the URL.
fn cause(error: reqwest::Error) -> String {
    if error.is_timeout() {
        return format!("it does not arrive within {} seconds", TIMEOUT.as_secs());
    }
    if error.is_redirect() {
        return format!("the server redirects more than {MOST_REDIRECTS} times");
    }
    let error = error.without_url();
    innermost_cause(&error).map_or_else(|| error.to_string(), ToString::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_told_from_files() {
        for text in
            ["https://example.com/feed", "feed://https://example.com/feed", "feed:https://example.com/feed"]
        {
            let Ok(FeedSource::Url(url)) = text.parse() else { panic!("{text}") };
            assert_eq!(url.as_str(), "https://example.com/feed");
        }
        assert!(matches!("feeds/show.xml".parse(), Ok(FeedSource::File(_))));
        for text in ["", "ftp://example.com/feed", "file:///etc/passwd", "https://"] {
            assert!(text.parse::<FeedSource>().is_err(), "{text}");
        }
    }
}

//! URLs of files, and the file names that URLs and servers give.

use std::borrow::Cow;

use http::HeaderMap;
use http::header::CONTENT_DISPOSITION;
use percent_encoding::percent_decode;
use tonearm_domain::{BucketName, S3Url, S3UrlError};
use url::Url;

use crate::guard::GuardError;
use crate::outbound::Outbound;

/// Maximum number of characters of a file name; the rest is cut off.
const MOST_CHARACTERS: usize = 1000;

/// The URL of a file, checked as far as possible without calling it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceUrl {
    /// The whole URL, which may contain secrets.
    pub url: String,
    /// The host, with the port if it is not the default one; for an object, its bucket as `s3://bucket`.
    pub host: String,
    /// The bucket, if it is an object in one.
    pub bucket: Option<BucketName>,
    /// The last part of the path, if there is one.
    pub file_name: Option<String>,
}

/// Why a text is not the URL of a file. The message is for the user who entered it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SourceUrlError {
    /// It is not a URL, or one that may not be called.
    #[error(transparent)]
    Guard(#[from] GuardError),
    /// It is not the URL of an object.
    #[error(transparent)]
    S3(#[from] S3UrlError),
}

impl From<S3Url> for SourceUrl {
    fn from(at: S3Url) -> Self {
        let (url, host) = (at.to_string(), format!("s3://{}", at.bucket));
        Self { url, host, file_name: usable(&at.key), bucket: Some(at.bucket) }
    }
}

impl Outbound {
    /// Checks the URL of a file as far as possible without calling it: an http or https URL, which may have spaces
    /// around it, or `s3://bucket/key`, in which everything after the bucket is the key.
    pub fn check_source_url(&self, text: &str) -> Result<SourceUrl, SourceUrlError> {
        if S3Url::is_meant(text.trim_start()) {
            return Ok(text.trim_start().parse::<S3Url>()?.into());
        }
        let mut url = self.guard.check_url(text.trim())?;
        url.set_fragment(None);
        let host = host_and_port(&url);
        let last = url.path_segments().and_then(|mut segments| segments.next_back()).unwrap_or_default();
        let file_name = usable(&percent_decode(last.as_bytes()).decode_utf8_lossy());
        Ok(SourceUrl { host, file_name, bucket: None, url: url.into() })
    }
}

/// The part of a URL that is no secret: the host, with the port if it is not the default one. Empty if the text is no
/// URL.
pub fn shown_host(url: &str) -> String {
    Url::parse(url).map(|url| host_and_port(&url)).unwrap_or_default()
}

fn host_and_port(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    }
}

/// The name in `Content-Disposition`: `filename*` if there is one, else `filename`.
pub(crate) fn disposed_name(headers: &HeaderMap) -> Option<String> {
    let bytes = headers.get(CONTENT_DISPOSITION)?.as_bytes();
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(latin1(bytes)),
    };
    let parameters = parameters(&text);
    let named = |wanted: &str| parameters.iter().find(|(name, _)| name == wanted).map(|(_, value)| value);
    let extended = named("filename*").and_then(|value| extended(value));
    extended.as_ref().or_else(|| named("filename")).and_then(|name| usable(name))
}

/// The parameters after the first semicolon, with names in lower case and values without their quotation marks.
fn parameters(text: &str) -> Vec<(String, String)> {
    let mut parameters = Vec::new();
    let mut rest = text.split_once(';').map_or("", |(_, rest)| rest);
    while let Some((name, after)) = rest.split_once('=') {
        let (value, after) = value(after.trim_start());
        // Parameters without a value before it are skipped.
        let name = name.rsplit(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        parameters.push((name, value));
        rest = after.split_once(';').map_or("", |(_, rest)| rest);
    }
    parameters
}

/// The value at the beginning, and the text after it.
fn value(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find(';').unwrap_or(text.len());
        return (text[..end].trim().to_owned(), &text[end..]);
    };
    let (mut value, mut is_escaped) = (String::new(), false);
    for (at, character) in quoted.char_indices() {
        match character {
            '\\' if !is_escaped => is_escaped = true,
            '"' if !is_escaped => return (value, &quoted[at + 1..]),
            _ => {
                value.push(character);
                is_escaped = false;
            }
        }
    }
    (value, "")
}

/// `UTF-8'en'a%20name`, or the same in Latin-1.
fn extended(value: &str) -> Option<String> {
    let (charset, rest) = value.split_once('\'')?;
    let bytes: Vec<u8> = percent_decode(rest.split_once('\'')?.1.as_bytes()).collect();
    match charset.to_ascii_lowercase().as_str() {
        "utf-8" => String::from_utf8(bytes).ok(),
        "iso-8859-1" => Some(latin1(&bytes)),
        _ => None,
    }
}

fn latin1(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}

/// The last part of a path without control characters; none if nothing is left.
fn usable(name: &str) -> Option<String> {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    let name: String = last.chars().filter(|c| !c.is_control()).take(MOST_CHARACTERS).collect();
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn disposed(text: &[u8]) -> Option<String> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_DISPOSITION, HeaderValue::from_bytes(text).unwrap());
        disposed_name(&headers)
    }

    #[test]
    fn servers_name_files_in_many_ways() {
        for (text, expected) in [
            ("attachment; filename=song.mp3", "song.mp3"),
            ("attachment;FILENAME=\"my song.mp3\"", "my song.mp3"),
            ("attachment; filename=\"a \\\"b\\\"; c.mp3\"; size=7", "a \"b\"; c.mp3"),
            ("attachment; filename=\"fallback.mp3\"; filename*=UTF-8''Gr%C3%B6%C3%9Fe.mp3", "Größe.mp3"),
            ("attachment; filename*=utf-8'de'%e6%97%a5.opus; filename=x", "日.opus"),
            ("inline; filename*=ISO-8859-1''Gr%F6%DFe.mp3", "Größe.mp3"),
            ("attachment; filename*=UTF-8''%FF.mp3; filename=plain.mp3", "plain.mp3"),
            ("attachment; filename*=klingon''x.mp3; filename=plain.mp3", "plain.mp3"),
            ("attachment; filename=\"../../etc/passwd\"", "passwd"),
            ("attachment; size; filename=a.mp3", "a.mp3"),
            ("attachment; filename=\"never ends.mp3", "never ends.mp3"),
            ("attachment; filename=\"Größe.mp3\"", "Größe.mp3"),
        ] {
            assert_eq!(disposed(text.as_bytes()).as_deref(), Some(expected), "{text}");
        }
        assert_eq!(disposed(b"attachment; filename=\"Gr\xf6\xdfe.mp3\"").as_deref(), Some("Größe.mp3"));
        for text in
            ["attachment", "", ";", "attachment; filename=", "attachment; filename=\"/\"", "filename=a.mp3"]
        {
            assert_eq!(disposed(text.as_bytes()), None, "{text}");
        }
        let long = format!("attachment; filename={}", "x".repeat(5000));
        assert_eq!(disposed(long.as_bytes()).unwrap().len(), MOST_CHARACTERS);
    }

    #[test]
    fn urls_end_with_a_name() {
        let outbound = Outbound::new(false).unwrap();
        let of = |url: &str| outbound.check_source_url(url).map(|url| (url.host, url.file_name));
        let named = |host: &str, name: &str| Ok((host.to_owned(), Some(name.to_owned())));
        assert_eq!(
            of("https://example.com/a/My%20song.mp3?token=x#part"),
            named("example.com", "My song.mp3")
        );
        assert_eq!(of("http://example.com:8080/%E6%97%A5.wav"), named("example.com:8080", "日.wav"));
        assert_eq!(of("https://example.com/..%2F..%2Fpasswd"), named("example.com", "passwd"));
        assert_eq!(of("https://example.com/a/"), Ok(("example.com".to_owned(), None)));
        assert_eq!(of("https://example.com"), Ok(("example.com".to_owned(), None)));
        assert!(matches!(of("http://127.0.0.1/a.mp3"), Err(SourceUrlError::Guard(GuardError::Private(_)))));
        assert_eq!(
            of(" https://me:secret@example.com/a.mp3"),
            Err(SourceUrlError::Guard(GuardError::Credentials))
        );
        assert_eq!(of("s3://music/a/My%20song ?.wav"), named("s3://music", "My%20song ?.wav"));
        assert_eq!(of("s3://music/a/"), Ok(("s3://music".to_owned(), None)));
        assert_eq!(of("s3://music"), Err(SourceUrlError::S3(S3UrlError::Malformed)));
        let url = outbound.check_source_url("https://example.com/a.mp3#part").unwrap().url;
        assert_eq!(url, "https://example.com/a.mp3");
    }
}

//! The bytes of a file that is being fetched. If the connection breaks, the rest is requested.

use std::time::{Duration, SystemTime};

use bytes::Bytes;
use futures::stream::BoxStream;
use futures::{StreamExt, stream};
use http::header::{CONTENT_RANGE, DATE, ETAG, LAST_MODIFIED};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use reqwest::Response;
use tokio::time::{Instant, sleep_until, timeout_at};

use super::error::{FetchError, too_large, too_late};
use super::headers::{check_kind, is_strong, text};
use super::limits::FetchLimits;
use super::request::{Fetch, ResumePoint};
use crate::source_url::disposed_name;

/// Maximum number of consecutive reconnections that bring no bytes.
const MOST_IN_VAIN: u32 = 5;

/// Maximum number of reconnections in total.
const MOST_RESUMED: u32 = 1000;

/// A file that is being fetched.
pub struct Fetched {
    /// The size in bytes, if the server reports it.
    pub size: Option<u64>,
    /// The file name that the server reports.
    pub file_name: Option<String>,
    /// The bytes. The stream ends only at the end of the file.
    pub body: BoxStream<'static, Result<Bytes, FetchError>>,
}

/// How far a file has been fetched.
struct Reading {
    begun: Instant,
    fetch: Fetch,
    response: Option<Response>,
    version: Version,
    size: Option<u64>,
    offset: u64,
    /// Where the part ends that is being received, if it is a part.
    part_end: Option<u64>,
    /// Why the last connection broke.
    broken: String,
    /// How long the server asked to wait before the next request, in seconds.
    wait: Option<i64>,
    in_vain: u32,
    resumed: u32,
    /// The next deadline, and the number of bytes that the server has to send until then.
    next_due: (Instant, u64),
}

impl Fetched {
    pub(super) fn begin(fetch: Fetch, response: Response, size: Option<u64>) -> Self {
        let headers = response.headers();
        let (file_name, version) = (disposed_name(headers), Version::of(headers));
        let reading = Reading {
            begun: Instant::now(),
            next_due: due(&fetch),
            fetch,
            response: Some(response),
            version,
            size,
            offset: 0,
            part_end: None,
            broken: String::new(),
            wait: None,
            in_vain: 0,
            resumed: 0,
        };
        let body = stream::try_unfold(reading, |reading| Box::pin(reading.next())).boxed();
        Self { size, file_name, body }
    }
}

fn due(fetch: &Fetch) -> (Instant, u64) {
    (Instant::now() + fetch.limits.patience, FetchLimits::LEAST_BYTES)
}

impl Reading {
    async fn next(mut self) -> Result<Option<(Bytes, Self)>, FetchError> {
        loop {
            let until = self.next_due.0.min(self.behind_at()).min(self.fetch.deadline);
            let Some(response) = &mut self.response else {
                if self.size == Some(self.offset) {
                    return Ok(None);
                }
                self.resume().await?;
                continue;
            };
            match timeout_at(until, response.chunk()).await {
                Ok(Ok(Some(chunk))) if chunk.is_empty() => {}
                Ok(Ok(Some(chunk))) => {
                    self.note(chunk.len() as u64)?;
                    return Ok(Some((chunk, self)));
                }
                Ok(Ok(None)) if self.is_complete() => return Ok(None),
                Ok(Ok(None)) => self.break_off("the server ended the connection early".to_owned()),
                Ok(Err(error)) => match self.fetch.explain(&error) {
                    FetchError::Later(reason, _) => self.break_off(reason),
                    error => return Err(error),
                },
                Err(_) => {
                    self.check_deadline()?;
                    self.check_pace()?;
                    let patience = self.fetch.limits.patience.as_secs();
                    self.break_off(format!("the server sent almost nothing for {patience} s"));
                }
            }
        }
    }

    /// Whether the file ends where a response has ended. The end of a part without a size says nothing: the rest is
    /// requested until there is none.
    fn is_complete(&self) -> bool {
        match self.size {
            Some(size) => self.offset == size,
            None => self.part_end.is_none(),
        }
    }

    fn note(&mut self, bytes: u64) -> Result<(), FetchError> {
        self.offset += bytes;
        self.in_vain = 0;
        let missing = self.next_due.1.saturating_sub(bytes);
        self.next_due = if missing == 0 { due(&self.fetch) } else { (self.next_due.0, missing) };
        if self.offset > self.fetch.limits.max_bytes {
            return Err(too_large(self.fetch.limits, None));
        }
        match self.size.into_iter().chain(self.part_end).min() {
            Some(end) if self.offset > end => Err(changed()),
            _ => Ok(()),
        }
    }

    fn break_off(&mut self, reason: String) {
        tracing::debug!(reason, offset = self.offset, "a fetch was interrupted");
        (self.response, self.broken) = (None, reason);
    }

    /// When less has arrived than must have by then.
    fn behind_at(&self) -> Instant {
        let limits = self.fetch.limits;
        let whole_in_time = self.size.unwrap_or(0).div_ceil(limits.total.as_secs().max(1));
        let pace = limits.pace.max(whole_in_time).max(1);
        self.begun + limits.grace + Duration::from_secs_f64(self.offset as f64 / pace as f64)
    }

    fn check_pace(&self) -> Result<(), FetchError> {
        if Instant::now() < self.behind_at() {
            return Ok(());
        }
        let (offset, seconds) = (self.offset, self.begun.elapsed().as_secs());
        let reason = format!("the server sends too slowly: {offset} bytes in {seconds} s");
        Err(FetchError::Later(reason, None))
    }

    fn check_deadline(&self) -> Result<(), FetchError> {
        if Instant::now() < self.fetch.deadline {
            return Ok(());
        }
        Err(too_late(self.fetch.limits))
    }

    /// Requests the rest, once. After a temporary failure, the next call retries.
    async fn resume(&mut self) -> Result<(), FetchError> {
        let Some(validator) = self.version.validator.clone().filter(|_| self.offset > 0) else {
            return Err(FetchError::StartOver(self.broken.clone()));
        };
        let patience = self.fetch.limits.patience;
        let asked = Duration::from_secs(self.wait.and_then(|wait| wait.try_into().ok()).unwrap_or(0));
        // A run that waits keeps others waiting.
        if self.in_vain >= MOST_IN_VAIN || self.resumed >= MOST_RESUMED || asked > patience {
            let reason =
                format!("the connection failed {} times, at last: {}", self.resumed + 1, self.broken);
            return Err(FetchError::Later(reason, self.wait));
        }
        let pause = asked.max(self.fetch.limits.pause * (1 << self.in_vain));
        sleep_until(self.fetch.deadline.min(Instant::now() + pause)).await;
        self.check_deadline()?;
        (self.in_vain, self.resumed, self.wait) = (self.in_vain + 1, self.resumed + 1, None);
        let from = ResumePoint { offset: self.offset, validator: &validator };
        match self.fetch.request(Some(from)).await {
            Ok(response) => self.go_on(response).await,
            Err(FetchError::Later(reason, wait)) => {
                (self.broken, self.wait) = (reason, wait);
                Ok(())
            }
            Err(error) => Err(error),
        }
    }

    /// Continues with a response, if it has the requested rest.
    async fn go_on(&mut self, response: Response) -> Result<(), FetchError> {
        let (status, headers) = (response.status(), response.headers());
        match status {
            StatusCode::PARTIAL_CONTENT => {}
            // There is no rest, and so the file is complete.
            StatusCode::RANGE_NOT_SATISFIABLE
                if self.size.is_none()
                    && whole_size(headers) == Some(self.offset)
                    && self.version.may_be_of(headers) =>
            {
                self.size = Some(self.offset);
                return Ok(());
            }
            // Another file, or a server that does not support ranges.
            StatusCode::OK | StatusCode::RANGE_NOT_SATISFIABLE | StatusCode::PRECONDITION_FAILED => {
                return Err(changed());
            }
            _ => {
                return match self.fetch.refused(response).await {
                    FetchError::Later(reason, wait) => {
                        (self.broken, self.wait) = (reason, wait);
                        Ok(())
                    }
                    error => Err(error),
                };
            }
        }
        check_kind(headers)?;
        let part = Part::of(headers).ok_or_else(changed)?;
        let is_other_size = self.size.zip(part.size).is_some_and(|(first, size)| first != size);
        if part.start != self.offset || is_other_size || !self.version.is_of_part(headers) {
            return Err(changed());
        }
        self.size = self.size.or(part.size);
        self.part_end = Some(part.end);
        self.next_due = due(&self.fetch);
        self.response = Some(response);
        Ok(())
    }
}

fn changed() -> FetchError {
    FetchError::StartOver(
        "the connection failed, and the server changed the file or does not send parts of it".to_owned(),
    )
}

/// What `Content-Range` says about a part: its first byte, the byte after its last, and the size of the file if it is
/// given.
#[derive(Debug, PartialEq, Eq)]
struct Part {
    start: u64,
    end: u64,
    size: Option<u64>,
}

impl Part {
    fn of(headers: &HeaderMap) -> Option<Self> {
        let (range, size) = byte_range(headers)?;
        let (start, last) = range.split_once('-')?;
        let (start, last): (u64, u64) = (start.trim().parse().ok()?, last.trim().parse().ok()?);
        let size = match size {
            "*" => None,
            size => Some(size.parse().ok()?),
        };
        let end = last.checked_add(1)?;
        (start < end && size.is_none_or(|size| end <= size)).then_some(Self { start, end, size })
    }
}

/// The size of a file of which no requested part exists.
fn whole_size(headers: &HeaderMap) -> Option<u64> {
    let (range, size) = byte_range(headers)?;
    (range == "*").then(|| size.parse().ok()).flatten()
}

/// The range and the size in `Content-Range`.
fn byte_range(headers: &HeaderMap) -> Option<(&str, &str)> {
    let (unit, range) = text(headers, &CONTENT_RANGE)?.trim().split_once(' ')?;
    let (range, size) = range.split_once('/')?;
    unit.eq_ignore_ascii_case("bytes").then_some((range.trim(), size.trim()))
}

/// How a server names the version of a file.
struct Version {
    tag: Option<HeaderValue>,
    modified: Option<HeaderValue>,
    /// The one that guarantees identical bytes, if there is one.
    validator: Option<HeaderValue>,
}

impl Version {
    fn of(headers: &HeaderMap) -> Self {
        let of = |name| headers.get(name).cloned();
        Self { tag: of(ETAG), modified: of(LAST_MODIFIED), validator: validator(headers) }
    }

    /// Whether nothing in a response says that it is of another version. A server may answer without having compared
    /// the validator.
    fn may_be_of(&self, headers: &HeaderMap) -> bool {
        let is_same =
            |own: &Option<HeaderValue>, name| headers.get(name).is_none_or(|it| own.as_ref() == Some(it));
        is_same(&self.tag, ETAG) && is_same(&self.modified, LAST_MODIFIED)
    }

    /// Whether a part is of this version. Unlike a date, a tag may not be left out (RFC 9110, 15.3.7).
    fn is_of_part(&self, headers: &HeaderMap) -> bool {
        self.may_be_of(headers) && (self.tag.is_none() || headers.contains_key(ETAG))
    }
}

/// A validator that guarantees identical bytes: a strong tag, or a date that is not from the same second as the
/// response, in which the file may have changed twice.
fn validator(headers: &HeaderMap) -> Option<HeaderValue> {
    let tag = headers.get(ETAG).filter(|tag| is_strong(tag));
    tag.or_else(|| {
        let date = |name: &HeaderName| httpdate::parse_http_date(text(headers, name)?).ok();
        let (answered, modified): (SystemTime, SystemTime) = (date(&DATE)?, date(&LAST_MODIFIED)?);
        let age = answered.duration_since(modified).ok()?;
        headers.get(LAST_MODIFIED).filter(|_| age >= Duration::from_secs(1))
    })
    .cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(lines: &[(&'static str, &'static str)]) -> HeaderMap {
        lines
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
            .collect()
    }

    #[test]
    fn only_what_is_surely_the_same_is_resumed() {
        let of = |lines: &[(&'static str, &'static str)]| {
            validator(&headers(lines)).map(|value| value.to_str().unwrap().to_owned())
        };
        let (old, new) = ("Mon, 02 Mar 2026 06:00:00 GMT", "Mon, 02 Mar 2026 06:00:01 GMT");
        assert_eq!(of(&[("etag", "\"a\""), ("last-modified", old)]).as_deref(), Some("\"a\""));
        assert_eq!(of(&[("etag", "W/\"a\"")]), None);
        assert_eq!(of(&[("etag", "W/\"a\""), ("last-modified", old), ("date", new)]).as_deref(), Some(old));
        assert_eq!(of(&[("last-modified", old), ("date", old)]), None);
        assert_eq!(of(&[("last-modified", new), ("date", old)]), None);
        assert_eq!(of(&[("last-modified", old)]), None);
        assert_eq!(of(&[("last-modified", "yesterday"), ("date", new)]), None);
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn parts_say_where_they_begin() {
        let of = |text: &'static str| Part::of(&headers(&[("content-range", text)]));
        assert_eq!(of("bytes 7-9/10"), Some(Part { start: 7, end: 10, size: Some(10) }));
        assert_eq!(of("Bytes 7-9/*"), Some(Part { start: 7, end: 10, size: None }));
        for wrong in [
            "bytes */10",
            "bytes 7-9",
            "items 7-9/10",
            "bytes a-9/10",
            "bytes 7-9/-1",
            "bytes 9-7/10",
            "bytes 7-9/9",
            "bytes 7-18446744073709551615/*",
            "",
        ] {
            assert_eq!(of(wrong), None, "{wrong}");
        }
        let whole = |text: &'static str| whole_size(&headers(&[("content-range", text)]));
        assert_eq!((whole("bytes */10"), whole("bytes */*"), whole("bytes 0-9/10")), (Some(10), None, None));
    }
}

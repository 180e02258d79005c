//! Forms: read without conversion and validated by hand, so that all problems are shown beside their fields.

use std::borrow::Cow;
use std::collections::HashMap;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, FromRequest, Multipart, Request};
use futures::StreamExt;
use http::header::CONTENT_TYPE;
use http::{Extensions, HeaderMap, HeaderValue, StatusCode};
use tokio::time::timeout;
use tonearm_domain::{BodyBudget, CollectError, MOST_CAPTION_BYTES};
use tonearm_service::{CollectedBody, Refusal, without_turn};

use crate::error::PageError;
use crate::refusal_text::{message_beside_field, not_found, sentence};
use crate::text::t;

/// The most bytes of a form without files.
pub(crate) const MOST_BYTES: usize = 256 * 1024;

/// The most bytes of a form with `multipart/form-data`: a transcript, once as text and once as a file, and other fields.
const MOST_MULTIPART_BYTES: usize = 2 * MOST_CAPTION_BYTES + 64 * 1024;

/// How long a form without files may take to arrive.
pub(crate) const READ_WITHIN: Duration = Duration::from_secs(30);

/// The whole body of a form without files.
pub(crate) async fn read(extensions: &Extensions, body: Body, most: usize) -> Result<Bytes, PageError> {
    let mut chunks = body.into_data_stream();
    let collect = BodyBudget::collect(extensions.get(), most, |context| chunks.poll_next_unpin(context));
    let whole = match without_turn(timeout(READ_WITHIN, collect)).await? {
        Ok(Ok(whole)) => Bytes::from(whole),
        Ok(Err(CollectError::TooLarge)) => return Err(PageError::TooLarge { limit: most as u64 }),
        Ok(Err(CollectError::NoMemory | CollectError::Interrupted(_))) | Err(_) => {
            return Err(PageError::FormIncomplete);
        }
    };
    if let Some(collected) = extensions.get::<CollectedBody>() {
        collected.keep(&whole);
    }
    Ok(whole)
}

/// An option: in a list, of checkboxes, or of tabs.
pub(crate) struct Choice {
    pub(crate) value: Cow<'static, str>,
    pub(crate) label: Cow<'static, str>,
    pub(crate) is_chosen: bool,
}

impl Choice {
    pub(crate) fn new(
        value: impl Into<Cow<'static, str>>,
        label: impl Into<Cow<'static, str>>,
        is_chosen: bool,
    ) -> Self {
        Self { value: value.into(), label: label.into(), is_chosen }
    }
}

/// The fields of a submitted form. A field may occur several times, as checkboxes do.
#[derive(Debug, Default)]
pub(crate) struct Fields(Vec<(String, String)>);

impl From<Vec<(String, String)>> for Fields {
    fn from(fields: Vec<(String, String)>) -> Self {
        Self(fields)
    }
}

impl Fields {
    /// A field without surrounding whitespace; empty if it is missing.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.raw(name).trim()
    }

    /// A field as it was typed, such as a password.
    pub(crate) fn raw(&self, name: &str) -> &str {
        self.0.iter().find(|(own, _)| own == name).map_or("", |(_, value)| value)
    }

    /// Whether a checkbox is ticked.
    pub(crate) fn is_ticked(&self, name: &str) -> bool {
        self.0.iter().any(|(own, _)| own == name)
    }

    /// All values of a field.
    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        self.0.iter().filter(move |(own, _)| own == name).map(|(_, value)| value.as_str())
    }
}

/// The fields of a form that has arrived completely.
async fn of_multipart(headers: HeaderMap, body: Bytes) -> Result<Vec<(String, String)>, PageError> {
    let mut request = Request::new(Body::from(body));
    *request.headers_mut() = headers;
    DefaultBodyLimit::disable().apply(&mut request);
    let mut form = Multipart::from_request(request, &()).await.map_err(|_| PageError::BadForm)?;
    let mut fields = Vec::new();
    while let Some(field) = form.next_field().await.map_err(|_| PageError::BadForm)? {
        let name = field.name().unwrap_or_default().to_owned();
        fields.push((name, field.text().await.map_err(|_| PageError::BadForm)?));
    }
    Ok(fields)
}

impl<S: Send + Sync> FromRequest<S> for Fields {
    type Rejection = PageError;

    async fn from_request(request: Request, _: &S) -> Result<Self, PageError> {
        let (parts, body) = request.into_parts();
        let kind = parts.headers.get(CONTENT_TYPE).map(HeaderValue::as_bytes).unwrap_or_default();
        let fields = if kind.starts_with(b"multipart/form-data") {
            let body = read(&parts.extensions, body, MOST_MULTIPART_BYTES).await?;
            of_multipart(parts.headers, body).await?
        } else {
            let body = read(&parts.extensions, body, MOST_BYTES).await?;
            serde_urlencoded::from_bytes(&body).map_err(|_| PageError::BadForm)?
        };
        // NUL is never typed, and databases do not store it as text.
        if fields.iter().any(|(_, value): &(String, String)| value.contains('\0')) {
            return Err(PageError::BadForm);
        }
        Ok(Self(fields))
    }
}

/// A form with files. Other forms are read whole: see [`Fields`].
pub(crate) struct FileForm(Multipart);

impl FileForm {
    /// Reads the form as it arrives. Meanwhile, its request has no turn.
    pub(crate) async fn read<T>(
        self,
        read: impl AsyncFnOnce(Multipart) -> Result<T, PageError>,
    ) -> Result<T, PageError> {
        without_turn(Box::pin(read(self.0))).await?
    }
}

impl<S: Send + Sync> FromRequest<S> for FileForm {
    type Rejection = PageError;

    async fn from_request(request: Request, state: &S) -> Result<Self, PageError> {
        Multipart::from_request(request, state).await.map(Self).map_err(|_| PageError::BadForm)
    }
}

/// The problems of a form, by field. Templates show each beside its field.
#[derive(Debug, Default)]
pub(crate) struct Problems {
    by_field: HashMap<&'static str, String>,
    is_conflict: bool,
}

impl Problems {
    /// One problem. The empty name stands for the whole form.
    pub(crate) fn one(field: &'static str, problem: &str) -> Self {
        let mut problems = Self::default();
        problems.add(field, problem);
        problems
    }

    /// Adds a problem.
    pub(crate) fn add(&mut self, field: &'static str, problem: &str) {
        self.by_field.entry(field).or_insert_with(|| sentence(problem));
    }

    /// The problems in a use case's refusal that concerns a field. Other refusals have their own page.
    pub(crate) fn of(refusal: Refusal) -> Result<Self, PageError> {
        match refusal {
            Refusal::Invalid { field, message } => {
                Ok(Self::one(field, &message_beside_field(field, &message)))
            }
            Refusal::Conflict { message, .. } => Ok(Self { is_conflict: true, ..Self::one("", &message) }),
            Refusal::NotFound(resource) => Ok(Self::one("", &t(not_found(resource)).to_string())),
            other => Err(other.into()),
        }
    }

    /// The status of a form that is shown again with these problems.
    pub(crate) const fn status(&self) -> StatusCode {
        if self.is_conflict { StatusCode::CONFLICT } else { StatusCode::UNPROCESSABLE_ENTITY }
    }

    /// Whether there are no problems.
    pub(crate) fn is_none(&self) -> bool {
        self.by_field.is_empty()
    }

    /// The problem of a field.
    pub(crate) fn with(&self, field: &str) -> Option<&str> {
        self.by_field.get(field).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn problems_are_sentences() {
        let problems = Problems::of(Refusal::invalid("name", "cannot be empty")).unwrap();
        assert_eq!(problems.with("name"), Some("This cannot be empty."));
        assert_eq!(problems.with("email"), None);
        assert!(!problems.is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn a_form_has_to_arrive_in_time() {
        let dripping = |chunks: u64, chunk: &'static [u8]| {
            let drip = futures::stream::unfold(0, move |sent| async move {
                tokio::time::sleep(Duration::from_secs(1)).await;
                (sent < chunks).then(|| (Ok::<_, std::io::Error>(Bytes::from_static(chunk)), sent + 1))
            });
            async move { read(&Extensions::new(), Body::from_stream(drip), MOST_BYTES).await }
        };
        assert_eq!(dripping(20, b"a").await.unwrap().len(), 20);
        assert!(matches!(dripping(40, b"a").await, Err(PageError::FormIncomplete)));
        assert!(matches!(dripping(2, &[b'a'; MOST_BYTES]).await, Err(PageError::TooLarge { .. })));
        let broken = Body::from_stream(futures::stream::once(async {
            Err::<Bytes, _>(std::io::Error::other("gone"))
        }));
        assert!(matches!(read(&Extensions::new(), broken, MOST_BYTES).await, Err(PageError::FormIncomplete)));
    }

    #[test]
    fn a_box_may_be_ticked_several_times() {
        let fields =
            Fields(vec![("v".into(), "a".into()), ("v".into(), "b".into()), ("t".into(), " x ".into())]);
        assert_eq!(fields.all("v").collect::<Vec<_>>(), ["a", "b"]);
        assert_eq!((fields.text("t"), fields.raw("t"), fields.text("none")), ("x", " x ", ""));
        assert!(fields.is_ticked("v") && !fields.is_ticked("w"));
    }
}

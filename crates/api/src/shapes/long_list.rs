//! Responses with a long list that is already serialized.

use axum::body::{Body, Bytes};
use axum::response::{IntoResponse, Response};
use http::HeaderValue;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use serde::Serialize;

/// The elements of a JSON array that is part of an object. They are sent as they are, and responses share their bytes:
/// a slow client needs no copy of its own.
pub(crate) struct LongList<Elements> {
    /// The name of the array.
    pub(crate) name: &'static str,
    /// The elements, separated by commas, in any number of pieces.
    pub(crate) elements: Elements,
    /// Total size of all pieces in bytes.
    pub(crate) len: usize,
}

impl<Elements> LongList<Elements>
where
    Elements: Iterator<Item = Bytes>,
{
    /// An object with the fields of `head`, the array, and the fields of `tail`. Both must be objects with at least one field.
    pub(crate) fn answer(
        self,
        head: &impl Serialize,
        tail: &impl Serialize,
    ) -> Result<Response, serde_json::Error> {
        let mut before = serde_json::to_vec(head)?;
        // Without the brace that closes the head, and the one that opens the tail.
        before.pop();
        before.extend_from_slice(format!(",\"{}\":[", self.name).as_bytes());
        let mut after = serde_json::to_vec(tail)?;
        after.splice(..1, *b"],");
        let len = before.len() + self.len + after.len();
        let pieces: Vec<_> = [before.into()].into_iter().chain(self.elements).chain([after.into()]).collect();
        let body = Body::from_stream(futures::stream::iter(pieces.into_iter().map(Ok::<Bytes, axum::Error>)));
        let mut response = body.into_response();
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(CONTENT_LENGTH, len.into());
        Ok(response)
    }
}

#[cfg(test)]
mod tests {
    use axum::body::to_bytes;
    use serde_json::{Value, json};

    use super::*;

    async fn answered(pieces: &[&'static str]) -> (usize, Value) {
        let elements = pieces.iter().map(|piece| Bytes::from_static(piece.as_bytes()));
        let list = LongList { name: "rows", elements, len: pieces.iter().map(|piece| piece.len()).sum() };
        let response = list.answer(&json!({"ok": true}), &json!({"end": "}{"})).unwrap();
        let len: usize = response.headers()[CONTENT_LENGTH].to_str().unwrap().parse().unwrap();
        let body = to_bytes(response.into_body(), 1000).await.unwrap();
        assert_eq!(body.len(), len);
        (len, serde_json::from_slice(&body).unwrap())
    }

    #[tokio::test]
    async fn the_parts_make_one_object() {
        let (_, body) = answered(&[]).await;
        assert_eq!(body, json!({"ok": true, "rows": [], "end": "}{"}));
        let (len, body) = answered(&["1,", "{\"a\":[2]}", ",3"]).await;
        assert_eq!(body, json!({"ok": true, "rows": [1, {"a": [2]}, 3], "end": "}{"}));
        assert_eq!(len, body.to_string().len());
    }
}

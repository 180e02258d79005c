//! What players report as played: a `POST` to the signed URL of a file, with a parameter after the signature that lists ranges
//! of seconds, such as `&played=0-15.2,30-45`. It has no body, so that pages can send it while they are left.

use http::request::Parts;
use http::{Response, StatusCode};
use tonearm_domain::{DeliveryPath, Played};

use crate::body::Content;
use crate::counted::Sender;
use crate::edge::Edge;
use crate::refusal::Refusal;
use crate::response;

const PARAMETER: &str = "&played=";

/// A player sends far fewer: one for each part between two seeks.
const MOST_RANGES: usize = 100;

impl Edge {
    /// Records what a listener has played of a file. Nothing is counted for files without sound.
    pub(crate) async fn record_played(&self, request: &Parts) -> Result<Response<Content>, Refusal> {
        let (signed, played) =
            request.uri.query().and_then(|query| query.split_once(PARAMETER)).ok_or(Refusal::Method)?;
        let played = parse(played).ok_or(Refusal::Played)?;
        let grant = self.granted(request, Some(signed))?;
        let key = match grant.path {
            DeliveryPath::Object(key) => key,
            DeliveryPath::Durable(name) => self.newest(&name).await?,
        };
        let object = self.resolve(&key, request, None).await?;
        self.0.counter.played(&key, object.meta.size, &played, &Sender::of(request));
        Ok(response::status(StatusCode::NO_CONTENT))
    }
}

/// The milliseconds in ranges of seconds.
fn parse(text: &str) -> Option<Played> {
    if text.split(',').nth(MOST_RANGES).is_some() {
        return None;
    }
    let millis = |text: &str| {
        let seconds: f64 = text.parse().ok()?;
        // Beyond 2^53, `as` would still give a number, but none that was meant.
        (0.0..9e12).contains(&seconds).then_some((seconds * 1000.0).round() as u64)
    };
    let range = |text: &str| {
        let (start, end) = text.split_once('-')?;
        let (start, end) = (millis(start)?, millis(end)?);
        (start <= end).then_some(start..end)
    };
    text.split(',').map(range).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_parsed() {
        let millis = |text| parse(text).map(Vec::from);
        assert_eq!(millis("0-15.2,30-45"), Some(vec![(0, 15_200), (30_000, 45_000)]));
        assert_eq!(millis("5-7,6-9,3-3,0.0004-1e1"), Some(vec![(0, 10_000)]));
        let many = vec!["1-2"; 101].join(",");
        for text in ["", "1", "-", "2-1", "-1-2", "1-2,", "NaN-1", "0-inf", "0-1e300", "1-2&x=1", &many] {
            assert_eq!(millis(text), None, "{text}");
        }
    }
}

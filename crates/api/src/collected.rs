//! Memory for bodies that are collected.

use http::header::CONTENT_LENGTH;
use http::{Extensions, HeaderMap, StatusCode};
use tonearm_domain::{BodyBudget, Held};

use crate::error::ApiError;

/// Seconds after which a client may send a body for which there was no memory.
const RETRY_AFTER_SECONDS: u64 = 5;

/// Holds memory for a body of up to `limit` bytes until the result is dropped. Refused if the client's network has too
/// much of it, with slow requests or many.
pub(crate) fn hold(
    headers: &HeaderMap,
    extensions: &Extensions,
    limit: usize,
) -> Result<Option<Held>, ApiError> {
    // Without a body, or a server, there is no budget.
    let Some(budget) = extensions.get::<BodyBudget>() else { return Ok(None) };
    let announced = headers.get(CONTENT_LENGTH).and_then(|value| value.to_str().ok()?.parse().ok());
    let most = announced.unwrap_or(limit as u64).min(limit as u64);
    budget.hold(most).map(Some).ok_or_else(|| {
        let message = "too many requests from this network are still being sent; try again shortly";
        let error = ApiError::new(StatusCode::SERVICE_UNAVAILABLE, "too_many_bodies", message);
        error.after(RETRY_AFTER_SECONDS)
    })
}

#[cfg(test)]
mod tests {
    use tonearm_domain::Shares;

    use super::*;

    #[test]
    fn memory_is_held_while_a_body_arrives() {
        let of = |length: Option<&str>| {
            length.map(|length| (CONTENT_LENGTH, length.parse().unwrap())).into_iter().collect::<HeaderMap>()
        };
        let mut extensions = Extensions::new();
        assert!(hold(&of(None), &extensions, 600).unwrap().is_none());
        let network = "192.0.2.1".parse().unwrap();
        extensions.insert(BodyBudget { bytes: Shares::new(1000), network });
        let first = hold(&of(Some("400")), &extensions, 600).unwrap();
        assert!(first.is_some());
        assert_eq!(hold(&of(None), &extensions, 600).err().unwrap().code(), "too_many_bodies");
        assert!(hold(&of(Some("100")), &extensions, 600).is_ok());
        drop(first);
        assert!(hold(&of(None), &extensions, 500).is_ok());
    }
}

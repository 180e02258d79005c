//! `Authorization: Bearer <API key>`.

use http::header::AUTHORIZATION;
use http::{HeaderMap, StatusCode};
use tonearm_domain::ErrorCode;

use crate::error::ApiError;

/// The text after `Bearer`. The scheme is matched in any case.
pub(crate) fn bearer(headers: &HeaderMap) -> Result<&str, ApiError> {
    let unauthorized = |code, message| ApiError::new(StatusCode::UNAUTHORIZED, code, message);
    let header = headers.get(AUTHORIZATION).ok_or_else(|| {
        unauthorized(
            ErrorCode::MissingApiKey,
            "missing API key; send it as `Authorization: Bearer <API_KEY>`",
        )
    })?;
    header
        .to_str()
        .ok()
        .and_then(|text| text.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .map(|(_, text)| text.trim())
        .ok_or_else(|| {
            unauthorized(
                ErrorCode::InvalidApiKey,
                "the Authorization header must have the form `Bearer <API_KEY>`",
            )
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_bearer_is_a_scheme() {
        let read = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(AUTHORIZATION, text.parse().unwrap());
            bearer(&headers).ok().map(str::to_owned)
        };
        assert_eq!(read("Bearer abc").as_deref(), Some("abc"));
        assert_eq!(read("bearer  abc ").as_deref(), Some("abc"));
        assert_eq!(read("Basic abc"), None);
        assert_eq!(read("abc"), None);
    }
}

//! The security policy of public pages.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};
use tonearm_domain::PlayerColours;

/// Which sites may frame the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    /// None.
    Refused,
    /// All.
    Open,
}

/// The page's colours, as its only inline style.
pub(super) fn colours(colours: Option<PlayerColours>) -> String {
    match colours {
        Some(colours) => format!(":root{{--light:{};--dark:{}}}", colours.light, colours.dark),
        None => String::new(),
    }
}

/// The page's content security policy: scripts only from this origin, sound and pictures also from the delivery origin,
/// which the player asks why a file does not play, and exactly `style` as inline style.
pub(super) fn policy(style: &str, delivery_origin: &str, framing: Framing) -> String {
    let hash = BASE64_STANDARD.encode(Sha256::digest(style));
    // `*` would refuse pages whose origin is opaque: those in a sandbox.
    let ancestors = match framing {
        Framing::Refused => "; frame-ancestors 'none'",
        Framing::Open => "",
    };
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self' 'sha256-{hash}'; img-src 'self' \
         {delivery_origin}; media-src 'self' {delivery_origin}; connect-src 'self' {delivery_origin}; base-uri 'none'; \
         form-action 'none'{ancestors}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_the_style_of_the_page_is_allowed() {
        let policy = policy("a{}", "https://cdn.example.com", Framing::Open);
        assert!(policy.contains("'sha256-X1RutGBrXCt9KkSaXMK7tHftWiRscFHOhxsS8tv8hBk='"), "{policy}");
        assert!(policy.contains("media-src 'self' https://cdn.example.com;"), "{policy}");
        assert!(!policy.contains("unsafe"), "{policy}");
    }
}

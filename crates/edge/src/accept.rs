//! Which form of a picture is sent (RFC 9110 section 12.5.1).

use http::header::{self, HeaderMap};

/// Whether a client accepts WebP by name. `image/*` and `*/*` do not count: clients that do not know WebP send them
/// too.
pub(crate) fn takes_webp(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(header::ACCEPT).iter().filter_map(|line| line.to_str().ok());
    lines.flat_map(|line| line.split(',')).any(|range| {
        let mut parts = range.split(';').map(str::trim);
        let is_named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("image/webp"));
        is_named && !parts.any(refuses)
    })
}

/// Whether a parameter is a weight of 0, which means that the type is not accepted.
fn refuses(parameter: &str) -> bool {
    let Some((name, weight)) = parameter.split_once('=') else { return false };
    name.trim().eq_ignore_ascii_case("q") && weight.trim().parse::<f32>().is_ok_and(|weight| weight <= 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_its_name_is_a_yes() {
        for (accept, takes) in [
            ("image/avif,image/webp,image/apng,image/*,*/*;q=0.8", true),
            ("text/html, Image/WebP;q=0.5", true),
            ("image/webp;q=0", false),
            ("image/webp; q=0.000, */*", false),
            ("image/*,*/*;q=0.8", false),
            ("image/webpx", false),
            ("", false),
        ] {
            let headers = HeaderMap::from_iter([(header::ACCEPT, accept.parse().unwrap())]);
            assert_eq!(takes_webp(&headers), takes, "{accept}");
        }
        assert!(!takes_webp(&HeaderMap::new()));
    }
}

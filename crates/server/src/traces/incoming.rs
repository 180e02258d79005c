//! The trace context of incoming requests.

use hyper::HeaderMap;
use hyper::header::HeaderName;
use tonearm_domain::{Ambient, TraceContext};

use super::SAMPLE_RATIO;

const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// The trace that a request continues, if traces are exported.
///
/// Any sender may name the trace that a request is part of. Only a trusted proxy may decide whether it is recorded:
/// anyone else could have every request recorded, which costs us and the collector. For other senders this is decided
/// at random, and not by the id of the trace, which they choose too.
pub(crate) fn trace_of(headers: &HeaderMap, is_trusted: bool, ambient: &Ambient) -> Option<TraceContext> {
    let ratio = *SAMPLE_RATIO.get()?;
    let context = traceparent(headers)?;
    Some(match is_trusted {
        true => context,
        false => context.with_sampled(is_sampled(ratio, ambient.random())),
    })
}

/// The `traceparent` header, which is ignored unless there is exactly one.
fn traceparent(headers: &HeaderMap) -> Option<TraceContext> {
    let mut lines = headers.get_all(TRACEPARENT).iter();
    match (lines.next(), lines.next()) {
        (Some(line), None) => line.to_str().ok()?.parse().ok(),
        _ => None,
    }
}

/// Decides at random whether a trace is recorded. `random` are random bytes.
fn is_sampled(ratio: f64, random: [u8; 8]) -> bool {
    // As many bits as the mantissa of an `f64` holds.
    let share = (u64::from_be_bytes(random) >> 11) as f64 / (1_u64 << 53) as f64;
    share < ratio
}

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    const TEXT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    fn headers(lines: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(TRACEPARENT, HeaderValue::from_bytes(line.as_bytes()).unwrap());
        }
        headers
    }

    #[test]
    fn one_valid_header_is_understood() {
        let read = |lines: &[&str]| traceparent(&headers(lines)).map(|context| context.to_string());
        assert_eq!(read(&[TEXT]).as_deref(), Some(TEXT));
        let long = TEXT.repeat(200);
        for lines in [
            &[][..],
            &[TEXT, TEXT],
            &[""],
            &["00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331"],
            &["ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"],
            &["00-00000000000000000000000000000000-b7ad6b7169203331-01"],
            &["00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01"],
            &["00-0AF7651916CD43DD8448EB211C80319C-B7AD6B7169203331-01"],
            &["00-0af7651916cd43dd8448eb211c80319é-b7ad6b7169203331-01"],
            &[&long],
        ] {
            assert_eq!(read(lines), None, "{lines:?}");
        }
    }

    #[test]
    fn chance_follows_the_ratio() {
        let (least, most) = ([0; 8], [0xFF; 8]);
        assert!(is_sampled(1.0, least) && is_sampled(1.0, most));
        assert!(!is_sampled(0.0, least) && !is_sampled(0.0, most));
        assert!(is_sampled(0.5, [0x7F; 8]) && !is_sampled(0.5, [0x80; 8]));
    }
}

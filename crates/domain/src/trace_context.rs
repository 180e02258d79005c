//! Trace contexts in the format of `traceparent` (W3C Trace Context, level 1).

use std::fmt;
use std::str::FromStr;

/// The length of the text, in bytes.
const LENGTH: usize = 55;

/// The only flag that is read and written.
const SAMPLED: u8 = 1;

/// A parent span: the trace that it belongs to, its own id, and whether the trace is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceContext {
    trace_id: [u8; 16],
    span_id: [u8; 8],
    is_sampled: bool,
}

/// A text that is not a valid `traceparent`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("is not a traceparent as W3C Trace Context defines it")]
pub struct InvalidTraceContext;

impl TraceContext {
    /// Builds a context from its parts; `None` if an id consists of zeros, which means that there is none.
    pub fn new(trace_id: [u8; 16], span_id: [u8; 8], is_sampled: bool) -> Option<Self> {
        (trace_id != [0; 16] && span_id != [0; 8]).then_some(Self { trace_id, span_id, is_sampled })
    }

    /// The id of the trace.
    pub const fn trace_id(&self) -> [u8; 16] {
        self.trace_id
    }

    /// The id of the span within it.
    pub const fn span_id(&self) -> [u8; 8] {
        self.span_id
    }

    /// Whether the trace is recorded.
    pub const fn is_sampled(&self) -> bool {
        self.is_sampled
    }

    /// The same context with another sampled flag.
    #[must_use]
    pub const fn with_sampled(self, is_sampled: bool) -> Self {
        Self { is_sampled, ..self }
    }
}

impl FromStr for TraceContext {
    type Err = InvalidTraceContext;

    /// Texts of later versions may be longer; the additional fields are ignored.
    fn from_str(text: &str) -> Result<Self, InvalidTraceContext> {
        let (own, more) = text.as_bytes().split_at_checked(LENGTH).ok_or(InvalidTraceContext)?;
        let [version] = hex::<1>(&own[..2]).ok_or(InvalidTraceContext)?;
        let has_end = match version {
            0 => more.is_empty(),
            0xFF => false,
            _ => more.first().is_none_or(|byte| *byte == b'-'),
        };
        let has_dashes = [2, 35, 52].iter().all(|place| own[*place] == b'-');
        let (trace_id, span_id, flags) = (hex(&own[3..35]), hex(&own[36..52]), hex::<1>(&own[53..55]));
        match (trace_id, span_id, flags) {
            (Some(trace_id), Some(span_id), Some([flags])) if has_end && has_dashes => {
                Self::new(trace_id, span_id, flags & SAMPLED != 0).ok_or(InvalidTraceContext)
            }
            _ => Err(InvalidTraceContext),
        }
    }
}

impl fmt::Display for TraceContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (trace_id, span_id) = (u128::from_be_bytes(self.trace_id), u64::from_be_bytes(self.span_id));
        write!(f, "00-{trace_id:032x}-{span_id:016x}-{:02x}", u8::from(self.is_sampled))
    }
}

/// Parses `N` bytes from lower-case hexadecimal digits.
fn hex<const N: usize>(digits: &[u8]) -> Option<[u8; N]> {
    let mut bytes = [0; N];
    if digits.len() != 2 * N {
        return None;
    }
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = (digit(pair[0])? << 4) | digit(pair[1])?;
    }
    Some(bytes)
}

const fn digit(character: u8) -> Option<u8> {
    match character {
        b'0'..=b'9' => Some(character - b'0'),
        b'a'..=b'f' => Some(character - b'a' + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    fn parsed(text: &str) -> Option<TraceContext> {
        text.parse().ok()
    }

    #[test]
    fn a_context_is_written_as_it_was_read() {
        let context = parsed(TEXT).unwrap();
        assert!(context.is_sampled());
        assert_eq!(context.trace_id()[..2], [0x0A, 0xF7]);
        assert_eq!(context.span_id()[7], 0x31);
        assert_eq!(context.to_string(), TEXT);
        let other = context.with_sampled(false).to_string();
        assert_eq!(other, TEXT.replace("-01", "-00"));
        assert_eq!(parsed(&other), Some(context.with_sampled(false)));
    }

    #[test]
    fn other_flags_and_later_versions_are_understood() {
        assert_eq!(parsed(&TEXT.replace("-01", "-03")), parsed(TEXT));
        assert_eq!(parsed(&TEXT.replace("-01", "-02")), parsed(TEXT).map(|it| it.with_sampled(false)));
        let later = TEXT.replacen("00", "cc", 1);
        assert_eq!(parsed(&later), parsed(TEXT));
        assert_eq!(parsed(&format!("{later}-more")), parsed(TEXT));
        assert_eq!(parsed(&format!("{later}more")), None);
    }

    #[test]
    fn what_is_no_context_is_refused() {
        let zeros = |count| "0".repeat(count);
        for text in [
            String::new(),
            "00".to_owned(),
            TEXT[1..].to_owned(),
            TEXT[..54].to_owned(),
            format!("{TEXT}0"),
            format!("{TEXT}-more"),
            format!(" {TEXT}"),
            TEXT.replacen("00", "ff", 1),
            TEXT.replacen("00", "0x", 1),
            TEXT.to_uppercase(),
            TEXT.replace('-', "_"),
            TEXT.replace("-01", "-0g"),
            TEXT.replace("0af7651916cd43dd8448eb211c80319c", &zeros(32)),
            TEXT.replace("b7ad6b7169203331", &zeros(16)),
            // The right number of bytes, but not all ASCII.
            format!("{}é", &TEXT[..53]),
            "é".repeat(40),
        ] {
            assert_eq!(parsed(&text), None, "{text}");
        }
        assert_eq!(TraceContext::new([0; 16], [1; 8], true), None);
        assert_eq!(TraceContext::new([1; 16], [0; 8], true), None);
    }
}

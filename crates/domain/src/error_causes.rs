//! The causes of an error, for logs and error messages: "the call failed" is not useful without its cause.

use std::error::Error;
use std::iter;

/// The causes of an error, from the nearest to the innermost, without the error itself.
pub fn error_causes<'a>(error: &'a (dyn Error + 'a)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    iter::successors(error.source(), |&cause| cause.source())
}

/// The innermost cause; `None` if the error has no cause.
pub fn innermost_cause<'a>(error: &'a (dyn Error + 'a)) -> Option<&'a (dyn Error + 'static)> {
    error_causes(error).last()
}

/// The text of an error and of its causes, as `error: cause: cause`. A cause is omitted if the preceding text already
/// contains it.
pub fn error_with_causes(error: &dyn Error) -> String {
    let mut text = error.to_string();
    for cause in error_causes(error) {
        let cause = cause.to_string();
        if !text.contains(&cause) {
            text.push_str(": ");
            text.push_str(&cause);
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use std::fmt;

    use super::*;

    #[derive(Debug)]
    struct Failed(&'static str, Option<Box<Failed>>);

    impl fmt::Display for Failed {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str(self.0)
        }
    }

    impl Error for Failed {
        fn source(&self) -> Option<&(dyn Error + 'static)> {
            self.1.as_deref().map(|cause| cause as &(dyn Error + 'static))
        }
    }

    fn chain(texts: &[&'static str]) -> Failed {
        let (text, causes) = texts.split_first().unwrap();
        Failed(text, (!causes.is_empty()).then(|| Box::new(chain(causes))))
    }

    #[test]
    fn each_cause_is_named_once() {
        for (texts, expected) in [
            (&["no answer"][..], "no answer"),
            (&["no answer", "the connection failed", "refused"], "no answer: the connection failed: refused"),
            (&["no answer: refused", "refused", "errno 111"], "no answer: refused: errno 111"),
        ] {
            assert_eq!(error_with_causes(&chain(texts)), expected);
        }
    }

    #[test]
    fn the_innermost_cause_is_the_last() {
        let innermost = |texts: &[&'static str]| innermost_cause(&chain(texts)).map(ToString::to_string);
        assert_eq!(innermost(&["no answer"]), None);
        assert_eq!(innermost(&["no answer", "the connection failed", "refused"]).as_deref(), Some("refused"));
    }
}

//! Formats numbers for people.

use tonearm_domain::Language;

pub(crate) use crate::text::count;
use crate::text::current;

/// Formats a number of bytes in the unit that leaves one to three digits before the decimal point.
pub(crate) fn bytes(bytes: u64) -> String {
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut value = bytes as f64;
    let mut unit = "B";
    for larger in ["kB", "MB", "GB", "TB", "PB", "EB"] {
        if value < 999.5 {
            break;
        }
        value /= 1000.0;
        unit = larger;
    }
    if value < 9.95 { format!("{} {unit}", decimal(value)) } else { format!("{value:.0} {unit}") }
}

/// A number with one decimal.
pub(crate) fn decimal(number: f64) -> String {
    let text = format!("{number:.1}");
    match current() {
        Language::English => text,
        Language::German | Language::French | Language::Spanish => text.replace('.', ","),
    }
}

/// A duration in its two largest units: `45 s`, `12 min 30 s`, `3 h 25 min`, `4 d 2 h`.
pub(crate) fn duration(millis: u64) -> String {
    match millis / 1000 {
        seconds @ 60..3600 => format!("{} min {} s", seconds / 60, seconds % 60),
        _ => short_duration(millis),
    }
}

/// The same, without seconds beside minutes.
pub(crate) fn short_duration(millis: u64) -> String {
    let seconds = millis / 1000;
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3600 % 24, seconds / 60 % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, minutes) => format!("{minutes} min"),
        (0, hours, minutes) => format!("{hours} h {minutes} min"),
        (days, hours, _) => format!("{} d {hours} h", count(days)),
    }
}

/// A duration in seconds, as `1:05` or `1:00:05`.
pub(crate) fn clock(seconds: f64) -> String {
    let whole = seconds.max(0.0) as u64;
    let (hours, minutes, seconds) = (whole / 3600, whole / 60 % 60, whole % 60);
    if hours > 0 { format!("{hours}:{minutes:02}:{seconds:02}") } else { format!("{minutes}:{seconds:02}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::in_language;

    #[test]
    fn lengths_of_time_are_short() {
        for (seconds, text) in [
            (0, "0 s"),
            (59, "59 s"),
            (60, "1 min 0 s"),
            (3599, "59 min 59 s"),
            (3600, "1 h 0 min"),
            (90_000, "1 d 1 h"),
            (u64::MAX / 1_000_000, "213\u{202f}503\u{202f}982 d 8 h"),
        ] {
            assert_eq!(duration(seconds * 1000), text, "{seconds}");
        }
    }

    #[test]
    fn numbers_are_easy_to_read() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1_234_567), "1\u{202f}234\u{202f}567");
        for (size, text) in [
            (0, "0 B"),
            (999, "999 B"),
            (1000, "1.0 kB"),
            (9_949, "9.9 kB"),
            (9_950, "10 kB"),
            (999_499, "999 kB"),
            (999_500, "1.0 MB"),
            (u64::MAX, "18 EB"),
        ] {
            assert_eq!(bytes(size), text, "{size}");
        }
    }

    #[test]
    fn decimals_are_written_as_in_the_language() {
        let text = Language::ALL.map(|language| in_language(language, || (bytes(1_500), decimal(-0.25))));
        let [english, others @ ..] = text.map(|(size, number)| format!("{size}, {number}"));
        assert_eq!(english, "1.5 kB, -0.2");
        assert_eq!(others, ["1,5 kB, -0,2"; 3]);
    }

    #[test]
    fn lengths_read_well() {
        assert_eq!([0.0, 65.9, 3605.0].map(clock), ["0:00", "1:05", "1:00:05"]);
    }
}

//! Parses and formats amounts of bytes for people.

use std::num::NonZeroU64;

use crate::config::ByteSize;

/// Parses a rate such as `50MB/s`.
pub(super) fn bytes_per_second(text: &str) -> Result<NonZeroU64, String> {
    let size = text.trim().trim_end_matches("/s").parse::<ByteSize>();
    let size = size.map_err(|_| format!("{text:?} is not a rate such as 50MB/s"))?;
    NonZeroU64::new(size.0).ok_or_else(|| "the rate must be more than 0".to_owned())
}

/// An amount with a decimal unit, such as `1.50 GB`, as the dashboard shows it.
pub(super) fn shown_bytes(bytes: u64) -> String {
    indicatif::DecimalBytes(bytes).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_decimal() {
        assert_eq!(shown_bytes(999), "999 B");
        assert_eq!(shown_bytes(1_500), "1.50 kB");
        assert_eq!(shown_bytes(2 << 30), "2.15 GB");
    }

    #[test]
    fn rates_are_sizes_in_a_second() {
        assert_eq!(bytes_per_second("50MB/s").unwrap().get(), 50_000_000);
        assert_eq!(bytes_per_second("1 MiB").unwrap().get(), 1 << 20);
        assert!(bytes_per_second("0").is_err() && bytes_per_second("fast").is_err());
    }
}

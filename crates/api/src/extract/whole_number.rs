//! Whole numbers.

use serde::{Deserialize, Serialize};

/// A whole number, 0 or greater. JSON has only one type of number, so 128.0 is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "f64")]
pub(crate) struct WholeNumber(u32);

/// A number that is not whole, or that is out of range for every field.
#[derive(Debug, thiserror::Error)]
#[error("must be a whole number, 0 or greater")]
pub(crate) struct WholeError;

impl TryFrom<f64> for WholeNumber {
    type Error = WholeError;

    fn try_from(number: f64) -> Result<Self, WholeError> {
        let fits = number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number);
        if fits { Ok(Self(number as u32)) } else { Err(WholeError) }
    }
}

impl From<WholeNumber> for u32 {
    fn from(number: WholeNumber) -> Self {
        number.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fraction_of_nothing_is_none() {
        let read = |json: &str| serde_json::from_str::<WholeNumber>(json).ok();
        for (json, number) in [("128", 128), ("128.0", 128), ("1.28e2", 128), ("4294967295", u32::MAX)] {
            assert_eq!(read(json), Some(WholeNumber(number)));
        }
        for bad in ["128.5", "-1", "4294967296", "1e300", "\"128\""] {
            assert_eq!(read(bad), None, "{bad}");
        }
        assert_eq!(serde_json::to_string(&WholeNumber(7)).ok().as_deref(), Some("7"));
    }
}

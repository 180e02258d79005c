//! Bytes and numbers without a pattern, the same in every run.

use tonearm_domain::Entropy;
use tonearm_fixtures::CountedEntropy;

/// `count` bytes of noise.
pub(crate) fn bytes(count: usize) -> Vec<u8> {
    let mut bytes = vec![0; count];
    CountedEntropy::new(1).fill(&mut bytes);
    bytes
}

/// `count` numbers below `limit`, which must not be 0.
pub(crate) fn numbers_below(limit: u64, count: usize) -> Vec<u64> {
    let number = |bytes: &[u8]| bytes.iter().fold(0, |number, byte| (number << 8) | u64::from(*byte));
    bytes(count * 8).chunks_exact(8).map(|bytes| number(bytes) % limit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_below_the_limit_and_spread() {
        let numbers = numbers_below(1000, 4000);
        assert!(numbers.iter().all(|number| *number < 1000));
        for tenth in 0..10 {
            let there = numbers.iter().filter(|number| **number / 100 == tenth).count();
            assert!((300..500).contains(&there), "{there} of 4000 in tenth {tenth}");
        }
    }
}

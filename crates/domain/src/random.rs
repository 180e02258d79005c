//! Random numbers for tests.

/// Numbers below a bound, which must not be 0: the same in every run with the same seed (xorshift).
pub(crate) fn random(seed: u64) -> impl FnMut(u64) -> u64 {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) + 1;
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    }
}

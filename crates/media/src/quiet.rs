//! Finds where a sound is quietest: the best place to cut speech.

use std::io::{PipeReader, Read};

use crate::error::MediaError;

/// The sample rate for this search, in Hz.
pub(crate) const RATE: u32 = 16_000;
/// Samples of a step: 20 ms.
const STEP: usize = RATE as usize / 50;
/// Steps of a pause: 0.3 s.
const PAUSE: usize = 15;

/// The middle of the quietest pause in mono samples, in seconds from their beginning, or the last one if several are
/// equally quiet. `None` if the samples are shorter than a pause.
pub(crate) fn listen(mut stdout: PipeReader) -> Result<Option<f64>, MediaError> {
    let mut steps = Vec::new();
    let mut bytes = [0; STEP * size_of::<f32>()];
    loop {
        let mut filled = 0;
        while filled < bytes.len() {
            match stdout.read(&mut bytes[filled..])? {
                0 => return Ok(quietest(&steps)),
                count => filled += count,
            }
        }
        let samples = bytes.as_chunks().0.iter().map(|sample| f64::from(f32::from_le_bytes(*sample)));
        steps.push(samples.filter(|sample| sample.is_finite()).map(|sample| sample * sample).sum());
    }
}

fn quietest(steps: &[f64]) -> Option<f64> {
    let powers = steps.windows(PAUSE).map(|pause| pause.iter().sum::<f64>());
    let (place, _) =
        powers.enumerate().min_by(|(a, power), (b, other)| power.total_cmp(other).then(b.cmp(a)))?;
    Some((place as f64 + PAUSE as f64 / 2.0) * STEP as f64 / f64::from(RATE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_the_quietest_pauses_is_found() {
        let mut steps = vec![1.0; 200];
        steps[20..40].fill(0.1);
        assert_eq!(quietest(&steps), Some((25.0 + 7.5) * 0.02));
        steps[100..115].fill(0.0);
        assert_eq!(quietest(&steps), Some((100.0 + 7.5) * 0.02));
        assert_eq!(quietest(&steps[..14]), None);
    }
}

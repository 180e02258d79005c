//! The sound that the demo uploads if no file is given: twenty seconds of slow chords.

use std::f32::consts::TAU;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

const SAMPLE_RATE: u32 = 44_100;
const CHORD_SECONDS: u32 = 4;
/// A minor, F major, C major, G major, A minor: frequencies in Hz.
const CHORDS: [[f32; 4]; 5] = [
    [110.0, 220.0, 261.63, 329.63],
    [87.31, 220.0, 261.63, 349.23],
    [130.81, 196.0, 261.63, 329.63],
    [98.0, 196.0, 246.94, 293.66],
    [110.0, 220.0, 261.63, 440.0],
];

/// Writes the sound as a 16-bit stereo WAV file.
pub(super) fn write(path: &Path) -> io::Result<()> {
    let mut writer = BufWriter::new(File::create(path)?);
    let frames = CHORDS.len() as u32 * CHORD_SECONDS * SAMPLE_RATE;
    write_header(&mut writer, frames)?;
    for frame in 0..frames {
        for channel in 0..2 {
            let sample = (sample(frame, channel) * f32::from(i16::MAX)) as i16;
            writer.write_all(&sample.to_le_bytes())?;
        }
    }
    writer.flush()
}

/// RIFF WAVE: `fmt ` and `data` chunks, 16-bit PCM, two channels.
fn write_header(writer: &mut impl Write, frames: u32) -> io::Result<()> {
    let bytes = frames * 4;
    writer.write_all(b"RIFF")?;
    writer.write_all(&(36 + bytes).to_le_bytes())?;
    writer.write_all(b"WAVEfmt \x10\0\0\0\x01\0\x02\0")?;
    writer.write_all(&SAMPLE_RATE.to_le_bytes())?;
    writer.write_all(&(SAMPLE_RATE * 4).to_le_bytes())?;
    writer.write_all(b"\x04\0\x10\0data")?;
    writer.write_all(&bytes.to_le_bytes())
}

/// Plucked voices one after another, slightly detuned between the channels; within -1..=1.
fn sample(frame: u32, channel: u32) -> f32 {
    let chord_frames = CHORD_SECONDS * SAMPLE_RATE;
    let chord = CHORDS[(frame / chord_frames) as usize];
    let time = (frame % chord_frames) as f32 / SAMPLE_RATE as f32;
    let detune = 1.0 + channel as f32 * 0.002;
    let voices = chord.iter().enumerate().map(|(voice, hz)| {
        let since = time - voice as f32 * 0.35;
        if since < 0.0 {
            return 0.0;
        }
        let attack = (since * 40.0).min(1.0);
        let phase = TAU * hz * detune * since;
        attack * (-1.1 * since).exp() * (phase.sin() + 0.3 * (2.0 * phase).sin()) * 0.18
    });
    let fade_out = ((CHORD_SECONDS as f32 - time) * 10.0).min(1.0);
    voices.sum::<f32>() * fade_out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_a_whole_wav_that_does_not_clip() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("demo.wav");
        write(&path).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let frames = CHORDS.len() * CHORD_SECONDS as usize * SAMPLE_RATE as usize;
        assert_eq!(bytes.len(), 44 + frames * 4);
        assert_eq!(&bytes[36..40], b"data");
        for frame in (0..frames as u32).step_by(7) {
            assert!(sample(frame, 1).abs() <= 1.0);
        }
    }
}

//! Many tracks at once. Reference: all cores busy all the time.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use tonearm_fixtures::audio::{Signal, WavSpec, wav};

use crate::http;
use crate::memory;
use crate::plan::Plan;
use crate::report::{Goal, Row, Unit};
use crate::stage::Stage;

/// Seconds of sound of one track in every three.
const LENGTHS: [f64; 3] = [3.0, 20.0, 90.0];

pub(super) async fn run(plan: &Plan) -> Result<Vec<Row>> {
    let stage = Stage::open().await?;
    let sounds = LENGTHS.map(|seconds| {
        wav(&WavSpec { seconds, signal: Signal::Noise { seed: 1, amplitude: 0.3 }, ..WavSpec::default() })
    });
    let count = plan.backlog;
    let mut tracks = Vec::new();
    for number in 0..count {
        let (id, url) = stage.create_track(&format!("{number}.wav")).await?;
        let sound = &sounds[number % sounds.len()];
        let reply = http::put(&url, sound, sound.len() as u64)?;
        ensure!(reply.status == 200, "the upload was answered with {}", reply.status);
        tracks.push(id);
    }
    // From here on nothing but processing goes on.
    let begun = (Instant::now(), Cores::read()?);
    let mut memory = 0.0_f64;
    for (place, id) in tracks.iter().enumerate() {
        stage.wait_until_ready(id).await?;
        if place % 10 == 0 {
            memory = memory.max(memory::resident(&stage.processes())? as f64 / 1e6);
        }
        // In the end there are not enough tracks left for all cores.
        if place + 10 >= tracks.len() {
            break;
        }
    }
    let busy = Cores::read()?.busy_since(&begun.1);
    eprintln!("{count} tracks: {:?}", begun.0.elapsed().max(Duration::ZERO));
    let row = |name: String, unit, figures, reference, goal| Row { name, unit, figures, reference, goal };
    Ok(vec![
        row(
            format!("backlog of {count} tracks: cores busy"),
            Unit::Percent,
            (busy * 100.0, 100.0),
            "all cores, all the time",
            Some(Goal::AtLeast(0.9)),
        ),
        row(
            format!("backlog of {count} tracks: memory of the service"),
            Unit::Megabytes,
            (memory, 300.0),
            "what it may take",
            Some(Goal::AtMost(1.0)),
        ),
    ])
}

/// What the cores did since the machine started, in ticks.
struct Cores {
    idle: u64,
    all: u64,
}

impl Cores {
    fn read() -> Result<Self> {
        Self::parse(&std::fs::read_to_string("/proc/stat")?).context("/proc/stat tells nothing of the cores")
    }

    /// `cpu  user nice system idle iowait irq softirq steal …`
    fn parse(stat: &str) -> Option<Self> {
        let line = stat.lines().next()?.strip_prefix("cpu ")?;
        let ticks: Vec<u64> = line.split_ascii_whitespace().map_while(|word| word.parse().ok()).collect();
        // Time of guests is in that of users already.
        let all = ticks.iter().take(8).sum();
        Some(Self { idle: ticks.get(3)? + ticks.get(4)?, all })
    }

    fn busy_since(&self, earlier: &Self) -> f64 {
        let all = self.all.saturating_sub(earlier.all).max(1);
        1.0 - self.idle.saturating_sub(earlier.idle) as f64 / all as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_time_is_told_from_busy_time() {
        let earlier = Cores::parse("cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 1 2 3").unwrap();
        let later = Cores::parse("cpu  180 0 60 805 55 0 0 0 0 0").unwrap();
        assert_eq!(later.busy_since(&earlier), 0.9);
        assert!(Cores::parse("nothing").is_none());
    }
}

//! One voice note of an organization behind the many tracks of another. Reference: the same note while no other track
//! is processed.

use std::time::Instant;

use anyhow::{Result, ensure};
use tonearm_fixtures::audio::{Signal, WavSpec, wav};

use crate::http;
use crate::plan::{Plan, median};
use crate::report::{Goal, Row, Unit};
use crate::stage::{Stage, Tenant, distinct};

/// Length of the note in seconds.
const NOTE: f64 = 3.0;
/// Lengths of the other organization's tracks in seconds, each used for one track in three.
const LENGTHS: [f64; 3] = [20.0, 90.0, 300.0];
/// Notes in each round.
const NOTES: usize = 5;

pub(super) async fn run(plan: &Plan) -> Result<Vec<Row>> {
    let stage = Stage::open().await?;
    let (many, few) = (stage.tenant("Many").await?, stage.tenant("Few").await?);
    let note = sound(NOTE, 1);
    let notes = plan.rounds * NOTES;
    let mut idle = Vec::new();
    // The first note is not measured, because caches are cold.
    few.upload("first.wav", &distinct(&note, 2 * notes)).await?;
    for number in 0..notes {
        idle.push(milliseconds(&few, number, &note).await?);
    }
    let sounds: Vec<Vec<u8>> = LENGTHS.iter().map(|seconds| sound(*seconds, 2)).collect();
    let mut last = None;
    for number in 0..plan.backlog {
        let (id, url) = many.create_track(&format!("{number}.wav")).await?;
        let sound = distinct(&sounds[number % sounds.len()], number);
        let reply = http::put(&url, &sound, sound.len() as u64)?;
        ensure!(reply.status == 200, "the upload was answered with {}", reply.status);
        last = Some(id);
    }
    let mut behind = Vec::new();
    for number in 0..notes {
        behind.push(milliseconds(&few, notes + number, &note).await?);
    }
    if let Some(last) = last {
        ensure!(!many.is_ready(&last).await?, "the other organization's tracks were done too soon");
    }
    Ok(vec![Row {
        name: format!("fairness: a note of {NOTE} s behind {} tracks of another organization", plan.backlog),
        unit: Unit::Milliseconds,
        figures: (median(behind), median(idle)),
        reference: "the same on an idle node",
        goal: Some(Goal::AtMost(2.0)),
    }])
}

fn sound(seconds: f64, seed: u64) -> Vec<u8> {
    wav(&WavSpec { seconds, signal: Signal::Noise { seed, amplitude: 0.3 }, ..WavSpec::default() })
}

/// Milliseconds from the beginning of the upload until the track is ready.
async fn milliseconds(tenant: &Tenant, number: usize, sound: &[u8]) -> Result<f64> {
    let sound = distinct(sound, number);
    let begun = Instant::now();
    tenant.upload(&format!("note-{number}.wav"), &sound).await?;
    Ok(begun.elapsed().as_secs_f64() * 1e3)
}

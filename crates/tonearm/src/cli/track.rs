//! `tonearm track`

use std::time::Duration;

use clap::Subcommand;
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use serde_json::{Value, json};
use tonearm_domain::{Ambient, Making, OrganizationId, TrackId, VariantIndex};
use tonearm_service::{Caller, Library, TrackProgressView};

use super::{Failure, print};
use crate::{Config, Services};

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Show the progress of a track, or of all tracks that are being processed
    Status {
        /// The organization's id
        #[arg(long)]
        org: OrganizationId,
        /// The track's id
        track: Option<TrackId>,
        /// Wait until the track is finished, and show the progress of each file
        #[arg(long, requires = "track")]
        watch: bool,
        /// Print JSON, one track per line
        #[arg(long)]
        json: bool,
    },
    /// Process a failed track again; finished files are kept
    Retry {
        /// The organization's id
        #[arg(long)]
        org: OrganizationId,
        /// The track's id
        track: TrackId,
        /// Only this variant, such as hq
        #[arg(long)]
        variant: Option<VariantIndex>,
    },
}

pub(super) async fn run(config: &Config, ambient: &Ambient, command: Command) -> Result<(), Failure> {
    let services = Services::open(config, ambient).await?;
    let library = &services.library;
    let (org, track, watches, as_json) = match command {
        Command::Status { org, track, watch, json } => (org, track, watch, json),
        Command::Retry { org, track, variant } => {
            let retried =
                library.retry_track(&services.owner(org).await?, track, variant.as_ref()).await?.track;
            print::outln!(
                "{} is {}. `tonearm track status --org {org} {} --watch` shows its progress.",
                retried.file_name,
                retried.status,
                retried.id
            );
            return Ok(());
        }
    };
    let caller = services.owner(org).await?;
    let tracks = match track {
        Some(id) if watches => {
            watch(library, &caller, id).await?;
            vec![library.track_progress(&caller, id).await?]
        }
        Some(id) => vec![library.track_progress(&caller, id).await?],
        None => library.tracks_in_the_making(&caller).await?,
    };
    if as_json {
        tracks.iter().for_each(|track| print::json(&as_value(track)));
        return Ok(());
    }
    tracks.iter().for_each(show);
    if tracks.is_empty() {
        print::outln!("No track is being processed.");
    }
    Ok(())
}

fn show(track: &TrackProgressView) {
    print::outln!("{}  {}  {} %", track.track_id, track.status, track.percent);
    if let Some(outage) = track.waits_for {
        print::outln!("  {}", outage.sentence());
    } else if let Some(reason) = &track.reason {
        print::outln!("  {reason}");
    }
    for variant in &track.variants {
        let failed = track.failed.iter().find(|failed| failed.index == variant.index);
        match failed {
            Some(failed) => print::outln!("  {:20} failed: {}", variant.index, failed.reason),
            None => print::outln!("  {:20} {}", variant.index, words(variant.making)),
        }
    }
}

fn words(making: Making) -> String {
    match making {
        Making::Running { percent } => format!("{percent} %"),
        other => other.as_str().to_owned(),
    }
}

fn as_value(track: &TrackProgressView) -> Value {
    json!({
        "track_id": track.track_id,
        "track_status_id": track.status,
        "percent": track.percent,
        "waits_for": track.waits_for,
        "status_reason": track.reason,
        "variants": track.variants,
        "failed_variants": track.failed.iter().map(|failed| {
            json!({ "variant": failed.index, "reason": failed.reason })
        }).collect::<Vec<_>>(),
    })
}

/// Shows a bar for each file until the track is finished.
async fn watch(library: &Library, caller: &Caller, id: TrackId) -> Result<(), Failure> {
    let bars = MultiProgress::new();
    let style = ProgressStyle::with_template("{prefix:20} {bar:40} {msg}")
        .unwrap_or_else(|_| ProgressStyle::default_bar());
    let mut lines: Vec<ProgressBar> = Vec::new();
    loop {
        let track = library.track_progress(caller, id).await?;
        for (place, variant) in track.variants.iter().enumerate() {
            if lines.len() <= place {
                lines.push(bars.add(ProgressBar::new(100).with_style(style.clone())));
            }
            let line = &lines[place];
            line.set_prefix(variant.index.to_string());
            line.set_position(variant.making.percent().into());
            line.set_message(words(variant.making));
        }
        if track.status.is_final() {
            lines.iter().for_each(ProgressBar::abandon);
            return Ok(());
        }
        tokio::time::sleep(Duration::from_millis(500)).await;
    }
}

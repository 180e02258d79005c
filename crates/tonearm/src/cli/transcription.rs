//! `tonearm transcription`

use std::collections::BTreeSet;

use clap::Subcommand;
use serde_json::json;
use tonearm_domain::{Ambient, OrganizationId, Patch, TrackId};
use tonearm_service::{Caller, Refusal, SetTranscription, Transcriptions};

use super::{Failure, print};
use crate::config::command_secret;
use crate::{Config, Services};

/// The variable with the key. It is safer than the argument, which other users of the machine can read.
const KEY: &str = "TONEARM_TRANSCRIPTION_KEY";

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Set the provider, and turn transcription on for tracks that become ready from now on
    Set(Set),
    /// Turn transcription on with the existing settings
    On(Owner),
    /// Turn transcription off; the settings are kept
    Off(Owner),
    /// Show the settings as JSON, without the key
    Show(Owner),
    /// List failed transcriptions with their reasons as JSON, one per line
    Failures(Owner),
    /// Transcribe a track, for the first time or again
    Retry {
        #[command(flatten)]
        owner: Owner,
        /// The track's id; without it, all tracks whose transcription failed
        #[arg(long, value_name = "ID")]
        track: Option<TrackId>,
        /// Replace a transcript that was edited
        #[arg(long, requires = "track")]
        overwrite_edits: bool,
    },
}

#[derive(Debug, clap::Args)]
pub(super) struct Owner {
    /// The organization's id
    #[arg(long)]
    org: OrganizationId,
}

#[derive(Debug, clap::Args)]
pub(super) struct Set {
    #[command(flatten)]
    owner: Owner,
    /// Base URL of the provider, such as https://api.example.com/v1
    #[arg(long)]
    url: String,
    /// Name of the model
    #[arg(long, default_value = "whisper-1")]
    model: String,
    /// The provider's API key; an empty value removes it [env: TONEARM_TRANSCRIPTION_KEY, or the file that
    /// TONEARM_TRANSCRIPTION_KEY_FILE names] [default: keep the current one]
    #[arg(long)]
    key: Option<String>,
    /// Language of all tracks, such as de [default: detected]
    #[arg(long)]
    language: Option<String>,
}

pub(super) async fn run(config: &Config, ambient: &Ambient, command: Command) -> Result<(), Failure> {
    let services = Services::open(config, ambient).await?;
    let transcriptions = &services.transcriptions;
    match command {
        Command::Set(Set { owner, url, model, key, language }) => {
            let key = match (key, command_secret(KEY, |name| std::env::var(name).ok())?) {
                (Some(_), Some(_)) => {
                    let message = format!("--key is set together with {KEY} or {KEY}_FILE; set one of them");
                    return Err(Failure::Usage(message));
                }
                (key, variable) => key.or(variable),
            };
            let language = language.map_or(Patch::Clear, Patch::Set);
            let set = SetTranscription { base_url: url.into(), key, model: model.into(), language };
            transcriptions.set(&services.owner(owner.org).await?, set).await?;
        }
        Command::On(owner) => transcriptions.enable(&services.owner(owner.org).await?, true).await?,
        Command::Off(owner) => transcriptions.enable(&services.owner(owner.org).await?, false).await?,
        Command::Show(owner) => {
            let settings = transcriptions.settings(&services.owner(owner.org).await?).await?;
            print::json(&json!({
                "is_enabled": settings.is_enabled,
                "base_url": settings.base_url,
                "has_key": settings.has_key,
                "model": settings.model,
                "language": settings.language,
            }));
        }
        Command::Failures(owner) => {
            for failed in transcriptions.failures(&services.owner(owner.org).await?).await? {
                print::json(&json!({
                    "track_id": failed.track_id,
                    "reason": failed.reason,
                    "failed_at": failed.updated_at,
                }));
            }
        }
        Command::Retry { owner, track, overwrite_edits } => {
            let caller = services.owner(owner.org).await?;
            match track {
                Some(track) => transcriptions.retry(&caller, track, overwrite_edits).await?,
                None => retry_all(transcriptions, &caller, overwrite_edits).await?,
            }
        }
    }
    Ok(())
}

/// Requests all failed transcriptions again, and names those that may not be.
async fn retry_all(
    transcriptions: &Transcriptions,
    caller: &Caller,
    overwrite_edits: bool,
) -> Result<(), Failure> {
    let mut refused = BTreeSet::new();
    loop {
        // The list has an end. What is requested leaves it.
        let failures = transcriptions.failures(caller).await?;
        let mut is_any_queued = false;
        for track in failures.into_iter().map(|failure| failure.track_id) {
            if refused.contains(&track) {
                continue;
            }
            match transcriptions.retry(caller, track, overwrite_edits).await {
                Ok(()) => is_any_queued = true,
                Err(
                    refusal @ (Refusal::Conflict { .. }
                    | Refusal::Unprocessable { .. }
                    | Refusal::NotFound(_)),
                ) => {
                    print::complain(format_args!("{track}: {refusal}"));
                    refused.insert(track);
                }
                Err(refusal) => return Err(refusal.into()),
            }
        }
        if !is_any_queued {
            break;
        }
    }
    match refused.len() {
        0 => Ok(()),
        count => Err(Failure::failed(format!("{count} transcriptions were not requested again"))),
    }
}

//! Two concurrent requests: what one of them has read may change before it writes.

use std::task::Poll;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tonearm_domain::{
    ClaimedJob, Job, SourceSlot, TrackId, Transcription, TranscriptionState, UploadId, UploadKind,
};
use tonearm_fixtures::TestDatabase;
use tonearm_outbound::Outbound;
use tonearm_service::{
    BeginUpload, Caller, JobRun, SetTranscription, Transcriptions, UploadPermit, UploadRefusal,
};
use tonearm_signing::{Secrets, Vault};

use crate::on_both;
use crate::workshop::{Workshop, sound};

on_both!(an_upload_url_has_one_upload, a_provider_that_is_set_in_time_counts);

/// How long one request may run while the other is paused. It may wait for the other one's lock.
const PATIENCE: Duration = Duration::from_millis(50);

/// Pauses a request after this many polls until the other one has ended or waits, and then finishes both. Returns
/// whether the first had ended before it could be paused.
fn with_pause<A: Future, B: Future>(
    first: A,
    mut polls: usize,
    second: B,
) -> impl Future<Output = (bool, A::Output, B::Output)> {
    let (mut first, mut second) = (Box::pin(first), Box::pin(second));
    async move {
        let begun = std::future::poll_fn(|context| {
            if polls == 0 {
                return Poll::Ready(None);
            }
            polls -= 1;
            first.as_mut().poll(context).map(Some)
        });
        if let Some(output) = begun.await {
            return (true, output, second.await);
        }
        match tokio::time::timeout(PATIENCE, &mut second).await {
            Ok(output) => (false, first.await, output),
            Err(_) => {
                let (first, second) = tokio::join!(first, second);
                (false, first, second)
            }
        }
    }
}

/// The uploads to the upload URL of a track that are still waiting for bytes.
async fn open_uploads(workshop: &Workshop, track: TrackId) -> Vec<UploadId> {
    let later = workshop.ambient.now().plus_seconds(365 * 24 * 3600);
    let uploads = workshop.catalog.expired_uploads(later, 1000).await.unwrap();
    uploads.into_iter().filter(|upload| upload.track_id == Some(track)).map(|upload| upload.id).collect()
}

async fn begin(workshop: &Workshop, slot: SourceSlot) -> Result<UploadId, UploadRefusal> {
    let begin = BeginUpload { kind: UploadKind::Url, length: Some(1000), sha256: None, metadata: None };
    Ok(workshop.uploads.begin_upload(UploadPermit::Track(slot), begin).await?.id)
}

async fn an_upload_url_has_one_upload(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    for has_earlier in [false, true] {
        for polls in 1.. {
            let (owner, track_id) = workshop.create().await;
            let slot = SourceSlot::of_track(owner.organization_id, track_id);
            if has_earlier {
                begin(&workshop, slot).await.unwrap();
            }
            let (is_over, first, second) =
                with_pause(begin(&workshop, slot), polls, begin(&workshop, slot)).await;
            let (first, second) = (first.unwrap(), second.unwrap());
            let open = open_uploads(&workshop, track_id).await;
            assert!(
                open == [first] || open == [second],
                "after {polls} polls: {open:?}, begun were {first:?} and {second:?}"
            );
            if is_over {
                break;
            }
        }
    }
}

/// A track that is ready, in an organization without a provider, with a claimed job to transcribe it.
async fn claimed_transcription(workshop: &Workshop) -> (Caller, TrackId, JobRun) {
    let (owner, track_id) = workshop.upload(sound()).await;
    workshop.run_all().await;
    let tx = workshop.catalog.begin().await.unwrap();
    let job = Job::TranscribeTrack { organization_id: owner.organization_id, track_id };
    tx.enqueue(job, workshop.ambient.record_id(), workshop.ambient.now(), None).await.unwrap();
    tx.commit().await.unwrap();
    let claimed = claim(workshop).await.unwrap();
    (owner, track_id, JobRun { claimed, cancel: CancellationToken::new() })
}

async fn claim(workshop: &Workshop) -> Option<ClaimedJob> {
    let (now, lease) = (workshop.ambient.now(), workshop.ambient.credential_id());
    workshop.catalog.claim_job(now, lease, now.plus_seconds(60)).await.unwrap()
}

/// Sets a provider and requests a transcription of the track.
async fn set_and_retry(transcriptions: &Transcriptions, owner: &Caller, track: TrackId) {
    let provider = SetTranscription {
        base_url: "https://transcription.example.com/v1".into(),
        key: None,
        model: "model".into(),
        language: Default::default(),
    };
    transcriptions.set(owner, provider).await.unwrap();
    transcriptions.retry(owner, track, false).await.unwrap();
}

async fn a_provider_that_is_set_in_time_counts(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let vault = Vault::new(&Secrets::parse("a secret for tests that is long enough to be one").unwrap());
    let (catalog, ambient) = (workshop.catalog.clone(), workshop.ambient.clone());
    let transcriptions = Transcriptions::new(catalog, ambient, vault, Outbound::new(true).unwrap());
    for is_job_paused in [true, false] {
        for polls in 1.. {
            let (owner, track_id, run) = claimed_transcription(&workshop).await;
            let (job, setting) =
                (workshop.processing.run(&run), set_and_retry(&transcriptions, &owner, track_id));
            let is_over = if is_job_paused {
                with_pause(job, polls, setting).await.0
            } else {
                with_pause(setting, polls, job).await.0
            };
            let found = workshop.catalog.transcription(owner.organization_id, track_id).await.unwrap();
            let Some(Transcription { state, reason, .. }) = found else {
                panic!("nothing after {polls} polls")
            };
            assert_eq!(state, TranscriptionState::Pending, "after {polls} polls: {reason:?}");
            // Takes the remaining jobs, so that the next round claims its own job.
            while claim(&workshop).await.is_some() {}
            if is_over {
                break;
            }
        }
    }
}

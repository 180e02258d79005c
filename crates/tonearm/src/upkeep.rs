//! What a node does beside answering: keeping what it counted, writing down which keys were used, and knowing which
//! signing keys are live.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::time::{MissedTickBehavior, interval, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tonearm_blobs::Blobs;
use tonearm_domain::{MasterSecretUse, NodeRecord};
use tonearm_service::{
    Access, Heartbeat, IdentityError, KeyFollower, MasterSecrets, Refusal, StoreIdentity, Usage, UsageKeeper,
};

/// At most so much of what was counted is lost when the process is killed.
const KEEP_EVERY: Duration = Duration::from_secs(1);

/// How often it is asked whether counts of nodes without a catalog are to be looked for.
const FETCH_EVERY: Duration = Duration::from_secs(5);

/// How often a node with a catalog looks which signing keys are live.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// How often a node sends a heartbeat.
const BEAT_EVERY: Duration = Duration::from_secs(NodeRecord::BEAT_SECONDS);

/// How often it is written down when keys were last used.
const NOTE_USES_EVERY: Duration = Duration::from_secs(30);

/// How often a node that started without its store asks which store it is.
const CHECK_STORE_EVERY: Duration = Duration::from_secs(5);

/// How long a node that stops tries to keep what it counted last.
const LAST_TRIES: Duration = Duration::from_secs(10);

/// Calls something over and over until told to stop, and logs when it begins to fail and when it works again.
macro_rules! repeat {
    ($what:literal, $every:expr, $until:expr, $call:expr) => {{
        let mut ticks = interval($every);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut fails = false;
        loop {
            tokio::select! {
                () = $until.cancelled() => break,
                _ = ticks.tick() => {}
            }
            let done: Result<_, Refusal> = $call.await;
            match &done {
                Ok(_) if fails => tracing::info!(concat!("recovered: ", $what)),
                Err(error) if !fails => {
                    let error: &dyn std::error::Error = error;
                    tracing::warn!(error, concat!("failed, will be retried: ", $what));
                }
                _ => {}
            }
            fails = done.is_err();
        }
    }};
}

/// Keeps what was counted each second; the rest once all requests are answered, which is when `until` is cancelled. What
/// cannot be kept then is left on the disk for the next start.
pub async fn keep_counts(mut keeper: UsageKeeper, until: CancellationToken) {
    repeat!("storing usage", KEEP_EVERY, until, keeper.flush());
    let kept = async {
        while keeper.flush().await.is_err() {
            sleep(Duration::from_millis(200)).await;
        }
    };
    if timeout(LAST_TRIES, kept).await.is_ok() {
        return;
    }
    match keeper.leave().await {
        Ok(batches) => {
            tracing::warn!(batches, "could not store usage; it is saved on disk until the next start")
        }
        Err(error) => {
            let error: &dyn std::error::Error = &error;
            tracing::error!(error, "the usage counted last is lost");
        }
    }
}

/// Writes down when keys were last used, and once more when all requests are answered, which is when `until` is cancelled.
pub async fn keep_key_uses(access: Access, until: CancellationToken) {
    repeat!("storing when keys were last used", NOTE_USES_EVERY, until, access.write_key_uses());
    match timeout(LAST_TRIES, access.write_key_uses()).await {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(error, "could not store the latest times at which keys were used");
        }
        Err(_) => tracing::warn!("storing the latest times at which keys were used timed out"),
    }
}

/// Notes which master secret this node signs with.
pub async fn note_master_secret(secrets: MasterSecrets, until: CancellationToken) {
    let every = Duration::from_secs(MasterSecretUse::NOTED_EVERY.unsigned_abs());
    repeat!("storing which master secret is in use", every, until, secrets.note());
}

/// Sends heartbeats, and says that the node has stopped when `until` is cancelled.
pub async fn keep_alive(mut heartbeat: Heartbeat, until: CancellationToken) {
    repeat!("recording the heartbeat of this node", BEAT_EVERY, until, heartbeat.beat());
    if let Err(error) = heartbeat.end().await {
        let error: &dyn std::error::Error = &error;
        tracing::warn!(
            error,
            "could not record that this node has stopped; it will be shown as lost for a day"
        );
    }
}

/// Adds what nodes without a catalog counted.
pub async fn fetch_counts(usage: Usage, blobs: Blobs, until: CancellationToken) {
    repeat!("importing usage from other nodes", FETCH_EVERY, until, usage.import(&blobs));
}

/// Follows which signing keys are live, by the catalog.
pub async fn follow_keys(mut follower: KeyFollower, until: CancellationToken) {
    repeat!("reading the list of signing keys", LOOK_EVERY, until, follower.look());
}

/// Follows which signing keys are live, by what other nodes left in the store, with so much time between two looks.
pub async fn follow_keys_in_store(mut follower: KeyFollower, every: Duration, until: CancellationToken) {
    repeat!("reading the list of signing keys", every, until, follower.look());
}

/// Asks until the store tells whether it belongs to the database, and takes note where it does not.
pub async fn check_store(identity: StoreIdentity, is_other: Arc<AtomicBool>, until: CancellationToken) {
    loop {
        tokio::select! {
            () = until.cancelled() => return,
            () = sleep(CHECK_STORE_EVERY) => {}
        }
        match identity.establish().await {
            Ok(store) => {
                tracing::info!(%store, "the object store belongs to this database");
                is_other.store(false, Ordering::Relaxed);
                return;
            }
            Err(IdentityError::Mismatch(mismatch)) => {
                if !is_other.swap(true, Ordering::Relaxed) {
                    tracing::error!(error = %mismatch, "this node is not ready and should be stopped");
                }
            }
            // That it is away was logged at the start, and shows in `/readyz`.
            Err(IdentityError::Store(_) | IdentityError::Catalog(_)) => {}
        }
    }
}

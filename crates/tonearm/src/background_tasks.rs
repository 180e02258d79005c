//! Background tasks of a node: they store usage and key uses, send heartbeats, and refresh the list of signing keys.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::task::spawn_blocking;
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tonearm_blobs::Blobs;
use tonearm_catalog::Catalog;
use tonearm_domain::{Ambient, MasterSecretUse, NodeRecord, ScheduledTask};
use tonearm_service::{
    Access, Heartbeat, IdentityError, KeyFollower, MasterSecrets, Refusal, Space, StoreIdentity, Usage,
    UsageKeeper,
};

/// How often usage is stored: a process that is killed loses at most this much.
const STORE_USAGE_EVERY: Duration = Duration::from_secs(1);

/// How often usage that nodes without a catalog left in the store is imported.
const IMPORT_USAGE_EVERY: Duration = Duration::from_secs(5);

/// How often a node with a catalog reads the list of signing keys.
pub const CATALOG_KEYS_EVERY: Duration = Duration::from_secs(1);

/// How often a node sends a heartbeat.
const HEARTBEAT_EVERY: Duration = Duration::from_secs(NodeRecord::BEAT_SECONDS);

/// How often the time at which a key was last used is stored.
const STORE_KEY_USES_EVERY: Duration = Duration::from_secs(30);

/// How often the free space is read.
const WATCH_SPACE_EVERY: Duration = Duration::from_secs(1);

/// How often a node that started without its store checks again which store it is.
const CHECK_STORE_EVERY: Duration = Duration::from_secs(5);

/// How long a stopping node tries to store the remaining data.
const FINAL_STORE_TIMEOUT: Duration = Duration::from_secs(10);

/// How long what is going on when a node stops may take.
const LAST_CALL_TIMEOUT: Duration = Duration::from_secs(2);

/// Evaluates `$call` at an interval until `$until` is cancelled, and logs when it begins to fail and when it recovers.
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
            let done: Result<_, Refusal> = tokio::select! {
                done = $call => done,
                () = too_late(&$until) => break,
            };
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

/// Completes when what is going on when a node stops is given up.
async fn too_late(until: &CancellationToken) {
    until.cancelled().await;
    sleep(LAST_CALL_TIMEOUT).await;
}

/// Stores usage each second until `until` is cancelled, which happens after all requests are answered. Then stores the
/// rest. Usage that cannot be stored then is saved on disk until the next start.
pub async fn store_usage(mut keeper: UsageKeeper, until: CancellationToken) {
    repeat!("storing usage", STORE_USAGE_EVERY, until, keeper.flush());
    let flushed = async {
        while keeper.flush().await.is_err() {
            sleep(Duration::from_millis(200)).await;
        }
    };
    if timeout(FINAL_STORE_TIMEOUT, flushed).await.is_ok() {
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

/// Stores when keys were last used until `until` is cancelled, which happens after all requests are answered, and then
/// once more.
pub async fn store_key_uses(access: Access, until: CancellationToken) {
    repeat!("storing when keys were last used", STORE_KEY_USES_EVERY, until, access.write_key_uses());
    match timeout(FINAL_STORE_TIMEOUT, access.write_key_uses()).await {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => {
            let error: &dyn std::error::Error = &error;
            tracing::warn!(error, "could not store the latest times at which keys were used");
        }
        Err(_) => tracing::warn!("storing the latest times at which keys were used timed out"),
    }
}

/// Records which master secret this node signs with.
pub async fn record_master_secret(secrets: MasterSecrets, until: CancellationToken) {
    let every = Duration::from_secs(MasterSecretUse::NOTED_EVERY.unsigned_abs());
    repeat!("storing which master secret is in use", every, until, secrets.note());
}

/// Sends heartbeats, and records that the node has stopped when `until` is cancelled.
pub async fn send_heartbeats(mut heartbeat: Heartbeat, until: CancellationToken) {
    repeat!("recording the heartbeat of this node", HEARTBEAT_EVERY, until, heartbeat.beat());
    if let Err(error) = heartbeat.end().await {
        let error: &dyn std::error::Error = &error;
        tracing::warn!(
            error,
            "could not record that this node has stopped; it will be shown as lost for a day"
        );
    }
}

/// Imports the usage that nodes without a catalog have left in the store.
pub async fn import_usage(usage: Usage, blobs: Blobs, until: CancellationToken) {
    repeat!("importing usage from other nodes", IMPORT_USAGE_EVERY, until, usage.import(&blobs));
}

/// Adds up the counts of records in the database, once for all nodes.
pub async fn merge_record_counts(catalog: Catalog, ambient: Ambient, until: CancellationToken) {
    let merge = async || -> Result<(), Refusal> {
        if catalog.take_task(ScheduledTask::MergeRecordCounts, ambient.now()).await? {
            catalog.merge_record_counts().await?;
        }
        Ok(())
    };
    let every = Duration::from_secs(ScheduledTask::MergeRecordCounts.period_seconds().unsigned_abs());
    repeat!("adding up the counts of records", every, until, merge());
}

/// Refreshes the list of live signing keys at an interval: from the catalog, or from what other nodes left in the store.
pub async fn refresh_signing_keys(mut follower: KeyFollower, every: Duration, until: CancellationToken) {
    repeat!("reading the list of signing keys", every, until, follower.look());
}

/// Reads the free space at an interval, keeps the reserve, and logs when the space becomes short and when there is enough
/// again. A file system that does not answer holds up nothing else.
pub async fn watch_space(space: Space, until: CancellationToken) {
    let watch = async {
        let mut ticks = interval(WATCH_SPACE_EVERY);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut was_short = false;
        loop {
            ticks.tick().await;
            let watched = space.clone();
            if let Err(error) = spawn_blocking(move || watched.keep_watch()).await {
                tracing::error!(%error, "reading the free space panicked");
            }
            let shortage = space.shortage();
            match &shortage {
                Some(shortage) if !was_short => {
                    tracing::warn!(%shortage, "there is too little free space: nothing can be added");
                }
                None if was_short => tracing::info!("there is enough free space again"),
                _ => {}
            }
            was_short = shortage.is_some();
        }
    };
    until.run_until_cancelled(watch).await;
}

/// Checks whether the store belongs to the database, and retries until the store answers. Sets `is_other` if it does
/// not belong to it.
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
            // The outage was logged at the start, and `/readyz` reports it.
            Err(IdentityError::Store(_) | IdentityError::Catalog(_)) => {}
        }
    }
}

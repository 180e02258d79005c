//! The load from clients: uploads, which become jobs, and plays.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use tonearm_domain::{Day, ExpiresIn, Job, ListenerId, Metadata, UsageCounts, Visitor};
use tonearm_fixtures::Dice;
use tonearm_service::{Caller, GrantPlaySession, PlaySessionScope, Visit};

use crate::library::{BYTES, Playable, SECONDS};
use crate::world::World;

/// The number of ranges in which a player fetches a file.
const RANGES: u64 = 6;

/// Queues jobs at random moments, `per_hour` an hour on average, until the future is dropped.
pub(crate) async fn queue_jobs(world: Arc<World>, per_hour: f64) {
    let mut dice = Dice::sequence(world.settings.seed, 1);
    loop {
        tokio::time::sleep(dice.pause(per_hour / 3600.0)).await;
        let (track, node) = (dice.below(world.library.len()), dice.number());
        // Clients retry; their retries are not what is measured here.
        while queue_job(&world, &world.library[track], node).await.is_err() {
            tokio::time::sleep(Duration::from_secs(2)).await;
        }
    }
}

async fn queue_job(world: &World, playable: &Playable, choice: u64) -> Result<()> {
    let Some(node) = world.node(choice) else { return Ok(()) };
    let id = node.ambient.record_id();
    let tx = node.catalog.begin().await?;
    let job = Job::ProcessTrack { organization_id: playable.organization_id, track_id: playable.track.id };
    tx.enqueue(job, id, node.ambient.now(), None).await?;
    tx.commit().await?;
    world.encoding.note_queued(id);
    Ok(())
}

/// Plays tracks at random moments, `per_second` a second on average, until the future is dropped.
pub(crate) async fn play_tracks(world: Arc<World>, per_second: f64) {
    let mut dice = Dice::sequence(world.settings.seed, 2);
    loop {
        tokio::time::sleep(dice.pause(per_second)).await;
        tokio::spawn(play(Arc::clone(&world), dice.number()));
    }
}

/// One play: a session, its first track, and the file in ranges from one node. Half of all plays are of a tenth of the
/// tracks.
async fn play(world: Arc<World>, choice: u64) {
    let mut dice = Dice::sequence(world.settings.seed, choice);
    let most = if dice.below(2) == 0 { world.library.len() / 10 } else { world.library.len() };
    let playable = &world.library[dice.below(most.max(1))];
    if open(&world, playable, dice.number()).await.is_err() {
        world.note_failed_play();
        return;
    }
    world.note_play();
    let Some((meter, now)) = world.delivering(dice.number()) else { return };
    let hash = dice.number();
    let visitor = Visitor {
        listener: ListenerId::from_hash(hash),
        address: std::net::Ipv4Addr::from_bits(hash as u32).into(),
        agent: Some(b"Mozilla/5.0"),
        referrer: None,
        host: None,
    };
    let first = now();
    meter.count(
        playable.organization_id,
        playable.track.index,
        Some(&playable.key.file.label),
        UsageCounts::START,
        first,
    );
    let Some(file) = meter.listen(&playable.key, BYTES, &visitor, first, || None) else { return };
    for range in 0..RANGES {
        let (start, end) = (range * BYTES / RANGES, (range + 1) * BYTES / RANGES);
        let counts = UsageCounts::bytes(end - start);
        meter.count(
            playable.organization_id,
            playable.track.index,
            Some(&playable.key.file.label),
            counts,
            now(),
        );
        meter.take_range(&file, start..end, now());
        tokio::time::sleep(Duration::from_secs(u64::from(SECONDS) / RANGES)).await;
    }
    debug_assert!(Day::of(first) <= Day::of(now()));
}

async fn open(world: &World, playable: &Playable, choice: u64) -> Result<()> {
    let Some(node) = world.node(choice) else { anyhow::bail!("no node is left") };
    let grant = GrantPlaySession {
        scope: PlaySessionScope::Collection(playable.collection_id),
        variants: Vec::new(),
        organization_index: None,
        metadata: Metadata::default(),
        is_downloadable: false,
        expires_in: ExpiresIn::default(),
    };
    let caller = Caller::owner(playable.organization_id);
    let opened = node.playback.grant_play_session(&caller, grant).await?;
    node.playback.play_track(opened.session.id, playable.track.id, Some(&Visit::default())).await?;
    Ok(())
}

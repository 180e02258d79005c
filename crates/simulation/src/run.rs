//! One simulation: time advances in small steps, each as soon as no work is in progress.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::Result;
use tokio::task::JoinSet;

use crate::counts::Counts;
use crate::faults;
use crate::load;
use crate::network::Network;
use crate::result::Outcome;
use crate::settings::Settings;
use crate::world::World;

/// How far time advances in one step.
const STEP: Duration = Duration::from_millis(10);

/// How often all tasks may run without progress before they are considered idle: an answer passes from the proxy to the
/// driver, the pool, the task and back in fewer turns.
const QUIET_TURNS: u32 = 8;

/// How long, in real time, there may be no progress although an answer is still expected: a statement may wait for a
/// lock whose holder waits for the simulated time. After that, time advances anyway.
const PATIENCE: Duration = Duration::from_millis(100);

/// How long the nodes may take to start before counting begins.
pub(crate) const WARM_UP: Duration = Duration::from_secs(60);

/// The longest time until all jobs have ended after the last one was queued.
const SETTLES_WITHIN: Duration = Duration::from_secs(1800);

/// Runs a simulation on an empty database. The runtime must be single-threaded, with its time paused.
pub(crate) async fn run(settings: Settings, database: &str) -> Result<Outcome> {
    let began = Instant::now();
    let scratch = tempfile::tempdir()?;
    // A blocking task that is still running keeps the paused clock from advancing by itself while an answer is waited
    // for.
    let (moving, wait) = std::sync::mpsc::channel::<()>();
    let held = tokio::task::spawn_blocking(move || wait.recv().is_ok());
    let world = Arc::new(World::make(settings, database, scratch.path()).await?);
    let network = world.network.clone();
    let driver = Driver {
        counts: world.counts.clone(),
        network,
        since: world.since,
        impatient: std::cell::Cell::new(0),
    };
    let start = world.since.elapsed();
    let outcome = simulate(&world, &driver, start).await;
    world.end().await?;
    drop(moving);
    held.await?;
    outcome.map(|outcome| Outcome { took: began.elapsed(), ..outcome })
}

async fn simulate(world: &Arc<World>, driver: &Driver, start: Duration) -> Result<Outcome> {
    let settings = &world.settings;
    let from = start + WARM_UP;
    let until = from + settings.length;
    let mut clients = JoinSet::new();
    world.start_nodes();
    if settings.jobs_per_hour > 0.0 {
        clients.spawn(load::queue_jobs(Arc::clone(world), settings.jobs_per_hour));
    }
    if settings.plays_per_second > 0.0 {
        clients.spawn(load::play_tracks(Arc::clone(world), settings.plays_per_second));
    }
    if settings.has_faults {
        tokio::spawn(faults::cause(Arc::clone(world), from));
    } else {
        tokio::spawn(faults::change_keys(Arc::clone(world), from + settings.length / 2));
    }
    driver.move_until(from).await;
    let before = (world.counts.so_far(), world.plays());
    driver.move_until(until).await;
    let counted = world.counts.so_far().after(&before.0);
    let plays = world.plays();
    clients.abort_all();
    let last = driver.settle_jobs(world, from, until).await;
    Ok(Outcome {
        settings: settings.clone(),
        per_second: world.counts.in_seconds(from.as_secs() as usize..until.as_secs() as usize),
        counted,
        texts: world.counts.texts(),
        plays: plays.0 - before.1.0,
        failed_plays: plays.1 - before.1.1,
        jobs: world.encoding.figures(from),
        settled_after: last.saturating_sub(until),
        impatient_steps: driver.impatient.get(),
        took: Duration::ZERO,
    })
}

struct Driver {
    counts: Counts,
    network: Network,
    since: crate::time::Since,
    impatient: std::cell::Cell<u64>,
}

impl Driver {
    async fn move_until(&self, until: Duration) {
        while self.since.elapsed() < until {
            self.step().await;
        }
    }

    async fn step(&self) {
        self.settle().await;
        tokio::time::advance(STEP).await;
    }

    /// Waits, in real time, until no work is in progress.
    async fn settle(&self) {
        let (mut quiet, mut moves) = (0, self.counts.moves());
        let mut moved = Instant::now();
        while quiet < QUIET_TURNS {
            tokio::task::yield_now().await;
            let now = self.counts.moves();
            if now != moves {
                (quiet, moves, moved) = (0, now, Instant::now());
            } else if !self.counts.is_waiting() {
                quiet += 1;
            } else if moved.elapsed() > PATIENCE {
                self.impatient.set(self.impatient.get() + 1);
                self.network.forget_notices();
                return;
            }
        }
    }

    /// Advances time until all jobs have ended or the time limit is reached. Returns the elapsed time.
    async fn settle_jobs(&self, world: &World, from: Duration, until: Duration) -> Duration {
        while self.since.elapsed() < until + SETTLES_WITHIN && world.encoding.figures(from).unfinished > 0 {
            for _ in 0..100 {
                self.step().await;
            }
        }
        self.since.elapsed()
    }
}

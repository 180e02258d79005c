//! Which faults happen, and when. The seed decides.

use std::sync::Arc;
use std::time::Duration;
use tonearm_fixtures::Dice;

use crate::world::World;

/// How long the database is unavailable.
pub(crate) const OUTAGE: Duration = Duration::from_secs(60);

/// How long after its death a node is replaced by a new one.
const REPLACED_AFTER: Duration = Duration::from_secs(90);

/// One node in this many dies.
const DYING_SHARE: usize = 10;

/// When the outage of the database begins, from the start of the period that is counted.
pub(crate) fn outage_after(length: Duration) -> Duration {
    length / 2
}

/// A tenth of the nodes, at least one, die in the first third of the time, each at its own moment. Then the signing
/// keys change, and later the database is unavailable for a while.
pub(crate) async fn cause(world: Arc<World>, from: Duration) {
    let mut dice = Dice::sequence(world.settings.seed, 4);
    let length = world.settings.length;
    let dying = world.settings.nodes.div_ceil(DYING_SHARE);
    for _ in 0..dying {
        let (world, at, choice) = (Arc::clone(&world), from + dice.up_to(length / 3), dice.number());
        tokio::spawn(async move {
            world.since.reaches(at).await;
            kill(&world, choice);
        });
    }
    change_keys(Arc::clone(&world), from + length * 2 / 5).await;
    world.since.reaches(from + outage_after(length)).await;
    world.network.set_database(false);
    tokio::time::sleep(OUTAGE).await;
    world.network.set_database(true);
}

fn kill(world: &Arc<World>, choice: u64) {
    let mut nodes = world.nodes();
    if nodes.is_empty() {
        return;
    }
    let index = (choice % nodes.len() as u64) as usize;
    nodes.remove(index).die();
    drop(nodes);
    tokio::spawn(Arc::clone(world).start_node(REPLACED_AFTER));
}

/// Creates one more signing key.
pub(crate) async fn change_keys(world: Arc<World>, at: Duration) {
    world.since.reaches(at).await;
    while world.add_signing_key().await.is_err() {
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
}

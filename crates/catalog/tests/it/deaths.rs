//! Jobs whose workers die.

use tonearm_catalog::Catalog;
use tonearm_domain::{Ambient, ClaimedJob};
use tonearm_fixtures::{ManualClock, ambient};

use crate::database::{Reach, TestDatabase};
use crate::jobs::queue;

crate::on_both!(
    pauses_grow_with_deaths,
    soon_deaths_alone_count_until_one_does_not,
    deaths_beside_others_do_not_count,
    who_lets_go_is_alive,
);

const LEASE_SECONDS: i64 = 60;

async fn claim(catalog: &Catalog, ambient: &Ambient) -> Option<ClaimedJob> {
    let until = ambient.now().plus_seconds(LEASE_SECONDS);
    catalog.claim_job(ambient.now(), ambient.credential_id(), until).await.unwrap()
}

/// Advances the clock until the job is claimed again.
async fn next(catalog: &Catalog, ambient: &Ambient, clock: &ManualClock) -> ClaimedJob {
    for _ in 0..1000 {
        clock.advance_seconds(60);
        if let Some(claimed) = claim(catalog, ambient).await {
            return claimed;
        }
    }
    panic!("it is never claimed again");
}

async fn pauses_grow_with_deaths(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    queue(&catalog, &ambient, ambient.now()).await;
    claim(&catalog, &ambient).await.unwrap();
    let mut minutes = Vec::new();
    for deaths in 1..=5 {
        let before = ambient.now();
        let claimed = next(&catalog, &ambient, &clock).await;
        minutes.push((ambient.now().unix_seconds() - before.unix_seconds()) / 60);
        assert_eq!((claimed.deaths, claimed.deaths_alone), (deaths, 0));
        assert_eq!(claimed.is_suspect(), deaths >= 2);
    }
    assert_eq!(minutes, [1, 7, 13, 25, 49]);
}

async fn soon_deaths_alone_count_until_one_does_not(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    queue(&catalog, &ambient, ambient.now()).await;
    let mut claimed = claim(&catalog, &ambient).await.unwrap();
    // How many seconds after the start the last lease ends, and the count after that.
    let lives = [(60, 1), (60, 2), (75, 0), (60, 1), (60, 2), (60, 3)];
    for (lease_ends_after, counted) in lives {
        let started = ambient.now();
        assert!(catalog.begin_trial(&claimed, started.plus_seconds(70)).await.unwrap());
        assert!(catalog.renew_lease(&claimed, started.plus_seconds(lease_ends_after)).await.unwrap());
        claimed = next(&catalog, &ambient, &clock).await;
        assert_eq!(claimed.deaths_alone, counted);
        assert_eq!(claimed.is_deadly(), counted == 3);
    }
}

/// Kills at random times, with other jobs running or after a long run alone, never cause a job to be given up.
async fn deaths_beside_others_do_not_count(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    queue(&catalog, &ambient, ambient.now()).await;
    let mut claimed = claim(&catalog, &ambient).await.unwrap();
    for deaths in 1..=8 {
        if deaths % 2 == 0 {
            // A worker that has been up only for a short time proves nothing.
            assert!(catalog.begin_trial(&claimed, ambient.now().plus_seconds(48)).await.unwrap());
        }
        claimed = next(&catalog, &ambient, &clock).await;
        assert_eq!((claimed.deaths, claimed.is_deadly()), (deaths, false));
    }
}

async fn who_lets_go_is_alive(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    queue(&catalog, &ambient, ambient.now()).await;
    claim(&catalog, &ambient).await.unwrap();
    next(&catalog, &ambient, &clock).await;
    let claimed = next(&catalog, &ambient, &clock).await;
    assert_eq!(claimed.deaths, 2);
    // A process that stops cleanly proves nothing about the job.
    assert!(catalog.return_lease(&claimed).await.unwrap());
    let claimed = claim(&catalog, &ambient).await.unwrap();
    assert_eq!(claimed.deaths, 2);
    assert!(catalog.retry_job(&claimed, ambient.now(), "their server is down").await.unwrap());
    assert_eq!(claim(&catalog, &ambient).await.unwrap().deaths, 0);
}

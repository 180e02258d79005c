//! The page that shows administrators the state of the service.

use tonearm_domain::{
    EndedRuns, Job, JobId, NodeRecord, OrganizationId, PerClass, Quotas, RecentRuns, Timestamp, TrackId,
};
use tonearm_fixtures::TestDatabase;
use tonearm_service::LastBackup;

use crate::house::House;

crate::on_both!(
    only_administrators_see_the_status,
    nodes_jobs_and_failures_are_shown,
    failures_are_retried_by_administrators,
    backups_and_nearly_used_quotas_are_shown,
);

const PAGE: &str = "/dashboard/status";

async fn only_administrators_see_the_status(database: TestDatabase) {
    let house = House::open(database).await;
    let mut ada = house.administrator().await;
    let mut bea = house.invited(&mut ada, "Bea", "owner").await;
    assert_eq!(house.browser().get(PAGE).await.status, 303);
    let refused = bea.get(PAGE).await;
    assert_eq!(refused.status, 403);
    let told = "Only administrators can see the status of the service.";
    assert!(refused.html.contains(told), "{}", refused.html);
    assert!(!bea.get("/dashboard/profile").await.html.contains(PAGE));
    assert!(ada.get("/dashboard/profile").await.html.contains(PAGE));
    let page = ada.get(PAGE).await;
    assert_eq!(page.status, 200, "{}", page.html);
    assert!(page.html.contains("No node has sent a heartbeat"), "{}", page.html);
    assert!(page.html.contains("No job failed."), "{}", page.html);
    assert_eq!(page.html.matches(">Reachable</span>").count(), 2, "{}", page.html);
    for told in [">None yet</span>", "No quota is nearly used up."] {
        assert!(page.html.contains(told), "{told:?} is missing in {}", page.html);
    }
}

async fn nodes_jobs_and_failures_are_shown(database: TestDatabase) {
    let house = House::open(database).await;
    let mut ada = house.administrator().await;
    let ambient = house.ambient();
    let node = |name: &str| NodeRecord {
        id: ambient.record_id(),
        name: name.to_owned(),
        address: "127.0.0.1:8080".to_owned(),
        version: "0.1.0".to_owned(),
        roles: vec!["api".to_owned(), "worker".to_owned()],
        started_at: ambient.now(),
        clock_ahead_millis: Some(-2400),
        master_secrets: Vec::new(),
        recent_runs: PerClass::of(|_| RecentRuns {
            minute: EndedRuns { finished: 17, failed: 0 },
            hour: EndedRuns { finished: 1_234, failed: 5 },
        }),
    };
    house.catalog.note_node(&node("gone.example.com"), ambient.now()).await.unwrap();
    house.clock.advance_seconds(120);
    house.catalog.note_node(&node("here.example.com"), ambient.now()).await.unwrap();
    let others = fails(&house, ambient.record_id(), "the encoder <broke>").await;
    let own = fails(&house, house.organization_id, "no sound").await;

    let page = ada.get(PAGE).await.html;
    let running = page.split_once("here.example.com").unwrap().1;
    let (running, lost) = running.split_once("gone.example.com").expect("those that run are first");
    assert!(running.contains(">Running</span>") && !running.contains(">Lost</span>"), "{page}");
    assert!(lost.contains(">Lost</span>"), "{page}");
    assert!(running.contains("badge warn\">\u{2212}2.4 s<"), "{page}");
    assert!(page.contains("the encoder &#60;broke&#62;") && page.contains("no sound"), "{page}");
    // The counts of the only running node, for each class.
    assert_eq!(page.matches(">17 / 1\u{202f}234</td>").count(), 3, "{page}");
    assert_eq!(page.matches(">0 / 5</td>").count(), 3, "{page}");
    // Only tracks of the reader's own organizations are links.
    assert!(page.contains(&house.path(&format!("/tracks/{own}"))), "{page}");
    assert!(!page.contains(&others.to_string()), "{page}");
}

async fn failures_are_retried_by_administrators(database: TestDatabase) {
    let house = House::open(database).await;
    let mut ada = house.administrator().await;
    let mut bea = house.invited(&mut ada, "Bea", "owner").await;
    let failed =
        async || house.catalog.failed_jobs(Timestamp::from_unix_millis(0).unwrap(), 9).await.unwrap().groups;
    for reason in ["no sound", "the encoder broke", "no sound"] {
        fails(&house, house.organization_id, reason).await;
    }
    let groups = failed().await;
    let [alike, other] = &groups[..] else { panic!("{groups:?}") };
    let address = |job: JobId| format!("{PAGE}/jobs/{job}/retry");
    assert_eq!(bea.submit("/dashboard/profile", &address(alike.job_id), &[]).await.status, 403);
    let page = ada.get(PAGE).await.html;
    assert_eq!(page.matches(">Retry all<").count(), 1, "{page}");
    assert!(page.contains(&address(other.job_id)), "{page}");

    assert_eq!(ada.submit(PAGE, &address(alike.job_id), &[]).await.location, PAGE);
    let told = ada.get(PAGE).await.html;
    assert!(told.contains("The failed jobs are queued again."), "{told}");
    assert!(told.contains("the encoder broke") && !told.contains("no sound"), "{told}");
    assert_eq!(failed().await.len(), 1);
    // The job has been retried already, as by another administrator.
    ada.submit(PAGE, &address(alike.job_id), &[]).await;
    let told = ada.get(PAGE).await.html;
    assert!(told.contains("Nothing needed to be changed."), "{told}");
    assert_eq!(ada.submit(PAGE, &format!("{PAGE}/jobs/nonsense/retry"), &[]).await.status, 404);
}

async fn backups_and_nearly_used_quotas_are_shown(database: TestDatabase) {
    let house = House::open(database).await;
    let mut ada = house.administrator().await;
    let collection = house.collection("Season").await;
    house.track(collection, "one.wav").await;
    let tx = house.catalog.begin().await.unwrap();
    let quotas = Quotas { tracks: Some(1), bytes: Some(1000), minutes: None };
    tx.set_quotas(house.organization_id, quotas).await.unwrap();
    tx.commit().await.unwrap();
    let now = house.ambient().now();
    let backup = LastBackup { made_at: now.plus_seconds(-60), finished_at: now };
    house.catalog.note_backup(backup).await.unwrap();
    let page = ada.get(PAGE).await.html;
    assert!(page.contains(">Complete</span>") && page.contains(&now.to_string()), "{page}");
    let own = format!("<code>{}</code>", house.organization_id);
    let quota = page.split_once(&own).expect("the quota is told").1;
    assert!(quota.contains("Tracks <span class=\"badge bad\">Full</span>"), "{page}");
    assert_eq!(quota.matches("<td class=\"number\">1</td>").count(), 2, "1 of 1 track: {page}");
}

/// Gives up the processing of a track of an organization.
async fn fails(house: &House, organization_id: OrganizationId, reason: &str) -> TrackId {
    let (catalog, ambient) = (&house.catalog, house.ambient());
    let track_id = ambient.record_id();
    let now = ambient.now();
    let tx = catalog.begin().await.unwrap();
    let job = Job::ProcessTrack { organization_id, track_id };
    tx.enqueue(job, ambient.record_id(), now, None).await.unwrap();
    tx.commit().await.unwrap();
    let claimed = catalog.claim_job(now, ambient.credential_id(), now.plus_seconds(60)).await.unwrap();
    let tx = catalog.begin().await.unwrap();
    assert!(tx.give_up_job(&claimed.unwrap(), now, reason).await.unwrap());
    tx.commit().await.unwrap();
    house.clock.advance_seconds(1);
    track_id
}

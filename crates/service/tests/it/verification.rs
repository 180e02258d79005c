//! Files that `tonearm verify --repair` renders again.

use bytes::Bytes;
use tonearm_domain::{Cover, CoverOrigin, CoverSize, Job, ObjectKey, ShortId, Track, TrackId};
use tonearm_fixtures::TestDatabase;
use tonearm_service::{Caller, Finding, Remedy, Verification, VerifyEvent, VerifyState, VerifyTerms};

use crate::workshop::{Workshop, sound};

crate::on_both!(
    a_lost_placeholder_is_drawn_again,
    a_lost_drawn_cover_leaves_no_placeholder_behind,
    a_placeholder_whose_source_is_lost_cannot_be_drawn,
);

async fn verified(workshop: &Workshop, repairs: bool) -> Vec<Finding> {
    let (catalog, blobs) = (workshop.catalog.clone(), workshop.blobs.clone());
    let verification = Verification::new(catalog, blobs, workshop.ambient.clone());
    let mut findings = Vec::new();
    let mut hear = |event: VerifyEvent<'_>| {
        if let VerifyEvent::Finding(finding) = event {
            findings.push(finding.clone());
        }
    };
    let terms = VerifyTerms { repairs, ..VerifyTerms::default() };
    verification.run(terms, VerifyState::new(workshop.ambient.now()), &mut hear).await.unwrap();
    findings
}

async fn track(workshop: &Workshop, owner: &Caller, id: TrackId) -> Track {
    workshop.catalog.track(owner.organization_id, id).await.unwrap().unwrap()
}

async fn lose(workshop: &Workshop, track: &Track, version: ShortId) {
    for key in Cover::files(track.organization_id, track.index, version) {
        let forms: Vec<ObjectKey> = Cover::webp_of(&key).into_iter().chain([key]).collect();
        workshop.blobs.delete_many(forms).await.unwrap();
    }
}

/// A track whose cover was uploaded before its sound, so that a placeholder is drawn too.
async fn with_uploaded_cover(workshop: &Workshop) -> (Caller, Track) {
    let (owner, id) = workshop.upload(sound()).await;
    let mut before = track(workshop, &owner, id).await;
    let cover = Cover { version: workshop.ambient.short_id(), origin: CoverOrigin::Uploaded };
    for size in CoverSize::ALL {
        let key = cover.key(before.organization_id, before.index, size);
        workshop.blobs.put_bytes(&key, Bytes::from_static(b"picture")).await.unwrap();
    }
    before.cover = Some(cover);
    let tx = workshop.catalog.begin().await.unwrap();
    tx.update_track(&before).await.unwrap();
    tx.commit().await.unwrap();
    workshop.run_all().await;
    let made = track(workshop, &owner, id).await;
    assert_eq!((made.cover, made.placeholder.is_some()), (Some(cover), true));
    assert_eq!(verified(workshop, false).await, []);
    (owner, made)
}

async fn a_lost_placeholder_is_drawn_again(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (owner, before) = with_uploaded_cover(&workshop).await;
    lose(&workshop, &before, before.placeholder.unwrap()).await;
    let findings = verified(&workshop, false).await;
    assert_eq!(findings.len(), CoverSize::LISTED.len(), "{findings:?}");
    assert!(findings.iter().all(|finding| finding.remedy == Remedy::Repairable), "{findings:?}");
    let findings = verified(&workshop, true).await;
    assert!(findings.iter().all(|finding| finding.remedy == Remedy::Queued), "{findings:?}");
    let job = Job::DrawPlaceholder { organization_id: owner.organization_id, track_id: before.id };
    assert!(workshop.is_queued(&[job]).await);
    workshop.run_all().await;
    let after = track(&workshop, &owner, before.id).await;
    assert_eq!(after.cover, before.cover, "the uploaded one stays");
    assert!(after.placeholder.is_some_and(|version| Some(version) != before.placeholder));
    assert_eq!(verified(&workshop, false).await, []);
}

async fn a_lost_drawn_cover_leaves_no_placeholder_behind(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (owner, id) = workshop.upload(sound()).await;
    workshop.run_all().await;
    let before = track(&workshop, &owner, id).await;
    let drawn = before.cover.unwrap();
    assert_eq!((drawn.origin, before.placeholder), (CoverOrigin::Generated, Some(drawn.version)));
    lose(&workshop, &before, drawn.version).await;
    assert!(verified(&workshop, true).await.iter().all(|finding| finding.remedy == Remedy::Queued));
    // The lost objects are no longer referenced.
    assert_eq!(verified(&workshop, false).await, []);
    workshop.run_all().await;
    let after = track(&workshop, &owner, id).await;
    assert!(after.cover.is_some_and(|cover| Some(cover.version) == after.placeholder));
    assert_eq!(verified(&workshop, false).await, []);
}

async fn a_placeholder_whose_source_is_lost_cannot_be_drawn(database: TestDatabase) {
    let workshop = Workshop::open(&database).await;
    let (_, before) = with_uploaded_cover(&workshop).await;
    lose(&workshop, &before, before.placeholder.unwrap()).await;
    workshop.blobs.delete(&before.source.clone().unwrap().key).await.unwrap();
    let findings = verified(&workshop, true).await;
    assert!(findings.iter().all(|finding| finding.remedy == Remedy::Lost), "{findings:?}");
    let covers: Vec<String> =
        findings.iter().filter(|finding| finding.role == Some("cover")).map(ToString::to_string).collect();
    assert_eq!(covers.len(), CoverSize::LISTED.len());
    assert!(covers.iter().all(|text| text.ends_with("since the source is lost too")), "{covers:?}");
}

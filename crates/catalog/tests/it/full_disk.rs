//! Acknowledged writes survive any failure of an SQLite database's disk.

use std::path::Path;
use std::time::Duration;

use tonearm_catalog::{Catalog, CatalogError, ConnectOptions, DatabaseUrl};
use tonearm_domain::{Ambient, Collection, CollectionId, Job, Organization};
use tonearm_fixtures::{BrokenWrites, SmallDisk, ambient};

use crate::samples::*;

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_loses_nothing_acknowledged() {
    let name = "a_full_disk_loses_nothing_acknowledged";
    let Some(disk) = SmallDisk::of(module_path!(), name, 4) else { return };
    survive(disk.path(), || disk.fill(), || disk.free()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_failing_disk_loses_nothing_acknowledged() {
    let name = "a_failing_disk_loses_nothing_acknowledged";
    let Some(writes) = BrokenWrites::of(module_path!(), name) else { return };
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("catalog.db-wal");
    let fail = || writes.begin(std::fs::metadata(&log).unwrap().len());
    survive(folder.path(), fail, || writes.end()).await;
}

/// Writes before, while and after writes to a folder fail, and checks from a second process which rows are stored.
async fn survive(folder: &Path, fail: impl Fn(), mend: impl Fn()) {
    let url = DatabaseUrl::sqlite(folder.join("catalog.db"));
    let (catalog, (ambient, _)) = (connect(&url).await, ambient());
    let (organization, first) = stored_collection(&catalog, &ambient).await;
    queue(&catalog, &ambient).await;
    let (mut acknowledged, mut refused) = (vec![first.id], Vec::new());
    for is_failing in [true, false, true, false] {
        if is_failing {
            fail()
        } else {
            mend()
        }
        for _ in 0..6 {
            let (id, written) = write(&catalog, &ambient, &organization).await;
            match written {
                Ok(()) => acknowledged.push(id),
                Err(error) if is_failing => {
                    assert!(is_our_fault(&error), "{error:?}");
                    refused.push(id);
                }
                Err(error) => panic!("the disk works again: {error:?}"),
            }
            assert!(catalog.organization(organization.id).await.unwrap().is_some(), "reads go on");
        }
        if is_failing {
            let abandoned = catalog.begin().await.unwrap();
            abandoned.insert_collection(&bare_collection(&ambient, &organization)).await.unwrap();
            drop(abandoned);
            let claimed = claim(&catalog, &ambient).await;
            assert!(matches!(&claimed, Err(error) if is_our_fault(error)), "{claimed:?}");
        }
    }
    assert!(refused.len() >= 6, "the disk was not full enough: {refused:?}");
    assert!(claim(&catalog, &ambient).await.unwrap(), "the job is still there to be claimed");

    let other = connect(&url).await;
    for id in acknowledged {
        assert!(other.collection(organization.id, id).await.unwrap().is_some(), "acknowledged, but lost");
    }
    for id in refused {
        assert!(other.collection(organization.id, id).await.unwrap().is_none(), "refused, but written");
    }
    let write = write(&other, &ambient, &organization);
    let (_, written) = tokio::time::timeout(Duration::from_secs(20), write).await.expect("the lock is free");
    written.unwrap();
}

fn is_our_fault(error: &CatalogError) -> bool {
    matches!(error, CatalogError::Full(_) | CatalogError::Unavailable(_) | CatalogError::UnknownOutcome(_))
}

async fn connect(url: &DatabaseUrl) -> Catalog {
    Catalog::connect(url, ConnectOptions::default()).await.unwrap()
}

/// Writes a collection of a few kilobytes.
async fn write(
    catalog: &Catalog,
    ambient: &Ambient,
    organization: &Organization,
) -> (CollectionId, Result<(), CatalogError>) {
    let title = "x".repeat(20_000);
    let collection = Collection { title, ..bare_collection(ambient, organization) };
    let written = async {
        let tx = catalog.begin().await?;
        tx.insert_collection(&collection).await?;
        tx.commit().await
    };
    (collection.id, written.await)
}

async fn queue(catalog: &Catalog, ambient: &Ambient) {
    let tx = catalog.begin().await.unwrap();
    tx.enqueue(Job::SweepObjects {}, ambient.record_id(), ambient.now(), None).await.unwrap();
    tx.commit().await.unwrap();
}

/// Claims a job, which is a transaction with a single statement that returns a row.
async fn claim(catalog: &Catalog, ambient: &Ambient) -> Result<bool, CatalogError> {
    let (now, lease) = (ambient.now(), ambient.credential_id());
    Ok(catalog.claim_job(now, lease, now.plus_seconds(60)).await?.is_some())
}

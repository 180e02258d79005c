//! A database and an object store that record that they belong together.

use tonearm_domain::{StoreId, StoreMismatch};
use tonearm_fixtures::TestDatabase;
use tonearm_service::IdentityError;

use crate::on_both;
use crate::store_scene::{Ground, Scene};

on_both!(
    a_first_start_ties_them,
    nodes_that_start_at_once_agree,
    a_first_start_that_was_killed_is_finished,
    an_upgrade_ties_what_fits,
    a_new_database_is_refused,
    a_database_of_another_store_is_refused,
    an_empty_store_is_refused,
    adopting_ties_them_anew,
);

async fn mismatch(scene: &Scene) -> StoreMismatch {
    match scene.identity().establish().await {
        Err(IdentityError::Mismatch(mismatch)) => mismatch,
        other => panic!("not a mismatch: {other:?}"),
    }
}

/// Another empty database of the same kind.
async fn another(database: &TestDatabase) -> TestDatabase {
    match database.url.starts_with("sqlite") {
        true => TestDatabase::sqlite(),
        false => TestDatabase::postgres().await,
    }
}

async fn a_first_start_ties_them(database: TestDatabase) {
    let ground = Ground::beside(&database);
    let scene = Scene::set(&database, ground.open().await).await;
    let id = scene.identity().establish().await.unwrap();
    let tie = scene.identity().inspect().await.unwrap();
    assert_eq!((tie.agreed(), tie.found.as_slice()), (Ok(Some(id)), &[id][..]));
    assert!(tie.record.unwrap().tied_at.is_some());
    // Later objects change nothing, whether known or not.
    scene.stray().await;
    assert_eq!(scene.identity().establish().await.unwrap(), id);
}

async fn nodes_that_start_at_once_agree(database: TestDatabase) {
    let ground = Ground::beside(&database);
    let mut nodes = Vec::new();
    for _ in 0..5 {
        nodes.push(Scene::set(&database, ground.open().await).await);
    }
    let starts = nodes.iter().map(|node| async { node.identity().establish().await.unwrap() });
    let ids = futures::future::join_all(starts).await;
    assert!(ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    assert_eq!(nodes[0].identity().inspect().await.unwrap().found, [ids[0]]);
}

async fn a_first_start_that_was_killed_is_finished(database: TestDatabase) {
    let ground = Ground::beside(&database);
    let scene = Scene::set(&database, ground.open().await).await;
    let id = StoreId::new(scene.ambient.short_id());
    // Killed after the row was written, and before the object.
    let tx = scene.catalog.begin().await.unwrap();
    tx.propose_store_id(id, scene.ambient.now()).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(scene.identity().establish().await.unwrap(), id);
    // Killed after the object was written, and before the row records it.
    let tx = scene.catalog.begin().await.unwrap();
    tx.replace_store_id(id, scene.ambient.now()).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(scene.identity().establish().await.unwrap(), id);
    assert!(scene.identity().inspect().await.unwrap().record.unwrap().tied_at.is_some());
}

async fn an_upgrade_ties_what_fits(database: TestDatabase) {
    let ground = Ground::beside(&database);
    let scene = Scene::set(&database, ground.open().await).await;
    for _ in 0..3 {
        scene.named().await;
    }
    scene.strays(3).await;
    scene.identity().establish().await.unwrap();

    // The same with a database whose objects are in another store.
    let (database, ground) = (another(&database).await, Ground::beside(&database));
    let scene = Scene::set(&database, ground.open().await).await;
    let away = scene.named().await;
    scene.blobs.delete(&away).await.unwrap();
    let found = mismatch(&scene).await;
    assert!(matches!(found, StoreMismatch::Unrelated(_)), "{found}");
    assert!(found.to_string().contains("0 of 1 objects that the database lists are in the store"), "{found}");
}

async fn a_new_database_is_refused(database: TestDatabase) {
    let ground = Ground::beside(&database);
    let scene = Scene::set(&database, ground.open().await).await;
    // Before the upgrade, the store had no identity.
    scene.strays(27).await;
    let found = mismatch(&scene).await;
    assert!(found.to_string().contains("the database knows 0 of 27 objects in the store"), "{found}");
    assert_eq!(scene.identity().inspect().await.unwrap().record, None, "nothing was decided");
}

async fn a_database_of_another_store_is_refused(database: TestDatabase) {
    let (ground, other_place) = (Ground::beside(&database), another(&database).await);
    let scene = Scene::set(&database, ground.open().await).await;
    let id = scene.identity().establish().await.unwrap();
    let stranger = Scene::set(&other_place, ground.open().await).await;
    assert_eq!(mismatch(&stranger).await, StoreMismatch::OtherDatabase { found: vec![id] });

    let other_ground = Ground::beside(&database);
    let other = Scene::set(&other_place, other_ground.open().await).await;
    let other_id = other.identity().establish().await.unwrap();
    let expected = StoreMismatch::OtherStore { expected: other_id, found: vec![id] };
    assert_eq!(mismatch(&stranger).await, expected);
    assert_eq!(scene.identity().establish().await.unwrap(), id);
}

async fn an_empty_store_is_refused(database: TestDatabase) {
    let ground = Ground::beside(&database);
    let id = Scene::set(&database, ground.open().await).await.identity().establish().await.unwrap();
    let empty = Ground::beside(&database);
    let scene = Scene::set(&database, empty.open().await).await;
    assert_eq!(mismatch(&scene).await, StoreMismatch::NoIdentity { expected: id });
    assert!(scene.identity().inspect().await.unwrap().found.is_empty());
}

async fn adopting_ties_them_anew(database: TestDatabase) {
    let (ground, other_place) = (Ground::beside(&database), another(&database).await);
    let scene = Scene::set(&database, ground.open().await).await;
    let id = scene.identity().establish().await.unwrap();
    let heir = Scene::set(&other_place, ground.open().await).await;
    let adopted = heir.identity().adopt().await.unwrap();
    assert_ne!(adopted, id);
    assert_eq!(heir.identity().establish().await.unwrap(), adopted);
    assert_eq!(mismatch(&scene).await, StoreMismatch::OtherStore { expected: id, found: vec![adopted] });
}

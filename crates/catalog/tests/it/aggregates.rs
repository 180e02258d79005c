//! Lists with totals, conflicts, and records that are no longer referenced.

use tonearm_catalog::{Catalog, CatalogError, PurgedTitles, Record, Transaction};
use tonearm_domain::{ApiKey, KeyType, LimitOffset, NamedRecipes, Selection};
use tonearm_fixtures::ambient;

use crate::database::{Reach, TestDatabase};
use crate::samples::*;

crate::on_both!(
    lists_are_paged_and_counted,
    a_list_may_be_of_one,
    what_is_there_twice_conflicts,
    what_is_not_there_cannot_be_changed,
    what_is_referred_to_must_exist,
    deleted_creators_are_named_no_more,
    keys_are_revoked_once,
    keys_are_changed_and_paged,
    rows_that_do_not_parse_are_corrupt,
);

fn window(limit: i64, offset: i64) -> LimitOffset {
    LimitOffset::new(Some(limit), Some(offset)).unwrap()
}

async fn lists_are_paged_and_counted(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let (organization, first) = stored_collection(&catalog, &ambient).await;
    stored_collection(&catalog, &ambient).await;
    let tx = catalog.begin().await.unwrap();
    let (mut collections, mut creators) = (vec![first], Vec::new());
    for _ in 0..6 {
        clock.advance_seconds(1);
        collections.push(bare_collection(&ambient, &organization));
        creators.push(creator(&ambient, &organization));
        tx.insert_collection(collections.last().unwrap()).await.unwrap();
        tx.insert_creator(creators.last().unwrap()).await.unwrap();
    }
    tx.commit().await.unwrap();

    let id = organization.id;
    let list = |page| catalog.collections(id, None, page);
    assert_eq!(list(LimitOffset::default()).await.unwrap(), (7, collections.clone()));
    assert_eq!(list(window(3, 0)).await.unwrap(), (7, collections[..3].to_vec()));
    assert_eq!(list(window(3, 6)).await.unwrap(), (7, collections[6..].to_vec()));
    assert_eq!(list(window(3, 7)).await.unwrap(), (7, vec![]));
    assert_eq!(list(window(3, i64::MAX)).await.unwrap(), (7, vec![]));
    assert_eq!(catalog.creators(id, window(2, 3)).await.unwrap(), (6, creators[3..5].to_vec()));
    let nobody = ambient.record_id();
    assert_eq!(catalog.creators(nobody, LimitOffset::default()).await.unwrap(), (0, vec![]));
}

async fn a_list_may_be_of_one(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let (other, _) = stored_collection(&catalog, &ambient).await;
    let only = Some(collection.id);
    let found = catalog.collections(organization.id, only, LimitOffset::default()).await.unwrap();
    assert_eq!(found, (1, vec![collection.clone()]));
    assert_eq!(catalog.collections(other.id, only, LimitOffset::default()).await.unwrap(), (0, vec![]));

    stored_track(&catalog, bare_track(&ambient, &collection)).await;
    let track = stored_track(&catalog, bare_track(&ambient, &collection)).await;
    let list =
        |only| catalog.tracks_in_collection(organization.id, collection.id, only, LimitOffset::default());
    assert_eq!(list(None).await.unwrap().0, 2);
    assert_eq!(list(Some(track.id)).await.unwrap(), (1, vec![track]));
    assert_eq!(list(Some(ambient.record_id())).await.unwrap(), (0, vec![]));
}

async fn what_is_there_twice_conflicts(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let track = stored_track(&catalog, bare_track(&ambient, &collection)).await;
    let mut same_index = bare_track(&ambient, &collection);
    same_index.index = track.index;
    let key = api_key(&ambient, &organization);
    let same_secret = api_key(&ambient, &organization);
    let tx = catalog.begin().await.unwrap();
    tx.insert_api_key(&key, &[7; 32]).await.unwrap();
    tx.commit().await.unwrap();

    // A failed statement aborts a PostgreSQL transaction, so each refusal has its own transaction.
    let refusals = [
        in_vain(&catalog, async |tx| tx.insert_organization(&organization).await).await,
        in_vain(&catalog, async |tx| tx.insert_collection(&collection).await).await,
        in_vain(&catalog, async |tx| tx.insert_track(&track).await).await,
        in_vain(&catalog, async |tx| tx.insert_track(&same_index).await).await,
        in_vain(&catalog, async |tx| tx.insert_api_key(&same_secret, &[7; 32]).await).await,
    ];
    let taken = [Record::Organization, Record::Collection, Record::Track, Record::Track, Record::ApiKey];
    for (refusal, record) in refusals.into_iter().zip(taken) {
        assert!(matches!(refusal, CatalogError::Taken(taken) if taken == record), "{refusal:?}");
        assert!(refusal.to_string().ends_with("already exists"), "{refusal}");
    }
}

/// The error with which a transaction refuses a write.
async fn in_vain<T: std::fmt::Debug>(
    catalog: &Catalog,
    write: impl AsyncFnOnce(&Transaction) -> Result<T, CatalogError>,
) -> CatalogError {
    let tx = catalog.begin().await.unwrap();
    write(&tx).await.unwrap_err()
}

async fn what_is_not_there_cannot_be_changed(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let tx = catalog.begin().await.unwrap();
    let refusals = [
        tx.update_organization(&bare_organization(&ambient)).await.unwrap_err(),
        tx.update_creator(&creator(&ambient, &organization)).await.unwrap_err(),
        tx.update_collection(&bare_collection(&ambient, &organization)).await.unwrap_err(),
        tx.update_track(&bare_track(&ambient, &collection)).await.unwrap_err(),
        tx.update_recipe(&recipe(&ambient, &organization, None, "hq", 0)).await.unwrap_err(),
    ];
    let missing = [Record::Organization, Record::Creator, Record::Collection, Record::Track, Record::Variant];
    for (refusal, record) in refusals.into_iter().zip(missing) {
        assert!(matches!(refusal, CatalogError::Missing(missing) if missing == record), "{refusal:?}");
        assert!(refusal.to_string().ends_with("does not exist"), "{refusal}");
    }
    assert_eq!(tx.delete_creator(organization.id, ambient.record_id()).await.unwrap(), None);
    assert!(!tx.soft_delete_recipe(organization.id, ambient.record_id(), ambient.now()).await.unwrap());
    assert!(
        !tx.purge_track(organization.id, ambient.record_id(), ambient.now(), PurgedTitles::Removed)
            .await
            .unwrap()
    );
}

async fn what_is_referred_to_must_exist(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let nowhere = bare_collection(&ambient, &bare_organization(&ambient));
    let session = play_session(&ambient, &nowhere);
    let of_nobody = recipe(&ambient, &bare_organization(&ambient), None, "hq", 0);
    let mut by_nobody = bare_track(&ambient, &collection);
    by_nobody.creator_id = Some(ambient.record_id());
    let refusals = [
        in_vain(&catalog, async |tx| tx.insert_collection(&nowhere).await).await,
        in_vain(&catalog, async |tx| tx.insert_track(&bare_track(&ambient, &nowhere)).await).await,
        in_vain(&catalog, async |tx| tx.insert_play_sessions(std::slice::from_ref(&session)).await).await,
        in_vain(&catalog, async |tx| tx.insert_recipe(&of_nobody).await).await,
        in_vain(&catalog, async |tx| tx.insert_track(&by_nobody).await).await,
    ];
    for refusal in refusals {
        assert!(matches!(refusal, CatalogError::Missing(_)), "{refusal:?}");
    }
    assert_eq!(catalog.collections(organization.id, None, LimitOffset::default()).await.unwrap().0, 1);
}

async fn deleted_creators_are_named_no_more(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, _) = stored_collection(&catalog, &ambient).await;
    let creator = creator(&ambient, &organization);
    let collection = full_collection(&ambient, &organization, &creator);
    let mut session = play_session(&ambient, &collection);
    session.creator_id = Some(creator.id);
    let mut key = api_key(&ambient, &organization);
    key.creator_id = Some(creator.id);
    let tx = catalog.begin().await.unwrap();
    tx.insert_creator(&creator).await.unwrap();
    tx.insert_collection(&collection).await.unwrap();
    tx.insert_play_sessions(std::slice::from_ref(&session)).await.unwrap();
    tx.insert_api_key(&key, &[1; 32]).await.unwrap();
    tx.commit().await.unwrap();
    let track = stored_track(&catalog, full_track(&ambient, &collection, &creator)).await;

    let tx = catalog.begin().await.unwrap();
    assert_eq!(tx.delete_creator(ambient.record_id(), creator.id).await.unwrap(), None);
    assert_eq!(tx.delete_creator(organization.id, creator.id).await.unwrap().as_ref(), Some(&creator));
    tx.commit().await.unwrap();
    let id = organization.id;
    assert_eq!(catalog.creator(id, creator.id).await.unwrap(), None);
    assert_eq!(catalog.collection(id, collection.id).await.unwrap().unwrap().creator_id, None);
    assert_eq!(catalog.track(id, track.id).await.unwrap().unwrap().creator_id, None);
    assert_eq!(catalog.play_session(session.id).await.unwrap().unwrap().creator_id, None);
    assert_eq!(catalog.api_keys(id).await.unwrap()[0].creator_id, None);
}

async fn keys_are_revoked_once(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let (organization, _) = stored_collection(&catalog, &ambient).await;
    let key = api_key(&ambient, &organization);
    let tx = catalog.begin().await.unwrap();
    tx.insert_api_key(&key, &[1; 32]).await.unwrap();
    assert!(!tx.revoke_api_key(ambient.record_id(), key.id, ambient.now()).await.unwrap());
    assert!(tx.revoke_api_key(organization.id, key.id, ambient.now()).await.unwrap());
    let revoked_at = ambient.now();
    clock.advance_seconds(1);
    assert!(!tx.revoke_api_key(organization.id, key.id, ambient.now()).await.unwrap());
    tx.commit().await.unwrap();
    let read = catalog.api_key_by_hash(&[1; 32]).await.unwrap().unwrap();
    assert_eq!(read.revoked_at, Some(revoked_at));
}

async fn keys_are_changed_and_paged(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let [mine, other] =
        [stored_collection(&catalog, &ambient).await.0, stored_collection(&catalog, &ambient).await.0];
    let mut keys = Vec::new();
    let tx = catalog.begin().await.unwrap();
    for (hash, key_type) in [(1, KeyType::Api), (2, KeyType::Player), (3, KeyType::Api)] {
        keys.push(ApiKey { key_type, ..api_key(&ambient, &mine) });
        tx.insert_api_key(&keys[keys.len() - 1], &[hash; 32]).await.unwrap();
        clock.advance_seconds(1);
    }
    tx.insert_api_key(&api_key(&ambient, &other), &[4; 32]).await.unwrap();
    tx.commit().await.unwrap();
    let page = async |key_type, window| catalog.api_key_page(mine.id, key_type, window).await.unwrap();
    assert_eq!(page(None, window(2, 1)).await, (3, keys[1..].to_vec()));
    let of_type = page(Some(KeyType::Api), window(2, 0)).await;
    assert_eq!(of_type, (2, vec![keys[0].clone(), keys[2].clone()]));
    assert_eq!(catalog.api_key(mine.id, keys[1].id).await.unwrap().as_ref(), Some(&keys[1]));
    assert_eq!(catalog.api_key(other.id, keys[1].id).await.unwrap(), None, "not theirs");
    let changed = ApiKey {
        title: "Changed".to_owned(),
        variants: Selection::one("hq".parse().unwrap()),
        recipes: NamedRecipes::of([("hq".parse().unwrap(), ambient.record_id())]),
        is_downloadable: true,
        expires_at: Some(ambient.now()),
        ..keys[1].clone()
    };
    let tx = catalog.begin().await.unwrap();
    assert_eq!(tx.api_key(other.id, changed.id).await.unwrap(), None);
    assert_eq!(tx.api_key(mine.id, changed.id).await.unwrap().as_ref(), Some(&keys[1]));
    // The type and the time of revocation are not written.
    let more = ApiKey { key_type: KeyType::Api, revoked_at: Some(ambient.now()), ..changed.clone() };
    tx.update_api_key(&more).await.unwrap();
    let stranger = ApiKey { organization_id: other.id, ..changed.clone() };
    let refused = tx.update_api_key(&stranger).await.unwrap_err();
    assert!(matches!(refused, CatalogError::Missing(Record::ApiKey)), "{refused:?}");
    tx.commit().await.unwrap();
    assert_eq!(catalog.api_key_by_hash(&[2; 32]).await.unwrap(), Some(changed));
}

async fn rows_that_do_not_parse_are_corrupt(database: TestDatabase) {
    use sea_orm::ConnectionTrait;
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, _) = stored_collection(&catalog, &ambient).await;
    let spoil = "UPDATE organization SET player_color = 'mauve'";
    database.raw().await.execute_unprepared(spoil).await.unwrap();
    let error = catalog.organization(organization.id).await.unwrap_err();
    assert!(matches!(error, CatalogError::Corrupt(_)), "{error:?}");
    let text = error.to_string();
    assert!(text.contains("organization.player_color") && !text.contains("mauve"), "{text}");
}

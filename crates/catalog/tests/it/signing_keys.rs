//! Signing keys are live from their creation to their revocation.

use tonearm_domain::{Ambient, LimitOffset, OrganizationId, SigningKey};
use tonearm_fixtures::ambient;

use crate::database::{Reach, TestDatabase};
use crate::samples::*;

crate::on_both!(signing_keys_live_until_they_are_revoked, lists_of_signing_keys_are_numbered);

fn signing_key(ambient: &Ambient, organization_id: OrganizationId) -> SigningKey {
    SigningKey {
        id: ambient.short_id(),
        organization_id,
        title: HOSTILE.to_owned(),
        created_at: ambient.now(),
        expires_at: None,
        revoked_at: None,
        made_by: None,
    }
}

async fn signing_keys_live_until_they_are_revoked(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let [mine, other] =
        [stored_collection(&catalog, &ambient).await.0, stored_collection(&catalog, &ambient).await.0];
    let first = signing_key(&ambient, mine.id);
    clock.advance_seconds(1);
    let [second, foreign] = [mine.id, other.id].map(|id| signing_key(&ambient, id));
    let tx = catalog.begin().await.unwrap();
    for key in [&first, &second, &foreign] {
        tx.insert_signing_key(key).await.unwrap();
    }
    tx.commit().await.unwrap();
    assert_eq!(catalog.signing_keys(mine.id).await.unwrap(), [first.clone(), second.clone()]);
    assert_eq!(catalog.live_signing_keys(ambient.now()).await.unwrap().len(), 3);
    let tx = catalog.begin().await.unwrap();
    assert!(!tx.revoke_signing_key(other.id, first.id, ambient.now()).await.unwrap(), "not theirs");
    assert!(tx.revoke_signing_key(mine.id, first.id, ambient.now()).await.unwrap());
    assert!(!tx.revoke_signing_key(mine.id, first.id, ambient.now()).await.unwrap(), "once");
    tx.commit().await.unwrap();
    let mut live = catalog.live_signing_keys(ambient.now()).await.unwrap();
    let mut expected = vec![(mine.id, second.id), (other.id, foreign.id)];
    live.sort();
    expected.sort();
    assert_eq!(live, expected);
    assert_eq!(catalog.signing_keys(mine.id).await.unwrap()[0].revoked_at, Some(ambient.now()));
    let window = LimitOffset::new(Some(1), Some(1)).unwrap();
    assert_eq!(catalog.signing_key_page(mine.id, window).await.unwrap(), (2, vec![second.clone()]));
    assert_eq!(catalog.signing_key(mine.id, second.id).await.unwrap(), Some(second));
    assert_eq!(catalog.signing_key(mine.id, foreign.id).await.unwrap(), None, "not mine");
    let tx = catalog.begin().await.unwrap();
    assert_eq!(tx.count_live_signing_keys(mine.id, ambient.now()).await.unwrap(), 1);
}

async fn lists_of_signing_keys_are_numbered(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let mine = stored_collection(&catalog, &ambient).await.0;
    let key = signing_key(&ambient, mine.id);
    let next = async |above| {
        let tx = catalog.begin().await.unwrap();
        let list = tx.next_signing_key_list(above, ambient.now()).await.unwrap();
        tx.commit().await.unwrap();
        list
    };
    let first = next(0).await;
    assert_eq!((first.number, first.made_at, &first.live[..]), (1, ambient.now(), &[][..]));
    let tx = catalog.begin().await.unwrap();
    tx.insert_signing_key(&key).await.unwrap();
    tx.commit().await.unwrap();
    // The clock of the next node is behind.
    clock.advance_seconds(-3600);
    let second = next(0).await;
    assert_eq!(
        (second.number, second.made_at, &second.live[..]),
        (2, ambient.now(), &[(mine.id, key.id)][..])
    );
    // The store has lists that this database does not know, as after a restore.
    assert_eq!(next(40).await.number, 41);
    assert_eq!(next(7).await.number, 42);
}

//! What soft deletion covers, what a purge leaves, and which objects are still referenced.

use std::collections::HashSet;

use tonearm_catalog::{Catalog, CatalogError, PurgedTitles};
use tonearm_domain::{
    Ambient, Collection, ContentType, Cover, CoverOrigin, CoverSize, FileData, FileOutcome, LimitOffset,
    Metadata, ObjectKey, Organization, Recipe, Theme, Track, TrackFile, TrackInfo, Transcription,
    TranscriptionState, Utterance,
};
use tonearm_fixtures::ambient;

use crate::database::{Reach, TestDatabase};
use crate::samples::*;

crate::on_both!(
    a_deleted_track_takes_what_is_its_own,
    a_deleted_collection_takes_its_tracks,
    nothing_is_added_to_what_is_deleted,
    others_cannot_delete,
    a_purge_leaves_a_bare_row,
    objects_are_known_while_they_are_needed,
    covers_of_every_level_are_known_while_they_are_in_use,
    a_purged_collection_has_no_cover,
);

/// A track with a source, a cover, a recipe of its own and a file rendered by it.
struct Whole {
    track: Track,
    own: Recipe,
    file: TrackFile,
}

async fn whole(
    catalog: &Catalog,
    ambient: &Ambient,
    organization: &Organization,
    collection: &Collection,
) -> Whole {
    let mut track = bare_track(ambient, collection);
    track.source = Some(source(ambient, &track));
    track.cover = Some(Cover { version: ambient.short_id(), origin: CoverOrigin::Uploaded });
    let track = stored_track(catalog, track).await;
    let own = recipe(ambient, organization, Some(&track), "own", 0);
    let file = made_file(ambient, &track, &own, FileData::NONE);
    let tx = catalog.begin().await.unwrap();
    tx.insert_recipe(&own).await.unwrap();
    tx.put_track_file(&file).await.unwrap();
    tx.commit().await.unwrap();
    Whole { track, own, file }
}

impl Whole {
    fn objects(&self) -> HashSet<ObjectKey> {
        let track = &self.track;
        let cover = track.cover.unwrap();
        let FileOutcome::Made { key, .. } = &self.file.outcome else {
            panic!("the file was made");
        };
        CoverSize::ALL
            .map(|size| cover.key(track.organization_id, track.index, size))
            .into_iter()
            .chain([track.source.as_ref().unwrap().key.clone(), key.clone()])
            .collect()
    }

    async fn is_gone(&self, catalog: &Catalog) -> bool {
        let organization = self.track.organization_id;
        catalog.track(organization, self.track.id).await.unwrap().is_none()
            && catalog.files_of_track(self.track.id).await.unwrap().is_empty()
            && catalog.files_of_tracks(&[self.track.id]).await.unwrap().is_empty()
            && catalog.recipe(organization, self.own.id).await.unwrap().is_none()
            && catalog.recipes_for_track(organization, self.track.id).await.unwrap().is_empty()
    }
}

async fn a_deleted_track_takes_what_is_its_own(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let gone = whole(&catalog, &ambient, &organization, &collection).await;
    let kept = whole(&catalog, &ambient, &organization, &collection).await;
    let tx = catalog.begin().await.unwrap();
    assert!(tx.soft_delete_track(organization.id, gone.track.id, ambient.now()).await.unwrap());
    assert_eq!(tx.track(organization.id, gone.track.id).await.unwrap(), None);
    assert!(!tx.soft_delete_track(organization.id, gone.track.id, ambient.now()).await.unwrap());
    tx.commit().await.unwrap();
    assert!(gone.is_gone(&catalog).await);
    assert!(!kept.is_gone(&catalog).await);
    let list = catalog.tracks_in_collection(organization.id, collection.id, None, LimitOffset::default());
    assert_eq!(list.await.unwrap(), (1, vec![kept.track]));
    assert_eq!(
        catalog.track_even_deleted(organization.id, gone.track.id).await.unwrap(),
        Some(Track { deleted_at: Some(ambient.now()), ..gone.track.clone() })
    );
    assert_eq!(catalog.files_of_track_even_deleted(gone.track.id).await.unwrap(), [gone.file]);
}

async fn a_deleted_collection_takes_its_tracks(database: TestDatabase) {
    let (catalog, (ambient, clock)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let other = bare_collection(&ambient, &organization);
    let tx = catalog.begin().await.unwrap();
    tx.insert_collection(&other).await.unwrap();
    tx.commit().await.unwrap();
    let mut wholes = Vec::new();
    for _ in 0..4 {
        wholes.push(whole(&catalog, &ambient, &organization, &collection).await);
    }
    let kept = whole(&catalog, &ambient, &organization, &other).await;
    let before = ambient.now();
    let tx = catalog.begin().await.unwrap();
    assert!(tx.soft_delete_track(organization.id, wholes[0].track.id, before).await.unwrap());
    tx.commit().await.unwrap();

    clock.advance_seconds(10);
    let tx = catalog.begin().await.unwrap();
    assert!(tx.soft_delete_collection(organization.id, collection.id, ambient.now()).await.unwrap());
    assert!(!tx.soft_delete_collection(organization.id, collection.id, ambient.now()).await.unwrap());
    tx.commit().await.unwrap();
    for whole in &wholes {
        assert_eq!(catalog.track(organization.id, whole.track.id).await.unwrap(), None);
    }
    let tx = catalog.begin().await.unwrap();
    let marked = tx.mark_tracks_for_purge(collection.id, ambient.now(), 10).await.unwrap();
    assert_eq!(tx.mark_tracks_for_purge(collection.id, ambient.now(), 10).await.unwrap(), []);
    tx.commit().await.unwrap();
    let expected: HashSet<_> = wholes[1..].iter().map(|whole| whole.track.id).collect();
    assert_eq!(marked.len(), 3);
    assert_eq!(marked.into_iter().collect::<HashSet<_>>(), expected);
    assert_eq!(catalog.collection(organization.id, collection.id).await.unwrap(), None);
    for whole in &wholes {
        assert!(whole.is_gone(&catalog).await);
    }
    assert!(!kept.is_gone(&catalog).await);
    let first = catalog.track_even_deleted(organization.id, wholes[0].track.id).await.unwrap();
    assert_eq!(first.unwrap().deleted_at, Some(before), "deleted once, not again");
}

async fn nothing_is_added_to_what_is_deleted(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let whole = whole(&catalog, &ambient, &organization, &collection).await;
    let tx = catalog.begin().await.unwrap();
    tx.soft_delete_collection(organization.id, collection.id, ambient.now()).await.unwrap();
    tx.commit().await.unwrap();
    let tx = catalog.begin().await.unwrap();
    let refusals = [
        tx.insert_track(&bare_track(&ambient, &collection)).await.unwrap_err(),
        tx.put_track_file(&whole.file).await.unwrap_err(),
        tx.update_track(&whole.track).await.unwrap_err(),
        tx.update_collection(&collection).await.unwrap_err(),
    ];
    for refusal in refusals {
        assert!(matches!(refusal, CatalogError::Missing(_)), "{refusal:?}");
    }
}

async fn others_cannot_delete(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let (other, _) = stored_collection(&catalog, &ambient).await;
    let whole = whole(&catalog, &ambient, &organization, &collection).await;
    let tx = catalog.begin().await.unwrap();
    assert!(!tx.soft_delete_track(other.id, whole.track.id, ambient.now()).await.unwrap());
    assert!(!tx.soft_delete_collection(other.id, collection.id, ambient.now()).await.unwrap());
    assert!(!tx.soft_delete_recipe(other.id, whole.own.id, ambient.now()).await.unwrap());
    tx.commit().await.unwrap();
    assert!(!whole.is_gone(&catalog).await);
}

async fn a_purge_leaves_a_bare_row(database: TestDatabase) {
    for titles in [PurgedTitles::Removed, PurgedTitles::Kept] {
        let (catalog, (ambient, _)) = (database.catalog().await, ambient());
        let (organization, collection) = stored_collection(&catalog, &ambient).await;
        let creator = creator(&ambient, &organization);
        let whole = whole(&catalog, &ambient, &organization, &collection).await;
        let (id, index) = (whole.track.id, whole.track.index);
        let before = Track { id, index, source: None, ..full_track(&ambient, &collection, &creator) };
        let now = ambient.now();
        let tx = catalog.begin().await.unwrap();
        tx.insert_creator(&creator).await.unwrap();
        tx.update_track(&before).await.unwrap();
        let said = [Utterance { start: 0.0, end: 1.0, text: "Confidential.".to_owned() }];
        tx.put_track_words(id, &said).await.unwrap();
        let transcription = Transcription {
            organization_id: organization.id,
            track_id: id,
            state: TranscriptionState::Done,
            reason: None,
            updated_at: now,
        };
        tx.put_transcription(&transcription).await.unwrap();
        assert!(!tx.purge_track(organization.id, id, now, titles).await.unwrap(), "it is not deleted");
        assert!(tx.soft_delete_track(organization.id, id, now).await.unwrap());
        assert!(tx.purge_track(organization.id, id, now, titles).await.unwrap());
        tx.commit().await.unwrap();
        let left = catalog.track_even_deleted(organization.id, id).await.unwrap().unwrap();
        assert_eq!((&left.source, left.cover, &left.theme), (&None, None, &Theme::default()));
        assert_eq!((left.info, left.metadata), (TrackInfo::default(), Metadata::default()));
        assert_eq!((left.organization_index, left.file_name_original), (None, None));
        assert_eq!((left.transcription, left.player_subtitle), (None, None));
        let is_named = titles == PurgedTitles::Kept;
        assert_eq!(left.file_name == before.file_name, is_named);
        assert_eq!(left.player_title == before.player_title, is_named);
        assert_eq!(catalog.files_of_track_even_deleted(id).await.unwrap(), []);
        assert_eq!(catalog.track_words(id).await.unwrap(), []);
        assert_eq!(catalog.transcription(organization.id, id).await.unwrap(), None);
    }
}

async fn objects_are_known_while_they_are_needed(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let gone = whole(&catalog, &ambient, &organization, &collection).await;
    let kept = whole(&catalog, &ambient, &organization, &collection).await;
    let stray = key(&ambient, organization.id, kept.track.index, "source", ContentType::Wav);
    let elsewhere = kept.track.cover.unwrap().key(organization.id, gone.track.index, CoverSize::Icon);
    let asked: Vec<ObjectKey> =
        gone.objects().into_iter().chain(kept.objects()).chain([stray.clone(), elsewhere]).collect();
    let both: HashSet<ObjectKey> = gone.objects().union(&kept.objects()).cloned().collect();
    assert_eq!(catalog.known_objects(&asked).await.unwrap(), both);
    assert_eq!(catalog.known_objects(&[]).await.unwrap(), HashSet::new());
    assert!(!catalog.object_is_known(&stray).await.unwrap());

    let tx = catalog.begin().await.unwrap();
    assert!(tx.soft_delete_track(organization.id, gone.track.id, ambient.now()).await.unwrap());
    tx.commit().await.unwrap();
    assert_eq!(catalog.known_objects(&asked).await.unwrap(), kept.objects());
    for key in kept.objects() {
        assert!(catalog.object_is_known(&key).await.unwrap(), "{key}");
    }

    // More keys than one statement can check.
    let mut many: Vec<ObjectKey> =
        (0..2500).map(|_| key(&ambient, organization.id, kept.track.index, "hq", ContentType::Mp3)).collect();
    many.extend(kept.objects());
    assert_eq!(catalog.known_objects(&many).await.unwrap(), kept.objects());

    // A file that is rendered again leaves its old object unreferenced.
    let again = made_file(&ambient, &kept.track, &kept.own, FileData::NONE);
    let tx = catalog.begin().await.unwrap();
    tx.put_track_file(&again).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(catalog.known_objects(&asked).await.unwrap().len(), kept.objects().len() - 1);
}

/// All objects of a cover in a folder.
fn objects_of(cover: Cover, organization: &Organization, folder: tonearm_domain::ShortId) -> Vec<ObjectKey> {
    let sizes = CoverSize::ALL.map(|size| cover.key(organization.id, folder, size));
    sizes.into_iter().chain([cover.original_key(organization.id, folder, ContentType::Png)]).collect()
}

async fn covers_of_every_level_are_known_while_they_are_in_use(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (mut organization, mut collection) = stored_collection(&catalog, &ambient).await;
    let covers = [(); 3].map(|()| cover(&ambient, CoverOrigin::Uploaded));
    organization.cover = Some(covers[0]);
    collection.cover = Some(covers[1]);
    let mut track = bare_track(&ambient, &collection);
    track.cover = Some(covers[2]);
    let track = stored_track(&catalog, track).await;
    let tx = catalog.begin().await.unwrap();
    tx.update_organization(&organization).await.unwrap();
    tx.update_collection(&collection).await.unwrap();
    tx.commit().await.unwrap();

    let folders = [organization.folder, collection.folder, track.index];
    let of = |level: usize| objects_of(covers[level], &organization, folders[level]);
    let all: Vec<ObjectKey> = (0..3).flat_map(of).collect();
    // The right version in another folder, or in the right folder of another organization, is not referenced.
    let mut asked = all.clone();
    asked.extend(objects_of(covers[0], &organization, collection.folder));
    asked.extend(objects_of(covers[1], &organization, track.index));
    asked.extend(objects_of(covers[1], &bare_organization(&ambient), collection.folder));
    let set = |keys: &[ObjectKey]| keys.iter().cloned().collect::<HashSet<_>>();
    assert_eq!(catalog.known_objects(&asked).await.unwrap(), set(&all));

    // A replaced cover is not referenced any more.
    organization.cover = Some(cover(&ambient, CoverOrigin::Uploaded));
    let tx = catalog.begin().await.unwrap();
    tx.update_organization(&organization).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(catalog.known_objects(&asked).await.unwrap(), set(&all[5..]));

    // Neither is a deleted one.
    let tx = catalog.begin().await.unwrap();
    tx.soft_delete_collection(organization.id, collection.id, ambient.now()).await.unwrap();
    tx.mark_tracks_for_purge(collection.id, ambient.now(), 10).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(catalog.known_objects(&asked).await.unwrap(), HashSet::new());
}

async fn a_purged_collection_has_no_cover(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, mut collection) = stored_collection(&catalog, &ambient).await;
    let (id, now) = (collection.id, ambient.now());
    collection.cover = Some(cover(&ambient, CoverOrigin::Uploaded));
    let tx = catalog.begin().await.unwrap();
    tx.update_collection(&collection).await.unwrap();
    assert!(!tx.purge_collection(organization.id, id).await.unwrap(), "it is not deleted");
    tx.soft_delete_collection(organization.id, id, now).await.unwrap();
    tx.commit().await.unwrap();
    let deleted = catalog.collection_even_deleted(organization.id, id).await.unwrap().unwrap();
    assert_eq!((deleted.cover, deleted.deleted_at), (collection.cover, Some(now)));
    assert_eq!(catalog.collection_even_deleted(ambient.record_id(), id).await.unwrap(), None);

    let tx = catalog.begin().await.unwrap();
    assert!(!tx.purge_collection(ambient.record_id(), id).await.unwrap());
    assert!(tx.purge_collection(organization.id, id).await.unwrap());
    tx.commit().await.unwrap();
    let purged = catalog.collection_even_deleted(organization.id, id).await.unwrap().unwrap();
    assert_eq!(purged.cover, None);
    assert_eq!(
        (purged.title.as_str(), purged.metadata, purged.theme),
        ("", Metadata::default(), Theme::default())
    );
}

#[tokio::test]
async fn what_is_deleted_cannot_be_read_in_the_file() {
    let database = TestDatabase::migrated_sqlite(tonearm_fixtures::migrate!()).await;
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, _) = stored_collection(&catalog, &ambient).await;
    let name = "somebody who asked to be forgotten";
    let forgotten =
        tonearm_domain::Creator { organization_index: name.to_owned(), ..creator(&ambient, &organization) };
    let tx = catalog.begin().await.unwrap();
    tx.insert_creator(&forgotten).await.unwrap();
    tx.commit().await.unwrap();
    let is_readable = || {
        let file = std::fs::read(database.url.trim_start_matches("sqlite://")).unwrap();
        file.windows(name.len()).any(|bytes| bytes == name.as_bytes())
    };
    // Closing writes everything into the file.
    catalog.close().await.unwrap();
    assert!(is_readable());
    let catalog = database.catalog().await;
    let tx = catalog.begin().await.unwrap();
    tx.delete_creator(organization.id, forgotten.id).await.unwrap().unwrap();
    tx.commit().await.unwrap();
    catalog.close().await.unwrap();
    assert!(!is_readable());
}

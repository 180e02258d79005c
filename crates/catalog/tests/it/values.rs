//! What is accepted comes back: odd JSON and odd texts in every field, against the JSON and the texts that were sent.

use sea_orm::{ConnectionTrait, Statement};
use serde_json::Value;
use tonearm_catalog::{Catalog, PurgedTitles};
use tonearm_domain::{
    Ambient, Collection, Creator, LimitOffset, Metadata, PlaySession, Track, TrackFilter, TrackOrder,
    UploadSession,
};
use tonearm_fixtures::ambient;

use crate::database::{Reach, TestDatabase};
use crate::dumps::{dump, restored};
use crate::odd::Odd;
use crate::samples::*;
use crate::settings::Settings;

crate::on_both!(what_is_accepted_comes_back, numbers_take_the_room_with_which_they_were_sent,);

/// Each number of a JSON text, as it is written there. The text is valid.
fn numbers(json: &str) -> Vec<String> {
    let (mut found, mut rest) = (Vec::new(), json);
    while let Some(at) = rest.find(|c: char| c == '"' || c == '-' || c.is_ascii_digit()) {
        rest = &rest[at..];
        let end = match rest.strip_prefix('"') {
            Some(text) => {
                let mut escaped = false;
                let end = text.find(|c| {
                    let is_end = c == '"' && !escaped;
                    escaped = c == '\\' && !escaped;
                    is_end
                });
                end.unwrap() + 2
            }
            None => {
                let end = rest.find(|c: char| !matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E'));
                found.push(rest[..end.unwrap()].to_owned());
                end.unwrap()
            }
        };
        rest = &rest[end..];
    }
    found.sort();
    found
}

/// JSON means the same to every reader, and has the same digits.
fn assert_same(metadata: &Metadata, sent: &str, what: &str) {
    let json = serde_json::to_string(metadata).unwrap();
    assert_eq!(numbers(&json), numbers(sent), "{what}: {sent}");
    let [read, sent] = [&json, sent].map(|json| serde_json::from_str::<Value>(json).unwrap());
    assert_eq!(read, sent, "{what}");
}

/// One record of each kind, and the JSON that was sent for those with metadata.
struct Records {
    seed: u64,
    json: String,
    settings: Settings,
    collection: Collection,
    creator: Creator,
    track: Track,
    upload: UploadSession,
    play: PlaySession,
}

impl Records {
    fn new(seed: u64, ambient: &Ambient) -> Self {
        let odd = Odd::new(seed);
        let (metadata, json) = odd.metadata();
        let mut settings = Settings::new(&odd, ambient);
        let organization = &settings.organization;
        let mut creator = creator(ambient, organization);
        (creator.metadata, creator.organization_index) = (metadata.clone(), odd.text());
        let mut collection = full_collection(ambient, organization, &creator);
        (collection.metadata, collection.title) = (metadata.clone(), odd.text());
        (collection.organization_index, collection.theme) = (Some(odd.text()), odd.theme());
        settings.share_with(&collection);
        let mut track = full_track(ambient, &collection, &creator);
        (track.metadata, track.organization_index) = (metadata.clone(), Some(odd.text()));
        (track.player_title, track.player_subtitle) = (Some(odd.text()), Some(odd.text()));
        track.theme = odd.theme();
        let upload = UploadSession { metadata: metadata.clone(), ..upload_session(ambient, &collection) };
        let play = PlaySession { metadata, ..play_session(ambient, &collection) };
        Self { seed, json, settings, collection, creator, track, upload, play }
    }

    async fn store(&mut self, catalog: &Catalog) {
        let tx = catalog.begin().await.unwrap();
        tx.insert_organization(&self.settings.organization).await.unwrap();
        tx.insert_creator(&self.creator).await.unwrap();
        tx.insert_collection(&self.collection).await.unwrap();
        tx.insert_upload_session(&self.upload).await.unwrap();
        tx.insert_play_sessions(std::slice::from_ref(&self.play)).await.unwrap();
        self.track.upload_session_id = None;
        self.track.order = tx.insert_track(&self.track).await.unwrap();
        self.settings.store(&tx).await;
        tx.commit().await.unwrap();
    }

    async fn assert_read(&self, catalog: &Catalog, what: &str) {
        let are_sessions_there = what != "restored";
        let (what, own) = (format!("seed {}, {what}", self.seed), self.collection.organization_id);
        let track = catalog.track(own, self.track.id).await.unwrap().unwrap();
        let collection = catalog.collection(own, self.collection.id).await.unwrap().unwrap();
        let creator = catalog.creator(own, self.creator.id).await.unwrap().unwrap();
        // Sessions are left out of backups.
        let upload = catalog.upload_session(self.upload.id).await.unwrap().map(|session| session.metadata);
        let play = catalog.play_session(self.play.id).await.unwrap().map(|session| session.metadata);
        assert_eq!((upload.is_some(), play.is_some()), (are_sessions_there, are_sessions_there), "{what}");
        let of_all = [&track.metadata, &collection.metadata, &creator.metadata];
        for metadata in of_all.into_iter().chain(&upload).chain(&play) {
            assert_same(metadata, &self.json, &what);
        }
        assert_eq!((&track, &collection, &creator), (&self.track, &self.collection, &self.creator), "{what}");
        let (_, listed) = catalog
            .tracks_in_collection(own, self.collection.id, None, LimitOffset::default())
            .await
            .unwrap();
        assert_eq!(listed, std::slice::from_ref(&track), "{what}");
        let filter = TrackFilter { organization_index: track.organization_index, ..TrackFilter::default() };
        let found = catalog.look_up_tracks(own, &filter, TrackOrder::default(), (None, 200));
        let found = Box::pin(found).await.unwrap();
        assert!(found.rows.contains(&self.track), "{what}");
        self.settings.assert_read(catalog, &self.collection, are_sessions_there, &what).await;
    }
}

async fn what_is_accepted_comes_back(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let mut all = Vec::new();
    for seed in 0..20 {
        let mut records = Records::new(seed, &ambient);
        records.store(&catalog).await;
        records.assert_read(&catalog, "stored").await;
        // Other values in the same rows.
        let Records { track, json, settings, .. } = Records::new(1000 + seed, &ambient);
        records.json = json;
        records.track.player_title = track.player_title;
        records.collection.metadata = track.metadata.clone();
        records.creator.metadata = track.metadata.clone();
        records.track.metadata = track.metadata.clone();
        let tx = catalog.begin().await.unwrap();
        tx.update_track(&records.track).await.unwrap();
        tx.update_collection(&records.collection).await.unwrap();
        tx.update_creator(&records.creator).await.unwrap();
        records.settings.change(&tx, settings).await;
        (records.upload.id, records.play.id) = (ambient.credential_id(), ambient.credential_id());
        (records.upload.metadata, records.play.metadata) = (track.metadata.clone(), track.metadata);
        tx.insert_upload_session(&records.upload).await.unwrap();
        tx.insert_play_sessions(std::slice::from_ref(&records.play)).await.unwrap();
        tx.commit().await.unwrap();
        records.assert_read(&catalog, "changed").await;
        all.push(records);
    }
    let other = match database.url.starts_with("sqlite") {
        true => TestDatabase::postgres().await,
        false => TestDatabase::sqlite(),
    };
    let (dumped, steps) = dump(&catalog).await;
    let elsewhere = restored(&dumped, &steps, &other).await;
    for records in &all {
        records.assert_read(&elsewhere, "restored").await;
    }
    for Records { track, settings, .. } in all {
        let tx = catalog.begin().await.unwrap();
        settings.end(&tx, ambient.now()).await;
        assert!(tx.soft_delete_track(track.organization_id, track.id, ambient.now()).await.unwrap());
        let titles = PurgedTitles::Removed;
        assert!(tx.purge_track(track.organization_id, track.id, ambient.now(), titles).await.unwrap());
        tx.commit().await.unwrap();
    }
}

async fn numbers_take_the_room_with_which_they_were_sent(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (_, collection) = stored_collection(&catalog, &ambient).await;
    let json = format!(r#"{{"a":[{}]}}"#, vec!["1e300"; 9000].join(","));
    let mut track = bare_track(&ambient, &collection);
    track.metadata = serde_json::from_str(&json).unwrap();
    stored_track(&catalog, track).await;
    let raw = database.raw().await;
    let ask = "SELECT length(CAST(metadata AS text)) AS characters FROM track";
    let ask = Statement::from_string(raw.get_database_backend(), ask);
    let row = raw.query_one_raw(ask).await.unwrap().unwrap();
    let stored = row.try_get::<i32>("", "characters").unwrap();
    assert!((stored as usize) < json.len() + 100, "{stored}");
}

//! What is accepted comes back: odd JSON and odd texts in every field, against the JSON and the texts that were sent.

use std::sync::Arc;

use sea_orm::{ConnectionTrait, DatabaseConnection, DbBackend, Statement};
use serde_json::Value;
use tonearm_catalog::{Catalog, PurgedTitles};
use tonearm_domain::{
    Ambient, Collection, Creator, LimitOffset, Metadata, Organization, PlaySession, Text, Track, TrackFilter,
    TrackOrder, UploadSession,
};
use tonearm_fixtures::{CountedEntropy, ManualClock, ambient};

use crate::database::{Reach, TestDatabase};
use crate::dumps::{dump, restored};
use crate::samples::*;

crate::on_both!(
    what_is_accepted_comes_back,
    numbers_take_the_room_with_which_they_were_sent,
    what_cannot_be_read_breaks_no_list,
    no_damaged_column_breaks_a_list,
);

/// Random values that are the same in every run with the same seed.
struct Odd(Ambient);

impl Odd {
    fn new(seed: u64) -> Self {
        Self(Ambient::new(Arc::new(ManualClock::new()), Arc::new(CountedEntropy::new(seed))))
    }

    fn below(&self, end: usize) -> usize {
        (u64::from_le_bytes(self.0.random()) % end as u64) as usize
    }

    fn number(&self) -> String {
        const NUMBERS: [&str; 16] = [
            "1.7976931348623157e308",
            "-1E300",
            "5e-324",
            "-0",
            "-0.0",
            "0.1",
            "1.10",
            "1e5",
            "1E+5",
            "0.00001",
            "18446744073709551615",
            "-9223372036854775808",
            "12345678901234567890123",
            "9007199254740993",
            "1e400",
            "0.1000000000000000055511151231257827",
        ];
        let random = f64::from_le_bytes(self.0.random());
        match self.below(4) {
            0 if random.is_finite() => random.to_string(),
            1 if random.is_finite() => format!("{random:?}"),
            2 => format!("{}", self.below(1_000_000) as f64 / 997.0),
            _ => NUMBERS[self.below(NUMBERS.len())].to_owned(),
        }
    }

    fn string(&self) -> String {
        let odd = [
            r"",
            r"\ud83c\udfa7",
            r"\\",
            r#"\" 1e5 \""#,
            r"\u0000",
            r"\ud800",
            "\u{FFFF}",
            "e\u{301}",
            r"\u001f",
            "tonearm:json",
            "tonearm:damaged",
            "שלום",
            "'; --",
            "$1",
            "{}",
        ];
        format!("\"{}{}\"", odd[self.below(odd.len())], ["", "a", "\u{10FFFF}"][self.below(3)])
    }

    fn value(&self, depth: usize) -> String {
        let list = |open, close, each: &dyn Fn(usize) -> String| {
            let items: Vec<String> = (0..self.below(4)).map(each).collect();
            format!("{open}{}{close}", items.join([",", " ,\n"][self.below(2)]))
        };
        match self.below(if depth < 3 { 6 } else { 4 }) {
            0 | 1 => self.number(),
            2 => self.string(),
            3 => ["true", "false", "null"][self.below(3)].to_owned(),
            4 => list("[", "]", &|_| self.value(depth + 1)),
            _ => list("{", "}", &|at| format!("{}: {}", self.name(at), self.value(depth + 1))),
        }
    }

    /// The name of an entry, unlike those beside it.
    fn name(&self, at: usize) -> String {
        let name = self.string();
        if at == 0 { name } else { format!("\"{at}{}", &name[1..]) }
    }

    fn json(&self) -> String {
        let entries: Vec<String> =
            (0..self.below(5)).map(|at| format!("{}:{}", self.name(at), self.value(0))).collect();
        format!("{{{}}}", entries.join(", "))
    }

    /// Metadata that is accepted, and the JSON that was sent.
    fn metadata(&self) -> (Metadata, String) {
        loop {
            let json = self.json();
            if let Ok(metadata) = serde_json::from_str(&json) {
                return (metadata, json);
            }
        }
    }

    fn text(&self) -> String {
        let odd = [
            HOSTILE,
            "\u{FFFF}",
            "e\u{301}",
            " ",
            "\u{200B}\u{FEFF}",
            "ﬁ ſ µ",
            "\u{1F468}\u{200D}\u{1F469}",
            "%_",
        ];
        loop {
            let text: String = (0..=self.below(5)).map(|_| odd[self.below(odd.len())]).collect();
            let text = if self.below(5) == 0 { text.repeat(40) } else { text };
            if let Ok(text) = Text::<1000>::try_from(text) {
                return text.into();
            }
        }
    }
}

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

/// One record of each kind with metadata, and the JSON that was sent for it.
struct Records {
    seed: u64,
    json: String,
    collection: Collection,
    creator: Creator,
    track: Track,
    upload: UploadSession,
    play: PlaySession,
}

impl Records {
    fn new(seed: u64, ambient: &Ambient, organization: &Organization) -> Self {
        let odd = Odd::new(seed);
        let (metadata, json) = odd.metadata();
        let mut creator = creator(ambient, organization);
        (creator.metadata, creator.organization_index) = (metadata.clone(), odd.text());
        let mut collection = full_collection(ambient, organization, &creator);
        (collection.metadata, collection.title) = (metadata.clone(), odd.text());
        collection.organization_index = Some(odd.text());
        let mut track = full_track(ambient, &collection, &creator);
        (track.metadata, track.organization_index) = (metadata.clone(), Some(odd.text()));
        (track.player_title, track.player_subtitle) = (Some(odd.text()), Some(odd.text()));
        let upload = UploadSession { metadata: metadata.clone(), ..upload_session(ambient, &collection) };
        let play = PlaySession { metadata, ..play_session(ambient, &collection) };
        Self { seed, json, collection, creator, track, upload, play }
    }

    async fn store(&mut self, catalog: &Catalog) {
        let tx = catalog.begin().await.unwrap();
        tx.insert_creator(&self.creator).await.unwrap();
        tx.insert_collection(&self.collection).await.unwrap();
        tx.insert_upload_session(&self.upload).await.unwrap();
        tx.insert_play_sessions(std::slice::from_ref(&self.play)).await.unwrap();
        self.track.upload_session_id = None;
        self.track.order = tx.insert_track(&self.track).await.unwrap();
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
    }
}

async fn what_is_accepted_comes_back(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let organization = bare_organization(&ambient);
    let tx = catalog.begin().await.unwrap();
    tx.insert_organization(&organization).await.unwrap();
    tx.commit().await.unwrap();
    let mut all = Vec::new();
    for seed in 0..20 {
        let mut records = Records::new(seed, &ambient, &organization);
        records.store(&catalog).await;
        records.assert_read(&catalog, "stored").await;
        // Other values in the same rows.
        let Records { track, json, .. } = Records::new(1000 + seed, &ambient, &organization);
        records.json = json;
        records.track.player_title = track.player_title;
        records.collection.metadata = track.metadata.clone();
        records.creator.metadata = track.metadata.clone();
        records.track.metadata = track.metadata.clone();
        let tx = catalog.begin().await.unwrap();
        tx.update_track(&records.track).await.unwrap();
        tx.update_collection(&records.collection).await.unwrap();
        tx.update_creator(&records.creator).await.unwrap();
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
    for Records { track, .. } in all {
        let tx = catalog.begin().await.unwrap();
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

async fn what_cannot_be_read_breaks_no_list(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, mut collection) = stored_collection(&catalog, &ambient).await;
    let mut creator = creator(&ambient, &organization);
    let tx = catalog.begin().await.unwrap();
    tx.insert_creator(&creator).await.unwrap();
    tx.commit().await.unwrap();
    let [sound, damaged] = [(); 2].map(|()| bare_track(&ambient, &collection));
    let [sound, mut damaged] = [stored_track(&catalog, sound).await, stored_track(&catalog, damaged).await];
    let raw = database.raw().await;
    let unreadable = if database.url.starts_with("sqlite") { "{\"x\":" } else { "{\"x\":1e400}" };
    for (table, condition) in [
        ("track", format!("track_order = {}", damaged.order)),
        ("collection", "1 = 1".to_owned()),
        ("creator", "1 = 1".to_owned()),
    ] {
        let update = format!("UPDATE {table} SET metadata = '{unreadable}' WHERE {condition}");
        assert_eq!(raw.execute_unprepared(&update).await.unwrap().rows_affected(), 1);
    }
    let own = organization.id;
    let window = LimitOffset::default();
    let read = async || {
        let (_, tracks) = catalog.tracks_in_collection(own, collection.id, None, window).await.unwrap();
        tracks
    };
    assert_eq!(read().await[0], sound);
    assert!(read().await[1].metadata.is_damaged());
    assert!(catalog.track(own, damaged.id).await.unwrap().unwrap().metadata.is_damaged());
    assert!(catalog.creators(own, window).await.unwrap().1[0].metadata.is_damaged());
    assert!(catalog.collections(own, None, window).await.unwrap().1[0].metadata.is_damaged());
    let mut named = Vec::new();
    catalog.each_damaged_row(|row| named.push((row.table, row.id))).await.unwrap();
    let expected =
        [("track", damaged.id.uuid()), ("collection", collection.id.uuid()), ("creator", creator.id.uuid())];
    assert_eq!(named, expected);

    // Other fields change, and what cannot be read stays for whoever can.
    let kept = async |table: &str| {
        let ask = format!("SELECT CAST(metadata AS text) AS kept FROM {table} ORDER BY id");
        let ask = Statement::from_string(raw.get_database_backend(), ask);
        let rows = raw.query_all_raw(ask).await.unwrap();
        rows.iter().filter(|row| row.try_get::<String>("", "kept").unwrap().contains("\"x\"")).count()
    };
    damaged.metadata = Metadata::damaged();
    (collection.metadata, creator.metadata) = (Metadata::damaged(), Metadata::damaged());
    damaged.player_title = Some("Renamed".to_owned());
    let tx = catalog.begin().await.unwrap();
    tx.update_track(&damaged).await.unwrap();
    tx.update_collection(&collection).await.unwrap();
    tx.update_creator(&creator).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(read_titles(&catalog, &collection).await, [None, Some("Renamed".to_owned())]);
    for table in ["track", "collection", "creator"] {
        assert_eq!(kept(table).await, 1, "{table}");
    }

    // Other metadata takes its place, and it does not keep the track from being purged.
    damaged.metadata = rich_metadata();
    let tx = catalog.begin().await.unwrap();
    tx.update_track(&damaged).await.unwrap();
    tx.commit().await.unwrap();
    assert_eq!(catalog.track(own, damaged.id).await.unwrap().unwrap().metadata, rich_metadata());
    let spoil = format!("UPDATE track SET metadata = '{unreadable}'");
    raw.execute_unprepared(&spoil).await.unwrap();
    let tx = catalog.begin().await.unwrap();
    assert!(tx.soft_delete_track(own, damaged.id, ambient.now()).await.unwrap());
    assert!(tx.purge_track(own, damaged.id, ambient.now(), PurgedTitles::Removed).await.unwrap());
    tx.commit().await.unwrap();
    assert_eq!(kept("track").await, 1);
}

/// The columns of a table, besides its id, that hold text or JSON, and their types.
async fn text_columns(raw: &DatabaseConnection, table: &str) -> Vec<(String, String)> {
    let ask = match raw.get_database_backend() {
        DbBackend::Sqlite => format!("SELECT name, type AS kind FROM pragma_table_info('{table}')"),
        _ => format!(
            "SELECT column_name AS name, data_type AS kind FROM information_schema.columns WHERE table_name = '{table}'"
        ),
    };
    let rows = raw.query_all_raw(Statement::from_string(raw.get_database_backend(), ask)).await.unwrap();
    let column = |row: &sea_orm::QueryResult| -> (String, String) {
        (row.try_get("", "name").unwrap(), row.try_get("", "kind").unwrap())
    };
    let is_text = |(_, kind): &(String, String)| {
        let kind = kind.to_lowercase();
        ["text", "char", "json"].iter().any(|it| kind.contains(it))
    };
    rows.iter().map(column).filter(|column| column.0 != "id" && is_text(column)).collect()
}

/// Each column in turn holds what no version of Tonearm has written.
async fn no_damaged_column_breaks_a_list(database: TestDatabase) {
    let (catalog, (ambient, _)) = (database.catalog().await, ambient());
    let (organization, collection) = stored_collection(&catalog, &ambient).await;
    let own = organization.id;
    let tx = catalog.begin().await.unwrap();
    for _ in 0..2 {
        let other = Collection { id: ambient.record_id(), folder: ambient.short_id(), ..collection.clone() };
        tx.insert_collection(&other).await.unwrap();
        tx.insert_creator(&creator(&ambient, &organization)).await.unwrap();
    }
    tx.commit().await.unwrap();
    let mut sound = Vec::new();
    for _ in 0..3 {
        sound.push(stored_track(&catalog, bare_track(&ambient, &collection)).await.id);
    }
    let (raw, window, mut tried) = (database.raw().await, LimitOffset::default(), 0);
    for table in ["track", "collection", "creator"] {
        for (column, kind) in text_columns(&raw, table).await {
            let odd = if kind.to_lowercase().contains("json") { "\"odd\"" } else { "\u{1}odd" };
            let (before, first) =
                (format!("before_{table}_{column}"), format!("SELECT min(CAST(id AS text)) FROM {table}"));
            raw.execute_unprepared(&format!("CREATE TABLE {before} AS SELECT * FROM {table}")).await.unwrap();
            let damage = format!("UPDATE {table} SET {column} = '{odd}' WHERE CAST(id AS text) = ({first})");
            // Some columns refer to others.
            if raw.execute_unprepared(&damage).await.is_ok() {
                tried += 1;
                let what = format!("{table}.{column}");
                let (count, tracks) =
                    catalog.tracks_in_collection(own, collection.id, None, window).await.expect(&what);
                assert!(count >= 2 && tracks.len() >= 2, "{what}");
                let (filter, order) = (TrackFilter::default(), TrackOrder::default());
                let mut position = None;
                // A part without rows leads to the next one.
                for _ in 0..6 {
                    let part = catalog.look_up_tracks(own, &filter, order, (position.as_ref(), 1));
                    position = Box::pin(part).await.expect(&what).next;
                }
                assert!(position.is_none(), "{what}");
                assert!(!catalog.creators(own, window).await.expect(&what).1.is_empty(), "{what}");
                assert!(catalog.collections(own, None, window).await.expect(&what).1.len() >= 2, "{what}");
                catalog.each_damaged_row(|_| ()).await.expect(&what);
                let restore = format!(
                    "UPDATE {table} SET {column} = (SELECT {column} FROM {before} WHERE {before}.id = {table}.id)"
                );
                raw.execute_unprepared(&restore).await.unwrap();
            }
            raw.execute_unprepared(&format!("DROP TABLE {before}")).await.unwrap();
        }
    }
    assert!(tried > 20, "{tried}");
    raw.close().await.unwrap();
}

async fn read_titles(catalog: &Catalog, collection: &Collection) -> Vec<Option<String>> {
    let window = LimitOffset::default();
    let (_, tracks) =
        catalog.tracks_in_collection(collection.organization_id, collection.id, None, window).await.unwrap();
    tracks.into_iter().map(|track| track.player_title).collect()
}

//! Adds what nodes recorded about listeners: decides what counts as a listen, and adds it to the sums in the same
//! transaction.

use std::collections::{BTreeMap, HashMap};

use sea_orm::sea_query::{Expr, OnConflict, Query, ReturningClause, SimpleExpr};
use sea_orm::{ColumnTrait, ConnectionTrait, EntityTrait, QueryFilter, QueryResult, QuerySelect};
use tonearm_domain::{
    ApiKeyId, FileData, FileSound, ListenedSince, ListenerEntry, ListenerKey, ListenerOrigin, Listening,
    ObjectKey, Played, TakenBytes, Timestamp,
};
use uuid::Uuid;

use super::listen_sums::{Counted, ListenSums};
use crate::column::{byte_count, corrupt, moment_if_set, parsed_if_set, size};
use crate::entity::{former_file, track, track_file};
use crate::error::CatalogError;
use crate::files::BATCH;
use crate::transaction::Transaction;

/// The properties of a track that decide what counts as a listen.
#[derive(Clone, Copy)]
struct TrackFacts {
    collection_id: Uuid,
    millis: u64,
}

/// What is stored about a listener and a track.
#[derive(Default)]
struct Row {
    listening: Listening,
    origin: ListenerOrigin,
}

/// All entries of each listener and track.
type Places<'e> = BTreeMap<ListenerKey, Vec<&'e ListenerEntry>>;

/// The tracks that entries are about, by organization and folder.
type KnownTracks = HashMap<(Uuid, String), TrackFacts>;

impl Transaction {
    /// Adds what nodes recorded about listeners until `now`. Entries about unknown folders, or about anything but
    /// tracks, are skipped.
    pub(super) async fn add_listeners(
        &self,
        entries: &[ListenerEntry],
        now: Timestamp,
    ) -> Result<ListenSums, CatalogError> {
        let mut places = Places::new();
        for entry in entries {
            places.entry(entry.place()).or_default().push(entry);
        }
        let places: Vec<_> = places.into_iter().collect();
        let mut sums = ListenSums::default();
        for places in places.chunks(BATCH) {
            let tracks = self.known_tracks(places).await?;
            let places: Vec<_> =
                places.iter().filter(|(place, _)| tracks.contains_key(&folder(place))).collect();
            let sounds = self.sounds(&places, &tracks).await?;
            let mut rows = self.locked_rows(places.iter().map(|(place, _)| place)).await?;
            for (place, entries) in &places {
                let (Some(row), Some(track)) = (rows.get_mut(place), tracks.get(&folder(place))) else {
                    continue;
                };
                let newly = row.take_in(entries, *track, &sounds, now);
                sums.add(Counted {
                    place: *place,
                    collection_id: track.collection_id,
                    origin: row.origin.clone(),
                    newly,
                });
            }
            self.write_rows(rows).await?;
        }
        Ok(sums)
    }

    async fn known_tracks(
        &self,
        places: &[(ListenerKey, Vec<&ListenerEntry>)],
    ) -> Result<KnownTracks, CatalogError> {
        use track::Column::{CollectionId, Duration, Index, OrganizationId};
        let mut folders: BTreeMap<Uuid, Vec<String>> = BTreeMap::new();
        for (place, _) in places {
            let (organization, folder) = folder(place);
            folders.entry(organization).or_default().push(folder);
        }
        let mut tracks = HashMap::new();
        for (organization, mut folders) in folders {
            folders.sort_unstable();
            folders.dedup();
            let select = track::Entity::find()
                .select_only()
                .columns([Index, CollectionId, Duration])
                .filter(OrganizationId.eq(organization))
                .filter(Index.is_in(folders));
            let found: Vec<(String, Uuid, f64)> = select.into_tuple().all(self.db()).await?;
            for (index, collection_id, duration) in found {
                let facts = TrackFacts { collection_id, millis: millis(duration) };
                tracks.insert((organization, index), facts);
            }
        }
        Ok(tracks)
    }

    /// What the delivered files contain, by object key, as far as it is known. A file that was replaced or removed is
    /// delivered for a while, with the sound that it had.
    async fn sounds(
        &self,
        places: &[&(ListenerKey, Vec<&ListenerEntry>)],
        tracks: &KnownTracks,
    ) -> Result<HashMap<String, FileSound>, CatalogError> {
        let entries = places.iter().flat_map(|(_, entries)| entries.iter().copied());
        let delivered = entries.filter_map(|entry| {
            let key = object_key(entry, entry.taken.as_ref()?);
            Some((key.to_string(), tracks.get(&folder_of(&key))?.millis))
        });
        let delivered: BTreeMap<String, u64> = delivered.collect();
        let names: Vec<&String> = delivered.keys().collect();
        let mut sounds = HashMap::new();
        for names in names.chunks(BATCH) {
            let select = former_file::Entity::find()
                .select_only()
                .columns([
                    former_file::Column::ObjectKey,
                    former_file::Column::TrackDuration,
                    former_file::Column::Data,
                ])
                .filter(former_file::Column::ObjectKey.is_in(names.iter().copied()));
            let former: Vec<(String, f64, Option<serde_json::Value>)> =
                select.into_tuple().all(self.db()).await?;
            sounds.extend(former.into_iter().map(|(name, duration, data)| {
                let sound = sound(millis(duration), data);
                (name, sound)
            }));
            // Files in use, even of deleted tracks. A source may have been in use before, too.
            let select = track_file::Entity::find()
                .select_only()
                .columns([track_file::Column::ObjectKey, track_file::Column::Data])
                .filter(track_file::Column::ObjectKey.is_in(names.iter().copied()));
            let used: Vec<(String, Option<serde_json::Value>)> = select.into_tuple().all(self.db()).await?;
            sounds.extend(used.into_iter().filter_map(|(name, data)| {
                let sound = sound(*delivered.get(&name)?, data);
                Some((name, sound))
            }));
        }
        Ok(sounds)
    }

    /// What is stored about these listeners, locked until the transaction ends. Missing rows are created.
    async fn locked_rows(
        &self,
        places: impl Iterator<Item = &ListenerKey>,
    ) -> Result<BTreeMap<ListenerKey, Row>, CatalogError> {
        let mut known: BTreeMap<ListenerKey, Row> = places.map(|place| (*place, Row::default())).collect();
        if known.is_empty() {
            return Ok(known);
        }
        let mut insert = inserted(&known);
        // Changes nothing, but locks the row and returns it.
        let same = Expr::col(("listener_track", "is_listen"));
        insert.on_conflict(OnConflict::columns(KEY).value("is_listen", same).to_owned());
        insert.returning(ReturningClause::Columns(COLUMNS.map(Into::into).to_vec()));
        let by_key: HashMap<_, _> = known.keys().map(|place| (key_of(place), *place)).collect();
        for found in self.db().query_all(&insert).await? {
            let key = (
                found.try_get::<Uuid>("", "organization_id")?,
                found.try_get::<i32>("", "day")?,
                found.try_get::<i64>("", "listener")?,
                found.try_get::<String>("", "folder")?,
            );
            if let Some(place) = by_key.get(&key) {
                known.insert(*place, Row::read(&found)?);
            }
        }
        Ok(known)
    }

    async fn write_rows(&self, rows: BTreeMap<ListenerKey, Row>) -> Result<(), CatalogError> {
        if rows.is_empty() {
            return Ok(());
        }
        let mut insert = inserted(&rows);
        let changed = COLUMNS.into_iter().skip(KEY.len());
        insert.on_conflict(OnConflict::columns(KEY).update_columns(changed).to_owned());
        self.db().execute(&insert).await?;
        Ok(())
    }
}

const COLUMNS: [&str; 15] = [
    "organization_id",
    "day",
    "listener",
    "folder",
    "taken_micros",
    "segments",
    "is_listen",
    "playing_until",
    "share_key_id",
    "referrer",
    "is_member",
    "country",
    "excerpts",
    "played",
    "delivered_millis",
];

const KEY: [&str; 4] = ["organization_id", "day", "listener", "folder"];

/// Inserts rows in the order of their keys, so that nodes do not deadlock.
fn inserted(rows: &BTreeMap<ListenerKey, Row>) -> sea_orm::sea_query::InsertStatement {
    let mut insert = Query::insert();
    insert.into_table("listener_track").columns(COLUMNS);
    for (place, row) in rows {
        let (organization, day, listener, folder) = key_of(place);
        let Listening {
            taken_micros,
            segments,
            delivered_millis,
            ref played,
            is_listen,
            playing_until,
            ref excerpts,
        } = row.listening;
        let values: [SimpleExpr; 15] = [
            organization.into(),
            day.into(),
            listener.into(),
            folder.into(),
            byte_count(taken_micros).into(),
            byte_count(segments.bits()).into(),
            is_listen.into(),
            playing_until.map(Timestamp::unix_millis).into(),
            row.origin.share_key_id.map(ApiKeyId::uuid).into(),
            row.origin.referrer.as_ref().map(ToString::to_string).into(),
            row.origin.is_member.into(),
            row.origin.country.map(String::from).into(),
            (!excerpts.is_empty()).then(|| serde_json::json!(excerpts).to_string()).into(),
            (!played.is_empty()).then(|| serde_json::json!(played).to_string()).into(),
            byte_count(delivered_millis).into(),
        ];
        insert.values_panic(values);
    }
    insert
}

fn key_of(place: &ListenerKey) -> (Uuid, i32, i64, String) {
    let listener = place.listener.hash().cast_signed();
    (place.organization_id.uuid(), place.day.number(), listener, place.folder.to_string())
}

fn folder(place: &ListenerKey) -> (Uuid, String) {
    (place.organization_id.uuid(), place.folder.to_string())
}

fn object_key(entry: &ListenerEntry, taken: &TakenBytes) -> ObjectKey {
    let ListenerEntry { organization_id, folder, .. } = *entry;
    ObjectKey { organization_id, folder, file: taken.file.clone() }
}

fn folder_of(key: &ObjectKey) -> (Uuid, String) {
    (key.organization_id.uuid(), key.folder.to_string())
}

/// What a file contains of a track of this length: a preview a part of it, any other file the whole.
fn sound(track_millis: u64, data: Option<serde_json::Value>) -> FileSound {
    let whole = FileSound::whole(track_millis);
    match data.and_then(|data| serde_json::from_value(data).ok()) {
        Some(FileData::Preview { capture_start, capture_end, .. }) => FileSound {
            start_millis: millis(capture_start).min(track_millis),
            end_millis: millis(capture_end).min(track_millis),
            ..whole
        },
        _ => whole,
    }
}

fn millis(seconds: f64) -> u64 {
    // Negative numbers and NaN become 0.
    (seconds * 1000.0).round() as u64
}

/// What was played, as a row has it.
pub(super) fn played(row: &QueryResult) -> Result<Played, CatalogError> {
    parse_played(row.try_get::<Option<String>>("", "played")?.as_deref())
}

pub(crate) fn parse_played(json: Option<&str>) -> Result<Played, CatalogError> {
    let played = json.map(serde_json::from_str).transpose();
    Ok(played.map_err(|_| corrupt("listener_track.played"))?.unwrap_or_default())
}

impl Row {
    fn read(row: &QueryResult) -> Result<Self, CatalogError> {
        let count = |name| size("listener_track", row.try_get("", name)?);
        let share_key_id: Option<Uuid> = row.try_get("", "share_key_id")?;
        let referrer: Option<String> = row.try_get("", "referrer")?;
        let country: Option<String> = row.try_get("", "country")?;
        let excerpts: Option<String> = row.try_get("", "excerpts")?;
        let excerpts = excerpts.as_deref().map(serde_json::from_str).transpose();
        Ok(Self {
            listening: Listening {
                taken_micros: count("taken_micros")?,
                segments: count("segments")?.into(),
                delivered_millis: count("delivered_millis")?,
                played: played(row)?,
                is_listen: row.try_get("", "is_listen")?,
                playing_until: moment_if_set(
                    "listener_track.playing_until",
                    row.try_get("", "playing_until")?,
                )?,
                excerpts: excerpts.map_err(|_| corrupt("listener_track.excerpts"))?.unwrap_or_default(),
            },
            origin: ListenerOrigin {
                share_key_id: share_key_id.map(ApiKeyId::from_uuid),
                referrer: parsed_if_set("listener_track.referrer", referrer.as_deref())?,
                country: parsed_if_set("listener_track.country", country.as_deref())?,
                is_member: row.try_get("", "is_member")?,
            },
        })
    }

    fn take_in(
        &mut self,
        entries: &[&ListenerEntry],
        track: TrackFacts,
        sounds: &HashMap<String, FileSound>,
        now: Timestamp,
    ) -> ListenedSince {
        entries.iter().for_each(|entry| self.origin.complete(&entry.origin));
        let mut sum = ListenedSince::default();
        if self.origin.is_member {
            return sum;
        }
        for entry in entries {
            let Some(taken) = &entry.taken else { continue };
            let known = sounds.get(&object_key(entry, taken).to_string());
            let sound = known.copied().unwrap_or(FileSound::whole(track.millis));
            sum.include(self.listening.take(sound, (taken.bytes, taken.size), taken.segments, now));
            sum.include(self.listening.play(sound, &taken.played));
        }
        sum
    }
}

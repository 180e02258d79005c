//! Tracks.

use rmcp::schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tonearm_client::Client;
use tonearm_domain::{CollectionId, TrackId, TrackStatus};

use crate::cli::mcp::shape::{body, pick, pick_each, query};
use crate::cli::mcp::tool::{Call, Effect, Problem};

/// What lists show of a track.
const LISTED: [&str; 11] = [
    "id",
    "player_title",
    "player_subtitle",
    "collection_id",
    "collection_title",
    "file_name",
    "organization_index",
    "duration",
    "track_status_id",
    "status_reason",
    "created_at",
];

/// What is shown of one track.
const WHOLE: [&str; 17] = [
    "id",
    "collection_id",
    "creator_id",
    "shown_title",
    "shown_subtitle",
    "player_title",
    "player_subtitle",
    "player_color",
    "file_name",
    "organization_index",
    "metadata",
    "duration",
    "track_status_id",
    "status_reason",
    "info",
    "transcription",
    "transcription_language",
];

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(crate = "rmcp::schemars")]
pub(super) struct FindTracks {
    /// Words to search for. Each of them must be in the titles, the file name, the organization_index or the tags of the track.
    query: Option<String>,
    /// Statuses, separated by commas: initialized, init_error, processing, fallback_processing, ready, incomplete, error.
    status: Option<String>,
    /// Only tracks of this collection.
    #[schemars(with = "Option<String>", extend("format" = "uuid"))]
    collection_id: Option<CollectionId>,
    /// Only tracks with exactly this organization_index, which is your own id for a track.
    organization_index: Option<String>,
    /// What to sort by: created, title, duration or status, or order, which requires collection_id. With a minus sign before it, the
    /// order is reversed. Default: -created.
    sort: Option<String>,
    /// The most tracks on one page. Default: 20.
    #[schemars(range(min = 1, max = 50))]
    limit: Option<u64>,
    /// The next_cursor of the previous page.
    cursor: Option<String>,
}

/// Results of a page, unless asked otherwise.
const PAGE: u64 = 20;

/// Most results of a page, which is less than the service allows.
const LARGEST_PAGE: u64 = 50;

/// How many results of a page.
pub(super) fn page(limit: Option<u64>) -> Result<Option<u64>, Problem> {
    match limit {
        Some(limit) if limit == 0 || limit > LARGEST_PAGE => {
            Err(Problem::Arguments(format!("limit: must be 1 to {LARGEST_PAGE}")))
        }
        limit => Ok(Some(limit.unwrap_or(PAGE))),
    }
}

impl Call for FindTracks {
    const NAME: &'static str = "find_tracks";
    const TITLE: &'static str = "Find tracks";
    const TEXT: &'static str = "Lists and searches tracks in all collections. To read them all, repeat the call with next_cursor until it is null: \
         a page can be empty although others follow.";
    const EFFECT: Effect = Effect::Reads;

    async fn call(mut self, client: &Client) -> Result<Value, Problem> {
        self.limit = page(self.limit)?;
        let found = client.read("/v1/track", &query(&self)?).await?;
        let tracks = pick_each(&found["tracks"], &LISTED);
        Ok(json!({ "count": found["count"], "tracks": tracks, "next_cursor": found["next_cursor"] }))
    }
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(crate = "rmcp::schemars")]
pub(super) struct ReadTrack {
    /// The track.
    #[schemars(with = "String", extend("format" = "uuid"))]
    track_id: TrackId,
}

impl Call for ReadTrack {
    const NAME: &'static str = "read_track";
    const TITLE: &'static str = "Read a track";
    const TEXT: &'static str = "Returns a track with its tags, the first 4,000 characters of its transcript, its status, and the progress of each of \
         its variants.";
    const EFFECT: Effect = Effect::Reads;

    async fn call(self, client: &Client) -> Result<Value, Problem> {
        let path = format!("/v1/track/{}", self.track_id);
        let read = client.read(&path, &[]).await?;
        let progress = client.read(&format!("{path}/progress"), &[]).await?;
        Ok(json!({
            "track": pick(&read["track"], &WHOLE),
            "progress": pick(&progress, &["percent", "variants"]),
        }))
    }
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(crate = "rmcp::schemars")]
pub(super) struct UpdateTrack {
    /// The track.
    #[serde(skip_serializing)]
    #[schemars(with = "String", extend("format" = "uuid"))]
    track_id: TrackId,
    /// The title that players show. An empty text restores the title of the file's tags.
    player_title: Option<String>,
    /// The subtitle that players show, such as the artist. An empty text restores that of the tags.
    player_subtitle: Option<String>,
    /// Moves the track to the end of this collection.
    #[schemars(with = "Option<String>", extend("format" = "uuid"))]
    collection_id: Option<CollectionId>,
}

impl Call for UpdateTrack {
    const NAME: &'static str = "update_track";
    const TITLE: &'static str = "Update a track";
    const TEXT: &'static str = "Sets the title or the subtitle of a track, or moves it to another collection. Fields that you leave out do not change.";
    const EFFECT: Effect = Effect::Changes;

    async fn call(self, client: &Client) -> Result<Value, Problem> {
        let mut fields = body(&self)?;
        if fields.is_empty() {
            return Err(Problem::Arguments("nothing to change was given".to_owned()));
        }
        for (_, value) in &mut fields {
            if value.as_str() == Some("") {
                *value = Value::Null;
            }
        }
        let updated = client.update(&format!("/v1/track/{}", self.track_id), &Value::Object(fields)).await?;
        Ok(json!({ "track": pick(&updated["track"], &LISTED) }))
    }
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(crate = "rmcp::schemars")]
pub(super) struct DeleteTrack {
    /// The track.
    #[schemars(with = "String", extend("format" = "uuid"))]
    track_id: TrackId,
}

impl Call for DeleteTrack {
    const NAME: &'static str = "delete_track";
    const TITLE: &'static str = "Delete a track";
    const TEXT: &'static str =
        "Deletes a track and its files permanently. Ask the user before you call this.";
    const EFFECT: Effect = Effect::Removes;

    async fn call(self, client: &Client) -> Result<Value, Problem> {
        let deleted = client.delete(&format!("/v1/track/{}", self.track_id)).await?;
        let track = match deleted.get("deleted_track") {
            Some(track) => pick(track, &LISTED),
            None => json!({ "id": self.track_id }),
        };
        Ok(json!({ "deleted_track": track }))
    }
}

/// Whether a track with this status can be played.
pub(super) fn is_playable(status: &Value) -> bool {
    let playable = [TrackStatus::Ready, TrackStatus::Incomplete].map(TrackStatus::as_str);
    status.as_str().is_some_and(|status| playable.contains(&status))
}

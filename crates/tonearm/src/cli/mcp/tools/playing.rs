//! Play sessions.

use rmcp::schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tonearm_client::Client;
use tonearm_domain::{CollectionId, TrackId};

use crate::cli::mcp::shape::{body, pick, pick_each};
use crate::cli::mcp::tool::{Call, Effect, Problem};

/// Tracks of a session that are shown; players get all of them.
const MOST_TRACKS: usize = 50;

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(crate = "rmcp::schemars")]
pub(super) struct CreatePlaySession {
    /// The collection to play; either this or track_id.
    #[schemars(with = "Option<String>", extend("format" = "uuid"))]
    collection_id: Option<CollectionId>,
    /// The track to play; either this or collection_id.
    #[schemars(with = "Option<String>", extend("format" = "uuid"))]
    track_id: Option<TrackId>,
    /// Indexes of the variants to play, such as hq or preview. Default: all that the key allows.
    variants: Option<Vec<String>>,
    /// Whether files can be downloaded, which the key must also allow.
    is_downloadable: Option<bool>,
    /// How many seconds the session is valid. Default: 3600.
    #[schemars(range(min = 60, max = 86400))]
    expires_in: Option<u64>,
}

impl Call for CreatePlaySession {
    const NAME: &'static str = "create_play_session";
    const TITLE: &'static str = "Create a play session";
    const TEXT: &'static str = "Creates a play session, which lets players play a collection or a track until it expires. Returns the id of the session, \
         its first tracks, and URLs that play the first of them. The id and the URLs are credentials: whoever has them can listen.";
    const EFFECT: Effect = Effect::Adds;
    const AFTER_TIMEOUT: &'static str =
        "it may have created a session all the same, which expires unused, so you can try again";

    async fn call(self, client: &Client) -> Result<Value, Problem> {
        let scope = match (self.collection_id, self.track_id) {
            (Some(_), None) => "collection",
            (None, Some(_)) => "track",
            _ => return Err(Problem::Arguments("give either collection_id or track_id".to_owned())),
        };
        let path = format!("/v1/play_session/{scope}");
        let created = client.create(&path, &Value::Object(body(&self)?)).await?;
        let tracks = created["tracks"].as_array().map(Vec::as_slice).unwrap_or_default();
        let shown: Value = tracks.iter().take(MOST_TRACKS).cloned().collect();
        let urls = created["first_track"]["variants"].as_array().into_iter().flatten().map(|file| {
            json!({ "variant": file["variant"]["index"], "content_type": file["content_type"], "url": file["url"] })
        });
        Ok(json!({
            "play_session": pick(&created["play_session"], &["id", "variants", "is_downloadable", "expires_at"]),
            "track_count": tracks.len(),
            "tracks": pick_each(&shown, &["id", "player_title", "player_subtitle", "duration"]),
            "first_track_urls": urls.collect::<Vec<_>>(),
        }))
    }
}

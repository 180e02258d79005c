//! Uploads.

use rmcp::schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tonearm_client::Client;
use tonearm_domain::CollectionId;

use crate::cli::mcp::shape::{body, pick};
use crate::cli::mcp::tool::{Call, Effect, Problem};

const SHOWN: [&str; 6] =
    ["id", "collection_id", "player_title", "player_subtitle", "file_name", "track_status_id"];

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(crate = "rmcp::schemars")]
pub(super) struct UploadFromUrl {
    /// The http or https URL of the audio file, which must be public; or s3://bucket/key, if the organization has credentials
    /// for the bucket.
    source_url: String,
    /// The collection. Not needed if the key is limited to one.
    #[schemars(with = "Option<String>", extend("format" = "uuid"))]
    collection_id: Option<CollectionId>,
    /// The name of the file. Default: the name that its server gives.
    file_name: Option<String>,
    /// The title that players show. Default: that of the file's tags.
    player_title: Option<String>,
    /// The subtitle that players show, such as the artist. Default: that of the file's tags.
    player_subtitle: Option<String>,
    /// Your own id for the track.
    organization_index: Option<String>,
}

impl Call for UploadFromUrl {
    const NAME: &'static str = "upload_from_url";
    const TITLE: &'static str = "Upload from a URL";
    const TEXT: &'static str = "Creates a track whose file the service fetches from a URL and processes in the background. Call read_track to see \
         its progress.";
    const EFFECT: Effect = Effect::Adds;
    const AFTER_TIMEOUT: &'static str =
        "it may have created the track all the same, so look with find_tracks before you try again";
    const REACHES_OUT: bool = true;

    async fn call(self, client: &Client) -> Result<Value, Problem> {
        let created = client.create("/v1/track", &Value::Object(body(&self)?)).await?;
        Ok(json!({ "track": pick(&created["track"], &SHOWN) }))
    }
}

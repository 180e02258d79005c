//! Share links: keys with which everyone can play one variant.

use rmcp::schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tonearm_client::Client;
use tonearm_domain::{ApiKeyId, TrackId};

use super::tracks::is_playable;
use crate::cli::mcp::shape::pick;
use crate::cli::mcp::tool::{Call, Effect, Problem};

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(crate = "rmcp::schemars")]
pub(super) struct CreateShareLink {
    /// The track.
    #[schemars(with = "String", extend("format" = "uuid"))]
    track_id: TrackId,
    /// The index of the variant that the link plays, such as hq or preview. read_track lists the variants.
    variant: String,
    /// The name of the link in the dashboard. Default: the title of the track.
    title: Option<String>,
    /// When the link expires (RFC 3339). Default: never.
    expires_at: Option<String>,
}

impl Call for CreateShareLink {
    const NAME: &'static str = "create_share_link";
    const TITLE: &'static str = "Create a share link";
    const TEXT: &'static str = "Creates a link with which anyone can play one variant of a track, until it expires or is revoked. Ask the user before \
         you make something public.";
    const EFFECT: Effect = Effect::Adds;
    const AFTER_TIMEOUT: &'static str = "it may have created the link all the same, so ask the user to check the dashboard before you try again";

    async fn call(self, client: &Client) -> Result<Value, Problem> {
        let read = client.read(&format!("/v1/track/{}", self.track_id), &[]).await?;
        let track = &read["track"];
        let key = json!({
            "title": self.title.as_deref().or_else(|| track["shown_title"].as_str()).unwrap_or("Share link"),
            "api_key_type_id": "share",
            "collection_id": track["collection_id"],
            "track_id": self.track_id,
            "variants": [self.variant],
            "expires_at": self.expires_at,
        });
        let created = client.create("/v1/api_key", &key).await?;
        Ok(json!({
            // Not built from the address that this program uses, because others may be unable to reach it.
            "url": created["share_url"],
            "share_link": pick(&created["api_key_record"], &["id", "title", "variants", "expires_at"]),
            "plays_now": is_playable(&track["track_status_id"]),
        }))
    }
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(crate = "rmcp::schemars")]
pub(super) struct RevokeShareLink {
    /// The id of the share link.
    #[schemars(with = "String", extend("format" = "uuid"))]
    share_link_id: ApiKeyId,
}

impl Call for RevokeShareLink {
    const NAME: &'static str = "revoke_share_link";
    const TITLE: &'static str = "Revoke a share link";
    const TEXT: &'static str = "Revokes a share link. It stops working for everybody who has it.";
    const EFFECT: Effect = Effect::Removes;

    async fn call(self, client: &Client) -> Result<Value, Problem> {
        let path = format!("/v1/api_key/{}", self.share_link_id);
        let read = client.read(&path, &[]).await?;
        // Assistants must not revoke keys of other types.
        if read["api_key_record"]["api_key_type_id"] != "share" {
            return Err(Problem::Arguments("share_link_id: is a key of another type".to_owned()));
        }
        let revoked = client.delete(&path).await?;
        let key = revoked.get("deleted_api_key").unwrap_or(&read["api_key_record"]);
        Ok(json!({ "share_link": pick(key, &["id", "title", "revoked_at"]) }))
    }
}

//! Collections.

use rmcp::schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tonearm_client::Client;

use super::tracks::page;
use crate::cli::mcp::shape::{body, pick, pick_each, query};
use crate::cli::mcp::tool::{Call, Effect, Problem};

const SHOWN: [&str; 5] = ["id", "title", "player_subtitle", "organization_index", "metadata"];

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(crate = "rmcp::schemars")]
pub(super) struct ListCollections {
    /// The most collections on one page. Default: 20.
    #[schemars(range(min = 1, max = 50))]
    limit: Option<u64>,
    /// The next_cursor of the previous page.
    cursor: Option<String>,
}

impl Call for ListCollections {
    const NAME: &'static str = "list_collections";
    const TITLE: &'static str = "List collections";
    const TEXT: &'static str = "Lists the collections, each of which contains tracks, such as an album or a podcast. To read them all, \
         repeat the call with next_cursor until it is null.";
    const EFFECT: Effect = Effect::Reads;

    async fn call(mut self, client: &Client) -> Result<Value, Problem> {
        self.limit = page(self.limit)?;
        // An empty cursor begins a list that is read by cursor.
        self.cursor = Some(self.cursor.unwrap_or_default());
        let listed = client.read("/v1/collection", &query(&self)?).await?;
        let collections = pick_each(&listed["collections"], &SHOWN);
        Ok(
            json!({ "count": listed["count"], "collections": collections, "next_cursor": listed["next_cursor"] }),
        )
    }
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(crate = "rmcp::schemars")]
pub(super) struct CreateCollection {
    /// The title of the collection.
    title: String,
    /// What players show below the title of a track that has no subtitle of its own.
    player_subtitle: Option<String>,
    /// Your own id for the collection.
    organization_index: Option<String>,
}

impl Call for CreateCollection {
    const NAME: &'static str = "create_collection";
    const TITLE: &'static str = "Create a collection";
    const TEXT: &'static str = "Creates an empty collection.";
    const EFFECT: Effect = Effect::Adds;
    const AFTER_TIMEOUT: &'static str =
        "it may have created the collection all the same, so look with list_collections before you try again";

    async fn call(self, client: &Client) -> Result<Value, Problem> {
        let created = client.create("/v1/collection", &Value::Object(body(&self)?)).await?;
        Ok(json!({ "collection": pick(&created["collection"], &SHOWN) }))
    }
}

//! What was listened to and delivered, and the quotas.

use rmcp::schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tonearm_client::Client;

use super::tracks::page;
use crate::cli::mcp::shape::{pick, query};
use crate::cli::mcp::tool::{Call, Effect, Problem};

#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(crate = "rmcp::schemars", inline)]
enum ListenGroup {
    Day,
    Track,
    Collection,
    ShareLink,
    Referrer,
    Country,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(crate = "rmcp::schemars")]
pub(super) struct ReadListens {
    /// The first day, such as 2030-01-31, in UTC. Default: the first of the 30 days that end with `to`.
    from: Option<String>,
    /// The last day, in UTC. Default: today.
    to: Option<String>,
    /// What to group by. Default: day.
    group: Option<ListenGroup>,
    /// The most rows in one answer. Default: 20.
    #[schemars(range(min = 1, max = 50))]
    limit: Option<u64>,
    /// How many rows to skip, to read the next ones.
    offset: Option<u64>,
}

impl Call for ReadListens {
    const NAME: &'static str = "read_listens";
    const TITLE: &'static str = "Read listens";
    const TEXT: &'static str = "Sums up listens, listeners and seconds by day, track, collection, share link, referrer or country. A listen is at least \
         one minute of a track, or all of a shorter one, delivered to one listener on one day.";
    const EFFECT: Effect = Effect::Reads;

    async fn call(mut self, client: &Client) -> Result<Value, Problem> {
        self.limit = page(self.limit)?;
        let read = client.read("/v1/listens", &query(&self)?).await?;
        Ok(pick(&read, &["from", "to", "group", "total", "count", "listens"]))
    }
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(crate = "rmcp::schemars", inline)]
enum UsageGroup {
    Day,
    Track,
    Variant,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(crate = "rmcp::schemars")]
pub(super) struct ReadUsage {
    /// The first day, such as 2030-01-31, in UTC. Default: the first of the 30 days that end with `to`.
    from: Option<String>,
    /// The last day, in UTC. Default: today.
    to: Option<String>,
    /// What to group by. Default: day.
    group: Option<UsageGroup>,
    /// The most rows in one answer. Default: 20.
    #[schemars(range(min = 1, max = 50))]
    limit: Option<u64>,
    /// How many rows to skip, to read the next ones.
    offset: Option<u64>,
}

impl Call for ReadUsage {
    const NAME: &'static str = "read_usage";
    const TITLE: &'static str = "Read usage";
    const TEXT: &'static str = "Sums up requests, downloads and bytes delivered, by day, track or variant, including what does not count as a listen.";
    const EFFECT: Effect = Effect::Reads;

    async fn call(mut self, client: &Client) -> Result<Value, Problem> {
        self.limit = page(self.limit)?;
        let read = client.read("/v1/usage", &query(&self)?).await?;
        Ok(pick(&read, &["from", "to", "group", "total", "count", "usage"]))
    }
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(crate = "rmcp::schemars")]
pub(super) struct ReadQuota {}

impl Call for ReadQuota {
    const NAME: &'static str = "read_quota";
    const TITLE: &'static str = "Read the quotas";
    const TEXT: &'static str =
        "Returns how many bytes, tracks, minutes and records the organization has, and how many it may have.";
    const EFFECT: Effect = Effect::Reads;

    async fn call(self, client: &Client) -> Result<Value, Problem> {
        let read = client.read("/v1/quota", &[]).await?;
        Ok(json!({ "quota": read["quota"] }))
    }
}

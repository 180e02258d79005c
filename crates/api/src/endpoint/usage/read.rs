//! `GET /v1/usage`

use axum::extract::{FromRequestParts, State};
use http::request::Parts;
use serde::{Deserialize, Serialize};
use tonearm_domain::Day;
use tonearm_service::{Usage, UsageGroup, UsagePeriod};
use utoipa::ToSchema;

use crate::app::App;
use crate::error::ApiError;
use crate::extract::{ListQuery, ManageKey, Paged, query};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, UsageRecord, UsageSums};

/// The days and the grouping in the query.
pub(crate) struct UsageQuery {
    period: UsagePeriod,
    group: UsageGroup,
}

/// All parameters as text, so that an error about an invalid value can name the parameter.
#[derive(Debug, Deserialize)]
struct UsageQueryText {
    from: Option<String>,
    to: Option<String>,
    group: Option<String>,
}

pub(super) fn day(field: &'static str, text: Option<&str>) -> Result<Option<Day>, ApiError> {
    text.map(str::parse).transpose().map_err(|_| ApiError::invalid(field, "must be a day such as 2030-01-31"))
}

impl FromRequestParts<App> for UsageQuery {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let text: UsageQueryText = query(parts)?;
        let (from, to) = (day("from", text.from.as_deref())?, day("to", text.to.as_deref())?);
        let group = text.group.as_deref().map(str::parse).transpose()?.unwrap_or_default();
        Ok(Self { period: UsagePeriod::new(from, to, app.usage.today())?, group })
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = usage::read::Read)]
pub(crate) struct UsageResponse {
    /// The first day.
    from: Day,
    /// The last day, inclusive.
    to: Day,
    #[schema(pattern = "^(day|track|variant)$")]
    group: &'static str,
    /// The sums of all rows, regardless of the page.
    total: UsageSums,
    /// Total number of rows, regardless of the page.
    count: u64,
    usage: Vec<UsageRecord>,
}

/// Returns the usage of everything that the key can access, by day, track or variant.
#[utoipa::path(
    get,
    path = "/usage",
    tag = "Usage",
    operation_id = "read_usage",
    params(
        ("from" = Option<Day>, Query, description = "The first day, in UTC. Default: the first of the 30 days that end with `to`."),
        ("to" = Option<Day>, Query, description = "The last day, inclusive, in UTC. Default: today. At most 367 days in total."),
        ("group" = Option<String>, Query, pattern = "^(day|track|variant)$", description = "What to group by. Default: `day`."),
        ListQuery,
    ),
    responses((
        status = 200,
        body = Answer<UsageResponse>,
        description = "The sums. Days are listed in order, including those without playback; tracks and variants are listed by bytes, most first.",
    )),
    security(("api_key" = [])),
)]
pub(crate) async fn read(
    ManageKey(caller): ManageKey,
    UsageQuery { period, group }: UsageQuery,
    Paged(page): Paged,
    request: CurrentRequest,
    State(usage): State<Usage>,
) -> Result<Answer<UsageResponse>, ApiError> {
    let report = usage.report(&caller, period, group, page).await?;
    Ok(Answer::traced(
        request,
        UsageResponse {
            from: period.from(),
            to: period.to(),
            group: group.as_str(),
            total: report.total.into(),
            count: report.count,
            usage: UsageRecord::of(report.rows),
        },
    ))
}

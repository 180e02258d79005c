//! `GET /v1/usage`

use axum::extract::{FromRequestParts, State};
use http::request::Parts;
use serde::{Deserialize, Serialize};
use tonearm_domain::Day;
use tonearm_service::{Usage, UsageGroup, UsagePeriod};
use utoipa::ToSchema;

use crate::extract::{ManageKey, Paged, query};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, UsageRecord, UsageSums};
use crate::{ApiError, App};

/// The days and the group that a query asks for.
pub(crate) struct Asked {
    period: UsagePeriod,
    group: UsageGroup,
}

/// All as text, so that what is none of it is told by its own name.
#[derive(Debug, Deserialize)]
struct AskedText {
    from: Option<String>,
    to: Option<String>,
    group: Option<String>,
}

fn day(field: &'static str, text: Option<&str>) -> Result<Option<Day>, ApiError> {
    text.map(str::parse).transpose().map_err(|_| ApiError::invalid(field, "must be a day such as 2030-01-31"))
}

impl FromRequestParts<App> for Asked {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let text: AskedText = query(parts)?;
        let (from, to) = (day("from", text.from.as_deref())?, day("to", text.to.as_deref())?);
        let group = text.group.as_deref().map(str::parse).transpose()?.unwrap_or_default();
        Ok(Self { period: UsagePeriod::new(from, to, app.usage.today())?, group })
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = usage::read::Read)]
pub(crate) struct Read {
    /// The first day.
    from: Day,
    /// The last day, which is included.
    to: Day,
    #[schema(pattern = "^(day|track|variant)$")]
    group: &'static str,
    /// The sums of all rows, whatever the page.
    total: UsageSums,
    /// How many rows there are in all, whatever the page.
    count: u64,
    usage: Vec<UsageRecord>,
}

/// What was played of the things in the key's reach: by day, by track or by variant.
#[utoipa::path(
    get,
    path = "/v1/usage",
    tag = "Usage",
    operation_id = "read_usage",
    params(
        ("from" = Option<Day>, Query, description = "The first day, in UTC; the 30 days up to `to` unless told."),
        ("to" = Option<Day>, Query, description = "The last day, which is included; today unless told. At most 367 days in all."),
        ("group" = Option<String>, Query, pattern = "^(day|track|variant)$", description = "What a row is about; `day` unless told."),
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 200, description = "Most rows of the page."),
        ("offset" = Option<i64>, Query, minimum = 0, description = "Rows before the page."),
    ),
    responses((
        status = 200,
        body = Answer<Read>,
        description = "The sums. Days come in order, also those without any playback; tracks and variants with the most bytes first.",
    )),
    security(("api_key" = [])),
)]
pub(crate) async fn read(
    ManageKey(caller): ManageKey,
    Asked { period, group }: Asked,
    Paged(page): Paged,
    request: CurrentRequest,
    State(usage): State<Usage>,
) -> Result<Answer<Read>, ApiError> {
    let report = usage.report(&caller, period, group, page).await?;
    Ok(Answer::traced(
        request,
        Read {
            from: period.from(),
            to: period.to(),
            group: group.as_str(),
            total: report.total.into(),
            count: report.count,
            usage: UsageRecord::of(report.rows),
        },
    ))
}

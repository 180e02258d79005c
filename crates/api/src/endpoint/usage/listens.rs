//! `GET /v1/listens`

use axum::extract::{FromRequestParts, State};
use http::request::Parts;
use serde::{Deserialize, Serialize};
use tonearm_domain::Day;
use tonearm_service::{ListenGroup, Usage, UsagePeriod};
use utoipa::ToSchema;

use super::read::day;
use crate::app::App;
use crate::error::ApiError;
use crate::extract::{ListQuery, ManageKey, Paged, query};
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, ListenRecord, ListenSums};

/// The days and the grouping in the query.
pub(crate) struct ListenQuery {
    period: UsagePeriod,
    group: ListenGroup,
}

/// All parameters as text, so that an error about an invalid value can name the parameter.
#[derive(Debug, Deserialize)]
struct ListenQueryText {
    from: Option<String>,
    to: Option<String>,
    group: Option<String>,
}

impl FromRequestParts<App> for ListenQuery {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, ApiError> {
        let text: ListenQueryText = query(parts)?;
        let (from, to) = (day("from", text.from.as_deref())?, day("to", text.to.as_deref())?);
        let group = text.group.as_deref().map(str::parse).transpose()?.unwrap_or_default();
        Ok(Self { period: UsagePeriod::new(from, to, app.usage.today())?, group })
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = usage::listens::Listens)]
pub(crate) struct Listens {
    /// The first day.
    from: Day,
    /// The last day, inclusive.
    to: Day,
    #[schema(pattern = "^(day|track|collection|share_link|referrer|country)$")]
    group: &'static str,
    /// The sums of the whole period.
    total: ListenSums,
    /// Total number of rows, regardless of the page.
    count: u64,
    listens: Vec<ListenRecord>,
}

/// Returns the listens of everything that the key can access, by day, track, collection, share link, site or country.
#[utoipa::path(
    get,
    path = "/listens",
    tag = "Usage",
    operation_id = "read_listens",
    params(
        ("from" = Option<Day>, Query, description = "The first day, in UTC. Default: the first of the 30 days that end with `to`."),
        ("to" = Option<Day>, Query, description = "The last day, inclusive, in UTC. Default: today. At most 367 days in total."),
        ("group" = Option<String>, Query, pattern = "^(day|track|collection|share_link|referrer|country)$", description = "What to group by. Default: `day`. `share_link`, `referrer` and `country` need a key for the whole organization. Countries are known only if the service has a country database."),
        ListQuery,
    ),
    responses((
        status = 200,
        body = Answer<Listens>,
        description = "The sums. Days are listed in order, including those without listens; all other groups by listens, most first.",
    )),
    security(("api_key" = [])),
)]
pub(crate) async fn listens(
    ManageKey(caller): ManageKey,
    ListenQuery { period, group }: ListenQuery,
    Paged(page): Paged,
    request: CurrentRequest,
    State(usage): State<Usage>,
) -> Result<Answer<Listens>, ApiError> {
    let report = usage.listens(&caller, period, group, page).await?;
    Ok(Answer::traced(
        request,
        Listens {
            from: period.from(),
            to: period.to(),
            group: group.as_str(),
            total: report.total.into(),
            count: report.count,
            listens: ListenRecord::of(report.rows),
        },
    ))
}

//! Usage: what was played, by day, track and variant, and the room it takes.

mod chart;
mod export;

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use serde::Deserialize;
use tonearm_domain::{Day, LimitOffset, UsageCounts};
use tonearm_service::{Refusal, UsagePeriod};

use crate::amount::{bytes, count};
use crate::app::Dashboard;
use crate::error::PageError;
use crate::form::Problems;
use crate::page::{Frame, Section, render};
use crate::path::Query;
use crate::quota::QuotaBar;
use crate::session::{Member, Viewer};
use chart::{Bar, Chart};

/// Below an organization's address.
pub(crate) fn routes() -> Router<Dashboard> {
    Router::new().route("/usage", get(page)).route("/usage.csv", get(export::export))
}

#[derive(Template)]
#[template(path = "usage/usage.html")]
struct UsagePage {
    frame: Frame,
    from: String,
    to: String,
    problems: Problems,
    figures: Vec<Figure>,
    quotas: Vec<QuotaBar>,
    plays: String,
    delivered: String,
    days: Vec<Row>,
    tracks: Vec<Row>,
    variants: Vec<Row>,
    storage: Vec<StorageRow>,
    is_empty: bool,
}

struct Figure {
    title: &'static str,
    told: String,
}

struct Row {
    name: String,
    link: Option<String>,
    plays: String,
    downloads: String,
    bytes: String,
}

struct StorageRow {
    title: String,
    link: String,
    bytes: String,
}

#[derive(Deserialize)]
pub(super) struct UsageQuery {
    #[serde(default)]
    from: String,
    #[serde(default)]
    to: String,
}

impl UsageQuery {
    /// The days asked for; else the usual ones, with what is wrong.
    fn period(&self, today: Day) -> Result<(UsagePeriod, Problems), PageError> {
        let day = |text: &str| text.parse::<Day>().ok();
        match UsagePeriod::new(day(&self.from), day(&self.to), today) {
            Ok(period) => Ok((period, Problems::default())),
            Err(refusal @ Refusal::Invalid { .. }) => {
                Ok((UsagePeriod::new(None, None, today)?, Problems::of(refusal)?))
            }
            Err(refusal) => Err(refusal.into()),
        }
    }
}

/// What people call a play: a share link that led to a file, or a track fetched in a session.
fn plays(counts: UsageCounts) -> u64 {
    counts.stream_redirects + counts.track_fetches
}

async fn page(
    State(app): State<Dashboard>,
    member: Member<Viewer>,
    Query(asked): Query<UsageQuery>,
) -> Result<Response, PageError> {
    let caller = member.caller();
    let (period, problems) = asked.period(app.usage.today())?;
    let top = LimitOffset::new(Some(20), None).unwrap_or_default();
    let days = app.usage.daily(&caller, period).await?;
    let (used, tracks) = app.usage.by_track(&caller, period, top).await?;
    let (_, variants) = app.usage.by_variant(&caller, period, top).await?;
    let storage = app.usage.storage(&caller).await?;
    let (_, largest) = app.usage.storage_by_track(&caller, top).await?;
    let total = |of: fn(UsageCounts) -> u64| days.iter().map(|day| of(day.counts)).sum::<u64>();
    let figures = vec![
        Figure { title: "Plays", told: count(total(plays)) },
        Figure { title: "Downloads", told: count(total(|counts| counts.downloads)) },
        Figure { title: "Delivered", told: bytes(total(|counts| counts.bytes)) },
        Figure { title: "Tracks played", told: count(used.played) },
        Figure { title: "Stored", told: bytes(storage.bytes) },
    ];
    let bars = |of: fn(UsageCounts) -> u64, tell: fn(u64) -> String| {
        let bar = |day: &tonearm_service::DayUsage| Bar {
            label: day.day.to_string(),
            value: of(day.counts),
            told: tell(of(day.counts)),
        };
        days.iter().map(bar).collect::<Vec<_>>()
    };
    let drawn = |chart: Chart| {
        chart
            .render()
            .inspect_err(|error| tracing::error!(%error, "a chart could not be drawn"))
            .unwrap_or_default()
    };
    Ok(render(&UsagePage {
        frame: member.frame("Usage", Section::Usage),
        from: period.from().to_string(),
        to: period.to().to_string(),
        problems,
        figures,
        quotas: QuotaBar::all(app.library.quotas(&caller).await?),
        plays: drawn(Chart::new("Plays per day".to_owned(), bars(plays, count), count)),
        delivered: drawn(Chart::new(
            "Bytes delivered per day".to_owned(),
            bars(|counts| counts.bytes, bytes),
            bytes,
        )),
        is_empty: days.iter().all(|day| day.counts.is_empty()),
        days: days.iter().rev().map(|day| Row::of(day.day.to_string(), None, day.counts)).collect(),
        tracks: tracks
            .into_iter()
            .map(|track| {
                let link = track.track_id.map(|id| member.path(&format!("/tracks/{id}")));
                let unnamed = if link.is_some() { "Deleted track" } else { "Shared covers" };
                Row::of(track.title.unwrap_or_else(|| unnamed.to_owned()), link, track.counts)
            })
            .collect(),
        variants: variants
            .into_iter()
            .map(|variant| {
                let name =
                    variant.variant.map_or_else(|| "Unknown variant".to_owned(), |index| index.to_string());
                Row::of(name, None, variant.counts)
            })
            .collect(),
        storage: largest
            .into_iter()
            .map(|track| StorageRow {
                link: member.path(&format!("/tracks/{}", track.track_id)),
                title: track.title,
                bytes: bytes(track.bytes),
            })
            .collect(),
    }))
}

impl Row {
    fn of(name: String, link: Option<String>, counts: UsageCounts) -> Self {
        Self {
            name,
            link,
            plays: count(plays(counts)),
            downloads: count(counts.downloads),
            bytes: bytes(counts.bytes),
        }
    }
}

//! Usage: listens, deliveries and storage.

mod chart;
mod drop_off;
mod export;
mod query;
mod table;

use askama::Template;
use axum::Router;
use axum::extract::State;
use axum::response::Response;
use axum::routing::get;
use tonearm_domain::{LimitOffset, ListenCounts, UsageCounts};
use tonearm_service::{Caller, DayListens, DayUsage, ListenGroup, ListenRows, UsagePeriod};

use crate::amount::{bytes, count, duration, short_duration};
use crate::app::Dashboard;
use crate::error::PageError;
use crate::form::Problems;
use crate::page::{Frame, Section, render};
use crate::path::Query;
use crate::quota::QuotaBar;
use crate::session::{Member, Viewer};
use crate::text::{Message, t};
use chart::{Bar, Chart};
use query::{Range, UsageQuery, ranges};
use table::{DeliveryRow, ListenTable, StorageRow};

/// Routes below an organization's address.
pub(crate) fn routes() -> Router<Dashboard> {
    Router::new()
        .route("/usage", get(page))
        .route("/usage/now", get(now))
        .route("/usage.csv", get(export::export))
        .route("/usage/tracks/{track_id}", get(drop_off::page))
        .route("/usage/tracks/{track_id}/drop-off.csv", get(drop_off::export))
}

#[derive(Template)]
#[template(path = "usage/usage.html")]
struct UsagePage {
    frame: Frame,
    from: String,
    to: String,
    /// The dates in the form: those of the period, or those that cannot be one.
    asked: [String; 2],
    ranges: Vec<Range>,
    problems: Problems,
    figures: Vec<Figure>,
    quotas: Vec<QuotaBar>,
    /// The part of the time heard that players reported.
    played: String,
    charts: Vec<ChartCard>,
    tables: Vec<ListenTable>,
    delivered_tracks: Vec<DeliveryRow>,
    delivered_variants: Vec<DeliveryRow>,
    storage: Vec<StorageRow>,
    is_empty: bool,
}

struct Figure {
    /// The id of its message.
    title: &'static str,
    value: String,
    /// The path that is polled for its current value, below the organization's address, if it changes while the page is
    /// open.
    live: Option<&'static str>,
}

impl Figure {
    fn new(title: &'static str, value: String) -> Self {
        Self { title, value, live: None }
    }

    fn listening_now(listeners: u64) -> Self {
        Self { live: Some("/usage/now"), ..Self::new("usage-now", count(listeners)) }
    }
}

/// The one figure that changes while the page is open: the other figures take longer to compute.
#[derive(Template)]
#[template(path = "usage/figure.html")]
struct NowPart {
    base: String,
    figure: Figure,
}

/// A chart, and the same data as a table.
struct ChartCard {
    title: Message,
    column: Message,
    drawn: String,
    rows: Vec<(String, String)>,
}

/// Rows of each table on the page; the CSV has all rows.
fn top() -> LimitOffset {
    LimitOffset::new(Some(20), None).unwrap_or_default()
}

async fn page(
    State(app): State<Dashboard>,
    member: Member<Viewer>,
    Query(query): Query<UsageQuery>,
) -> Result<Response, PageError> {
    let (caller, today) = (member.caller(), app.usage.today());
    let (period, problems) = query.period(today)?;
    let listens = app.usage.daily_listens(&caller, period).await?;
    let deliveries = app.usage.daily(&caller, period).await?;
    let storage = app.usage.storage(&caller).await?;
    let total: ListenCounts = listens.iter().map(|day| day.counts).sum();
    let delivered: UsageCounts = deliveries.iter().map(|day| day.counts).sum();
    let now = app.usage.listening_now(&caller).await?;
    let figures = [
        Figure::new("usage-listens", count(total.listens)),
        Figure::new("usage-listeners-added", count(total.listeners)),
        Figure::new("usage-heard", duration(total.heard_millis)),
        Figure::listening_now(now),
        Figure::new("usage-delivered", bytes(delivered.bytes)),
        Figure::new("usage-stored", bytes(storage.bytes)),
    ];
    let (delivered_tracks, delivered_variants) = delivered_by(&app, &member, &caller, period).await?;
    let (_, largest) = app.usage.storage_by_track(&caller, top()).await?;
    Ok(render(&UsagePage {
        frame: member.frame(t("base-usage"), Section::Usage),
        from: period.from().to_string(),
        to: period.to().to_string(),
        asked: if problems.is_none() {
            [period.from(), period.to()].map(|day| day.to_string())
        } else {
            query.into()
        },
        ranges: ranges(period, today),
        problems,
        figures: figures.into(),
        quotas: QuotaBar::all(app.library.quotas(&caller).await?),
        played: duration(total.played_millis),
        charts: charts(&listens, &deliveries),
        tables: tables(&app, &member, &caller, period).await?,
        delivered_tracks,
        delivered_variants,
        storage: StorageRow::all(&member, largest),
        is_empty: total.is_empty() && delivered.is_empty(),
    }))
}

async fn now(State(app): State<Dashboard>, member: Member<Viewer>) -> Result<Response, PageError> {
    let listeners = app.usage.listening_now(&member.caller()).await?;
    let base = member.frame(t("base-usage"), Section::Usage).base();
    Ok(render(&NowPart { base, figure: Figure::listening_now(listeners) }))
}

fn charts(listens: &[DayListens], deliveries: &[DayUsage]) -> Vec<ChartCard> {
    let of_listens = |value: fn(ListenCounts) -> u64| {
        listens.iter().map(|day| (day.day.to_string(), value(day.counts))).collect::<Vec<_>>()
    };
    let delivered = deliveries.iter().map(|day| (day.day.to_string(), day.counts.bytes)).collect();
    vec![
        ChartCard::new(
            t("usage-listens-per-day"),
            t("usage-listens"),
            of_listens(|counts| counts.listens),
            [count; 2],
        ),
        ChartCard::new(
            t("usage-listeners-per-day"),
            t("usage-listeners"),
            of_listens(|counts| counts.listeners),
            [count; 2],
        ),
        ChartCard::new(
            t("usage-heard-per-day"),
            t("usage-heard"),
            of_listens(|counts| counts.heard_millis),
            [duration, short_duration],
        ),
        ChartCard::new(t("usage-delivered-per-day"), t("usage-delivered"), delivered, [bytes; 2]),
    ]
}

impl ChartCard {
    fn new(
        title: Message,
        column: Message,
        values: Vec<(String, u64)>,
        [format_value, format_axis]: [fn(u64) -> String; 2],
    ) -> Self {
        let rows = values.iter().rev().map(|(label, value)| (label.clone(), format_value(*value))).collect();
        let bars = values.into_iter().map(|(label, value)| Bar { label, value, text: format_value(value) });
        let drawn = Chart::new(title.to_string(), bars.collect(), format_axis).drawn();
        Self { title, column, drawn, rows }
    }
}

/// The tables of the most listens, by every group except days.
async fn tables(
    app: &Dashboard,
    member: &Member<Viewer>,
    caller: &Caller,
    period: UsagePeriod,
) -> Result<Vec<ListenTable>, PageError> {
    let mut tables = Vec::new();
    for group in ListenGroup::ALL.into_iter().filter(|group| *group != ListenGroup::Day) {
        let report = app.usage.listens(caller, period, group, top()).await?;
        // Most services have no country database.
        let is_shown = group != ListenGroup::Country || report.count > 0;
        if let ListenRows::Subjects(rows) = report.rows
            && is_shown
        {
            tables.push(ListenTable::new(member, group, report.count, rows));
        }
    }
    Ok(tables)
}

async fn delivered_by(
    app: &Dashboard,
    member: &Member<Viewer>,
    caller: &Caller,
    period: UsagePeriod,
) -> Result<(Vec<DeliveryRow>, Vec<DeliveryRow>), PageError> {
    let (_, tracks) = app.usage.by_track(caller, period, top()).await?;
    let (_, variants) = app.usage.by_variant(caller, period, top()).await?;
    let tracks = tracks.into_iter().map(|track| DeliveryRow::of_track(member, track));
    Ok((tracks.collect(), variants.into_iter().map(DeliveryRow::of_variant).collect()))
}

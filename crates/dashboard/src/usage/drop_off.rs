//! How far listeners get in a track.

use std::fmt::Write;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use tonearm_domain::TrackId;
use tonearm_service::DropOff;

use super::chart::{Bar, Chart};
use super::export::saved_as;
use crate::amount::{clock, count};
use crate::app::Dashboard;
use crate::error::PageError;
use crate::page::{Frame, Section, render};
use crate::path::PathId;
use crate::session::{Member, Viewer};
use crate::text::t;

#[derive(Template)]
#[template(path = "usage/drop_off.html")]
struct DropOffPage {
    frame: Frame,
    title: String,
    track: String,
    csv: String,
    listens: u64,
    is_empty: bool,
    chart: String,
    rows: Vec<Row>,
}

/// A part of the track.
struct Row {
    from: String,
    to: String,
    listens: String,
    share: String,
}

pub(super) async fn page(
    State(app): State<Dashboard>,
    member: Member<Viewer>,
    PathId(id): PathId<TrackId>,
) -> Result<Response, PageError> {
    let drop_off = app.usage.drop_off(&member.caller(), id).await?;
    let rows = rows(&drop_off);
    let bars = rows.iter().zip(&drop_off.parts).map(|(row, part)| Bar {
        label: row.from.clone(),
        value: *part,
        text: row.listens.clone(),
    });
    let chart = Chart::new(t("usage-listens-by-part").into(), bars.collect(), count);
    let chart = chart.along(&drop_off.levels).drawn();
    Ok(render(&DropOffPage {
        frame: member.frame(t("track-drop-off"), Section::Usage),
        track: member.path(&format!("/tracks/{id}")),
        csv: member.path(&format!("/usage/tracks/{id}/drop-off.csv")),
        title: drop_off.title,
        listens: drop_off.listens,
        is_empty: drop_off.listens == 0,
        chart,
        rows,
    }))
}

/// The same data as a file, with times in seconds.
pub(super) async fn export(
    State(app): State<Dashboard>,
    member: Member<Viewer>,
    PathId(id): PathId<TrackId>,
) -> Result<Response, PageError> {
    let drop_off = app.usage.drop_off(&member.caller(), id).await?;
    let mut csv = "from_seconds,to_seconds,listens\r\n".to_owned();
    for (number, listens) in drop_off.parts.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ =
            write!(csv, "{:.3},{:.3},{listens}\r\n", begin(&drop_off, number), begin(&drop_off, number + 1));
    }
    Ok(saved_as(&format!("drop-off-{id}-{}.csv", app.usage.today()), csv))
}

/// The second at which a part begins, which is where the previous one ends.
fn begin(drop_off: &DropOff, part: usize) -> f64 {
    drop_off.duration * part as f64 / drop_off.parts.len() as f64
}

fn rows(drop_off: &DropOff) -> Vec<Row> {
    let at = |part| clock(begin(drop_off, part));
    let row = |(number, part): (usize, &u64)| Row {
        from: at(number),
        to: at(number + 1),
        listens: count(*part),
        share: format!("{} %", (part * 100).checked_div(drop_off.listens).unwrap_or(0)),
    };
    drop_off.parts.iter().enumerate().map(row).collect()
}

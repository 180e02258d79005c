//! Themes that were set explicitly, in addition to those found in covers; the tags that players show; and what callers
//! record on play sessions.

use super::prelude::*;
use sea_orm::{DatabaseTransaction, FromQueryResult, JsonValue, Order};
use tonearm_domain::{TrackInfo, shown_title, sort_title};
use uuid::Uuid;

use super::pieces::add;

/// Tracks that are read per batch.
const BATCH: u64 = 500;

pub(super) struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        for table in ["organization", "collection", "track"] {
            add(db, table, ColumnDef::new("own_theme").json_binary().null().take()).await?;
        }
        for tag in ["title_tag", "artist_tag"] {
            add(db, "track", ColumnDef::new(tag).text().null().take()).await?;
        }
        add(db, "play_session", ColumnDef::new("organization_index").text().null().take()).await?;
        let metadata = ColumnDef::new("metadata").json_binary().not_null().default("{}").take();
        add(db, "play_session", metadata).await?;
        own_themes_of_organizations(db).await?;
        note_tags(db).await
    }
}

#[derive(FromQueryResult)]
struct Coloured {
    id: Uuid,
    theme: JsonValue,
}

/// Only a cover provides colours by itself, so an organization without a cover was given its theme explicitly.
async fn own_themes_of_organizations(db: &DatabaseTransaction) -> Result<(), DbErr> {
    let select = Query::select()
        .columns(["id", "theme"])
        .from("organization")
        .and_where(Expr::col("cover_version").is_null())
        .take();
    let none = JsonValue::Array(Vec::new());
    for row in db.query_all(&select).await? {
        let Coloured { id, theme } = Coloured::from_query_result(&row, "")?;
        if theme == none {
            continue;
        }
        let update = Query::update()
            .table("organization")
            .value("own_theme", theme)
            .value("theme", none.clone())
            .and_where(Expr::col("id").eq(id))
            .take();
        db.execute(&update).await?;
    }
    Ok(())
}

#[derive(FromQueryResult)]
struct Tagged {
    id: Uuid,
    file_name: String,
    info: JsonValue,
    player_title: Option<String>,
}

/// Reads tracks in the order of their ids, so that the loop ends whatever the table contains.
async fn note_tags(db: &DatabaseTransaction) -> Result<(), DbErr> {
    let mut after = Uuid::nil();
    loop {
        let select = Query::select()
            .columns(["id", "file_name", "info", "player_title"])
            .from("track")
            .and_where(Expr::col("id").gt(after))
            .order_by("id", Order::Asc)
            .limit(BATCH)
            .take();
        let rows = db.query_all(&select).await?;
        for row in &rows {
            let track = Tagged::from_query_result(row, "")?;
            after = track.id;
            let info: TrackInfo = serde_json::from_value(track.info).unwrap_or_default();
            let (title, artist) = (info.title_tag(), info.artist_tag());
            if title.is_none() && artist.is_none() {
                continue;
            }
            let shown = shown_title(track.player_title.as_deref(), title, &track.file_name);
            let update = Query::update()
                .table("track")
                .value("title_tag", title)
                .value("artist_tag", artist)
                .value("sort_title", sort_title(shown))
                .and_where(Expr::col("id").eq(track.id))
                .take();
            db.execute(&update).await?;
        }
        if rows.is_empty() {
            return Ok(());
        }
    }
}

//! Texts that are searched and sorted by are folded again: letters with several spellings now have one.

use super::prelude::*;
use sea_orm::{DatabaseTransaction, Order};
use tonearm_domain::{search_text, sort_title};
use uuid::Uuid;

use super::backfill::{BATCH, key};
use super::step::{Batch, InBatches, Step};

pub(super) fn step() -> Step {
    folding("m0072_folding")
}

/// A step that folds all texts again.
pub(super) fn folding(name: &'static str) -> Step {
    // What the previous version writes meanwhile is folded again when its record next changes.
    let titles = |table| Folded { table, id: "id", column: "sort_title", fold: sort_title };
    let texts =
        Folded { table: "track_search", id: "track_id", column: "text", fold: |text| search_text([text]) };
    Step::expand(name).batches(texts).batches(titles("track")).batches(titles("collection"))
}

struct Folded {
    table: &'static str,
    /// A column with a unique index.
    id: &'static str,
    column: &'static str,
    /// Folding what was folded once more gives the text that folding the original gives now.
    fold: fn(&str) -> String,
}

#[async_trait]
impl InBatches for Folded {
    fn table(&self) -> &'static str {
        self.table
    }

    async fn next(&self, db: &DatabaseTransaction, position: Option<&str>) -> Result<Batch, DbErr> {
        let select = Query::select()
            .columns([self.id, self.column])
            .from(self.table)
            .and_where(Expr::col(self.id).gt(key(position)?))
            .order_by(self.id, Order::Asc)
            .limit(BATCH)
            .take();
        let rows = db.query_all(&select).await?;
        let mut last = None;
        for row in &rows {
            let (id, text): (Uuid, String) = (row.try_get("", self.id)?, row.try_get("", self.column)?);
            last = Some(id);
            let folded = (self.fold)(&text);
            if folded != text {
                let update = Query::update()
                    .table(self.table)
                    .value(self.column, folded)
                    .and_where(Expr::col(self.id).eq(id))
                    // Another version may have changed it meanwhile.
                    .and_where(Expr::col(self.column).eq(text))
                    .take();
                db.execute(&update).await?;
            }
        }
        let count = rows.len() as u64;
        let position = last.filter(|_| count == BATCH).map(|last| last.to_string());
        Ok(Batch { rows: count, position })
    }
}

//! Which variants keys and play sessions may list: NULL for all, otherwise an array that names at least one.
//!
//! Before this step, an empty array meant "all", even where a session had become empty because none of the variants
//! that its key named could be listed. Keys keep the meaning that they had when they were created. For sessions with an
//! empty array, it is no longer known whether their key was limited. Therefore the sessions that a limited key may have
//! created are ended, which costs a player a new session; the others continue with all variants. The old column is
//! dropped: a node of an earlier version must fail instead of writing a session that this version reads as "all".

use super::prelude::*;

use super::pieces::add;

pub(super) struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        db.execute(&end_doubtful_sessions()).await?;
        for table in ["api_key", "play_session"] {
            add(db, table, ColumnDef::new("selection").json_binary().null().take()).await?;
            let copy = Query::update()
                .table(table)
                .value("selection", Expr::col("variants"))
                .and_where(Expr::col("variants").ne(empty()))
                .take();
            db.execute(&copy).await?;
            db.execute(&Table::alter().table(table).drop_column("variants").take()).await?;
        }
        Ok(())
    }
}

fn empty() -> SimpleExpr {
    serde_json::json!([]).into()
}

/// Removes the sessions without variants that a key with variants could have created.
fn end_doubtful_sessions() -> DeleteStatement {
    let key = |column: &'static str| Expr::col(("api_key", column));
    let session = |column: &'static str| Expr::col(("play_session", column));
    let limited = Query::select()
        .expr(Expr::val(1))
        .from("api_key")
        .and_where(key("organization_id").eq(session("organization_id")))
        .and_where(key("api_key_type_id").is_in(["api", "player"]))
        .and_where(key("variants").ne(empty()))
        .and_where(key("collection_id").is_null().or(key("collection_id").eq(session("collection_id"))))
        .and_where(key("track_id").is_null().or(key("track_id").eq(session("track_id"))))
        .take();
    Query::delete()
        .from_table("play_session")
        .and_where(session("variants").eq(empty()))
        .and_where(Expr::exists(limited))
        .take()
}

//! The positions of uploaded tracks on their albums. The tracks of one upload session are put in that order.

use super::prelude::*;

use super::pieces::{add, index};
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0028_album_places").change(Migration).index(placed_uploads())
}

fn placed_uploads() -> IndexCreateStatement {
    let mut index = index("track", &["upload_session_id", "album", "id"]);
    index
        .name("placed_track_by_upload_session_id_album_id")
        .and_where(Expr::col("album_place").is_not_null())
        .take()
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        // Tracks that the previous version processes have no position, and are not moved.
        add(db, "track", ColumnDef::new("album").text().null().take()).await?;
        add(db, "track", ColumnDef::new("album_place").big_integer().null().take()).await
    }
}

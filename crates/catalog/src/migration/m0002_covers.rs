//! Covers of collections and organizations.

use super::prelude::*;
use sea_orm::{FromQueryResult, Order};
use tonearm_domain::ShortId;
use uuid::Uuid;

use super::pieces::add;

pub(super) struct Migration;

#[derive(FromQueryResult)]
struct Id {
    id: Uuid,
}

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        let folder = ColumnDef::new("folder").text().not_null().default("").take();
        add(db, "organization", folder).await?;
        for table in ["organization", "collection"] {
            for column in ["cover_version", "cover_origin"] {
                add(db, table, ColumnDef::new(column).text().null().take()).await?;
            }
            db.execute(&by_cover_version(table)).await?;
        }
        give_folders(db).await
    }
}

fn by_cover_version(table: &'static str) -> IndexCreateStatement {
    Index::create()
        .name(format!("{table}_by_cover_version"))
        .table(table)
        .col("cover_version")
        .and_where(Expr::col("cover_version").is_not_null())
        .take()
}

/// Gives each existing organization a folder made of the random end of its id, which is as good as a newly generated
/// one.
async fn give_folders(db: &DatabaseTransaction) -> Result<(), DbErr> {
    let select = Query::select().column("id").from("organization").order_by("id", Order::Asc).take();
    for row in db.query_all(&select).await? {
        let Id { id } = Id::from_query_result(&row, "")?;
        let folder = ShortId::from_random(id.as_u64_pair().1.to_be_bytes());
        let update = Query::update()
            .table("organization")
            .value("folder", folder.to_string())
            .and_where(Expr::col("id").eq(id))
            .take();
        db.execute(&update).await?;
    }
    Ok(())
}

//! Whose replaced objects are, and their sizes: they count for the quota until they are removed.

use super::columns::uuid_null;
use super::prelude::*;

use super::pieces::{add, index};
use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0093_replaced_bytes").change(Migration)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        // Null and 0 in rows of the previous version, which are gone after a day.
        add(db, "replaced_object", uuid_null("organization_id")).await?;
        let bytes = ColumnDef::new("bytes").big_integer().not_null().default(0).take();
        add(db, "replaced_object", bytes).await?;
        // The table is small: what is in it is removed within a day.
        db.execute(&index("replaced_object", &["organization_id"])).await.map(|_| ())
    }
}

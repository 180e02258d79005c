//! People who may not sign in, the creators of invitations, and the pages from which a key may be used.

use super::prelude::*;

use super::pieces::{add, index};
use super::step::Step;

pub(super) fn step() -> Step {
    let revoked = index("api_key", &["organization_id", "id"])
        .name("revoked_api_key_by_organization_id_id")
        .and_where(Expr::col("revoked_at").is_not_null())
        .take();
    let unrevoked = index("api_key", &["organization_id", "id"])
        .name("unrevoked_api_key_by_organization_id_id")
        .and_where(Expr::col("revoked_at").is_null())
        .take();
    let expiring = index("api_key", &["organization_id", "expires_at", "id"])
        .name("expiring_api_key_by_organization_id_expires_at_id")
        .and_where(Expr::col("revoked_at").is_null())
        .and_where(Expr::col("expires_at").is_not_null())
        .take();
    Step::expand("m0040_people_and_keys")
        .change(Migration)
        .index(index("invitation", &["created_by"]))
        .index(revoked)
        .index(unrevoked)
        .index(expiring)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        // Until it is replaced, the previous version lets people in whom this one has disabled.
        add(db, "person", ColumnDef::new("disabled_at").big_integer().null().take()).await?;
        add(db, "invitation", ColumnDef::new("created_by").uuid().null().take()).await?;
        add(db, "api_key", ColumnDef::new("allowed_origins").json_binary().null().take()).await
    }
}

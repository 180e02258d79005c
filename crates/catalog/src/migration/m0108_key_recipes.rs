//! The recipes of the keys that earlier versions made.

use sea_orm::DbBackend;

use super::prelude::*;

use super::step::Step;

pub(super) fn step() -> Step {
    Step::expand("m0108_key_recipes").change(Migration)
}

struct Migration;

#[async_trait]
impl Change for Migration {
    async fn apply(&self, db: &DatabaseTransaction) -> Result<(), DbErr> {
        let is_postgres = db.get_database_backend() == DbBackend::Postgres;
        if is_postgres {
            // No variant is renamed between reading its name and writing its id.
            db.execute_unprepared("LOCK TABLE variant IN SHARE MODE").await?;
        }
        let (object, id, names) = match is_postgres {
            true => (
                "jsonb_object_agg",
                "id",
                "jsonb_array_elements_text(CASE jsonb_typeof(api_key.selection) WHEN 'array' THEN api_key.selection \
                 ELSE '[]' END) AS names(value)",
            ),
            false => (
                "json_group_object",
                "lower(hex(id))",
                "json_each(CASE WHEN json_valid(api_key.selection) THEN api_key.selection ELSE '[]' END) AS names",
            ),
        };
        // Null in rows that the previous version writes: those are compared by name.
        let update = format!(
            "UPDATE api_key SET recipes = (SELECT COALESCE({object}(value, (SELECT {id} FROM variant \
             WHERE variant.organization_id = api_key.organization_id AND track_id IS NULL \
             AND variant.deleted_at IS NULL AND \"index\" = value)), '{{}}') FROM {names}) WHERE selection IS NOT NULL"
        );
        db.execute_unprepared(&update).await?;
        Ok(())
    }
}

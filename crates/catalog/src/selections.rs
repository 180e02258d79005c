//! The names of variants in the selections of keys and play sessions. A right is to a recipe: when its name changes, the
//! selections follow in the same transaction, so that the freed name never opens another recipe.

use sea_orm::{ConnectionTrait, DbBackend, Statement};
use tonearm_domain::{OrganizationId, VariantIndex};

use crate::changes::Change;
use crate::error::CatalogError;
use crate::transaction::Transaction;

impl Transaction {
    /// Renames a variant in the selections of an organization. What listed the new name is not about this recipe and
    /// loses it. Call it under the lock of the recipes.
    pub async fn rename_in_selections(
        &self,
        organization: OrganizationId,
        from: &VariantIndex,
        to: &VariantIndex,
    ) -> Result<(), CatalogError> {
        self.remove_from_selections(organization, to).await?;
        self.change_selections(organization, from, Some(to)).await
    }

    /// Removes a name from the selections of an organization. A selection that has none left selects nothing. Call it
    /// under the lock of the recipes.
    pub async fn remove_from_selections(
        &self,
        organization: OrganizationId,
        name: &VariantIndex,
    ) -> Result<(), CatalogError> {
        self.change_selections(organization, name, None).await
    }

    async fn change_selections(
        &self,
        organization: OrganizationId,
        from: &VariantIndex,
        to: Option<&VariantIndex>,
    ) -> Result<(), CatalogError> {
        let tables = [("api_key", Change::ApiKeys(organization)), ("play_session", Change::PlaySessions)];
        let backend = self.db().get_database_backend();
        let (lists, changed) = match backend {
            DbBackend::Postgres => (LISTS_POSTGRES, CHANGED_POSTGRES),
            _ => (LISTS_SQLITE, CHANGED_SQLITE),
        };
        for (table, change) in tables {
            let sql =
                format!("UPDATE {table} SET selection = {changed} WHERE organization_id = $1 AND {lists}");
            let values =
                [organization.uuid().into(), from.as_str().into(), to.map(VariantIndex::as_str).into()];
            let statement = Statement::from_sql_and_values(backend, sql, values);
            if self.db().execute_raw(statement).await?.rows_affected() > 0 {
                self.note(change);
            }
        }
        Ok(())
    }
}

const LISTS_SQLITE: &str = "EXISTS (SELECT 1 FROM json_each(CASE WHEN json_valid(selection) THEN selection ELSE '[]' END) \
                            WHERE value = $2)";
const CHANGED_SQLITE: &str = "(SELECT json_group_array(CASE value WHEN $2 THEN $3 ELSE value END) \
                              FROM json_each(selection) WHERE value <> $2 OR $3 IS NOT NULL)";
const LISTS_POSTGRES: &str = "selection @> to_jsonb(CAST($2 AS text))";
const CHANGED_POSTGRES: &str = "COALESCE((SELECT jsonb_agg(CASE name WHEN $2 THEN CAST($3 AS text) ELSE name END \
                                ORDER BY place) FROM jsonb_array_elements_text(selection) \
                                WITH ORDINALITY AS listed(name, place) \
                                WHERE name <> $2 OR CAST($3 AS text) IS NOT NULL), '[]')";

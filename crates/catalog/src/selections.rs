//! The names of variants in the selections of keys and play sessions. A right is to a recipe: when its name changes, the
//! selections follow in the same transaction, so that the freed name never opens another recipe.
//!
//! Keys and play sessions also have the ids of the recipes that they list: nodes read them and the files of tracks at
//! different times. The names in keys are rewritten, beside the ids as well. There may be very many play sessions, with much
//! metadata, which get the names when they are read; only those that a version without the ids opened are rewritten.

use std::collections::HashMap;

use sea_orm::prelude::Json;
use sea_orm::{ConnectionTrait, DbBackend, QuerySelect, Statement};
use tonearm_domain::{
    NamedRecipes, OrganizationId, PlaySession, Selection, VariantId, VariantIndex, VariantList,
};
use uuid::Uuid;

use crate::changes::Change;
use crate::column::{decoded, encoded, parsed};
use crate::entity::{play_session, variant};
use crate::error::CatalogError;
use crate::recipes::of_organization;
use crate::transaction::Transaction;

/// The names of an organization's recipes.
pub(crate) struct RecipeNames(HashMap<VariantId, VariantIndex>);

impl RecipeNames {
    pub(crate) async fn read(
        db: &impl ConnectionTrait,
        organization: OrganizationId,
    ) -> Result<Self, CatalogError> {
        let select = of_organization(organization).select_only();
        let columns = select.columns([variant::Column::Id, variant::Column::Index]);
        let rows: Vec<(Uuid, String)> = columns.into_tuple().all(db).await?;
        let named =
            |(id, name): (Uuid, String)| Ok((VariantId::from_uuid(id), parsed("variant.index", &name)?));
        rows.into_iter().map(named).collect::<Result<_, CatalogError>>().map(Self)
    }

    /// The session with the names that its variants have now.
    pub(crate) fn session(&self, row: play_session::Model) -> Result<PlaySession, CatalogError> {
        const COLUMN: &str = "play_session.recipes";
        let ids: Option<Vec<Option<Uuid>>> =
            row.recipes.clone().map(|json| decoded(COLUMN, json)).transpose()?;
        let mut session = PlaySession::try_from(row)?;
        // A node of a version without these ids has rewritten the names if there are fewer.
        if let (Some(ids), Selection::Only(names)) = (ids, &session.variants)
            && ids.len() == names.len()
        {
            let (mut listed, mut recipes) = (Vec::new(), Vec::new());
            for (name, id) in names.iter().zip(ids) {
                match id.map(VariantId::from_uuid) {
                    Some(id) => {
                        let Some(name) = self.0.get(&id) else { continue };
                        recipes.push((name.clone(), id));
                        listed.push(name.clone());
                    }
                    // What has the name of a recipe now was another variant then.
                    None if self.0.values().any(|taken| taken == name) => {}
                    None => listed.push(name.clone()),
                }
            }
            session.variants = Selection::Only(VariantList::from(listed));
            session.recipes = NamedRecipes::of(recipes);
        }
        Ok(session)
    }
}

/// The recipes of a session for their column: for each variant that it lists, the id of its recipe or null.
pub(crate) fn recipes_json(session: &PlaySession) -> Result<Option<Json>, CatalogError> {
    let (Some(names), true) = (session.variants.only(), session.recipes.are_known()) else { return Ok(None) };
    let ids = names.iter().map(|name| session.recipes.id(name).map(VariantId::uuid));
    encoded("play_session.recipes", &ids.collect::<Vec<_>>()).map(Some)
}

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
        let backend = self.db().get_database_backend();
        let (lists, changed, recipes) = match backend {
            DbBackend::Postgres => (LISTS_POSTGRES, CHANGED_POSTGRES, RECIPES_POSTGRES),
            _ => (LISTS_SQLITE, CHANGED_SQLITE, RECIPES_SQLITE),
        };
        let without_ids = "AND recipes IS NULL AND selection IS NOT NULL";
        let tables = [
            ("api_key", format!(", recipes = {recipes}"), "", Change::ApiKeys(organization)),
            ("play_session", String::new(), without_ids, Change::PlaySessions),
        ];
        for (table, also, and, change) in tables {
            let sql = format!(
                "UPDATE {table} SET selection = {changed}{also} WHERE organization_id = $1 {and} AND {lists}"
            );
            let values =
                [organization.uuid().into(), from.as_str().into(), to.map(VariantIndex::as_str).into()];
            let statement = Statement::from_sql_and_values(backend, sql, values);
            self.db().execute_raw(statement).await?;
            self.note(change);
        }
        Ok(())
    }
}

const LISTS_SQLITE: &str = "EXISTS (SELECT 1 FROM json_each(CASE WHEN json_valid(selection) THEN selection ELSE '[]' END) \
                            WHERE value = $2)";
const CHANGED_SQLITE: &str = "(SELECT json_group_array(CASE value WHEN $2 THEN $3 ELSE value END) \
                              FROM json_each(selection) WHERE value <> $2 OR $3 IS NOT NULL)";
const RECIPES_SQLITE: &str = "CASE WHEN json_valid(recipes) THEN CASE WHEN json_type(recipes) <> 'object' THEN recipes \
                              WHEN $3 IS NULL THEN json_remove(recipes, '$.\"' || $2 || '\"') \
                              ELSE json_set(json_remove(recipes, '$.\"' || $2 || '\"'), '$.\"' || $3 || '\"', \
                              json_extract(recipes, '$.\"' || $2 || '\"')) END ELSE recipes END";
const LISTS_POSTGRES: &str = "selection @> to_jsonb(CAST($2 AS text))";
const CHANGED_POSTGRES: &str = "COALESCE((SELECT jsonb_agg(CASE name WHEN $2 THEN CAST($3 AS text) ELSE name END \
                                ORDER BY place) FROM jsonb_array_elements_text(selection) \
                                WITH ORDINALITY AS listed(name, place) \
                                WHERE name <> $2 OR CAST($3 AS text) IS NOT NULL), '[]')";
const RECIPES_POSTGRES: &str = "CASE WHEN jsonb_typeof(recipes) <> 'object' THEN recipes \
                                WHEN CAST($3 AS text) IS NULL THEN recipes - CAST($2 AS text) \
                                ELSE (recipes - CAST($2 AS text)) \
                                || jsonb_build_object(CAST($3 AS text), recipes -> CAST($2 AS text)) END";

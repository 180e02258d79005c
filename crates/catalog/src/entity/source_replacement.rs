//! Rows of `source_replacement`.

use sea_orm::Set;
use sea_orm::entity::prelude::*;
use tonearm_domain::{
    ApiKeyId, OrganizationId, PersonId, Replacement, ReplacementId, ReplacementState, TextChanges, TrackId,
};

use super::track::source;
use crate::column::{byte_count, corrupt, decoded, encoded, foreign_text, moment};
use crate::error::CatalogError;

const TEXT_CHANGES: &str = "source_replacement.text_changes";

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "source_replacement")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub track_id: Uuid,
    pub id: Uuid,
    pub organization_id: Uuid,
    pub state: String,
    pub reason: Option<String>,
    pub file_name: Option<String>,
    pub source_key: Option<String>,
    pub source_size: Option<i64>,
    pub source_sha256: Option<Vec<u8>>,
    pub created_at: i64,
    pub expires_at: i64,
    pub person_id: Option<Uuid>,
    pub api_key_id: Option<Uuid>,
    pub former_file_name: Option<String>,
    pub text_changes: Option<Json>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl TryFrom<Model> for Replacement {
    type Error = CatalogError;

    fn try_from(row: Model) -> Result<Self, CatalogError> {
        Ok(Self {
            id: ReplacementId::from_uuid(row.id),
            organization_id: OrganizationId::from_uuid(row.organization_id),
            track_id: TrackId::from_uuid(row.track_id),
            state: ReplacementState::from_text(&row.state)
                .ok_or_else(|| corrupt("source_replacement.state"))?,
            reason: row.reason,
            file_name: row.file_name,
            source: source(row.source_key.as_deref(), row.source_size, row.source_sha256)?,
            former_file_name: row.former_file_name,
            text_changes: row
                .text_changes
                .map_or(Ok(TextChanges::default()), |json| decoded(TEXT_CHANGES, json))?,
            created_at: moment("source_replacement.created_at", row.created_at)?,
            expires_at: moment("source_replacement.expires_at", row.expires_at)?,
            person_id: row.person_id.map(PersonId::from_uuid),
            api_key_id: row.api_key_id.map(ApiKeyId::from_uuid),
        })
    }
}

impl TryFrom<&Replacement> for ActiveModel {
    type Error = CatalogError;

    fn try_from(replacement: &Replacement) -> Result<Self, CatalogError> {
        let source = replacement.source.as_ref();
        Ok(Self {
            track_id: Set(replacement.track_id.uuid()),
            id: Set(replacement.id.uuid()),
            organization_id: Set(replacement.organization_id.uuid()),
            state: Set(replacement.state.as_str().to_owned()),
            reason: Set(replacement.reason.as_deref().map(foreign_text)),
            file_name: Set(replacement.file_name.as_deref().map(foreign_text)),
            source_key: Set(source.map(|source| source.key.to_string())),
            source_size: Set(source.map(|source| byte_count(source.size))),
            source_sha256: Set(source.map(|source| source.sha256.to_vec())),
            created_at: Set(replacement.created_at.unix_millis()),
            expires_at: Set(replacement.expires_at.unix_millis()),
            person_id: Set(replacement.person_id.map(PersonId::uuid)),
            api_key_id: Set(replacement.api_key_id.map(ApiKeyId::uuid)),
            former_file_name: Set(replacement.former_file_name.as_deref().map(foreign_text)),
            text_changes: Set(Some(encoded(TEXT_CHANGES, &replacement.text_changes)?)),
        })
    }
}

//! Rows of `upload_session`.

use sea_orm::Set;
use sea_orm::entity::prelude::*;
use tonearm_domain::{
    ApiKeyId, CollectionId, CreatorId, OrganizationId, PersonId, SessionHandle, UploadSession,
    UploadSessionId,
};

use crate::column::{CallerJson, metadata, metadata_json, moment};
use crate::error::CatalogError;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "upload_session")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub creator_id: Option<Uuid>,
    pub collection_id: Uuid,
    pub organization_index: Option<String>,
    pub metadata: CallerJson,
    pub expires_at: i64,
    pub person_id: Option<Uuid>,
    pub api_key_id: Option<Uuid>,
    pub handle: Option<Uuid>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl TryFrom<Model> for UploadSession {
    type Error = CatalogError;

    fn try_from(row: Model) -> Result<Self, CatalogError> {
        Ok(Self {
            id: UploadSessionId::from_uuid(row.id),
            organization_id: OrganizationId::from_uuid(row.organization_id),
            creator_id: row.creator_id.map(CreatorId::from_uuid),
            collection_id: CollectionId::from_uuid(row.collection_id),
            organization_index: row.organization_index,
            metadata: metadata("upload_session.metadata", None, row.metadata),
            expires_at: moment("upload_session.expires_at", row.expires_at)?,
            person_id: row.person_id.map(PersonId::from_uuid),
            api_key_id: row.api_key_id.map(ApiKeyId::from_uuid),
            handle: row.handle.map(SessionHandle::from_uuid),
        })
    }
}

impl From<&UploadSession> for ActiveModel {
    fn from(session: &UploadSession) -> Self {
        Self {
            id: Set(session.id.uuid()),
            organization_id: Set(session.organization_id.uuid()),
            creator_id: Set(session.creator_id.map(CreatorId::uuid)),
            collection_id: Set(session.collection_id.uuid()),
            organization_index: Set(session.organization_index.clone()),
            metadata: metadata_json(&session.metadata),
            expires_at: Set(session.expires_at.unix_millis()),
            person_id: Set(session.person_id.map(PersonId::uuid)),
            api_key_id: Set(session.api_key_id.map(ApiKeyId::uuid)),
            handle: Set(session.handle.map(SessionHandle::uuid)),
        }
    }
}

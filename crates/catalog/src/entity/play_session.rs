//! Rows of `play_session`.

use sea_orm::Set;
use sea_orm::entity::prelude::*;
use tonearm_domain::{
    ApiKeyId, CollectionId, CreatorId, NamedRecipes, OrganizationId, PlaySession, PlaySessionId,
    SessionHandle, TrackId,
};

use crate::column::{CallerJson, metadata, metadata_json, moment, selection, selection_json};
use crate::error::CatalogError;
use crate::selections::recipes_json;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "play_session")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub creator_id: Option<Uuid>,
    pub collection_id: Uuid,
    pub track_id: Option<Uuid>,
    pub selection: Option<Json>,
    pub is_downloadable: bool,
    pub expires_at: i64,
    pub organization_index: Option<String>,
    pub metadata: CallerJson,
    pub api_key_id: Option<Uuid>,
    pub handle: Option<Uuid>,
    pub recipes: Option<Json>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

/// The session with the names that its variants had when it was opened; see [`crate::selections`].
impl TryFrom<Model> for PlaySession {
    type Error = CatalogError;

    fn try_from(row: Model) -> Result<Self, CatalogError> {
        Ok(Self {
            id: PlaySessionId::from_uuid(row.id),
            organization_id: OrganizationId::from_uuid(row.organization_id),
            creator_id: row.creator_id.map(CreatorId::from_uuid),
            collection_id: CollectionId::from_uuid(row.collection_id),
            track_id: row.track_id.map(TrackId::from_uuid),
            variants: selection("play_session.selection", row.selection)?,
            recipes: NamedRecipes::UNKNOWN,
            organization_index: row.organization_index,
            metadata: metadata("play_session.metadata", None, row.metadata),
            is_downloadable: row.is_downloadable,
            expires_at: moment("play_session.expires_at", row.expires_at)?,
            api_key_id: row.api_key_id.map(ApiKeyId::from_uuid),
            handle: row.handle.map(SessionHandle::from_uuid),
        })
    }
}

impl TryFrom<&PlaySession> for ActiveModel {
    type Error = CatalogError;

    fn try_from(session: &PlaySession) -> Result<Self, CatalogError> {
        Ok(Self {
            id: Set(session.id.uuid()),
            organization_id: Set(session.organization_id.uuid()),
            creator_id: Set(session.creator_id.map(CreatorId::uuid)),
            collection_id: Set(session.collection_id.uuid()),
            track_id: Set(session.track_id.map(TrackId::uuid)),
            selection: Set(selection_json("play_session.selection", &session.variants)?),
            is_downloadable: Set(session.is_downloadable),
            expires_at: Set(session.expires_at.unix_millis()),
            organization_index: Set(session.organization_index.clone()),
            metadata: metadata_json(&session.metadata),
            api_key_id: Set(session.api_key_id.map(ApiKeyId::uuid)),
            handle: Set(session.handle.map(SessionHandle::uuid)),
            recipes: Set(recipes_json(session)?),
        })
    }
}

//! Rows of `upload`.

use sea_orm::Set;
use sea_orm::entity::prelude::*;
use tonearm_domain::{
    ApiKeyId, OrganizationId, PersonId, ReplacementId, TrackId, Upload, UploadId, UploadKind, UploadOpener,
    UploadState,
};

use crate::column::{byte_count, corrupt, moment, parsed, parsed_if_set, size};
use crate::error::CatalogError;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "upload")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub id: Uuid,
    pub organization_id: Uuid,
    pub track_id: Option<Uuid>,
    pub replacement_id: Option<Uuid>,
    pub kind: String,
    pub is_complete: bool,
    pub folder: String,
    pub version: String,
    pub length: Option<i64>,
    pub offset: i64,
    pub sha256: Option<Vec<u8>>,
    pub metadata: Option<String>,
    pub draft: String,
    pub object_key: Option<String>,
    pub created_at: i64,
    pub expires_at: i64,
    /// The lease of the writer.
    pub lease_id: Option<Uuid>,
    pub leased_until: Option<i64>,
    /// Whether another writer waits for the lease.
    pub is_wanted: bool,
    pub api_key_id: Option<Uuid>,
    pub person_id: Option<Uuid>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl TryFrom<Model> for Upload {
    type Error = CatalogError;

    fn try_from(row: Model) -> Result<Self, CatalogError> {
        let sha256 = row.sha256.map(|sha256| sha256.try_into().map_err(|_| corrupt("upload.sha256")));
        Ok(Self {
            id: UploadId::from_uuid(row.id),
            organization_id: OrganizationId::from_uuid(row.organization_id),
            track_id: row.track_id.map(TrackId::from_uuid),
            replacement_id: row.replacement_id.map(ReplacementId::from_uuid),
            opener: UploadOpener {
                api_key_id: row.api_key_id.map(ApiKeyId::from_uuid),
                person_id: row.person_id.map(PersonId::from_uuid),
            },
            kind: UploadKind::from_text(&row.kind).ok_or_else(|| corrupt("upload.kind"))?,
            state: if row.is_complete { UploadState::Complete } else { UploadState::Receiving },
            folder: parsed("upload.folder", &row.folder)?,
            version: parsed("upload.version", &row.version)?,
            length: row.length.map(|length| size("upload.length", length)).transpose()?,
            offset: size("upload.offset", row.offset)?,
            sha256: sha256.transpose()?,
            metadata: row.metadata,
            draft: row.draft,
            object: parsed_if_set("upload.object_key", row.object_key.as_deref())?,
            created_at: moment("upload.created_at", row.created_at)?,
            expires_at: moment("upload.expires_at", row.expires_at)?,
        })
    }
}

impl From<&Upload> for ActiveModel {
    fn from(upload: &Upload) -> Self {
        Self {
            id: Set(upload.id.uuid()),
            organization_id: Set(upload.organization_id.uuid()),
            track_id: Set(upload.track_id.map(TrackId::uuid)),
            replacement_id: Set(upload.replacement_id.map(ReplacementId::uuid)),
            kind: Set(upload.kind.as_str().to_owned()),
            is_complete: Set(upload.state == UploadState::Complete),
            folder: Set(upload.folder.to_string()),
            version: Set(upload.version.to_string()),
            length: Set(upload.length.map(byte_count)),
            offset: Set(byte_count(upload.offset)),
            sha256: Set(upload.sha256.map(Vec::from)),
            metadata: Set(upload.metadata.clone()),
            draft: Set(upload.draft.clone()),
            object_key: Set(upload.object.as_ref().map(ToString::to_string)),
            created_at: Set(upload.created_at.unix_millis()),
            expires_at: Set(upload.expires_at.unix_millis()),
            api_key_id: Set(upload.opener.api_key_id.map(ApiKeyId::uuid)),
            person_id: Set(upload.opener.person_id.map(PersonId::uuid)),
            ..Default::default()
        }
    }
}

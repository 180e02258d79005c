//! Rows of `import_bucket`.

use sea_orm::Set;
use sea_orm::entity::prelude::*;
use tonearm_domain::{ApiKeyId, ImportBucket, OrganizationId};

use crate::column::{moment, moment_if_set, parsed};
use crate::error::CatalogError;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "import_bucket")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub organization_id: Uuid,
    #[sea_orm(primary_key, auto_increment = false)]
    pub bucket: String,
    pub endpoint: Option<String>,
    pub region: String,
    pub access_key_id: String,
    pub secret: Vec<u8>,
    pub created_at: i64,
    pub made_by_key: Option<Uuid>,
    pub expires_at: Option<i64>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl TryFrom<Model> for ImportBucket {
    type Error = CatalogError;

    fn try_from(row: Model) -> Result<Self, CatalogError> {
        Ok(Self {
            organization_id: OrganizationId::from_uuid(row.organization_id),
            bucket: parsed("import_bucket.bucket", &row.bucket)?,
            endpoint: row.endpoint,
            region: parsed("import_bucket.region", &row.region)?,
            access_key_id: parsed("import_bucket.access_key_id", &row.access_key_id)?,
            secret: row.secret,
            created_at: moment("import_bucket.created_at", row.created_at)?,
            expires_at: moment_if_set("import_bucket.expires_at", row.expires_at)?,
            made_by: row.made_by_key.map(ApiKeyId::from_uuid),
        })
    }
}

impl From<&ImportBucket> for ActiveModel {
    fn from(bucket: &ImportBucket) -> Self {
        Self {
            organization_id: Set(bucket.organization_id.uuid()),
            bucket: Set(bucket.bucket.to_string()),
            endpoint: Set(bucket.endpoint.clone()),
            region: Set(bucket.region.to_string()),
            access_key_id: Set(bucket.access_key_id.as_str().to_owned()),
            secret: Set(bucket.secret.clone()),
            created_at: Set(bucket.created_at.unix_millis()),
            made_by_key: Set(bucket.made_by.map(ApiKeyId::uuid)),
            expires_at: Set(bucket.expires_at.map(|at| at.unix_millis())),
        }
    }
}

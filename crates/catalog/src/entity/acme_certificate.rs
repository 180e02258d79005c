//! Rows of `acme_certificate`.

use sea_orm::entity::prelude::*;
use tonearm_domain::{CertificateState, IssuedCertificate};

use crate::column::{corrupt, moment, moment_if_set, parsed};
use crate::error::CatalogError;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "acme_certificate")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub names: String,
    pub chain: Option<String>,
    pub sealed_key: Option<Vec<u8>>,
    pub not_before: Option<i64>,
    pub not_after: Option<i64>,
    pub order_at: i64,
    pub lease_id: Option<Uuid>,
    pub leased_until: Option<i64>,
    pub failures: i32,
    pub last_error: Option<String>,
    pub tried_at: Option<i64>,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

impl TryFrom<Model> for CertificateState {
    type Error = CatalogError;

    fn try_from(row: Model) -> Result<Self, CatalogError> {
        let issued = match (row.chain, row.sealed_key, row.not_before, row.not_after) {
            (Some(chain), Some(sealed_key), Some(not_before), Some(not_after)) => Some(IssuedCertificate {
                chain,
                sealed_key,
                not_before: moment("acme_certificate.not_before", not_before)?,
                not_after: moment("acme_certificate.not_after", not_after)?,
            }),
            (None, None, None, None) => None,
            _ => return Err(corrupt("acme_certificate.chain")),
        };
        Ok(Self {
            names: parsed("acme_certificate.names", &row.names)?,
            issued,
            order_at: moment("acme_certificate.order_at", row.order_at)?,
            leased_until: moment_if_set("acme_certificate.leased_until", row.leased_until)?,
            failures: u32::try_from(row.failures).map_err(|_| corrupt("acme_certificate.failures"))?,
            last_error: row.last_error,
            tried_at: moment_if_set("acme_certificate.tried_at", row.tried_at)?,
        })
    }
}

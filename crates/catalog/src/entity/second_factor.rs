//! Rows of `second_factor`.

use sea_orm::Set;
use sea_orm::entity::prelude::*;
use tonearm_domain::{PersonId, SecondFactor, SignInId, WrongCodes};

use crate::column::{corrupt, moment, moment_if_set};
use crate::error::CatalogError;

#[derive(Clone, Debug, PartialEq, DeriveEntityModel)]
#[sea_orm(table_name = "second_factor")]
pub struct Model {
    #[sea_orm(primary_key, auto_increment = false)]
    pub person_id: Uuid,
    pub secret: Vec<u8>,
    pub created_at: i64,
    pub confirmed_at: Option<i64>,
    pub last_step: i64,
    pub sign_in_id: Option<Uuid>,
    pub wrong_elsewhere: i32,
    pub wrong_elsewhere_at: i64,
    pub wrong_where_known: i32,
    pub wrong_where_known_at: i64,
}

#[derive(Copy, Clone, Debug, EnumIter, DeriveRelation)]
pub enum Relation {}

impl ActiveModelBehavior for ActiveModel {}

fn wrong_codes(column: &'static str, count: i32, last_at: i64) -> Result<WrongCodes, CatalogError> {
    let count = u32::try_from(count).map_err(|_| corrupt(column))?;
    Ok(WrongCodes { count, last_at: moment(column, last_at)? })
}

fn stored(codes: WrongCodes) -> i32 {
    i32::try_from(codes.count).unwrap_or(i32::MAX)
}

impl TryFrom<Model> for SecondFactor {
    type Error = CatalogError;

    fn try_from(row: Model) -> Result<Self, CatalogError> {
        Ok(Self {
            person_id: PersonId::from_uuid(row.person_id),
            secret: row.secret,
            created_at: moment("second_factor.created_at", row.created_at)?,
            confirmed_at: moment_if_set("second_factor.confirmed_at", row.confirmed_at)?,
            last_step: row.last_step,
            sign_in_id: row.sign_in_id.map(SignInId::from_uuid),
            wrong_elsewhere: wrong_codes(
                "second_factor.wrong_elsewhere",
                row.wrong_elsewhere,
                row.wrong_elsewhere_at,
            )?,
            wrong_where_known: wrong_codes(
                "second_factor.wrong_where_known",
                row.wrong_where_known,
                row.wrong_where_known_at,
            )?,
        })
    }
}

impl From<&SecondFactor> for ActiveModel {
    fn from(factor: &SecondFactor) -> Self {
        Self {
            person_id: Set(factor.person_id.uuid()),
            secret: Set(factor.secret.clone()),
            created_at: Set(factor.created_at.unix_millis()),
            confirmed_at: Set(factor.confirmed_at.map(|at| at.unix_millis())),
            last_step: Set(factor.last_step),
            sign_in_id: Set(factor.sign_in_id.map(SignInId::uuid)),
            wrong_elsewhere: Set(stored(factor.wrong_elsewhere)),
            wrong_elsewhere_at: Set(factor.wrong_elsewhere.last_at.unix_millis()),
            wrong_where_known: Set(stored(factor.wrong_where_known)),
            wrong_where_known_at: Set(factor.wrong_where_known.last_at.unix_millis()),
        }
    }
}

//! Keys that organizations sign delivery URLs with. The texts of the keys are derived and never stored.

use sea_orm::sea_query::{Expr, ExprTrait, OnConflict, Query, SimpleExpr};
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, EntityTrait, PaginatorTrait, QueryFilter, QueryOrder,
    QuerySelect, Select,
};
use tonearm_domain::{LimitOffset, OrganizationId, ShortId, SigningKey, Timestamp};
use uuid::Uuid;

use crate::catalog::Catalog;
use crate::column::{corrupt, moment, parsed};
use crate::ending::one_to_end;
use crate::entity::key_list;
use crate::entity::signing_key::{ActiveModel, Column, Entity};
use crate::error::{CatalogError, Record};
use crate::query::{TO_CHANGE, one, page, readable};
use crate::transaction::Transaction;

fn of_organization(organization: OrganizationId) -> Select<Entity> {
    Entity::find()
        .filter(Column::OrganizationId.eq(organization.uuid()))
        .order_by_asc(Column::CreatedAt)
        .order_by_asc(Column::Id)
}

fn by_id(organization: OrganizationId, id: ShortId) -> Select<Entity> {
    Entity::find_by_id(id.to_string()).filter(Column::OrganizationId.eq(organization.uuid()))
}

fn is_live(now: SimpleExpr) -> Condition {
    let lasts =
        Condition::any().add(Column::ExpiresAt.is_null()).add(Expr::col((Entity, Column::ExpiresAt)).gt(now));
    Condition::all().add(Column::RevokedAt.is_null()).add(lasts)
}

impl Catalog {
    /// Every signing key of the organization, including revoked ones, oldest first.
    pub async fn signing_keys(&self, organization: OrganizationId) -> Result<Vec<SigningKey>, CatalogError> {
        readable(self.reader(), of_organization(organization)).await
    }

    /// The number of signing keys of the organization, including revoked ones, and a page of them, oldest first.
    pub async fn signing_key_page(
        &self,
        organization: OrganizationId,
        window: LimitOffset,
    ) -> Result<(u64, Vec<SigningKey>), CatalogError> {
        page(self.reader(), of_organization(organization), window).await
    }

    /// One signing key of the organization, even if it is revoked.
    pub async fn signing_key(
        &self,
        organization: OrganizationId,
        id: ShortId,
    ) -> Result<Option<SigningKey>, CatalogError> {
        one(self.reader(), by_id(organization, id)).await
    }

    /// The ids of all signing keys of all organizations that are neither revoked nor expired, in a fixed order. The
    /// clock that decides what is due tells whether a key has expired, as in [`SigningKeyList`].
    pub async fn live_signing_keys(
        &self,
        now: Timestamp,
    ) -> Result<Vec<(OrganizationId, ShortId)>, CatalogError> {
        live(self.reader(), self.due_clock().now(now)).await
    }
}

async fn live<C: ConnectionTrait>(
    db: &C,
    now: SimpleExpr,
) -> Result<Vec<(OrganizationId, ShortId)>, CatalogError> {
    let select = Entity::find()
        .select_only()
        .columns([Column::OrganizationId, Column::Id])
        .filter(is_live(now))
        .order_by_asc(Column::Id);
    let rows: Vec<(Uuid, String)> = select.into_tuple().all(db).await?;
    rows.into_iter()
        .map(|(organization, id)| {
            Ok((OrganizationId::from_uuid(organization), parsed("signing_key.id", &id)?))
        })
        .collect()
}

/// The signing keys that were neither revoked nor expired at one moment, for nodes without a catalog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SigningKeyList {
    /// Later lists have higher numbers, whatever the clocks of nodes say.
    pub number: u64,
    /// The moment, by the clock that decides what is due.
    pub made_at: Timestamp,
    /// The keys, in a fixed order.
    pub live: Vec<(OrganizationId, ShortId)>,
}

impl Transaction {
    /// Makes the next list of signing keys. Its number is higher than those of all earlier lists, and than `above`.
    /// Other transactions that make one wait, so that a list contains everything that lists with lower numbers do.
    pub async fn next_signing_key_list(
        &self,
        above: u64,
        now: Timestamp,
    ) -> Result<SigningKeyList, CatalogError> {
        use key_list::Column::{Id, Number};
        let number = || Expr::col((key_list::Entity, Number));
        let above = i64::try_from(above).ok().filter(|above| *above < i64::MAX);
        let above = above.ok_or_else(|| corrupt("key_list.number"))?;
        let last: SimpleExpr = Expr::case(number().lt(above), Expr::value(above)).finally(number()).into();
        let raise = Query::insert()
            .into_table(key_list::Entity)
            .columns([Id, Number])
            .values_panic([key_list::ONLY.into(), (above + 1).into()])
            .on_conflict(OnConflict::column(Id).value(Number, last.add(1)).to_owned())
            .take();
        self.db().execute(&raise).await?;
        let select = key_list::Entity::find_by_id(key_list::ONLY)
            .select_only()
            .column(Number)
            .expr_as(self.due_clock().now(now), "made_at");
        let row: Option<(i64, i64)> = select.into_tuple().one(self.db()).await?;
        let (number, made_at) = row.ok_or_else(|| corrupt("key_list.number"))?;
        Ok(SigningKeyList {
            number: u64::try_from(number).map_err(|_| corrupt("key_list.number"))?,
            made_at: moment("statement_timestamp", made_at)?,
            live: live(self.db(), self.due_clock().now(now)).await?,
        })
    }

    /// One signing key of the organization, locked for a change.
    pub async fn signing_key(
        &self,
        organization: OrganizationId,
        id: ShortId,
    ) -> Result<Option<SigningKey>, CatalogError> {
        one(self.db(), by_id(organization, id).lock(TO_CHANGE)).await
    }

    /// The same, for revoking the key.
    pub async fn signing_key_to_end(
        &self,
        organization: OrganizationId,
        id: ShortId,
    ) -> Result<Option<SigningKey>, CatalogError> {
        one_to_end(self.db(), by_id(organization, id).lock(TO_CHANGE)).await
    }

    /// How many signing keys of the organization are neither revoked nor expired.
    pub async fn count_live_signing_keys(
        &self,
        organization: OrganizationId,
        now: Timestamp,
    ) -> Result<u64, CatalogError> {
        let live = Entity::find()
            .filter(Column::OrganizationId.eq(organization.uuid()))
            .filter(is_live(self.due_clock().now(now)));
        Ok(live.count(self.db()).await?)
    }

    /// Adds a signing key.
    pub async fn insert_signing_key(&self, key: &SigningKey) -> Result<(), CatalogError> {
        Entity::insert(ActiveModel::from(key))
            .exec_without_returning(self.db())
            .await
            .map_err(CatalogError::or_taken(Record::SigningKey))?;
        Ok(())
    }

    /// Revokes a signing key. Returns whether it existed and was not revoked yet.
    pub async fn revoke_signing_key(
        &self,
        organization: OrganizationId,
        id: ShortId,
        now: Timestamp,
    ) -> Result<bool, CatalogError> {
        let revoked = Entity::update_many()
            .col_expr(Column::RevokedAt, Expr::value(now.unix_millis()))
            .filter(Column::Id.eq(id.to_string()))
            .filter(Column::OrganizationId.eq(organization.uuid()))
            .filter(Column::RevokedAt.is_null())
            .exec(self.db())
            .await?;
        self.blank_signing_key(id.to_string()).await?;
        Ok(revoked.rows_affected > 0)
    }
}

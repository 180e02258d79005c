//! What API keys made, which does not outlive them: keys, signing keys, webhooks and credentials for buckets.

use std::collections::HashMap;

use sea_orm::sea_query::{Expr, ExprTrait};
use sea_orm::{
    ColumnTrait, Condition, EntityTrait, Iterable, PrimaryKeyToColumn, QueryFilter, QueryOrder, QuerySelect,
    Select,
};
use tonearm_domain::{ApiKey, ApiKeyId, ImportBucket, OrganizationId, SigningKey, Timestamp, Webhook};
use uuid::Uuid;

use crate::catalog::Catalog;
use crate::changes::Change;
use crate::ending::all_to_end;
use crate::entity::{api_key, import_bucket, signing_key, webhook};
use crate::error::CatalogError;
use crate::query::{TO_CHANGE, checked};
use crate::statements::Statements;
use crate::transaction::Transaction;

/// A table whose rows can be made by API keys.
trait Made: EntityTrait {
    const ORGANIZATION_ID: Self::Column;
    const MADE_BY_KEY: Self::Column;
    const EXPIRES_AT: Self::Column;
    /// The column that keeps a row that has ended. Other tables lose it.
    const REVOKED_AT: Option<Self::Column> = None;
    /// Whether makers have an index, which is to be preferred to that of organizations.
    const HAS_INDEX: bool = false;

    /// What these keys made and nobody has ended.
    fn by(organization: OrganizationId, makers: &[ApiKeyId]) -> Select<Self> {
        let own = Self::ORGANIZATION_ID.eq(organization.uuid());
        let not_revoked = Self::REVOKED_AT.map(|revoked_at| revoked_at.is_null());
        Self::find()
            .filter(Self::MADE_BY_KEY.is_in(makers.iter().map(|id| id.uuid())))
            .filter(if Self::HAS_INDEX { checked(own) } else { own })
            .filter(Condition::all().add_option(not_revoked))
    }
}

macro_rules! made {
    ($table:ident $(, revoked_at: $revoked_at:ident)? $(, has_index: $has_index:literal)?) => {
        impl Made for $table::Entity {
            const ORGANIZATION_ID: Self::Column = $table::Column::OrganizationId;
            const MADE_BY_KEY: Self::Column = $table::Column::MadeByKey;
            const EXPIRES_AT: Self::Column = $table::Column::ExpiresAt;
            $(const REVOKED_AT: Option<Self::Column> = Some($table::Column::$revoked_at);)?
            $(const HAS_INDEX: bool = $has_index;)?
        }
    };
}

made!(api_key, revoked_at: RevokedAt, has_index: true);
made!(signing_key, revoked_at: RevokedAt);
made!(webhook);
made!(import_bucket);

/// How many things a key made that nobody has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MadeByKey {
    /// API keys, including expired ones.
    pub api_keys: u64,
    /// Signing keys, including expired ones.
    pub signing_keys: u64,
    /// Webhooks that it created or moved to another URL.
    pub webhooks: u64,
    /// Buckets whose credentials it set.
    pub import_buckets: u64,
}

impl MadeByKey {
    /// All of them.
    pub fn total(self) -> u64 {
        self.api_keys + self.signing_keys + self.webhooks + self.import_buckets
    }
}

impl Catalog {
    /// What these keys made. Keys that made nothing are left out.
    pub async fn made_by_keys(
        &self,
        organization: OrganizationId,
        makers: &[ApiKeyId],
    ) -> Result<HashMap<ApiKeyId, MadeByKey>, CatalogError> {
        let mut all = HashMap::<ApiKeyId, MadeByKey>::new();
        for (maker, made) in self.makers::<api_key::Entity>(organization, makers).await? {
            all.entry(maker).or_default().api_keys = made;
        }
        for (maker, made) in self.makers::<signing_key::Entity>(organization, makers).await? {
            all.entry(maker).or_default().signing_keys = made;
        }
        for (maker, made) in self.makers::<webhook::Entity>(organization, makers).await? {
            all.entry(maker).or_default().webhooks = made;
        }
        for (maker, made) in self.makers::<import_bucket::Entity>(organization, makers).await? {
            all.entry(maker).or_default().import_buckets = made;
        }
        Ok(all)
    }

    async fn makers<E: Made>(
        &self,
        organization: OrganizationId,
        makers: &[ApiKeyId],
    ) -> Result<Vec<(ApiKeyId, u64)>, CatalogError> {
        let rows: Vec<(Uuid, i64)> = E::by(organization, makers)
            .select_only()
            .column(E::MADE_BY_KEY)
            .column_as(E::MADE_BY_KEY.count(), "made")
            .group_by(E::MADE_BY_KEY)
            .into_tuple()
            .all(self.reader())
            .await?;
        Ok(rows.into_iter().map(|(id, made)| (ApiKeyId::from_uuid(id), made.unsigned_abs())).collect())
    }
}

impl Transaction {
    /// The keys that a key made and that are not revoked, to be ended: the oldest ones, at most `limit`.
    pub async fn keys_made_by(
        &self,
        organization: OrganizationId,
        maker: ApiKeyId,
        limit: u64,
    ) -> Result<Vec<ApiKey>, CatalogError> {
        let made = api_key::Entity::by(organization, &[maker]).order_by_asc(api_key::Column::Id).limit(limit);
        let ids: Vec<Uuid> =
            made.select_only().column(api_key::Column::Id).into_tuple().all(self.db()).await?;
        for id in &ids {
            self.take_key(ApiKeyId::from_uuid(*id)).await?;
        }
        let taken = api_key::Entity::by(organization, &[maker]).filter(api_key::Column::Id.is_in(ids));
        all_to_end(self.db(), taken.order_by_asc(api_key::Column::Id).lock(TO_CHANGE)).await
    }

    /// The signing keys that a key made and that are not revoked, locked for a change.
    pub async fn signing_keys_made_by(
        &self,
        organization: OrganizationId,
        maker: ApiKeyId,
    ) -> Result<Vec<SigningKey>, CatalogError> {
        made_by::<_, signing_key::Entity>(self.db(), organization, maker).await
    }

    /// The endpoints that a key made or last moved, locked for a change.
    pub async fn webhooks_made_by(
        &self,
        organization: OrganizationId,
        maker: ApiKeyId,
    ) -> Result<Vec<Webhook>, CatalogError> {
        made_by::<_, webhook::Entity>(self.db(), organization, maker).await
    }

    /// The buckets whose credentials a key set, locked for a change.
    pub async fn import_buckets_made_by(
        &self,
        organization: OrganizationId,
        maker: ApiKeyId,
    ) -> Result<Vec<ImportBucket>, CatalogError> {
        made_by::<_, import_bucket::Entity>(self.db(), organization, maker).await
    }

    /// Ends what a key made no later than the key. The caller has taken the key ([`Self::api_key_to_end`]), so that it makes
    /// nothing meanwhile.
    pub async fn end_made_by(
        &self,
        organization: OrganizationId,
        maker: ApiKeyId,
        end: Timestamp,
    ) -> Result<(), CatalogError> {
        self.note(Change::ApiKeys(organization));
        self.end_made::<api_key::Entity>(organization, maker, end).await?;
        self.end_made::<signing_key::Entity>(organization, maker, end).await?;
        self.end_made::<webhook::Entity>(organization, maker, end).await?;
        self.end_made::<import_bucket::Entity>(organization, maker, end).await
    }

    async fn end_made<E: Made>(
        &self,
        organization: OrganizationId,
        maker: ApiKeyId,
        end: Timestamp,
    ) -> Result<(), CatalogError> {
        let end = end.unix_millis();
        E::update_many()
            .col_expr(E::EXPIRES_AT, Expr::value(end))
            .filter(E::ORGANIZATION_ID.eq(organization.uuid()))
            .filter(E::MADE_BY_KEY.eq(maker.uuid()))
            .filter(E::EXPIRES_AT.is_null().or(E::EXPIRES_AT.gt(end)))
            .exec(self.db())
            .await?;
        Ok(())
    }
}

/// What a key made, in the order of the primary key, to be ended.
async fn made_by<T, E>(
    db: &Statements,
    organization: OrganizationId,
    maker: ApiKeyId,
) -> Result<Vec<T>, CatalogError>
where
    E: Made,
    T: TryFrom<E::Model, Error = CatalogError>,
{
    let made = E::by(organization, &[maker]).lock(TO_CHANGE);
    let key = E::PrimaryKey::iter().map(PrimaryKeyToColumn::into_column);
    all_to_end(db, key.fold(made, |made, column| made.order_by_asc(column))).await
}

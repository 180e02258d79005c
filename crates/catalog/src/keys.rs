//! API keys. Only hashes of the secrets are stored.

use std::collections::{BTreeSet, HashSet};

use sea_orm::sea_query::Expr;
use sea_orm::{
    ColumnTrait, Condition, ConnectionTrait, DbBackend, EntityTrait, QueryFilter, QueryOrder, QuerySelect,
    QueryTrait, Select, Set, Statement,
};
use tonearm_domain::{ApiKey, ApiKeyId, KeyType, LimitOffset, OrganizationId, Timestamp};

use uuid::Uuid;

use crate::catalog::Catalog;
use crate::changes::Change;
use crate::ending::one_to_end;
use crate::entity::api_key::{ActiveModel, Column, Entity};
use crate::entity::old_api_key;
use crate::error::{CatalogError, Record};
use crate::query::{TO_CHANGE, change, one, page, readable};
use crate::transaction::Transaction;

fn by_id(organization: OrganizationId, id: ApiKeyId) -> Select<Entity> {
    Entity::find_by_id(id.uuid()).filter(Column::OrganizationId.eq(organization.uuid()))
}

fn of_organization(organization: OrganizationId) -> Select<Entity> {
    Entity::find().filter(Column::OrganizationId.eq(organization.uuid())).order_by_asc(Column::Id)
}

/// The last 62 bits are random.
fn lock_number(id: ApiKeyId) -> i64 {
    (id.uuid().as_u128() as u64).cast_signed()
}

impl Catalog {
    /// The key whose secret has this SHA-256, even if it is revoked or has expired.
    pub async fn api_key_by_hash(&self, hash: &[u8; 32]) -> Result<Option<ApiKey>, CatalogError> {
        one(self.reader(), Entity::find().filter(Column::KeyHash.eq(hash.to_vec()))).await
    }

    /// All keys of the organization, including revoked and expired ones, oldest first.
    pub async fn api_keys(&self, organization: OrganizationId) -> Result<Vec<ApiKey>, CatalogError> {
        readable(self.reader(), of_organization(organization)).await
    }

    /// The number of the organization's keys, of one type or of all types, and a page of them, oldest first. Revoked
    /// and expired keys are included.
    pub async fn api_key_page(
        &self,
        organization: OrganizationId,
        key_type: Option<KeyType>,
        window: LimitOffset,
    ) -> Result<(u64, Vec<ApiKey>), CatalogError> {
        let select = of_organization(organization)
            .apply_if(key_type, |select, only| select.filter(Column::ApiKeyTypeId.eq(only.as_str())));
        page(self.reader(), select, window).await
    }

    /// One key of the organization, even if it is revoked or has expired.
    pub async fn api_key(
        &self,
        organization: OrganizationId,
        id: ApiKeyId,
    ) -> Result<Option<ApiKey>, CatalogError> {
        one(self.reader(), by_id(organization, id)).await
    }
}

impl Transaction {
    /// Adds a key, identified by the SHA-256 of its secret.
    pub async fn insert_api_key(&self, key: &ApiKey, hash: &[u8; 32]) -> Result<(), CatalogError> {
        let mut row = ActiveModel::try_from(key)?;
        row.key_hash = Set(hash.to_vec());
        Entity::insert(row)
            .exec_without_returning(self.db())
            .await
            .map_err(CatalogError::or_taken(Record::ApiKey))?;
        Ok(())
    }

    /// One key of the organization, not locked.
    pub async fn api_key_as_it_is(
        &self,
        organization: OrganizationId,
        id: ApiKeyId,
    ) -> Result<Option<ApiKey>, CatalogError> {
        one(self.db(), by_id(organization, id)).await
    }

    /// One key of the organization, locked for a change.
    pub async fn api_key(
        &self,
        organization: OrganizationId,
        id: ApiKeyId,
    ) -> Result<Option<ApiKey>, CatalogError> {
        one(self.db(), by_id(organization, id).lock(TO_CHANGE)).await
    }

    /// The same, for ending the key or one of its secrets: waits for the transactions that act on it.
    pub async fn api_key_to_end(
        &self,
        organization: OrganizationId,
        id: ApiKeyId,
    ) -> Result<Option<ApiKey>, CatalogError> {
        // Before the row, which a transaction that acts on the key may change.
        self.take_key(id).await?;
        self.api_key(organization, id).await
    }

    /// The same, for revoking the key.
    pub async fn api_key_to_revoke(
        &self,
        organization: OrganizationId,
        id: ApiKeyId,
    ) -> Result<Option<ApiKey>, CatalogError> {
        self.take_key(id).await?;
        one_to_end(self.db(), by_id(organization, id).lock(TO_CHANGE)).await
    }

    /// A key on which something depends that this transaction writes. It is neither revoked nor given another secret before
    /// the transaction ends.
    pub async fn maker(
        &self,
        organization: OrganizationId,
        id: ApiKeyId,
    ) -> Result<Option<ApiKey>, CatalogError> {
        self.hold_key(id).await?;
        one(self.db(), by_id(organization, id)).await
    }

    /// Makes whoever ends a key wait until this transaction ends ([`Self::take_key`]). Read the key after that.
    ///
    /// Locks of rows would not do: transactions that share one let others join while somebody waits who wants it alone, so
    /// that a key in constant use could never be revoked. Advisory locks are given in the order of the requests. SQLite has
    /// one writer at a time.
    pub(crate) async fn hold_key(&self, id: ApiKeyId) -> Result<(), CatalogError> {
        self.lock_by_number("pg_advisory_xact_lock_shared", id).await
    }

    /// Waits for the transactions that act on a key, and keeps others from acting on it.
    pub(crate) async fn take_key(&self, id: ApiKeyId) -> Result<(), CatalogError> {
        self.lock_by_number("pg_advisory_xact_lock", id).await
    }

    /// Which of these secrets of keys, each given by its SHA-256, are in use, and stay so until this transaction ends. Waits
    /// for nobody: a key that is being ended is left out.
    pub async fn hold_secrets(
        &self,
        secrets: &BTreeSet<(ApiKeyId, [u8; 32])>,
    ) -> Result<HashSet<Vec<u8>>, CatalogError> {
        let mut keys: Vec<ApiKeyId> = secrets.iter().map(|(id, _)| *id).collect();
        keys.dedup();
        if self.db().get_database_backend() == DbBackend::Postgres && !keys.is_empty() {
            let places: Vec<_> = (1..=keys.len()).map(|place| format!("(${place}::bigint)")).collect();
            let sql = format!(
                "SELECT n FROM (VALUES {}) AS keys (n) WHERE pg_try_advisory_xact_lock_shared(n)",
                places.join(", ")
            );
            let numbers = keys.iter().map(|id| lock_number(*id).into());
            let lock = Statement::from_sql_and_values(DbBackend::Postgres, sql, numbers);
            let rows = self.db().query_all_raw(lock).await?;
            let held: HashSet<i64> =
                rows.iter().map(|row| row.try_get_by_index(0)).collect::<Result<_, _>>()?;
            keys.retain(|id| held.contains(&lock_number(*id)));
        }
        if keys.is_empty() {
            return Ok(HashSet::new());
        }
        let ids: Vec<Uuid> = keys.iter().map(|id| id.uuid()).collect();
        let current = Entity::find()
            .select_only()
            .column(Column::KeyHash)
            .filter(Column::Id.is_in(ids.iter().copied()))
            .filter(Column::RevokedAt.is_null());
        let old = old_api_key::Entity::find()
            .select_only()
            .column(old_api_key::Column::KeyHash)
            .filter(old_api_key::Column::ApiKeyId.is_in(ids));
        let mut hashes: HashSet<Vec<u8>> = current.into_tuple().all(self.db()).await?.into_iter().collect();
        if secrets.iter().any(|(_, hash)| !hashes.contains(hash.as_slice())) {
            hashes.extend(old.into_tuple::<Vec<u8>>().all(self.db()).await?);
        }
        Ok(hashes)
    }

    async fn lock_by_number(&self, function: &str, id: ApiKeyId) -> Result<(), CatalogError> {
        if self.db().get_database_backend() == DbBackend::Postgres {
            let sql = format!("SELECT {function}($1)");
            let lock = Statement::from_sql_and_values(DbBackend::Postgres, sql, [lock_number(id).into()]);
            self.db().execute_raw(lock).await?;
        }
        Ok(())
    }

    /// Updates the title, selection, downloads, expiry, allowed origins and maker of a key. It must exist.
    pub async fn update_api_key(&self, key: &ApiKey) -> Result<(), CatalogError> {
        self.note(Change::ApiKeys(key.organization_id));
        let all = ActiveModel::try_from(key)?;
        let row = ActiveModel {
            title: all.title,
            selection: all.selection,
            recipes: all.recipes,
            is_downloadable: all.is_downloadable,
            expires_at: all.expires_at,
            allowed_origins: all.allowed_origins,
            made_by_key: all.made_by_key,
            ..Default::default()
        };
        let update = Entity::update_many()
            .set(row)
            .filter(Column::Id.eq(key.id.uuid()))
            .filter(Column::OrganizationId.eq(key.organization_id.uuid()));
        change(self.db(), update, Record::ApiKey).await
    }

    /// Revokes a key, and ends the uploads in its sessions. Returns whether it existed and was not revoked yet. Waits for
    /// the transactions that act on the key, and no later one acts on it.
    pub async fn revoke_api_key(
        &self,
        organization: OrganizationId,
        id: ApiKeyId,
        now: Timestamp,
    ) -> Result<bool, CatalogError> {
        self.take_key(id).await?;
        self.end_old_api_key(organization, id).await?;
        self.end_uploads_of_key(organization, id, now).await?;
        let revoked = Entity::update_many()
            .col_expr(Column::RevokedAt, Expr::value(now.unix_millis()))
            .filter(Column::Id.eq(id.uuid()))
            .filter(Column::OrganizationId.eq(organization.uuid()))
            .filter(Column::RevokedAt.is_null())
            .exec(self.db())
            .await?;
        self.blank_api_key(id.uuid()).await?;
        Ok(revoked.rows_affected > 0)
    }
}

impl Catalog {
    /// Records when keys were last used. An earlier time never replaces a later one.
    pub async fn note_keys_used(&self, used: &[(ApiKeyId, Timestamp)]) -> Result<(), CatalogError> {
        let tx = self.begin().await?;
        for (id, at) in used {
            let earlier = Condition::any()
                .add(Column::LastUsedAt.is_null())
                .add(Column::LastUsedAt.lt(at.unix_millis()));
            Entity::update_many()
                .col_expr(Column::LastUsedAt, Expr::value(at.unix_millis()))
                .filter(Column::Id.eq(id.uuid()))
                .filter(earlier)
                .exec(tx.db())
                .await?;
        }
        tx.commit().await
    }
}

//! All values that are sealed with the master secret.

use sea_orm::{ColumnTrait, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait, Set, UpdateMany};
use tonearm_domain::{ApiKeyId, BucketName, OrganizationId, PersonId, TrackId, WebhookId};
use uuid::Uuid;

use crate::catalog::Catalog;
use crate::column::parsed;
use crate::entity::{
    acme_account, acme_certificate, import_bucket, second_factor, share_key_text, source_import,
    transcription_settings, webhook,
};
use crate::error::CatalogError;
use crate::transaction::Transaction;

/// Where a sealed value is stored.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SealedAt {
    /// The secret shared with the receiver of a webhook.
    WebhookSecret(WebhookId),
    /// The previous secrets of a webhook, which also sign for a while.
    OldWebhookSecret(WebhookId),
    /// An organization's key for its transcription provider.
    TranscriptionKey(OrganizationId),
    /// The URL from which a track is imported.
    ImportUrl(TrackId),
    /// The secret half of an organization's credentials for a bucket.
    ImportBucketSecret(OrganizationId, BucketName),
    /// The secret shared with a person's authenticator app.
    SecondFactor(PersonId),
    /// The text of a key of type `share`.
    ShareKeyText(ApiKeyId),
    /// The account with the certificate authority that has this directory.
    AcmeAccount(String),
    /// The private key of the certificate for these names.
    CertificateKey(String),
}

/// A sealed value, as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sealed {
    /// Where it is stored.
    pub at: SealedAt,
    /// The sealed bytes.
    pub bytes: Vec<u8>,
}

impl Catalog {
    /// All sealed values except the texts of share keys: at most three values of some hundred bytes for each
    /// organization and endpoint, and one for each bucket, for each track that is being imported and for each person
    /// with an authenticator app; also accounts with certificate authorities and keys of certificates, which are few.
    pub async fn sealed(&self) -> Result<Vec<Sealed>, CatalogError> {
        let mut found = Vec::new();
        let webhooks = webhook::Entity::find()
            .select_only()
            .columns([webhook::Column::Id, webhook::Column::Secret, webhook::Column::OldSecret])
            .into_tuple::<(Uuid, Vec<u8>, Option<Vec<u8>>)>();
        for (id, secret, old_secret) in webhooks.all(self.reader()).await? {
            let id = WebhookId::from_uuid(id);
            found.push(Sealed { at: SealedAt::WebhookSecret(id), bytes: secret });
            found.extend(old_secret.map(|bytes| Sealed { at: SealedAt::OldWebhookSecret(id), bytes }));
        }
        let keys = transcription_settings::Entity::find()
            .select_only()
            .columns([transcription_settings::Column::OrganizationId, transcription_settings::Column::Key])
            .filter(transcription_settings::Column::Key.is_not_null())
            .into_tuple::<(Uuid, Vec<u8>)>();
        for (id, bytes) in keys.all(self.reader()).await? {
            found.push(Sealed { at: SealedAt::TranscriptionKey(OrganizationId::from_uuid(id)), bytes });
        }
        let imports = source_import::Entity::find()
            .select_only()
            .columns([source_import::Column::TrackId, source_import::Column::Url])
            // That of an import whose right has ended is empty.
            .filter(source_import::Column::Url.ne(Vec::<u8>::new()))
            .into_tuple::<(Uuid, Vec<u8>)>();
        for (id, bytes) in imports.all(self.reader()).await? {
            found.push(Sealed { at: SealedAt::ImportUrl(TrackId::from_uuid(id)), bytes });
        }
        use import_bucket::Column;
        let buckets = import_bucket::Entity::find()
            .select_only()
            .columns([Column::OrganizationId, Column::Bucket, Column::Secret])
            .into_tuple::<(Uuid, String, Vec<u8>)>();
        for (id, bucket, bytes) in buckets.all(self.reader()).await? {
            let (id, bucket) = (OrganizationId::from_uuid(id), parsed("import_bucket.bucket", &bucket)?);
            found.push(Sealed { at: SealedAt::ImportBucketSecret(id, bucket), bytes });
        }
        let factors = second_factor::Entity::find()
            .select_only()
            .columns([second_factor::Column::PersonId, second_factor::Column::Secret])
            .into_tuple::<(Uuid, Vec<u8>)>();
        for (id, bytes) in factors.all(self.reader()).await? {
            found.push(Sealed { at: SealedAt::SecondFactor(PersonId::from_uuid(id)), bytes });
        }
        for row in acme_account::Entity::find().all(self.reader()).await? {
            found.push(Sealed { at: SealedAt::AcmeAccount(row.directory), bytes: row.sealed });
        }
        let certificates = acme_certificate::Entity::find()
            .select_only()
            .columns([acme_certificate::Column::Names, acme_certificate::Column::SealedKey])
            .filter(acme_certificate::Column::SealedKey.is_not_null())
            .into_tuple::<(String, Vec<u8>)>();
        for (names, bytes) in certificates.all(self.reader()).await? {
            found.push(Sealed { at: SealedAt::CertificateKey(names), bytes });
        }
        Ok(found)
    }

    /// The sealed texts of share keys whose ids are above `after`, by id, at most `limit`.
    pub async fn sealed_share_keys(
        &self,
        after: Option<ApiKeyId>,
        limit: u64,
    ) -> Result<Vec<(ApiKeyId, Sealed)>, CatalogError> {
        use share_key_text::{Column, Entity};
        let select = Entity::find()
            .apply_if(after, |select, after| select.filter(Column::ApiKeyId.gt(after.uuid())))
            .order_by_asc(Column::ApiKeyId)
            .limit(limit);
        let rows = select.all(self.reader()).await?;
        let sealed = rows.into_iter().map(|row| {
            let id = ApiKeyId::from_uuid(row.api_key_id);
            (id, Sealed { at: SealedAt::ShareKeyText(id), bytes: row.sealed })
        });
        Ok(sealed.collect())
    }
}

impl Transaction {
    /// Replaces a sealed value that was read with the same text, sealed anew. Returns whether the value that was read
    /// was still stored.
    pub async fn replace_sealed(&self, read: &Sealed, anew: Vec<u8>) -> Result<bool, CatalogError> {
        let replaced = match &read.at {
            SealedAt::WebhookSecret(id) => self.replace(secret(*id, &read.bytes, anew)).await?,
            SealedAt::OldWebhookSecret(id) => self.replace(old_secret(*id, &read.bytes, anew)).await?,
            SealedAt::TranscriptionKey(id) => self.replace(transcription_key(*id, &read.bytes, anew)).await?,
            SealedAt::ImportUrl(id) => self.replace(import_url(*id, &read.bytes, anew)).await?,
            SealedAt::ImportBucketSecret(id, bucket) => {
                self.replace(bucket_secret(*id, bucket, &read.bytes, anew)).await?
            }
            SealedAt::SecondFactor(id) => self.replace(factor_secret(*id, &read.bytes, anew)).await?,
            SealedAt::ShareKeyText(id) => self.replace(share_key(*id, &read.bytes, anew)).await?,
            SealedAt::AcmeAccount(directory) => {
                self.replace(acme_account(directory, &read.bytes, anew)).await?
            }
            SealedAt::CertificateKey(names) => {
                self.replace(certificate_key(names, &read.bytes, anew)).await?
            }
        };
        Ok(replaced > 0)
    }

    async fn replace<E: EntityTrait>(&self, update: UpdateMany<E>) -> Result<u64, CatalogError> {
        Ok(update.exec(self.db()).await?.rows_affected)
    }
}

fn secret(id: WebhookId, read: &[u8], anew: Vec<u8>) -> UpdateMany<webhook::Entity> {
    use webhook::{ActiveModel, Column};
    webhook::Entity::update_many()
        .set(ActiveModel { secret: Set(anew), ..Default::default() })
        .filter(Column::Id.eq(id.uuid()))
        .filter(Column::Secret.eq(read))
}

fn old_secret(id: WebhookId, read: &[u8], anew: Vec<u8>) -> UpdateMany<webhook::Entity> {
    use webhook::{ActiveModel, Column};
    webhook::Entity::update_many()
        .set(ActiveModel { old_secret: Set(Some(anew)), ..Default::default() })
        .filter(Column::Id.eq(id.uuid()))
        .filter(Column::OldSecret.eq(read))
}

fn transcription_key(
    id: OrganizationId,
    read: &[u8],
    anew: Vec<u8>,
) -> UpdateMany<transcription_settings::Entity> {
    use transcription_settings::{ActiveModel, Column};
    transcription_settings::Entity::update_many()
        .set(ActiveModel { key: Set(Some(anew)), ..Default::default() })
        .filter(Column::OrganizationId.eq(id.uuid()))
        .filter(Column::Key.eq(read))
}

fn import_url(id: TrackId, read: &[u8], anew: Vec<u8>) -> UpdateMany<source_import::Entity> {
    use source_import::{ActiveModel, Column};
    source_import::Entity::update_many()
        .set(ActiveModel { url: Set(anew), ..Default::default() })
        .filter(Column::TrackId.eq(id.uuid()))
        .filter(Column::Url.eq(read))
}

fn bucket_secret(
    id: OrganizationId,
    bucket: &BucketName,
    read: &[u8],
    anew: Vec<u8>,
) -> UpdateMany<import_bucket::Entity> {
    use import_bucket::{ActiveModel, Column};
    import_bucket::Entity::update_many()
        .set(ActiveModel { secret: Set(anew), ..Default::default() })
        .filter(Column::OrganizationId.eq(id.uuid()))
        .filter(Column::Bucket.eq(bucket.as_str()))
        .filter(Column::Secret.eq(read))
}

fn factor_secret(id: PersonId, read: &[u8], anew: Vec<u8>) -> UpdateMany<second_factor::Entity> {
    use second_factor::{ActiveModel, Column};
    second_factor::Entity::update_many()
        .set(ActiveModel { secret: Set(anew), ..Default::default() })
        .filter(Column::PersonId.eq(id.uuid()))
        .filter(Column::Secret.eq(read))
}

fn share_key(id: ApiKeyId, read: &[u8], anew: Vec<u8>) -> UpdateMany<share_key_text::Entity> {
    use share_key_text::{ActiveModel, Column};
    share_key_text::Entity::update_many()
        .set(ActiveModel { sealed: Set(anew), ..Default::default() })
        .filter(Column::ApiKeyId.eq(id.uuid()))
        .filter(Column::Sealed.eq(read))
}

fn acme_account(directory: &str, read: &[u8], anew: Vec<u8>) -> UpdateMany<acme_account::Entity> {
    use acme_account::{ActiveModel, Column};
    acme_account::Entity::update_many()
        .set(ActiveModel { sealed: Set(anew), ..Default::default() })
        .filter(Column::Directory.eq(directory))
        .filter(Column::Sealed.eq(read))
}

fn certificate_key(names: &str, read: &[u8], anew: Vec<u8>) -> UpdateMany<acme_certificate::Entity> {
    use acme_certificate::{ActiveModel, Column};
    acme_certificate::Entity::update_many()
        .set(ActiveModel { sealed_key: Set(Some(anew)), ..Default::default() })
        .filter(Column::Names.eq(names))
        .filter(Column::SealedKey.eq(read))
}

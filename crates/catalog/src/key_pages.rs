//! Pages of an organization's API keys, and the titles of the collections and tracks that the keys are limited to.

use std::collections::HashMap;

use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter};
use tonearm_domain::{
    ApiKey, ApiKeyId, Collection, CollectionId, Cursor, KeyState, KeyType, OrganizationId, Page, SearchWords,
    Timestamp, Total, Track, TrackId,
};

use crate::catalog::Catalog;
use crate::entity::api_key::{Column, Entity};
use crate::entity::{collection, track};
use crate::error::CatalogError;
use crate::keyset::{Keyset, searched_page};
use crate::living::living_track;
use crate::query::readable;

/// A query for a page of API keys.
#[derive(Debug, Clone)]
pub struct KeyQuery {
    /// Only keys of these types; never empty.
    pub key_types: Vec<KeyType>,
    /// Only keys in this state.
    pub state: KeyState,
    /// Only keys whose title contains all words.
    pub words: Option<SearchWords>,
    /// Where the page starts.
    pub cursor: Cursor<ApiKeyId>,
    /// The maximum number of rows.
    pub limit: u32,
}

/// The titles of collections and tracks. Deleted ones are omitted.
#[derive(Debug, Clone, Default)]
pub struct ScopeTitles {
    /// Collections.
    pub collections: HashMap<CollectionId, String>,
    /// Tracks.
    pub tracks: HashMap<TrackId, String>,
}

impl Catalog {
    /// A page of the organization's keys, the newest first; expired keys are sorted by expiry, the latest first. The
    /// total is not counted.
    pub async fn key_page(
        &self,
        organization: OrganizationId,
        query: &KeyQuery,
        now: Timestamp,
    ) -> Result<Page<ApiKey>, CatalogError> {
        let mut found = Condition::all().add(Column::OrganizationId.eq(organization.uuid()));
        if query.key_types.len() < KeyType::ALL.len() {
            let types = query.key_types.iter().map(|key_type| key_type.as_str());
            found = found.add(Column::ApiKeyTypeId.is_in(types));
        }
        found = match query.state {
            KeyState::Valid => found.add(Column::RevokedAt.is_null()).add(
                Condition::any()
                    .add(Column::ExpiresAt.is_null())
                    .add(Column::ExpiresAt.gt(now.unix_millis())),
            ),
            KeyState::Expired => found
                .add(Column::RevokedAt.is_null())
                .add(Column::ExpiresAt.is_not_null())
                .add(Column::ExpiresAt.lte(now.unix_millis())),
            KeyState::Revoked => found.add(Column::RevokedAt.is_not_null()),
        };
        let column = (query.state == KeyState::Expired).then_some(Column::ExpiresAt);
        let keyset = Keyset { column, id: Column::Id, is_descending: true };
        let cursor = query.cursor.map(|id| id.uuid());
        let (select, page) = (Entity::find().filter(found), (query.limit, Total::MoreThan(0)));
        let words = query.words.as_ref();
        searched_page(self.reader(), select, keyset, cursor, page, words, |row| vec![&row.title]).await
    }

    /// The titles of collections and tracks of the organization.
    pub async fn scope_titles(
        &self,
        organization: OrganizationId,
        collections: &[CollectionId],
        tracks: &[TrackId],
    ) -> Result<ScopeTitles, CatalogError> {
        let mut titles = ScopeTitles::default();
        if !collections.is_empty() {
            let select = collection::Entity::find()
                .filter(collection::Column::Id.is_in(collections.iter().map(|id| id.uuid())))
                .filter(collection::Column::OrganizationId.eq(organization.uuid()))
                .filter(collection::Column::DeletedAt.is_null());
            let found: Vec<Collection> = readable(self.reader(), select).await?;
            titles.collections = found.into_iter().map(|found| (found.id, found.title)).collect();
        }
        if !tracks.is_empty() {
            let select = track::Entity::find()
                .filter(track::Column::Id.is_in(tracks.iter().map(|id| id.uuid())))
                .filter(track::Column::OrganizationId.eq(organization.uuid()))
                .filter(living_track());
            let found: Vec<Track> = readable(self.reader(), select).await?;
            titles.tracks =
                found.into_iter().map(|found| (found.id, found.shown_title().to_owned())).collect();
        }
        Ok(titles)
    }
}

//! Data about listeners, who are identified by a hash that changes daily.

use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QuerySelect};
use tonearm_domain::{ApiKeyId, Day, ListenerId, OrganizationId, Played, Timestamp};

use super::MOST_KEPT_ROWS;
use crate::catalog::Catalog;
use crate::column::{corrupt, moment_if_set};
use crate::entity::{listener_sighting, listener_track};
use crate::error::CatalogError;
use crate::transaction::Transaction;
use crate::usage::parse_played;

/// What a listener received of a track on one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptListening {
    /// The organization that the track belongs to.
    pub organization_id: OrganizationId,
    /// The day.
    pub day: Day,
    /// The folder of the track's files.
    pub folder: String,
    /// How much audio was delivered, in microseconds.
    pub taken_micros: i64,
    /// What players reported as played.
    pub played: Played,
    /// Whether it counted as a listen.
    pub is_listen: bool,
    /// Until when the listener was assumed to be playing it.
    pub playing_until: Option<Timestamp>,
    /// The key of the share link that the listener used.
    pub share_key_id: Option<ApiKeyId>,
    /// The site whose page the player was on.
    pub referrer: Option<String>,
    /// Whether the listener was signed in to the dashboard.
    pub is_member: bool,
    /// The code of the country that the listener was in.
    pub country: Option<String>,
}

/// The record that a listener was counted on a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptSighting {
    /// The organization.
    pub organization_id: OrganizationId,
    /// The day.
    pub day: Day,
    /// The kind of subject, such as `collection`.
    pub kind: String,
    /// The subject: an id, a site or a country; empty for the organization.
    pub subject: String,
}

impl TryFrom<listener_track::Model> for KeptListening {
    type Error = CatalogError;

    fn try_from(row: listener_track::Model) -> Result<Self, CatalogError> {
        Ok(Self {
            organization_id: OrganizationId::from_uuid(row.organization_id),
            day: Day::from_number(row.day).ok_or_else(|| corrupt("listener_track.day"))?,
            folder: row.folder,
            taken_micros: row.taken_micros,
            played: parse_played(row.played.as_deref())?,
            is_listen: row.is_listen,
            playing_until: moment_if_set("listener_track.playing_until", row.playing_until)?,
            share_key_id: row.share_key_id.map(ApiKeyId::from_uuid),
            referrer: row.referrer,
            is_member: row.is_member,
            country: row.country,
        })
    }
}

impl TryFrom<listener_sighting::Model> for KeptSighting {
    type Error = CatalogError;

    fn try_from(row: listener_sighting::Model) -> Result<Self, CatalogError> {
        Ok(Self {
            organization_id: OrganizationId::from_uuid(row.organization_id),
            day: Day::from_number(row.day).ok_or_else(|| corrupt("listener_sighting.day"))?,
            kind: row.kind,
            subject: row.subject,
        })
    }
}

/// Matches the rows of these listeners in a table with a column for the day and one for the hash.
fn of_listeners<C: ColumnTrait>(day: C, hash: C, listeners: &[(Day, ListenerId)]) -> Condition {
    listeners.iter().fold(Condition::any(), |found, (of_day, listener)| {
        let is_one =
            Condition::all().add(day.eq(of_day.number())).add(hash.eq(listener.hash().cast_signed()));
        found.add(is_one)
    })
}

fn tracks_of(listeners: &[(Day, ListenerId)]) -> Condition {
    of_listeners(listener_track::Column::Day, listener_track::Column::Listener, listeners)
}

fn sightings_of(listeners: &[(Day, ListenerId)]) -> Condition {
    of_listeners(listener_sighting::Column::Day, listener_sighting::Column::Listener, listeners)
}

impl Catalog {
    /// What these listeners received, each on its day.
    pub async fn kept_listening(
        &self,
        listeners: &[(Day, ListenerId)],
    ) -> Result<Vec<KeptListening>, CatalogError> {
        if listeners.is_empty() {
            return Ok(Vec::new());
        }
        let select = listener_track::Entity::find().filter(tracks_of(listeners)).limit(MOST_KEPT_ROWS);
        select.all(self.reader()).await?.into_iter().map(KeptListening::try_from).collect()
    }

    /// What these listeners were counted for, each on its day.
    pub async fn kept_sightings(
        &self,
        listeners: &[(Day, ListenerId)],
    ) -> Result<Vec<KeptSighting>, CatalogError> {
        if listeners.is_empty() {
            return Ok(Vec::new());
        }
        let select = listener_sighting::Entity::find().filter(sightings_of(listeners)).limit(MOST_KEPT_ROWS);
        select.all(self.reader()).await?.into_iter().map(KeptSighting::try_from).collect()
    }
}

impl Transaction {
    /// Deletes the data of these listeners, each on its day. Returns the number of rows.
    pub async fn forget_listeners(&self, listeners: &[(Day, ListenerId)]) -> Result<u64, CatalogError> {
        if listeners.is_empty() {
            return Ok(0);
        }
        let tracks = listener_track::Entity::delete_many().filter(tracks_of(listeners));
        let sightings = listener_sighting::Entity::delete_many().filter(sightings_of(listeners));
        let tracks = tracks.exec(self.db()).await?.rows_affected;
        Ok(tracks + sightings.exec(self.db()).await?.rows_affected)
    }
}

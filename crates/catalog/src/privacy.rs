//! What is kept about a person or a listener, and forgetting it.

use sea_orm::sea_query::Expr;
use sea_orm::{ColumnTrait, Condition, EntityTrait, QueryFilter, QueryOrder, QuerySelect, QueryTrait};
use tonearm_domain::{
    AuditEntryId, AuditRecord, Day, EmailAddress, Invitation, KnownDevice, ListenerId, Membership,
    OrganizationId, PersonId,
};

use crate::catalog::Catalog;
use crate::entity::{
    audit_entry, invitation, known_device, listener_sighting, listener_track, membership, undo_entry,
    upload_session,
};
use crate::error::CatalogError;
use crate::query::all;
use crate::transaction::Transaction;

/// Most rows of a kind that are told of at once. There are fewer of a person, or of a listener's day.
const MOST: u64 = 10_000;

/// That a listener took of a track on one day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptListening {
    /// Whose track it is.
    pub organization_id: OrganizationId,
    /// The day.
    pub day: Day,
    /// The folder of the track's files.
    pub folder: String,
    /// How much sound was taken, in microseconds.
    pub taken_micros: i64,
    /// Whether it became a listen.
    pub is_listen: bool,
    /// The site whose page the player was on.
    pub referrer: Option<String>,
    /// The code of the country that the listener was in.
    pub country: Option<String>,
}

fn of_listener(listeners: &[(Day, ListenerId)]) -> Condition {
    use listener_track::Column;
    listeners.iter().fold(Condition::any(), |found, (day, listener)| {
        found.add(
            Condition::all()
                .add(Column::Day.eq(day.number()))
                .add(Column::Listener.eq(listener.hash().cast_signed())),
        )
    })
}

fn sightings_of(listeners: &[(Day, ListenerId)]) -> Condition {
    use listener_sighting::Column;
    listeners.iter().fold(Condition::any(), |found, (day, listener)| {
        found.add(
            Condition::all()
                .add(Column::Day.eq(day.number()))
                .add(Column::Listener.eq(listener.hash().cast_signed())),
        )
    })
}

impl Catalog {
    /// The next lines of the audit log of all organizations and of none, the oldest first, after `after`.
    pub async fn audit_walk(
        &self,
        after: Option<AuditEntryId>,
        limit: u64,
    ) -> Result<Vec<AuditRecord>, CatalogError> {
        use audit_entry::{Column, Entity};
        let select = Entity::find()
            .apply_if(after, |select, after| select.filter(Column::Id.gt(after.uuid())))
            .order_by_asc(Column::Id)
            .limit(limit);
        all(self.reader(), select).await
    }

    /// The memberships of a person.
    pub async fn memberships_of(&self, person: PersonId) -> Result<Vec<Membership>, CatalogError> {
        use membership::{Column, Entity};
        let select = Entity::find().filter(Column::PersonId.eq(person.uuid())).limit(MOST);
        all(self.reader(), select).await
    }

    /// The browsers in which a person has signed in.
    pub async fn known_devices(&self, person: PersonId) -> Result<Vec<KnownDevice>, CatalogError> {
        use known_device::{Column, Entity};
        let select = Entity::find().filter(Column::PersonId.eq(person.uuid())).limit(MOST);
        all(self.reader(), select).await
    }

    /// Links that were sent to an address, or made or used by a person.
    pub async fn invitations_about(
        &self,
        person: Option<PersonId>,
        email: Option<&EmailAddress>,
    ) -> Result<Vec<Invitation>, CatalogError> {
        use invitation::{Column, Entity};
        let about = Condition::any()
            .add_option(person.map(|id| Column::PersonId.eq(id.uuid())))
            .add_option(person.map(|id| Column::CreatedBy.eq(id.uuid())))
            .add_option(email.map(|email| Column::Email.eq(email.as_str())));
        if about.is_empty() {
            return Ok(Vec::new());
        }
        all(self.reader(), Entity::find().filter(about).order_by_asc(Column::Id).limit(MOST)).await
    }

    /// What listeners took on their days.
    pub async fn kept_listening(
        &self,
        listeners: &[(Day, ListenerId)],
    ) -> Result<Vec<KeptListening>, CatalogError> {
        use listener_track::Entity;
        if listeners.is_empty() {
            return Ok(Vec::new());
        }
        let rows = Entity::find().filter(of_listener(listeners)).limit(MOST).all(self.reader()).await?;
        let kept = rows.into_iter().map(|row| {
            let day = Day::from_number(row.day);
            Ok(KeptListening {
                organization_id: OrganizationId::from_uuid(row.organization_id),
                day: day.ok_or_else(|| crate::column::corrupt("listener_track.day"))?,
                folder: row.folder,
                taken_micros: row.taken_micros,
                is_listen: row.is_listen,
                referrer: row.referrer,
                country: row.country,
            })
        });
        kept.collect()
    }
}

impl Transaction {
    /// Takes the addresses out of lines of the audit log that tell what a person did, and the title and the address out of
    /// those that tell what was done to the person's account. The lines stay.
    pub async fn anonymise_audit(
        &self,
        done_by: &[AuditEntryId],
        about: &[AuditEntryId],
        replacement: &str,
    ) -> Result<(), CatalogError> {
        use audit_entry::{Column, Entity};
        if !done_by.is_empty() {
            Entity::update_many()
                .col_expr(Column::Address, Expr::value(None::<String>))
                .filter(Column::Id.is_in(done_by.iter().map(|id| id.uuid())))
                .exec(self.db())
                .await?;
        }
        if !about.is_empty() {
            Entity::update_many()
                .col_expr(Column::Title, Expr::value(replacement))
                .filter(Column::Id.is_in(about.iter().map(|id| id.uuid())))
                .exec(self.db())
                .await?;
        }
        Ok(())
    }

    /// Forgets the links that were sent to an address, and the person in what else names one for a while.
    pub async fn forget_person(
        &self,
        person: Option<PersonId>,
        email: Option<&EmailAddress>,
    ) -> Result<(), CatalogError> {
        if let Some(email) = email {
            use invitation::{Column, Entity};
            Entity::delete_many().filter(Column::Email.eq(email.as_str())).exec(self.db()).await?;
        }
        let Some(person) = person else { return Ok(()) };
        undo_entry::Entity::delete_many()
            .filter(undo_entry::Column::PersonId.eq(person.uuid()))
            .exec(self.db())
            .await?;
        upload_session::Entity::update_many()
            .col_expr(upload_session::Column::PersonId, Expr::value(None::<uuid::Uuid>))
            .filter(upload_session::Column::PersonId.eq(person.uuid()))
            .exec(self.db())
            .await?;
        Ok(())
    }

    /// Forgets what listeners took on their days. Gives how many rows there were.
    pub async fn forget_listeners(&self, listeners: &[(Day, ListenerId)]) -> Result<u64, CatalogError> {
        if listeners.is_empty() {
            return Ok(0);
        }
        let tracks = listener_track::Entity::delete_many().filter(of_listener(listeners));
        let sightings = listener_sighting::Entity::delete_many().filter(sightings_of(listeners));
        let tracks = tracks.exec(self.db()).await?.rows_affected;
        Ok(tracks + sightings.exec(self.db()).await?.rows_affected)
    }
}

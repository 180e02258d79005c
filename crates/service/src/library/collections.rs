//! Collections.

use tonearm_catalog::Transaction;
use tonearm_domain::{
    AuditAction, Collection, CollectionId, Colour, CreatorId, EventKind, Job, ListPart, ListWindow, Metadata,
    Palette, Patch, PlayerColour, PlayerColours, SentRecord, Theme,
};

use super::find_tracks::require_ids_only;
use super::texts::{self, LONGEST, check_changed, check_changed_index, set_required};
use super::{Library, derived};
use crate::audit::{self, AuditedAction};
use crate::caller::Caller;
use crate::delivery::UploadHandle;
use crate::refusal::{Refusal, Resource};
use crate::webhooks::events;

/// A collection with its own colour, if it has one: set by hand or found in its cover.
#[derive(Debug, Clone)]
pub struct CollectionView {
    /// The collection.
    pub collection: Collection,
    /// Its own colour with its companion colours.
    pub colours: Option<PlayerColours>,
}

impl From<Collection> for CollectionView {
    fn from(collection: Collection) -> Self {
        let colours = collection.colour().map(Colour::companions);
        Self { collection, colours }
    }
}

/// Parameters of a new collection.
#[derive(Debug, Clone, Default)]
pub struct CreateCollection {
    /// Its title, not empty.
    pub title: String,
    /// The creator it comes from.
    pub creator_id: Option<CreatorId>,
    /// The caller's own external id.
    pub organization_index: Option<String>,
    /// The caller's own data.
    pub metadata: Metadata,
    /// Whether its tracks may bring their own cover; default: true.
    pub is_cover_overridable: Option<bool>,
    /// Whether its tracks may bring their own colours; default: true.
    pub is_theme_overridable: Option<bool>,
    /// Its own player colour.
    pub player_colour: Option<Colour>,
    /// Its own line under the title.
    pub player_subtitle: Option<String>,
    /// Its own colours.
    pub theme: Option<Palette>,
}

/// Changes to a collection.
#[derive(Debug, Clone, Default)]
pub struct UpdateCollection {
    /// Its title; cannot be cleared.
    pub title: Patch<String>,
    /// The creator it comes from.
    pub creator_id: Patch<CreatorId>,
    /// The caller's own external id.
    pub organization_index: Patch<String>,
    /// The caller's own data. Clearing it leaves it empty.
    pub metadata: Patch<Metadata>,
    /// Whether its tracks may bring their own cover.
    pub is_cover_overridable: Patch<bool>,
    /// Whether its tracks may bring their own colours.
    pub is_theme_overridable: Patch<bool>,
    /// Its own player colour.
    pub player_colour: Patch<Colour>,
    /// Its own line under the title.
    pub player_subtitle: Patch<String>,
    /// Its own colours. If cleared, those found in its cover apply.
    pub theme: Patch<Palette>,
    /// Whether the caller sends back a whole record.
    pub record: SentRecord,
}

impl Library {
    /// One page of the collections in the caller's reach, and the total number.
    pub async fn collections(
        &self,
        caller: &Caller,
        window: ListWindow,
    ) -> Result<ListPart<CollectionView>, Refusal> {
        if caller.scope.track().is_some() {
            return Ok(ListPart::by_offset((0, Vec::new())));
        }
        let (organization_id, only) = (caller.organization_id, caller.scope.collection());
        let part = match window {
            ListWindow::Offset(page) => {
                ListPart::by_offset(self.catalog.collections(organization_id, only, page).await?)
            }
            ListWindow::After { position, limit } => {
                require_ids_only(position.as_ref())?;
                self.catalog.collections_after(organization_id, only, (position.as_ref(), limit)).await?
            }
        };
        Ok(part.map(Into::into))
    }

    /// One collection.
    pub async fn collection(&self, caller: &Caller, id: CollectionId) -> Result<CollectionView, Refusal> {
        caller.reach_collection(id)?;
        let collection = self.catalog.collection(caller.organization_id, id).await?;
        collection.map(Into::into).ok_or(Refusal::NotFound(Resource::Collection))
    }

    /// The number of tracks in a collection.
    pub async fn track_count(&self, caller: &Caller, id: CollectionId) -> Result<u64, Refusal> {
        caller.reach_collection(id)?;
        let count = self.catalog.track_count(caller.organization_id, id).await?;
        count.ok_or(Refusal::NotFound(Resource::Collection))
    }

    /// Creates a collection and signs the URL for its cover.
    pub async fn create_collection(
        &self,
        caller: &Caller,
        create: CreateCollection,
    ) -> Result<(CollectionView, UploadHandle), Refusal> {
        let collection = self.new_collection(caller, create).await?;
        let tx = self.catalog.begin().await?;
        self.insert_collection(&tx, caller, &collection).await?;
        tx.commit().await?;
        let cover = self.links.collection_cover_upload(collection.organization_id, collection.id);
        Ok((collection.into(), cover))
    }

    /// A collection that the caller may create, not yet stored.
    pub(super) async fn new_collection(
        &self,
        caller: &Caller,
        create: CreateCollection,
    ) -> Result<Collection, Refusal> {
        caller.require_whole_organization()?;
        if create.title.trim().is_empty() {
            return Err(Refusal::invalid("title", "cannot be empty"));
        }
        texts::check_index(create.organization_index.as_deref())?;
        texts::check::<LONGEST>(&[
            ("title", Some(&create.title)),
            ("player_subtitle", create.player_subtitle.as_deref()),
        ])?;
        let creator_id = create.creator_id.or(caller.creator_id);
        self.require_creator(caller, creator_id).await?;
        Ok(Collection {
            id: self.ambient.record_id(),
            organization_id: caller.organization_id,
            creator_id,
            folder: self.ambient.short_id(),
            organization_index: create.organization_index,
            title: create.title,
            metadata: create.metadata,
            cover: None,
            theme: Theme { set: create.theme, found: Vec::new() },
            is_cover_overridable: create.is_cover_overridable.unwrap_or(true),
            is_theme_overridable: create.is_theme_overridable.unwrap_or(true),
            player_colour: create.player_colour,
            player_subtitle: create.player_subtitle,
            created_at: self.ambient.now(),
            deleted_at: None,
        })
    }

    /// Stores a collection, queues the webhook event and writes the audit log.
    pub(super) async fn insert_collection(
        &self,
        tx: &Transaction,
        caller: &Caller,
        collection: &Collection,
    ) -> Result<(), Refusal> {
        tx.insert_collection(collection).await?;
        self.note_collection(tx, caller, EventKind::CollectionCreated, collection).await
    }

    /// Changes a collection. An update that changes nothing is not reported to webhooks.
    pub async fn update_collection(
        &self,
        caller: &Caller,
        id: CollectionId,
        update: UpdateCollection,
    ) -> Result<CollectionView, Refusal> {
        caller.reach_collection(id)?;
        self.require_creator(caller, update.creator_id.given().flatten()).await?;
        let tx = self.catalog.begin().await?;
        let mut collection = tx
            .collection(caller.organization_id, id)
            .await?
            .ok_or(Refusal::NotFound(Resource::Collection))?;
        let before = collection.clone();
        update.apply(&mut collection)?;
        if collection == before {
            return Ok(collection.into());
        }
        tx.update_collection(&collection).await?;
        derived::collection_changed(&tx, &self.ambient, (&before, &collection)).await?;
        self.note_collection(&tx, caller, EventKind::CollectionUpdated, &collection).await?;
        tx.commit().await?;
        Ok(collection.into())
    }

    /// Soft-deletes a collection together with all its tracks, and queues the removal of their objects: at once, or, if
    /// a person deleted it, for the time when the deletion can no longer be undone. This takes the same time for any
    /// number of tracks.
    pub async fn delete_collection(
        &self,
        caller: &Caller,
        id: CollectionId,
    ) -> Result<CollectionView, Refusal> {
        caller.reach_collection(id)?;
        let organization_id = caller.organization_id;
        let tx = self.catalog.begin().await?;
        let collection = tx
            .collection_to_end(organization_id, id)
            .await?
            .ok_or(Refusal::NotFound(Resource::Collection))?;
        let deletion = self.deletion(caller);
        tx.soft_delete_collection(organization_id, id, deletion).await?;
        self.note_collection(&tx, caller, EventKind::CollectionDeleted, &collection).await?;
        let job = Job::EmptyCollection { organization_id, collection_id: id };
        tx.enqueue(job, self.ambient.record_id(), deletion.purge_at(), None).await?;
        tx.commit().await?;
        Ok(collection.into())
    }
}

impl Library {
    /// Queues the webhook event and writes the audit log.
    async fn note_collection(
        &self,
        tx: &Transaction,
        caller: &Caller,
        event: EventKind,
        collection: &Collection,
    ) -> Result<(), Refusal> {
        let action = match event {
            EventKind::CollectionCreated => AuditAction::CollectionCreate,
            EventKind::CollectionDeleted => AuditAction::CollectionDelete,
            _ => AuditAction::CollectionUpdate,
        };
        let done = AuditedAction { action, subject_id: collection.id.uuid(), title: &collection.title };
        audit::record(tx, &self.ambient, caller, done).await?;
        Ok(events::collection_changed(tx, &self.ambient, event, collection).await?)
    }
}

impl UpdateCollection {
    fn apply(self, collection: &mut Collection) -> Result<(), Refusal> {
        check_changed::<LONGEST>("title", &self.title, Some(&collection.title))?;
        check_changed_index(&self.organization_index, collection.organization_index.as_deref())?;
        let subtitle = collection.player_subtitle.as_deref();
        check_changed::<LONGEST>("player_subtitle", &self.player_subtitle, subtitle)?;
        set_required("title", self.title, &mut collection.title)?;
        self.creator_id.apply(&mut collection.creator_id)?;
        self.organization_index.apply(&mut collection.organization_index)?;
        self.metadata.apply_or(&mut collection.metadata, Metadata::default())?;
        self.is_cover_overridable.apply_or(&mut collection.is_cover_overridable, true)?;
        self.is_theme_overridable.apply_or(&mut collection.is_theme_overridable, true)?;
        let player = PlayerColour { set: collection.player_colour, shown: collection.colour() };
        player.apply(self.player_colour, self.record, &mut collection.player_colour)?;
        collection.theme.apply(self.theme, self.record, player)?;
        self.player_subtitle.apply(&mut collection.player_subtitle)?;
        Ok(())
    }
}

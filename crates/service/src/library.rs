//! What an organization owns, and its API keys.

mod add_variant;
mod collections;
pub(crate) mod covers;
mod create_organization;
mod create_track;
mod creators;
mod delete_track;
pub(crate) mod derived;
mod find_tracks;
mod follow_track;
mod keys;
mod order_tracks;
mod organizations;
mod pages;
mod progress;
mod quotas;
mod read_job;
mod read_tracks;
mod recipe_order;
mod recipes;
mod rendering_progress;
pub(crate) mod renderings;
mod renew_collection_cover_upload;
mod renew_cover_upload;
pub(crate) mod replace_source;
mod reset_cover;
mod retry_track;
mod rotate_key;
pub(crate) mod selected;
mod share_links;
pub(crate) mod texts;
mod transcript;
mod trash;
mod update_key;
mod update_track;
mod variants;

use tonearm_catalog::Catalog;
use tonearm_domain::{Ambient, Deletion, KeepDeleted};
use tonearm_signing::Vault;

use crate::admission::Admission;
use crate::caller::Caller;
use crate::delivery::Links;
use crate::imports::Imports;

pub use collections::{CollectionView, CreateCollection, UpdateCollection};
pub use create_organization::CreatedOrganization;
pub use create_track::{CreateTrack, UploadHandles};
pub use creators::{CreateCreator, UpdateCreator};
pub use find_tracks::FoundTrack;
pub use follow_track::TrackWatch;
pub use keys::{CreateKey, CreatedKey};
pub use organizations::{OrganizationView, UpdateOrganization};
pub use pages::ListedTracks;
pub use progress::{ProgressWatch, TrackProgressView, TracksInTheMaking};
pub use quotas::{QuotaView, UpdateQuotas};
pub use read_job::JobView;
pub use recipes::{RecipeView, UpdateRecipe};
pub use rendering_progress::TrackInRendering;
pub use retry_track::MissingVariants;
pub use rotate_key::RotatedKey;
pub use selected::{Changed, NewTitle, Reordering, Repositioned, SelectedTracks, Undone};
pub(crate) use share_links::vault_context;
pub use share_links::{CreateShareLink, ShareLink, ShareLinkPage};
pub use transcript::{EditTranscript, Transcript};
pub(crate) use trash::resume;
pub use update_key::{FixedOfKey, UpdateKey};
pub use update_track::UpdateTrack;

pub(crate) use create_organization::insert_organization;
pub(crate) use create_track::insert_track;

/// Manages organizations, collections, creators, tracks, variants and keys.
#[derive(Clone)]
pub struct Library {
    catalog: Catalog,
    ambient: Ambient,
    links: Links,
    feed: progress::ProgressFeed,
    keep_deleted: KeepDeleted,
    admission: Admission,
    imports: Option<Imports>,
    vault: Option<Vault>,
}

impl Library {
    /// Creates the library use cases for this catalog. `links` makes the URLs that are returned.
    pub fn new(catalog: Catalog, ambient: Ambient, links: Links) -> Self {
        let (feed, keep_deleted) = (progress::ProgressFeed::default(), KeepDeleted::default());
        let admission = Admission::default();
        Self { catalog, ambient, links, feed, keep_deleted, admission, imports: None, vault: None }
    }

    /// Sets how long deleted items are kept.
    pub fn keeping_deleted(self, keep_deleted: KeepDeleted) -> Self {
        Self { keep_deleted, ..self }
    }

    /// Sets the rules by which uploads are admitted. No tracks are created while uploads are refused.
    pub fn with_admission(self, admission: Admission) -> Self {
        Self { admission, ..self }
    }

    /// Enables imports for new tracks that request one.
    pub fn with_imports(self, imports: Imports) -> Self {
        Self { imports: Some(imports), ..self }
    }

    /// Stores the texts of share links, sealed with `vault`, so that they can be shown again.
    pub fn with_vault(self, vault: Vault) -> Self {
        Self { vault: Some(vault), ..self }
    }

    /// Whether the files of new tracks can be imported.
    pub fn allows_imports(&self) -> bool {
        self.imports.as_ref().is_some_and(Imports::is_enabled)
    }

    /// The URLs of this service.
    pub fn links(&self) -> &Links {
        &self.links
    }

    /// A deletion by this caller at the current time.
    fn deletion(&self, caller: &Caller) -> Deletion {
        Deletion::by(caller.origin.actor, self.ambient.now(), self.keep_deleted)
    }
}

//! What an organization owns, and the keys to it.

mod add_variant;
mod collections;
mod create_organization;
mod create_track;
mod creators;
mod delete_track;
mod keys;
mod organizations;
mod progress;
mod read_tracks;
mod recipes;
mod renew_collection_cover_upload;
mod renew_cover_upload;
mod update_track;
mod variants;

use tonearm_catalog::Catalog;
use tonearm_domain::Ambient;

use crate::Links;

pub use collections::{CollectionView, CreateCollection, UpdateCollection};
pub use create_organization::CreatedOrganization;
pub use create_track::{CreateTrack, UploadHandles};
pub use creators::{CreateCreator, UpdateCreator};
pub use keys::{CreateKey, CreatedKey};
pub use organizations::{OrganizationView, UpdateOrganization};
pub use progress::{ProgressWatch, TrackProgressView, TracksInTheMaking};
pub use recipes::{RecipeView, UpdateRecipe};
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
}

impl Library {
    /// Over the catalog, handing out `links`.
    pub fn new(catalog: Catalog, ambient: Ambient, links: Links) -> Self {
        Self { catalog, ambient, links, feed: progress::ProgressFeed::default() }
    }
}

//! The tracks that are played: several organizations, each with a collection of tracks that are ready.

use anyhow::{Context, Result};
use tonearm_catalog::Catalog;
use tonearm_domain::{
    Ambient, CollectionId, ContentType, FileData, FileOutcome, Levels, Metric, ObjectFile, ObjectKey,
    OrganizationId, Recipe, RecipeType, Track, TrackFile, TrackStatus,
};
use tonearm_service::{Caller, CreateCollection, CreateTrack, Library, Links};

/// Number of organizations.
const ORGANIZATIONS: usize = 5;
/// Tracks of each organization.
const TRACKS: usize = 20;
/// Length of each track in seconds, and size of its largest file in bytes.
pub(crate) const SECONDS: u32 = 180;
pub(crate) const BYTES: u64 = 4_320_000;

/// A track that can be played.
#[derive(Debug, Clone)]
pub(crate) struct Playable {
    pub(crate) organization_id: OrganizationId,
    pub(crate) collection_id: CollectionId,
    pub(crate) track: Track,
    /// The file that listeners fetch.
    pub(crate) key: ObjectKey,
}

/// Creates all organizations and their tracks.
pub(crate) async fn make(catalog: &Catalog, ambient: &Ambient, links: Links) -> Result<Vec<Playable>> {
    let library = Library::new(catalog.clone(), ambient.clone(), links);
    let mut made = Vec::new();
    for number in 0..ORGANIZATIONS {
        let organization = library.create_organization(&format!("Organization {number}")).await?.organization;
        let caller = Caller::owner(organization.id);
        let create = CreateCollection { title: "Collection".to_owned(), ..CreateCollection::default() };
        let (collection, _) = library.create_collection(&caller, create).await?;
        for _ in 0..TRACKS {
            let create = CreateTrack {
                collection_id: Some(collection.collection.id),
                file_name: "tone.wav".to_owned(),
                player_title: Some("Tone".to_owned()),
                ..CreateTrack::default()
            };
            let (created, _) = library.create_track(&caller, create).await?;
            made.push(make_playable(catalog, ambient, created.track).await?);
        }
    }
    Ok(made)
}

/// Makes the changes to a track that processing would make.
async fn make_playable(catalog: &Catalog, ambient: &Ambient, mut track: Track) -> Result<Playable> {
    let recipes = catalog.recipes(track.organization_id).await?;
    let tx = catalog.begin().await?;
    (track.status, track.duration) = (TrackStatus::Ready, f64::from(SECONDS));
    tx.update_track(&track).await?;
    tx.delete_upload_expiry(track.id).await?;
    let mut first = None;
    for recipe in recipes {
        let key = key(ambient, &track, &recipe);
        first.get_or_insert_with(|| key.clone());
        tx.put_track_file(&made_by(ambient, &track, recipe, key)).await?;
    }
    tx.commit().await?;
    let (organization_id, collection_id) = (track.organization_id, track.collection_id);
    Ok(Playable { organization_id, collection_id, track, key: first.context("no recipes")? })
}

fn key(ambient: &Ambient, track: &Track, recipe: &Recipe) -> ObjectKey {
    let file = ObjectFile {
        label: recipe.index.clone(),
        version: ambient.short_id(),
        content_type: ContentType::Mp3,
    };
    ObjectKey { organization_id: track.organization_id, folder: track.index, file }
}

fn made_by(ambient: &Ambient, track: &Track, recipe: Recipe, key: ObjectKey) -> TrackFile {
    let data = match recipe.kind.recipe_type() {
        RecipeType::Levels => FileData::Levels(Levels::new([0.25, 0.5], Metric::Peak, 200)),
        RecipeType::Preview => FileData::Preview {
            duration: 30.0,
            capture_start: 15.0,
            capture_end: 45.0,
            missed_loudness: None,
        },
        _ => FileData::NONE,
    };
    TrackFile {
        id: ambient.record_id(),
        track_id: track.id,
        recipe,
        outcome: FileOutcome::Made {
            key,
            size: BYTES,
            sha256: None,
            file_name: "tone.mp3".to_owned(),
            data,
            made_from: None,
        },
        created_at: ambient.now(),
    }
}

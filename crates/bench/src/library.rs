//! A large library, written directly to the database: creating it is not part of the measurement.

use anyhow::{Context, Result};
use tonearm_catalog::{Catalog, ConnectOptions};
use tonearm_domain::{
    Ambient, Collection, CollectionId, ContentType, FileData, FileOutcome, Levels, Metadata, Metric,
    ObjectFile, ObjectKey, OrganizationId, Recipe, Track, TrackFile, TrackId, TrackInfo, TrackStatus,
};

use crate::stage::Stage;

/// Tracks written in one transaction.
const AT_ONCE: usize = 1000;
/// Tracks of each of the smaller collections.
const IN_SMALL_ONES: usize = 100;
/// Levels of each waveform.
const LEVELS: usize = 60;
/// How many tracks and words are requested.
const SOME: usize = 20;

/// The contents of the library.
pub(crate) struct Library {
    /// The collection that has half of the tracks.
    pub(crate) largest: CollectionId,
    /// Tracks from all parts of the largest collection.
    pub(crate) some: Vec<TrackId>,
    /// Words that each occur in one track.
    pub(crate) words: Vec<String>,
}

/// Creates `count` tracks: half of them in one collection, the others in small ones.
pub(crate) async fn fill(stage: &Stage, count: usize) -> Result<Library> {
    let database = format!("sqlite://{}", stage.folder().join("data/tonearm.db").display());
    let catalog = Catalog::connect(&database.parse()?, ConnectOptions::default()).await?;
    let (ambient, _) = tonearm_fixtures::ambient();
    let organization_id: OrganizationId = stage.organization_id().parse()?;
    let recipes = catalog.recipes(organization_id).await?;
    let levels = recipes.into_iter().find(|recipe| recipe.index.as_str() == "levels").context("no levels")?;
    let mut filling = Filling { catalog, ambient, organization_id, levels, library: None };
    let large = count / 2;
    let largest = filling.collection("The largest").await?;
    filling.library = Some(Library { largest, some: Vec::new(), words: Vec::new() });
    filling.tracks(largest, 0, large).await?;
    for begin in (large..count).step_by(IN_SMALL_ONES) {
        let collection = filling.collection(&format!("Collection {begin}")).await?;
        filling.tracks(collection, begin, IN_SMALL_ONES.min(count - begin)).await?;
    }
    filling.catalog.close().await?;
    filling.library.context("nothing was filled")
}

struct Filling {
    catalog: Catalog,
    ambient: Ambient,
    organization_id: OrganizationId,
    levels: Recipe,
    library: Option<Library>,
}

impl Filling {
    async fn collection(&self, title: &str) -> Result<CollectionId> {
        let collection = Collection {
            id: self.ambient.record_id(),
            organization_id: self.organization_id,
            creator_id: None,
            folder: self.ambient.short_id(),
            organization_index: None,
            title: title.to_owned(),
            metadata: Metadata::default(),
            cover: None,
            theme: tonearm_domain::Theme::default(),
            is_cover_overridable: true,
            is_theme_overridable: true,
            player_colour: None,
            player_subtitle: None,
            created_at: self.ambient.now(),
            deleted_at: None,
        };
        let tx = self.catalog.begin().await?;
        tx.insert_collection(&collection).await?;
        tx.commit().await?;
        Ok(collection.id)
    }

    async fn tracks(&mut self, collection_id: CollectionId, begin: usize, count: usize) -> Result<()> {
        for first in (begin..begin + count).step_by(AT_ONCE) {
            let tx = self.catalog.begin().await?;
            for number in first..(first + AT_ONCE).min(begin + count) {
                let track = self.track(collection_id, number);
                tx.insert_track(&track).await?;
                tx.put_track_file(&self.waveform(&track, number)).await?;
                self.look_at(&track, number, count);
            }
            tx.commit().await?;
        }
        Ok(())
    }

    fn look_at(&mut self, track: &Track, number: usize, count: usize) {
        if let Some(library) = &mut self.library
            && library.some.len() < SOME
            && number % (count / SOME).max(1) == count / SOME / 2
        {
            library.some.push(track.id);
            library.words.push(word(number));
        }
    }

    fn track(&self, collection_id: CollectionId, number: usize) -> Track {
        let now = self.ambient.now();
        Track {
            id: self.ambient.record_id(),
            organization_id: self.organization_id,
            collection_id,
            creator_id: None,
            upload_session_id: None,
            index: self.ambient.short_id(),
            organization_index: Some(format!("shop-{number}")),
            order: 0,
            duration: (number * 7919 % 4000) as f64,
            file_name: format!("{} take {number}.wav", word(number * 31)),
            file_name_original: Some(format!("{} take {number}.wav", word(number * 31))),
            info: TrackInfo::default(),
            metadata: Metadata::default(),
            player_title: Some(format!("{} take {number}", word(number))),
            player_subtitle: Some("Recorded in the open air".to_owned()),
            player_colour: None,
            theme: tonearm_domain::Theme::default(),
            cover: None,
            placeholder: None,
            is_cover_overridable: true,
            is_theme_overridable: true,
            transcription: None,
            transcription_language: None,
            status: if number.is_multiple_of(50) { TrackStatus::Error } else { TrackStatus::Ready },
            status_reason: None,
            is_early: false,
            source: None,
            upload_expires_at: now,
            created_at: now,
            deleted_at: None,
        }
    }

    fn waveform(&self, track: &Track, number: usize) -> TrackFile {
        let file = ObjectFile {
            label: self.levels.index.clone(),
            version: self.ambient.short_id(),
            content_type: ContentType::Json,
        };
        let levels = (0..LEVELS).map(|at| ((at * 37 + number) % 100) as f64 / 100.0);
        TrackFile {
            id: self.ambient.record_id(),
            track_id: track.id,
            recipe: self.levels.clone(),
            outcome: FileOutcome::Made {
                key: ObjectKey { organization_id: self.organization_id, folder: track.index, file },
                size: 500,
                sha256: None,
                file_name: "levels.json".to_owned(),
                data: FileData::Levels(Levels::new(levels, Metric::Peak, LEVELS as u64)),
                made_from: None,
            },
            created_at: track.created_at,
        }
    }
}

/// A word that is different for every number, in no particular order.
fn word(number: usize) -> String {
    let mut rest = (number as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 20;
    let mut word = String::new();
    for _ in 0..4 {
        word.push(char::from(b"bdfgklmnprstvz"[(rest % 14) as usize]));
        rest /= 14;
        word.push(char::from(b"aeiou"[(rest % 5) as usize]));
        rest /= 5;
    }
    word
}

//! Walks through the catalog and the store in parallel, in the order of the object names.
//!
//! Both are read a page at a time, so memory does not grow with the library.

mod rate;
mod read_failures;

use std::collections::{HashMap, HashSet};

use futures::StreamExt;
use futures::stream::BoxStream;
use tonearm_blobs::{BlobError, Blobs, ObjectMeta};
use tonearm_catalog::{Catalog, CatalogError, NamedKind, NamedObject, NamedTrack, Snapshot, TrackFolder};
use tonearm_domain::{ObjectKey, TrackId, TrackManifest};

pub(crate) use rate::Rate;
pub(crate) use read_failures::{HeadOutcome, ReadFailures};

/// The number of objects that are listed before their rows are read.
const GROUP: usize = 1000;
/// The number of tracks per page.
const PAGE: u64 = 200;

/// The rows that the store is compared with.
pub(crate) enum Rows<'a> {
    /// The catalog, while others write.
    Live {
        catalog: &'a Catalog,
        /// See [`Catalog::orders_bytewise`].
        is_bytewise: bool,
    },
    /// The catalog at one moment.
    Snapshot(&'a Snapshot),
}

impl Rows<'_> {
    async fn tracks(
        &self,
        after: Option<TrackFolder>,
        until: Option<TrackFolder>,
    ) -> Result<Vec<NamedTrack>, CatalogError> {
        match self {
            Self::Live { catalog, is_bytewise } => {
                catalog.tracks_between(*is_bytewise, after, until, PAGE).await
            }
            Self::Snapshot(snapshot) => snapshot.tracks_between(after, until, PAGE).await,
        }
    }

    async fn known_objects(&self, keys: &[ObjectKey]) -> Result<HashSet<ObjectKey>, CatalogError> {
        match self {
            Self::Live { catalog, .. } => catalog.known_objects(keys).await,
            Self::Snapshot(snapshot) => snapshot.known_objects(keys).await,
        }
    }
}

/// Why the walk ends early.
#[derive(Debug, thiserror::Error)]
pub(crate) enum WalkError {
    #[error(transparent)]
    Store(#[from] BlobError),
    #[error(transparent)]
    Catalog(#[from] CatalogError),
}

/// An object that a track names.
#[derive(Debug, Clone)]
pub(crate) struct TrackObject {
    pub(crate) track: TrackId,
    pub(crate) object: NamedObject,
}

/// An object in the store.
#[derive(Debug, Clone)]
pub(crate) struct StoredObject {
    pub(crate) key: ObjectKey,
    pub(crate) meta: ObjectMeta,
    /// The track whose folder contains the object, if the track names it.
    pub(crate) named: Option<TrackObject>,
    /// Whether its length differs from the recorded one. If so, it is a suspect.
    pub(crate) has_other_length: bool,
    /// Its SHA-256, if it is a cover of a collection or an organization and was looked up.
    pub(crate) recorded_sha256: Option<[u8; 32]>,
    /// Whether any row names it.
    pub(crate) is_known: bool,
}

impl StoredObject {
    /// Its SHA-256, if it is recorded.
    pub(crate) fn sha256(&self) -> Option<[u8; 32]> {
        self.named.as_ref().map_or(self.recorded_sha256, |named| named.object.sha256)
    }
}

/// What one step of the walk read.
#[derive(Debug, Default)]
pub(crate) struct WalkStep {
    /// Objects in the store, in the order of their names.
    pub(crate) objects: Vec<StoredObject>,
    /// Objects to check again: those that seem to be missing or to have another length, as rows and objects may have
    /// changed meanwhile, and sources in the folders of other tracks.
    pub(crate) suspects: Vec<TrackObject>,
    /// The number of tracks that were checked.
    pub(crate) tracks: u64,
}

/// The walk.
pub(crate) struct Walk<'a> {
    rows: Rows<'a>,
    listing: BoxStream<'a, Result<(ObjectKey, ObjectMeta), BlobError>>,
    is_listed: bool,
    /// Listed objects that come after the current group.
    ahead: Vec<(ObjectKey, ObjectMeta)>,
    after: Option<TrackFolder>,
    group: Option<Group>,
    is_done: bool,
}

/// Objects of whole folders, and the tracks between the last group and the end of this one.
struct Group {
    objects: Vec<StoredObject>,
    places: HashMap<ObjectKey, usize>,
    /// The newest generation of the manifests in each folder.
    manifests: HashMap<TrackFolder, u64>,
    until: Option<TrackFolder>,
}

fn place_of(key: &ObjectKey) -> TrackFolder {
    TrackFolder { organization_id: key.organization_id, folder: key.folder }
}

impl<'a> Walk<'a> {
    /// Starts at the beginning, or after the last object of an earlier walk.
    pub(crate) fn new(rows: Rows<'a>, blobs: &'a Blobs, after: Option<&ObjectKey>) -> Self {
        Self {
            rows,
            listing: blobs.list_after(after),
            is_listed: false,
            ahead: Vec::new(),
            after: after.map(place_of),
            group: None,
            is_done: false,
        }
    }

    /// The next step; `None` at the end.
    pub(crate) async fn next(&mut self) -> Result<Option<WalkStep>, WalkError> {
        let mut group = match self.group.take() {
            Some(group) => group,
            None if self.is_done => return Ok(None),
            None => self.next_group().await?,
        };
        let tracks = self.rows.tracks(self.after, group.until).await?;
        let mut step = WalkStep { tracks: tracks.len() as u64, ..WalkStep::default() };
        for track in &tracks {
            group.compare(track, &mut step);
        }
        if let Some(last) = tracks.last().filter(|_| tracks.len() as u64 == PAGE) {
            self.after = Some(last.place);
            self.group = Some(group);
            return Ok(Some(step));
        }
        self.is_done = group.until.is_none();
        self.after = group.until.or(self.after);
        let unnamed: Vec<ObjectKey> = group
            .objects
            .iter()
            .filter(|stored| stored.named.is_none())
            .map(|stored| stored.key.clone())
            .collect();
        let known = self.rows.known_objects(&unnamed).await?;
        for stored in &mut group.objects {
            stored.is_known = stored.named.is_some() || known.contains(&stored.key);
        }
        step.objects = group.objects;
        Ok(Some(step))
    }

    /// Lists objects until the group consists of whole folders.
    async fn next_group(&mut self) -> Result<Group, WalkError> {
        while !self.is_listed && !self.has_whole_folders() {
            match self.listing.next().await.transpose()? {
                // Objects that nodes use to communicate are not the content of any organization.
                Some((key, _)) if key.organization_id == ObjectKey::RESERVED => {}
                Some(found) => self.ahead.push(found),
                None => self.is_listed = true,
            }
        }
        let objects = match self.ahead.last().map(|(key, _)| place_of(key)) {
            Some(last) if !self.is_listed => {
                let cut = self.ahead.partition_point(|(key, _)| place_of(key) != last);
                let rest = self.ahead.split_off(cut);
                std::mem::replace(&mut self.ahead, rest)
            }
            _ => std::mem::take(&mut self.ahead),
        };
        let until = objects.last().map(|(key, _)| place_of(key)).filter(|_| !self.is_listed);
        Ok(Group::new(objects, until))
    }

    fn has_whole_folders(&self) -> bool {
        match (self.ahead.first(), self.ahead.last()) {
            (Some((first, _)), Some((last, _))) => {
                self.ahead.len() > GROUP && place_of(first) != place_of(last)
            }
            _ => false,
        }
    }
}

impl Group {
    fn new(objects: Vec<(ObjectKey, ObjectMeta)>, until: Option<TrackFolder>) -> Self {
        let places = objects
            .iter()
            .enumerate()
            .map(|(place, (key, _))| (key.clone(), place))
            .collect::<HashMap<_, _>>();
        let mut manifests = HashMap::new();
        for (key, _) in &objects {
            if let Some(generation) = TrackManifest::generation(key) {
                let newest = manifests.entry(place_of(key)).or_insert(0);
                *newest = generation.number().max(*newest);
            }
        }
        let objects = objects
            .into_iter()
            .map(|(key, meta)| StoredObject {
                key,
                meta,
                named: None,
                has_other_length: false,
                recorded_sha256: None,
                is_known: false,
            })
            .collect();
        Self { objects, places, manifests, until }
    }

    /// Finds the objects of a track among the listed objects.
    fn compare(&mut self, track: &NamedTrack, step: &mut WalkStep) {
        for object in &track.objects {
            let named = TrackObject { track: track.id, object: object.clone() };
            let Some(place) = self.places.get(&object.key).copied() else {
                let is_superseded = object.kind == NamedKind::Manifest && self.has_manifest(&object.key);
                step.suspects.extend(Some(named).filter(|_| !is_superseded));
                continue;
            };
            let stored = &mut self.objects[place];
            if object.size.is_some_and(|size| size != stored.meta.size) {
                stored.has_other_length = true;
                step.suspects.push(named.clone());
            }
            stored.named = Some(named);
        }
    }

    /// Whether this generation of a manifest, or a later one, exists.
    fn has_manifest(&self, key: &ObjectKey) -> bool {
        let wanted = TrackManifest::generation(key).map(|generation| generation.number());
        let newest = self.manifests.get(&place_of(key)).copied();
        matches!((wanted, newest), (Some(wanted), Some(newest)) if newest >= wanted)
    }
}

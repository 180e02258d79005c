//! Compares the catalog with the store: rows without objects, objects without rows, wrong lengths and wrong bytes. Also
//! finds records with metadata that cannot be read.
//!
//! Other processes write meanwhile, so each mismatch is checked a second time before it is reported: first the object,
//! then the row. Objects are stored before their rows and removed after them, and no key is used twice. So if a row
//! still names an object that was missing a moment ago, the object is lost.

mod finding;
mod owners;
mod progress;
mod reading;
mod recheck;
mod repair;

use std::num::NonZeroU64;

use tonearm_blobs::{BlobError, Blobs};
use tonearm_catalog::{Catalog, CatalogError, DamagedRow, NamedKind, NamedObject};
use tonearm_domain::{Ambient, ObjectKey, SweepRules};

pub use finding::{Finding, FindingKind, Remedy};
pub use progress::{VerifyPhase, VerifyState};

use finding::Subject;

use crate::inventory::{HeadOutcome, Rate, ReadFailures, Rows, StoredObject, Walk, WalkError, WalkStep};

/// What is checked, and how fast.
#[derive(Debug, Clone, Copy, Default)]
pub struct VerifyTerms {
    /// Whether to read the bytes of all objects and compare them with the recorded hashes.
    pub is_deep: bool,
    /// Whether to queue jobs that render again the files that can be rendered again.
    pub repairs: bool,
    /// The maximum number of bytes to read per second.
    pub bytes_per_second: Option<NonZeroU64>,
    /// The maximum number of objects to check per second.
    pub objects_per_second: Option<NonZeroU64>,
}

/// An event during a verification.
#[derive(Debug)]
pub enum VerifyEvent<'a> {
    /// A mismatch was found.
    Finding(&'a Finding),
    /// A record that cannot be read, or only without its metadata.
    Damaged(&'a DamagedRow),
    /// A record that was ended and could not be read. What cannot be read is blank now.
    Blanked(&'a DamagedRow),
    /// The progress. All findings before this point have been reported. Another process can resume from this state.
    Progress(&'a VerifyState),
}

/// Why a verification could not finish.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// The store.
    #[error(transparent)]
    Store(#[from] BlobError),
    /// The catalog.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
}

impl From<WalkError> for VerifyError {
    fn from(error: WalkError) -> Self {
        match error {
            WalkError::Store(error) => Self::Store(error),
            WalkError::Catalog(error) => Self::Catalog(error),
        }
    }
}

/// Compares the catalog with the store.
#[derive(Clone)]
pub struct Verification {
    catalog: Catalog,
    blobs: Blobs,
    ambient: Ambient,
}

/// One run.
struct Run<'a> {
    all: &'a Verification,
    terms: VerifyTerms,
    bytes: Rate,
    objects: Rate,
    heads: ReadFailures<'a>,
    reads: ReadFailures<'a>,
    state: VerifyState,
    on_event: &'a mut (dyn FnMut(VerifyEvent<'_>) + Send),
}

impl Verification {
    /// Creates a verification of this catalog and this store.
    pub fn new(catalog: Catalog, blobs: Blobs, ambient: Ambient) -> Self {
        Self { catalog, blobs, ambient }
    }

    /// Runs from `state` to the end, and returns the final state with its counts.
    pub async fn run(
        &self,
        terms: VerifyTerms,
        state: VerifyState,
        on_event: &mut (dyn FnMut(VerifyEvent<'_>) + Send),
    ) -> Result<VerifyState, VerifyError> {
        let (bytes, objects) = (Rate::new(terms.bytes_per_second), Rate::new(terms.objects_per_second));
        let (heads, reads) = (ReadFailures::of(&self.blobs), ReadFailures::of(&self.blobs));
        let mut run = Run { all: self, terms, bytes, objects, heads, reads, state, on_event };
        // First, since some damage keeps the objects of a row from being compared.
        run.report_damaged_rows().await?;
        if run.state.phase == VerifyPhase::Tracks {
            run.walk().await?;
            run.enter(VerifyPhase::Owners);
        }
        if run.state.phase == VerifyPhase::Owners {
            run.check_owners().await?;
            run.enter(VerifyPhase::Done);
        }
        Ok(run.state)
    }
}

impl Run<'_> {
    fn enter(&mut self, phase: VerifyPhase) {
        self.state.phase = phase;
        (self.on_event)(VerifyEvent::Progress(&self.state));
    }

    async fn walk(&mut self) -> Result<(), VerifyError> {
        let all = self.all;
        let is_bytewise = all.catalog.orders_bytewise().await?;
        let rows = Rows::Live { catalog: &all.catalog, is_bytewise };
        let after = self.state.last_key.clone();
        let mut walk = Walk::new(rows, &all.blobs, after.as_ref());
        while let Some(step) = walk.next().await? {
            self.check_step(step).await?;
            (self.on_event)(VerifyEvent::Progress(&self.state));
        }
        Ok(())
    }

    async fn check_step(&mut self, step: WalkStep) -> Result<(), VerifyError> {
        self.objects.take(step.objects.len() as u64).await;
        self.state.tracks += step.tracks;
        self.state.objects += step.objects.len() as u64;
        self.state.bytes += step.objects.iter().map(|stored| stored.meta.size).sum::<u64>();
        let last = step.objects.last().map(|stored| stored.key.clone());
        let (mut subjects, mut cleared) = (Vec::new(), Vec::new());
        for suspect in &step.suspects {
            match self.recheck(suspect).await? {
                Some(subject) => subjects.push(subject),
                None => cleared.push(suspect),
            }
        }
        subjects.extend(self.unknown_manifests(&step.objects).await?);
        if self.terms.is_deep {
            subjects.extend(self.read_all(&step, &cleared).await?);
        }
        self.report_damage(subjects).await?;
        self.report_unknown(&step.objects).await?;
        // A step without objects is a page of tracks in the middle of a group. A resumed run walks through that group
        // again.
        if let Some(last) = last {
            self.state.last_key = Some(last);
        }
        Ok(())
    }

    /// Manifests that nodes without a catalog follow and the catalog does not know. They are listed before the rows are
    /// read, and a row counts a manifest before it is stored.
    async fn unknown_manifests(&self, listed: &[StoredObject]) -> Result<Vec<Subject>, VerifyError> {
        let keys: Vec<ObjectKey> = listed.iter().map(|stored| stored.key.clone()).collect();
        let unknown = self.all.catalog.unknown_generations(&keys).await?;
        let subject = |(track, key)| {
            let object = NamedObject { kind: NamedKind::Manifest, key, size: None, sha256: None };
            Subject { kind: FindingKind::UnknownManifest, track, object, found_size: None }
        };
        Ok(unknown.into_iter().map(subject).collect())
    }

    /// Reports objects that no row names, unless they are recent or about to be removed.
    async fn report_unknown(&mut self, listed: &[StoredObject]) -> Result<(), VerifyError> {
        let spared_after = SweepRules::spared_after(self.all.ambient.now());
        let old = |stored: &&StoredObject| !stored.is_known && stored.meta.modified < spared_after;
        let unknown: Vec<&StoredObject> = listed.iter().filter(old).collect();
        if unknown.is_empty() {
            return Ok(());
        }
        let keys: Vec<ObjectKey> = unknown.iter().map(|stored| stored.key.clone()).collect();
        let known = self.all.catalog.known_objects(&keys).await?;
        let going = self.all.catalog.objects_being_removed(&keys).await?;
        for stored in unknown {
            if known.contains(&stored.key) || going.contains(&stored.key) {
                continue;
            }
            // An object that is listed exists, even if the HEAD request fails.
            if !matches!(self.heads.head(&stored.key).await?, HeadOutcome::Missing) {
                self.report(&Finding::unknown(&stored.key, stored.meta.size));
            }
        }
        Ok(())
    }

    async fn report_damaged_rows(&mut self) -> Result<(), VerifyError> {
        let mut rows = Vec::new();
        self.all.catalog.each_damaged_row(|row| rows.push(row)).await?;
        self.state.damaged_rows = rows.len() as u64;
        for row in &rows {
            let is_blanked = self.terms.repairs && self.blank_ended(row).await?;
            (self.on_event)(if is_blanked { VerifyEvent::Blanked(row) } else { VerifyEvent::Damaged(row) });
        }
        Ok(())
    }

    async fn blank_ended(&self, row: &DamagedRow) -> Result<bool, VerifyError> {
        let tx = self.all.catalog.begin().await?;
        let is_blanked = tx.blank_ended(row).await?;
        tx.commit().await?;
        Ok(is_blanked)
    }

    fn report(&mut self, finding: &Finding) {
        self.state.note(finding);
        (self.on_event)(VerifyEvent::Finding(finding));
    }
}

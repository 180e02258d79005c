//! Metadata in SQL: entities, migrations, named queries, transactions and the jobs table.
//!
//! [`Catalog`] reads, [`Transaction`] writes. Both take and return the types of `tonearm-domain`; row types are private
//! to this crate. SQLite and PostgreSQL return the same results: every query is written once and tested on both.
//!
//! Soft-deleted rows are never returned unless a method's name says so. Methods that change many rows work in
//! batches; the number of queries of all other methods does not depend on the number of rows.

mod album_order;
mod answered_jobs;
mod audit;
mod capacity;
mod catalog;
mod certificates;
mod changes;
mod collections;
mod column;
mod connect_options;
mod covers;
mod creators;
mod damaged;
mod deliveries;
mod due_clock;
mod dump;
mod ending;
mod entity;
mod error;
mod event_versions;
mod files;
mod idempotency;
mod identities;
mod import_buckets;
mod imports;
mod in_collection;
mod inspecting;
mod invitations;
mod jobs;
mod key_pages;
mod keys;
mod keyset;
mod known_devices;
mod last_backup;
mod listener;
mod listing;
mod living;
mod made;
mod manifests;
mod master_secrets;
mod memberships;
mod migrating;
mod migration;
mod moving;
mod named;
mod near_quotas;
mod next_due;
mod nodes;
mod notices;
mod objects;
mod old_keys;
mod organizations;
mod outcome;
mod people;
mod positions;
mod postgres;
mod privacy;
mod progress;
mod purging;
mod query;
mod quotas;
mod recipes;
mod records;
mod removal_holds;
mod removals;
mod renderings;
mod replacements;
mod resumption;
mod retention;
mod right;
mod same_source;
mod scheduled_tasks;
mod sealed;
mod second_factors;
mod selected;
mod selections;
mod sessions;
mod share_links;
mod sign_ins;
mod signing_keys;
mod sqlite;
mod statements;
mod store;
mod sweeps;
mod track_lookup;
mod tracks;
mod transaction;
mod transcript_edits;
mod transcriptions;
mod trash;
mod undo_entries;
mod unit;
mod unknown_objects;
mod uploads;
mod url;
mod usage;
mod victims;
mod wakeups;
mod webhooks;
mod work_kind;

pub use album_order::UploadedAlbum;
pub use audit::AuditFilter;
pub use capacity::PoolUse;
pub use catalog::Catalog;
pub use changes::Change;
pub use connect_options::{Backend, ConnectOptions, Migrate};
pub use damaged::DamagedRow;
pub use deliveries::DeliveryFilter;
pub use due_clock::DueClock;
pub use dump::{
    ColumnKind, DumpColumn, DumpPage, DumpRow, DumpTable, LEFT_OUT, Loading, RefusedRow, RestoreError,
    Restoring, RowKey, Snapshot,
};
pub use error::{CatalogError, Record, SchemaError};
pub use event_versions::EventRecord;
pub use idempotency::{Claim, IdempotentRequest, Repetition};
pub use inspecting::ServerSettings;
pub use jobs::{
    FailedJobs, JobFailures, JobFilter, JobState, JobTally, NewJob, PendingJob, RoundRobin, Wait,
};
pub use key_pages::{KeyQuery, ScopeTitles};
pub use last_backup::LastBackup;
pub use made::MadeByKey;
pub use manifests::NextManifest;
pub use migration::{MigrationEvent, MigrationReport};
pub use moving::MovedTrackTombstone;
pub use named::{CoverObjects, NamedKind, NamedObject, NamedOwner, NamedTrack, TrackFolder};
pub use near_quotas::NearQuota;
pub use nodes::SeenNode;
pub use positions::{TrackRange, TrackRangeError};
pub use privacy::{
    Erasure, KeptListening, KeptSighting, MOST_KEPT_ROWS, PERSON_EMAILS, PERSON_IDS, PersonColumn,
    PersonNames,
};
pub use purging::{DeletedObjects, PurgedTitles};
pub use right::{
    EndedRight, Office, Purpose, Right, act_for, act_on, acting_secret, in_request, purpose, spawn_in_request,
};
pub use sealed::{Sealed, SealedAt};
pub use sessions::SessionPage;
pub use signing_keys::SigningKeyList;
pub use store::StoreRecord;
pub use sweeps::Sweep;
pub use transaction::Transaction;
pub use unit::{Gathered, sees_uncommitted};
pub use uploads::{UploadHold, UploadLease};
pub use url::{DatabaseUrl, DatabaseUrlError};
pub use usage::{
    DayListens, DayUsage, StorageUsage, SubjectListens, TrackStorage, TrackUsage, UsageFilter, UsageTracks,
    VariantUsage,
};
pub use victims::again_if_victim;
pub use wakeups::{Wakeup, Wakeups};
pub use work_kind::WorkKind;

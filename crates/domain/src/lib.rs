//! The nouns of Tonearm and their rules.
//!
//! Everything here is pure: no I/O, no async, no clock and no randomness of its own. Inputs that change from call to
//! call (time, random bytes) are passed in through [`Ambient`], so that every rule can be tested without waiting.

mod access;
mod actor;
mod album_place;
mod allowed_origins;
mod ambient;
mod audit;
mod byte_budget;
mod cache_policy;
mod captions;
mod certificate;
mod chapter;
mod character_references;
mod client_address;
mod colour;
mod country;
mod cover;
mod cover_resolution;
mod creator;
mod deletion;
mod derived;
mod disk_room;
mod durable_name;
mod ended_runs;
mod error_causes;
mod error_code;
mod event;
mod fair_semaphore;
mod file_name;
mod file_props;
mod id;
mod import;
mod import_bucket;
mod job;
mod job_attempts;
mod job_queue;
mod job_report;
mod key;
mod key_overlap;
mod known_device;
mod language;
mod levels;
mod limits;
mod listing;
mod master_secret;
mod node;
mod object_key;
mod organization;
mod outage;
mod page_bytes;
mod password;
mod patch;
mod person;
mod person_identity;
mod player_text;
mod preview;
mod progress;
mod quota;
#[cfg(test)]
mod random;
mod recipe;
mod recipe_error;
mod recipe_settings;
mod referrer;
mod removal_hold;
mod replacement;
mod request_organization;
mod retention;
mod scheduled_task;
#[cfg(feature = "openapi")]
mod schema;
mod second_factor;
mod selection;
mod sessions;
mod share_target;
mod shares;
mod short_id;
mod sign_in;
mod signing_key;
mod store;
mod stored_address;
mod tag_values;
mod tags;
mod text;
mod theme;
mod timestamp;
mod trace_context;
mod track;
mod track_file;
mod track_lookup;
mod track_status;
mod track_summary;
mod transcode;
mod transcription;
mod undo;
mod upload;
mod usage;
mod variant_data;
mod variant_index;
mod waveform;
mod webhook;

pub use access::{Action, KeyScope, KeyType, ScopeError};
pub use actor::{Actor, Origin};
pub use album_place::{AlbumPosition, arranged};
pub use allowed_origins::{AllowedOrigins, OriginList, OriginListError, PageOrigin, PageOriginError};
pub use ambient::{Ambient, Clock, Entropy};
pub use audit::{AuditAction, AuditEntry, AuditRecord};
pub use byte_budget::{BodyBudget, ByteBudget, CollectError, HeldBytes, REQUEST_BYTES};
pub use cache_policy::{CachePolicy, CachePolicyError};
pub use captions::{
    Captions, CaptionsError, LeftOut, MOST_CAPTION_BYTES, captions_within, parse_captions, print_captions,
};
pub use certificate::{
    CertificateNames, CertificateNamesError, CertificateState, IssuedCertificate, RetryAfter, order_pause,
    renewal_at,
};
pub use chapter::Chapter;
pub use character_references::resolve_references;
pub use client_address::ClientAddress;
pub use colour::{Colour, ColourError, PlayerColours, ThemeColour, resolve_player_colour};
pub use country::{CountryCode, CountryCodeError};
pub use cover::{Cover, CoverOrigin, CoverOwner, CoverSettings, CoverSize};
pub use cover_resolution::{PlacedCover, resolve_cover};
pub use creator::Creator;
pub use deletion::{Deletion, KeepDeleted, KeepDeletedError, Trashed};
pub use derived::{Derived, Input, Inputs};
pub use disk_room::{DiskRoom, DiskUse, Shortage};
pub use durable_name::{DeliveryPath, DurableName, Generation, TrackManifest};
pub use ended_runs::{EndedRuns, PerClass, RecentRuns};
pub use error_causes::{error_causes, error_with_causes, innermost_cause};
pub use error_code::ErrorCode;
pub use event::{EventError, EventKind, WebhookKind};
pub use fair_semaphore::{FairPermit, FairSemaphore};
pub use file_name::{delivery_name, original_name, sanitise_file_name, variant_name};
pub use file_props::FileProps;
pub use id::*;
pub use import::Import;
pub use import_bucket::{
    AccessKeyId, AccessKeyIdError, BucketName, BucketNameError, BucketRegion, BucketRegionError,
    ImportBucket, MOST_IMPORT_BUCKETS, S3Url, S3UrlError,
};
pub use job::Job;
pub use job_attempts::{ClaimedJob, NextTry, death_pause_millis, outage_pause_millis, trial_millis};
pub use job_queue::{JobClass, JobQueue};
pub use job_report::{AnsweredJob, JobStatus};
pub use key::{ApiKey, KeyState};
pub use key_overlap::{KeyOverlap, KeyOverlapError};
pub use known_device::KnownDevice;
pub use language::{Direction, Language, UnknownLanguage};
pub use levels::{Levels, Metric};
pub use limits::{
    ExpiresIn, LimitError, LimitOffset, MOST_RECIPES, MOST_SIGNING_KEYS, UPLOAD_URL_TTL_SECONDS,
};
pub use listing::{
    CollectionSort, Cursor, Page, PageQuery, SearchWords, Total, TrackSort, fold, is_beginning, search_text,
    sort_title,
};
pub use master_secret::MasterSecretUse;
pub use node::NodeRecord;
pub use object_key::{ContentType, ObjectFile, ObjectKey, ObjectKeyError};
pub use organization::{Collection, Organization};
pub use outage::Outage;
pub use page_bytes::{PageBytes, PageRecord};
pub use password::{Password, PasswordError};
pub use patch::{ChangedMeanwhile, Patch};
pub use person::{EmailAddress, EmailAddressError, Membership, Person, Role, RoleError};
pub use person_identity::PersonIdentity;
pub use player_text::{TextChanges, shown_subtitle, shown_title};
pub use preview::{PreviewLength, PreviewSettings};
pub use progress::{Making, Rendering, TrackProgress, VariantProgress};
pub use quota::{QuotaExceeded, QuotaKind, QuotaUsage, Quotas, RecordLimits, RecordUsage};
pub use recipe::{Recipe, RecipeKind, RecipeType, default_recipes};
pub use recipe_error::RecipeError;
pub use recipe_settings::RecipeSettings;
pub use referrer::{Referrer, ReferrerError};
pub use removal_hold::RemovalHold;
pub use replacement::{REPLACED_FILES_SECONDS, Replacement, ReplacementState, ReplacementStateError};
pub use request_organization::RequestOrganization;
pub use retention::{ExpiredRows, KeepFor, KeepForError, Retention};
pub use scheduled_task::ScheduledTask;
pub use second_factor::{CodePlace, SecondFactor, WrongCodes};
pub use selection::{EmptySelection, NamedRecipes, Selection, VariantList};
pub use sessions::{PlaySession, UploadSession};
pub use share_target::ShareTarget;
pub use shares::{Held, Shares, room};
pub use short_id::{ShortId, ShortIdError};
pub use sign_in::{FailedSignIns, Invitation, InvitationPurpose, SignIn};
pub use signing_key::SigningKey;
pub use store::{Evidence, StoreId, StoreMismatch, SweepRules};
pub use stored_address::StoredAddresses;
pub use tag_values::Numbered;
pub use tags::Tags;
pub use text::{Metadata, Text, TextError, is_plain_json};
pub use theme::{Palette, PaletteError, PlayerColour, SentRecord, Theme};
pub use timestamp::Timestamp;
pub use trace_context::{InvalidTraceContext, TraceContext};
pub use track::{Source, Track, TrackInfo};
pub use track_file::{
    FailedVariant, FileData, FileOutcome, MissedLoudness, TrackFile, failed_variants, recipes_without_file,
    untried,
};
pub use track_lookup::{
    ListPart, ListPosition, ListWindow, SortValue, TrackFilter, TrackOrder, TrackOrderError, TrackOrderKey,
};
pub use track_status::{Outcome, TrackStatus, TransitionError};
pub use track_summary::TrackSummary;
pub use transcode::{Codec, Transcode};
pub use transcription::{
    Transcription, TranscriptionSettings, TranscriptionState, Utterance, language_code, paragraphs,
    within_sound, words_within, worth_keeping,
};
pub use undo::{CoveredTrack, MovedTrack, RetitledTrack, UndoEntry, UndoableChange};
pub use upload::{NewUpload, PieceError, SourceSlot, Upload, UploadKind, UploadOpener, UploadState};
pub use usage::{
    Day, DayError, ExcerptHeard, FileSound, ListenCounts, ListenKind, ListenedFile, ListenedSince,
    ListenerEntry, ListenerId, ListenerKey, ListenerOrigin, Listening, Meter, Played, Segments, TakenBytes,
    UncountedListeners, UsageBatch, UsageCounts, UsageEntry, Visitor, is_bot,
};
pub use variant_data::{Part, VariantData};
pub use variant_index::VariantIndex;
pub use waveform::{LevelsFormat, LevelsSettings, WaveformImage, WaveformVideo};
pub use webhook::{
    ClaimedDelivery, DeliveryAttempt, DeliveryState, EndpointHealth, EventPlace, FAILURES_IN_ORDER,
    GIVE_UP_SECONDS, MOST_ATTEMPTS_KEPT, OLD_SECRET_SECONDS, Webhook, WebhookDelivery,
};

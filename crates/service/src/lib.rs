//! The use cases. Each reads what it needs, applies the rules of the domain, and commits once.
//!
//! They are grouped by their users, and each has a file of its own: [`Access`] authenticates API keys, [`Library`]
//! manages what an organization owns, [`Uploads`] accepts uploads, [`Playback`] issues signed URLs, [`People`] manages
//! accounts and sign-ins, [`Processing`] renders files from sources, and [`Usage`] reports what was played. The API,
//! the dashboard, the worker and the command line call these and only translate requests and responses.

mod access;
mod admission;
mod audit;
mod backups;
mod batches;
mod caller;
mod certificates;
mod collected_body;
mod delivery;
mod idempotency;
mod imports;
mod inventory;
mod jobs;
mod library;
mod lookups;
mod people;
mod playback;
mod privacy;
mod processing;
mod refusal;
mod removal;
mod request_turns;
mod secrets;
mod status;
mod store_identity;
mod streams;
mod sweeps;
mod track_view;
mod transcription;
mod turns;
mod uploads;
mod usage;
mod verification;
mod webhooks;

pub use access::{Access, act_on_sign_in};
pub use admission::{Admission, Space};
pub use audit::Audit;
pub use backups::{
    BackupError, BackupEvent, BackupReport, BackupSummary, BackupTarget, BackupTerms, BackupTime, Backups,
    FoundBackups, RestoreReport, RestoreTerms, Restores,
};
pub use caller::Caller;
pub use certificates::{Certificates, OrderOutcome, UsableCertificate};
pub use collected_body::CollectedBody;
pub use delivery::{
    CreatedSigningKey, DeliveryUrl, DeliveryUrlError, DurableBase, KeyFollower, Links, SharedCaches,
    SigningKeys, UploadHandle,
};
pub use idempotency::{AttemptOutcome, IdempotentAnswers, IdempotentRequest, RequestAttempt};
pub use imports::{ImportBucketView, ImportBuckets, Imports, SetImportBucket};
pub use jobs::{Jobs, RetriedJobs};
pub use library::{
    Changed, CollectionView, CreateCollection, CreateCreator, CreateKey, CreateShareLink, CreateTrack,
    CreatedKey, CreatedOrganization, EditTranscript, FixedOfKey, FoundTrack, JobView, Library, ListedTracks,
    MissingVariants, NewTitle, OrganizationView, ProgressWatch, QuotaView, RecipeView, Reordering,
    Repositioned, RotatedKey, SelectedTracks, ShareLink, ShareLinkPage, TrackInRendering, TrackProgressView,
    TrackWatch, TracksInTheMaking, Transcript, Undone, UpdateCollection, UpdateCreator, UpdateKey,
    UpdateOrganization, UpdateQuotas, UpdateRecipe, UpdateTrack, UploadHandles,
};
pub use lookups::{LevelsJson, LookupLimits, Lookups, TrackList, WriteTrack};
pub use people::{
    Begun, Challenge, Device, Enrolment, Entry, Member, MemberList, NewPerson, OneTimeLink, OpenedLink,
    OwnerlessOrganizations, People, PersonList, ProviderAnswer, ProviderAttempt, ProviderError,
    ProviderSignInError, Resumed, Returned, SecondFactorView, SignInError, SignInProvider, SignedIn,
};
pub use playback::{
    CoverImage, Download, GrantPlaySession, OpenedPlaySession, PlaySessionScope, Playable, PlayableVariant,
    Playback, SharedCollection, SharedTrack, SharedWords, TrackCard, Visit,
};
pub use privacy::{
    KeptAccount, KeptListener, KeptPerson, ListenerReference, MOST_KEPT_ROWS, NamedRows, PersonReference,
    Privacy,
};
pub use processing::{EncodeJobs, JobError, JobRun, Processing, ThirdPartyFailure};
pub use refusal::{Refusal, Resource};
pub use request_turns::{
    RequestTurns, Turn, in_request, requests_at_once, take_turn, take_turn_of_person, without_turn,
};
pub use secrets::{
    MasterSecretStatus, MasterSecretView, MasterSecrets, Resealed, Resealing, RotationStep, SealedCounts,
};
pub use status::{
    AcmeStatus, BackupStatus, CertificateEnd, DiskStatus, Disks, Heartbeat, NearQuotas, NodeStatus,
    QueueStatus, Reachability, RunCounter, Status, StatusReport,
};
pub use store_identity::{IdentityError, StoreIdentity, StoreTie};
pub use streams::{NoCapacity, StreamHolder, StreamSlot, Streams};
pub use sweeps::{SweepView, Sweeps};
pub use tonearm_catalog::{
    AuditFilter, DamagedRow, FailedJobs, JobFailures, KeyQuery, LastBackup, MadeByKey, NearQuota, Office,
    Purpose, ScopeTitles, SessionPage, act_for,
};
pub use track_view::{TrackSummaryView, TrackView};
pub use transcription::{
    ProviderTest, SetTranscription, TranscriptionFailure, TranscriptionView, Transcriptions,
};
pub use uploads::{
    AcceptedUpload, BeginUpload, CreateUploadSession, CreatedUploadSession, LoadedPicture, OnDurable,
    PieceCheck, ReceiveTerms, ReceivedFile, SessionTrack, Sha256Check, UploadLimits, UploadPermit,
    UploadPiece, UploadProgress, UploadRefusal, UploadSessionView, UploadTerms, Uploads, UrlUpload,
};
pub use usage::{
    DayListens, DayUsage, DropOff, ListenGroup, ListenReport, ListenRows, StorageUsage, SubjectListens,
    TrackStorage, TrackUsage, Usage, UsageGroup, UsageKeeper, UsagePeriod, UsageReport, UsageRows,
    UsageTracks, VariantUsage,
};
pub use verification::{
    Finding, FindingKind, Remedy, Verification, VerifyError, VerifyEvent, VerifyPhase, VerifyState,
    VerifyTerms,
};
pub use webhooks::{
    DeliveryQuery, DeliveryView, SentWebhook, WebhookName, WebhookView, WebhookWithSecret, Webhooks,
};

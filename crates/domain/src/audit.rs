//! The audit log: who did what to which thing, when, and from where.

use std::net::IpAddr;

use serde::Serialize;
use uuid::Uuid;

use crate::actor::Origin;
use crate::timestamp::Timestamp;
use crate::{AuditEntryId, OrganizationId};

macro_rules! actions {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// What was done.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum AuditAction {
            $($(#[$doc])* $name,)*
        }

        impl AuditAction {
            /// Every action.
            pub const ALL: &'static [Self] = &[$(Self::$name),*];

            /// The action as text, as in SQL: the noun, a dot, the verb.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

actions! {
    /// An organization was made.
    OrganizationCreate = "organization.create",
    /// An organization's settings were changed.
    OrganizationUpdate = "organization.update",
    /// An organization was given a cover.
    OrganizationCover = "organization.cover",
    /// A collection was made.
    CollectionCreate = "collection.create",
    /// A collection was changed.
    CollectionUpdate = "collection.update",
    /// Tracks of a collection were put in another order.
    CollectionOrder = "collection.order",
    /// A collection was given a cover.
    CollectionCover = "collection.cover",
    /// A collection was deleted, with its tracks.
    CollectionDelete = "collection.delete",
    /// A deleted collection was brought back, with its tracks.
    CollectionRestore = "collection.restore",
    /// A creator was made.
    CreatorCreate = "creator.create",
    /// A creator was changed.
    CreatorUpdate = "creator.update",
    /// A creator was deleted.
    CreatorDelete = "creator.delete",
    /// A track was made.
    TrackCreate = "track.create",
    /// A track was changed.
    TrackUpdate = "track.update",
    /// A track's source is to be imported from a URL.
    TrackImport = "track.import",
    /// A track was moved to another collection.
    TrackMove = "track.move",
    /// A track's source arrived.
    TrackUpload = "track.upload",
    /// A track was given a cover.
    TrackCover = "track.cover",
    /// A track was deleted.
    TrackDelete = "track.delete",
    /// A deleted track was brought back.
    TrackRestore = "track.restore",
    /// A track is processed once more.
    TrackRetry = "track.retry",
    /// A new source was asked for, for a track.
    TrackReplaceSource = "track.replace_source",
    /// A background job is tried again.
    JobRetry = "job.retry",
    /// A background job was removed.
    JobDrop = "job.drop",
    /// A variant was added.
    VariantCreate = "variant.create",
    /// A variant was changed.
    VariantUpdate = "variant.update",
    /// A variant was removed.
    VariantDelete = "variant.delete",
    /// A variant is rendered for existing tracks.
    VariantRender = "variant.render",
    /// A key was made.
    KeyCreate = "api_key.create",
    /// A key's title, expiry or permissions were changed.
    KeyUpdate = "api_key.update",
    /// A key was revoked.
    KeyRevoke = "api_key.revoke",
    /// A key was given a new secret.
    KeyRotate = "api_key.rotate",
    /// The old secret of a key was ended before its time.
    KeyEndOld = "api_key.end_old",
    /// A signing key was made.
    SigningKeyCreate = "signing_key.create",
    /// A signing key was revoked.
    SigningKeyRevoke = "signing_key.revoke",
    /// Credentials for a bucket to import from were set.
    ImportBucketSet = "import_bucket.set",
    /// Credentials for a bucket to import from were removed.
    ImportBucketRemove = "import_bucket.remove",
    /// An upload session was opened.
    UploadSessionCreate = "upload_session.create",
    /// A webhook's address was set.
    WebhookSet = "webhook.set",
    /// A webhook was removed.
    WebhookRemove = "webhook.remove",
    /// A webhook was given a new secret.
    WebhookRotate = "webhook.rotate",
    /// A webhook's secret was looked at.
    WebhookReveal = "webhook.reveal",
    /// A webhook was tried.
    WebhookTest = "webhook.test",
    /// Events were sent once more.
    WebhookReplay = "webhook.replay",
    /// Settings of transcription were changed.
    TranscriptionUpdate = "transcription.update",
    /// The provider of transcriptions was tried.
    TranscriptionTest = "transcription.test",
    /// A person signed in.
    SignIn = "person.sign_in",
    /// Somebody failed to sign in.
    SignInFailed = "person.sign_in_failed",
    /// A person signed out.
    SignOut = "person.sign_out",
    /// A person's password was changed.
    PasswordChange = "person.password",
    /// A person was added.
    PersonAdd = "person.add",
    /// A person may not sign in any more.
    PersonDisable = "person.disable",
    /// A person may sign in again.
    PersonEnable = "person.enable",
    /// A person was removed.
    PersonRemove = "person.remove",
    /// Somebody ended all sessions of a person.
    PersonEndSessions = "person.end_sessions",
    /// A person became an administrator.
    PersonPromote = "person.promote",
    /// A person is no administrator any more.
    PersonDemote = "person.demote",
    /// Somebody made a link with which a person chooses a new password.
    PersonResetPassword = "person.reset_password",
    /// A person set up an authenticator app.
    SecondFactorEnable = "person.second_factor_enable",
    /// A person stopped using an authenticator app.
    SecondFactorDisable = "person.second_factor_disable",
    /// Somebody removed a person's authenticator app.
    SecondFactorReset = "person.second_factor_reset",
    /// A person made new recovery codes.
    RecoveryCodesRenew = "person.recovery_codes_renew",
    /// A person used a recovery code up.
    RecoveryCodeUse = "person.recovery_code_use",
    /// A person was identified by the OpenID Connect provider.
    IdentityUse = "person.identity_use",
    /// An account at the provider was linked to a person.
    IdentityLink = "person.identity_link",
    /// An account at the provider was unlinked from a person.
    IdentityUnlink = "person.identity_unlink",
    /// What is kept about a person or a listener was erased.
    PrivacyErase = "privacy.erase",
    /// A person was invited.
    MemberInvite = "member.invite",
    /// An invitation was taken back.
    MemberWithdraw = "member.withdraw",
    /// A person joined.
    MemberJoin = "member.join",
    /// A member's role was changed.
    MemberUpdate = "member.update",
    /// A member was removed.
    MemberRemove = "member.remove",
}

/// One line to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// Its id, by which lines are in order.
    pub id: AuditEntryId,
    /// In which organization; none for what concerns no single one, such as a sign-in.
    pub organization_id: Option<OrganizationId>,
    /// When.
    pub at: Timestamp,
    /// Who, and from where.
    pub origin: Origin,
    /// What.
    pub action: AuditAction,
    /// To which thing; its noun is the action's.
    pub subject_id: Option<Uuid>,
    /// What the thing was called then.
    pub title: Option<String>,
}

/// One line as it is read. Kinds are text, so that lines of other versions can be read too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditRecord {
    /// Its id.
    pub id: AuditEntryId,
    /// In which organization.
    pub organization_id: Option<OrganizationId>,
    /// When.
    pub at: Timestamp,
    /// `key`, `person`, `uploader`, `command_line` or `stranger`.
    pub actor: String,
    /// The key or the person.
    pub actor_id: Option<Uuid>,
    /// From where.
    pub address: Option<IpAddr>,
    /// What, such as `track.delete`.
    pub action: String,
    /// To which thing.
    pub subject_id: Option<Uuid>,
    /// What the thing was called then.
    pub title: Option<String>,
}

//! The audit log: each entry records the actor, the action, its subject, the time and the client's address.

use std::net::IpAddr;

use serde::Serialize;
use uuid::Uuid;

use crate::actor::Origin;
use crate::timestamp::Timestamp;
use crate::{AuditEntryId, OrganizationId};

macro_rules! actions {
    ($($(#[$doc:meta])* $name:ident = $text:literal,)*) => {
        /// An audited action.
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
    /// An organization was created.
    OrganizationCreate = "organization.create",
    /// An organization's settings were changed.
    OrganizationUpdate = "organization.update",
    /// An organization received a cover.
    OrganizationCover = "organization.cover",
    /// A collection was created.
    CollectionCreate = "collection.create",
    /// A collection was changed.
    CollectionUpdate = "collection.update",
    /// Tracks of a collection were put in another order.
    CollectionOrder = "collection.order",
    /// A collection received a cover.
    CollectionCover = "collection.cover",
    /// A collection was deleted, with its tracks.
    CollectionDelete = "collection.delete",
    /// A deleted collection was restored, with its tracks.
    CollectionRestore = "collection.restore",
    /// A creator was created.
    CreatorCreate = "creator.create",
    /// A creator was changed.
    CreatorUpdate = "creator.update",
    /// A creator was deleted.
    CreatorDelete = "creator.delete",
    /// A track was created.
    TrackCreate = "track.create",
    /// A track was changed.
    TrackUpdate = "track.update",
    /// A track's source is to be imported from a URL.
    TrackImport = "track.import",
    /// A track was moved to another collection.
    TrackMove = "track.move",
    /// A track's source arrived.
    TrackUpload = "track.upload",
    /// A track received a cover.
    TrackCover = "track.cover",
    /// A track was deleted.
    TrackDelete = "track.delete",
    /// A deleted track was restored.
    TrackRestore = "track.restore",
    /// A track is processed again.
    TrackRetry = "track.retry",
    /// A replacement of a track's source was requested.
    TrackReplaceSource = "track.replace_source",
    /// A background job is retried.
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
    /// A key was created.
    KeyCreate = "api_key.create",
    /// A key's title, expiry or permissions were changed.
    KeyUpdate = "api_key.update",
    /// A key was revoked.
    KeyRevoke = "api_key.revoke",
    /// A key's secret was rotated.
    KeyRotate = "api_key.rotate",
    /// The old secret of a key was ended before its overlap was over.
    KeyEndOld = "api_key.end_old",
    /// A signing key was created.
    SigningKeyCreate = "signing_key.create",
    /// A signing key was revoked.
    SigningKeyRevoke = "signing_key.revoke",
    /// Credentials for a bucket to import from were set.
    ImportBucketSet = "import_bucket.set",
    /// Credentials for a bucket to import from were removed.
    ImportBucketRemove = "import_bucket.remove",
    /// An upload session was opened.
    UploadSessionCreate = "upload_session.create",
    /// An upload session was ended.
    UploadSessionEnd = "upload_session.end",
    /// A play session was ended.
    PlaySessionEnd = "play_session.end",
    /// A webhook's address was set.
    WebhookSet = "webhook.set",
    /// A webhook was removed.
    WebhookRemove = "webhook.remove",
    /// A webhook's secret was rotated.
    WebhookRotate = "webhook.rotate",
    /// A webhook's secret was revealed.
    WebhookReveal = "webhook.reveal",
    /// A test event was sent to a webhook.
    WebhookTest = "webhook.test",
    /// Events were sent again.
    WebhookReplay = "webhook.replay",
    /// The transcription settings were changed.
    TranscriptionUpdate = "transcription.update",
    /// The transcription provider was tested.
    TranscriptionTest = "transcription.test",
    /// A person signed in.
    SignIn = "person.sign_in",
    /// A sign-in failed.
    SignInFailed = "person.sign_in_failed",
    /// A person signed out.
    SignOut = "person.sign_out",
    /// A person's password was changed.
    PasswordChange = "person.password",
    /// A person was added.
    PersonAdd = "person.add",
    /// A person was disabled and can no longer sign in.
    PersonDisable = "person.disable",
    /// A person was enabled and can sign in again.
    PersonEnable = "person.enable",
    /// A person was removed.
    PersonRemove = "person.remove",
    /// All sessions of a person were ended.
    PersonEndSessions = "person.end_sessions",
    /// A person became an administrator.
    PersonPromote = "person.promote",
    /// A person is no longer an administrator.
    PersonDemote = "person.demote",
    /// A link was created with which a person chooses a new password.
    PersonResetPassword = "person.reset_password",
    /// A person set up an authenticator app.
    SecondFactorEnable = "person.second_factor_enable",
    /// A person stopped using an authenticator app.
    SecondFactorDisable = "person.second_factor_disable",
    /// A person's authenticator app was removed.
    SecondFactorReset = "person.second_factor_reset",
    /// A person generated new recovery codes.
    RecoveryCodesRenew = "person.recovery_codes_renew",
    /// A person used a recovery code.
    RecoveryCodeUse = "person.recovery_code_use",
    /// A person was identified by the OpenID Connect provider.
    IdentityUse = "person.identity_use",
    /// An account at the provider was linked to a person.
    IdentityLink = "person.identity_link",
    /// An account at the provider was unlinked from a person.
    IdentityUnlink = "person.identity_unlink",
    /// The data about a person or a listener was erased.
    PrivacyErase = "privacy.erase",
    /// A person was invited.
    MemberInvite = "member.invite",
    /// An invitation was withdrawn.
    MemberWithdraw = "member.withdraw",
    /// A person joined an organization.
    MemberJoin = "member.join",
    /// A member's role was changed.
    MemberUpdate = "member.update",
    /// A member was removed.
    MemberRemove = "member.remove",
}

/// An entry to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// Its id. Entries are sorted by it.
    pub id: AuditEntryId,
    /// The organization; none for actions that concern no single organization, such as a sign-in.
    pub organization_id: Option<OrganizationId>,
    /// When it happened.
    pub at: Timestamp,
    /// The actor and the client's address.
    pub origin: Origin,
    /// The action.
    pub action: AuditAction,
    /// The id of the subject. The first part of the action names its type.
    pub subject_id: Option<Uuid>,
    /// The title of the subject at that time.
    pub title: Option<String>,
}

/// An entry as it is read. Kinds are text, so that entries of other versions can be read too.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AuditRecord {
    /// Its id.
    pub id: AuditEntryId,
    /// The organization.
    pub organization_id: Option<OrganizationId>,
    /// When it happened.
    pub at: Timestamp,
    /// `key`, `person`, `uploader`, `command_line` or `stranger`.
    pub actor: String,
    /// The id of the key or the person.
    pub actor_id: Option<Uuid>,
    /// The address of the client.
    pub address: Option<IpAddr>,
    /// The action, such as `track.delete`.
    pub action: String,
    /// The id of the subject.
    pub subject_id: Option<Uuid>,
    /// The title of the subject at that time.
    pub title: Option<String>,
}

//! Why a use case refused or failed.

use std::any::Any;
use std::error::Error;
use std::sync::Arc;

use tonearm_blobs::BlobError;
use tonearm_catalog::{CatalogError, EndedRight, Record, again_if_victim};
use tonearm_domain::{Ambient, ChangedMeanwhile, ErrorCode, QuotaExceeded};

/// The kind of a record that was not found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resource {
    /// An organization.
    Organization,
    /// A collection.
    Collection,
    /// A creator.
    Creator,
    /// A track.
    Track,
    /// A variant.
    Variant,
    /// A play session.
    PlaySession,
    /// An upload session.
    UploadSession,
    /// An upload that can be resumed.
    Upload,
    /// A replacement of a track's source.
    Replacement,
    /// An API key.
    ApiKey,
    /// A person.
    Person,
    /// A member of an organization.
    Member,
    /// An invitation link.
    Invitation,
    /// A webhook.
    Webhook,
    /// A delivery of an event to a webhook.
    WebhookDelivery,
    /// A signing key.
    SigningKey,
    /// A bucket that files are imported from.
    ImportBucket,
    /// The rendering of a recipe.
    Rendering,
    /// A job.
    Job,
    /// A record of a kind that callers do not see.
    Record,
}

impl Resource {
    /// The noun for error messages.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Organization => "organization",
            Self::Collection => "collection",
            Self::Creator => "creator",
            Self::Track => "track",
            Self::Variant => "variant",
            Self::PlaySession => "play session",
            Self::UploadSession => "upload session",
            Self::Upload => "upload",
            Self::Replacement => "source replacement",
            Self::ApiKey => "API key",
            Self::Person => "person",
            Self::Member => "member",
            Self::Invitation => "invitation",
            Self::Webhook => "webhook",
            Self::WebhookDelivery => "delivery",
            Self::SigningKey => "signing key",
            Self::ImportBucket => "import bucket",
            Self::Rendering => "rendering",
            Self::Job => "job",
            Self::Record => "record",
        }
    }

    /// The error code that says it was not found.
    pub const fn not_found_code(self) -> ErrorCode {
        match self {
            Self::Organization => ErrorCode::OrganizationNotFound,
            Self::Collection => ErrorCode::CollectionNotFound,
            Self::Creator => ErrorCode::CreatorNotFound,
            Self::Track => ErrorCode::TrackNotFound,
            Self::Variant => ErrorCode::VariantNotFound,
            Self::PlaySession => ErrorCode::PlaySessionNotFound,
            Self::UploadSession => ErrorCode::UploadSessionNotFound,
            Self::Upload => ErrorCode::UploadNotFound,
            Self::Replacement => ErrorCode::ReplacementNotFound,
            Self::ApiKey => ErrorCode::ApiKeyNotFound,
            Self::Person => ErrorCode::PersonNotFound,
            Self::Member => ErrorCode::MemberNotFound,
            Self::Invitation => ErrorCode::InvitationNotFound,
            Self::Webhook => ErrorCode::WebhookNotFound,
            Self::WebhookDelivery => ErrorCode::DeliveryNotFound,
            Self::SigningKey => ErrorCode::SigningKeyNotFound,
            Self::ImportBucket => ErrorCode::ImportBucketNotFound,
            Self::Rendering => ErrorCode::RenderingNotFound,
            Self::Job => ErrorCode::JobNotFound,
            Self::Record => ErrorCode::NotFound,
        }
    }
}

/// An API key that does not work, whatever the reason.
pub(crate) const INVALID_API_KEY: Refusal = Refusal::Unauthenticated {
    code: ErrorCode::InvalidApiKey,
    message: "the API key is unknown, revoked or expired",
};

type Source = Box<dyn Error + Send + Sync>;

/// Why a use case refused or failed. The text is for the caller; sources are for the log.
#[derive(Debug, thiserror::Error)]
pub enum Refusal {
    /// A field's value is missing or wrong.
    #[error("{field}: {message}")]
    Invalid {
        /// The field at fault.
        field: &'static str,
        /// What is wrong and what would be right.
        message: String,
    },
    /// The credential is missing, invalid, revoked or expired.
    #[error("{message}")]
    Unauthenticated {
        /// A stable code.
        code: ErrorCode,
        /// What is wrong with the credential.
        message: &'static str,
    },
    /// The credential is valid but does not permit the action.
    #[error("{message}")]
    Forbidden {
        /// A stable code.
        code: ErrorCode,
        /// What it may not do.
        message: &'static str,
    },
    /// It does not exist, or this caller has no access to it. The response is the same in both cases.
    #[error("no such {}, or this credential has no access to it", .0.as_str())]
    NotFound(Resource),
    /// It conflicts with the current state.
    #[error("{message}")]
    Conflict {
        /// A stable code.
        code: ErrorCode,
        /// What conflicts.
        message: String,
    },
    /// The upload has more bytes than are accepted.
    #[error("the upload is larger than the limit of {limit} bytes")]
    TooLarge {
        /// The limit.
        limit: u64,
    },
    /// The body ended or failed before it was complete.
    #[error("the upload was interrupted and nothing was stored; send it again")]
    Interrupted(#[source] Source),
    /// The operation is not possible in the current state of the record.
    #[error("{message}")]
    Unprocessable {
        /// A stable code.
        code: ErrorCode,
        /// Why not.
        message: &'static str,
    },
    /// A quota of the organization is used up.
    #[error(transparent)]
    QuotaExceeded(#[from] QuotaExceeded),
    /// Too many uploads wait to be processed.
    #[error("too many uploads are waiting to be processed; try again in a few minutes")]
    Busy,
    /// There is too little free space to store it.
    #[error("the service does not have enough free space to store this; its operator must free some")]
    Full(#[source] Source),
    /// The database stopped responding during the commit.
    #[error("this may or may not have been saved; check before you send it again")]
    UnknownOutcome(#[source] Source),
    /// The database or the store is unavailable.
    #[error("the service is temporarily unavailable; try again shortly")]
    Unavailable(#[source] Source),
    /// An internal error.
    #[error("internal error; the server's log has the details under this request's id")]
    Internal(#[source] Source),
}

impl Refusal {
    /// An error for an invalid field value.
    pub fn invalid(field: &'static str, message: impl Into<String>) -> Self {
        Self::Invalid { field, message: message.into() }
    }

    /// Whether something failed, so that it is not known what the answer would be.
    pub fn is_failure(&self) -> bool {
        matches!(self, Self::Full(_) | Self::UnknownOutcome(_) | Self::Unavailable(_) | Self::Internal(_))
    }

    /// An internal error for a panic, with the panic's message.
    pub fn panicked(panic: &(dyn Any + Send)) -> Self {
        let text = panic.downcast_ref::<&str>().copied();
        let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        Self::Internal(format!("a panic: {}", text.unwrap_or("of an unknown kind")).into())
    }
}

impl From<Record> for Resource {
    fn from(record: Record) -> Self {
        match record {
            Record::Organization => Self::Organization,
            Record::Collection => Self::Collection,
            Record::Creator => Self::Creator,
            Record::Track => Self::Track,
            Record::Variant | Record::VariantIndex => Self::Variant,
            Record::PlaySession => Self::PlaySession,
            Record::UploadSession => Self::UploadSession,
            Record::Upload => Self::Upload,
            Record::ApiKey => Self::ApiKey,
            Record::SigningKey => Self::SigningKey,
            Record::Webhook => Self::Webhook,
            Record::Person | Record::EmailAddress => Self::Person,
            Record::Invitation => Self::Invitation,
            _ => Self::Record,
        }
    }
}

/// Records what belongs to a request that cannot be run again as a whole, again if the database ended the transaction in
/// favour of others: the bytes that were uploaded cannot be read a second time.
pub(crate) async fn record_again_if_victim<T, F: Future<Output = Result<T, Refusal>>>(
    ambient: &Ambient,
    record: impl Fn() -> F,
) -> Result<T, Refusal> {
    let is_victim = |error: &Source| error.downcast_ref().is_some_and(CatalogError::is_victim);
    again_if_victim(
        ambient,
        record(),
        || Some(record()),
        |recorded| matches!(recorded, Err(Refusal::Unavailable(error)) if is_victim(error)),
    )
    .await
}

/// The one place that decides what a missing or a duplicate record means to a caller: 404 or 409.
impl From<CatalogError> for Refusal {
    fn from(error: CatalogError) -> Self {
        match error {
            CatalogError::Missing(record) => Self::NotFound(record.into()),
            CatalogError::Taken(_) => {
                Self::Conflict { code: ErrorCode::AlreadyExists, message: error.to_string() }
            }
            CatalogError::Unavailable(_) => Self::Unavailable(error.into()),
            CatalogError::Full(source) => Self::Full(source),
            CatalogError::UnknownOutcome(_) => Self::UnknownOutcome(error.into()),
            CatalogError::RightEnded(ended) => right_ended(ended),
            CatalogError::QuotaExceeded(exceeded) => exceeded.into(),
            CatalogError::Corrupt(_) | CatalogError::Schema(_) | CatalogError::Other(_) => {
                Self::Internal(error.into())
            }
        }
    }
}

impl From<ChangedMeanwhile> for Refusal {
    fn from(_: ChangedMeanwhile) -> Self {
        Self::Conflict {
            code: ErrorCode::ChangedMeanwhile,
            message: "this was changed in the meantime; nothing was saved. Check it and save again"
                .to_owned(),
        }
    }
}

/// The refusal of a request whose right has ended while it was running: what its next request will get.
fn right_ended(ended: EndedRight) -> Refusal {
    match ended {
        EndedRight::Key => INVALID_API_KEY,
        EndedRight::KeyLimits => Refusal::Conflict {
            code: ErrorCode::KeyChanged,
            message: "this API key was limited while the request was running; send the request again"
                .to_owned(),
        },
        EndedRight::SignIn => Refusal::Unauthenticated {
            code: ErrorCode::SignedOut,
            message: "you were signed out; sign in again",
        },
        EndedRight::Membership => Refusal::Forbidden {
            code: ErrorCode::NotMember,
            message: "you are no longer a member of this organization; ask an owner",
        },
        EndedRight::Role => Refusal::Forbidden {
            code: ErrorCode::RoleTooLow,
            message: "your role in this organization no longer permits this; ask an owner",
        },
        EndedRight::Administrator => Refusal::Forbidden {
            code: ErrorCode::NotAdministrator,
            message: "only administrators can do this",
        },
    }
}

/// A failed read that several callers waited for.
impl From<Arc<CatalogError>> for Refusal {
    fn from(error: Arc<CatalogError>) -> Self {
        match *error {
            CatalogError::Unavailable(_) => Self::Unavailable(Box::new(error)),
            CatalogError::Full(_) => Self::Full(Box::new(error)),
            _ => Self::Internal(Box::new(error)),
        }
    }
}

impl From<BlobError> for Refusal {
    fn from(error: BlobError) -> Self {
        match error {
            BlobError::Full => Self::Full(error.into()),
            BlobError::Unavailable(_) | BlobError::Corrupt => Self::Unavailable(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_not_found_and_what_is_taken_conflicts() {
        for (record, noun) in [
            (Record::Organization, Resource::Organization),
            (Record::Collection, Resource::Collection),
            (Record::Creator, Resource::Creator),
            (Record::Track, Resource::Track),
            (Record::Variant, Resource::Variant),
            (Record::VariantIndex, Resource::Variant),
            (Record::File, Resource::Record),
            (Record::PlaySession, Resource::PlaySession),
            (Record::UploadSession, Resource::UploadSession),
            (Record::Upload, Resource::Upload),
            (Record::ApiKey, Resource::ApiKey),
            (Record::SigningKey, Resource::SigningKey),
            (Record::Webhook, Resource::Webhook),
            (Record::Person, Resource::Person),
            (Record::EmailAddress, Resource::Person),
            (Record::Invitation, Resource::Invitation),
            (Record::UsageBatch, Resource::Record),
            (Record::Reference, Resource::Record),
            (Record::Unique, Resource::Record),
        ] {
            let missing = Refusal::from(CatalogError::Missing(record));
            assert!(matches!(missing, Refusal::NotFound(found) if found == noun), "{missing:?}");
            let taken = Refusal::from(CatalogError::Taken(record));
            assert!(matches!(taken, Refusal::Conflict { code: ErrorCode::AlreadyExists, .. }), "{taken:?}");
        }
        let taken = Refusal::from(CatalogError::Taken(Record::VariantIndex));
        assert_eq!(taken.to_string(), "a variant with this index already exists");
        let taken = Refusal::from(CatalogError::Taken(Record::ApiKey));
        assert_eq!(taken.to_string(), "an API key already exists");
    }

    #[test]
    fn faults_of_database_and_store_are_told_apart() {
        let unknown = Refusal::from(CatalogError::UnknownOutcome("gone".into()));
        assert!(matches!(unknown, Refusal::UnknownOutcome(_)));
        let full = Refusal::from(CatalogError::Full("full".into()));
        assert!(matches!(full, Refusal::Full(_)));
        let away = Refusal::from(CatalogError::Unavailable("gone".into()));
        assert!(matches!(away, Refusal::Unavailable(_)));
        assert!(matches!(Refusal::from(BlobError::Full), Refusal::Full(_)));
        assert!(matches!(Refusal::from(BlobError::Corrupt), Refusal::Unavailable(_)));
    }
}

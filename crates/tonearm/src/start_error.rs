//! Why a node could not start.

use std::net::SocketAddr;
use std::path::PathBuf;

use tonearm_domain::error_with_causes;
use tonearm_server::tls::TlsError;
use tonearm_service::Refusal;

/// Why a node could not start, in one line that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// A folder in the data folder cannot be created or used.
    #[error("cannot use the data folder {path}: {source}")]
    DataDir {
        /// Which folder.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A command that root runs on the data of another user, who could not use what it writes.
    #[error(
        "the data in {path} belongs to the user {owner}, who could not use what root writes there. Run this as that user: \
         `sudo -u {owner} tonearm …`"
    )]
    Owner {
        /// Which folder.
        path: PathBuf,
        /// The name of its owner, or the number after a `#`, as sudo takes it.
        owner: String,
    },
    /// Nodes that share a database or a store have no secret to share.
    #[error(
        "secret: nodes that share a database or an object store, and nodes without the role api, need the same master \
         secret. Set `secret` or TONEARM_SECRET"
    )]
    Secret,
    /// There is no secret, and none may be created.
    #[error(
        "there is no master secret: {path} does not exist, and a newly created one would not match that of the service. Set \
         `secret` or TONEARM_SECRET, or put the file back"
    )]
    NoSecret {
        /// Where it would be.
        path: PathBuf,
    },
    /// A command found no data to work on.
    #[error(
        "there is no database at {0}. Name the data of the service with --data-dir or --config, or create it with \
         `tonearm serve`"
    )]
    NoDatabase(PathBuf),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// Which address.
        address: SocketAddr,
        /// Why.
        source: std::io::Error,
    },
    /// The catalog cannot be opened.
    #[error("cannot open the database {url}: {}", .source.of_opening())]
    Catalog {
        /// Which, without its password.
        url: String,
        /// Why.
        source: tonearm_catalog::CatalogError,
    },
    /// The store cannot be opened.
    #[error("cannot open the store {url}: {}", error_with_causes(.source))]
    Store {
        /// Which, without its secrets.
        url: String,
        /// Why.
        source: tonearm_blobs::BlobError,
    },
    /// The database and the store do not belong together.
    #[error(transparent)]
    Mismatch(#[from] tonearm_domain::StoreMismatch),
    /// The check whether the database and the store belong together failed.
    #[error(transparent)]
    Identity(#[from] tonearm_service::IdentityError),
    /// The database of countries cannot be used.
    #[error(
        "usage.country_database: cannot use {path}: {source}. Download the database again, or remove the setting"
    )]
    Countries {
        /// Which file.
        path: PathBuf,
        /// Why.
        source: tonearm_edge::CountriesError,
    },
    /// The certificate cannot be used.
    #[error("{0}")]
    Tls(#[from] TlsError),
    /// ffmpeg, or a part of it, is missing, or it is not confined as is required.
    #[error("{0}")]
    Media(#[from] tonearm_media::MediaError),
    /// Other servers cannot be called.
    #[error("cannot set up the HTTP client for calls to other servers: {0}")]
    Outbound(#[source] reqwest::Error),
    /// The settings of the OpenID Connect provider cannot be used, independently of its responses.
    #[error("{0}; check the settings of [oidc] and public_url")]
    Provider(#[source] tonearm_outbound::ProviderError),
}

/// Why the list of live signing keys could not be published.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PublishError {
    /// The store cannot be opened.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The store or the catalog is unavailable.
    #[error(transparent)]
    Refused(#[from] Refusal),
}

//! The services of a node: the use cases of `tonearm-service`, connected to one catalog.

use tonearm_blobs::Blobs;
use tonearm_catalog::Catalog;
use tonearm_domain::{Ambient, CachePolicy, OrganizationId};
use tonearm_outbound::{Acme, Outbound};
use tonearm_service::{
    Admission, Audit, Caller, Certificates, DeliveryUrl, ImportBuckets, Imports, Jobs, KeyFollower, Library,
    Links, MasterSecrets, People, Privacy, Refusal, Resealing, SigningKeys, Space, StoreIdentity, Sweeps,
    Transcriptions, Uploads, Usage, Webhooks,
};
use tonearm_signing::{Secrets, UrlSigner, Vault};

use crate::start_error::{PublishError, StartError};
use crate::{Config, opening, provider};

/// The catalog and the services on it. A node that does more than deliver has them, and so does a command.
#[derive(Clone)]
pub struct Services {
    /// The catalog.
    pub catalog: Catalog,
    /// Manages what organizations own.
    pub library: Library,
    /// Manages people, and signs them in.
    pub people: People,
    /// Manages webhooks and sends them.
    pub webhooks: Webhooks,
    /// Manages transcription.
    pub transcriptions: Transcriptions,
    /// Lists, retries and drops background jobs.
    pub jobs: Jobs,
    /// Reads the audit log.
    pub audit: Audit,
    /// Manages credentials for buckets that files are imported from.
    pub import_buckets: ImportBuckets,
    pub(crate) imports: Imports,
    pub(crate) usage: Usage,
    pub(crate) resealing: Resealing,
    pub(crate) master_secrets: MasterSecrets,
    /// Orders the certificate of the service by ACME, if that is configured.
    pub(crate) certificates: Option<Certificates>,
    pub(crate) links: Links,
    admission: Admission,
    pub(crate) signer: UrlSigner,
}

impl Services {
    /// Opens the catalog for a command beside a running server.
    pub async fn open(config: &Config, ambient: &Ambient) -> Result<Self, StartError> {
        opening::make_folder(&config.data_dir)?;
        let secrets = opening::secrets(config, ambient).await?;
        let signer = opening::signer(config, &secrets);
        let catalog = opening::catalog_of_command(config, ambient).await?;
        let (space, public_url) = (opening::space(config), opening::public_url(config, config.listen));
        let services = Self::new(config, ambient, catalog, space, &secrets, signer, &public_url)?;
        if config.secrets.is_none() {
            let noted = services.master_secrets.note_first().await;
            noted.map_err(|source| StartError::Catalog { url: config.database_url.to_string(), source })?;
        }
        Ok(services)
    }

    /// The command line, which may do everything in an organization. The organization must exist.
    pub(crate) async fn owner(&self, organization: OrganizationId) -> Result<Caller, Refusal> {
        let caller = Caller::owner(organization);
        self.library.organization(&caller, organization).await?;
        Ok(caller)
    }

    /// Opens the store too, for a command that stores files.
    pub async fn open_uploads(&self, config: &Config, ambient: &Ambient) -> Result<Uploads, StartError> {
        let blobs = opening::blobs_of_catalog(config, &self.catalog).await?;
        Ok(self.uploads(config, ambient, &blobs))
    }

    /// Opens the store too, for commands about whether it belongs to the database.
    pub async fn open_identity(
        &self,
        config: &Config,
        ambient: &Ambient,
    ) -> Result<StoreIdentity, StartError> {
        let blobs = opening::blobs_of_catalog(config, &self.catalog).await?;
        Ok(StoreIdentity::new(self.catalog.clone(), blobs, ambient.clone()))
    }

    /// Shows and confirms sweeps of the store.
    pub fn sweeps(&self, ambient: &Ambient) -> Sweeps {
        Sweeps::new(self.catalog.clone(), ambient.clone())
    }

    /// Exports and erases the data stored about a person or a listener.
    pub fn privacy(&self, ambient: &Ambient) -> Privacy {
        Privacy::new(self.catalog.clone(), ambient.clone(), self.people.clone(), &self.signer)
    }

    /// Manages signing keys.
    pub fn signing_keys(&self, ambient: &Ambient) -> SigningKeys {
        SigningKeys::new(self.catalog.clone(), ambient.clone(), self.signer.clone())
    }

    /// Publishes the list of live signing keys for nodes without a catalog.
    pub(crate) async fn publish_signing_keys(
        &self,
        config: &Config,
        ambient: &Ambient,
    ) -> Result<(), PublishError> {
        let blobs = opening::blobs_of_catalog(config, &self.catalog).await?;
        let (catalog, signer) = (self.catalog.clone(), self.signer.clone());
        Ok(KeyFollower::of_catalog(catalog, blobs, signer, ambient.clone()).look().await?)
    }

    pub(crate) fn uploads(&self, config: &Config, ambient: &Ambient, blobs: &Blobs) -> Uploads {
        let (catalog, links) = (self.catalog.clone(), self.links.clone());
        Uploads::new(catalog, blobs.clone(), ambient.clone(), links, config.limits)
            .with_admission(self.admission.clone())
            .with_pictures(opening::pictures(config))
            .with_temporary_files(config.data_dir.clone())
            .with_imports(self.imports.clone())
    }

    pub(crate) fn new(
        config: &Config,
        ambient: &Ambient,
        catalog: Catalog,
        space: Space,
        secrets: &Secrets,
        signer: UrlSigner,
        public_url: &str,
    ) -> Result<Self, StartError> {
        let vault = Vault::new(secrets);
        let links = links(config, ambient, &signer, public_url);
        let admission =
            Admission::by_space(space).and_by_queue(catalog.clone(), ambient.clone(), config.max_queued_jobs);
        let people = People::new(catalog.clone(), ambient.clone(), vault.clone(), public_url)
            .with_provider(provider::sign_in_provider(config, ambient, public_url)?);
        let certificates = certificates(config, ambient, &catalog, &vault)?;
        let outbound = Outbound::new(config.allow_private).map_err(StartError::Outbound)?;
        let imports =
            Imports::new(ambient.clone(), vault.clone(), outbound.clone()).enabled(config.allow_imports);
        let library = Library::new(catalog.clone(), ambient.clone(), links.clone())
            .keeping_deleted(config.keep_deleted)
            .with_admission(admission.clone())
            .with_imports(imports.clone())
            .with_vault(vault.clone());
        let transcriptions =
            Transcriptions::new(catalog.clone(), ambient.clone(), vault.clone(), outbound.clone());
        let resealing = Resealing::new(catalog.clone(), ambient.clone(), vault.clone());
        Ok(Self {
            people,
            certificates,
            admission,
            jobs: Jobs::new(catalog.clone(), ambient.clone(), library.clone(), transcriptions.clone()),
            audit: Audit::new(catalog.clone()),
            usage: Usage::new(catalog.clone(), ambient.clone()),
            import_buckets: ImportBuckets::new(
                catalog.clone(),
                ambient.clone(),
                vault.clone(),
                outbound.clone(),
            ),
            master_secrets: master_secrets(config, ambient, &catalog, &resealing, secrets),
            webhooks: Webhooks::new(catalog.clone(), ambient.clone(), links.clone(), vault, outbound),
            library,
            transcriptions,
            imports,
            resealing,
            links,
            signer,
            catalog,
        })
    }
}

fn links(config: &Config, ambient: &Ambient, signer: &UrlSigner, public_url: &str) -> Links {
    let delivery_url = config.delivery_url.clone().unwrap_or_else(|| DeliveryUrl::of(public_url));
    Links::new(signer.clone(), ambient.clone(), public_url, delivery_url)
        .with_shared_caches(config.shared_caches)
}

/// Signatures of publicly cached files last longer by the length of a window, so an old secret is needed for longer.
fn master_secrets(
    config: &Config,
    ambient: &Ambient,
    catalog: &Catalog,
    resealing: &Resealing,
    secrets: &Secrets,
) -> MasterSecrets {
    let rounding_seconds = match config.shared_caches.policy {
        CachePolicy::Private => 0,
        CachePolicy::Public => config.shared_caches.window_seconds,
    };
    MasterSecrets::new(catalog.clone(), ambient.clone(), resealing.clone(), secrets, rounding_seconds)
}

fn certificates(
    config: &Config,
    ambient: &Ambient,
    catalog: &Catalog,
    vault: &Vault,
) -> Result<Option<Certificates>, StartError> {
    let Some(terms) = &config.acme else { return Ok(None) };
    let acme = Acme::new(&terms.directory, terms.contact.as_deref()).map_err(StartError::Outbound)?;
    let (catalog, ambient) = (catalog.clone(), ambient.clone());
    Ok(Some(Certificates::new(catalog, ambient, vault.clone(), acme, terms.names.clone())))
}

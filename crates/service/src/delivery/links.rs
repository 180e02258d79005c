//! The URLs that the service issues.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use tonearm_domain::{
    Ambient, CachePolicy, Collection, CollectionId, CoverSize, DurableName, ObjectKey, Organization,
    OrganizationId, PlaySessionId, ReplacementId, ShortId, Timestamp, TrackId, UPLOAD_URL_TTL_SECONDS,
    UploadId,
};
use tonearm_signing::{
    DEFAULT_TTL_SECONDS, DeliveryTerms, ListenerHasher, UploadGrant, UploadTarget, UrlSigner,
};

use super::shared_caches::SharedCaches;

/// The origin that files are delivered from. It may contain `{org}`, which is replaced with the organization's id, so
/// that each organization has a host name of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeliveryUrl(String);

/// A delivery URL that is not an origin.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("must be a scheme and host such as https://{{org}}.audio.example.com, without path or query")]
pub struct DeliveryUrlError;

impl FromStr for DeliveryUrl {
    type Err = DeliveryUrlError;
    fn from_str(text: &str) -> Result<Self, DeliveryUrlError> {
        let origin = text.trim_end_matches('/');
        let host = origin
            .strip_prefix("https://")
            .or_else(|| origin.strip_prefix("http://"))
            .ok_or(DeliveryUrlError)?;
        // `{org}` may occur once at most: with ids in two places, it would be ambiguous whose host it is.
        let plain = host.replacen("{org}", "org", 1);
        let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | ':' | '[' | ']');
        if plain.is_empty() || !plain.chars().all(allowed) {
            return Err(DeliveryUrlError);
        }
        Ok(Self(origin.to_owned()))
    }
}

impl DeliveryUrl {
    /// The origin of a URL that was checked before, such as the public URL.
    pub fn of(url: &str) -> Self {
        let end = url.find("://").map_or(0, |at| at + 3);
        let path = url[end..].find('/').map_or(url.len(), |at| end + at);
        Self(url[..path].to_owned())
    }

    /// The parts of the host name before and after the organization, without scheme and port; `None` if all
    /// organizations share one host.
    pub fn around_organization(&self) -> Option<(&str, &str)> {
        let (before, after) = self.0.split_once("{org}")?;
        let before = before.rsplit_once("://").map_or(before, |(_, host)| host);
        let after = after.rsplit_once(':').map_or(after, |(host, _)| host);
        Some((before, after))
    }

    fn origin(&self, organization_id: OrganizationId) -> String {
        self.0.replace("{org}", &organization_id.to_string())
    }
}

impl fmt::Display for DeliveryUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A signed upload URL with its lifetime.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UploadHandle {
    /// `PUT` for sources, `POST` for covers.
    pub method: &'static str,
    /// The signed URL.
    pub upload_url: String,
    /// How many seconds it is valid.
    pub ttl: u32,
    /// When it expires.
    pub expires_at: Timestamp,
}

/// The base of durable names, to which `_{variant}.{extension}` is added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DurableBase {
    /// The path, without a leading slash.
    pub base_path: String,
    /// The URL, on the organization's own host if each has one.
    pub base_url: String,
}

/// Makes and signs the URLs that the service issues.
#[derive(Clone)]
pub struct Links(Arc<Origins>);

#[derive(Clone)]
struct Origins {
    signer: UrlSigner,
    listeners: ListenerHasher,
    ambient: Ambient,
    public_url: String,
    delivery_url: DeliveryUrl,
    shared: SharedCaches,
}

impl Links {
    /// `public_url` is where the API is reached, without a trailing slash.
    pub fn new(signer: UrlSigner, ambient: Ambient, public_url: &str, delivery_url: DeliveryUrl) -> Self {
        let public_url = public_url.trim_end_matches('/').to_owned();
        let shared = SharedCaches::default();
        let listeners = signer.listener_hasher();
        Self(Arc::new(Origins { signer, listeners, ambient, public_url, delivery_url, shared }))
    }

    /// Sets the terms for shared caches.
    pub fn with_shared_caches(self, shared: SharedCaches) -> Self {
        Self(Arc::new(Origins { shared, ..Origins::clone(&self.0) }))
    }

    /// The hasher for listeners. It gives the same hashes as that of delivery nodes.
    pub(crate) fn listener_hasher(&self) -> &ListenerHasher {
        &self.0.listeners
    }

    /// A signed URL of an object; without a `ttl` it is valid for one hour. If shared caches may store the response, it
    /// is valid for up to a window longer. Shared caches never store downloads (attachments): their URLs are for one
    /// listener.
    pub fn delivery(&self, key: &ObjectKey, terms: DeliveryTerms<'_>) -> String {
        let Origins { signer, ambient, shared, .. } = &*self.0;
        let cache = match terms.attachment {
            None => terms.cache.or(shared.policy),
            Some(_) => CachePolicy::Private,
        };
        let terms = DeliveryTerms { cache, ..terms };
        let signed = match cache {
            CachePolicy::Private => signer.sign_delivery(key, terms, ambient.now()),
            CachePolicy::Public => {
                let (issued, ttl) = shared.round_up(ambient.now(), terms.ttl.unwrap_or(DEFAULT_TTL_SECONDS));
                signer.sign_delivery(key, DeliveryTerms { ttl: Some(ttl), ..terms }, issued)
            }
        };
        format!("{}{signed}", self.0.delivery_url.origin(key.organization_id))
    }

    /// A signed URL that takes the source of a track, and one that takes its cover.
    pub fn uploads(
        &self,
        organization_id: OrganizationId,
        track_id: TrackId,
    ) -> (UploadHandle, UploadHandle) {
        let source = self.upload(organization_id, UploadTarget::Source(track_id), "PUT");
        (source, self.upload(organization_id, UploadTarget::Cover(track_id), "POST"))
    }

    /// A signed URL that takes a new source for a track that has one.
    pub fn replacement_upload(
        &self,
        organization_id: OrganizationId,
        track_id: TrackId,
        replacement_id: ReplacementId,
    ) -> UploadHandle {
        self.upload(organization_id, UploadTarget::Replacement(track_id, replacement_id), "PUT")
    }

    /// A signed URL that takes the cover of a collection.
    pub fn collection_cover_upload(
        &self,
        organization_id: OrganizationId,
        collection_id: CollectionId,
    ) -> UploadHandle {
        self.upload(organization_id, UploadTarget::CollectionCover(collection_id), "POST")
    }

    /// The URL at which an upload by the tus protocol is continued. The upload's id is the credential.
    pub fn tus_upload(&self, id: UploadId) -> String {
        format!("{}/upload/tus/{id}", self.0.public_url)
    }

    fn upload(
        &self,
        organization_id: OrganizationId,
        target: UploadTarget,
        method: &'static str,
    ) -> UploadHandle {
        let now = self.0.ambient.now();
        let grant = UploadGrant { organization_id, target };
        let signed = self.0.signer.sign_upload(grant, UPLOAD_URL_TTL_SECONDS, now);
        UploadHandle {
            method,
            upload_url: format!("{}{signed}", self.0.public_url),
            ttl: UPLOAD_URL_TTL_SECONDS,
            expires_at: now.plus_seconds(UPLOAD_URL_TTL_SECONDS.into()),
        }
    }

    /// The URL of the captions of a track in a play session. Nodes with a database serve it, as the captions are in the
    /// database. The id of the session is the credential.
    pub fn captions(&self, session_id: PlaySessionId, track_id: TrackId) -> String {
        format!("{}/v1/play/{session_id}/{track_id}/captions", self.0.public_url)
    }

    /// The origin of an organization's files: scheme and host.
    pub fn delivery_origin(&self, organization_id: OrganizationId) -> String {
        self.0.delivery_url.origin(organization_id)
    }

    /// The prefix of the durable names of a track's files, as a path and as a URL. Holders of a signing key of the
    /// organization sign such URLs.
    pub fn durable_base(&self, organization_id: OrganizationId, folder: ShortId) -> DurableBase {
        let base_path = DurableName::base_path(organization_id, folder);
        let base_url = format!("{}/{base_path}", self.delivery_origin(organization_id));
        DurableBase { base_path, base_url }
    }

    /// A signed URL of a collection's own cover, if it has one.
    pub fn collection_cover(&self, collection: &Collection) -> Option<String> {
        let cover = collection.cover?;
        let key = cover.key(collection.organization_id, collection.folder, CoverSize::Regular);
        Some(self.delivery(&key, DeliveryTerms::default()))
    }

    /// A signed URL of an organization's own cover, if it has one.
    pub fn organization_cover(&self, organization: &Organization) -> Option<String> {
        let cover = organization.cover?;
        let key = cover.key(organization.id, organization.folder, CoverSize::Regular);
        Some(self.delivery(&key, DeliveryTerms::default()))
    }

    /// The link that plays a track with the text of a share key.
    pub fn stream(&self, track_id: TrackId, share_key: &str) -> String {
        format!("{}/v1/stream/{track_id}/{share_key}", self.0.public_url)
    }

    /// The base URL of the API.
    pub fn public_url(&self) -> &str {
        &self.0.public_url
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_organization_is_found_in_its_host() {
        let around = |url: &str| {
            let url: DeliveryUrl = url.parse().unwrap();
            url.around_organization().map(|(before, after)| (before.to_owned(), after.to_owned()))
        };
        let parts = |before: &str, after: &str| Some((before.to_owned(), after.to_owned()));
        assert_eq!(around("https://{org}.cdn.example.com"), parts("", ".cdn.example.com"));
        assert_eq!(around("http://media-{org}.example.com:8080/"), parts("media-", ".example.com"));
        assert_eq!(around("http://{org}:8080"), parts("", ""));
        assert_eq!(around("http://cdn.example.com"), None);
    }

    #[test]
    fn a_delivery_url_is_an_origin() {
        for good in ["http://127.0.0.1:8080", "https://{org}.cdn.example.com/", "http://[::1]:80"] {
            assert!(good.parse::<DeliveryUrl>().is_ok(), "{good}");
        }
        for bad in [
            "https://{org}.{org}",
            "https://{Org}.a",
            "",
            "cdn.example.com",
            "https://",
            "https://a/b",
            "https://a?b",
            "ftp://a",
            "https://u@a",
        ] {
            assert_eq!(bad.parse::<DeliveryUrl>(), Err(DeliveryUrlError), "{bad}");
        }
    }
}

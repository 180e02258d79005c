//! URLs that permit uploading one file.

use std::fmt;
use std::str::FromStr;

use tonearm_domain::{CollectionId, OrganizationId, ReplacementId, Timestamp, TrackId};

use crate::keys::Purpose;
use crate::signer::{Token, UrlSigner, VerifyError, canonical_number};

/// What is to be uploaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UploadTarget {
    /// A track's audio.
    Source(TrackId),
    /// A new source for a track that has one. It has the path of the source; the query names the replacement.
    Replacement(TrackId, ReplacementId),
    /// A track's cover image.
    Cover(TrackId),
    /// A collection's cover image.
    CollectionCover(CollectionId),
}

/// The beginning of the query of an upload URL for a new source.
const REPLACEMENT: &str = "replacement=";

/// The replacement that a query names, and the rest of the query.
fn split_replacement(query: Option<&str>) -> (Option<&str>, Option<&str>) {
    match query.and_then(|query| query.strip_prefix(REPLACEMENT)?.split_once('&')) {
        Some((id, rest)) => (Some(id), Some(rest)),
        None => (None, query),
    }
}

impl fmt::Display for UploadTarget {
    /// The end of the upload URL's path.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Source(track) | Self::Replacement(track, _) => write!(f, "{track}/source"),
            Self::Cover(track) => write!(f, "{track}/cover"),
            Self::CollectionCover(collection) => write!(f, "{collection}/collection_cover"),
        }
    }
}

impl UploadTarget {
    fn parse(id: &str, file: &str) -> Option<Self> {
        match file {
            "source" => id.parse().ok().map(Self::Source),
            "cover" => id.parse().ok().map(Self::Cover),
            "collection_cover" => id.parse().ok().map(Self::CollectionCover),
            _ => None,
        }
    }
}

/// What a genuine upload URL permits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct UploadGrant {
    /// The organization that the target belongs to.
    pub organization_id: OrganizationId,
    /// The file, and what it belongs to.
    pub target: UploadTarget,
}

impl fmt::Display for UploadGrant {
    /// The path of the upload URL.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { organization_id, target } = self;
        write!(f, "/upload/{organization_id}/{target}")
    }
}

impl FromStr for UploadGrant {
    type Err = VerifyError;
    /// From the path of an upload URL; this alone permits nothing.
    fn from_str(path: &str) -> Result<Self, VerifyError> {
        let parse = || {
            let mut parts = path.strip_prefix("/upload/")?.split('/');
            let organization_id = parts.next()?.parse().ok()?;
            let target = UploadTarget::parse(parts.next()?, parts.next()?)?;
            let grant = Self { organization_id, target };
            // A UUID can be spelled in upper case too; a signed path cannot.
            (parts.next().is_none() && grant.to_string() == path).then_some(grant)
        };
        parse().ok_or(VerifyError::Malformed)
    }
}

impl UrlSigner {
    /// Path and query of a URL that permits the upload for `ttl` seconds from `now` on.
    pub fn sign_upload(&self, grant: UploadGrant, ttl: u32, now: Timestamp) -> String {
        let query = match grant.target {
            UploadTarget::Replacement(_, id) => format!("{REPLACEMENT}{id}&ttl={ttl}"),
            _ => format!("ttl={ttl}"),
        };
        self.sign(Purpose::Upload, grant.organization_id, format!("{grant}?{query}"), now)
    }

    /// Returns what a path and query permit, exactly as they appear in the request. Strict, like
    /// [`verify_delivery`](Self::verify_delivery).
    pub fn verify_upload(
        &self,
        path: &str,
        query: Option<&str>,
        now: Timestamp,
    ) -> Result<UploadGrant, VerifyError> {
        let (grant, ttl, token) = self.genuine_upload(path, query)?;
        self.expiry(&token, ttl, now)?;
        Ok(grant)
    }

    /// The same for a URL that may have expired: an upload that began in time continues. The caller ensures that it
    /// did.
    pub fn verify_begun_upload(&self, path: &str, query: Option<&str>) -> Result<UploadGrant, VerifyError> {
        self.genuine_upload(path, query).map(|(grant, ..)| grant)
    }

    fn genuine_upload<'a>(
        &self,
        path: &str,
        query: Option<&'a str>,
    ) -> Result<(UploadGrant, u32, Token<'a>), VerifyError> {
        let mut grant: UploadGrant = path.parse()?;
        let (signed, token) = Token::split_from(query)?;
        let (replacement, rest) = split_replacement(signed);
        if let Some(id) = replacement {
            let UploadTarget::Source(track) = grant.target else { return Err(VerifyError::Malformed) };
            grant.target = UploadTarget::Replacement(track, id.parse().map_err(|_| VerifyError::Malformed)?);
        }
        let ttl = rest
            .and_then(|query| query.strip_prefix("ttl="))
            .and_then(canonical_number)
            .ok_or(VerifyError::Malformed)?;
        self.check_mac(Purpose::Upload, grant.organization_id, path, signed, &token)?;
        Ok((grant, ttl, token))
    }
}

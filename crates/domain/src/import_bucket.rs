//! Buckets of an S3-compatible store that files are imported from, and the addresses of objects in them.

use std::fmt;
use std::net::Ipv4Addr;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::timestamp::Timestamp;
use crate::{ApiKeyId, OrganizationId};

/// Maximum number of buckets for which an organization may store credentials.
pub const MOST_IMPORT_BUCKETS: u64 = 100;

/// Longest key of an object, in bytes of UTF-8, as S3 has it.
const LONGEST_KEY: usize = 1024;

const SCHEME: &str = "s3://";

/// The location of a bucket and the credentials to read it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportBucket {
    /// The organization that owns the credentials. Imports of other organizations never use them.
    pub organization_id: OrganizationId,
    /// The bucket. An organization has at most one set of credentials for each name.
    pub bucket: BucketName,
    /// The store, without a slash at the end; none is Amazon S3.
    pub endpoint: Option<String>,
    /// The region that requests are signed for.
    pub region: BucketRegion,
    /// The public half of the credentials.
    pub access_key_id: AccessKeyId,
    /// The secret half, sealed.
    pub secret: Vec<u8>,
    /// When the bucket was first set.
    pub created_at: Timestamp,
    /// When the credentials end, since the API key that set them does.
    pub expires_at: Option<Timestamp>,
    /// The API key that last set them.
    pub made_by: Option<ApiKeyId>,
}

/// The name of a bucket: 3 to 63 characters a-z, 0-9, `.` and `-`, starting and ending with a letter or digit, without
/// two dots in a row, and not an IP address.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct BucketName(String);

/// A text that is not the name of a bucket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "must have 3 to 63 characters a-z, 0-9, . and -, start and end with a letter or digit, contain no two dots in a row, and \
     not be an IP address"
)]
pub struct BucketNameError;

impl BucketName {
    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for BucketName {
    type Err = BucketNameError;

    fn from_str(text: &str) -> Result<Self, BucketNameError> {
        let is_plain = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let bytes = text.as_bytes();
        let is_name = (3..=63).contains(&bytes.len())
            && bytes.iter().all(|byte| is_plain(byte) || matches!(byte, b'.' | b'-'))
            && bytes.first().is_some_and(is_plain)
            && bytes.last().is_some_and(is_plain)
            && !text.contains("..")
            // The prefix of internationalised host names, which bucket names cannot have.
            && !text.starts_with("xn--")
            && text.parse::<Ipv4Addr>().is_err();
        if is_name { Ok(Self(text.to_owned())) } else { Err(BucketNameError) }
    }
}

impl fmt::Display for BucketName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A region of a store. It becomes part of host names: 1 to 64 characters a-z, A-Z, 0-9, `-` and `_`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct BucketRegion(String);

/// A text that is not a region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must have 1 to 64 characters a-z, A-Z, 0-9, - and _, such as eu-central-1")]
pub struct BucketRegionError;

impl BucketRegion {
    /// The region.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl Default for BucketRegion {
    /// Amazon's default, which stores without regions expect as well.
    fn default() -> Self {
        Self("us-east-1".to_owned())
    }
}

impl FromStr for BucketRegion {
    type Err = BucketRegionError;

    fn from_str(text: &str) -> Result<Self, BucketRegionError> {
        let is_region = (1..=64).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
        if is_region { Ok(Self(text.to_owned())) } else { Err(BucketRegionError) }
    }
}

impl TryFrom<String> for BucketRegion {
    type Error = BucketRegionError;

    fn try_from(text: String) -> Result<Self, BucketRegionError> {
        text.parse()
    }
}

impl fmt::Display for BucketRegion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The public half of credentials. It becomes part of a header: 1 to 256 printable ASCII characters, without spaces,
/// `/`, `,` and `=`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct AccessKeyId(String);

/// A text that is not an access key id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must have 1 to 256 printable ASCII characters, without spaces and without / , and =")]
pub struct AccessKeyIdError;

impl AccessKeyId {
    /// The id.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for AccessKeyId {
    type Err = AccessKeyIdError;

    fn from_str(text: &str) -> Result<Self, AccessKeyIdError> {
        let is_id = (1..=256).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_graphic() && !matches!(byte, b'/' | b',' | b'='));
        if is_id { Ok(Self(text.to_owned())) } else { Err(AccessKeyIdError) }
    }
}

impl TryFrom<String> for AccessKeyId {
    type Error = AccessKeyIdError;

    fn try_from(text: String) -> Result<Self, AccessKeyIdError> {
        text.parse()
    }
}

/// The address of an object, `s3://bucket/key`. Everything after the slash is the literal key: it is not
/// percent-encoded, and `?` and `#` are part of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct S3Url {
    /// The bucket.
    pub bucket: BucketName,
    /// The key, 1 to 1024 bytes, without `.` and `..` between slashes.
    pub key: String,
}

/// A text that is not the address of an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum S3UrlError {
    /// Another scheme, no key, or an empty one.
    #[error("must be a URL such as s3://bucket/path/song.mp3")]
    Malformed,
    /// Not a valid bucket name.
    #[error("the name of the bucket {0}")]
    Bucket(#[from] BucketNameError),
    /// A key that is longer than any object's key.
    #[error("the key of the object must have at most {LONGEST_KEY} bytes")]
    KeyTooLong,
    /// A key that would change in transit, because URL parsers resolve these segments.
    #[error("the key of the object cannot contain . or .. between slashes, since URLs cannot express it")]
    DotSegment,
}

impl S3Url {
    /// Whether a text has the scheme of such an address.
    pub fn is_meant(text: &str) -> bool {
        text.get(..SCHEME.len()).is_some_and(|scheme| scheme.eq_ignore_ascii_case(SCHEME))
    }
}

impl FromStr for S3Url {
    type Err = S3UrlError;

    fn from_str(text: &str) -> Result<Self, S3UrlError> {
        if !Self::is_meant(text) {
            return Err(S3UrlError::Malformed);
        }
        let (bucket, key) = text[SCHEME.len()..].split_once('/').ok_or(S3UrlError::Malformed)?;
        let bucket = bucket.parse()?;
        if key.is_empty() {
            Err(S3UrlError::Malformed)
        } else if key.len() > LONGEST_KEY {
            Err(S3UrlError::KeyTooLong)
        } else if key.split('/').any(|segment| matches!(segment, "." | "..")) {
            Err(S3UrlError::DotSegment)
        } else {
            Ok(Self { bucket, key: key.to_owned() })
        }
    }
}

impl fmt::Display for S3Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{SCHEME}{}/{}", self.bucket, self.key)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn buckets_are_named_by_the_rules_of_s3() {
        let longest = "a".repeat(63);
        for name in ["abc", "1music", "my.music-2026", "a-.b", "example.com", &longest] {
            assert_eq!(name.parse::<BucketName>().unwrap().as_str(), name);
        }
        let too_long = "a".repeat(64);
        for name in [
            "",
            "ab",
            "Music",
            "my_music",
            "-music",
            "music-",
            ".music",
            "music.",
            "my..music",
            "192.168.0.1",
            "xn--music",
            "mus ic",
            "müsic",
            "me@music",
            "music:9000",
            "music?x",
            &too_long,
        ] {
            assert_eq!(name.parse::<BucketName>(), Err(BucketNameError), "{name}");
        }
    }

    #[test]
    fn keys_are_taken_as_they_are() {
        for key in [
            "song.mp3",
            "a b/100%/%2e%2e/Größe.wav",
            "a//b",
            "/a",
            "a/",
            "a..b/..c/.d/...",
            "what?now#then",
            " ",
            "a\\..\\b",
            &"x".repeat(1024),
        ] {
            let url: S3Url = format!("S3://music/{key}").parse().unwrap();
            assert_eq!((url.bucket.as_str(), url.key.as_str()), ("music", key));
            assert_eq!(url.to_string(), format!("s3://music/{key}"));
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        let long = format!("s3://music/{}", "ä".repeat(513));
        for (text, error) in [
            ("", S3UrlError::Malformed),
            ("s3:/music/a", S3UrlError::Malformed),
            ("https://music/a", S3UrlError::Malformed),
            ("s3://music", S3UrlError::Malformed),
            ("s3://music/", S3UrlError::Malformed),
            ("s3:///a", S3UrlError::Bucket(BucketNameError)),
            ("s3://me:secret@music/a", S3UrlError::Bucket(BucketNameError)),
            ("s3://../a", S3UrlError::Bucket(BucketNameError)),
            ("s3://music/..", S3UrlError::DotSegment),
            ("s3://music/a/../b", S3UrlError::DotSegment),
            ("s3://music/./b", S3UrlError::DotSegment),
            (long.as_str(), S3UrlError::KeyTooLong),
        ] {
            assert_eq!(text.parse::<S3Url>(), Err(error), "{text}");
        }
    }

    #[test]
    fn credentials_fit_into_headers() {
        assert!("AKIAIOSFODNN7EXAMPLE".parse::<AccessKeyId>().is_ok());
        for text in ["", "a b", "a/b", "a,b", "a=b", "a\nb", "ä", &"a".repeat(257)] {
            assert_eq!(text.parse::<AccessKeyId>(), Err(AccessKeyIdError), "{text}");
        }
        assert!("eu-central-1".parse::<BucketRegion>().is_ok() && "auto".parse::<BucketRegion>().is_ok());
        for text in ["", "eu.central", "eu/central", "eu central", "ü", "a@b", &"a".repeat(65)] {
            assert_eq!(text.parse::<BucketRegion>(), Err(BucketRegionError), "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_breaks_it(text in "(s3://)?[ -~]{0,12}(/\\PC{0,40})?") {
            if let Ok(url) = text.parse::<S3Url>() {
                prop_assert_eq!(url.to_string().parse::<S3Url>(), Ok(url));
            }
        }
    }
}

//! Where objects are kept, as one URL.

use std::borrow::Cow;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

use percent_encoding::percent_decode_str;
use url::{Host, Url};

/// Where objects are kept: `file:///absolute/path`, or `s3://bucket/prefix` with the optional parameters
/// `endpoint`, `region`, `access_key_id` and `secret_access_key`. Neither `Display` nor `Debug` shows the secret.
#[derive(Clone, PartialEq, Eq)]
pub struct StorageUrl(StoreLocation);

#[derive(Clone, PartialEq, Eq)]
pub(crate) enum StoreLocation {
    /// An absolute path.
    Folder(PathBuf),
    Bucket(Box<Bucket>),
}

/// A bucket, or the part of one below a prefix.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Bucket {
    pub(crate) name: String,
    /// Segments joined by `/`, with none at the ends; empty for the whole bucket.
    pub(crate) prefix: String,
    /// The endpoint of a store that is not Amazon's; the bucket is then part of its path.
    pub(crate) endpoint: Option<Url>,
    pub(crate) region: Option<String>,
    pub(crate) access_key_id: Option<String>,
    pub(crate) secret_access_key: Option<String>,
    pub(crate) session_token: Option<String>,
}

/// A text that is not the URL of an object store.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum StorageUrlError {
    /// Not a URL, or of another kind.
    #[error("must be file:///absolute/path or s3://bucket")]
    Scheme,
    /// A folder that is not named by its absolute path alone.
    #[error("a folder must be file:///absolute/path, with nothing after the path")]
    Folder,
    /// A bucket without a name, or more than a name and a prefix.
    #[error("a bucket must be s3://bucket or s3://bucket/prefix")]
    Bucket,
    /// A parameter that buckets do not have, or one given twice.
    #[error(
        "a bucket can have the parameters endpoint, region, access_key_id and secret_access_key, but not {0}"
    )]
    Parameter(String),
    /// An endpoint that is not a plain HTTP address.
    #[error("the endpoint must be a URL such as https://storage.example.com")]
    Endpoint,
    /// Half of the credentials.
    #[error("access_key_id and secret_access_key must be given together")]
    Credentials,
}

impl StorageUrl {
    /// Whether objects come over a network without TLS, so that bytes may change on the way unnoticed.
    pub fn is_unprotected(&self) -> bool {
        let StoreLocation::Bucket(bucket) = &self.0 else { return false };
        bucket.endpoint.as_ref().is_some_and(|endpoint| {
            let is_here = match endpoint.host() {
                Some(Host::Domain(name)) => name == "localhost",
                Some(Host::Ipv4(address)) => address.is_loopback(),
                Some(Host::Ipv6(address)) => address.is_loopback(),
                None => false,
            };
            endpoint.scheme() == "http" && !is_here
        })
    }

    /// Fills in what the URL of a bucket does not set from the environment variables that Amazon's own tools read:
    /// `AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY` and `AWS_SESSION_TOKEN`, `AWS_REGION` or `AWS_DEFAULT_REGION`, and
    /// `AWS_ENDPOINT_URL`. `variable` looks one up.
    pub fn with_environment(
        mut self,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, StorageUrlError> {
        let StoreLocation::Bucket(bucket) = &mut self.0 else {
            return Ok(self);
        };
        let variable = |name| variable(name).filter(|value| !value.is_empty());
        if bucket.access_key_id.is_none() {
            bucket.access_key_id = variable("AWS_ACCESS_KEY_ID");
            bucket.secret_access_key = variable("AWS_SECRET_ACCESS_KEY");
            bucket.session_token = variable("AWS_SESSION_TOKEN");
        }
        if bucket.region.is_none() {
            bucket.region = variable("AWS_REGION").or_else(|| variable("AWS_DEFAULT_REGION"));
        }
        if bucket.endpoint.is_none() {
            bucket.endpoint = variable("AWS_ENDPOINT_URL").as_deref().map(parse_endpoint).transpose()?;
        }
        bucket.check_credentials()?;
        Ok(self)
    }

    /// Whether objects are in a bucket, so that reading one takes a request to another machine.
    pub fn is_bucket(&self) -> bool {
        matches!(self.0, StoreLocation::Bucket(_))
    }

    /// The folder, if it is one.
    pub fn folder(&self) -> Option<&std::path::Path> {
        match &self.0 {
            StoreLocation::Folder(root) => Some(root),
            StoreLocation::Bucket(_) => None,
        }
    }

    /// A folder, by its absolute path.
    pub fn of_folder(path: PathBuf) -> Self {
        Self(StoreLocation::Folder(path))
    }

    /// The same folder or bucket, below `name`.
    pub fn below(&self, name: &str) -> Self {
        Self(match &self.0 {
            StoreLocation::Folder(root) => StoreLocation::Folder(root.join(name)),
            StoreLocation::Bucket(bucket) => {
                let prefix = match bucket.prefix.as_str() {
                    "" => name.to_owned(),
                    prefix => format!("{prefix}/{name}"),
                };
                StoreLocation::Bucket(Box::new(Bucket { prefix, ..(**bucket).clone() }))
            }
        })
    }

    /// Whether two URLs lead to the same objects, or one to a part of the other's.
    pub fn overlaps(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (StoreLocation::Folder(one), StoreLocation::Folder(two)) => {
                one.starts_with(two) || two.starts_with(one)
            }
            (StoreLocation::Bucket(one), StoreLocation::Bucket(two)) => {
                let inside = |inner: &str, outer: &str| {
                    outer.is_empty()
                        || inner == outer
                        || inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'))
                };
                one.name == two.name
                    && one.endpoint == two.endpoint
                    && (inside(&one.prefix, &two.prefix) || inside(&two.prefix, &one.prefix))
            }
            _ => false,
        }
    }

    pub(crate) fn location(&self) -> &StoreLocation {
        &self.0
    }
}

impl Bucket {
    fn check_credentials(&self) -> Result<(), StorageUrlError> {
        if self.access_key_id.is_some() == self.secret_access_key.is_some() {
            Ok(())
        } else {
            Err(StorageUrlError::Credentials)
        }
    }

    fn set(&mut self, name: &str, value: String) -> Result<(), StorageUrlError> {
        let repeated = || StorageUrlError::Parameter(format!("{name} twice"));
        if name == "endpoint" {
            let endpoint = parse_endpoint(&value)?;
            return self.endpoint.replace(endpoint).map_or(Ok(()), |_| Err(repeated()));
        }
        let slot = match name {
            "region" => &mut self.region,
            "access_key_id" => &mut self.access_key_id,
            "secret_access_key" => &mut self.secret_access_key,
            _ => return Err(StorageUrlError::Parameter(name.to_owned())),
        };
        slot.replace(value).map_or(Ok(()), |_| Err(repeated()))
    }
}

impl FromStr for StorageUrl {
    type Err = StorageUrlError;
    fn from_str(text: &str) -> Result<Self, StorageUrlError> {
        let url: Url = text.parse().map_err(|_| StorageUrlError::Scheme)?;
        match url.scheme() {
            "file" => parse_folder(&url).map(StoreLocation::Folder).map(Self),
            "s3" => parse_bucket(&url).map(Box::new).map(StoreLocation::Bucket).map(Self),
            _ => Err(StorageUrlError::Scheme),
        }
    }
}

fn parse_folder(url: &Url) -> Result<PathBuf, StorageUrlError> {
    if url.host().is_some() || url.query().is_some() || url.fragment().is_some() {
        return Err(StorageUrlError::Folder);
    }
    url.to_file_path().map_err(|()| StorageUrlError::Folder)
}

fn parse_bucket(url: &Url) -> Result<Bucket, StorageUrlError> {
    let name = url.host_str().unwrap_or_default();
    let extra = !url.username().is_empty()
        || url.password().is_some()
        || url.port().is_some()
        || url.fragment().is_some();
    let prefix = decode(url.path()).ok_or(StorageUrlError::Bucket)?;
    let prefix = prefix.trim_matches('/');
    let odd_prefix = !prefix.is_empty() && prefix.split('/').any(|s| matches!(s, "" | "." | ".."));
    if name.is_empty() || extra || odd_prefix {
        return Err(StorageUrlError::Bucket);
    }
    let mut bucket = Bucket {
        name: name.to_owned(),
        prefix: prefix.to_owned(),
        endpoint: None,
        region: None,
        access_key_id: None,
        secret_access_key: None,
        session_token: None,
    };
    // Not parsed as a form: there `+` means a space, but secrets contain it.
    for pair in url.query().unwrap_or_default().split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let value = decode(value).ok_or_else(|| StorageUrlError::Parameter(name.to_owned()))?;
        bucket.set(name, value.into_owned())?;
    }
    bucket.check_credentials()?;
    Ok(bucket)
}

fn parse_endpoint(text: &str) -> Result<Url, StorageUrlError> {
    let url: Url = text.parse().map_err(|_| StorageUrlError::Endpoint)?;
    let plain = matches!(url.scheme(), "http" | "https")
        && url.username().is_empty()
        && url.password().is_none()
        && url.query().is_none()
        && url.fragment().is_none();
    if plain { Ok(url) } else { Err(StorageUrlError::Endpoint) }
}

fn decode(text: &str) -> Option<Cow<'_, str>> {
    percent_decode_str(text).decode_utf8().ok()
}

impl fmt::Display for StorageUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            StoreLocation::Folder(path) => write!(f, "file://{}", path.display()),
            StoreLocation::Bucket(bucket) => {
                write!(f, "s3://{}", bucket.name)?;
                if !bucket.prefix.is_empty() {
                    write!(f, "/{}", bucket.prefix)?;
                }
                match &bucket.endpoint {
                    Some(endpoint) => write!(f, "?endpoint={endpoint}"),
                    None => Ok(()),
                }
            }
        }
    }
}

impl fmt::Debug for StorageUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StorageUrl({self})")
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bucket(text: &str) -> Bucket {
        match text.parse::<StorageUrl>() {
            Ok(StorageUrl(StoreLocation::Bucket(bucket))) => *bucket,
            other => panic!("{text} gives {other:?}"),
        }
    }

    #[test]
    fn folders() {
        let url: StorageUrl = "file:///srv/tone%20arm/".parse().unwrap();
        assert!(url.0 == StoreLocation::Folder("/srv/tone arm/".into()));
        for bad in ["file://srv/tonearm", "file:///srv?x=1", "file:///srv#x"] {
            assert_eq!(bad.parse::<StorageUrl>(), Err(StorageUrlError::Folder), "{bad}");
        }
    }

    #[test]
    fn buckets() {
        let full = bucket(
            "s3://music/a/b/?endpoint=http%3A%2F%2F127.0.0.1:9000&region=eu&access_key_id=id&secret_access_key=s+/%3D",
        );
        assert_eq!((full.name.as_str(), full.prefix.as_str()), ("music", "a/b"));
        assert_eq!(full.endpoint.map(String::from).as_deref(), Some("http://127.0.0.1:9000/"));
        assert_eq!(full.region.as_deref(), Some("eu"));
        assert_eq!(full.secret_access_key.as_deref(), Some("s+/="));
        assert_eq!(bucket("s3://music?endpoint=http://localhost:1").prefix, "");
    }

    #[test]
    fn buckets_without_tls_on_other_hosts_are_unprotected() {
        for (url, is_unprotected) in [
            ("file:///srv/tonearm", false),
            ("s3://music", false),
            ("s3://music?endpoint=https://store.example.com", false),
            ("s3://music?endpoint=http://localhost:9000", false),
            ("s3://music?endpoint=http://127.0.0.1:9000", false),
            ("s3://music?endpoint=http://[::1]:9000", false),
            ("s3://music?endpoint=http://10.0.0.7:9000", true),
            ("s3://music?endpoint=http://store.example.com", true),
        ] {
            assert_eq!(url.parse::<StorageUrl>().unwrap().is_unprotected(), is_unprotected, "{url}");
        }
    }

    #[test]
    fn places_inside_others_are_recognized() {
        let url = |text: &str| text.parse::<StorageUrl>().unwrap();
        assert_eq!(url("s3://music/a").below("b").to_string(), "s3://music/a/b");
        assert_eq!(url("s3://music").below("b").to_string(), "s3://music/b");
        assert_eq!(url("file:///srv/a").below("b").to_string(), "file:///srv/a/b");
        assert!(url("file:///srv/a").overlaps(&url("file:///srv/a/b")));
        assert!(!url("file:///srv/a").overlaps(&url("file:///srv/ab")));
        assert!(url("s3://music").overlaps(&url("s3://music/b")));
        assert!(!url("s3://music/a").overlaps(&url("s3://music/ab")));
        assert!(!url("s3://music/a").overlaps(&url("file:///music/a")));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (bad, sentence) in [
            ("", "must be file:///absolute/path or"),
            ("/srv/objects", "must be file:///absolute/path or"),
            ("gs://music", "must be file:///absolute/path or"),
            ("s3://", "a bucket must be s3://bucket"),
            ("s3://music/a//b", "a bucket must be s3://bucket"),
            ("s3://me:pw@music", "a bucket must be s3://bucket"),
            ("s3://music?regoin=eu", "not regoin"),
            ("s3://music?region=eu&region=us", "not region twice"),
            ("s3://music?endpoint=localhost", "the endpoint must be"),
            ("s3://music?access_key_id=id", "must be given together"),
        ] {
            let error = bad.parse::<StorageUrl>().unwrap_err().to_string();
            assert!(error.contains(sentence), "{bad}: {error}");
        }
    }

    #[test]
    fn secrets_are_not_shown() {
        let url: StorageUrl = "s3://music/a?access_key_id=id&secret_access_key=hush".parse().unwrap();
        assert_eq!(format!("{url} {url:?}"), "s3://music/a StorageUrl(s3://music/a)");
    }

    #[test]
    fn the_environment_fills_gaps_only() {
        let environment = |name: &str| match name {
            "AWS_ACCESS_KEY_ID" => Some("env-id".to_owned()),
            "AWS_SECRET_ACCESS_KEY" => Some("env-secret".to_owned()),
            "AWS_REGION" => Some(String::new()),
            "AWS_DEFAULT_REGION" => Some("env-region".to_owned()),
            _ => None,
        };
        let fill = |text: &str| {
            let url: StorageUrl = text.parse().unwrap();
            match url.with_environment(environment).unwrap().0 {
                StoreLocation::Bucket(bucket) => (bucket.access_key_id.unwrap(), bucket.region.unwrap()),
                StoreLocation::Folder(_) => panic!("not a bucket"),
            }
        };
        assert_eq!(fill("s3://music"), ("env-id".to_owned(), "env-region".to_owned()));
        assert_eq!(
            fill("s3://music?region=eu&access_key_id=id&secret_access_key=s"),
            ("id".to_owned(), "eu".to_owned())
        );
        let half: StorageUrl = "s3://music".parse().unwrap();
        let only_id = |name: &str| (name == "AWS_ACCESS_KEY_ID").then(|| "id".to_owned());
        assert_eq!(half.with_environment(only_id), Err(StorageUrlError::Credentials));
    }

    proptest! {
        #[test]
        fn no_text_breaks_it_and_no_secret_shows(text in "\\PC{0,60}", secret in "[!-~]{8,40}") {
            let _ = text.parse::<StorageUrl>();
            let encoded = percent_encoding::utf8_percent_encode(&secret, percent_encoding::NON_ALPHANUMERIC);
            let url = format!("s3://music?access_key_id=id&secret_access_key={encoded}");
            let url: StorageUrl = url.parse().unwrap();
            let shown = format!("{url} {url:?}");
            prop_assert!(!shown.contains(&secret));
            prop_assert!(matches!(url.location(), StoreLocation::Bucket(b) if b.secret_access_key.as_ref() == Some(&secret)));
        }
    }
}

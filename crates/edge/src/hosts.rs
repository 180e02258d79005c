//! Host names of organizations.

use http::header::HOST;
use http::request::Parts;
use tonearm_domain::OrganizationId;

/// The pattern of the host names under which organizations deliver, each under its own: the text before and after the
/// organization's id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OrganizationHosts {
    before: String,
    after: String,
}

impl OrganizationHosts {
    /// Creates the pattern from the text before and after the id, without a port.
    pub fn new(before: &str, after: &str) -> Self {
        Self { before: before.to_ascii_lowercase(), after: after.to_ascii_lowercase() }
    }

    /// Whether a request may get objects of this organization: its host must not be that of another organization. Hosts
    /// of other forms, such as the ones that a CDN or a probe uses, belong to no organization.
    pub(crate) fn allow(&self, request: &Parts, organization: OrganizationId) -> bool {
        host(request).and_then(|host| self.owner(host)).is_none_or(|owner| owner == organization)
    }

    fn owner(&self, host: &str) -> Option<OrganizationId> {
        let host = without_port(host).trim_end_matches('.').to_ascii_lowercase();
        host.strip_prefix(&self.before)?.strip_suffix(&self.after)?.parse().ok()
    }
}

/// The authority of HTTP/2, else the `Host` header of HTTP/1.
fn host(request: &Parts) -> Option<&str> {
    let authority = request.uri.authority().map(|authority| authority.as_str());
    authority.or_else(|| request.headers.get(HOST)?.to_str().ok())
}

fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    const MINE: &str = "018f0000-0000-7000-8000-000000000001";
    const OTHER: &str = "018f0000-0000-7000-8000-0000000000ff";

    fn request(uri: &str, host: &str) -> Parts {
        Request::get(uri).header(HOST, host).body(()).unwrap().into_parts().0
    }

    #[test]
    fn the_host_of_another_organization_serves_nothing_of_mine() {
        let hosts = OrganizationHosts::new("media-", ".Example.com");
        let mine = MINE.parse().unwrap();
        for (host, allowed) in [
            (format!("media-{MINE}.example.com"), true),
            (format!("media-{MINE}.example.com:8443"), true),
            (format!("media-{OTHER}.example.com"), false),
            (format!("MEDIA-{OTHER}.EXAMPLE.COM:80"), false),
            (format!("media-{OTHER}.example.com."), false),
            (format!("media-{}.example.com", OTHER.to_uppercase()), false),
            ("origin.example.com".to_owned(), true),
            ("127.0.0.1:8080".to_owned(), true),
            ("[::1]:8080".to_owned(), true),
            (String::new(), true),
        ] {
            assert_eq!(hosts.allow(&request("/a", &host), mine), allowed, "{host}");
        }
        // The authority of HTTP/2 takes precedence.
        let uri = format!("https://media-{OTHER}.example.com/a");
        assert!(!hosts.allow(&request(&uri, &format!("media-{MINE}.example.com")), mine));
    }
}

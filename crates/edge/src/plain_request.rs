//! A request that may be answered like an earlier one.

use std::net::IpAddr;

/// A GET request without other headers that affect a response. Values are exactly as sent.
#[derive(Debug, Clone, Copy, Default)]
pub struct PlainRequest<'a> {
    /// Path and query.
    pub target: &'a str,
    /// The value of `Host`.
    pub host: Option<&'a [u8]>,
    /// The value of `Accept`.
    pub accept: Option<&'a [u8]>,
    /// The value of `Range`.
    pub range: Option<&'a [u8]>,
    /// The value of `User-Agent`.
    pub agent: Option<&'a [u8]>,
    /// The value of `Referer`.
    pub referrer: Option<&'a [u8]>,
    /// Where the request comes from.
    pub address: Option<IpAddr>,
}

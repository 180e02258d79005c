//! A request that a repeated answer may be right for.

use std::net::IpAddr;

/// A GET that says nothing else of what makes a difference to an answer. Values are as they stand in the request.
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

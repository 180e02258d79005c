//! Delivery of objects by signature alone.
//!
//! An edge node needs the master secrets and the object store, and no database: the signature in a URL is the
//! permission, and its path is the object's key. The steps of a request are listed in `Edge::deliver`: verify, resolve,
//! conditional, range, send.

mod accept;
mod body;
mod conditional;
mod counted;
mod countries;
mod disposition;
mod durable;
mod edge;
mod found_object;
mod hosts;
mod lookup;
mod missing_forms;
mod multipart;
mod plain_request;
mod played;
mod range;
mod refusal;
mod repeated;
mod response;
mod validators;
mod verified_urls;

pub use body::{Content, SendError, Sending};
pub use countries::{Countries, CountriesError};
pub use durable::{ManifestSource, SourceError};
pub use edge::{Edge, EdgeConfig};
pub use hosts::OrganizationHosts;
pub use plain_request::PlainRequest;
pub use repeated::RepeatedAnswer;

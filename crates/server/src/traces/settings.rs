//! Settings for the export of traces.

use std::collections::HashMap;
use std::fmt;

use url::Url;

/// How traces are exported.
#[derive(Debug, Clone)]
pub struct TraceConfig {
    /// The URL to which spans are sent, with the path; none if traces are not exported.
    pub endpoint: Option<Url>,
    /// Headers that are sent with them, such as a key.
    pub headers: TraceHeaders,
    /// The share of traces that are recorded, from 0 to 1.
    pub sample_ratio: f64,
    /// The name of the service in traces.
    pub service_name: Option<String>,
}

/// Headers for the collector. `Debug` does not show them.
#[derive(Clone, Default)]
pub struct TraceHeaders(HashMap<String, String>);

impl TraceHeaders {
    /// From names and values, which must be valid in headers.
    pub fn new(headers: HashMap<String, String>) -> Self {
        Self(headers)
    }

    /// Names and values.
    pub fn as_map(&self) -> &HashMap<String, String> {
        &self.0
    }
}

impl fmt::Debug for TraceHeaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TraceHeaders")
    }
}

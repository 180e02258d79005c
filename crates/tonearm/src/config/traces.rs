//! Where traces are exported to, and how many of them.

use std::collections::HashMap;

use hyper::header::{HeaderName, HeaderValue};
use tonearm_server::traces::{TraceConfig, TraceHeaders};
use url::Url;

use super::error::ConfigError;
use super::file::TracingSettings;

const ENDPOINT: &str = "tracing.otlp_endpoint";

/// The path at which a collector accepts traces (OTLP over HTTP).
const PATH: &str = "/v1/traces";

/// Reads the configuration from the settings. If no endpoint is set, the standard OpenTelemetry variables are used.
/// `headers` is the text of the setting with the headers.
pub(super) fn traces(
    settings: TracingSettings,
    headers: Option<String>,
    lookup: impl Fn(&str) -> Option<String>,
) -> Result<TraceConfig, ConfigError> {
    let (of_traces, of_all) = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT");
    let endpoint = match (settings.otlp_endpoint, lookup(of_traces), lookup(of_all)) {
        (Some(text), ..) => Some(with_path(endpoint(ENDPOINT, &text)?)),
        // Only this variable already contains the path.
        (None, Some(text), _) => Some(endpoint(of_traces, &text)?),
        (None, None, Some(text)) => Some(with_path(endpoint(of_all, &text)?)),
        (None, None, None) => None,
    };
    let sample_ratio = settings.sample_ratio.unwrap_or(1.0);
    if !(0.0..=1.0).contains(&sample_ratio) {
        return Err(ConfigError::new("tracing.sample_ratio", "must be a number from 0 to 1"));
    }
    if settings.service_name.as_ref().is_some_and(|name| name.trim().is_empty()) {
        return Err(ConfigError::new("tracing.service_name", "must not be empty"));
    }
    let headers = headers.as_deref().map(parse_headers).transpose()?.unwrap_or_default();
    Ok(TraceConfig { endpoint, headers, sample_ratio, service_name: settings.service_name })
}

fn endpoint(setting: &str, text: &str) -> Result<Url, ConfigError> {
    let wrong = |problem: &str| ConfigError::new(setting, problem);
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host());
    let url = url.ok_or_else(|| wrong("must be an http or https URL such as http://collector:4318"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong("must not contain a password; set tracing.otlp_headers instead"));
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(wrong("must not have a query or a fragment"));
    }
    Ok(url)
}

/// The URL of a collector, with the path for traces.
fn with_path(mut url: Url) -> Url {
    let own = url.path().trim_end_matches('/');
    if !own.ends_with(PATH) {
        let path = format!("{own}{PATH}");
        url.set_path(&path);
    }
    url
}

/// Parses `name=value` pairs, separated by commas. Errors never contain a value.
fn parse_headers(text: &str) -> Result<TraceHeaders, ConfigError> {
    let wrong = || {
        let problem = "must be a list of name=value, separated by commas, such as authorization=Bearer KEY";
        ConfigError::new("tracing.otlp_headers", problem)
    };
    let header = |pair: &str| {
        let (name, value) = pair.split_once('=').ok_or_else(wrong)?;
        let (name, value) = (name.trim(), value.trim());
        let is_valid = name.parse::<HeaderName>().is_ok() && value.parse::<HeaderValue>().is_ok();
        if is_valid { Ok((name.to_owned(), value.to_owned())) } else { Err(wrong()) }
    };
    text.split(',').map(header).collect::<Result<HashMap<_, _>, _>>().map(TraceHeaders::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, variables: &[(&str, &str)]) -> Result<TraceConfig, String> {
        let lookup =
            |name: &str| variables.iter().find(|(own, _)| *own == name).map(|(_, value)| value.to_string());
        let mut settings: TracingSettings = toml::from_str(text).unwrap();
        let headers = settings.otlp_headers.take();
        traces(settings, headers, lookup).map_err(|error| error.to_string())
    }

    fn url(text: &str, variables: &[(&str, &str)]) -> Option<String> {
        read(text, variables).unwrap().endpoint.map(String::from)
    }

    #[test]
    fn traces_are_off_by_default() {
        let config = read("", &[]).unwrap();
        assert!(config.endpoint.is_none() && config.service_name.is_none());
        assert!(config.sample_ratio >= 1.0);
    }

    #[test]
    fn an_endpoint_has_the_path_for_traces() {
        for (text, expected) in [
            ("http://collector:4318", "http://collector:4318/v1/traces"),
            ("http://collector:4318/", "http://collector:4318/v1/traces"),
            ("https://a.example/otlp/", "https://a.example/otlp/v1/traces"),
            ("https://a.example/otlp/v1/traces", "https://a.example/otlp/v1/traces"),
        ] {
            assert_eq!(url(&format!("otlp_endpoint = '{text}'"), &[]).as_deref(), Some(expected));
        }
    }

    #[test]
    fn the_variables_of_opentelemetry_count_where_nothing_is_set() {
        let all = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://all:4318");
        let traces = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://traces/in");
        assert_eq!(url("", &[all]).as_deref(), Some("http://all:4318/v1/traces"));
        assert_eq!(url("", &[all, traces]).as_deref(), Some("http://traces/in"));
        let own = url("otlp_endpoint = 'http://own:1'", &[all, traces]);
        assert_eq!(own.as_deref(), Some("http://own:1/v1/traces"));
        let error = read("", &[("OTEL_EXPORTER_OTLP_ENDPOINT", "collector")]).unwrap_err();
        assert!(error.starts_with("OTEL_EXPORTER_OTLP_ENDPOINT: must be an http or https URL"), "{error}");
    }

    #[test]
    fn headers_are_kept_and_not_shown() {
        let config = read("otlp_headers = 'authorization=Bearer hush=, x-team = audio'", &[]).unwrap();
        assert_eq!(config.headers.as_map()["authorization"], "Bearer hush=");
        assert_eq!(config.headers.as_map()["x-team"], "audio");
        assert!(!format!("{config:?}").contains("hush"));
    }

    #[test]
    fn what_is_wrong_is_said_and_secrets_are_not() {
        for (text, expected) in [
            ("otlp_endpoint = 'collector:4318'", "tracing.otlp_endpoint: must be an http or https URL"),
            (
                "otlp_endpoint = 'grpc://collector:4317'",
                "tracing.otlp_endpoint: must be an http or https URL",
            ),
            ("otlp_endpoint = 'http://me:hush@a'", "tracing.otlp_endpoint: must not contain a password"),
            ("otlp_endpoint = 'http://a?key=hush'", "tracing.otlp_endpoint: must not have a query"),
            ("sample_ratio = 1.5", "tracing.sample_ratio: must be a number from 0 to 1"),
            ("sample_ratio = -1", "tracing.sample_ratio: must be a number from 0 to 1"),
            ("sample_ratio = nan", "tracing.sample_ratio: must be a number from 0 to 1"),
            ("service_name = ' '", "tracing.service_name: must not be empty"),
            ("otlp_headers = 'hush'", "tracing.otlp_headers: must be a list of name=value"),
            ("otlp_headers = 'a b=hush'", "tracing.otlp_headers: must be a list of name=value"),
            ("otlp_headers = 'a=hush,'", "tracing.otlp_headers: must be a list of name=value"),
        ] {
            let error = read(text, &[]).unwrap_err();
            assert!(error.starts_with(expected) && !error.contains("hush"), "{error}");
        }
    }
}

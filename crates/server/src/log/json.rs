//! A line as one flat JSON object: the fields of the line and of all spans around it are on the same level.

use serde::Serialize;
use serde_json::{Map, Value};
use tracing::{Event, Subscriber};
use tracing_log::NormalizeEvent;
use tracing_subscriber::fmt::format::{JsonFields, Writer};
use tracing_subscriber::fmt::time::{FormatTime, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields, FormattedFields};
use tracing_subscriber::registry::LookupSpan;

use super::text::is_for_traces;

/// Names that are reserved, and not used for fields.
const OWN: [&str; 6] = ["timestamp", "level", "target", "message", "trace_id", "span_id"];

/// Writes lines as flat objects.
pub(super) struct FlatJson;

#[derive(Serialize)]
struct Line<'a> {
    timestamp: String,
    level: &'a str,
    target: &'a str,
    message: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    trace_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    span_id: Option<String>,
    #[serde(flatten)]
    fields: Map<String, Value>,
}

impl<S> FormatEvent<S, JsonFields> for FlatJson
where
    S: Subscriber + for<'span> LookupSpan<'span>,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, JsonFields>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> std::fmt::Result {
        // Lines of libraries that use the crate `log` have their level and target in fields.
        let normalized = event.normalized_metadata();
        let metadata = normalized.as_ref().unwrap_or_else(|| event.metadata());
        let mut fields = fields(context, event)?;
        let message = fields.remove("message").unwrap_or_default();
        fields.retain(|name, _| !OWN.contains(&name.as_str()) && !is_for_traces(name));
        let mut timestamp = String::new();
        SystemTime.format_time(&mut Writer::new(&mut timestamp))?;
        let trace = tonearm_telemetry::current_trace();
        let line = Line {
            timestamp,
            level: metadata.level().as_str(),
            target: metadata.target(),
            message,
            trace_id: trace.map(|trace| hex::encode(trace.trace_id())),
            span_id: trace.map(|trace| hex::encode(trace.span_id())),
            fields,
        };
        let text = serde_json::to_string(&line).map_err(|_| std::fmt::Error)?;
        writeln!(writer, "{text}")
    }
}

/// The fields of all spans, the outermost first, and of the line itself. Later ones replace earlier ones with the same name.
fn fields<S>(
    context: &FmtContext<'_, S, JsonFields>,
    event: &Event<'_>,
) -> Result<Map<String, Value>, std::fmt::Error>
where
    S: Subscriber + for<'span> LookupSpan<'span>,
{
    let mut fields = Map::new();
    for span in context.event_scope().into_iter().flat_map(|scope| scope.from_root()) {
        if let Some(own) = span.extensions().get::<FormattedFields<JsonFields>>() {
            fields.extend(object(&own.fields)?);
        }
    }
    let mut own = String::new();
    JsonFields::new().format_fields(Writer::new(&mut own), event)?;
    fields.extend(object(&own)?);
    Ok(fields)
}

fn object(text: &str) -> Result<Map<String, Value>, std::fmt::Error> {
    serde_json::from_str(text).map_err(|_| std::fmt::Error)
}

#[cfg(test)]
mod tests {
    use std::io::{self, Write};
    use std::sync::{Arc, Mutex, PoisonError};

    use tracing_subscriber::fmt::MakeWriter;
    use tracing_subscriber::layer::SubscriberExt;
    use tracing_subscriber::{fmt, registry};

    use super::*;

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap_or_else(PoisonError::into_inner).write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    impl<'a> MakeWriter<'a> for Lines {
        type Writer = Self;

        fn make_writer(&'a self) -> Self {
            self.clone()
        }
    }

    impl Lines {
        fn objects(&self) -> Vec<Map<String, Value>> {
            let bytes = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
            let text = String::from_utf8(bytes).unwrap();
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
        }
    }

    fn logged(work: impl FnOnce()) -> Vec<Map<String, Value>> {
        let lines = Lines::default();
        let layer =
            fmt::layer().with_writer(lines.clone()).fmt_fields(JsonFields::new()).event_format(FlatJson);
        tracing::subscriber::with_default(registry().with(layer), work);
        lines.objects()
    }

    #[test]
    fn fields_of_spans_and_lines_stand_side_by_side() {
        let lines = logged(|| {
            let request = tracing::error_span!(
                "request",
                otel.kind = "server",
                request_id = "r1",
                status = 1,
                organization_id = tracing::field::Empty,
            );
            let _request = request.enter();
            tracing::warn!(bytes = 7, "first");
            request.record("organization_id", "o1");
            let _inner = tracing::info_span!("store_file", variant = "hq").entered();
            tracing::info!(status = 2, error = %"a \"quoted\"\nline", "second {}", 2);
        });
        assert_eq!(lines.len(), 2);
        let text = |line: usize, name: &str| lines[line].get(name).cloned().unwrap_or_default();
        assert_eq!(text(0, "message"), "first");
        assert_eq!(text(0, "level"), "WARN");
        assert_eq!(text(0, "request_id"), "r1");
        assert_eq!(text(0, "bytes"), 7);
        assert_eq!(text(0, "organization_id"), Value::Null);
        assert_eq!(text(1, "message"), "second 2");
        assert_eq!(text(1, "organization_id"), "o1");
        assert_eq!(text(1, "variant"), "hq");
        assert_eq!(text(1, "status"), 2, "the line itself has the last word");
        assert_eq!(text(1, "error"), "a \"quoted\"\nline");
        assert!(text(1, "timestamp").as_str().is_some_and(|time| time.ends_with('Z')));
        assert!(lines.iter().flatten().all(|(name, value)| !name.starts_with("otel.") && !value.is_object()));
    }

    #[test]
    fn a_line_outside_of_all_spans_has_its_own_fields_alone() {
        let lines = logged(|| tracing::info!("alone"));
        let names: Vec<&str> = lines[0].keys().map(String::as_str).collect();
        assert_eq!(names.len(), 4, "{names:?}");
    }
}

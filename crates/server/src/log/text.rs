//! Formats fields as text, without those that are only for traces.

use std::error::Error;
use std::fmt;

use tracing::field::{Field, Visit};
use tracing::span::Record;
use tracing_subscriber::field::{RecordFields, VisitOutput};
use tracing_subscriber::fmt::format::{DefaultVisitor, Writer};
use tracing_subscriber::fmt::{FormatFields, FormattedFields};

/// Whether a field is only for traces, such as the kind of a span.
pub(super) fn is_for_traces(name: &str) -> bool {
    name.starts_with("otel.")
}

/// Writes fields as text.
pub(super) struct TextFields;

impl<'writer> FormatFields<'writer> for TextFields {
    fn format_fields<R: RecordFields>(&self, writer: Writer<'writer>, fields: R) -> fmt::Result {
        write(writer, fields)
    }

    fn add_fields(&self, current: &'writer mut FormattedFields<Self>, fields: &Record<'_>) -> fmt::Result {
        let mut added = String::new();
        write(Writer::new(&mut added), fields)?;
        if !current.fields.is_empty() && !added.is_empty() {
            current.fields.push(' ');
        }
        current.fields.push_str(&added);
        Ok(())
    }
}

fn write(writer: Writer<'_>, fields: impl RecordFields) -> fmt::Result {
    let mut shown = Shown(DefaultVisitor::new(writer, true));
    fields.record(&mut shown);
    shown.0.finish()
}

struct Shown<'a>(DefaultVisitor<'a>);

impl Visit for Shown<'_> {
    fn record_str(&mut self, field: &Field, value: &str) {
        if !is_for_traces(field.name()) {
            self.0.record_str(field, value);
        }
    }

    fn record_error(&mut self, field: &Field, value: &(dyn Error + 'static)) {
        if !is_for_traces(field.name()) {
            self.0.record_error(field, value);
        }
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if !is_for_traces(field.name()) {
            self.0.record_debug(field, value);
        }
    }
}

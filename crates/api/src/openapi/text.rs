//! Texts that cannot be blank.

use std::borrow::Cow;

use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::{PartialSchema, ToSchema};

/// At least one character that is not white space as Unicode defines it, and no NUL. The characters are listed, because
/// regular expression engines differ in what `\s` matches.
const NOT_BLANK: &str = "^[^\\u0000]*[^\\u0000\\u0009-\\u000d\\u0020\\u0085\\u00a0\\u1680\\u2000-\\u200a\
    \\u2028\\u2029\\u202f\\u205f\\u3000][^\\u0000]*$";

/// Describes text of up to `MAX` characters, not all of which are white space.
pub(crate) struct NotBlank<const MAX: usize>;

impl<const MAX: usize> PartialSchema for NotBlank<MAX> {
    fn schema() -> RefOr<Schema> {
        let text = ObjectBuilder::new().schema_type(Type::String).pattern(Some(NOT_BLANK));
        text.min_length(Some(1)).max_length(Some(MAX)).into()
    }
}

impl<const MAX: usize> ToSchema for NotBlank<MAX> {
    fn name() -> Cow<'static, str> {
        format!("NotBlank{MAX}").into()
    }
}

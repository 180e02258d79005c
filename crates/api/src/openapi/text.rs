//! Texts that cannot be blank.

use utoipa::openapi::schema::{Object, ObjectBuilder, SchemaType, Type};

/// At least one character that is not white space as Unicode defines it, and no NUL. The characters are listed, because
/// regular expression engines differ in what `\s` matches.
const NOT_BLANK: &str = "^[^\\u0000]*[^\\u0000\\u0009-\\u000d\\u0020\\u0085\\u00a0\\u1680\\u2000-\\u200a\
    \\u2028\\u2029\\u202f\\u205f\\u3000][^\\u0000]*$";

/// Text of up to `MAX` characters, not all of which are white space.
pub(crate) fn not_blank<const MAX: usize>() -> Object {
    ObjectBuilder::new()
        .schema_type(Type::String)
        .min_length(Some(1))
        .max_length(Some(MAX))
        .pattern(Some(NOT_BLANK))
        .build()
}

/// The same, or null for no value.
pub(crate) fn not_blank_or_null<const MAX: usize>() -> Object {
    let types = SchemaType::Array(vec![Type::String, Type::Null]);
    ObjectBuilder::from(not_blank::<MAX>()).schema_type(types).build()
}

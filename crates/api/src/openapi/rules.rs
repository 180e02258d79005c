//! Request bodies with rules between their fields.

use utoipa::ToSchema;
use utoipa::openapi::schema::Schema;
use utoipa::openapi::{AllOfBuilder, Ref, RefOr};

/// The schema of a request body that must meet all these rules.
pub(crate) fn with_rules<Body: ToSchema>(rules: impl IntoIterator<Item = RefOr<Schema>>) -> RefOr<Schema> {
    let body = AllOfBuilder::new().item(Ref::from_schema_name(Body::name()));
    rules.into_iter().fold(body, AllOfBuilder::item).into()
}

/// Adds the schema of the body itself, to which [`with_rules`] refers, and the schemas that it refers to.
pub(crate) fn add_body<Body: ToSchema>(schemas: &mut Vec<(String, RefOr<Schema>)>) {
    schemas.push((Body::name().into_owned(), Body::schema()));
    Body::schemas(schemas);
}

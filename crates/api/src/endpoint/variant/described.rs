//! What a new recipe needs, in OpenAPI.

use std::borrow::Cow;

use utoipa::openapi::schema::{ObjectBuilder, Schema};
use utoipa::openapi::{AllOfBuilder, Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

use super::fields::Fields;

/// The fields, of which a new recipe needs two.
pub(crate) struct Described;

impl PartialSchema for Described {
    fn schema() -> RefOr<Schema> {
        let needed = ObjectBuilder::new().required("index").required("variant_type_id");
        AllOfBuilder::new().item(Ref::from_schema_name(Fields::name())).item(needed).into()
    }
}

impl ToSchema for Described {
    fn name() -> Cow<'static, str> {
        "variant.create.Variant".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((Fields::name().into_owned(), Fields::schema()));
        Fields::schemas(schemas);
    }
}

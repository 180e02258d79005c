//! The rules between the fields of a key, in OpenAPI.

use std::borrow::Cow;

use tonearm_domain::{CollectionId, KeyType, VariantIndex};
use utoipa::openapi::schema::{AnyOfBuilder, ObjectBuilder, Schema, Type};
use utoipa::openapi::{AllOfBuilder, ArrayBuilder, Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

use super::create::Fields;

/// The fields with what holds between them.
pub(crate) struct Described;

impl PartialSchema for Described {
    fn schema() -> RefOr<Schema> {
        AllOfBuilder::new()
            .item(Ref::from_schema_name(Fields::name()))
            .item(share_has_one_variant())
            .item(track_needs_collection())
            .into()
    }
}

impl ToSchema for Described {
    fn name() -> Cow<'static, str> {
        "api_key.create.Key".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((Fields::name().into_owned(), Fields::schema()));
        Fields::schemas(schemas);
    }
}

fn share_has_one_variant() -> AnyOfBuilder {
    let others = KeyType::ALL.into_iter().filter(|key_type| *key_type != KeyType::Share);
    let other = ObjectBuilder::new().schema_type(Type::String).enum_values(Some(others.map(KeyType::as_str)));
    let variant = Ref::from_schema_name(VariantIndex::name());
    let one_variant = ArrayBuilder::new().items(variant).min_items(Some(1)).max_items(Some(1));
    AnyOfBuilder::new()
        .item(ObjectBuilder::new().property("api_key_type_id", other))
        .item(ObjectBuilder::new().property("variants", one_variant).required("variants"))
}

fn track_needs_collection() -> AnyOfBuilder {
    let collection = Ref::from_schema_name(CollectionId::name());
    AnyOfBuilder::new()
        .item(ObjectBuilder::new().property("track_id", ObjectBuilder::new().schema_type(Type::Null)))
        .item(ObjectBuilder::new().property("collection_id", collection).required("collection_id"))
}

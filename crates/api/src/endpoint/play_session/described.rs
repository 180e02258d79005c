//! The rules between the fields of a play session, in OpenAPI.

use std::borrow::Cow;

use tonearm_domain::{CollectionId, TrackId};
use utoipa::openapi::schema::{AnyOfBuilder, ObjectBuilder, Schema};
use utoipa::openapi::{AllOfBuilder, Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

use super::create::Fields;

/// The fields, of which `collection_id` or `track_id` is there. That it is the one of the scope in the path, no schema of a
/// body can say.
pub(crate) struct Described;

impl PartialSchema for Described {
    fn schema() -> RefOr<Schema> {
        let with = |name: &str, id: Ref| ObjectBuilder::new().property(name, id).required(name);
        AllOfBuilder::new()
            .item(Ref::from_schema_name(Fields::name()))
            .item(
                AnyOfBuilder::new()
                    .item(with("collection_id", Ref::from_schema_name(CollectionId::name())))
                    .item(with("track_id", Ref::from_schema_name(TrackId::name()))),
            )
            .into()
    }
}

impl ToSchema for Described {
    fn name() -> Cow<'static, str> {
        "play_session.create.PlaySession".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((Fields::name().into_owned(), Fields::schema()));
        Fields::schemas(schemas);
    }
}

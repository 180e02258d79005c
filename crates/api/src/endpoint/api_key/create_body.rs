//! The body of `POST /v1/api_key`, with the rules between its fields in OpenAPI.

use std::borrow::Cow;

use serde::Deserialize;
use tonearm_domain::{
    AllowedOrigins, CollectionId, CreatorId, KeyType, PageOrigin, Selection, Text, Timestamp, TrackId,
    VariantIndex,
};
use tonearm_service::CreateKey;
use utoipa::openapi::schema::{AnyOfBuilder, ObjectBuilder, Schema, Type};
use utoipa::openapi::{ArrayBuilder, Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

use crate::error::ApiError;
use crate::extract::required;
use crate::openapi::{NotBlank, add_body, with_rules};

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = api_key::create::Fields)]
pub(crate) struct CreateKeyBody {
    /// What people recognize it by in the dashboard.
    #[schema(required, value_type = NotBlank<200>)]
    title: Option<Text<200>>,
    /// `player`, `uploader` or `share`. Keys of type `api` can only be created in the dashboard or on the command line.
    #[schema(required, value_type = KeyType)]
    api_key_type_id: Option<KeyType>,
    collection_id: Option<CollectionId>,
    /// Requires `collection_id`.
    track_id: Option<TrackId>,
    creator_id: Option<CreatorId>,
    /// The variants that play sessions of this key may list: at least one, and exactly one for a share key. Default: all.
    variants: Option<Vec<VariantIndex>>,
    /// Whether what the key plays may also be saved.
    #[schema(default = false)]
    is_downloadable: Option<bool>,
    /// The origins whose pages may use the key, such as `https://www.example.com`: 1 to 20, not for share keys. Default: all.
    /// Requests without an `Origin` header, such as those of servers, are always allowed.
    allowed_origins: Option<Vec<PageOrigin>>,
    /// Must be in the future.
    expires_at: Option<Timestamp>,
}

impl CreateKeyBody {
    pub(super) fn into_key(self) -> Result<CreateKey, ApiError> {
        let title = required("title", self.title)?.non_empty();
        Ok(CreateKey {
            title: title.map_err(|error| ApiError::invalid("title", error))?.into(),
            key_type: required("api_key_type_id", self.api_key_type_id)?,
            collection_id: self.collection_id,
            track_id: self.track_id,
            creator_id: self.creator_id,
            variants: Selection::from_list(self.variants)
                .map_err(|error| ApiError::invalid("variants", error))?,
            is_downloadable: self.is_downloadable.unwrap_or(false),
            allowed_origins: AllowedOrigins::from_list(self.allowed_origins)
                .map_err(|error| ApiError::invalid("allowed_origins", error))?,
            expires_at: self.expires_at,
        })
    }
}

/// The schema of the body.
pub(crate) struct CreateKeySchema;

impl PartialSchema for CreateKeySchema {
    fn schema() -> RefOr<Schema> {
        with_rules::<CreateKeyBody>([share_has_one_variant().into(), track_needs_collection().into()])
    }
}

impl ToSchema for CreateKeySchema {
    fn name() -> Cow<'static, str> {
        "api_key.create.Key".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        add_body::<CreateKeyBody>(schemas);
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

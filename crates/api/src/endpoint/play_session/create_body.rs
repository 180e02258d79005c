//! The body of `POST /v1/play_session/:scope`, with the rule between its fields in OpenAPI.

use std::borrow::Cow;

use serde::Deserialize;
use tonearm_domain::{CollectionId, ExpiresIn, Metadata, Text, TrackId};
use tonearm_service::{GrantPlaySession, PlaySessionScope};
use utoipa::openapi::schema::{AnyOfBuilder, ObjectBuilder, Schema};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

use crate::openapi::{add_body, with_rules};

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = play_session::create::Fields)]
pub(crate) struct CreatePlaySessionBody {
    /// Required if the scope is `collection`.
    pub(super) collection_id: Option<CollectionId>,
    /// Required if the scope is `track`.
    pub(super) track_id: Option<TrackId>,
    /// Indexes of the variants to list, in this order. Default: all playable variants.
    variants: Option<Vec<String>>,
    organization_index: Option<Text<1000>>,
    metadata: Option<Metadata>,
    /// Requests downloads, which the key must also allow.
    #[schema(default = false)]
    is_downloadable: Option<bool>,
    expires_in: Option<ExpiresIn>,
}

impl CreatePlaySessionBody {
    pub(super) fn into_grant(self, scope: PlaySessionScope) -> GrantPlaySession {
        GrantPlaySession {
            scope,
            variants: self.variants.unwrap_or_default(),
            organization_index: self.organization_index.map(Into::into),
            metadata: self.metadata.unwrap_or_default(),
            is_downloadable: self.is_downloadable.unwrap_or(false),
            expires_in: self.expires_in.unwrap_or_default(),
        }
    }
}

/// The schema of the body, which has `collection_id` or `track_id`. The schema cannot express that the field must match
/// the scope in the path.
pub(crate) struct CreatePlaySessionSchema;

impl PartialSchema for CreatePlaySessionSchema {
    fn schema() -> RefOr<Schema> {
        let with = |name: &str, id: Ref| ObjectBuilder::new().property(name, id).required(name);
        let has_id = AnyOfBuilder::new()
            .item(with("collection_id", Ref::from_schema_name(CollectionId::name())))
            .item(with("track_id", Ref::from_schema_name(TrackId::name())));
        with_rules::<CreatePlaySessionBody>([has_id.into()])
    }
}

impl ToSchema for CreatePlaySessionSchema {
    fn name() -> Cow<'static, str> {
        "play_session.create.PlaySession".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        add_body::<CreatePlaySessionBody>(schemas);
    }
}

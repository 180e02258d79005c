//! `POST /v1/collection`

use axum::extract::State;
use serde::{Deserialize, Serialize};
use tonearm_domain::{CollectionId, Colour, CreatorId, Metadata, Palette, Text};
use tonearm_service::{CreateCollection, Library};
use utoipa::ToSchema;

use crate::error::ApiError;
use crate::extract::{Body, ManageKey, required};
use crate::openapi::NotBlank;
use crate::request_id::CurrentRequest;
use crate::shapes::{Answer, CollectionRecord, UploadDescriptor};

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = collection::create::Fields)]
pub(crate) struct CreateCollectionBody {
    /// The title, which players show for shared collections.
    #[schema(required, value_type = NotBlank<1000>)]
    title: Option<Text<1000>>,
    creator_id: Option<CreatorId>,
    /// Your own id for it. It is never interpreted.
    organization_index: Option<Text<1000>>,
    metadata: Option<Metadata>,
    #[schema(default = true)]
    is_cover_overridable: Option<bool>,
    #[schema(default = true)]
    is_theme_overridable: Option<bool>,
    player_color: Option<Colour>,
    /// The line that players show under the title of tracks that have none.
    player_subtitle: Option<Text<1000>>,
    /// Overrides the colours found in the cover.
    theme: Option<Palette>,
}

impl CreateCollectionBody {
    fn into_collection(self) -> Result<CreateCollection, ApiError> {
        Ok(CreateCollection {
            title: required("title", self.title)?.into(),
            creator_id: self.creator_id,
            organization_index: self.organization_index.map(Into::into),
            metadata: self.metadata.unwrap_or_default(),
            is_cover_overridable: self.is_cover_overridable,
            is_theme_overridable: self.is_theme_overridable,
            player_colour: self.player_color,
            player_subtitle: self.player_subtitle.map(Into::into),
            theme: self.theme,
        })
    }
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = collection::create::Created)]
pub(crate) struct Created {
    collection_id: CollectionId,
    collection: CollectionRecord,
    collection_cover_upload: UploadDescriptor,
}

/// Creates a collection and returns a URL for uploading its cover.
#[utoipa::path(
    post,
    path = "/collection",
    tag = "Collections",
    operation_id = "create_collection",
    request_body(content = CreateCollectionBody, example = json!({ "title": "Field recordings", "player_color": "#1a6b4c", "metadata": { "season": 2 } })),
    responses((status = 200, body = Answer<Created>, description = "The collection, and the URL for uploading its cover.")),
    security(("api_key" = [])),
)]
pub(crate) async fn create(
    ManageKey(caller): ManageKey,
    request: CurrentRequest,
    State(library): State<Library>,
    Body(body): Body<CreateCollectionBody>,
) -> Result<Answer<Created>, ApiError> {
    let (view, cover) = library.create_collection(&caller, body.into_collection()?).await?;
    let created = Created {
        collection_id: view.collection.id,
        collection: view.into(),
        collection_cover_upload: cover.into(),
    };
    Ok(Answer::traced(request, created))
}

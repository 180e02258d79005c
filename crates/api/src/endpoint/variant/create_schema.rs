//! The schema of a new recipe, in OpenAPI.

use std::borrow::Cow;

use utoipa::openapi::RefOr;
use utoipa::openapi::schema::{ObjectBuilder, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::recipe_body::RecipeBody;
use crate::openapi::{add_body, with_rules};

/// The schema of the body that creates a recipe: two of its fields are required.
pub(crate) struct CreateRecipeSchema;

impl PartialSchema for CreateRecipeSchema {
    fn schema() -> RefOr<Schema> {
        let required = ObjectBuilder::new().required("index").required("variant_type_id");
        with_rules::<RecipeBody>([required.into()])
    }
}

impl ToSchema for CreateRecipeSchema {
    fn name() -> Cow<'static, str> {
        "variant.create.Variant".into()
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        add_body::<RecipeBody>(schemas);
    }
}

//! Parameters that many operations share.

use utoipa::Modify;
use utoipa::openapi::path::{Operation, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{HttpMethod, OpenApi, Required};

use super::modify::{is_upload, with_methods};

/// Adds `Idempotency-Key` to every POST under `/v1`.
pub(super) struct IdempotencyKey;

impl Modify for IdempotencyKey {
    fn modify(&self, openapi: &mut OpenApi) {
        for (method, operation) in with_methods(openapi) {
            if method == HttpMethod::Post && !is_upload(operation) {
                add_key(operation);
            }
        }
    }
}

fn add_key(operation: &mut Operation) {
    let key = ObjectBuilder::new()
        .schema_type(Type::String)
        .min_length(Some(1))
        .max_length(Some(255))
        .pattern(Some("^[\\x20-\\x7e]+$"));
    let parameter = ParameterBuilder::new()
        .name("Idempotency-Key")
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(
            "A unique string of your choice. For a day, the same request with the same key has no further effect and gets \
             the first response again.",
        ))
        .schema(Some(key));
    operation.parameters.get_or_insert_default().push(parameter.build().into());
}

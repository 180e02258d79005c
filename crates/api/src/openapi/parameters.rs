//! Parameters that many operations share.

use utoipa::Modify;
use utoipa::openapi::path::{Operation, Parameter, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::openapi::{HttpMethod, OpenApi, RefOr, Required};

use super::modify::{is_upload, operations, with_methods};

/// What `limit` and `offset` are where they are left out.
pub(super) struct Defaults;

impl Modify for Defaults {
    fn modify(&self, openapi: &mut OpenApi) {
        for operation in operations(openapi) {
            for parameter in operation.parameters.iter_mut().flatten() {
                let RefOr::T(Parameter { name, schema: Some(RefOr::T(Schema::Object(schema))), .. }) =
                    parameter
                else {
                    continue;
                };
                match name.as_str() {
                    "limit" => schema.default = Some(50.into()),
                    "offset" => schema.default = Some(0.into()),
                    _ => {}
                }
            }
        }
    }
}

/// Every POST under `/v1` can be repeated.
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
            "A text of your own for this request. The same request with the same key gets the first answer again for a \
             day, and nothing is done twice.",
        ))
        .schema(Some(key));
    operation.parameters.get_or_insert_default().push(parameter.build().into());
}

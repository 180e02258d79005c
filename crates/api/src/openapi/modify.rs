//! Parts of the document that are the same for many operations.

use utoipa::Modify;
use utoipa::openapi::HttpMethod;
use utoipa::openapi::path::{Operation, ParameterIn};
use utoipa::openapi::request_body::RequestBody;
use utoipa::openapi::schema::{Components, Schema};
use utoipa::openapi::security::{ApiKey, ApiKeyValue, Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{Content, OpenApi, PathItem, Ref, RefOr, Required, ResponseBuilder};

/// The credentials: an API key, or the signature of an upload URL. Session ids and share keys are credentials, too, but
/// they are part of the path, which OpenAPI does not support. The operations that use them declare no security.
pub(super) struct Credentials;

impl Modify for Credentials {
    fn modify(&self, openapi: &mut OpenApi) {
        let mut key = Http::new(HttpAuthScheme::Bearer);
        key.description = Some("An API key, sent as `Authorization: Bearer <API_KEY>`.".to_owned());
        let signature = ApiKeyValue::with_description("verify", "The signature at the end of an upload URL.");
        let components = openapi.components.get_or_insert_default();
        components.add_security_scheme("api_key", SecurityScheme::Http(key));
        components.add_security_scheme("upload_signature", SecurityScheme::ApiKey(ApiKey::Query(signature)));
        for operation in operations(openapi) {
            operation.security.get_or_insert_default();
        }
    }
}

/// The field that replaces the name of a file: a track is created only with at least one of them.
pub(super) const SOURCE_URL: &str = "source_url";

/// Makes bodies optional that have no required fields.
pub(super) struct OptionalBodies;

impl Modify for OptionalBodies {
    fn modify(&self, openapi: &mut OpenApi) {
        let components = openapi.components.clone().unwrap_or_default();
        for operation in operations(openapi) {
            if let Some(RefOr::T(body)) = &mut operation.request_body
                && requires_nothing(body, &components)
            {
                body.required = Some(Required::False);
            }
        }
    }
}

fn requires_nothing(body: &RequestBody, components: &Components) -> bool {
    let Some(RefOr::T(Content { schema: Some(RefOr::Ref(reference)), .. })) =
        body.content.get("application/json")
    else {
        return false;
    };
    let name = reference.ref_location.rsplit('/').next().unwrap_or_default();
    let Some(RefOr::T(Schema::Object(object))) = components.schemas.get(name) else { return false };
    object.required.is_empty() && !object.properties.contains_key(SOURCE_URL)
}

/// Adds the errors to every operation. All errors have the same format.
pub(super) struct Errors;

/// The name and the status of an error that many operations share, and when it occurs.
const ERRORS: [(&str, &str, &str); 13] = [
    (
        "400",
        "Invalid",
        "The body cannot be parsed, or a parameter or field is missing or invalid; `field` names it.",
    ),
    ("401", "Unauthenticated", "The credential is missing, malformed, unknown, revoked or expired."),
    ("403", "Forbidden", "The credential is valid, but does not permit this request."),
    ("404", "NotFound", "There is no such resource, or the credential has no access to it."),
    ("406", "NotAcceptable", "The `Accept` header does not allow JSON."),
    (
        "409",
        "Conflict",
        "The resource was deleted in the meantime, or the first request with this `Idempotency-Key` is still in progress.",
    ),
    ("413", "TooLarge", "The body is larger than the limit; nothing was stored."),
    ("415", "UnsupportedType", "The body is not JSON."),
    ("422", "KeyReused", "The `Idempotency-Key` was used for a different request."),
    ("429", "RateLimited", "Too many requests; `Retry-After` says when to try again."),
    ("503", "Unavailable", "The store or the database is unavailable; `Retry-After` says when to try again."),
    (
        "507",
        "InsufficientStorage",
        "The service has too little free space to add anything; `Retry-After` says when to try again.",
    ),
    ("default", "Error", "Any other error."),
];

impl Modify for Errors {
    fn modify(&self, openapi: &mut OpenApi) {
        for (method, operation) in with_methods(openapi) {
            let is_repeatable = method == HttpMethod::Post && !is_upload(operation);
            let is_redirect = operation.responses.responses.contains_key("302");
            let credential = operation.security.as_ref().is_some_and(|security| !security.is_empty());
            let path = operation.parameters.iter().flatten().any(is_in_path);
            let json = is_json(operation);
            for (status, name, _) in ERRORS {
                let applies = match status {
                    "400" => path || operation.request_body.is_some() || operation.parameters.is_some(),
                    "401" => credential || path,
                    "403" => credential,
                    "404" => path,
                    "406" => !is_redirect,
                    "409" => is_repeatable || method == HttpMethod::Put,
                    "422" => is_repeatable,
                    "413" => operation.request_body.is_some(),
                    "415" => json,
                    "507" => is_upload(operation) || matches!(method, HttpMethod::Post | HttpMethod::Put),
                    _ => true,
                };
                if applies {
                    let responses = &mut operation.responses.responses;
                    responses
                        .entry(status.to_owned())
                        .or_insert_with(|| Ref::from_response_name(name).into());
                }
            }
        }
        let components = openapi.components.get_or_insert_default();
        for (_, name, description) in ERRORS {
            let body = Content::new(Some(Ref::from_schema_name("ErrorBody")));
            let error = ResponseBuilder::new().description(description).content("application/json", body);
            components.responses.insert(name.to_owned(), error.build().into());
        }
    }
}

fn is_in_path(parameter: &RefOr<utoipa::openapi::path::Parameter>) -> bool {
    matches!(parameter, RefOr::T(parameter) if parameter.parameter_in == ParameterIn::Path)
}

/// Whether the operation receives bytes at an upload URL.
pub(super) fn is_upload(operation: &Operation) -> bool {
    operation.tags.iter().flatten().any(|tag| tag == "Upload URLs")
}

fn is_json(operation: &Operation) -> bool {
    matches!(&operation.request_body, Some(RefOr::T(body)) if body.content.contains_key("application/json"))
}

/// All operations of the interface, each with its method.
pub(super) fn with_methods(openapi: &mut OpenApi) -> impl Iterator<Item = (HttpMethod, &mut Operation)> {
    openapi.paths.paths.values_mut().flat_map(|path| {
        let PathItem { get, head, put, post, patch, delete, .. } = path;
        [
            (HttpMethod::Get, get),
            (HttpMethod::Head, head),
            (HttpMethod::Put, put),
            (HttpMethod::Post, post),
            (HttpMethod::Patch, patch),
            (HttpMethod::Delete, delete),
        ]
        .into_iter()
        .filter_map(|(method, operation)| Some((method, operation.as_mut()?)))
    })
}

pub(super) fn operations(openapi: &mut OpenApi) -> impl Iterator<Item = &mut Operation> {
    with_methods(openapi).map(|(_, operation)| operation)
}

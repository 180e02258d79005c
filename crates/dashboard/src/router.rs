//! All pages and their middleware.

use std::any::Any;

use axum::Router;
use axum::extract::{DefaultBodyLimit, OriginalUri, State};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use tonearm_service::Refusal;
use tower::ServiceBuilder;
use tower_http::catch_panic::CatchPanicLayer;

use crate::app::Dashboard;
use crate::error::PageError;
use crate::session::SignedIn;
use crate::{
    assets, audit, cookie, csrf, flash, headers, library, people, profile, request_id, session, settings,
    sign_in, status, text, usage, webhooks,
};

/// All routes below `/dashboard`, and the redirects from the root; to be merged with other routers.
pub fn router(app: Dashboard) -> Router {
    let pages = Router::new()
        .route("/", get(home))
        .route("/start", get(library::first_steps))
        .merge(sign_in::routes())
        .merge(profile::routes())
        .merge(people::routes())
        .merge(status::routes())
        .nest(
            "/{organization_id}",
            Router::new()
                .merge(library::routes())
                .merge(settings::routes())
                .merge(webhooks::routes())
                .merge(audit::routes())
                .merge(usage::routes())
                .merge(profile::routes()),
        )
        .fallback(nothing);
    let most = app.uploads.max_cover_bytes() + csrf::AROUND_FILE;
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    // The outermost layer comes first.
    let pages = pages.layer(
        ServiceBuilder::new()
            .layer(from_fn_with_state(app.ambient.clone(), request_id::identify))
            .layer(from_fn_with_state(app.clone(), headers::protect))
            .layer(from_fn(text::negotiate))
            .layer(CatchPanicLayer::custom(panicked))
            .layer(from_fn_with_state(app.clone(), cookie::secure))
            .layer(from_fn_with_state(app.clone(), flash::clear_shown))
            .layer(from_fn_with_state(app.clone(), session::resume))
            .layer(from_fn_with_state(app.clone(), csrf::check))
            .layer(from_fn_with_state(app.clone(), session::acting))
            .layer(DefaultBodyLimit::max(most)),
    );
    let assets = assets::routes().layer(from_fn_with_state(app.clone(), headers::protect));
    Router::new()
        .route("/", get(async || Redirect::to("/dashboard")))
        // What browsers ask for beside pages that name no icon.
        .route("/favicon.ico", get(async || Redirect::temporary(&assets::address("icon.svg"))))
        .route("/dashboard/", get(without_slash))
        .route("/docs/", get(without_slash))
        .route("/docs/{resource}/", get(without_slash))
        .nest("/dashboard", assets.merge(pages))
        .with_state(app)
}

/// Redirects to a person's first page.
async fn home(State(app): State<Dashboard>, signed_in: SignedIn) -> Result<Response, PageError> {
    let organizations = app.people.organizations_of(signed_in.person()).await?;
    match organizations.first() {
        Some((organization, _)) => {
            Ok(Redirect::to(&format!("/dashboard/{}/library", organization.id)).into_response())
        }
        None => Ok(Redirect::to("/dashboard/profile").into_response()),
    }
}

async fn nothing(uri: OriginalUri, signed_in: Result<SignedIn, PageError>) -> Result<Redirect, PageError> {
    if uri.path().ends_with('/') {
        return Ok(without_slash(uri).await);
    }
    signed_in?;
    Err(PageError::NoPage)
}

/// Addresses of pages do not end with a slash, but people type one.
pub(crate) async fn without_slash(OriginalUri(uri): OriginalUri) -> Redirect {
    let path = uri.path().trim_end_matches('/');
    let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
    Redirect::permanent(&format!("{path}{query}"))
}

fn panicked(panic: Box<dyn Any + Send>) -> Response {
    PageError::Refused(Refusal::panicked(&*panic)).into_response()
}

//! What the writes of a form are for. Each route of a form says so, because that decides whether the form is possible
//! without room; without it, the form writes nothing.

use axum::extract::Request;
use axum::handler::Handler;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use axum::routing::{MethodRouter, post};
use tonearm_service::{Purpose, act_for};

use crate::app::Dashboard;

/// A form that may add something.
pub(crate) fn adds<H: Handler<T, Dashboard>, T: 'static>(form: H) -> MethodRouter<Dashboard> {
    post(form).route_layer(from_fn(add))
}

/// A form that removes something, ends a right, or signs a person in or out.
pub(crate) fn ends<H: Handler<T, Dashboard>, T: 'static>(form: H) -> MethodRouter<Dashboard> {
    post(form).route_layer(from_fn(end))
}

async fn add(request: Request, next: Next) -> Response {
    act_for(Purpose::Add);
    next.run(request).await
}

/// Also for pages that sign a person in.
pub(crate) async fn end(request: Request, next: Next) -> Response {
    act_for(Purpose::End);
    next.run(request).await
}

//! Forms that are possible without room, because they end something. The method of a request cannot say so here: forms are
//! always sent with `POST`.

use axum::extract::Request;
use axum::handler::Handler;
use axum::middleware::{Next, from_fn};
use axum::response::Response;
use axum::routing::{MethodRouter, post};
use tonearm_service::{Purpose, act_for};

use crate::app::Dashboard;

/// A form that removes something, ends a right, or signs a person in or out.
pub(crate) fn ends<H: Handler<T, Dashboard>, T: 'static>(form: H) -> MethodRouter<Dashboard> {
    post(form).route_layer(from_fn(end))
}

/// Also for pages that sign a person in.
pub(crate) async fn end(request: Request, next: Next) -> Response {
    act_for(Purpose::End);
    next.run(request).await
}

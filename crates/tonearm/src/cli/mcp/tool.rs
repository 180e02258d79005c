//! What a tool is.

use futures::FutureExt as _;
use futures::future::BoxFuture;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use rmcp::schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tonearm_api::sentence;
use tonearm_client::{Client, ClientError};

/// What calling a tool does, for clients that ask before they do it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    /// Nothing changes.
    Reads,
    /// Something is added, each time anew.
    Adds,
    /// Something is replaced, and a second call has no further effect.
    Changes,
    /// Something is removed, and a second call has no further effect.
    Removes,
}

/// Why a call has no result.
#[derive(Debug, thiserror::Error)]
pub(super) enum Problem {
    /// The arguments are not those of the tool.
    #[error("{0}")]
    Arguments(String),
    /// The service did not do it, or was not reached.
    #[error(transparent)]
    Client(#[from] ClientError),
}

impl Problem {
    pub(super) fn client_error(&self) -> Option<&ClientError> {
        match self {
            Self::Client(error) => Some(error),
            Self::Arguments(_) => None,
        }
    }
}

/// The arguments of a tool, and what it does with them.
pub(super) trait Call: DeserializeOwned + JsonSchema + Send + 'static {
    /// By which it is called.
    const NAME: &'static str;
    /// What people call it.
    const TITLE: &'static str;
    /// What it is for.
    const TEXT: &'static str;
    /// What it does.
    const EFFECT: Effect;
    /// Whether it makes the service call others.
    const REACHES_OUT: bool = false;

    /// What to do if the service did not answer in time, as a part of a sentence. It may have done it all the same.
    const AFTER_TIMEOUT: &'static str = "try again";

    /// Does it.
    fn call(self, client: &Client) -> impl Future<Output = Result<Value, Problem>> + Send;
}

/// A tool that can be listed and called.
pub(super) struct Entry {
    pub(super) tool: Tool,
    /// What to do if the service did not answer in time.
    pub(super) after_timeout: &'static str,
    call: fn(JsonObject, Client) -> BoxFuture<'static, Result<Value, Problem>>,
}

impl Entry {
    /// The tool of these arguments.
    pub(super) fn of<T: Call>() -> Self {
        let tool = Tool::new(T::NAME, T::TEXT, JsonObject::new())
            .with_title(T::TITLE)
            .with_input_schema::<T>()
            .with_annotations(annotations(T::TITLE, T::EFFECT, T::REACHES_OUT));
        Self { tool, after_timeout: T::AFTER_TIMEOUT, call: call::<T> }
    }

    /// Calls it.
    pub(super) async fn call(&self, arguments: JsonObject, client: Client) -> Result<Value, Problem> {
        (self.call)(arguments, client).await
    }
}

fn call<T: Call>(arguments: JsonObject, client: Client) -> BoxFuture<'static, Result<Value, Problem>> {
    async move {
        let read: Result<T, _> = serde_path_to_error::deserialize(Value::Object(arguments));
        let arguments = read.map_err(|error| {
            let path = error.path().to_string();
            let place = if path == "." { "arguments" } else { &path };
            Problem::Arguments(format!("{place}: {}", sentence(error.inner())))
        })?;
        arguments.call(&client).await
    }
    .boxed()
}

fn annotations(title: &str, effect: Effect, reaches_out: bool) -> ToolAnnotations {
    let (is_read_only, is_destructive, is_idempotent) = match effect {
        Effect::Reads => (true, false, true),
        Effect::Adds => (false, false, false),
        Effect::Changes | Effect::Removes => (false, true, true),
    };
    ToolAnnotations::with_title(title)
        .read_only(is_read_only)
        .destructive(is_destructive)
        .idempotent(is_idempotent)
        .open_world(reaches_out)
}

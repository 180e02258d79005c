//! Any endpoint, for callers that pass on its response.

use reqwest::Method;
use serde_json::Value;
use url::form_urlencoded;

use crate::client::Client;
use crate::error::ClientError;

impl Client {
    /// Reads something. `path` begins with `/v1`, and its parts need no escaping.
    pub async fn read(&self, path: &str, query: &[(String, String)]) -> Result<Value, ClientError> {
        if query.is_empty() {
            return self.call(Method::GET, path, None, None).await;
        }
        let query = form_urlencoded::Serializer::new(String::new()).extend_pairs(query).finish();
        self.call(Method::GET, &format!("{path}?{query}"), None, None).await
    }

    /// Creates something, only once even if the request is repeated.
    pub async fn create(&self, path: &str, body: &Value) -> Result<Value, ClientError> {
        self.call(Method::POST, path, Some(body), None).await
    }

    /// Changes something.
    pub async fn update(&self, path: &str, body: &Value) -> Result<Value, ClientError> {
        self.call(Method::PUT, path, Some(body), None).await
    }

    /// Deletes something.
    pub async fn delete(&self, path: &str) -> Result<Value, ClientError> {
        self.call(Method::DELETE, path, None, None).await
    }
}

//! The query of `GET /v1/track`.

use std::collections::HashMap;
use std::str::FromStr;

use axum::extract::FromRequestParts;
use http::request::Parts;
use tonearm_domain::{
    CollectionId, CreatorId, ListPosition, SearchWords, Text, Timestamp, TrackFilter, TrackOrder, TrackStatus,
};
use utoipa::IntoParams;

use super::cursor::ListIdentity;
use super::page::ListQuery;
use super::query;
use crate::error::ApiError;

/// The filter, the order and the page in the query.
pub(crate) struct TrackQuery {
    pub(crate) filter: TrackFilter,
    pub(crate) order: TrackOrder,
    pub(crate) after: Option<ListPosition>,
    pub(crate) limit: u64,
    list: ListIdentity,
}

/// The same, for the description.
#[derive(IntoParams)]
#[into_params(parameter_in = Query)]
#[allow(dead_code, reason = "only describes")]
pub(crate) struct TrackParameters {
    /// Words that the track's titles, file name, `organization_index` or tags contain, whatever their case and accents. All of
    /// them must be found; words in quotation marks must follow one another. Words of one or two letters are found at the
    /// beginning of words.
    query: Option<String>,
    /// One or more statuses, separated by commas; the parameter can also be repeated.
    #[param(example = "error,incomplete")]
    status: Option<String>,
    /// Only tracks of this collection.
    #[param(value_type = Option<CollectionId>)]
    collection_id: Option<CollectionId>,
    /// Only tracks of this creator.
    #[param(value_type = Option<CreatorId>)]
    creator_id: Option<CreatorId>,
    /// Only tracks with exactly this `organization_index`.
    organization_index: Option<String>,
    /// Only tracks whose source has this SHA-256, in hexadecimal.
    #[param(pattern = "^[0-9A-Fa-f]{64}$")]
    source_sha256: Option<String>,
    /// Only tracks that were created at this time or later.
    #[param(value_type = Option<Timestamp>)]
    created_since: Option<Timestamp>,
    /// `created`, `title`, `duration` or `status` (failed tracks first), or within a collection `order`; with a minus sign
    /// before it, in reverse. Default: `-created`.
    #[param(pattern = "^-?(created|title|duration|status|order)$")]
    sort: Option<String>,
    /// Maximum number of results. Default: 50.
    #[param(minimum = 1, maximum = 200, default = 50)]
    limit: Option<u32>,
    /// The `next_cursor` of the page before; empty or left out for the first page.
    cursor: Option<String>,
}

/// The parameters of a query, each with its values.
struct Parameters(HashMap<String, Vec<String>>);

impl Parameters {
    fn read(parts: &Parts) -> Result<Self, ApiError> {
        let pairs: Vec<(String, String)> = query(parts)?;
        let mut parameters = HashMap::<String, Vec<String>>::new();
        for (name, value) in pairs {
            parameters.entry(name).or_default().push(value);
        }
        Ok(Self(parameters))
    }

    fn all(&mut self, name: &str) -> Vec<String> {
        self.0.remove(name).unwrap_or_default()
    }

    fn one(&mut self, name: &str) -> Result<Option<String>, ApiError> {
        let mut values = self.all(name);
        match values.len() {
            0 | 1 => Ok(values.pop()),
            _ => Err(ApiError::invalid(name, "must be sent only once")),
        }
    }

    fn parsed<T: FromStr<Err: std::fmt::Display>>(&mut self, name: &str) -> Result<Option<T>, ApiError> {
        let text = self.one(name)?;
        text.map(|text| text.parse().map_err(|error| ApiError::invalid(name, error))).transpose()
    }

    fn words(&mut self) -> Result<Option<SearchWords>, ApiError> {
        let words = |text: String| {
            SearchWords::parse(&text).ok_or_else(|| ApiError::invalid("query", "must contain a word"))
        };
        self.one("query")?.map(words).transpose()
    }

    fn statuses(&mut self) -> Result<Option<Vec<TrackStatus>>, ApiError> {
        let lists = self.all("status");
        if lists.is_empty() {
            return Ok(None);
        }
        let mut statuses = Vec::new();
        for text in lists.iter().flat_map(|list| list.split(',')) {
            let status = TrackStatus::ALL.into_iter().find(|status| status.as_str() == text);
            let status = status.ok_or_else(|| ApiError::invalid("status", one_of_all()))?;
            if !statuses.contains(&status) {
                statuses.push(status);
            }
        }
        Ok(Some(statuses))
    }

    fn index(&mut self) -> Result<Option<String>, ApiError> {
        let index = |text: String| {
            let text = Text::<1000>::try_from(text).and_then(Text::non_empty);
            text.map(String::from).map_err(|error| ApiError::invalid("organization_index", error))
        };
        self.one("organization_index")?.map(index).transpose()
    }

    fn source_sha256(&mut self) -> Result<Option<[u8; 32]>, ApiError> {
        self.one("source_sha256")?.as_deref().map(parsed_sha256).transpose()
    }
}

fn parsed_sha256(text: &str) -> Result<[u8; 32], ApiError> {
    let mut sha256 = [0; 32];
    hex::decode_to_slice(text, &mut sha256)
        .map_err(|_| ApiError::invalid("source_sha256", "must be a SHA-256 in hexadecimal, 64 digits"))?;
    Ok(sha256)
}

fn one_of_all() -> String {
    let [rest @ .., last] = TrackStatus::ALL.map(TrackStatus::as_str);
    format!("must be {} or {last}, or several of them, separated by commas", rest.join(", "))
}

impl TrackQuery {
    /// The cursor of the next page.
    pub(crate) fn next(&self, position: Option<&ListPosition>) -> Option<String> {
        position.map(|position| self.list.write(position))
    }
}

impl<S: Send + Sync> FromRequestParts<S> for TrackQuery {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ApiError> {
        let mut parameters = Parameters::read(parts)?;
        let list = ListIdentity::of(parts)?;
        if !parameters.all("offset").is_empty() {
            return Err(ApiError::invalid("offset", "cannot be used in this list; send cursor instead"));
        }
        let filter = TrackFilter {
            track: None,
            collection: parameters.parsed("collection_id")?,
            creator: parameters.parsed("creator_id")?,
            organization_index: parameters.index()?,
            source_sha256: parameters.source_sha256()?,
            statuses: parameters.statuses()?,
            created_since: parameters.parsed("created_since")?,
            words: parameters.words()?,
        };
        let order = parameters.parsed("sort")?.unwrap_or_default();
        let page = ListQuery::of_limit(parameters.one("limit")?).parse()?;
        let after = match parameters.one("cursor")? {
            Some(cursor) if !cursor.is_empty() => Some(list.read(&cursor)?),
            _ => None,
        };
        Ok(Self { filter, order, after, limit: page.limit(), list })
    }
}

#[cfg(test)]
mod tests {
    use http::Request;
    use tonearm_domain::TrackOrderKey;

    use super::*;

    async fn parsed(query: &str) -> Result<TrackQuery, ApiError> {
        let (mut parts, ()) = Request::get(format!("/track?{query}")).body(()).unwrap().into_parts();
        TrackQuery::from_request_parts(&mut parts, &()).await
    }

    #[tokio::test]
    async fn what_is_not_asked_for_does_not_narrow() {
        let all = parsed("unknown=1").await.ok().unwrap();
        assert!(!all.filter.narrows());
        assert_eq!((all.order, all.limit, all.after), (TrackOrder::default(), 50, None));
        let some = parsed(
            "status=error&status=ready,error&sort=title&query=a%20b&organization_index=x&limit=7&cursor=&source_sha256=\
             00ffAAaaAAaaAAaaAAaaAAaaAAaaAAaaAAaaAAaaAAaaAAaaAAaaAAaaAAaaAAaa",
        );
        let some = some.await.ok().unwrap();
        assert_eq!(some.filter.statuses, Some(vec![TrackStatus::Error, TrackStatus::Ready]));
        assert_eq!(some.order, TrackOrder { key: TrackOrderKey::Title, is_descending: false });
        assert_eq!(some.filter.organization_index.as_deref(), Some("x"));
        assert_eq!(some.filter.source_sha256.map(|hash| hash[..3].to_vec()), Some(vec![0, 255, 170]));
        assert_eq!((some.filter.words.unwrap().iter().count(), some.limit), (2, 7));
    }

    #[tokio::test]
    async fn what_cannot_be_read_is_named() {
        for (query, field) in [
            ("query=", "query"),
            ("query=%20", "query"),
            ("status=", "status"),
            ("status=done", "status"),
            ("status=ready,", "status"),
            ("collection_id=x", "collection_id"),
            ("creator_id=", "creator_id"),
            ("organization_index=", "organization_index"),
            ("organization_index=%00", "organization_index"),
            ("source_sha256=", "source_sha256"),
            ("source_sha256=00", "source_sha256"),
            (&format!("source_sha256={}", "0".repeat(66)), "source_sha256"),
            (&format!("source_sha256={}", "g".repeat(64)), "source_sha256"),
            ("created_since=yesterday", "created_since"),
            ("sort=size", "sort"),
            ("sort=title&sort=title", "sort"),
            ("limit=201", "limit"),
            ("cursor=x", "cursor"),
            ("offset=0", "offset"),
        ] {
            assert_eq!(parsed(query).await.err().unwrap().field(), Some(field), "{query}");
        }
    }
}

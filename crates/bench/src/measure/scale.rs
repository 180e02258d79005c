//! Requests to a library of a million tracks. Reference: the same requests to a library of a thousand tracks, on the
//! same database.

use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tonearm_catalog::{Catalog, ConnectOptions, RoundRobin};
use tonearm_domain::{JobQueue, OrganizationId};
use tonearm_fixtures::{LargeLibrary, Postgres};

use super::pages::sign_in;
use crate::large::{self, Size};
use crate::memory::Watch;
use crate::plan::{Plan, median};
use crate::report::{Goal, Row, Unit};
use crate::stage::{Stage, text};

/// Requests of each operation.
const TIMES: u64 = 120;
/// The large library may take at most this many times as long as the small one.
const AS_FAST: Goal = Goal::AtMost(1.2);
/// The same, for requests at any position in a list.
const LATE: Goal = Goal::AtMost(2.0);

/// An operation to measure, with as many variants of its request as there are requests.
struct Operation {
    name: &'static str,
    goal: Option<Goal>,
    request: Box<dyn Fn(u64) -> ScaleRequest + Send + Sync>,
}

enum ScaleRequest {
    /// A path of the API.
    Get(String),
    /// A path that redirects.
    Redirect(String),
    /// A path and a body.
    Post(&'static str, Value),
    /// A path of the dashboard.
    Page(String),
}

/// One of the two libraries, with the service that uses it.
struct Library {
    stage: Stage,
    size: Size,
    rows: LargeLibrary,
    database: String,
    cookie: String,
    /// A session of the largest collection.
    session: String,
    share_key: String,
}

pub(super) async fn run(plan: &Plan) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    let (small, large) = (Size::new(1000), Size::new(plan.scale));
    {
        let databases = [Postgres::database().await, Postgres::database().await];
        let open = async |size, at: usize| Library::open(size, Some(&databases[at].url)).await;
        rows.extend(compare("PostgreSQL", open(small, 0).await?, open(large, 1).await?).await?);
    }
    let open = async |size| Library::open(size, None).await;
    rows.extend(compare("SQLite", open(small).await?, open(large).await?).await?);
    Ok(rows)
}

async fn compare(database: &str, small: Library, large: Library) -> Result<Vec<Row>> {
    let mut rows = Vec::new();
    for (one, other) in large.operations().into_iter().zip(small.operations()) {
        eprintln!("  {database}, {}", one.name);
        let figures = (large.measure(&one).await?, small.measure(&other).await?);
        rows.push(row(database, one.name, figures, one.goal));
    }
    rows.extend(large.long_sessions(database).await?);
    rows.extend(large.deletion(database).await?);
    rows.push(claims(database, large).await?);
    Ok(rows)
}

fn row(database: &str, name: &str, figures: (f64, f64), goal: Option<Goal>) -> Row {
    let name = format!("scale, {database}: {name}");
    Row { name, unit: Unit::Milliseconds, figures, reference: "a thousand tracks", goal }
}

fn milliseconds(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}

impl Library {
    async fn open(size: Size, database: Option<&str>) -> Result<Self> {
        eprintln!("  making {} tracks", size.tracks);
        let (stage, database, rows) = large::open(size, database).await?;
        let cookie = sign_in(&stage).await?;
        let body = json!({"collection_id": LargeLibrary::collection(0)});
        let session = stage.client.post("/v1/play_session/collection", &body).await.ok();
        let session = text(&session, "/play_session_id")?.to_owned();
        let share_key = stage.share_key("hq")?;
        Ok(Self { stage, size, rows, database, cookie, session, share_key })
    }

    fn operations(&self) -> Vec<Operation> {
        let organization = self.stage.organization_id().to_owned();
        let dashboard = move |path: &str| format!("/dashboard/{organization}{path}");
        let list = |collection: u64, offset: u64| {
            format!("/v1/collection/{}/track?limit=50&offset={offset}", LargeLibrary::collection(collection))
        };
        let get = |name, goal, path: String| Operation {
            name,
            goal: Some(goal),
            request: Box::new(move |_| ScaleRequest::Get(path.clone())),
        };
        let page = |name, path: &str| {
            let path = dashboard(path);
            Operation {
                name,
                goal: Some(AS_FAST),
                request: Box::new(move |_| ScaleRequest::Page(path.clone())),
            }
        };
        let [largest, second] = self.size.largest;
        let (few, some) = (self.size.first_of_twenty(), self.rows.tracks() / TIMES);
        let (session, share_key) = (self.session.clone(), self.share_key.clone());
        let in_largest = largest / TIMES;
        let of_track = |name, path: fn(String) -> ScaleRequest| Operation {
            name,
            goal: Some(AS_FAST),
            request: Box::new(move |at| path(LargeLibrary::track(at * some).to_string())),
        };
        let base = dashboard("");
        let days = |days: i32| self.rows.last_day.plus_days(1 - days);
        vec![
            get("list of the largest collection", AS_FAST, list(0, 0)),
            get("list of the second largest", AS_FAST, list(1, 0)),
            get("a page at a fifth of the list", LATE, list(0, largest / 5)),
            get("the last page of the list", LATE, list(0, largest - 50)),
            get("a late page of the second largest", LATE, list(1, second - 50)),
            Operation {
                name: "session of 20 tracks",
                goal: Some(AS_FAST),
                request: Box::new(move |at| {
                    let collection = LargeLibrary::collection(few + at % Size::OF_TWENTY);
                    ScaleRequest::Post("/v1/play_session/collection", json!({ "collection_id": collection }))
                }),
            },
            Operation {
                name: "a played track, cold",
                goal: Some(AS_FAST),
                request: Box::new(move |at| {
                    ScaleRequest::Get(format!("/v1/play/{session}/{}", LargeLibrary::track(at * in_largest)))
                }),
            },
            Operation {
                name: "redirect",
                goal: Some(AS_FAST),
                request: Box::new(move |at| {
                    ScaleRequest::Redirect(format!(
                        "/v1/stream/{}/{share_key}",
                        LargeLibrary::track(at * some)
                    ))
                }),
            },
            of_track("track", |id| ScaleRequest::Get(format!("/v1/track/{id}"))),
            get("collections", AS_FAST, "/v1/collection?limit=50".to_owned()),
            get("usage of 30 days by day", AS_FAST, "/v1/usage".to_owned()),
            get("usage of 30 days by variant", AS_FAST, "/v1/usage?group=variant".to_owned()),
            get("usage of 30 days by track", AS_FAST, "/v1/usage?group=track".to_owned()),
            get("usage of 90 days by track", AS_FAST, format!("/v1/usage?group=track&from={}", days(90))),
            Operation { goal: Some(Goal::Within(200.0)), ..page("usage page", "/usage") },
            page("library page", "/library"),
            page("all tracks", "/tracks"),
            page("search for a common word", "/tracks?q=take"),
            Operation {
                name: "search for a rare word",
                goal: Some(AS_FAST),
                request: Box::new(move |at| {
                    ScaleRequest::Page(format!("{base}/tracks?q={}", LargeLibrary::word(at * some)))
                }),
            },
            page("search for two letters that are nowhere", "/tracks?q=qq"),
            page("audit log by a rare action", "/audit?action=track.restore"),
            page("failed webhooks", "/webhooks?state=failed"),
            page("keys", "/keys"),
            page("collection page", &format!("/collections/{}", LargeLibrary::collection(0))),
            page("track page", &format!("/tracks/{}", LargeLibrary::track(some))),
        ]
    }

    /// The median time of the requests of an operation, in milliseconds.
    async fn measure(&self, operation: &Operation) -> Result<f64> {
        // The database plans the first few statements of each kind anew each time.
        for at in 0..10 {
            self.ask(&(operation.request)(at)).await.with_context(|| operation.name)?;
        }
        let mut durations = Vec::new();
        for at in 0..TIMES {
            let request = (operation.request)(at);
            let begun = Instant::now();
            self.ask(&request).await.with_context(|| operation.name)?;
            durations.push(milliseconds(begun));
        }
        Ok(median(durations))
    }

    async fn ask(&self, request: &ScaleRequest) -> Result<()> {
        let (client, url) = (&self.stage.client, |path: &String| format!("{}{path}", self.stage.url()));
        let http_request = match request {
            ScaleRequest::Get(path) => client.http().get(url(path)).bearer_auth(client.key()),
            ScaleRequest::Redirect(path) => client.http().get(url(path)),
            ScaleRequest::Post(path, body) => {
                let text = serde_json::to_vec(body)?;
                let request = client.http().post(url(&(*path).to_owned())).bearer_auth(client.key());
                request.header("Content-Type", "application/json").body(text)
            }
            ScaleRequest::Page(path) => client.http().get(url(path)).header("Cookie", &self.cookie),
        };
        let answer = http_request.send().await?;
        let status = answer.status();
        let body = answer.bytes().await?;
        let expected = if matches!(request, ScaleRequest::Redirect(_)) { 302 } else { 200 };
        ensure!(status == expected, "answered with {status}: {}", String::from_utf8_lossy(&body));
        Ok(())
    }

    /// Sessions of the two largest collections, and the memory that the program uses during them. Reference: its memory
    /// before.
    async fn long_sessions(&self, database: &str) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        for (collection, tracks) in (0..).zip(self.size.largest) {
            let request = ScaleRequest::Post(
                "/v1/play_session/collection",
                json!({"collection_id": LargeLibrary::collection(collection)}),
            );
            let before = crate::memory::resident(&self.stage.processes())?;
            let watch = Watch::start(self.stage.processes());
            let (mut cold, mut warm) = (Vec::new(), Vec::new());
            for _ in 0..5 {
                // Longer than the cache keeps a list.
                tokio::time::sleep(Duration::from_millis(1500)).await;
                for durations in [&mut cold, &mut warm] {
                    let begun = Instant::now();
                    self.ask(&request).await?;
                    durations.push(milliseconds(begun));
                }
            }
            let name = format!("scale, {database}: session of {tracks} tracks");
            rows.push(Row {
                name: name.clone(),
                unit: Unit::Milliseconds,
                figures: (median(cold), median(warm)),
                reference: "the next one, within a second",
                goal: None,
            });
            let megabytes = |bytes: u64| bytes as f64 / 1e6;
            rows.push(Row {
                name: format!("{name}, memory"),
                unit: Unit::Megabytes,
                figures: (megabytes(watch.peak()), megabytes(before)),
                reference: "before",
                goal: None,
            });
        }
        Ok(rows)
    }

    /// Deletes the largest collection, and measures other requests while its tracks are purged.
    async fn deletion(&self, database: &str) -> Result<Vec<Row>> {
        let first = self.size.largest[0];
        let other = Operation {
            name: "track",
            goal: None,
            request: Box::new(move |at| {
                ScaleRequest::Get(format!("/v1/track/{}", LargeLibrary::track(first + at * 7)))
            }),
        };
        let before = self.measure(&other).await?;
        let path = format!("{}/v1/collection/{}", self.stage.url(), LargeLibrary::collection(0));
        let client = &self.stage.client;
        let begun = Instant::now();
        let answer = client.http().delete(&path).bearer_auth(client.key()).send().await?;
        ensure!(answer.status() == 200, "the deletion was answered with {}", answer.status());
        let answered = milliseconds(begun);
        let mut during = Vec::new();
        for _ in 0..5 {
            during.push(self.measure(&other).await?);
        }
        let name = |what: &str| format!("scale, {database}: deletion of {first} tracks, {what}");
        Ok(vec![
            Row {
                name: name("answer"),
                unit: Unit::Milliseconds,
                figures: (answered, before),
                reference: "a track before it",
                goal: Some(Goal::Within(1000.0)),
            },
            Row {
                name: name("a track while they are purged"),
                unit: Unit::Milliseconds,
                figures: (median(during), before),
                reference: "before",
                goal: Some(Goal::AtMost(1.5)),
            },
        ])
    }
}

/// A claim with 100,000 jobs waiting. Reference: a claim with ten.
async fn claims(database: &str, library: Library) -> Result<Row> {
    let Library { mut stage, database: url, .. } = library;
    let organization_id: OrganizationId = stage.organization_id().parse()?;
    stage.stop();
    let catalog = Catalog::connect(&url.parse()?, ConnectOptions::default()).await?;
    let mut figures = Vec::new();
    for count in [10, 100_000] {
        large::queue_jobs(&url, organization_id, count).await?;
        figures.push(claim(&catalog).await?);
    }
    catalog.close().await?;
    Ok(Row {
        name: format!("scale, {database}: claim with 100,000 jobs waiting"),
        unit: Unit::Milliseconds,
        figures: (figures[1], figures[0]),
        reference: "with 10",
        goal: Some(Goal::AtMost(2.0)),
    })
}

async fn claim(catalog: &Catalog) -> Result<f64> {
    let (ambient, _) = tonearm_fixtures::ambient();
    let (now, mut durations) = (ambient.now(), Vec::new());
    for _ in 0..TIMES {
        let round_robin = RoundRobin { queue: JobQueue::Maintenance, after: None, except: &[] };
        let begun = Instant::now();
        let claimed =
            catalog.claim_next(round_robin, now, ambient.credential_id(), now.plus_seconds(60)).await?;
        durations.push(milliseconds(begun));
        catalog.return_lease(&claimed.context("no job was due")?).await?;
    }
    Ok(median(durations))
}

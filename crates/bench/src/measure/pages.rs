//! Pages of the dashboard over a large library, opened one after another as a person would. Reference: the sign-in
//! page, which queries no data.

use std::time::Instant;

use anyhow::{Context, Result, ensure};

use crate::library::{self, Library};
use crate::plan::Plan;
use crate::report::{Goal, Row, Unit};
use crate::stage::Stage;

/// How often each page is opened.
const TIMES: usize = 200;

/// The limits of a page's response time and size.
const MILLISECONDS: f64 = 50.0;
const KILOBYTES: f64 = 100.0;

const REFERENCE: &str = "the page to sign in";

/// The measurements of one page.
struct Opened {
    p95_ms: f64,
    kilobytes: f64,
}

pub(super) async fn run(plan: &Plan) -> Result<Vec<Row>> {
    let stage = Stage::open().await?;
    let library = library::fill(&stage, plan.library).await?;
    let cookie = sign_in(&stage).await?;
    // Opened without a cookie: users who are signed in are redirected.
    let reference = open(&stage, "", &["/dashboard/sign-in".to_owned()]).await?;
    let mut rows = Vec::new();
    for (name, addresses) in addresses(&stage, &library) {
        let opened = open(&stage, &cookie, &addresses).await.with_context(|| name)?;
        let row = |property: &str, unit, figures, limit| Row {
            name: format!("pages, {name}: {property}"),
            unit,
            figures,
            reference: REFERENCE,
            goal: Some(Goal::Within(limit)),
        };
        rows.push(row(
            "95th percentile",
            Unit::Milliseconds,
            (opened.p95_ms, reference.p95_ms),
            MILLISECONDS,
        ));
        rows.push(row("size", Unit::Kilobytes, (opened.kilobytes, reference.kilobytes), KILOBYTES));
    }
    Ok(rows)
}

/// The pages, each with addresses that are opened in turn.
fn addresses(stage: &Stage, library: &Library) -> Vec<(&'static str, Vec<String>)> {
    let base = format!("/dashboard/{}", stage.organization_id());
    let collection = format!("{base}/collections/{}", library.largest);
    let after = |path: &str, sort: &str| -> Vec<String> {
        library.some.iter().map(|id| format!("{path}?sort={sort}&after={id}")).collect()
    };
    let words = |path: &str| -> Vec<String> {
        library.words.iter().map(|word| format!("{path}?sort=title&q={word}")).collect()
    };
    vec![
        ("library", vec![format!("{base}/library"), format!("{base}/library?sort=title")]),
        ("collection", vec![collection.clone()]),
        ("late page by title", after(&collection, "title")),
        ("late page of all tracks", after(&format!("{base}/tracks"), "longest")),
        ("rare word", words(&format!("{base}/tracks"))),
        (
            "word of all tracks",
            vec![format!("{collection}?q=take"), format!("{base}/tracks?q=wav&sort=status")],
        ),
        ("word of none", vec![format!("{base}/tracks?q=nowhere"), format!("{collection}?q=q%20zz")]),
        ("track", library.some.iter().map(|id| format!("{base}/tracks/{id}")).collect()),
    ]
}

async fn open(stage: &Stage, cookie: &str, addresses: &[String]) -> Result<Opened> {
    let mut durations = Vec::with_capacity(TIMES);
    let mut largest = 0;
    // The first request to each address is not counted.
    for nth in 0..TIMES + addresses.len() {
        let address = format!("{}{}", stage.url(), addresses[nth % addresses.len()]);
        let begun = Instant::now();
        let answer = stage.client.http().get(&address).header("Cookie", cookie).send().await?;
        let status = answer.status();
        let body = answer.bytes().await?;
        ensure!(status == 200, "{address} was answered with {status}");
        if nth >= addresses.len() {
            durations.push(begun.elapsed().as_secs_f64() * 1000.0);
        }
        largest = largest.max(body.len());
    }
    durations.sort_by(f64::total_cmp);
    Ok(Opened { p95_ms: durations[durations.len() * 95 / 100], kilobytes: largest as f64 / 1000.0 })
}

/// Signs a user in with the link that the command line prints, and returns the cookie.
pub(super) async fn sign_in(stage: &Stage) -> Result<String> {
    let printed = stage.command(&[
        "person",
        "add",
        "--email",
        "bench@example.com",
        "--name",
        "Bench",
        "--administrator",
    ])?;
    let link = printed.lines().next().context("no link was printed")?;
    let (_, path) = link.split_once("/dashboard/").context("the link leads nowhere")?;
    let answer = stage
        .client
        .http()
        .post(format!("{}/dashboard/{path}", stage.url()))
        .header("Origin", stage.url())
        .header("Content-Type", "application/x-www-form-urlencoded")
        .body("password=correct+horse+battery")
        .send()
        .await?;
    ensure!(answer.status() == 303, "the link was answered with {}", answer.status());
    let cookie = answer.headers().get("set-cookie").context("no cookie was set")?.to_str()?;
    Ok(cookie.split(';').next().unwrap_or_default().to_owned())
}

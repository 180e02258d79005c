//! URLs that CDNs may cache: within a window, every request for a URL returns the same one.

use std::process::{Child, Command};

use serde_json::{Value, json};
use tempfile::TempDir;
use tonearm_domain::{CachePolicy, Clock as _, Patch};
use tonearm_fixtures::audio::{Signal, WavSpec, wav};
use tonearm_service::{Caller, UpdateRecipe};
use tonearm_testkit::{Backend, TestServer};

use crate::usage::sign;
use crate::{eventually, on_both_backends, text};

const DOCUMENT: &str = include_str!("../../../../docs/cdn.md");

on_both_backends!(listeners_of_a_window_share_urls);

fn url_of(session: &Value, variant: &str) -> String {
    let variants = session["first_track"]["variants"].as_array().unwrap();
    let found = variants.iter().find(|it| it["variant"]["index"] == variant).unwrap();
    text(found, "/url").to_owned()
}

async fn listeners_of_a_window_share_urls(server: TestServer) {
    let client = &server.client;
    let library = &server.node.services().unwrap().library;
    let caller = Caller::owner(server.organization_id.parse().unwrap());
    let collection = client.collection("Songs").await;
    let id = client.upload(&collection, "a.wav", wav(&WavSpec::default())).await;
    client.settled(&id).await;
    let set = async |cache| {
        let recipes = library.recipes(&caller).await.unwrap();
        let hq = recipes.iter().find(|view| view.recipe.index.as_str() == "hq").unwrap().recipe.id;
        let update = UpdateRecipe { cache: Patch::Set(cache), ..UpdateRecipe::default() };
        library.update_recipe(&caller, hq, update).await.unwrap();
    };
    let open = async || {
        let asked = json!({"track_id": id, "is_downloadable": true});
        client.post("/v1/play_session/track", &asked).await.ok()
    };
    // The clock stands at the start of a window.
    let before = open().await;
    set(CachePolicy::Public).await;
    let one = open().await;
    server.clock.advance_seconds(1800);
    let other = open().await;
    assert_eq!(url_of(&one, "hq"), url_of(&other, "hq"), "of files that were made before, too");
    assert_ne!(url_of(&one, "hq"), url_of(&before, "hq"));
    assert_ne!(url_of(&one, "lq"), url_of(&other, "lq"), "of another recipe");
    let shared = client.without_key().get(&url_of(&other, "hq")).await;
    assert_eq!(shared.header("cache-control"), "public, max-age=31536000, s-maxage=5400, immutable");

    // Downloads are for one listener only.
    let session = text(&one, "/play_session_id");
    let download = client.without_key().get(&format!("/v1/play/{session}/{id}/hq/download")).await.ok();
    let saved = client.without_key().get(text(&download, "/download/url")).await;
    assert!(saved.header("cache-control").starts_with("private"));

    // A share link leads to the same URL for every listener.
    let body = json!({"title": "share", "api_key_type_id": "share", "variants": ["hq"]});
    let key = text(&client.post("/v1/api_key", &body).await.ok(), "/api_key").to_owned();
    let link = format!("/v1/stream/{id}/{key}");
    let first = client.without_key().get(&link).await;
    server.clock.advance_seconds(60);
    let second = client.without_key().get(&link).await;
    assert_eq!(first.header("location"), second.header("location"));
    assert_eq!(first.header("cache-control"), "no-store");

    // The URL expires at the latest one window after the requested time.
    server.clock.advance_seconds(1740);
    assert_ne!(url_of(&open().await, "hq"), url_of(&one, "hq"));
    assert_eq!(client.without_key().get(&url_of(&one, "hq")).await.status, 200);
    server.clock.advance_seconds(3600);
    assert_eq!(client.without_key().get(&url_of(&one, "hq")).await.status, 401);

    set(CachePolicy::Private).await;
    let url = url_of(&open().await, "hq");
    assert!(!url.contains("cache="), "{url}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_may_share_everything() {
    let variables = [("TONEARM_DELIVERY_CACHE", "public"), ("TONEARM_DELIVERY_CACHE_WINDOW_SECONDS", "600")];
    let server = TestServer::start_with(tonearm_testkit::Backend::Embedded, &variables).await;
    let client = &server.client;
    let collection = client.collection("Songs").await;
    let id = client.upload(&collection, "a.wav", wav(&WavSpec::default())).await;
    client.settled(&id).await;
    let session = client.post("/v1/play_session/track", &json!({"track_id": id})).await.ok();
    for url in [url_of(&session, "lq"), text(&session, "/first_track/cover_image/icon/url").to_owned()] {
        let answer = client.without_key().get(&url).await;
        assert!(answer.header("cache-control").starts_with("public, max-age=31536000, s-maxage="), "{url}");
    }
}

/// What clients claim about their address and their traces never reaches a node that trusts the proxy.
#[test]
fn every_proxy_of_the_examples_replaces_what_clients_claim() {
    let nginx = [DOCUMENT, include_str!("../../../../deploy/nginx/tonearm.conf")];
    let caddy = [DOCUMENT, include_str!("../../../../deploy/caddy/Caddyfile")];
    let locations = nginx.iter().flat_map(|text| text.split("location ").skip(1));
    let locations = locations.filter(|part| part.contains("proxy_pass ")).map(|part| {
        (part, ["X-Forwarded-For $remote_addr;", "traceparent \"\";", "tracestate \"\";"].as_slice())
    });
    // nginx lists a node with a semicolon.
    let upstreams = caddy.iter().flat_map(|text| text.split("127.0.0.1:8080").skip(1));
    let upstreams = upstreams
        .filter(|part| !part.starts_with(';'))
        .map(|part| (part, ["header_up -traceparent", "header_up -tracestate"].as_slice()));
    let proxies: Vec<_> = locations.chain(upstreams).collect();
    assert!(proxies.len() > 8, "{}: this test is blind", proxies.len());
    for (part, replaced) in proxies {
        let block = part.split("```").next().unwrap_or(part);
        for line in replaced {
            assert!(block.contains(line), "no {line} in {block}");
        }
    }
}

/// nginx with the first recipe of the document, in front of a server.
struct Nginx {
    child: Child,
    url: String,
    _folder: TempDir,
}

impl Nginx {
    /// None if it is not installed.
    async fn before(server: &TestServer) -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name).display().to_string();
        let (_, recipe) = DOCUMENT.split_once("```nginx\n").unwrap();
        let (recipe, _) = recipe.split_once("```").unwrap();
        let address = format!("127.0.0.1:{}", tonearm_fixtures::free_port());
        let replaced = [
            ("/var/cache/nginx/audio", at("cache")),
            ("server 127.0.0.1:8080;", format!("server {};", server.node.address())),
            ("listen 80;", format!("listen {address};")),
        ];
        let recipe = replaced.iter().fold(recipe.to_owned(), |recipe, (from, to)| {
            assert!(recipe.contains(from), "no {from} in the recipe");
            recipe.replace(from, to)
        });
        let folders = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"];
        let folders: String =
            folders.iter().map(|name| format!("{name}_temp_path {};\n", at(name))).collect();
        let whole = format!(
            "daemon off; master_process off; pid {}; error_log stderr;\nevents {{}}\nhttp {{\naccess_log off;\n{folders}{recipe}\n}}\n",
            at("pid")
        );
        let path = at("nginx.conf");
        std::fs::write(&path, whole).unwrap();
        let places = format!("{}:/usr/sbin:/sbin", std::env::var("PATH").unwrap_or_default());
        let child = match Command::new("nginx").args(["-c", &path]).env("PATH", places).spawn() {
            Ok(child) => child,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                eprintln!("nginx is not there, so it does not check its recipe: install nginx-light");
                return None;
            }
            Err(error) => panic!("nginx: {error}"),
        };
        let nginx = Self { child, url: format!("http://{address}"), _folder: folder };
        let accepts = async || tokio::net::TcpStream::connect(&address).await.is_ok();
        eventually("nginx accepts connections", accepts).await;
        Some(nginx)
    }
}

impl Drop for Nginx {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// A cache that has a part of the former file must not mix it with the newest one.
#[tokio::test(flavor = "multi_thread")]
async fn a_durable_name_behind_nginx_follows_a_replacement() {
    let server = TestServer::start(Backend::Embedded).await;
    let Some(nginx) = Nginx::before(&server).await else { return };
    let (client, reader) = (&server.client, server.client.without_key());
    let (ambient, _) = tonearm_fixtures::ambient();
    let caller = Caller::owner(server.organization_id.parse().unwrap());
    let keys = server.node.services().unwrap().signing_keys(&ambient);
    let key = keys.create(&caller, "backend").await.unwrap();
    // Larger than a part, and different in each byte.
    let sound = |amplitude| {
        let spec = WavSpec { seconds: 16.0, signal: Signal::Steps(vec![amplitude; 4]), ..WavSpec::default() };
        bytes::Bytes::from(wav(&spec))
    };
    let (former, newest) = (sound(0.25), sound(0.5));
    assert!(former.len() > 1 << 20 && former.len() == newest.len());
    let collection = client.collection("Songs").await;
    let created = client.track(&collection, "song.wav").await;
    let (id, base) = (text(&created, "/track_id"), text(&created, "/track/base_path").to_owned());
    let send = async |answer: &Value, body: &bytes::Bytes| {
        let put = client.request(reqwest::Method::PUT, text(answer, "/track_upload/upload_url"));
        client.send(put.body(body.clone())).await.ok();
    };
    send(&created, &former).await;
    client.settled(id).await;
    let path = format!("{base}_original.wav?cache=public");
    let signed = sign(&key.key.id.to_string(), &key.secret, &path, server.clock.now().unix_seconds());
    let (direct, cached) =
        (format!("{}{signed}", server.node.public_url()), format!("{}{signed}", nginx.url));
    let is = async |url: &str, sound: &bytes::Bytes| {
        let answer = reader.get(url).await;
        answer.status == 200 && answer.bytes == *sound
    };
    eventually("the file is there", async || is(&direct, &former).await).await;
    // Only its first part is asked for.
    let start = reader.get_range(&cached, "0-99").await;
    assert_eq!((start.status.as_u16(), &start.bytes[..]), (206, &former[..100]));

    let source = format!("/v1/track/{id}/source");
    send(&client.post(&source, &json!({})).await.ok(), &newest).await;
    // The clock stands until then: jobs have leases.
    let is_completed =
        async || text(&client.get(&source).await.ok(), "/source_replacement/status") == "completed";
    eventually("the replacement completes", is_completed).await;
    eventually("the durable name leads to the new file", async || {
        server.clock.advance_seconds(1);
        is(&direct, &newest).await
    })
    .await;
    assert!(is(&cached, &newest).await);
    server.node.stop().await;
}

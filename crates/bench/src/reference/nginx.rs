//! nginx with signed links, configured to be as fast as possible.

use std::fs::{self, Permissions};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use md5::{Digest, Md5};
use tempfile::TempDir;
use tonearm_fixtures::Certificate;

use super::Running;

/// The secret that signs nginx's links.
const SECRET: &str = "bench";

/// When the links expire, in Unix seconds: in 2100.
const EXPIRES: u64 = 4_102_444_800;

/// The path of nginx, if it is installed. On Debian, it is in a folder that is only in root's `PATH`.
pub(super) fn find() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path)
        .chain([PathBuf::from("/usr/sbin"), PathBuf::from("/usr/local/sbin")])
        .map(|folder| folder.join("nginx"))
        .find(|binary| binary.is_file())
}

/// Filler that makes nginx's redirects as long as redirects to signed URLs.
const LOCATION_FILLER: usize = 120;

/// The path that is answered with a redirect.
const REDIRECT_PATH: &str = "/redirect";

/// A running nginx.
#[derive(Debug)]
pub(crate) struct Nginx {
    running: Running,
    url: String,
    tls_url: String,
    certificate: Certificate,
    _folder: TempDir,
}

impl Nginx {
    /// Serves the files of `root`. The folder is made readable for nginx's workers, which may run as another user.
    pub(super) fn start(binary: &Path, root: &Path) -> Result<Self> {
        let folder = tempfile::tempdir()?;
        for readable in [folder.path(), root] {
            fs::set_permissions(readable, Permissions::from_mode(0o755))?;
        }
        let [first, second] = [TcpListener::bind("127.0.0.1:0")?, TcpListener::bind("127.0.0.1:0")?];
        let (address, tls_address) = (first.local_addr()?, second.local_addr()?);
        drop((first, second));
        let certificate = Certificate::make(folder.path());
        let tls = format!(
            "listen {tls_address} ssl http2; ssl_certificate {}; ssl_certificate_key {};",
            certificate.chain.display(),
            certificate.key.display()
        );
        let configuration = folder.path().join("nginx.conf");
        fs::write(&configuration, configure(folder.path(), root, &format!("listen {address}; {tls}")))?;
        let child = Command::new(binary)
            .arg("-c")
            .arg(&configuration)
            .arg("-p")
            .arg(folder.path())
            .stdin(Stdio::null())
            .stderr(fs::File::create(folder.path().join("stderr"))?)
            .spawn()?;
        let mut running = Running(child);
        let begun = Instant::now();
        while TcpStream::connect(address).is_err() {
            let ended = running.0.try_wait()?.is_some() || begun.elapsed() > Duration::from_secs(10);
            let log = || fs::read_to_string(folder.path().join("stderr")).unwrap_or_default();
            ensure!(!ended, "nginx does not start: {}", log());
            std::thread::sleep(Duration::from_millis(5));
        }
        let (url, tls_url) = (format!("http://{address}"), format!("https://{tls_address}"));
        Ok(Self { running, url, tls_url, certificate, _folder: folder })
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    pub(super) fn processes(&self) -> Vec<u32> {
        self.running.processes()
    }

    /// A path that is answered with a bare redirect, as long as Tonearm's redirects.
    pub(crate) fn redirect_path(&self) -> &'static str {
        REDIRECT_PATH
    }

    pub(super) fn signed_path(&self, file: &str) -> String {
        signed_path(file, EXPIRES)
    }

    /// Different URLs of one file, over HTTP/2 and TLS.
    pub(crate) fn signed_urls_over_tls(&self, file: &str, count: u64) -> Vec<String> {
        signed_urls(&self.tls_url, file, count)
    }

    /// Different URLs of one file, without TLS.
    pub(crate) fn signed_urls(&self, file: &str, count: u64) -> Vec<String> {
        signed_urls(&self.url, file, count)
    }

    /// The certificate that nginx uses for TLS.
    pub(crate) fn certificate(&self) -> &Certificate {
        &self.certificate
    }
}

fn signed_urls(base_url: &str, file: &str, count: u64) -> Vec<String> {
    (0..count).map(|number| format!("{base_url}{}", signed_path(file, EXPIRES + number))).collect()
}

fn signed_path(file: &str, expires: u64) -> String {
    let path = format!("/{file}");
    let signature = URL_SAFE_NO_PAD.encode(Md5::digest(format!("{expires}{path} {SECRET}")));
    format!("{path}?md5={signature}&expires={expires}")
}

/// `tcp_nopush` stays off: over loopback, where a segment is as large as a response, it delays the last segment by 40
/// ms.
fn configure(folder: &Path, root: &Path, listen: &str) -> String {
    let (folder, root) = (folder.display(), root.display());
    let filler = "0".repeat(LOCATION_FILLER);
    let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|kind| format!("    {kind}_temp_path {folder}/{kind};\n"))
        .concat();
    format!(
        "daemon off;
pid {folder}/nginx.pid;
error_log stderr warn;
worker_processes auto;
worker_rlimit_nofile 65536;
events {{ worker_connections 16384; }}
http {{
    access_log off;
    sendfile on;
    keepalive_requests 1000000000;
    open_file_cache max=1000;
{temporary}    server {{
        {listen}
        root {root};
        secure_link $arg_md5,$arg_expires;
        secure_link_md5 \"$secure_link_expires$uri {SECRET}\";
        location = {REDIRECT_PATH} {{
            return 302 http://127.0.0.1/a-signed-url?verify={filler};
        }}
        location / {{
            if ($secure_link != 1) {{ return 403; }}
        }}
    }}
}}
"
    )
}

/// The version, such as `nginx/1.22.1`, for the report's heading.
pub(crate) fn version() -> Option<String> {
    let output = Command::new(find()?).arg("-v").output().ok()?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    stderr.trim().strip_prefix("nginx version: ").map(str::to_owned)
}

//! A certificate for this machine.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};

/// Where a certificate and its key are, both in PEM.
#[derive(Debug, Clone)]
pub(crate) struct Certificate {
    pub(crate) chain: PathBuf,
    pub(crate) key: PathBuf,
}

impl Certificate {
    /// Makes one in a folder.
    pub(super) fn make(folder: &Path) -> Result<Self> {
        let made = Self { chain: folder.join("certificate.pem"), key: folder.join("key.pem") };
        let output = Command::new("openssl")
            .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"])
            .args(["-subj", "/CN=bench", "-days", "30"])
            .arg("-out")
            .arg(&made.chain)
            .arg("-keyout")
            .arg(&made.key)
            .output()
            .context("openssl cannot be run; install Debian's package openssl")?;
        ensure!(output.status.success(), "openssl: {}", String::from_utf8_lossy(&output.stderr));
        Ok(made)
    }
}

//! The cryptography of TLS.

/// Installs *ring* as the cryptography of TLS for the whole process, unless one is installed: HTTP clients cannot be made
/// without one, even for plain HTTP.
pub fn install_tls_provider() {
    // Fails only where another is installed, which is as good.
    drop(rustls::crypto::ring::default_provider().install_default());
}

//! The TLS cryptography provider.

/// Installs *ring* as the TLS cryptography provider of the whole process, unless one is installed. HTTP clients cannot
/// be created without one, even for plain HTTP.
pub fn install_tls_provider() {
    // Fails only if another provider is installed, which is fine too.
    drop(rustls::crypto::ring::default_provider().install_default());
}

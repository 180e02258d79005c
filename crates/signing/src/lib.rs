//! Signed URLs, key derivation, and the format of API keys.

//! Calls to other people's servers: webhook delivery and transcription, behind the SSRF guard.

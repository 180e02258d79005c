//! The /v1 interface: router, extractors, endpoints, errors.

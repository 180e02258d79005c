//! Delivery: verify, resolve, conditional, range, send; by signature alone.

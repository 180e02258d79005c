//! The use cases: each takes what it needs, decides with the domain, and commits once.

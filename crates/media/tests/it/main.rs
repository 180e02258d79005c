//! The media crate against the real ffmpeg, over generated sound.

#![allow(clippy::unwrap_used, reason = "in a test, a panic is the report")]

mod arguments;
mod bench;
mod ending;
mod measuring;
mod pictures;
mod rendering;
mod zoo;

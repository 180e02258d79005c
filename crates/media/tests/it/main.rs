//! The media crate against the real ffmpeg, over generated sound.

#![allow(clippy::unwrap_used, reason = "in a test, a panic is the report")]

mod arguments;
mod bench;
mod ending;
mod hostile_pictures;
mod measuring;
mod palettes;
mod pictures;
mod rendering;
mod videos;
mod zoo;

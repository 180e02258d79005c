//! The media crate with the real ffmpeg, on generated sound.

#![allow(clippy::unwrap_used, reason = "in a test, a panic is the report")]

mod arguments;
mod bench;
mod ending;
mod exact;
mod formats;
mod hostile_pictures;
mod layouts;
mod measuring;
mod palettes;
mod pictures;
mod rendering;
mod sharing;
mod streams;
mod tags;
mod targets;
mod videos;
mod zoo;

/// Pictures are decoded by another process of this program; see [`tonearm_media::serve_if_confined`].
#[ctor::ctor(unsafe)]
fn be_confined() {
    tonearm_media::serve_if_confined();
}

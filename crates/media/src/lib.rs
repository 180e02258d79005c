//! Sound and pictures: probe, transcode, levels, covers, behind a sandboxed ffmpeg.

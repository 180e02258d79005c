//! The supported input formats.

/// ffmpeg's names of the formats. None of them refers to other files or addresses, as playlists and scripts do, and
/// none reads devices. ffmpeg refuses files in any other format.
pub(crate) const FORMATS: &[&str] = &[
    "aac",
    "ac3",
    "aiff",
    "amr",
    "ape",
    "asf",
    "au",
    "avi",
    "caf",
    "dsf",
    "dts",
    "dtshd",
    "eac3",
    "flac",
    "flv",
    "gsm",
    "iff",
    "libopenmpt",
    "loas",
    "matroska",
    "mlp",
    "mov",
    "mp3",
    "mpc",
    "mpc8",
    "mpeg",
    "mpegts",
    "ogg",
    "oma",
    "qcp",
    "rm",
    "shn",
    "sox",
    "tak",
    "truehd",
    "tta",
    "voc",
    "w64",
    "wav",
    "webm",
    "wv",
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Formats of ffmpeg's that open other files, addresses or devices, or are programs.
    const HOSTILE: [&str; 34] = [
        "alsa",
        "bktr",
        "concat",
        "dash",
        "dshow",
        "fbdev",
        "ffmetadata",
        "gdigrab",
        "hls",
        "image2",
        "image2pipe",
        "imf",
        "jack",
        "kmsgrab",
        "lavfi",
        "libcdio",
        "openal",
        "oss",
        "pulse",
        "rawvideo",
        "rtp",
        "rtsp",
        "sap",
        "sdp",
        "tedcaptions",
        "tty",
        "v4l2",
        "vapoursynth",
        "avisynth",
        "video4linux2",
        "vobsub",
        "webm_dash_manifest",
        "x11grab",
        "xcbgrab",
    ];

    #[test]
    fn none_reaches_beyond_its_file() {
        for format in FORMATS {
            assert!(!HOSTILE.contains(format), "{format}");
            assert!(!format.ends_with("_pipe"), "{format}");
        }
    }
}

//! Pictures in the tags of files.

use std::fs::File;
use std::io::BufReader;

use lofty::config::{GlobalOptions, ParseOptions, apply_global_options};
use lofty::file::TaggedFileExt;
use lofty::picture::PictureType;

/// Pictures in a file's tags that are larger than this many bytes are ignored.
pub(crate) const LARGEST_ART: usize = 20 << 20;

/// See [`crate::Pictures::embedded_art`].
pub(crate) fn read_art(input: File) -> Option<Vec<u8>> {
    apply_global_options(GlobalOptions::new().allocation_limit(LARGEST_ART));
    let options = ParseOptions::new().read_properties(false);
    let file =
        lofty::probe::Probe::new(BufReader::new(input)).options(options).guess_file_type().ok()?.read();
    let file = file.inspect_err(|error| tracing::debug!(%error, "could not read tags")).ok()?;
    let pictures = || file.tags().iter().flat_map(|tag| tag.pictures());
    let front = pictures().find(|picture| picture.pic_type() == PictureType::CoverFront);
    let data = front.or_else(|| pictures().next())?.data();
    (1..=LARGEST_ART).contains(&data.len()).then(|| data.to_vec())
}

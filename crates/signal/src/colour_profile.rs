//! Converts colours from a picture's ICC profile to sRGB, which screens assume without a profile.

use std::sync::Arc;

use moxcms::{ColorProfile, DataColorSpace, Layout, Transform8BitExecutor, TransformOptions};

/// Profiles larger than this many bytes are ignored; those of cameras and programs have a few thousand bytes.
const LARGEST: usize = 1 << 20;

/// Converts RGB pixels to sRGB.
pub(crate) struct ToSrgb(Arc<Transform8BitExecutor>);

impl ToSrgb {
    /// For an ICC profile. Returns `None` if the profile is not for RGB or cannot be read: the picture is then used
    /// unchanged.
    pub(crate) fn new(profile: &[u8]) -> Option<Self> {
        if profile.len() > LARGEST {
            return None;
        }
        let profile = ColorProfile::new_from_slice(profile)
            .inspect_err(|error| tracing::debug!(%error, "could not read a colour profile"))
            .ok()
            .filter(|profile| profile.color_space == DataColorSpace::Rgb)?;
        let options = TransformOptions::default();
        let srgb = ColorProfile::new_srgb();
        profile.create_transform_8bit(Layout::Rgb, &srgb, Layout::Rgb, options).ok().map(Self)
    }

    /// Converts pixels of three bytes each.
    pub(crate) fn apply(&self, pixels: &mut [u8]) {
        let source = pixels.to_vec();
        if let Err(error) = self.0.transform(&source, pixels) {
            tracing::debug!(%error, "could not apply a colour profile");
            pixels.copy_from_slice(&source);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_red_of_srgb_is_a_paler_one_of_display_p3() {
        let profile = ColorProfile::new_display_p3().encode().unwrap();
        let mut pixels = [234, 51, 35, 128, 128, 128];
        ToSrgb::new(&profile).unwrap().apply(&mut pixels);
        let expected = [255, 0, 0, 128, 128, 128];
        assert!(pixels.iter().zip(expected).all(|(found, wanted)| found.abs_diff(wanted) <= 6), "{pixels:?}");
    }

    #[test]
    fn what_is_no_profile_changes_nothing() {
        assert!(ToSrgb::new(b"").is_none());
        assert!(ToSrgb::new(&[0; 300]).is_none());
        let profile = ColorProfile::new_display_p3().encode().unwrap();
        assert!(ToSrgb::new(&profile[..profile.len() / 2]).is_none());
    }
}

//! Why there is no picture.

/// Why a picture could not be read or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PictureError {
    /// It has more pixels than are decoded.
    #[error("the picture is larger than 64 megapixels")]
    TooLarge,
    /// It is damaged, or of another format.
    #[error("the picture cannot be read")]
    Unreadable,
    /// It could not be encoded, which is no fault of the pixels.
    #[error("the picture could not be written")]
    Unwritable,
}

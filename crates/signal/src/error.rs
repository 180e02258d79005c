//! Why a picture could not be processed.

/// Why a picture could not be read or written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PictureError {
    /// It has more pixels than the decoder accepts.
    #[error("the picture is larger than 64 megapixels")]
    TooLarge,
    /// It is damaged, or in another format.
    #[error("the picture cannot be read")]
    Unreadable,
    /// It could not be encoded, although the pixels are valid.
    #[error("the picture could not be written")]
    Unwritable,
}

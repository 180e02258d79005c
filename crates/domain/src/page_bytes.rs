//! The size of the pages of lists in bytes. Records hold data of the caller's own, so that the number of records alone
//! does not limit it.

use crate::creator::Creator;
use crate::organization::Collection;
use crate::track::Track;

/// Maximum size of the records of a page, unless it is a single record.
const MOST_BYTES: usize = 1 << 20;

/// Bytes of a record besides its data of any size.
const RECORD_BYTES: usize = 1024;

/// A record of a list.
pub trait PageRecord {
    /// About how many bytes it takes as JSON.
    fn json_bytes(&self) -> usize;
}

impl PageRecord for Track {
    fn json_bytes(&self) -> usize {
        RECORD_BYTES + self.metadata.json_bytes() + self.transcription.as_deref().map_or(0, str::len)
    }
}

impl PageRecord for Collection {
    fn json_bytes(&self) -> usize {
        RECORD_BYTES + self.metadata.json_bytes()
    }
}

impl PageRecord for Creator {
    fn json_bytes(&self) -> usize {
        RECORD_BYTES + self.metadata.json_bytes()
    }
}

/// Decides which records are part of a page.
#[derive(Debug, Default)]
pub struct PageBytes {
    bytes: usize,
}

impl PageBytes {
    /// Whether the next record still fits. The first one always does.
    pub fn fits(&mut self, record: &impl PageRecord) -> bool {
        let is_first = self.bytes == 0;
        self.bytes = self.bytes.saturating_add(record.json_bytes());
        is_first || self.bytes <= MOST_BYTES
    }

    /// The first records, as many as fit.
    pub fn cut<T: PageRecord>(records: Vec<T>) -> Vec<T> {
        let mut page = Self::default();
        records.into_iter().take_while(|record| page.fits(record)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl PageRecord for usize {
        fn json_bytes(&self) -> usize {
            *self
        }
    }

    #[test]
    fn a_page_ends_at_a_mebibyte_and_has_a_record() {
        let cut = |sizes: &[usize]| PageBytes::cut(sizes.to_vec()).len();
        assert_eq!(cut(&[]), 0);
        assert_eq!(cut(&[3 << 20, 1]), 1);
        assert_eq!(cut(&[1 << 19, 1 << 19, 1]), 2);
        assert_eq!(cut(&[1, 1 << 20, 1]), 1, "records are not left out between others");
        assert_eq!(cut(&[1000; 200]), 200);
    }
}

//! Pages of lists.

/// Shortens rows to a page of `limit` rows. One row more than a page tells that there are older ones: then the result is
/// the last row of the page, after which the next page begins.
pub(crate) fn cut_to_page<T>(rows: &mut Vec<T>, limit: usize) -> Option<&T> {
    let has_older = rows.len() > limit;
    rows.truncate(limit);
    rows.last().filter(|_| has_older)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_page_is_the_last_one_unless_there_are_more_rows() {
        let mut rows = vec![3, 2, 1];
        assert_eq!(cut_to_page(&mut rows, 3), None);
        assert_eq!(cut_to_page(&mut rows, 2), Some(&2));
        assert_eq!(rows, [3, 2]);
        assert_eq!(cut_to_page(&mut Vec::<u32>::new(), 2), None);
    }
}

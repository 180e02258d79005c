//! The page to show after a sign-in.

/// The page that the parameter `next` names, if it is a page of the dashboard; otherwise its first page.
pub(super) fn next_page(next: &str) -> &str {
    let is_plain = next.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    if next.starts_with("/dashboard/") && is_plain { next } else { "/dashboard" }
}

#[cfg(test)]
mod tests {
    use super::next_page;

    #[test]
    fn nobody_is_sent_elsewhere() {
        assert_eq!(next_page("/dashboard/a?b=c"), "/dashboard/a?b=c");
        for bad in [
            "",
            "/",
            "//evil.example",
            "https://evil.example",
            "/dashboard\\x",
            "/dashboard/\r\nx",
            "/dashboardx",
        ] {
            assert_eq!(next_page(bad), "/dashboard", "{bad:?}");
        }
    }
}

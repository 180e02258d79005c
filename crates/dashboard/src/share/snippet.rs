//! What people copy to show the player on a page of their own.

/// Pixels that the framed player of one track takes.
const HEIGHT: u32 = 172;
/// The same with a list under it.
const HEIGHT_WITH_LIST: u32 = 480;

/// The two ways to embed: a frame, which works everywhere, and the element, which takes the page's width and height.
pub(crate) struct Snippets {
    pub(crate) frame: String,
    pub(crate) element: String,
}

impl Snippets {
    /// `path` is what follows `/embed/`: keys and ids, none of which needs escaping.
    pub(crate) fn new(public_url: &str, path: &str, title: &str, has_list: bool) -> Self {
        let height = if has_list { HEIGHT_WITH_LIST } else { HEIGHT };
        let title = title.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
        Self {
            frame: format!(
                "<iframe src=\"{public_url}/embed/{path}\" title=\"{title}\" width=\"100%\" height=\"{height}\" \
                 frameborder=\"0\" loading=\"lazy\" allow=\"autoplay; encrypted-media\"></iframe>"
            ),
            element: format!(
                "<script type=\"module\" src=\"{public_url}/embed/player.js\"></script>\n<tonearm-player \
                 src=\"{public_url}/embed/{path}/player.json\"></tonearm-player>"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_cannot_leave_its_attribute() {
        let snippets = Snippets::new("https://a.example", "x/y", "\"><script>", false);
        assert!(snippets.frame.contains("title=\"&quot;>&lt;script>\" width"), "{}", snippets.frame);
    }
}

//! Code that people copy to embed the player in their own pages.

use serde::Deserialize;

/// The colours of an embedded player.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Theme {
    /// The colours of the viewer's system.
    #[default]
    System,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

impl Theme {
    pub(crate) const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    /// The theme with this name; that of the system if it is unknown.
    pub(crate) fn parse(text: &str) -> Self {
        Self::ALL.into_iter().find(|theme| theme.as_str() == text).unwrap_or_default()
    }

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// The value of the player's attribute `theme`; `None` for the theme of the system.
    pub(crate) const fn attribute(self) -> Option<&'static str> {
        match self {
            Self::System => None,
            theme => Some(theme.as_str()),
        }
    }
}

/// The query of a framed player.
#[derive(Deserialize)]
pub(super) struct ThemeQuery {
    #[serde(default)]
    theme: String,
}

impl ThemeQuery {
    pub(super) fn theme(&self) -> Theme {
        Theme::parse(&self.theme)
    }
}

/// The size of a framed player.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Size {
    /// One track.
    Compact,
    /// A track and a list.
    List,
    /// A track and a long list.
    Tall,
}

impl Size {
    pub(crate) const ALL: [Self; 3] = [Self::Compact, Self::List, Self::Tall];

    /// The size with this name.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|size| size.as_str() == text)
    }

    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Compact => "compact",
            Self::List => "list",
            Self::Tall => "tall",
        }
    }

    /// The height of the frame in pixels.
    pub(crate) const fn height(self) -> u32 {
        match self {
            Self::Compact => 172,
            Self::List => 480,
            Self::Tall => 720,
        }
    }
}

/// The options of an embedded player: its colours and its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct EmbedOptions {
    pub(crate) theme: Theme,
    pub(crate) size: Size,
}

impl EmbedOptions {
    /// For one track.
    pub(crate) const fn for_track() -> Self {
        Self { theme: Theme::System, size: Size::Compact }
    }

    /// For a list of tracks.
    pub(crate) const fn for_list() -> Self {
        Self { theme: Theme::System, size: Size::List }
    }

    /// The query of a framed player.
    pub(crate) fn query(self) -> String {
        self.theme.attribute().map(|theme| format!("?theme={theme}")).unwrap_or_default()
    }
}

/// The two ways to embed: a frame, which works everywhere, and the element, which adapts to the page's width and
/// height.
pub(crate) struct Snippets {
    pub(crate) frame: String,
    pub(crate) element: String,
}

impl Snippets {
    /// `path` follows `/embed/`: keys and ids, none of which needs escaping.
    pub(crate) fn new(public_url: &str, path: &str, title: &str, options: EmbedOptions) -> Self {
        let (query, height) = (options.query(), options.size.height());
        let theme = options.theme.attribute().map(|theme| format!(" theme=\"{theme}\"")).unwrap_or_default();
        let title = title.replace('&', "&amp;").replace('"', "&quot;").replace('<', "&lt;");
        Self {
            frame: format!(
                "<iframe src=\"{public_url}/embed/{path}{query}\" title=\"{title}\" width=\"100%\" \
                 height=\"{height}\" frameborder=\"0\" loading=\"lazy\" allow=\"autoplay; encrypted-media\"></iframe>"
            ),
            element: format!(
                "<script type=\"module\" src=\"{public_url}/embed/player.js\"></script>\n<tonearm-player \
                 src=\"{public_url}/embed/{path}/player.json\"{theme}></tonearm-player>"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_cannot_leave_its_attribute() {
        let snippets = Snippets::new("https://a.example", "x/y", "\"><script>", EmbedOptions::for_track());
        assert!(snippets.frame.contains("title=\"&quot;>&lt;script>\" width"), "{}", snippets.frame);
    }

    #[test]
    fn options_are_written_into_both_snippets() {
        let options = EmbedOptions { theme: Theme::parse("dark"), size: Size::parse("tall").unwrap() };
        let snippets = Snippets::new("https://a.example", "x/y", "Song", options);
        assert!(
            snippets.frame.contains("/embed/x/y?theme=dark\" title=\"Song\" width=\"100%\" height=\"720\"")
        );
        assert!(
            snippets.element.contains("/embed/x/y/player.json\" theme=\"dark\">"),
            "{}",
            snippets.element
        );
        assert_eq!(Theme::parse("\"><script>"), Theme::System);
        assert_eq!(Size::parse(""), None);
    }
}

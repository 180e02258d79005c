//! What players and lists show of a track in words.

/// The title of a track: the one people gave it, else the name of its file without its ending.
pub fn shown_title<'a>(player_title: Option<&'a str>, file_name: &'a str) -> &'a str {
    if let Some(title) = player_title.filter(|title| !title.trim().is_empty()) {
        return title;
    }
    match file_name.rsplit_once('.') {
        Some((stem, _)) if !stem.trim().is_empty() => stem,
        _ => file_name,
    }
}

/// The line under the title: the most specific one that says something.
pub fn shown_subtitle<'a>(
    track: Option<&'a str>,
    collection: Option<&'a str>,
    organization: &'a str,
) -> Option<&'a str> {
    [track, collection, Some(organization)].into_iter().flatten().find(|text| !text.trim().is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_always_a_title() {
        assert_eq!(shown_title(Some("A song"), "x.wav"), "A song");
        assert_eq!(shown_title(Some(" "), "A. Song.flac"), "A. Song");
        assert_eq!(shown_title(None, "audio"), "audio");
        assert_eq!(shown_title(None, ".wav"), ".wav");
    }

    #[test]
    fn the_most_specific_subtitle_is_shown() {
        assert_eq!(shown_subtitle(Some("mine"), Some("ours"), "all"), Some("mine"));
        assert_eq!(shown_subtitle(Some(""), Some("ours"), "all"), Some("ours"));
        assert_eq!(shown_subtitle(None, None, "all"), Some("all"));
        assert_eq!(shown_subtitle(None, None, " "), None);
    }
}

//! The tools.

mod collections;
mod playing;
mod share_links;
mod tracks;
mod uploads;
mod usage;

use super::tool::Entry;

/// All tools, in the order in which they are listed.
pub(super) fn all() -> Vec<Entry> {
    vec![
        Entry::of::<tracks::FindTracks>(),
        Entry::of::<tracks::ReadTrack>(),
        Entry::of::<collections::ListCollections>(),
        Entry::of::<collections::CreateCollection>(),
        Entry::of::<uploads::UploadFromUrl>(),
        Entry::of::<tracks::UpdateTrack>(),
        Entry::of::<tracks::DeleteTrack>(),
        Entry::of::<playing::CreatePlaySession>(),
        Entry::of::<share_links::CreateShareLink>(),
        Entry::of::<share_links::RevokeShareLink>(),
        Entry::of::<usage::ReadListens>(),
        Entry::of::<usage::ReadUsage>(),
        Entry::of::<usage::ReadQuota>(),
    ]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::Value;

    use super::*;

    #[test]
    fn tools_say_what_they_take() {
        let all = all();
        let names: BTreeSet<_> = all.iter().map(|entry| entry.tool.name.clone()).collect();
        assert_eq!(names.len(), all.len());
        for entry in &all {
            let schema = entry.tool.schema_as_json_value();
            assert_eq!(schema["type"], "object", "{}", entry.tool.name);
            assert_eq!(schema["additionalProperties"], false, "{}", entry.tool.name);
            let properties = schema["properties"].as_object();
            for (name, property) in properties.into_iter().flatten() {
                assert!(
                    property["description"].is_string(),
                    "{name} of {} is not explained",
                    entry.tool.name
                );
            }
            let annotations = entry.tool.annotations.as_ref().unwrap();
            let reads = annotations.read_only_hint == Some(true);
            let begins = ["find_", "list_", "read_"].iter().any(|verb| entry.tool.name.starts_with(verb));
            assert_eq!(reads, begins, "{}", entry.tool.name);
            let removes =
                ["delete_", "revoke_", "update_"].iter().any(|verb| entry.tool.name.starts_with(verb));
            assert_eq!(annotations.is_destructive(), removes, "{}", entry.tool.name);
            let says_more = entry.after_timeout.contains("all the same");
            assert_eq!(annotations.is_idempotent(), !says_more, "{}", entry.tool.name);
        }
        let ids = all[1].tool.schema_as_json_value();
        assert_eq!(ids["properties"]["track_id"]["format"], Value::from("uuid"));
    }
}

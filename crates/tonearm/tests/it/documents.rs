//! The pages of the documentation: their links lead somewhere, and the index names each.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn pages() -> Vec<PathBuf> {
    let files =
        walkdir::WalkDir::new(root().join("docs")).into_iter().map(|entry| entry.unwrap().into_path());
    let is_page = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "md");
    let top = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|name| root().join(name));
    files.chain(top).filter(is_page).collect()
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The lines outside of blocks of code.
fn prose(page: &str) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    page.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        is_code ^= is_fence;
        !is_code && !is_fence
    })
}

/// The anchors that GitHub gives to the headings.
fn anchors(page: &str) -> BTreeSet<String> {
    let headings = prose(page)
        .filter_map(|line| line.trim_start_matches('#').strip_prefix(' ').filter(|_| line.starts_with('#')));
    let mut anchors = BTreeSet::new();
    for heading in headings {
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        let anchor: String =
            kept.map(|c| if c == ' ' { '-' } else { c }).flat_map(char::to_lowercase).collect();
        anchors.insert(anchor);
    }
    anchors
}

/// The targets of links: what is between `](` and `)`.
fn links(page: &str) -> Vec<String> {
    // Links may be broken across lines.
    let text = prose(page).collect::<Vec<_>>().join("\n");
    let parts = text.split("](").skip(1);
    parts.filter_map(|part| part.split_once(')')).map(|(target, _)| target.trim().to_owned()).collect()
}

#[test]
fn links_lead_somewhere() {
    let (mut followed, mut dead) = (0, Vec::new());
    for page in pages() {
        let text = read(&page);
        for link in
            links(&text).into_iter().filter(|link| !link.contains("://") && !link.starts_with("mailto:"))
        {
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            let has_anchor = || anchor.is_empty() || anchors(&read(&target)).contains(anchor);
            followed += 1;
            if !target.exists() || !has_anchor() {
                dead.push(format!("{}: {link}", page.strip_prefix(root()).unwrap().display()));
            }
        }
    }
    assert!(dead.is_empty(), "{dead:#?}");
    assert!(followed > 200, "{followed}: this test is blind");
}

#[test]
fn the_index_names_every_page() {
    let index = root().join("docs/README.md");
    let named = links(&read(&index)).into_iter().map(|link| root().join("docs").join(link));
    let named: BTreeSet<PathBuf> = named.filter_map(|path| path.canonicalize().ok()).collect();
    let is_of_folder = |path: &PathBuf| path.starts_with(root().join("docs/decisions"));
    let forgotten: Vec<PathBuf> = pages()
        .into_iter()
        .filter(|path| *path != index && !is_of_folder(path) && !named.contains(path))
        .collect();
    assert!(forgotten.iter().all(|path| path.ends_with("README.md")), "{forgotten:#?}");
}

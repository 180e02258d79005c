//! The modules of the player and of the bar, tested in Node, without a page or a server.

use std::path::Path;
use std::process::Command;

#[test]
fn the_modules_pass_their_own_tests() {
    let assets = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets");
    // The files are named one by one, because versions of Node treat a folder differently.
    let folders = ["player/tests", "bar/tests", "tests"].map(|folder| std::fs::read_dir(assets.join(folder)));
    let tests: Vec<_> = folders
        .into_iter()
        .flat_map(|folder| folder.expect("the tests are there"))
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.to_string_lossy().ends_with(".test.js"))
        .collect();
    assert!(!tests.is_empty(), "no file of the tests ends with .test.js");
    let tested = Command::new("node")
        .arg("--test")
        .args(tests)
        .output()
        .expect("node is needed: tools/need node nodejs");
    let said = String::from_utf8_lossy(&tested.stdout);
    assert!(tested.status.success(), "{said}{}", String::from_utf8_lossy(&tested.stderr));
    assert!(!said.contains("# tests 0"), "{said}");
}

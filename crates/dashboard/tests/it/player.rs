//! The player's modules, tested in Node, without a page or a server.

use std::path::Path;
use std::process::Command;

#[test]
fn the_modules_pass_their_own_tests() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/player/tests");
    // Named one by one: what versions of Node make of a folder differs.
    let tests: Vec<_> = std::fs::read_dir(folder)
        .expect("the tests are there")
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

//! The player's modules, tested in Node, without a page or a server.

use std::path::Path;
use std::process::Command;

#[test]
fn the_modules_pass_their_own_tests() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/player/tests");
    let tested = Command::new("node")
        .arg("--test")
        .arg(folder)
        .output()
        .expect("node is needed: tools/need node nodejs");
    let said = String::from_utf8_lossy(&tested.stdout);
    assert!(tested.status.success(), "{said}{}", String::from_utf8_lossy(&tested.stderr));
    assert!(!said.contains("# tests 0"), "{said}");
}

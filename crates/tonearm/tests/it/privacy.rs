//! `tonearm privacy`, which also reports if it knows nothing about a person.

use std::process::Output;

use serde_json::Value;
use tonearm_testkit::{Program, TestServer};

use crate::{binary, on_both_backends};

on_both_backends!(whoever_is_erased_is_told_before_and_not_known_after, nobody_is_no_empty_export);

const EMAIL: &str = "bea@example.com";

fn refusal(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stdout));
    assert!(output.stdout.is_empty(), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn assert_unknown(program: &Program, person: &str) {
    let expected = format!("tonearm: nothing is stored about {person}: ");
    for arguments in [&["privacy", "export", person][..], &["privacy", "erase", person, "--yes"]] {
        let said = refusal(&program.run(arguments));
        assert!(said.starts_with(&expected) && said.lines().count() == 1, "{said}");
    }
}

async fn nobody_is_no_empty_export(server: TestServer) {
    let program = server.program(binary());
    assert_unknown(&program, EMAIL);
    assert_unknown(&program, "018f0000-0000-7000-8000-000000000001");
    let listener = ["--address", "203.0.113.77", "--agent", "Firefox"];
    for command in [&["privacy", "export"][..], &["privacy", "erase", "--yes"]] {
        let said = refusal(&program.run(&[command, &listener].concat()));
        assert!(said.starts_with("tonearm: nothing is stored about this listener: "), "{said}");
    }
    server.node.stop().await;
}

async fn whoever_is_erased_is_told_before_and_not_known_after(server: TestServer) {
    let program = server.program(binary());
    let people = server.node.services().unwrap().people.clone();
    let (bea, _) = people.add_person("Bea Quimby", EMAIL, false).await.unwrap();
    let exported = program.run(&["privacy", "export", EMAIL]);
    let exported: Value = serde_json::from_slice(&exported.stdout).unwrap();
    assert_eq!(
        (&exported["account"]["email"], &exported["account"]["name"]),
        (&EMAIL.into(), &"Bea Quimby".into())
    );
    assert_eq!(exported["invitations"][0]["purpose"], "new_password");
    for list in ["undo_entries", "upload_sessions", "source_replacements"] {
        assert_eq!(exported[list], Value::Array(Vec::new()), "{list}");
    }
    let erased = program.run(&["privacy", "erase", EMAIL, "--yes"]);
    assert!(erased.status.success(), "{}", String::from_utf8_lossy(&erased.stderr));
    assert_unknown(&program, EMAIL);
    // Events of the account are exported under its id.
    let left = program.run(&["privacy", "export", &bea.id.to_string()]);
    let left: Value = serde_json::from_slice(&left.stdout).unwrap();
    assert_eq!(left["account"], Value::Null);
    assert_eq!(left["audit_log"][0]["title"], "erased person");
    server.node.stop().await;
}

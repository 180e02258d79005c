//! Commands that help with running Tonearm: health, completions and manual pages.

use std::process::{Command, Output};

use tonearm_testkit::Program;

use crate::binary;

/// The exit code, and standard output after a success, else standard error.
fn result_of(output: &Output) -> (Option<i32>, String) {
    let bytes = if output.status.success() { &output.stdout } else { &output.stderr };
    (output.status.code(), String::from_utf8(bytes.clone()).unwrap())
}

#[tokio::test(flavor = "multi_thread")]
async fn health_tells_by_its_exit_status() {
    let folder = tempfile::tempdir().unwrap();
    let certificate = tonearm_fixtures::Certificate::make(folder.path());
    let files = [
        ("TONEARM_TLS_CERT", certificate.chain.to_str().unwrap()),
        ("TONEARM_TLS_KEY", certificate.key.to_str().unwrap()),
    ];
    // There is no authority, so the service starts with its own certificate.
    let ordered = [
        ("TONEARM_TLS_ACME", "audio.example.com"),
        ("TONEARM_TLS_ACME_DIRECTORY", "http://127.0.0.1:9/directory"),
    ];
    for (name, tls) in [("none", &[][..]), ("files", &files), ("ordered", &ordered)] {
        let mut program = Program::new(binary(), &folder.path().join(format!("data-{name}")));
        program.set("TONEARM_LISTEN", &program.url().replace("http://", ""));
        program.set("TONEARM_SHUTDOWN_DELAY_SECONDS", "3600");
        for (variable, value) in tls {
            program.set(variable, value);
        }
        let (code, absent) = result_of(&program.run(&["health"]));
        assert_eq!(code, Some(1));
        assert!(absent.starts_with("tonearm: no response from http"), "{absent}");
        assert_eq!(absent.lines().count(), 1, "{absent}");

        program.start().await;
        // The node answers before it has checked ffmpeg. Readiness waits for that check.
        assert_eq!(
            result_of(&program.run(&["health"])),
            (Some(0), "ready\n".to_owned()),
            "{}",
            program.log()
        );
        assert!(program.ask_to_stop());
        let (code, stopping) = loop {
            let (code, words) = result_of(&program.run(&["health"]));
            if code != Some(0) {
                break (code, words);
            }
        };
        assert_eq!(code, Some(1));
        assert!(stopping.ends_with("is not ready: it is stopping\n"), "{stopping}");
        assert_eq!(result_of(&program.run(&["health", "--alive"])), (Some(0), "alive\n".to_owned()));
        // A second stop request ends the delay.
        assert!(program.terminate());
    }
}

fn run(arguments: &[&str]) -> Output {
    Command::new(binary()).args(arguments).env_clear().output().unwrap()
}

#[test]
fn shells_complete_commands() {
    for shell in ["bash", "zsh", "fish"] {
        let (code, script) = result_of(&run(&["completions", shell]));
        assert_eq!(code, Some(0));
        assert!(script.contains("import-feed") && script.contains("data-dir"), "{shell}: {script}");
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tonearm.bash");
    std::fs::write(&path, run(&["completions", "bash"]).stdout).unwrap();
    let completing = "source \"$1\"; COMP_WORDS=(tonearm heal); COMP_CWORD=1; _tonearm tonearm heal tonearm; echo \"${COMPREPLY[@]}\"";
    let completed = Command::new("bash").args(["-c", completing, "bash"]).arg(&path).output().unwrap();
    assert_eq!(
        result_of(&completed),
        (Some(0), "health\n".to_owned()),
        "{}",
        String::from_utf8_lossy(&completed.stderr)
    );
}

#[test]
fn each_command_has_a_manual_page() {
    let folder = tempfile::tempdir().unwrap();
    let pages = folder.path().join("man1");
    assert_eq!(result_of(&run(&["man", pages.to_str().unwrap()])), (Some(0), String::new()));
    let page = |name: &str| std::fs::read_to_string(pages.join(format!("{name}.1"))).unwrap_or_default();
    for (name, expected) in [
        ("tonearm", "Audio delivery service"),
        ("tonearm-serve", "Start the service"),
        ("tonearm-key-create", "type"),
        ("tonearm-upload", "TONEARM_API_KEY"),
    ] {
        assert!(page(name).contains(expected), "{name}: {}", page(name));
    }
    let others: Vec<_> = std::fs::read_dir(&pages).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!others.iter().any(|name| name.to_string_lossy().contains("help")), "{others:?}");
    // The error names the path that cannot be written.
    let (code, refused) = result_of(&run(&["man", "/proc/tonearm"]));
    assert_eq!(code, Some(1));
    assert!(refused.starts_with("tonearm: cannot write to /proc/tonearm: "), "{refused}");
}

/// A command in the wrong folder would otherwise begin a second installation there, with another secret.
#[test]
fn commands_that_need_data_create_none() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("elsewhere");
    let program = Program::new(binary(), &data);
    let database = data.join("tonearm.db");
    let org = "01a21e27-90c4-72d8-8752-a518cbc016da";
    for command in [
        &["org", "list"][..],
        &["org", "quota", "--org", org],
        &["key", "list", "--org", org],
        &["person", "list"],
        &["job", "list"],
        &["secret", "status"],
        &["usage", "--org", org],
        &["audit", "export"],
        &["status"],
        &["verify"],
        &["sweep"],
        &["backup", folder.path().join("backup").to_str().unwrap()],
    ] {
        let (code, said) = result_of(&program.run(command));
        assert_eq!(code, Some(1), "{command:?}: {said}");
        assert!(said.contains(&format!("there is no database at {}", database.display())), "{said}");
    }
    let checked = program.run(&["doctor"]);
    let said = String::from_utf8(checked.stdout).unwrap();
    for name in ["database", "store", "secret"] {
        assert!(
            said.lines().any(|line| line.contains(name) && line.ends_with("on the first start")),
            "{said}"
        );
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

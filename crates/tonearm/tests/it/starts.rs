//! What is said when the database cannot be used.

use std::io::{BufRead, BufReader};

use sea_orm::{ConnectionTrait, Database};
use tonearm_fixtures::{Postgres, free_port};
use tonearm_testkit::Program;
use url::Url;

use crate::binary;
use crate::command_output::{errors_of, printed};

const SECRET: &str = "9f2c41d07be6583a1e94c0d7f3ab8256";

/// The program on data of its own and this database.
fn program(folder: &std::path::Path, database: &str) -> Program {
    let mut program = Program::new(binary(), folder);
    program.set("TONEARM_SECRET", SECRET);
    program.set("TONEARM_DATABASE_URL", database);
    program
}

fn with(url: &str, change: impl FnOnce(&mut Url)) -> String {
    let mut url: Url = url.parse().unwrap();
    change(&mut url);
    url.into()
}

async fn execute(url: &str, statements: &[&str]) {
    let connection = Database::connect(url).await.unwrap();
    for statement in statements {
        connection.execute_unprepared(statement).await.unwrap();
    }
    connection.close().await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_cannot_be_opened_says_why() {
    let database = Postgres::database().await;
    let role = format!("{}_role", database.url.rsplit('/').next().unwrap().split('?').next().unwrap());
    execute(
        &database.url,
        &[
            "REVOKE CREATE ON SCHEMA public FROM PUBLIC",
            &format!("CREATE ROLE {role} LOGIN PASSWORD 'hushhushhush'"),
        ],
    )
    .await;
    let guest = with(&database.url, |url| {
        url.set_username(&role).unwrap();
        url.set_password(Some("hushhushhush")).unwrap();
    });
    let nobody = with(&database.url, |url| url.set_username("nobody_of_this_name").unwrap());
    let nowhere = with(&database.url, |url| url.set_path("/no_such_database"));
    let folder = tempfile::tempdir().unwrap();
    for (url, said, advice) in [
        (&nobody, "nobody_of_this_name", "check the user and the password in database_url"),
        (
            &nowhere,
            "database \"no_such_database\" does not exist",
            "create the database, or correct its name",
        ),
        (&guest, "permission denied for schema public", "GRANT CREATE ON SCHEMA public"),
    ] {
        let program = program(folder.path(), url);
        for command in [&["migrate"][..], &["serve"], &["org", "list"]] {
            // Commands set up nothing, and so need no right to do it.
            if url == &guest && command[0] == "org" {
                continue;
            }
            let run = program.run(command);
            let errors = errors_of(&run);
            let last = errors.lines().last().unwrap_or_default();
            assert_eq!(run.status.code(), Some(1), "{command:?}: {errors}");
            assert!(last.contains(said) && last.contains(advice), "{command:?}: {errors}");
        }
        let report = printed(&program.run(&["doctor"]));
        assert!(url == &guest || (report.contains(said) && report.contains(advice)), "{report}");
    }
    execute(&database.url, &[&format!("DROP ROLE {role}")]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_not_there_is_said_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let url = format!("postgres://me@127.0.0.1:{}/tonearm", free_port());
    let mut child = program(folder.path(), &url).begin(&["org", "list"]);
    // The command goes on waiting: the server may be starting.
    let line = BufReader::new(child.stderr.take().unwrap()).lines().next().unwrap().unwrap();
    assert!(child.try_wait().unwrap().is_none(), "{line}");
    assert!(line.contains("waiting for the database: Connection refused"), "{line}");
    child.kill().unwrap();
    child.wait().unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn tables_are_not_created_where_titles_would_be_refused() {
    for encoding in ["LATIN1", "SQL_ASCII"] {
        let options = format!("ENCODING '{encoding}' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0");
        let database = Postgres::database_with(&options).await;
        let folder = tempfile::tempdir().unwrap();
        let program = program(folder.path(), &database.url);
        for command in ["migrate", "serve"] {
            let errors = errors_of(&program.run(&[command]));
            let expected = format!("the database has the encoding {encoding}");
            assert!(errors.lines().last().unwrap_or_default().contains(&expected), "{command}: {errors}");
        }
        let count = "DO $$ BEGIN IF (SELECT count(*) FROM pg_tables WHERE schemaname = 'public') > 0 \
                     THEN RAISE EXCEPTION 'there are tables'; END IF; END $$";
        execute(&database.url, &[count]).await;
    }
}

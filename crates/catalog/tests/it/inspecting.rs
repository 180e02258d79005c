//! The properties that a database reports.

use tonearm_fixtures::TestDatabase;

use crate::clocks::Node;
use crate::database::Reach;

#[tokio::test]
async fn a_server_tells_its_settings_and_its_time() {
    let database = TestDatabase::postgres().await;
    let ahead = Node::ahead_by(&database, 45_000).await;
    let settings = ahead.catalog.server_settings().await.unwrap().unwrap();
    assert_eq!(settings.encoding, "UTF8");
    assert!(settings.version.starts_with(&settings.major.to_string()), "{settings:?}");
    let server = ahead.catalog.server_time().await.unwrap().unwrap();
    let apart = ahead.ambient.now().unix_millis() - server.unix_millis();
    assert!(apart >= 45_000, "the answer took time, and only that is added: {apart}");
    assert_eq!(ahead.catalog.journal_mode().await.unwrap(), None);
    assert_eq!(ahead.catalog.quick_check().await.unwrap(), None);
}

#[tokio::test]
async fn a_file_tells_how_it_is() {
    let database = TestDatabase::sqlite();
    let catalog = database.catalog().await;
    assert_eq!(catalog.journal_mode().await.unwrap().as_deref(), Some("wal"));
    assert_eq!(catalog.quick_check().await.unwrap().as_deref(), Some("ok"));
    assert_eq!(catalog.server_settings().await.unwrap(), None);
    assert_eq!(catalog.server_time().await.unwrap(), None);
}

//! Interface 2.6 and 4.5.

use http::Method;
use serde_json::{Value, json};
use tonearm_fixtures::TestDatabase;

use crate::house::House;
use crate::on_both;
use crate::reply::names;

const ORGANIZATION: &str =
    "id name theme is_theme_overridable is_cover_overridable player_color player_color_light
    player_color_dark player_subtitle webhook_url";

on_both!(an_organization_is_read_and_changed, only_the_own_organization_is_there);

async fn an_organization_is_read_and_changed(database: TestDatabase) {
    let house = House::open(database).await;
    let path = format!("/v1/organization/{}", house.organization_id);
    let read = house.get(&path).await.expect_ok();
    assert_eq!(read.keys(""), names("ok api_request_id organization_id organization"));
    assert_eq!(read.keys("/organization"), names(ORGANIZATION));
    assert_eq!(read.json["organization"]["webhook_url"], Value::Null);
    let change = json!({
        "name": "New name",
        "theme": [{ "hex": "#112233", "area": 0.5, "lightness": 0.13, "saturation": 0.5 }],
        "is_theme_overridable": false,
        "is_cover_overridable": false,
        "player_color": "#445566",
        "player_subtitle": "Sub",
        // This field cannot be set here.
        "webhook_url": "https://example.com/hook",
    });
    let updated = house.put(&path, change.clone()).await.expect_ok();
    assert_eq!(updated.keys("/organization"), names(ORGANIZATION));
    let organization = &updated.json["organization"];
    for field in
        ["name", "theme", "is_theme_overridable", "is_cover_overridable", "player_color", "player_subtitle"]
    {
        assert_eq!(organization[field], change[field], "{field}");
    }
    assert_eq!(organization["webhook_url"], Value::Null);
    assert_eq!(house.get(&path).await.json["organization"], *organization);
    house.put(&path, json!({ "name": "" })).await.expect_field("name");
    house.put(&path, json!({ "player_color": "blue" })).await.expect_field("player_color");
    let theme = json!([{ "hex": "#112233", "area": "half", "lightness": 0.1, "saturation": 0.5 }]);
    house.put(&path, json!({ "theme": theme })).await.expect_field("theme[0].area");
    let theme = json!([{ "hex": "#112233", "area": 1.5, "lightness": 0.1, "saturation": 0.5 }]);
    house.put(&path, json!({ "theme": theme })).await.expect_field("theme");
}

async fn only_the_own_organization_is_there(database: TestDatabase) {
    let house = House::open(database).await;
    let path = format!("/v1/organization/{}", house.organization_id);
    let neighbour = house.neighbour().await;
    for method in [Method::GET, Method::PUT] {
        house
            .call_as(&neighbour, method, &path, Value::Null)
            .await
            .expect_error(404, "organization_not_found");
    }
    // A key with a scope reads it, as players show it, but does not change it.
    let key = house.key_to_collection(&house.collection_id).await;
    house.call_as(&key, Method::GET, &path, Value::Null).await.expect_ok();
    house.call_as(&key, Method::PUT, &path, Value::Null).await.expect_error(403, "key_scope");
}

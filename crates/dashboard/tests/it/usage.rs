//! The usage page, without any listens and with invalid parameters.

use tonearm_domain::{Ambient, CountryCode, ListenerId, Meter, ObjectKey, Track, UsageBatch, Visitor};
use tonearm_fixtures::{TestDatabase, ambient};

use crate::house::House;

crate::on_both!(
    an_empty_period_says_so,
    periods_are_checked,
    what_is_exported_has_a_header,
    countries_are_shown_where_they_are_known,
    the_drop_off_of_a_track_is_shown_and_exported,
    who_listens_now_is_asked_for_alone,
);

async fn an_empty_period_says_so(database: TestDatabase) {
    let house = House::open(database).await;
    let mut owner = house.administrator().await;
    let page = owner.get(&house.path("/usage")).await;
    assert_eq!(page.status, 200);
    assert!(page.html.contains("No usage in this period") && page.html.contains("Listening now"));
    // Exactly one of the ranges is marked as current.
    assert_eq!(page.html.matches("aria-current=\"page\">30 days").count(), 1, "{}", page.html);
    let unknown = "018f0000-0000-7000-8000-000000000001";
    for path in [format!("/usage/tracks/{unknown}"), "/usage/tracks/x".to_owned()] {
        assert_eq!(owner.get(&house.path(&path)).await.status, 404, "{path}");
    }
}

async fn periods_are_checked(database: TestDatabase) {
    let house = House::open(database).await;
    let mut owner = house.administrator().await;
    for (query, problem) in [
        ("from=yesterday", "must be a day such as 2030-01-31"),
        ("to=2030-02-30", "must be a day such as 2030-01-31"),
        ("from=2030-01-02&to=2030-01-01", "must not be after"),
        ("from=2029-01-01&to=2030-06-01", "must be less than 367 days before"),
    ] {
        let page = owner.get(&house.path(&format!("/usage?{query}"))).await;
        assert!(page.status == 200 && page.html.to_lowercase().contains(problem), "{query}: {}", page.html);
        for (_, day) in query.split('&').filter_map(|field| field.split_once('=')) {
            assert!(
                page.html.contains(&format!("type=\"date\" value=\"{day}\"")),
                "{query} is kept: {}",
                page.html
            );
        }
    }
    let page = owner.get(&house.path("/usage?from=2029-12-01&to=2029-12-31")).await;
    assert!(page.html.contains("value=\"2029-12-01\"") && page.html.contains("value=\"2029-12-31\""));
    assert!(!page.html.contains("aria-current=\"page\">30 days"));
}

async fn what_is_exported_has_a_header(database: TestDatabase) {
    let house = House::open(database).await;
    let mut owner = house.administrator().await;
    for (group, header, lines) in [
        ("day", "day,title,listens,listeners,seconds_heard,seconds_played", 31),
        ("track", "track,title,listens,listeners,seconds_heard,seconds_played", 1),
        ("collection", "collection,title,listens,listeners,seconds_heard,seconds_played", 1),
        ("share_link", "share_link,title,listens,listeners,seconds_heard,seconds_played", 1),
        ("referrer", "referrer,title,listens,listeners,seconds_heard,seconds_played", 1),
        ("country", "country,title,listens,listeners,seconds_heard,seconds_played", 1),
        ("delivered_by_day", "day,title,requests,downloads,starts,bytes", 31),
        ("delivered_by_track", "track,title,requests,downloads,starts,bytes", 1),
        ("delivered_by_variant", "variant,title,requests,downloads,starts,bytes", 1),
    ] {
        let csv = owner.get(&house.path(&format!("/usage.csv?group={group}"))).await;
        assert_eq!(csv.status, 200);
        assert!(csv.html.starts_with(&format!("{header}\r\n")), "{group}: {}", csv.html);
        assert_eq!(csv.html.matches("\r\n").count(), lines, "{group}");
    }
}

/// The usage of a node that delivers a whole track to one listener in each of these countries.
fn heard_in(countries: &[Option<&str>], track: &Track, ambient: &Ambient) -> UsageBatch {
    let (meter, now) = (Meter::new(), ambient.now());
    let file = "hq.aaaaaaaaaaaa.mp3".parse().unwrap();
    let key = ObjectKey { organization_id: track.organization_id, folder: track.index, file };
    for (number, country) in countries.iter().enumerate() {
        let listener = ListenerId::from_hash(number as u64);
        let address = std::net::Ipv4Addr::from_bits(number as u32).into();
        let visitor =
            Visitor { listener, address, agent: Some(b"Firefox/120.0"), referrer: None, host: None };
        let locate = || country.and_then(|code| code.parse::<CountryCode>().ok());
        let file = meter.listen(&key, 1000, &visitor, now, locate).unwrap();
        meter.take_range(&file, 0..1000, now);
    }
    meter.take(ambient).unwrap()
}

async fn countries_are_shown_where_they_are_known(database: TestDatabase) {
    let house = House::open(database).await;
    let mut owner = house.administrator().await;
    let collection = house.collection("Season").await;
    let id = house.track(collection, "take.wav").await;
    let tx = house.catalog.begin().await.unwrap();
    let mut track = tx.track(house.organization_id, id).await.unwrap().unwrap();
    track.duration = 600.0;
    tx.update_track(&track).await.unwrap();
    tx.commit().await.unwrap();
    let (ambient, clock) = ambient();
    let unknown = heard_in(&[None, None], &track, &ambient);
    assert!(house.catalog.add_usage(&unknown, ambient.now()).await.unwrap());
    let page = owner.get(&house.path("/usage")).await;
    assert!(page.html.contains("id=\"by-track\"") && !page.html.contains("id=\"by-country\""));

    clock.advance_seconds(86_400);
    house.clock.advance_seconds(86_400);
    let known = heard_in(&[Some("DE"), Some("FR"), None, Some("DE")], &track, &ambient);
    assert!(house.catalog.add_usage(&known, ambient.now()).await.unwrap());
    let page = owner.get(&house.path("/usage")).await;
    let table = page.between("id=\"by-country\"", "</section>");
    assert!(table.contains("<h2>By country</h2>"), "{table}");
    let codes: Vec<&str> = table.split("<td data-country>").skip(1).map(|rest| &rest[..7]).collect();
    assert_eq!(codes, ["DE</td>", "FR</td>"]);
    let csv = owner.get(&house.path("/usage.csv?group=country")).await;
    let rows = "DE,\"\",2,2,1200,0\r\nFR,\"\",1,1,600,0\r\n";
    assert_eq!(csv.html, format!("country,title,listens,listeners,seconds_heard,seconds_played\r\n{rows}"));
}

async fn the_drop_off_of_a_track_is_shown_and_exported(database: TestDatabase) {
    let house = House::open(database).await;
    let mut owner = house.administrator().await;
    let collection = house.collection("Season").await;
    let id = house.track(collection, "take.wav").await;
    let (page, export) = (house.path(&format!("/usage/tracks/{id}")), "/drop-off.csv");
    let empty = owner.get(&page).await.html;
    assert!(empty.contains("No listens") && !empty.contains(export), "{empty}");
    let tx = house.catalog.begin().await.unwrap();
    let mut track = tx.track(house.organization_id, id).await.unwrap().unwrap();
    track.duration = 600.0;
    tx.update_track(&track).await.unwrap();
    tx.commit().await.unwrap();
    let (ambient, _) = ambient();
    let batch = heard_in(&[None, None], &track, &ambient);
    assert!(house.catalog.add_usage(&batch, ambient.now()).await.unwrap());
    assert!(owner.get(&page).await.html.contains(&format!("href=\"{page}{export}\"")));
    let csv = owner.get(&format!("{page}{export}")).await;
    assert_eq!(csv.headers["content-type"], "text/csv; charset=utf-8");
    let disposition = csv.headers["content-disposition"].to_str().unwrap();
    assert!(disposition.starts_with(&format!("attachment; filename=\"drop-off-{id}-")), "{disposition}");
    let lines: Vec<&str> = csv.html.split_terminator("\r\n").collect();
    assert_eq!((lines.len(), lines[0]), (51, "from_seconds,to_seconds,listens"));
    assert_eq!((lines[1], lines[50]), ("0.000,12.000,2", "588.000,600.000,2"));
    for path in
        [house.path("/usage/tracks/x/drop-off.csv"), page.replace(&id.to_string(), &collection.to_string())]
    {
        assert_eq!(owner.get(&path).await.status, 404, "{path}");
    }
}

async fn who_listens_now_is_asked_for_alone(database: TestDatabase) {
    let house = House::open(database).await;
    let mut browser = house.administrator().await;
    let address = house.path("/usage/now");
    let live = format!("data-live=\"usage-now\" data-live-from=\"{address}\" data-busy");
    let page = browser.get(&house.path("/usage")).await;
    assert_eq!(page.html.matches(&live).count(), 1, "{}", page.html);
    let part = browser.get(&address).await;
    assert!(part.html.contains(&live) && part.html.contains("<b>0</b>"), "{}", part.html);
    assert!(!part.html.contains("<html") && page.html.contains(part.html.trim()), "{}", part.html);
}

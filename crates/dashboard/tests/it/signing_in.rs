//! Signing in, staying signed in, and being kept out.

use tonearm_fixtures::{TestDatabase, Victims};
use tonearm_service::{Device, SignInError};

use crate::house::{House, PASSWORD};

crate::on_both!(
    a_person_signs_in_and_out,
    a_sign_in_slides_and_ends,
    signing_out_everywhere_ends_all_of_them,
    the_profile_keeps_the_organization_around_it,
    guessing_is_slowed_down,
    an_address_that_guesses_waits,
    a_password_is_changed_by_who_knows_it,
    strangers_who_guess_do_not_keep_the_owner_out,
    a_known_device_is_limited_by_itself,
    a_device_is_known_for_one_account,
    devices_are_forgotten_with_the_password,
    devices_are_forgotten_with_all_sign_ins,
    a_device_is_known_for_half_a_year,
);

const EMAIL: &str = "ada@example.com";

async fn a_person_signs_in_and_out(database: TestDatabase) {
    let house = House::open(database).await;
    house.administrator().await;
    let mut browser = house.browser();
    let library = house.path("/library");
    let page = browser.get(&library).await;
    assert_eq!(page.status, 303);
    assert!(page.location.starts_with("/dashboard/sign-in?next=%2Fdashboard%2F"), "{}", page.location);
    for (email, password) in [(EMAIL, "wrong"), ("nobody@example.com", PASSWORD), ("", ""), (EMAIL, "")] {
        let page = browser.sign_in(email, password).await;
        assert_eq!(page.status, 422);
        assert!(page.html.contains("The email address or the password is wrong."), "{}", page.html);
    }
    let fields = [("email", "ADA@example.com "), ("password", PASSWORD), ("next", &library)];
    let page = browser.post("/dashboard/sign-in", &fields).await;
    assert_eq!((page.status, &page.location), (303, &library));
    let cookie = page.headers["set-cookie"].to_str().unwrap();
    assert!(cookie.starts_with("__Host-tonearm=") && cookie.ends_with("; Secure"), "{cookie}");
    assert_eq!(browser.get(&library).await.status, 200);
    let stolen = browser.clone();
    let page = browser.submit(&library, "/dashboard/sign-out", &[]).await;
    assert_eq!(page.location, "/dashboard/sign-in");
    assert_eq!(browser.cookie("__Host-tonearm"), None);
    assert_eq!(stolen.clone().get(&library).await.status, 303, "the cookie itself is worth nothing any more");
}

/// The first statements count the attempt, in a transaction of its own.
#[tokio::test(flavor = "multi_thread")]
async fn a_sign_in_whose_transaction_is_ended_is_run_again() {
    let database = TestDatabase::migrated_postgres(tonearm_fixtures::migrate!()).await;
    let victims = Victims::of(&database.url);
    let house = House::open(database).await;
    house.administrator().await;
    let mut struck = 0;
    for nth in 1..=6 {
        victims.choose(nth);
        let page = house.browser().sign_in(EMAIL, PASSWORD).await;
        assert_eq!(page.status, 303, "statement {nth}: {}", page.html);
        struck += usize::from(victims.is_struck());
    }
    assert!(struck > 3, "{struck} statements");
}

async fn a_sign_in_slides_and_ends(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, library, day) = (house.administrator().await, house.path("/library"), 24 * 3600);
    for _ in 0..6 {
        house.clock.advance_seconds(13 * day);
        assert_eq!(browser.get(&library).await.status, 200);
    }
    house.clock.advance_seconds(12 * day);
    assert_eq!(browser.get(&library).await.status, 303, "ninety days are over");
    let fields = [("email", EMAIL), ("password", PASSWORD)];
    assert_eq!(browser.post("/dashboard/sign-in", &fields).await.status, 303);
    assert_eq!(browser.get(&library).await.status, 200);
    house.clock.advance_seconds(14 * day);
    assert_eq!(browser.get(&library).await.status, 303, "two weeks without use are over");
}

async fn signing_out_everywhere_ends_all_of_them(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut one, mut other) = (house.administrator().await, house.browser());
    other.sign_in(EMAIL, PASSWORD).await;
    assert_eq!(other.get("/dashboard/profile").await.status, 200);
    one.submit("/dashboard/profile", "/dashboard/profile/sign-out-everywhere", &[]).await;
    assert_eq!(one.get("/dashboard/profile").await.status, 303);
    assert_eq!(other.get("/dashboard/profile").await.status, 303);
}

async fn the_profile_keeps_the_organization_around_it(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, mut other) = (house.administrator().await, house.browser());
    other.sign_in(EMAIL, PASSWORD).await;
    let (profile, library) = (house.path("/profile"), house.path("/library"));
    assert!(browser.get(&library).await.html.contains(&format!("href=\"{profile}\"")));
    let page = browser.get(&profile).await;
    assert!(page.html.contains(&format!("href=\"{library}\"")), "{}", page.html);
    // Every change on this page leads back to it.
    let (before, _) = page.html.split_once("/end\"").unwrap();
    let (_, end) = before.rsplit_once('"').unwrap();
    let ended = browser.submit(&profile, &format!("{end}/end"), &[]).await;
    assert_eq!((ended.status, &ended.location), (303, &profile));
    assert_eq!(other.get(&profile).await.status, 303);
    let named = browser.submit(&profile, &format!("{profile}/name"), &[("name", "Ada B.")]).await;
    assert_eq!((named.status, &named.location), (303, &profile));
    let refused = browser.submit(&profile, &format!("{profile}/name"), &[("name", "")]).await;
    assert_eq!(refused.status, 422);
    assert!(refused.html.contains(&format!("href=\"{library}\"")), "{}", refused.html);
    // A person without an organization has a profile page, and an old path still has one.
    assert_eq!(browser.get("/dashboard/profile").await.status, 200);
    assert_eq!(browser.get("/dashboard/none/profile").await.status, 404);
}

async fn guessing_is_slowed_down(database: TestDatabase) {
    let house = House::open(database).await;
    house.administrator().await;
    // Accounts that do not exist are treated the same way.
    for email in [EMAIL, "nobody@example.com"] {
        let mut browser = house.browser();
        for _ in 0..10 {
            let page = browser.sign_in(email, "guess").await;
            assert_eq!(page.status, 422);
        }
        let page = browser.sign_in(email, PASSWORD).await;
        assert_eq!((page.status, &page.headers["retry-after"]), (429, &"900".parse().unwrap()));
        assert!(page.html.contains("Too many failed attempts; try again in 15 minutes."), "{}", page.html);
    }
    house.clock.advance_seconds(900);
    let page = house.browser().sign_in(EMAIL, PASSWORD).await;
    assert_eq!(page.status, 303);
}

async fn an_address_that_guesses_waits(database: TestDatabase) {
    let house = House::open(database).await;
    house.administrator().await;
    let from = |address: &str| Device { address: address.parse().ok(), ..Device::default() };
    for n in 0..50 {
        let email = format!("person{n}@example.com");
        let refused =
            house.people.sign_in(&email, "guess".to_owned(), from("2001:db8::1")).await.unwrap_err();
        assert!(matches!(refused, SignInError::Wrong), "{refused}");
    }
    let from_neighbour = house.people.sign_in(EMAIL, PASSWORD.to_owned(), from("2001:db8::2")).await;
    assert!(matches!(from_neighbour, Err(SignInError::TooMany(900))));
    // Successful sign-ins do not count against an address.
    for _ in 0..=50 {
        assert!(house.people.sign_in(EMAIL, PASSWORD.to_owned(), from("192.0.2.1")).await.is_ok());
    }
}

async fn a_password_is_changed_by_who_knows_it(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut browser, mut other) = (house.administrator().await, house.browser());
    other.sign_in(EMAIL, PASSWORD).await;
    let (page, action) = ("/dashboard/profile", "/dashboard/profile/password");
    let wrong = browser.submit(page, action, &[("current", "wrong"), ("password", "another good one")]).await;
    assert!(wrong.html.contains("This password is incorrect."), "{}", wrong.html);
    let short = browser.submit(page, action, &[("current", PASSWORD), ("password", "short")]).await;
    assert!(short.html.contains("The password must have at least 10 characters."), "{}", short.html);
    let good = browser.submit(page, action, &[("current", PASSWORD), ("password", "another good one")]).await;
    assert_eq!(good.status, 303);
    let told = browser.get(page).await;
    assert!(told.html.contains("Password changed."), "{}", told.html);
    assert!(!browser.get(page).await.html.contains("Password changed."), "it is told once");
    assert_eq!(other.get(page).await.status, 303, "who knew only the old one is out");
    let old = other.sign_in(EMAIL, PASSWORD).await;
    assert_eq!(old.status, 422);
}

const DEVICE: &str = "__Host-tonearm_device";

/// Guesses at an account, as a stranger, until it is locked.
async fn lock(house: &House, email: &str) {
    let mut stranger = house.browser();
    for _ in 0..10 {
        assert_eq!(stranger.sign_in(email, "guess").await.status, 422);
    }
    assert_eq!(stranger.sign_in(email, PASSWORD).await.status, 429);
}

async fn strangers_who_guess_do_not_keep_the_owner_out(database: TestDatabase) {
    let house = House::open(database).await;
    let mut owner = house.administrator().await;
    let device = owner.cookie(DEVICE).cloned().unwrap();
    let out = owner.submit("/dashboard/profile", "/dashboard/sign-out", &[]).await;
    assert_eq!(out.status, 303);
    lock(&house, EMAIL).await;
    for _ in 0..3 {
        assert_eq!(owner.sign_in(EMAIL, PASSWORD).await.status, 303);
        assert_eq!(owner.cookie(DEVICE), Some(&device), "it stays the same device");
    }
    // The owner's successful sign-ins allow strangers no more guesses.
    assert_eq!(house.browser().sign_in(EMAIL, PASSWORD).await.status, 429);
    // The owner can still change the password.
    let fields = [("current", PASSWORD), ("password", "another good one")];
    let changed = owner.submit("/dashboard/profile", "/dashboard/profile/password", &fields).await;
    assert_eq!(changed.status, 303);
}

async fn a_known_device_is_limited_by_itself(database: TestDatabase) {
    let house = House::open(database).await;
    let mut owner = house.administrator().await;
    for _ in 0..10 {
        assert_eq!(owner.sign_in(EMAIL, "guess").await.status, 422);
    }
    assert_eq!(owner.sign_in(EMAIL, PASSWORD).await.status, 429);
    // Its failures count only for the device itself: elsewhere, there are none.
    assert_eq!(house.browser().sign_in(EMAIL, PASSWORD).await.status, 303);
    house.clock.advance_seconds(900);
    assert_eq!(owner.sign_in(EMAIL, PASSWORD).await.status, 303);
}

async fn a_device_is_known_for_one_account(database: TestDatabase) {
    let house = House::open(database).await;
    let mut owner = house.administrator().await;
    let mut other = house.invited(&mut owner, "Bea", "viewer").await;
    let device = other.cookie(DEVICE).cloned().unwrap();
    lock(&house, EMAIL).await;
    assert_eq!(other.sign_in(EMAIL, PASSWORD).await.status, 429);
    // The device secret is not kept for another person: somebody may have put it into the browser.
    house.clock.advance_seconds(900);
    assert_eq!(other.sign_in(EMAIL, PASSWORD).await.status, 303);
    assert_ne!(other.cookie(DEVICE), Some(&device));
    // An invalid secret is not a device either.
    let mut liar = house.browser();
    liar.set_cookie(DEVICE, "not a secret");
    assert_eq!(liar.sign_in(EMAIL, PASSWORD).await.status, 303);
}

async fn devices_are_forgotten_with_the_password(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut owner, mut other) = (house.administrator().await, house.browser());
    assert_eq!(other.sign_in(EMAIL, PASSWORD).await.status, 303);
    let new = "another good one";
    let fields = [("current", PASSWORD), ("password", new)];
    assert_eq!(owner.submit("/dashboard/profile", "/dashboard/profile/password", &fields).await.status, 303);
    lock(&house, EMAIL).await;
    assert_eq!(other.sign_in(EMAIL, new).await.status, 429);
    assert_eq!(owner.sign_in(EMAIL, new).await.status, 303, "the browser that changed it stays known");
    // A link for a new password makes all browsers unknown except the one in which it is opened.
    let link = house.people.new_password_link(EMAIL).await.unwrap();
    let path = link.url.strip_prefix(crate::house::PUBLIC_URL).unwrap();
    let mut third = house.browser();
    assert_eq!(third.post(path, &[("password", PASSWORD)]).await.status, 303);
    assert_eq!(owner.sign_in(EMAIL, PASSWORD).await.status, 429);
    assert_eq!(third.sign_in(EMAIL, PASSWORD).await.status, 303);
}

async fn devices_are_forgotten_with_all_sign_ins(database: TestDatabase) {
    let house = House::open(database).await;
    let mut owner = house.administrator().await;
    owner.submit("/dashboard/profile", "/dashboard/profile/sign-out-everywhere", &[]).await;
    lock(&house, EMAIL).await;
    assert_eq!(owner.sign_in(EMAIL, PASSWORD).await.status, 429);
}

async fn a_device_is_known_for_half_a_year(database: TestDatabase) {
    let house = House::open(database).await;
    let (mut owner, day) = (house.administrator().await, 24 * 3600);
    for (days, status) in [(179, 303), (179, 303), (180, 429)] {
        house.clock.advance_seconds(days * day);
        lock(&house, EMAIL).await;
        assert_eq!(owner.sign_in(EMAIL, PASSWORD).await.status, status, "after {days} days");
    }
}

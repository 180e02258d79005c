//! Rights of people end with their reason: links with the right of whoever made them, setups with the sign-in that began
//! them, and guesses with their number.

use tonearm_catalog::{Catalog, ConnectOptions};
use tonearm_domain::{
    ErrorCode, Invitation, InvitationPurpose, NewUpload, OrganizationId, Origin, Person, Replacement,
    ReplacementState, Role, TextChanges, Track, TrackId, Upload, UploadKind, UploadSession, WrongCodes,
};
use tonearm_fixtures::{Dice, ManualClock, TestDatabase, ambient};
use tonearm_service::{
    Caller, CreateCollection, CreateTrack, Device, Entry, Library, Links, NewPerson, OneTimeLink,
    OwnerlessOrganizations, People, Refusal, Resource, Resumed, SignInError, SignedIn,
};
use tonearm_signing::{Secrets, Token, TotpSecret, UrlSigner, Vault};

crate::on_both!(
    links_last_as_long_as_their_reasons,
    a_link_is_used_or_ended_but_not_both,
    uploads_end_with_the_right_of_their_person,
    a_link_whose_reason_has_ended_is_dead_even_if_it_is_there,
    one_link_makes_the_first_administrator,
    who_was_added_takes_no_place_until_a_password_is_chosen,
    an_invitation_tells_about_few_accounts,
    all_invitations_of_an_organization_tell_about_few_accounts,
    a_setup_belongs_to_the_sign_in_that_began_it,
    only_a_right_code_resets_the_wrong_ones,
    a_new_password_is_another_one,
    an_administrator_needs_the_own_password,
    links_end_when_their_maker_is_signed_out_everywhere,
);

const PASSWORD: &str = "correct horse battery";

struct Scene {
    catalog: Catalog,
    people: People,
    library: Library,
    ambient: tonearm_domain::Ambient,
    clock: ManualClock,
    /// An administrator, who owns every organization.
    ada: SignedIn,
}

fn token(link: &OneTimeLink) -> Token {
    link.url.rsplit_once('/').unwrap().1.parse().unwrap()
}

fn new_person(name: &str) -> NewPerson {
    let email = format!("{}@example.com", name.to_lowercase());
    NewPerson { name: name.to_owned(), email, password: PASSWORD.to_owned() }
}

impl Scene {
    async fn set(database: &TestDatabase) -> Self {
        let catalog =
            Catalog::connect(&database.url.parse().unwrap(), ConnectOptions::default()).await.unwrap();
        let (ambient, clock) = ambient();
        let secrets = Secrets::parse("a secret for tests that is long enough").unwrap();
        let people =
            People::new(catalog.clone(), ambient.clone(), Vault::new(&secrets), "https://audio.example.com");
        let delivery_url = "https://cdn.example.com".parse().unwrap();
        let links =
            Links::new(UrlSigner::new(secrets), ambient.clone(), "https://api.example.com", delivery_url);
        let library = Library::new(catalog.clone(), ambient.clone(), links);
        let link = people.first_administrator_link().await.unwrap().unwrap();
        let ada = people.join(&token(&link), new_person("Ada"), Device::default()).await.unwrap();
        Self { catalog, people, library, ambient, clock, ada }
    }

    async fn organization(&self) -> OrganizationId {
        self.library.create_organization("Example Radio").await.unwrap().organization.id
    }

    /// A person without a password, and the link for choosing one.
    async fn added(&self, name: &str) -> (Person, OneTimeLink) {
        self.people.add_person(name, &format!("{name}@example.com"), false).await.unwrap()
    }

    /// A new owner of an organization.
    async fn owner(&self, organization: OrganizationId, name: &str) -> Person {
        let (person, _) = self.added(name).await;
        let link = self.people.invite(&Caller::owner(organization), Role::Owner, "").await.unwrap();
        self.people.join_as(&token(&link), &person).await.unwrap();
        person
    }

    async fn resumed(&self, token: &Token) -> Resumed {
        self.people.resume(token).await.unwrap().unwrap()
    }

    /// Another sign-in of Ada, who has no second factor.
    async fn ada_elsewhere(&self) -> Resumed {
        let entry = self.people.sign_in("ada@example.com", PASSWORD.to_owned(), Device::default()).await;
        self.resumed(&entry.unwrap().signed_in().unwrap().token).await
    }

    async fn code(&self, resumed: &Resumed) -> (TotpSecret, String) {
        let enrolment = self.people.enrolment(resumed).await.unwrap().unwrap();
        let app = TotpSecret::from_base32(&enrolment.secret).unwrap();
        let code = app.code_at(self.ambient.now());
        (app, code)
    }
}

fn is_dead<T>(result: &Result<T, Refusal>) -> bool {
    matches!(result, Err(Refusal::NotFound(Resource::Invitation)))
}

// The model: plain records of who has which right, and of what each link depends on.

const PEOPLE: usize = 4;
const ORGANIZATIONS: usize = 2;

#[derive(Clone, Copy, Default)]
struct ModelPerson {
    is_removed: bool,
    is_disabled: bool,
    is_administrator: bool,
    roles: [Option<Role>; ORGANIZATIONS],
}

impl ModelPerson {
    fn is_active(self) -> bool {
        !self.is_removed && !self.is_disabled
    }
}

#[derive(Clone, Copy)]
enum Purpose {
    Member { organization: usize, role: Role, made_for: Option<usize> },
    Password { of: usize },
}

struct ModelLink {
    token: Token,
    purpose: Purpose,
    /// None: the command line.
    maker: Option<usize>,
    is_alive: bool,
    /// Before the last step.
    was_alive: bool,
}

struct Model {
    people: [ModelPerson; PEOPLE],
    links: Vec<ModelLink>,
}

impl Model {
    fn may_make(&self, maker: usize, purpose: Purpose) -> bool {
        let maker = self.people[maker];
        let has_right = match purpose {
            Purpose::Member { organization, .. } => maker.roles[organization] == Some(Role::Owner),
            Purpose::Password { .. } => maker.is_administrator,
        };
        maker.is_active() && has_right
    }

    /// Ends the links whose reason no longer holds. None of them comes back.
    fn end_links(&mut self) {
        for at in 0..self.links.len() {
            let link = &self.links[at];
            let is_backed = link.maker.is_none_or(|maker| self.may_make(maker, link.purpose));
            let is_there = match link.purpose {
                Purpose::Member { .. } => true,
                Purpose::Password { of } => self.people[of].is_active(),
            };
            self.links[at].is_alive &= is_backed && is_there;
        }
    }

    /// A person lost a role in an organization, or all access: invitations for the person's address end.
    fn shown_the_door(&mut self, person: usize, from: Option<usize>) {
        for link in &mut self.links {
            if let Purpose::Member { organization, made_for: Some(of), .. } = link.purpose {
                link.is_alive &= of != person || from.is_some_and(|from| from != organization);
            }
        }
    }
}

struct History<'a> {
    scene: &'a Scene,
    model: Model,
    ids: Vec<Person>,
    organizations: Vec<OrganizationId>,
    steps: Vec<String>,
}

async fn links_last_as_long_as_their_reasons(database: TestDatabase) {
    let scene = Scene::set(&database).await;
    for seed in 0..20 {
        let mut history = History::begin(&scene, seed).await;
        let mut dice = Dice(seed);
        for _ in 0..25 {
            history.step(&mut dice).await;
            history.compare(seed).await;
        }
        history.end(seed).await;
    }
}

impl<'a> History<'a> {
    async fn begin(scene: &'a Scene, seed: u64) -> Self {
        let mut history = Self {
            scene,
            model: Model { people: [ModelPerson::default(); PEOPLE], links: Vec::new() },
            ids: Vec::new(),
            organizations: vec![scene.organization().await, scene.organization().await],
            steps: Vec::new(),
        };
        for person in 0..PEOPLE {
            let (id, link) = scene.added(&format!("p{seed}-{person}")).await;
            history.ids.push(id);
            history.model.links.push(ModelLink {
                token: token(&link),
                purpose: Purpose::Password { of: person },
                maker: None,
                is_alive: true,
                was_alive: true,
            });
        }
        history
    }

    fn made(&mut self, link: &OneTimeLink, purpose: Purpose, maker: Option<usize>) {
        let token = token(link);
        self.model.links.push(ModelLink { token, purpose, maker, is_alive: true, was_alive: true });
    }

    async fn step(&mut self, dice: &mut Dice) {
        let [who, whom] = [(); 2].map(|()| dice.below(PEOPLE));
        let at = dice.below(ORGANIZATIONS);
        let role = Role::ALL[dice.below(3)];
        let what = dice.below(11);
        self.steps.push(match what {
            0 | 1 => format!("{who} invites {role:?} to {at}"),
            2 => format!("{who} invites {role:?} to {at} for {whom}"),
            3 => format!("{who} makes a password link for {whom}"),
            4 => format!("the command line invites {role:?} to {at}"),
            5 | 6 => format!("{who} uses a link"),
            7 => format!("{who} becomes {role:?} in {at}"),
            8 => format!("{who} leaves {at}"),
            9 => format!("{who} is promoted or demoted"),
            _ => format!("{who} is disabled or enabled, or removed"),
        });
        match what {
            0 | 1 => self.invite(who, at, role, None).await,
            2 => self.invite(who, at, role, Some(whom)).await,
            3 => self.reset_password(who, whom).await,
            4 => {
                let caller = Caller::owner(self.organizations[at]);
                let link = self.scene.people.invite(&caller, role, "").await.unwrap();
                self.made(&link, Purpose::Member { organization: at, role, made_for: None }, None);
            }
            5 | 6 => self.use_link(who, dice).await,
            7 => self.set_role(who, at, role).await,
            8 => self.leave(who, at).await,
            9 => self.promote_or_demote(who).await,
            _ => self.disable_or_enable(who, dice.below(4) == 0).await,
        }
        self.model.end_links();
    }

    async fn invite(&mut self, who: usize, at: usize, role: Role, made_for: Option<usize>) {
        let purpose = Purpose::Member { organization: at, role, made_for };
        let email = made_for.map_or(String::new(), |of| self.ids[of].email.to_string());
        let caller = Caller::person(self.organizations[at], self.ids[who].id);
        let made = self.scene.people.invite(&caller, role, &email).await;
        assert_eq!(made.is_ok(), self.model.may_make(who, purpose), "{:?}", self.steps);
        if let Ok(link) = made {
            self.made(&link, purpose, Some(who));
        }
    }

    async fn reset_password(&mut self, who: usize, of: usize) {
        let purpose = Purpose::Password { of };
        let by = Origin { actor: tonearm_domain::Actor::Person(self.ids[who].id), address: None };
        let made = self.scene.people.reset_password(by, self.ids[of].id).await;
        let may = who != of && self.model.may_make(who, purpose);
        let expected = may && self.model.people[of].is_active();
        assert_eq!(made.is_ok(), expected, "{:?}", self.steps);
        if let Ok(link) = made {
            for earlier in &mut self.model.links {
                earlier.is_alive &= !matches!(earlier.purpose, Purpose::Password { of: same } if same == of);
            }
            self.made(&link, purpose, Some(who));
        }
    }

    async fn use_link(&mut self, who: usize, dice: &mut Dice) {
        let at = dice.below(self.model.links.len());
        let Purpose::Member { organization, role, .. } = self.model.links[at].purpose else { return };
        let joined = self.scene.people.join_as(&self.model.links[at].token, &self.ids[who]).await;
        let person = &mut self.model.people[who];
        let may = person.is_active() && person.roles[organization].is_none();
        assert_eq!(joined.is_ok(), may && self.model.links[at].is_alive, "{:?}", self.steps);
        if joined.is_ok() {
            person.roles[organization] = Some(role);
            self.model.links[at].is_alive = false;
        }
    }

    async fn set_role(&mut self, who: usize, at: usize, role: Role) {
        let caller = Caller::owner(self.organizations[at]);
        let set = self.scene.people.set_role(&caller, self.ids[who].id, role).await;
        let earlier = self.model.people[who].roles[at];
        assert_eq!(set.is_ok(), earlier.is_some(), "{:?}", self.steps);
        if let Some(earlier) = earlier {
            self.model.people[who].roles[at] = Some(role);
            if role < earlier {
                self.model.shown_the_door(who, Some(at));
            }
        }
    }

    async fn leave(&mut self, who: usize, at: usize) {
        let caller = Caller::owner(self.organizations[at]);
        let left = self.scene.people.remove_member(&caller, self.ids[who].id).await;
        assert_eq!(left.is_ok(), self.model.people[who].roles[at].is_some(), "{:?}", self.steps);
        if left.is_ok() {
            self.model.people[who].roles[at] = None;
            self.model.shown_the_door(who, Some(at));
        }
    }

    async fn promote_or_demote(&mut self, who: usize) {
        let to = !self.model.people[who].is_administrator;
        let done = self.scene.people.set_administrator(Origin::command_line(), self.ids[who].id, to).await;
        assert_eq!(done.is_ok(), !self.model.people[who].is_removed, "{:?}", self.steps);
        if done.is_ok() {
            self.model.people[who].is_administrator = to;
        }
    }

    async fn disable_or_enable(&mut self, who: usize, for_good: bool) {
        let (by, id) = (Origin::command_line(), self.ids[who].id);
        let (people, ownerless) = (&self.scene.people, OwnerlessOrganizations::Refuse);
        let mut person = self.model.people[who];
        let was_there = !person.is_removed;
        let done = match (for_good, person.is_disabled) {
            (true, _) => people.remove_person(by, id, ownerless).await,
            (false, true) => people.enable_person(by, id).await,
            (false, false) => people.disable_person(by, id, ownerless).await,
        };
        assert_eq!(done.is_ok(), was_there, "{:?}", self.steps);
        if for_good {
            person = ModelPerson { is_removed: true, ..ModelPerson::default() };
        } else {
            person.is_disabled ^= was_there;
        }
        self.model.people[who] = person;
        if was_there && !person.is_active() {
            self.model.shown_the_door(who, None);
        }
    }

    /// Opens the links that live or have just ended.
    async fn compare(&mut self, seed: u64) {
        for link in &mut self.model.links {
            if !link.is_alive && !link.was_alive {
                continue;
            }
            let opened = self.scene.people.open_link(&link.token).await;
            let is_as_expected = if link.is_alive { opened.is_ok() } else { is_dead(&opened) };
            assert!(is_as_expected, "seed {seed}, {opened:?}: {}", self.steps.join("; "));
            link.was_alive = link.is_alive;
        }
    }

    /// Opens all links once more, and compares the roles.
    async fn end(mut self, seed: u64) {
        self.model.links.iter_mut().for_each(|link| link.was_alive = true);
        self.compare(seed).await;
        for (person, expected) in self.ids.iter().zip(&self.model.people) {
            let found = self.scene.people.organizations_of(person).await.unwrap();
            let role = |id: &OrganizationId| {
                found.iter().find(|(organization, _)| organization.id == *id).map(|(_, role)| *role)
            };
            let roles: Vec<_> = self.organizations.iter().map(role).collect();
            assert_eq!(roles, expected.roles, "seed {seed}: {}", self.steps.join("; "));
        }
    }
}

/// What ends a right and what uses it lock in the same order: one of them waits, and neither fails.
async fn a_link_is_used_or_ended_but_not_both(database: TestDatabase) {
    let scene = Scene::set(&database).await;
    let organization = scene.organization().await;
    let (by, people, command_line) = (Origin::command_line(), &scene.people, Caller::owner(organization));
    let refuse = OwnerlessOrganizations::Refuse;
    for round in 0..12 {
        let maker = scene.owner(organization, &format!("maker{round}")).await;
        let (guest, _) = scene.added(&format!("guest{round}")).await;
        let of_maker = Caller::person(organization, maker.id);
        let link = token(&people.invite(&of_maker, Role::Owner, guest.email.as_str()).await.unwrap());
        let end = async {
            match round % 4 {
                0 => people.remove_member(&command_line, maker.id).await,
                1 => people.set_role(&command_line, maker.id, Role::Viewer).await,
                2 => people.disable_person(by, maker.id, refuse).await,
                _ => people.disable_person(by, guest.id, refuse).await,
            }
        };
        let (joined, ended) = tokio::join!(people.join_as(&link, &guest), end);
        ended.unwrap();
        let is_refused = is_dead(&joined) || matches!(joined, Err(Refusal::NotFound(Resource::Person)));
        assert!(joined.is_ok() || is_refused, "{joined:?}");
        assert_eq!(people.organizations_of(&guest).await.unwrap().len(), usize::from(joined.is_ok()));
        assert!(is_dead(&people.open_link(&link).await));
    }
    for round in 0..4 {
        let (maker, _) = scene.added(&format!("administrator{round}")).await;
        let (guest, _) = scene.added(&format!("forgetful{round}")).await;
        people.set_administrator(by, maker.id, true).await.unwrap();
        let of_maker = Origin { actor: tonearm_domain::Actor::Person(maker.id), address: None };
        let link = token(&people.reset_password(of_maker, guest.id).await.unwrap());
        let use_it = people.choose_new_password(&link, PASSWORD.to_owned(), Device::default());
        let end = async {
            match round % 2 {
                0 => people.set_administrator(by, maker.id, false).await,
                _ => people.disable_person(by, guest.id, refuse).await,
            }
        };
        let (chosen, ended) = tokio::join!(use_it, end);
        ended.unwrap();
        assert!(chosen.is_ok() || is_dead(&chosen), "{chosen:?}");
        assert!(is_dead(&people.open_link(&link).await));
    }
}

impl Scene {
    /// A track in the upload session of a person, who has also asked to replace its source.
    async fn waiting_track(&self, session: &UploadSession) -> TrackId {
        let (organization_id, owner) = (session.organization_id, Caller::owner(session.organization_id));
        let create = CreateTrack {
            collection_id: Some(session.collection_id),
            file_name: "a.wav".to_owned(),
            ..CreateTrack::default()
        };
        let (created, ..) = self.library.create_track(&owner, create).await.unwrap();
        let track = Track { upload_session_id: Some(session.id), ..created.track };
        let tx = self.catalog.begin().await.unwrap();
        tx.update_track(&track).await.unwrap();
        let replacement = Replacement {
            id: self.ambient.record_id(),
            organization_id,
            track_id: track.id,
            state: ReplacementState::Waiting,
            reason: None,
            file_name: None,
            source: None,
            former_file_name: None,
            text_changes: TextChanges::default(),
            created_at: self.ambient.now(),
            expires_at: self.ambient.now().plus_seconds(60),
            person_id: session.person_id,
            api_key_id: None,
        };
        tx.put_replacement(&replacement).await.unwrap();
        tx.commit().await.unwrap();
        track.id
    }
}

async fn uploads_end_with_the_right_of_their_person(database: TestDatabase) {
    let scene = Scene::set(&database).await;
    let (here, elsewhere) = (scene.organization().await, scene.organization().await);
    let (by, people) = (Origin::command_line(), &scene.people);
    for (round, end) in ["role", "member", "out", "disable", "remove"].into_iter().enumerate() {
        let person = scene.owner(here, &format!("uploader{round}")).await;
        let mut sessions = Vec::new();
        for organization_id in [here, elsewhere] {
            let owner = Caller::owner(organization_id);
            let create = CreateCollection { title: "First".to_owned(), ..CreateCollection::default() };
            let (collection, _) = scene.library.create_collection(&owner, create).await.unwrap();
            let session = UploadSession {
                id: scene.ambient.credential_id(),
                organization_id,
                creator_id: None,
                collection_id: collection.collection.id,
                organization_index: None,
                metadata: tonearm_domain::Metadata::default(),
                expires_at: scene.ambient.now().plus_seconds(60),
                person_id: Some(person.id),
                api_key_id: None,
                handle: None,
            };
            let tx = scene.catalog.begin().await.unwrap();
            tx.insert_upload_session(&session).await.unwrap();
            let new = NewUpload {
                id: scene.ambient.credential_id(),
                organization_id,
                track_id: None,
                replacement_id: None,
                opener: session.opener(),
                kind: UploadKind::Partial,
                folder: scene.ambient.short_id(),
                length: None,
                sha256: None,
                metadata: None,
            };
            let upload = Upload::begin(new, &scene.ambient);
            tx.insert_upload(&upload).await.unwrap();
            tx.commit().await.unwrap();
            let track = scene.waiting_track(&session).await;
            sessions.push((session.id, upload.id, track));
        }
        let owner = Caller::owner(here);
        match end {
            "role" => people.set_role(&owner, person.id, Role::Viewer).await.unwrap(),
            "member" => people.remove_member(&owner, person.id).await.unwrap(),
            "out" => people.sign_out_everywhere(&person, false, None).await.unwrap(),
            "disable" => {
                people.disable_person(by, person.id, OwnerlessOrganizations::Refuse).await.unwrap();
            }
            _ => people.remove_person(by, person.id, OwnerlessOrganizations::Refuse).await.unwrap(),
        }
        let (mut valid, now) = (Vec::new(), scene.ambient.now());
        for (session, upload, track) in sessions {
            let session = scene.catalog.upload_session(session).await.unwrap().unwrap();
            let upload = scene.catalog.upload(upload).await.unwrap().unwrap();
            assert_eq!(session.is_valid_at(now), !upload.is_expired_at(now), "{end}");
            // Nothing revives its upload URL, or that of the replacement.
            let organization = session.organization_id;
            scene.catalog.renew_upload(organization, track, now.plus_seconds(900)).await.unwrap();
            let replacement = scene.catalog.replacement(organization, track).await.unwrap().unwrap();
            let track = scene.catalog.track(organization, track).await.unwrap().unwrap();
            for has_ended in [track.upload_has_ended(), replacement.upload_has_ended()] {
                assert_eq!(has_ended, !session.is_valid_at(now), "{end}");
            }
            valid.push(session.is_valid_at(now));
        }
        // Who leaves one organization keeps the role in the other.
        assert_eq!(valid, [false, matches!(end, "role" | "member")], "{end}");
    }
}

/// The previous version ends a right and leaves the link.
async fn a_link_whose_reason_has_ended_is_dead_even_if_it_is_there(database: TestDatabase) {
    let scene = Scene::set(&database).await;
    let organization_id = scene.organization().await;
    let (maker, _) = scene.added("maker").await;
    let (guest, _) = scene.added("guest").await;
    for purpose in [
        InvitationPurpose::Member { organization_id, role: Role::Owner, email: None },
        InvitationPurpose::NewPassword(guest.id),
    ] {
        let (now, secret) = (scene.ambient.now(), Token::new(scene.ambient.random()));
        let left = Invitation {
            id: scene.ambient.record_id(),
            purpose: purpose.clone(),
            created_at: now,
            expires_at: now.plus_seconds(60),
            used_at: None,
            created_by: Some(maker.id),
        };
        let tx = scene.catalog.begin().await.unwrap();
        tx.insert_invitation(&left, &secret.hash()).await.unwrap();
        tx.commit().await.unwrap();
        let people = &scene.people;
        let used = match purpose {
            InvitationPurpose::NewPassword(_) => {
                people.choose_new_password(&secret, PASSWORD.to_owned(), Device::default()).await.map(drop)
            }
            _ => people.join_as(&secret, &guest).await,
        };
        assert!(is_dead(&used), "{used:?}");
        if !matches!(purpose, InvitationPurpose::NewPassword(_)) {
            let joined = people.join(&secret, new_person("Eve"), Device::default()).await;
            assert!(is_dead(&joined), "{joined:?}");
        }
    }
}

async fn one_link_makes_the_first_administrator(database: TestDatabase) {
    let catalog = Catalog::connect(&database.url.parse().unwrap(), ConnectOptions::default()).await.unwrap();
    let (ambient, _) = ambient();
    let secrets = Secrets::parse("a secret for tests that is long enough").unwrap();
    let people = People::new(catalog, ambient, Vault::new(&secrets), "https://audio.example.com");
    let mut joins = Vec::new();
    for name in ["Ada", "Eve", "Mallory"] {
        let link = token(&people.first_administrator_link().await.unwrap().unwrap());
        let people = people.clone();
        joins.push(async move { people.join(&link, new_person(name), Device::default()).await });
    }
    let joined = futures::future::join_all(joins).await;
    assert_eq!(joined.iter().filter(|joined| joined.is_ok()).count(), 1, "{joined:?}");
    assert!(joined.iter().all(|joined| joined.is_ok() || is_dead(joined)), "{joined:?}");
    assert_eq!(people.everybody().await.unwrap().len(), 1);
}

async fn who_was_added_takes_no_place_until_a_password_is_chosen(database: TestDatabase) {
    let catalog = Catalog::connect(&database.url.parse().unwrap(), ConnectOptions::default()).await.unwrap();
    let (ambient, _) = ambient();
    let secrets = Secrets::parse("a secret for tests that is long enough").unwrap();
    let people = People::new(catalog, ambient, Vault::new(&secrets), "https://audio.example.com");
    let first = token(&people.first_administrator_link().await.unwrap().unwrap());
    let (_, of_bea) = people.add_person("Bea", "bea@example.com", false).await.unwrap();
    assert!(people.is_unclaimed().await.unwrap());
    assert!(people.open_link(&first).await.is_ok(), "the link that was printed is withdrawn");
    let another = token(&people.first_administrator_link().await.unwrap().unwrap());
    let of_bea = token(&of_bea);
    people.choose_new_password(&of_bea, PASSWORD.to_owned(), Device::default()).await.unwrap();
    assert!(!people.is_unclaimed().await.unwrap());
    assert!(people.first_administrator_link().await.unwrap().is_none());
    for link in [first, another] {
        assert!(is_dead(&people.open_link(&link).await));
        assert!(is_dead(&people.join(&link, new_person("Eve"), Device::default()).await));
    }
}

async fn an_invitation_tells_about_few_accounts(database: TestDatabase) {
    let scene = Scene::set(&database).await;
    let organization = scene.organization().await;
    let link = token(&scene.people.invite(&Caller::owner(organization), Role::Viewer, "").await.unwrap());
    let join = || scene.people.join(&link, new_person("Ada"), Device::default());
    for _ in 0..Invitation::MOST_TAKEN_ADDRESSES {
        let told = join().await;
        assert!(matches!(told, Err(Refusal::Invalid { field: "email", .. })), "{told:?}");
    }
    assert!(is_dead(&join().await));
    assert!(is_dead(&scene.people.join(&link, new_person("Eve"), Device::default()).await));
    assert!(is_dead(&scene.people.open_link(&link).await));
}

/// The owner withdraws each link before it ends by itself.
async fn all_invitations_of_an_organization_tell_about_few_accounts(database: TestDatabase) {
    let scene = Scene::set(&database).await;
    let (people, owner) = (&scene.people, Caller::owner(scene.organization().await));
    let invite = async || token(&people.invite(&owner, Role::Viewer, "").await.unwrap());
    let join = async |link: &Token, name| people.join(link, new_person(name), Device::default()).await;
    let is_bounded = |answer: Result<SignedIn, Refusal>| {
        matches!(answer, Err(Refusal::Conflict { code: ErrorCode::TooManyAccountsTried, .. }))
    };
    let mut told = 0;
    'ask: loop {
        let link = invite().await;
        for _ in 1..Invitation::MOST_TAKEN_ADDRESSES {
            match join(&link, "Ada").await {
                Err(Refusal::Invalid { field: "email", .. }) => told += 1,
                other => break 'ask assert!(is_bounded(other)),
            }
        }
        let open = people.members(&owner).await.unwrap().invitations;
        people.withdraw_invitation(&owner, open[0].id).await.unwrap();
        assert!(is_dead(&people.open_link(&link).await));
    }
    assert_eq!(told, Invitation::MOST_TAKEN_ADDRESSES_TOGETHER);
    // Whether the address has an account makes no difference now, and who has one can still join.
    let link = invite().await;
    assert!(is_bounded(join(&link, "Eve").await) && is_bounded(join(&link, "Ada").await));
    people.join_as(&link, &scene.added("guest").await.0).await.unwrap();
    // Other organizations are not affected.
    let elsewhere = Caller::owner(scene.organization().await);
    let link = token(&people.invite(&elsewhere, Role::Viewer, "").await.unwrap());
    assert!(join(&link, "Eve").await.is_ok());
}

async fn a_setup_belongs_to_the_sign_in_that_began_it(database: TestDatabase) {
    let scene = Scene::set(&database).await;
    let (people, device) = (&scene.people, Device::default());
    let owner = scene.resumed(&scene.ada.token).await;
    let begin = async |resumed: &Resumed| {
        people.begin_second_factor(resumed, PASSWORD.to_owned(), &device).await.unwrap();
    };
    let thief = scene.ada_elsewhere().await;
    begin(&thief).await;
    let (_, code) = scene.code(&thief).await;
    assert_eq!(people.enrolment(&owner).await.unwrap(), None, "the thief's secret is not shown to the owner");
    let confirmed = people.confirm_second_factor(&owner, &code, &device).await;
    assert!(
        matches!(
            confirmed,
            Err(SignInError::Refusal(Refusal::Conflict { code: ErrorCode::SecondFactorOver, .. }))
        ),
        "{confirmed:?}"
    );
    people.sign_out(&owner.person, thief.sign_in.id, None).await.unwrap();
    let confirmed = people.confirm_second_factor(&thief, &code, &device).await;
    assert!(matches!(confirmed, Err(SignInError::ChallengeOver)), "{confirmed:?}");
    // It ends by itself, too.
    begin(&owner).await;
    scene.clock.advance_seconds(tonearm_domain::SecondFactor::SETUP);
    assert_eq!(people.enrolment(&owner).await.unwrap(), None);
    begin(&owner).await;
    let (_, code) = scene.code(&owner).await;
    assert_eq!(people.confirm_second_factor(&owner, &code, &device).await.unwrap().len(), 10);
    // Once it is on, it no longer depends on the sign-in.
    people.sign_out_everywhere(&owner.person, false, None).await.unwrap();
    let entry = people.sign_in("ada@example.com", PASSWORD.to_owned(), device).await.unwrap();
    assert!(matches!(entry, Entry::CodeNeeded(_)), "{entry:?}");
}

async fn only_a_right_code_resets_the_wrong_ones(database: TestDatabase) {
    let scene = Scene::set(&database).await;
    let (people, mut device) = (&scene.people, Device::default());
    let resumed = scene.resumed(&scene.ada.token).await;
    people.begin_second_factor(&resumed, PASSWORD.to_owned(), &device).await.unwrap();
    let (app, code) = scene.code(&resumed).await;
    people.confirm_second_factor(&resumed, &code, &device).await.unwrap();
    let guess = async |code: &str| people.renew_recovery_codes(&resumed, code, &Device::default()).await;
    let passwords = [PASSWORD, "another good one"];
    let mut wrong = 0;
    for round in 0..3 {
        for _ in 0..4 {
            match guess("000000").await {
                Err(SignInError::WrongCode) => wrong += 1,
                Err(SignInError::TooMany(seconds)) => assert_eq!(seconds, WrongCodes::FIRST_WAIT),
                other => panic!("{other:?}"),
            }
        }
        // A right password changes nothing, and neither does the new device that comes with it.
        let (current, new) = (passwords[round % 2].to_owned(), passwords[(round + 1) % 2].to_owned());
        let changed = people.change_password(&resumed, current, new, false, device.clone()).await;
        device.token = Some(changed.unwrap());
    }
    assert_eq!(wrong, WrongCodes::FREE);
    let challenge = async |device: &Device| {
        let password = passwords[1].to_owned();
        match people.sign_in("ada@example.com", password, device.clone()).await.unwrap() {
            Entry::CodeNeeded(challenge) => challenge,
            entry => panic!("{entry:?}"),
        }
    };
    let on_device = people.enter_code(&challenge(&device).await, "000000", device.clone()).await;
    assert!(matches!(on_device, Err(SignInError::TooMany(_))), "{on_device:?}");
    // Elsewhere they are counted apart, so that the owner is not locked out there as well.
    let elsewhere = Device::default();
    let entered = people.enter_code(&challenge(&elsewhere).await, "000000", elsewhere.clone()).await;
    assert!(matches!(entered, Err(SignInError::WrongCode)), "{entered:?}");
    // The next wait is longer, until a right code ends it.
    scene.clock.advance_seconds(WrongCodes::FIRST_WAIT);
    assert!(matches!(guess("000000").await, Err(SignInError::WrongCode)));
    let waits = guess(&app.code_at(scene.ambient.now())).await;
    assert!(matches!(waits, Err(SignInError::TooMany(s)) if s == 2 * WrongCodes::FIRST_WAIT), "{waits:?}");
    scene.clock.advance_seconds(2 * WrongCodes::FIRST_WAIT);
    guess(&app.code_at(scene.ambient.now())).await.unwrap();
    assert!(matches!(guess("000000").await, Err(SignInError::WrongCode)));
}

async fn a_new_password_is_another_one(database: TestDatabase) {
    let scene = Scene::set(&database).await;
    let resumed = scene.resumed(&scene.ada.token).await;
    let same = PASSWORD.to_owned();
    let changed = scene.people.change_password(&resumed, same.clone(), same, false, Device::default()).await;
    let is_refused = matches!(changed, Err(SignInError::Refusal(Refusal::Invalid { field: "password", .. })));
    assert!(is_refused, "{changed:?}");
    // Nor does a link accept it, which is not used up.
    let link = scene.people.new_password_link("ada@example.com").await.unwrap();
    let choose = async |password: &str| {
        scene.people.choose_new_password(&token(&link), password.to_owned(), Device::default()).await
    };
    let chosen = choose(PASSWORD).await;
    assert!(matches!(chosen, Err(Refusal::Invalid { field: "password", .. })));
    assert!(choose("battery staple correct").await.is_ok());
}

/// A session that was taken over opens no way to its own account without the password.
async fn an_administrator_needs_the_own_password(database: TestDatabase) {
    let scene = Scene::set(&database).await;
    let ada = scene.ada.person.id;
    let by = Origin { actor: tonearm_domain::Actor::Person(ada), address: None };
    let is_own = |refused: Refusal| matches!(refused, Refusal::Conflict { code: ErrorCode::OwnAccount, .. });
    assert!(is_own(scene.people.reset_password(by, ada).await.unwrap_err()));
    assert!(is_own(scene.people.reset_second_factor(by, ada).await.unwrap_err()));
    let link = scene.people.reset_password(Origin::command_line(), ada).await.unwrap();
    assert!(scene.people.open_link(&token(&link)).await.is_ok());
}

async fn links_end_when_their_maker_is_signed_out_everywhere(database: TestDatabase) {
    let scene = Scene::set(&database).await;
    let organization = scene.organization().await;
    let (bea, _) = scene.added("Bea").await;
    let caller = Caller::owner(organization);
    let of_nobody = scene.people.invite(&caller, Role::Viewer, "ada@example.com").await.unwrap();
    let ada = scene.ada.person.id;
    let (by, own) = (
        Origin { actor: tonearm_domain::Actor::Person(ada), address: None },
        Caller::person(organization, ada),
    );
    for is_by_administrator in [false, true] {
        let made = [
            scene.people.invite(&own, Role::Owner, "").await.unwrap(),
            scene.people.reset_password(by, bea.id).await.unwrap(),
        ];
        match is_by_administrator {
            true => scene.people.end_sessions(Origin::command_line(), ada).await.unwrap(),
            false => scene.people.sign_out_everywhere(&scene.ada.person, false, None).await.unwrap(),
        }
        for link in &made {
            assert!(is_dead(&scene.people.open_link(&token(link)).await));
        }
    }
    assert!(scene.people.open_link(&token(&of_nobody)).await.is_ok());
}

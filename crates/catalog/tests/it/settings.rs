//! The records of an organization besides its library: recipes, keys, members, webhooks.

use tonearm_catalog::{Catalog, KeyQuery, Transaction};
use tonearm_domain::{
    Ambient, ApiKey, Collection, Cursor, EndpointHealth, Invitation, InvitationPurpose, KeyScope, KeyState,
    KeyType, LimitOffset, Membership, Organization, Person, PreviewLength, Recipe, RecipeKind, Role,
    SearchWords, Selection, ShareTarget, SigningKey, Timestamp, VariantList, Webhook, WebhookKind,
};

use crate::odd::Odd;
use crate::samples::*;

/// One record of each kind.
pub(crate) struct Settings {
    pub(crate) organization: Organization,
    pub(crate) recipe: Recipe,
    pub(crate) key: ApiKey,
    pub(crate) share: ApiKey,
    pub(crate) signing_key: SigningKey,
    pub(crate) person: Person,
    membership: Membership,
    pub(crate) webhook: Webhook,
    pub(crate) invitation: Invitation,
    hashes: [[u8; 32]; 3],
}

impl Settings {
    pub(crate) fn new(odd: &Odd, ambient: &Ambient) -> Self {
        let mut organization = full_organization(ambient);
        (organization.name, organization.player_subtitle) = (odd.text(), odd.text());
        organization.theme = odd.theme();
        let url = format!("https://example.com/{}", odd.text());
        organization.webhook_url = Some(url.clone());
        let mut recipe = recipe(ambient, &organization, None, "odd", 0);
        (recipe.index, recipe.kind) = (odd.variant(), odd_preview(odd, recipe.kind));
        let mut key = ApiKey { title: odd.text(), ..api_key(ambient, &organization) };
        key.variants = Selection::Only(VariantList::new((0..3).map(|_| odd.variant())).unwrap());
        key.allowed_origins = odd.origins();
        let mut share = ApiKey { title: odd.text(), ..api_key(ambient, &organization) };
        (share.key_type, share.variants) = (KeyType::Share, Selection::one(odd.variant()));
        let (organization_id, created_at) = (organization.id, ambient.now());
        let person = Person {
            id: ambient.record_id(),
            email: odd.email(),
            name: odd.text(),
            is_administrator: false,
            created_at,
            disabled_at: None,
            language: None,
        };
        let email = Some(odd.email());
        Self {
            recipe,
            key,
            share,
            signing_key: SigningKey {
                id: ambient.short_id(),
                organization_id,
                title: odd.text(),
                created_at,
                expires_at: None,
                revoked_at: None,
                made_by: None,
            },
            membership: Membership { organization_id, person_id: person.id, role: Role::Editor, created_at },
            webhook: Webhook {
                id: ambient.record_id(),
                organization_id,
                kind: WebhookKind::Track,
                url,
                secret: odd.text().into_bytes(),
                old_secrets: None,
                rotated_at: None,
                health: EndpointHealth::default(),
                created_at,
                expires_at: None,
                made_by: None,
            },
            invitation: Invitation {
                id: ambient.record_id(),
                purpose: InvitationPurpose::Member { organization_id, role: Role::Viewer, email },
                created_at,
                expires_at: created_at.plus_seconds(3600),
                used_at: None,
                created_by: None,
            },
            hashes: [ambient.random(), ambient.random(), ambient.random()],
            organization,
            person,
        }
    }

    /// Makes the share key one for a collection.
    pub(crate) fn share_with(&mut self, collection: &Collection) {
        self.share.scope = KeyScope::new(Some(collection.id), None).unwrap();
    }

    /// Stores all but the organization, which must exist, as must the collection that is shared.
    pub(crate) async fn store(&self, tx: &Transaction) {
        let [key, share, invitation] = &self.hashes;
        tx.insert_recipe(&self.recipe).await.unwrap();
        tx.insert_api_key(&self.key, key).await.unwrap();
        tx.insert_api_key(&self.share, share).await.unwrap();
        tx.insert_signing_key(&self.signing_key).await.unwrap();
        tx.insert_person(&self.person, "hash").await.unwrap();
        assert!(tx.insert_membership(&self.membership).await.unwrap());
        tx.put_webhook(&self.webhook).await.unwrap();
        tx.insert_invitation(&self.invitation, invitation).await.unwrap();
    }

    /// Gives each record the values of others.
    pub(crate) async fn change(&mut self, tx: &Transaction, other: Self) {
        self.organization.name = other.organization.name;
        self.organization.player_subtitle = other.organization.player_subtitle;
        self.organization.theme = other.organization.theme;
        tx.update_organization(&self.organization).await.unwrap();
        (self.recipe.index, self.recipe.kind) = (other.recipe.index, other.recipe.kind);
        tx.update_recipe(&self.recipe).await.unwrap();
        (self.key.title, self.key.variants) = (other.key.title, other.key.variants);
        self.key.allowed_origins = other.key.allowed_origins;
        tx.update_api_key(&self.key).await.unwrap();
        self.webhook.url.clone_from(&other.webhook.url);
        self.organization.webhook_url = Some(other.webhook.url);
        tx.put_webhook(&self.webhook).await.unwrap();
        self.person.name = other.person.name;
        tx.rename_person(self.person.id, &self.person.name).await.unwrap();
    }

    pub(crate) async fn assert_read(
        &self,
        catalog: &Catalog,
        collection: &Collection,
        are_links_there: bool,
        what: &str,
    ) {
        let (own, now) = (self.organization.id, self.organization.created_at);
        assert_eq!(catalog.organization(own).await.unwrap().as_ref(), Some(&self.organization), "{what}");
        assert!(catalog.organizations().await.unwrap().contains(&self.organization), "{what}");
        assert_eq!(catalog.recipes(own).await.unwrap(), std::slice::from_ref(&self.recipe), "{what}");
        let mut keys = [self.key.clone(), self.share.clone()];
        keys.sort_by_key(|key| key.id);
        assert_eq!(catalog.api_keys(own).await.unwrap(), keys, "{what}");
        assert_eq!(
            catalog.api_key_page(own, None, LimitOffset::default()).await.unwrap(),
            (2, keys.to_vec()),
            "{what}"
        );
        for key in &keys {
            let query = KeyQuery {
                key_types: KeyType::ALL.to_vec(),
                state: KeyState::Valid,
                words: SearchWords::parse(&key.title),
                cursor: Cursor::First,
                limit: 50,
            };
            assert!(catalog.key_page(own, &query, now).await.unwrap().rows.contains(key), "{what}");
        }
        let shared = catalog.share_keys(own, ShareTarget::Collection(collection.id), None, 50).await.unwrap();
        assert_eq!(shared, std::slice::from_ref(&self.share), "{what}");
        let signing_keys = catalog.signing_keys(own).await.unwrap();
        assert_eq!(signing_keys, std::slice::from_ref(&self.signing_key), "{what}");
        let webhooks = catalog.webhooks(own).await.unwrap();
        assert_eq!(webhooks, std::slice::from_ref(&self.webhook), "{what}");
        assert_eq!(
            catalog.members(own).await.unwrap(),
            [(self.person.clone(), self.membership.clone())],
            "{what}"
        );
        let organizations = catalog.organizations_of(self.person.id).await.unwrap();
        assert_eq!(organizations, [(self.organization.clone(), self.membership.role)], "{what}");
        for text in [&self.person.name, self.person.email.as_str()] {
            let words = SearchWords::parse(text);
            let page = catalog.person_page(words.as_ref(), Cursor::First, 50).await.unwrap();
            assert!(page.rows.contains(&self.person), "{what}");
        }
        let found = catalog.person_by_email(&self.person.email).await.unwrap();
        assert_eq!(found.as_ref(), Some(&self.person), "{what}");
        // Links are left out of backups.
        let links = if are_links_there { std::slice::from_ref(&self.invitation) } else { &[] };
        assert_eq!(catalog.open_invitations(own).await.unwrap(), links, "{what}");
    }

    /// Revokes or deletes what can be.
    pub(crate) async fn end(&self, tx: &Transaction, now: Timestamp) {
        let own = self.organization.id;
        for key in [&self.key, &self.share] {
            assert!(tx.revoke_api_key(own, key.id, now).await.unwrap());
        }
        assert!(tx.revoke_signing_key(own, self.signing_key.id, now).await.unwrap());
        tx.delete_webhook(&self.webhook).await.unwrap();
        assert!(tx.delete_invitation(own, self.invitation.id, now).await.unwrap());
        assert!(tx.delete_person(self.person.id).await.unwrap());
    }
}

/// The preview with odd numbers.
fn odd_preview(odd: &Odd, kind: RecipeKind) -> RecipeKind {
    let RecipeKind::Preview(mut settings) = kind else { return kind };
    settings.transcode.loudness_target = Some(-31.0 + 26.0 * odd.fraction());
    settings.preview_start_percent = 100.0 * odd.fraction();
    settings.length = PreviewLength::Percent {
        preview_percent: 1.0 + 99.0 * odd.fraction(),
        preview_min_seconds: odd.fraction(),
        preview_max_seconds: 1.0 + odd.fraction(),
    };
    RecipeKind::Preview(settings)
}

//! A new play session.

use tonearm_domain::{
    CollectionId, ExpiresIn, LevelsFormat, Metadata, PlaySession, Recipe, RecipeKind, TrackId, VariantIndex,
};

use super::{OpenedPlaySession, Playback};
use crate::{Caller, Noun, Refusal};

/// What a play session plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaySessionScope {
    /// A collection's tracks.
    Collection(CollectionId),
    /// One track.
    Track(TrackId),
}

/// A play session to be granted.
#[derive(Debug, Clone)]
pub struct GrantPlaySession {
    /// What it plays.
    pub scope: PlaySessionScope,
    /// The variants it lists, in that order; none: all playable ones that the key allows.
    pub variants: Vec<String>,
    /// The caller's own external id.
    pub organization_index: Option<String>,
    /// The caller's own data.
    pub metadata: Metadata,
    /// Whether downloads are asked for.
    pub is_downloadable: bool,
    /// How long it lasts.
    pub expires_in: ExpiresIn,
}

impl Playback {
    /// Grants a play session and opens it at once.
    pub async fn grant_play_session(
        &self,
        caller: &Caller,
        grant: GrantPlaySession,
    ) -> Result<OpenedPlaySession, Refusal> {
        let organization_id = caller.organization_id;
        let (collection_id, track_id) = match grant.scope {
            PlaySessionScope::Collection(id) => {
                caller.reach_collection(id)?;
                (id, None)
            }
            PlaySessionScope::Track(id) => {
                let ready =
                    self.0.lookups.track(organization_id, id).await?.ok_or(Refusal::NotFound(Noun::Track))?;
                let collection_id = ready.track.collection_id;
                caller.reach_track(collection_id, id)?;
                (collection_id, Some(id))
            }
        };
        let recipes = match track_id {
            Some(id) => self.0.lookups.catalog().recipes_for_track(organization_id, id).await?.into(),
            None => self.0.lookups.recipes(organization_id).await?,
        };
        let session = PlaySession {
            id: self.0.ambient.credential_id(),
            organization_id,
            creator_id: caller.creator_id,
            collection_id,
            track_id,
            variants: listed_variants(&grant.variants, &caller.variants, &recipes)?,
            organization_index: grant.organization_index,
            metadata: grant.metadata,
            is_downloadable: PlaySession::grants_downloads(caller.is_downloadable, grant.is_downloadable),
            expires_at: self.0.ambient.now().plus_seconds(grant.expires_in.seconds().into()),
        };
        let opened = self.open(session.clone()).await?;
        self.0.sessions.write(session).await?;
        Ok(opened)
    }
}

/// The variants that a session stores: those asked for, as far as they exist and the key allows them, in the order
/// asked; without a wish, those the key names, in recipe order; none where the key names none either, which stands
/// for all playable ones, a track's own included.
fn listed_variants(
    asked: &[String],
    allowed: &[VariantIndex],
    recipes: &[Recipe],
) -> Result<Vec<VariantIndex>, Refusal> {
    let is_allowed = |index: &VariantIndex| allowed.is_empty() || allowed.contains(index);
    // Our own levels are part of playback data; every other file can be asked for by name.
    let is_in_playback_data = |kind: &RecipeKind| matches!(kind, RecipeKind::Levels(levels) if levels.format == LevelsFormat::Levels);
    let listable = |recipe: &Recipe| !is_in_playback_data(&recipe.kind);
    if asked.is_empty() {
        return Ok(recipes
            .iter()
            .filter(|recipe| listable(recipe) && allowed.contains(&recipe.index))
            .map(|recipe| recipe.index.clone())
            .collect());
    }
    let mut listed: Vec<VariantIndex> = Vec::new();
    for name in asked {
        let recipe = recipes.iter().find(|recipe| recipe.index.as_str() == name && listable(recipe));
        if let Some(recipe) = recipe
            && is_allowed(&recipe.index)
            && !listed.contains(&recipe.index)
        {
            listed.push(recipe.index.clone());
        }
    }
    if listed.is_empty() {
        return Err(Refusal::invalid(
            "variants",
            "must name a variant that exists and that this key may list",
        ));
    }
    Ok(listed)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use tonearm_domain::{Ambient, Clock, Entropy, OrganizationId, RecordId, Timestamp, default_recipes};

    use super::*;

    struct Still;
    impl Clock for Still {
        fn now(&self) -> Timestamp {
            Timestamp::from_unix_millis(0).unwrap()
        }
    }
    impl Entropy for Still {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(1);
        }
    }

    fn listed(asked: &[&str], allowed: &[&str]) -> Option<Vec<String>> {
        let ambient = Ambient::new(Arc::new(Still), Arc::new(Still));
        let recipes = default_recipes(OrganizationId::from_parts(ambient.now(), [0; 10]), &ambient);
        let asked: Vec<String> = asked.iter().map(ToString::to_string).collect();
        let allowed: Vec<VariantIndex> = allowed.iter().map(|a| a.parse().unwrap()).collect();
        let listed = listed_variants(&asked, &allowed, &recipes).ok()?;
        Some(listed.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn what_is_asked_and_allowed_is_listed() {
        let list = |names: &[&str]| Some(names.iter().map(ToString::to_string).collect::<Vec<_>>());
        assert_eq!(listed(&[], &[]), list(&[]));
        assert_eq!(listed(&["lq", "hq", "lq"], &[]), list(&["lq", "hq"]));
        assert_eq!(listed(&["nothing", "hq"], &[]), list(&["hq"]));
        assert_eq!(listed(&["original"], &[]), list(&["original"]));
        assert_eq!(listed(&[], &["preview", "hq"]), list(&["hq", "preview"]));
        assert_eq!(listed(&[], &["original"]), list(&["original"]));
        assert_eq!(listed(&["hq", "preview"], &["preview"]), list(&["preview"]));
        assert_eq!(listed(&["hq"], &["preview"]), None);
        assert_eq!(listed(&["nothing"], &[]), None);
        assert_eq!(listed(&["levels"], &[]), None);
    }
}

//! Which variants a key or a play session may list.

use std::collections::{HashMap, HashSet};
use std::ops::Deref;

use serde::{Deserialize, Serialize};

use crate::VariantId;
use crate::access::ScopeError;
use crate::recipe::Recipe;
use crate::variant_index::VariantIndex;

/// The most variants that a request may name: more than an organization can have.
pub(crate) const MOST_NAMED_VARIANTS: usize = 1000;

/// Which variants a key or a play session may list.
///
/// A request cannot contain an empty list. A selection becomes empty when its variants are removed, and then selects
/// nothing: it is never "all".
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Selection {
    /// Every playable variant, including variants that are added later.
    All,
    /// Only these variants.
    Only(VariantList),
}

/// Variants without duplicates; the order is significant. In JSON an array, which is empty once all of its variants are
/// removed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<VariantIndex>", into = "Vec<VariantIndex>")]
pub struct VariantList(Vec<VariantIndex>);

/// The organization's recipes that the names in a selection stand for. Nodes read selections and recipes at different times:
/// meanwhile, another recipe may have got a name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NamedRecipes(Option<HashMap<VariantIndex, VariantId>>);

impl NamedRecipes {
    /// What no version has noted: names are compared.
    pub const UNKNOWN: Self = Self(None);

    /// The recipes by their names. All other names are those of variants that single tracks have of their own.
    pub fn of(recipes: impl IntoIterator<Item = (VariantIndex, VariantId)>) -> Self {
        Self(Some(recipes.into_iter().collect()))
    }

    /// Whether it is known which recipes the names stand for.
    pub const fn are_known(&self) -> bool {
        self.0.is_some()
    }

    /// The recipe that a name stands for.
    pub fn id(&self, name: &VariantIndex) -> Option<VariantId> {
        self.0.as_ref()?.get(name).copied()
    }

    /// The names that stand for recipes.
    pub fn names(&self) -> impl Iterator<Item = &VariantIndex> {
        self.0.iter().flat_map(HashMap::keys)
    }

    /// Whether a name stands for a recipe, whatever this is called now.
    pub fn stands_for(&self, name: &VariantIndex, recipe: &Recipe) -> bool {
        match (self.id(name), recipe.track_id) {
            (Some(id), None) => id == recipe.id,
            (None, Some(_)) => *name == recipe.index,
            _ => !self.are_known() && *name == recipe.index,
        }
    }

    /// Whether a name, which stands for `id` if that is known, is among `names`, of which these are the recipes.
    fn include(
        &self,
        names: &VariantList,
        name: &VariantIndex,
        (are_known, id): (bool, Option<VariantId>),
    ) -> bool {
        match (&self.0, id) {
            (Some(known), Some(id)) => known.values().any(|known| *known == id),
            (Some(known), None) if are_known => names.contains(name) && !known.contains_key(name),
            _ => names.contains(name),
        }
    }
}

/// A list of variants that names none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("cannot be empty; list at least one variant, or omit the list to allow all of them")]
pub struct EmptySelection;

impl Selection {
    /// Selects exactly this variant.
    pub fn one(index: VariantIndex) -> Self {
        Self::Only(VariantList(vec![index]))
    }

    /// Builds a selection from an optional list: `None` allows all variants, an empty list is an error.
    pub fn from_list(list: Option<Vec<VariantIndex>>) -> Result<Self, EmptySelection> {
        match list {
            None => Ok(Self::All),
            Some(list) => VariantList::new(list).map(Self::Only).ok_or(EmptySelection),
        }
    }

    /// Refuses more names than one request may ask for. Names of variants that do not exist are looked for among the variants
    /// of all tracks.
    pub fn require_few(named: usize) -> Result<(), ScopeError> {
        if named > MOST_NAMED_VARIANTS { Err(ScopeError::TooManyVariants) } else { Ok(()) }
    }

    /// Whether a variant with this name is selected. For [`Selection::All`], this is true for every name.
    pub fn allows(&self, index: &VariantIndex) -> bool {
        match self {
            Self::All => true,
            Self::Only(list) => list.contains(index),
        }
    }

    /// Whether a name in another selection stands for a variant that is selected here. Both come with their recipes.
    pub fn allows_named(&self, recipes: &NamedRecipes, name: &VariantIndex, others: &NamedRecipes) -> bool {
        match self {
            Self::All => true,
            Self::Only(list) => recipes.include(list, name, (others.are_known(), others.id(name))),
        }
    }

    /// The selected variants; `None` if all are selected.
    pub fn only(&self) -> Option<&VariantList> {
        match self {
            Self::All => None,
            Self::Only(list) => Some(list),
        }
    }

    /// Whether this selects everything that `other` selects, including variants that are added later.
    pub fn covers(&self, other: &Self) -> bool {
        match other {
            Self::All => *self == Self::All,
            Self::Only(list) => list.iter().all(|index| self.allows(index)),
        }
    }

    /// The selected variant, if it is exactly one.
    pub fn single(&self) -> Option<&VariantIndex> {
        match self.only().map(Deref::deref) {
            Some([index]) => Some(index),
            _ => None,
        }
    }

    /// The variants that a play session lists; `self` is the selection of its key. These are the requested variants
    /// that exist and that the key allows, in the requested order. If none remain, or none were requested, all variants
    /// that the key allows. `None` if no variant that the key allows exists; then no session may be created.
    ///
    /// `existing` are the variants that can be listed, in display order.
    pub fn for_session(&self, requested: &[String], existing: &[VariantIndex]) -> Option<Self> {
        let find = |name: &String| existing.iter().find(|index| index.as_str() == name);
        let wanted = requested.iter().filter_map(find).filter(|index| self.allows(index));
        if let Some(list) = VariantList::new(wanted.cloned()) {
            return Some(Self::Only(list));
        }
        match self {
            Self::All => Some(Self::All),
            Self::Only(allowed) => {
                let left = existing.iter().filter(|index| allowed.contains(index));
                VariantList::new(left.cloned()).map(Self::Only)
            }
        }
    }
}

impl VariantList {
    /// Builds a list without duplicates; none if it is empty.
    pub fn new(indexes: impl IntoIterator<Item = VariantIndex>) -> Option<Self> {
        let list = Self::from(indexes.into_iter().collect::<Vec<_>>());
        if list.is_empty() { None } else { Some(list) }
    }
}

impl Deref for VariantList {
    type Target = [VariantIndex];

    fn deref(&self) -> &[VariantIndex] {
        &self.0
    }
}

impl From<Vec<VariantIndex>> for VariantList {
    fn from(mut indexes: Vec<VariantIndex>) -> Self {
        let mut seen = HashSet::new();
        indexes.retain(|index| seen.insert(index.clone()));
        Self(indexes)
    }
}

impl From<VariantList> for Vec<VariantIndex> {
    fn from(list: VariantList) -> Self {
        list.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn indexes(names: &[&str]) -> Vec<VariantIndex> {
        names.iter().map(|name| name.parse().unwrap()).collect()
    }

    fn only(names: &[&str]) -> Selection {
        Selection::Only(VariantList::new(indexes(names)).unwrap())
    }

    #[test]
    fn an_empty_list_selects_nothing_and_is_no_request() {
        assert_eq!(VariantList::new([]), None);
        assert_eq!(Selection::from_list(None), Ok(Selection::All));
        assert_eq!(Selection::from_list(Some(Vec::new())), Err(EmptySelection));
        let nothing = Selection::Only(serde_json::from_str("[]").unwrap());
        assert!(!nothing.allows(&indexes(&["hq"])[0]) && !nothing.covers(&only(&["hq"])));
        assert_eq!(nothing.for_session(&[], &indexes(&["hq"])), None);
        assert_eq!(nothing.for_session(&["hq".to_owned()], &indexes(&["hq"])), None);
        assert!(serde_json::from_str::<VariantList>("null").is_err());
        assert!(serde_json::from_str::<VariantList>(r#"["hq", "H Q"]"#).is_err());
        let list: VariantList = serde_json::from_str(r#"["hq", "lq", "hq"]"#).unwrap();
        assert_eq!(serde_json::to_string(&list).unwrap(), r#"["hq","lq"]"#);
    }

    #[test]
    fn a_single_variant_is_told_from_several() {
        assert_eq!(only(&["hq"]).single().map(VariantIndex::as_str), Some("hq"));
        assert_eq!(only(&["hq", "lq"]).single(), None);
        assert_eq!(Selection::All.single(), None);
    }

    #[test]
    fn a_selection_covers_its_parts() {
        assert!(Selection::All.covers(&Selection::All) && Selection::All.covers(&only(&["hq"])));
        assert!(!only(&["hq", "lq"]).covers(&Selection::All), "which grows");
        assert!(only(&["hq", "lq"]).covers(&only(&["lq"])));
        assert!(!only(&["hq"]).covers(&only(&["hq", "lq"])));
    }

    /// Decisions, "Variants": a request narrows what the key allows and never widens it.
    #[test]
    fn a_session_lists_no_more_than_its_key() {
        let existing = indexes(&["hq", "lq", "preview", "original", "own"]);
        let listed = |key: &Selection, requested: &[&str]| {
            let requested: Vec<String> = requested.iter().map(ToString::to_string).collect();
            key.for_session(&requested, &existing)
        };
        let all = Selection::All;
        assert_eq!(listed(&all, &[]), Some(Selection::All));
        assert_eq!(listed(&all, &["lq", "hq", "lq"]), Some(only(&["lq", "hq"])));
        assert_eq!(listed(&all, &["nothing", "original"]), Some(only(&["original"])));
        assert_eq!(listed(&all, &["nothing"]), Some(Selection::All));
        let preview = only(&["preview"]);
        assert_eq!(listed(&preview, &[]), Some(preview.clone()));
        assert_eq!(listed(&preview, &["hq", "preview"]), Some(preview.clone()));
        assert_eq!(listed(&preview, &["hq"]), Some(preview.clone()));
        assert_eq!(listed(&only(&["preview", "gone", "hq"]), &[]), Some(only(&["hq", "preview"])));
        for requested in [&[][..], &["hq"], &["gone"]] {
            assert_eq!(listed(&only(&["gone", "levels"]), requested), None, "{requested:?}");
        }
    }
}

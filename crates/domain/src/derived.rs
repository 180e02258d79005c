//! What the derived things of a track depend on, besides its source and the settings of recipes.
//!
//! [`Derived::depends_on`] is the table. If an input changes, the jobs that make these things are queued. A thing is
//! recorded with the values of its inputs, its basis, and is made again if they are others by then.

use serde::{Deserialize, Serialize};

use crate::colour::Colour;
use crate::cover::{Cover, CoverOrigin};
use crate::cover_resolution::PlacedCover;
use crate::organization::{Collection, Organization};
use crate::recipe::RecipeKind;
use crate::short_id::ShortId;
use crate::track::Track;

/// What a derived thing depends on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Input {
    /// The names of recipes.
    VariantNames,
    /// The recipes that were rendered for all tracks. A deleted track misses such renderings.
    Renderings,
    /// The player colour of the track: its own, or an inherited one.
    Colour,
    /// Whether the art in the file, and the colours found in it, may be used.
    ArtPermission,
    /// The picture that players show for the track: its own, or an inherited one.
    Picture,
}

/// What is made for a track and stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Derived {
    /// The track's cover, if it is the art in the file.
    FoundCover,
    /// The track's cover, if it is drawn.
    DrawnCover,
    /// The placeholder drawn beside an uploaded cover.
    Placeholder,
    /// A file of a recipe of type `cover`.
    CoverFile,
    /// A file of a recipe of type `waveform_image` or `waveform_video` that has no colour of its own.
    WaveformFile,
    /// The manifest, which lists the durable names.
    Manifest,
    /// A file of a recipe that was rendered for all tracks.
    RenderedFile,
}

impl Derived {
    /// Everything that is derived.
    pub const ALL: [Self; 7] = [
        Self::FoundCover,
        Self::DrawnCover,
        Self::Placeholder,
        Self::CoverFile,
        Self::WaveformFile,
        Self::Manifest,
        Self::RenderedFile,
    ];

    /// What it depends on.
    pub const fn depends_on(self) -> &'static [Input] {
        match self {
            Self::FoundCover => &[Input::ArtPermission],
            Self::DrawnCover => &[Input::ArtPermission, Input::Colour],
            Self::Placeholder | Self::WaveformFile => &[Input::Colour],
            Self::CoverFile => &[Input::Picture],
            Self::Manifest => &[Input::VariantNames],
            Self::RenderedFile => &[Input::Renderings],
        }
    }

    /// Everything that depends on one of these inputs.
    pub fn from_inputs(changed: &[Input]) -> Vec<Self> {
        let depends = |thing: &Self| thing.depends_on().iter().any(|input| changed.contains(input));
        Self::ALL.into_iter().filter(depends).collect()
    }

    /// What the pictures are that were made for a track itself, and their version. None if there are none.
    pub fn own_cover(cover: Option<Cover>, placeholder: Option<ShortId>) -> Option<(Self, ShortId)> {
        match cover {
            Some(Cover { origin: CoverOrigin::Uploaded, .. }) => {
                placeholder.map(|version| (Self::Placeholder, version))
            }
            Some(Cover { origin: CoverOrigin::Embedded, version }) => Some((Self::FoundCover, version)),
            Some(Cover { origin: CoverOrigin::Generated, version }) => Some((Self::DrawnCover, version)),
            None => None,
        }
    }

    /// What the file of a recipe is; none if it depends on nothing but the source and the settings.
    pub const fn of_recipe(kind: &RecipeKind) -> Option<Self> {
        match kind {
            RecipeKind::Cover(_) => Some(Self::CoverFile),
            RecipeKind::WaveformImage(image) if image.color.is_none() => Some(Self::WaveformFile),
            RecipeKind::WaveformVideo(video) if video.color.is_none() => Some(Self::WaveformFile),
            _ => None,
        }
    }
}

/// What an organization or a collection lends to its tracks.
type Lent = (Option<Colour>, bool, bool, Option<Cover>);

impl Input {
    /// What a change of an organization changes for its tracks.
    pub fn of_organization(before: &Organization, after: &Organization) -> Vec<Self> {
        let lent = |it: &Organization| -> Lent {
            (Some(it.player_colour), it.is_theme_overridable, it.is_cover_overridable, it.cover)
        };
        Self::of_lent(lent(before), lent(after))
    }

    /// What a change of a collection changes for its tracks.
    pub fn of_collection(before: &Collection, after: &Collection) -> Vec<Self> {
        let lent = |it: &Collection| -> Lent {
            (it.colour(), it.is_theme_overridable, it.is_cover_overridable, it.cover)
        };
        Self::of_lent(lent(before), lent(after))
    }

    fn of_lent(before: Lent, after: Lent) -> Vec<Self> {
        let ((colour, theme, art, cover), (new_colour, new_theme, new_art, new_cover)) = (before, after);
        [
            (colour != new_colour || theme != new_theme, Self::Colour),
            (theme != new_theme || art != new_art, Self::ArtPermission),
            (cover != new_cover || art != new_art, Self::Picture),
        ]
        .into_iter()
        .filter_map(|(is_changed, input)| is_changed.then_some(input))
        .collect()
    }
}

/// The values of a track's inputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Inputs {
    /// See [`Input::Colour`].
    pub colour: Colour,
    /// Whether the art in the file may be used.
    pub takes_cover: bool,
    /// Whether the colours found in the art may be used.
    pub takes_theme: bool,
    /// See [`Input::Picture`].
    pub picture: Option<PlacedCover>,
}

impl Inputs {
    /// The inputs that differ.
    pub fn changed(&self, after: &Self) -> Vec<Input> {
        [Input::Colour, Input::ArtPermission, Input::Picture]
            .into_iter()
            .filter(|input| self.value(*input) != after.value(*input))
            .collect()
    }

    /// The values that a thing is made from, as text.
    pub fn basis(&self, thing: Derived) -> String {
        let values: Vec<String> = thing.depends_on().iter().map(|input| self.value(*input)).collect();
        values.join(" ")
    }

    /// The basis of the pictures that were made for a track itself, together with their version.
    pub fn own_cover_basis(&self, track: &Track) -> Option<String> {
        let (thing, version) = Derived::own_cover(track.cover, track.placeholder)?;
        Some(format!("{version} {}", self.basis(thing)))
    }

    fn value(&self, input: Input) -> String {
        match input {
            // They may change for every track, so that none has a value that could be compared.
            Input::VariantNames | Input::Renderings => String::new(),
            Input::Colour => self.colour.to_string(),
            Input::ArtPermission => format!("{}/{}", self.takes_cover, self.takes_theme),
            Input::Picture => {
                self.picture.map(|it| format!("{}.{}", it.folder, it.cover.version)).unwrap_or_default()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_makes_again_what_depends_on_it() {
        assert_eq!(
            Derived::from_inputs(&[Input::Colour]),
            [Derived::DrawnCover, Derived::Placeholder, Derived::WaveformFile]
        );
        assert_eq!(Derived::from_inputs(&[Input::Picture]), [Derived::CoverFile]);
        assert!(Derived::from_inputs(&[]).is_empty());
        for thing in Derived::ALL {
            assert!(!thing.depends_on().is_empty(), "{thing:?}");
        }
    }

    #[test]
    fn a_basis_names_what_a_thing_depends_on_and_nothing_else() {
        let one =
            Inputs { colour: Colour::new(1, 2, 3), takes_cover: true, takes_theme: false, picture: None };
        let other = Inputs { colour: Colour::new(3, 2, 1), ..one };
        assert_eq!(one.basis(Derived::DrawnCover), "true/false #010203");
        assert_eq!(one.basis(Derived::FoundCover), other.basis(Derived::FoundCover));
        assert_ne!(one.basis(Derived::Placeholder), other.basis(Derived::Placeholder));
        assert_eq!(one.changed(&other), [Input::Colour]);
    }
}

//! The progress of a run: kept in memory, and written to the catalog periodically.

use std::sync::{Arc, Mutex, PoisonError};

use tonearm_domain::{Making, Recipe, TrackProgress, VariantProgress};
use tonearm_media::Progress;

/// The progress of the files of one track. Clones share it.
#[derive(Clone, Default)]
pub(super) struct FileProgress(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    progress: TrackProgress,
    is_news: bool,
}

impl FileProgress {
    /// Progress with nothing done for `recipes`.
    pub(super) fn new(recipes: &[Recipe]) -> Self {
        let variants = recipes
            .iter()
            .map(|recipe| VariantProgress { index: recipe.index.clone(), making: Making::Waiting })
            .collect();
        Self(Arc::new(Mutex::new(State { progress: TrackProgress { variants }, is_news: true })))
    }

    /// Records the progress of the files of some recipes.
    pub(super) fn set<'a>(&self, recipes: impl IntoIterator<Item = &'a Recipe>, making: Making) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for recipe in recipes {
            let variants = &mut state.progress.variants;
            if let Some(variant) = variants.iter_mut().find(|variant| variant.index == recipe.index)
                && variant.making != making
            {
                variant.making = making;
                state.is_news = true;
            }
        }
    }

    /// A callback that records the progress of the files of some recipes.
    pub(super) fn follow(&self, recipes: Vec<Recipe>) -> Progress {
        let board = self.clone();
        Box::new(move |share| board.set(&recipes, Making::running(share)))
    }

    /// The progress of all files, if it has changed since the last call.
    pub(super) fn news(&self) -> Option<TrackProgress> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut state.is_news).then(|| state.progress.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn news_is_told_once() {
        let board = FileProgress::default();
        assert_eq!(board.news(), None);
        let board = FileProgress::new(&[]);
        assert_eq!(board.news(), Some(TrackProgress::default()));
        assert_eq!(board.news(), None);
    }
}

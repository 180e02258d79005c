//! The text that searches match gains the words that follow a sign within a word.

use super::m0072_folding::folding;
use super::step::Step;

pub(super) fn step() -> Step {
    folding("m0107_inner_words")
}

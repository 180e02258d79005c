//! Texts that are searched and sorted by lose their accents.

use super::m0072_folding::folding;
use super::step::Step;

pub(super) fn step() -> Step {
    folding("m0101_plain_letters")
}

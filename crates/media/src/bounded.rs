//! JSON lists of which only the beginning is kept.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{IgnoredAny, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// The first items of a list, at most `MOST` (at least 1). The rest is parsed and dropped: `{},` takes three bytes in
/// the list, and a hundred times as much in memory.
pub(crate) fn first<'de, D: Deserializer<'de>, T: Deserialize<'de>, const MOST: usize>(
    list: D,
) -> Result<Vec<T>, D::Error> {
    list.deserialize_seq(First::<T, MOST>(PhantomData))
}

struct First<T, const MOST: usize>(PhantomData<T>);

impl<'de, T: Deserialize<'de>, const MOST: usize> Visitor<'de> for First<T, MOST> {
    type Value = Vec<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<T>, A::Error> {
        let mut first = Vec::new();
        while let Some(one) = list.next_element()? {
            first.push(one);
            if first.len() >= MOST {
                while list.next_element::<IgnoredAny>()?.is_some() {}
                break;
            }
        }
        Ok(first)
    }
}

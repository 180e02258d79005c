//! The index of the pieces on disk, in the order of their last use.

use std::collections::{BTreeMap, HashMap};

use tonearm_domain::ObjectKey;

use super::super::piece_id::PieceId;
use super::piece_file::bytes_on_disk;
use crate::object::ObjectMeta;

/// The most recently used pieces, which take at most `capacity` bytes on disk.
pub(super) struct Index {
    objects: HashMap<ObjectKey, Object>,
    /// By the moment of their last use.
    order: BTreeMap<u64, PieceId>,
    next_moment: u64,
    bytes: u64,
    capacity: u64,
}

struct Object {
    meta: ObjectMeta,
    /// When each piece was used last.
    pieces: HashMap<u64, u64>,
}

impl Index {
    pub(super) fn new(capacity: u64) -> Self {
        Self { objects: HashMap::new(), order: BTreeMap::new(), next_moment: 0, bytes: 0, capacity }
    }

    pub(super) fn has(&self, id: &PieceId) -> bool {
        self.objects.get(&id.key).is_some_and(|object| object.pieces.contains_key(&id.index))
    }

    pub(super) fn meta(&self, key: &ObjectKey) -> Option<ObjectMeta> {
        self.objects.get(key).map(|object| object.meta)
    }

    pub(super) fn objects(&self) -> Vec<ObjectKey> {
        self.objects.keys().cloned().collect()
    }

    /// Records a use of a piece, and returns the metadata of its object.
    pub(super) fn touch(&mut self, id: &PieceId) -> Option<ObjectMeta> {
        let object = self.objects.get_mut(&id.key)?;
        let moment = object.pieces.get_mut(&id.index)?;
        let place = self.order.remove(moment)?;
        *moment = self.next_moment;
        self.next_moment += 1;
        self.order.insert(*moment, place);
        Some(object.meta)
    }

    /// Adds a piece as the most recently used one, and returns the pieces that are evicted for it.
    pub(super) fn insert(&mut self, id: PieceId, meta: ObjectMeta) -> Vec<(PieceId, ObjectMeta)> {
        let mut evicted = Vec::new();
        if self.meta(&id.key).is_some_and(|known| known != meta)
            && let Some((other, pieces)) = self.remove_object(&id.key)
        {
            evicted.extend(pieces.into_iter().map(|piece| (piece, other)));
        }
        self.remove(&id);
        let object =
            self.objects.entry(id.key.clone()).or_insert_with(|| Object { meta, pieces: HashMap::new() });
        object.pieces.insert(id.index, self.next_moment);
        self.bytes += bytes_on_disk(&id, &meta);
        self.order.insert(self.next_moment, id);
        self.next_moment += 1;
        while self.bytes > self.capacity {
            let Some((_, oldest)) = self.order.first_key_value() else { break };
            let oldest = oldest.clone();
            let Some(meta) = self.remove(&oldest) else { break };
            evicted.push((oldest, meta));
        }
        evicted
    }

    /// Removes a piece, and returns the metadata of its object.
    pub(super) fn remove(&mut self, id: &PieceId) -> Option<ObjectMeta> {
        let object = self.objects.get_mut(&id.key)?;
        let moment = object.pieces.remove(&id.index)?;
        let meta = object.meta;
        if object.pieces.is_empty() {
            self.objects.remove(&id.key);
        }
        self.order.remove(&moment);
        self.bytes = self.bytes.saturating_sub(bytes_on_disk(id, &meta));
        Some(meta)
    }

    /// Removes all pieces of an object.
    pub(super) fn remove_object(&mut self, key: &ObjectKey) -> Option<(ObjectMeta, Vec<PieceId>)> {
        let object = self.objects.remove(key)?;
        let pieces = object.pieces.into_iter().map(|(index, moment)| {
            self.order.remove(&moment);
            let id = PieceId { key: key.clone(), index };
            self.bytes = self.bytes.saturating_sub(bytes_on_disk(&id, &object.meta));
            id
        });
        Some((object.meta, pieces.collect()))
    }
}

#[cfg(test)]
mod tests {
    use tonearm_domain::Timestamp;

    use super::*;

    fn key(number: u64) -> ObjectKey {
        let name = format!("018f0000-0000-7000-8000-{number:012x}/aaaaaaaaaaaa/hq.aaaaaaaaaaaa.mp3");
        name.parse().unwrap()
    }

    fn piece(number: u64) -> PieceId {
        PieceId { key: key(number), index: 0 }
    }

    fn meta() -> ObjectMeta {
        ObjectMeta { size: 1000, modified: Timestamp::from_unix_millis(0).unwrap(), version: 0 }
    }

    /// Many more objects than are known in memory.
    const MANY: u64 = 150_000;

    #[test]
    fn what_was_used_least_recently_goes_first_with_any_number_of_objects() {
        let one = bytes_on_disk(&piece(0), &meta());
        let mut index = Index::new(MANY * one);
        for number in 0..MANY {
            assert!(index.insert(piece(number), meta()).is_empty());
        }
        // All but the second are used again, the first of them last.
        for number in (2..MANY).chain([0]) {
            assert_eq!(index.touch(&piece(number)), Some(meta()));
        }
        assert_eq!(index.insert(piece(MANY), meta()), [(piece(1), meta())]);
        assert_eq!(index.insert(piece(MANY + 1), meta()), [(piece(2), meta())]);
        assert!(index.has(&piece(0)) && index.has(&piece(MANY)) && !index.has(&piece(1)));
        assert_eq!((index.meta(&key(0)), index.meta(&key(1))), (Some(meta()), None));
        assert_eq!((index.bytes, index.objects.len() as u64), (MANY * one, MANY));
    }

    #[test]
    fn objects_go_as_a_whole() {
        let mut index = Index::new(u64::MAX);
        let large = ObjectMeta { size: 600_000, ..meta() };
        let pieces = [0, 1, 2].map(|number| PieceId { key: key(1), index: number });
        for piece in &pieces {
            index.insert(piece.clone(), large);
        }
        let (found, mut removed) = index.remove_object(&key(1)).unwrap();
        removed.sort_by_key(|id| id.index);
        assert_eq!((found, &removed[..]), (large, &pieces[..]));
        assert!(index.bytes == 0 && index.order.is_empty() && index.remove_object(&key(1)).is_none());
        // An object with another size is another object.
        index.insert(pieces[2].clone(), large);
        assert_eq!(index.insert(pieces[0].clone(), meta()), [(pieces[2].clone(), large)]);
        assert_eq!(index.remove(&pieces[0]), Some(meta()));
        assert!(index.bytes == 0 && index.objects.is_empty());
    }
}

//! A budget of bytes that are held at the same time, shared by many holders.

use std::collections::{BTreeMap, HashMap};
use std::future::poll_fn;
use std::hash::{BuildHasher as _, Hash, RandomState};
use std::net::IpAddr;
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

/// A budget of bytes. As long as there are enough, everybody gets them. Otherwise the holder with the most gives up what
/// it has held longest, for others who have less: whoever asks for at most an equal share always gets it. Cheap to
/// clone; clones share the budget.
#[derive(Clone)]
pub struct ByteBudget(Arc<Budget>);

struct Budget {
    most: u64,
    /// Called when somebody had to give up bytes.
    displaced: fn(),
    hasher: RandomState,
    used: Mutex<Used>,
}

#[derive(Default)]
struct Used {
    total: u64,
    /// By the hash of the holder.
    holders: HashMap<u64, Holder>,
    /// The number of the next holding.
    next: u64,
}

#[derive(Default)]
struct Holder {
    bytes: u64,
    /// By number: the oldest first.
    holdings: BTreeMap<u64, Holding>,
}

#[derive(Default)]
struct Holding {
    bytes: u64,
    /// Woken when the bytes are given to another holder.
    waker: Option<Waker>,
}

/// Bytes that a holder has, until this is dropped, or until another holder needs them.
pub struct HeldBytes {
    budget: ByteBudget,
    holder: u64,
    /// The number of the holding; `None` before its first bytes.
    number: Option<u64>,
}

/// The memory of a request whose body is waited for, besides the body: the buffers of its connection, and what the layers
/// and handlers keep meanwhile.
pub const REQUEST_BYTES: u64 = 128 * 1024;

/// Why a body was not collected.
#[derive(Debug, PartialEq, Eq)]
pub enum CollectError<E> {
    /// It is larger than the limit.
    TooLarge,
    /// Its site has its share of the memory, or others need it.
    NoMemory,
    /// It ended early.
    Interrupted(E),
}

/// A budget for the bodies of requests that are collected in memory, and the site of a request. Servers add it to the
/// extensions of a request with a body.
#[derive(Clone)]
pub struct BodyBudget {
    /// The budget.
    pub budget: ByteBudget,
    /// The networks of the customer that the request comes from.
    pub site: IpAddr,
}

impl BodyBudget {
    /// Nothing yet, for the network of a request. Without a server, there is no limit.
    fn holder(bodies: Option<&Self>) -> HeldBytes {
        match bodies {
            Some(bodies) => bodies.budget.holder(bodies.site),
            None => ByteBudget::new(u64::MAX, || {}).holder(()),
        }
    }

    /// Holds [`REQUEST_BYTES`] for a request whose body is waited for; `None` if there is no room.
    pub fn begin(bodies: Option<&Self>) -> Option<HeldBytes> {
        let mut held = Self::holder(bodies);
        held.grow(REQUEST_BYTES).then_some(held)
    }

    /// Collects a body of at most `limit` bytes. Until it is complete, its memory counts, and so does that of its request.
    pub async fn collect<C: AsRef<[u8]>, E>(
        bodies: Option<&Self>,
        limit: usize,
        mut poll_next: impl FnMut(&mut Context<'_>) -> Poll<Option<Result<C, E>>>,
    ) -> Result<Vec<u8>, CollectError<E>> {
        let mut held = Self::begin(bodies).ok_or(CollectError::NoMemory)?;
        let mut whole = Vec::new();
        while let Some(chunk) = held.during(poll_fn(&mut poll_next)).await.ok_or(CollectError::NoMemory)? {
            let chunk = chunk.map_err(CollectError::Interrupted)?;
            let (chunk, had) = (chunk.as_ref(), whole.capacity());
            let length = whole.len() + chunk.len();
            if length > limit {
                return Err(CollectError::TooLarge);
            }
            if length > had {
                // Counted as it is allocated.
                let capacity = length.max((2 * had).min(limit));
                held.grow((capacity - had) as u64).then_some(()).ok_or(CollectError::NoMemory)?;
                whole.reserve_exact(capacity - whole.len());
            }
            whole.extend_from_slice(chunk);
        }
        Ok(whole)
    }
}

impl ByteBudget {
    /// A budget of at most `most` bytes, which calls `displaced` when somebody had to give up bytes.
    pub fn new(most: u64, displaced: fn()) -> Self {
        Self(Arc::new(Budget { most, displaced, hasher: RandomState::new(), used: Mutex::default() }))
    }

    /// Nothing yet, for a holder: a key, an organization or a network.
    pub fn holder(&self, holder: impl Hash) -> HeldBytes {
        HeldBytes { budget: self.clone(), holder: self.0.hasher.hash_one(holder), number: None }
    }

    fn used(&self) -> MutexGuard<'_, Used> {
        // After a panic the sums are still consistent.
        self.0.used.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Used {
    fn bytes_of(&self, holder: u64) -> u64 {
        self.holders.get(&holder).map_or(0, |holder| holder.bytes)
    }

    /// Makes room for bytes of a holder. The result is `None`, and nothing has changed, if those who have more than it
    /// then has could not give up enough.
    fn make_room(&mut self, most: u64, holder: u64, bytes: u64) -> Option<Vec<Holding>> {
        let own = self.bytes_of(holder).saturating_add(bytes);
        let excess = |total: u64| total.saturating_add(bytes).saturating_sub(most);
        let mut displaced = Vec::new();
        if excess(self.total) == 0 {
            return Some(displaced);
        }
        let others = self.holders.iter().filter(|(other, _)| **other != holder);
        let spare: u64 = others.map(|(_, other)| other.bytes.saturating_sub(own)).sum();
        if excess(self.total) > spare {
            return None;
        }
        while excess(self.total) > 0 {
            let largest = self.holders.iter().max_by_key(|(_, other)| other.bytes);
            let (holder, (number, _)) =
                largest.and_then(|(holder, largest)| Some((*holder, largest.holdings.first_key_value()?)))?;
            displaced.extend(self.remove(holder, *number));
        }
        Some(displaced)
    }

    fn remove(&mut self, of: u64, number: u64) -> Option<Holding> {
        let holder = self.holders.get_mut(&of)?;
        let holding = holder.holdings.remove(&number)?;
        holder.bytes -= holding.bytes;
        self.total -= holding.bytes;
        if holder.holdings.is_empty() {
            self.holders.remove(&of);
        }
        Some(holding)
    }

    /// Removes what a holder has held longest, except for one holding.
    fn remove_oldest_but(&mut self, of: u64, but: Option<u64>) -> Option<Holding> {
        let mut numbers = self.holders.get(&of)?.holdings.keys().copied();
        let oldest = numbers.find(|number| Some(*number) != but)?;
        self.remove(of, oldest)
    }

    /// A holding that was not displaced.
    fn holding(&mut self, of: u64, number: u64) -> Option<&mut Holding> {
        self.holders.get_mut(&of)?.holdings.get_mut(&number)
    }
}

impl HeldBytes {
    /// Adds bytes; `false`, and nothing is added, if they were displaced, or if there is no room and others have no more
    /// than this holder would have.
    #[must_use]
    pub fn grow(&mut self, bytes: u64) -> bool {
        let mut used = self.budget.used();
        if self.number.is_some_and(|number| used.holding(self.holder, number).is_none()) {
            return false;
        }
        if bytes == 0 {
            return true;
        }
        let Some(displaced) = used.make_room(self.budget.0.most, self.holder, bytes) else { return false };
        let next = &mut used.next;
        let number = *self.number.get_or_insert_with(|| {
            *next += 1;
            *next
        });
        used.total += bytes;
        let holder = used.holders.entry(self.holder).or_default();
        holder.bytes += bytes;
        holder.holdings.entry(number).or_default().bytes += bytes;
        drop(used);
        if !displaced.is_empty() {
            (self.budget.0.displaced)();
        }
        displaced.into_iter().filter_map(|holding| holding.waker).for_each(Waker::wake);
        true
    }

    /// Like [`Self::grow`], but where there is no room, the holder itself gives up what it has held longest.
    #[must_use]
    pub fn grow_instead(&mut self, bytes: u64) -> bool {
        while !self.grow(bytes) {
            let mut used = self.budget.used();
            let Some(displaced) = used.remove_oldest_but(self.holder, self.number) else { return false };
            drop(used);
            (self.budget.0.displaced)();
            displaced.waker.into_iter().for_each(Waker::wake);
        }
        true
    }

    /// Wakes when the bytes are given to another holder; at once, if they were. Only the last waker counts.
    pub fn wake_when_displaced(&self, waker: &Waker) {
        let Some(number) = self.number else { return };
        let mut used = self.budget.used();
        if let Some(holding) = used.holding(self.holder, number) {
            // Wakers are dropped without the lock.
            let previous = holding.waker.replace(waker.clone());
            drop(used);
            return drop(previous);
        }
        drop(used);
        waker.wake_by_ref();
    }

    /// What comes out of this work; `None` if the bytes are given to another holder meanwhile.
    pub async fn during<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let mut work = pin!(work);
        poll_fn(|context| {
            if let Poll::Ready(result) = work.as_mut().poll(context) {
                return Poll::Ready(Some(result));
            }
            if self.is_displaced() {
                return Poll::Ready(None);
            }
            self.wake_when_displaced(context.waker());
            Poll::Pending
        })
        .await
    }

    fn is_displaced(&self) -> bool {
        self.number.is_some_and(|number| self.budget.used().holding(self.holder, number).is_none())
    }
}

impl Drop for HeldBytes {
    fn drop(&mut self) {
        if let Some(number) = self.number {
            // Wakers are dropped without the lock.
            let removed = self.budget.used().remove(self.holder, number);
            drop(removed);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::random::random;

    fn budget(most: u64) -> ByteBudget {
        ByteBudget::new(most, || {})
    }

    #[test]
    fn who_has_the_most_gives_up_what_it_has_held_longest() {
        static DISPLACED: AtomicUsize = AtomicUsize::new(0);
        let budget = ByteBudget::new(1000, || {
            DISPLACED.fetch_add(1, Ordering::Relaxed);
        });
        let [mut first, mut second, mut third] = [(); 3].map(|()| budget.holder("one"));
        assert!(first.grow(300) && second.grow(400) && third.grow(100) && first.grow(200));
        assert!(!third.grow(1) && !budget.holder("one").grow(1), "all requests of a holder count together");
        let mut other = budget.holder("other");
        assert!(!other.grow(501), "it would have more than the first one then has");
        assert_eq!(DISPLACED.load(Ordering::Relaxed), 0);
        assert!(other.grow(400));
        assert!(first.is_displaced() && !second.is_displaced() && !third.is_displaced());
        assert!(!first.grow(1), "what was displaced does not begin again");
        assert_eq!(DISPLACED.load(Ordering::Relaxed), 1);
        assert!(other.grow(100) && !other.grow(1) && !second.grow(1), "both have half");
        drop((first, second));
        assert!(other.grow(400) && !third.grow(401));
        drop((third, other));
        assert!(budget.used().holders.is_empty() && budget.used().total == 0);
    }

    #[test]
    fn what_has_to_be_held_takes_the_place_of_what_the_holder_had_before() {
        let budget = budget(1000);
        let [mut first, mut second, mut third] = [(); 3].map(|()| budget.holder("one"));
        assert!(first.grow(600) && second.grow(400) && !third.grow(500));
        assert!(third.grow_instead(500) && first.is_displaced() && !second.is_displaced());
        assert!(third.grow_instead(500) && second.is_displaced() && !third.is_displaced());
        assert!(!third.grow_instead(1), "it gives up nothing of itself");
        let mut other = budget.holder("other");
        assert!(!other.grow_instead(501) && other.grow_instead(500), "others give up no more than before");
        assert!(third.is_displaced());
    }

    #[test]
    fn who_waits_learns_that_its_bytes_are_gone() {
        let budget = budget(1000);
        let mut held = budget.holder("one");
        assert!(held.grow(1000));
        let mut context = Context::from_waker(Waker::noop());
        assert_eq!(pin!(held.during(ready(7))).poll(&mut context), Poll::Ready(Some(7)));
        let mut waiting = pin!(held.during(pending::<()>()));
        assert_eq!(waiting.as_mut().poll(&mut context), Poll::Pending);
        assert!(budget.holder("other").grow(1));
        assert_eq!(waiting.poll(&mut context), Poll::Ready(None));
    }

    /// A body that arrives in these chunks, and then stalls or ends.
    fn body(
        chunks: &[usize],
        ends: bool,
    ) -> impl FnMut(&mut Context<'_>) -> Poll<Option<Result<Vec<u8>, ()>>> {
        let mut left = chunks.iter().copied();
        move |_| match left.next() {
            Some(bytes) => Poll::Ready(Some(Ok(vec![b'a'; bytes]))),
            None if ends => Poll::Ready(None),
            None => Poll::Pending,
        }
    }

    #[test]
    fn bodies_that_arrive_count_towards_the_memory_of_their_network() {
        let budget = budget(3 * REQUEST_BYTES);
        let bodies = BodyBudget { budget: budget.clone(), site: "192.0.2.1".parse().unwrap() };
        let mut context = Context::from_waker(Waker::noop());
        let held = || budget.used().total;
        let mut idle = Box::pin(BodyBudget::collect(Some(&bodies), 1000, body(&[], false)));
        assert!(idle.as_mut().poll(&mut context).is_pending());
        assert_eq!(held(), REQUEST_BYTES, "also before the first byte");
        let mut stalled = Box::pin(BodyBudget::collect(Some(&bodies), 1000, body(&[600, 1], false)));
        assert!(stalled.as_mut().poll(&mut context).is_pending());
        assert_eq!(held(), 2 * REQUEST_BYTES + 1000, "as it is allocated");
        let whole = |chunks: &[usize]| {
            let mut collecting = pin!(BodyBudget::collect(Some(&bodies), 1000, body(chunks, true)));
            match collecting.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
                Poll::Ready(collected) => collected.map(|whole| whole.len()),
                Poll::Pending => panic!("it has arrived"),
            }
        };
        assert_eq!(whole(&[10]), Err(CollectError::NoMemory));
        drop(stalled);
        assert_eq!((whole(&[10, 20]), whole(&[600, 401])), (Ok(30), Err(CollectError::TooLarge)));
        // Another network has less, and needs some of it.
        let mut second = Box::pin(BodyBudget::collect(Some(&bodies), 1000, body(&[], false)));
        assert!(second.as_mut().poll(&mut context).is_pending());
        let mut other = budget.holder("another");
        assert!(other.grow(5 * REQUEST_BYTES / 4));
        assert_eq!(idle.as_mut().poll(&mut context), Poll::Ready(Err(CollectError::NoMemory)));
        assert!(second.as_mut().poll(&mut context).is_pending());
        drop((other, second));
        assert_eq!(held(), 0, "nothing is held by bodies that have arrived or were refused");
    }

    /// However many greedy holders there are, and whatever they do, in random order: who asks for at most an equal share
    /// gets it, and nobody loses bytes to somebody who then has more.
    #[test]
    fn everybody_gets_an_equal_share() {
        const MOST: u64 = 1 << 20;
        for seed in 1..=20_u64 {
            let mut next = random(seed);
            let (budget, greedy) = (budget(MOST), 1 + next(40));
            let mut held: Vec<(u64, HeldBytes)> = Vec::new();
            for step in 0..2000 {
                let (who, bytes) = (next(greedy), 1 + next(65_536));
                let more = match next(3) == 0 && !held.is_empty() {
                    true => held.swap_remove(next(held.len() as u64) as usize),
                    false => (who, budget.holder(who)),
                };
                let (who, mut more) = more;
                let of = |who: u64| budget.used().bytes_of(budget.holder(who).holder);
                let before: Vec<u64> = (0..greedy).map(of).collect();
                let was_displaced = more.is_displaced();
                let (own, others) = (before[who as usize] + bytes, before.iter().filter(|held| **held > 0));
                let holders = others.count() as u64 + u64::from(before[who as usize] == 0);
                let got = more.grow(bytes);
                assert!(got || was_displaced || own > MOST / holders, "seed {seed}, step {step}: {own}");
                for (other, before) in before.iter().enumerate().filter(|(other, _)| *other as u64 != who) {
                    assert!(
                        of(other as u64) == *before || (got && *before > own),
                        "seed {seed}, step {step}"
                    );
                }
                assert!(budget.used().total <= MOST);
                held.push((who, more));
                held.retain(|(_, held)| !held.is_displaced());
                if next(4) == 0 && !held.is_empty() {
                    held.swap_remove(next(held.len() as u64) as usize);
                }
                let share = MOST / (1 + budget.used().holders.len() as u64);
                assert!(budget.holder("modest").grow(share), "seed {seed}, step {step}: {share}");
                held.retain(|(_, held)| !held.is_displaced());
            }
        }
    }
}

//! Work that is run again because the database ended its transaction in favour of others.

use std::time::Duration;

use tonearm_domain::Ambient;

/// How many times such work is run at most.
const MOST_ATTEMPTS: u32 = 6;

/// The longest pause before the second attempt. It doubles with each further one.
const FIRST_PAUSE: Duration = Duration::from_millis(10);

/// Runs work again, after a growing random pause, as long as it was a victim and `again` returns more of it.
pub async fn again_if_victim<F: Future>(
    ambient: &Ambient,
    work: F,
    mut again: impl FnMut() -> Option<F>,
    is_victim: impl Fn(&F::Output) -> bool,
) -> F::Output {
    let mut output = work.await;
    for earlier in 0..MOST_ATTEMPTS - 1 {
        if !is_victim(&output) {
            break;
        }
        let Some(work) = again() else { break };
        let [part] = ambient.random::<1>();
        tokio::time::sleep(FIRST_PAUSE * 2_u32.pow(earlier) * u32::from(part) / 255).await;
        output = work.await;
    }
    output
}

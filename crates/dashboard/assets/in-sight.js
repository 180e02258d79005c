// Pages that nobody sees ask for nothing, and those that are seen for long ask less and less often.

const FIRST_MS = 1500;
const LONGEST_MS = 30_000;

/** Waits so many milliseconds, and until the page is seen. */
export function pause(ms) {
  return new Promise((done) => {
    let isOver = false;
    const go = () => {
      if (!isOver || document.hidden) return;
      document.removeEventListener("visibilitychange", go);
      done();
    };
    document.addEventListener("visibilitychange", go);
    setTimeout(() => {
      isOver = true;
      go();
    }, ms);
  });
}

/** Looks as long as `isDue`, less and less often while `look` finds nothing new. */
export async function watch(isDue, look) {
  let wait = FIRST_MS;
  while (isDue()) {
    await pause(wait);
    wait = (await look()) ? FIRST_MS : Math.min(wait * 1.5, LONGEST_MS);
  }
}

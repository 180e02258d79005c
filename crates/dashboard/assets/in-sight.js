// Pages that nobody sees ask for nothing.

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

import { pause } from "./in-sight.js";

const FIRST_MS = 1500;
const LONGEST_MS = 30_000;

/** Looks while `isDue`, less and less often until something is new. */
export async function watch(isDue, look) {
  let wait = FIRST_MS;
  while (isDue()) {
    await pause(wait);
    wait = (await look()) ? FIRST_MS : Math.min(wait * 1.5, LONGEST_MS);
  }
}

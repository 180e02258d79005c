/** Pauses, deadlines and what ends them early. */

import { TimedOutError, TonearmError } from "./errors.js";

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 30_000;

/**
 * Waits, unless `signal` ends it: then it throws the signal's reason.
 *
 * @param {number} milliseconds
 * @param {AbortSignal} [signal]
 * @returns {Promise<void>}
 */
export function sleep(milliseconds, signal) {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const end = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", end);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", end, { once: true });
  });
}

/**
 * Does something with a signal that is aborted after some time, or with `signal`.
 *
 * @template T
 * @param {number} milliseconds
 * @param {AbortSignal | undefined} signal
 * @param {(signal: AbortSignal) => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function within(milliseconds, signal, work) {
  signal?.throwIfAborted();
  const controller = new AbortController();
  const late = new TimedOutError(`the service did not respond within ${milliseconds / 1000} seconds`);
  const timer = setTimeout(() => controller.abort(late), milliseconds);
  const pass = () => controller.abort(signal?.reason);
  signal?.addEventListener("abort", pass, { once: true });
  try {
    return await work(controller.signal);
  } catch (error) {
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", pass);
  }
}

/** The failures of one undertaking since it last got on. */
export class Attempts {
  /** @param {number} patience Milliseconds after which something that keeps failing is given up. */
  constructor(patience) {
    this.patience = patience;
    this.gotOn();
  }

  /** Something was achieved, so patience begins anew. */
  gotOn() {
    this.since = Date.now();
    this.failures = 0;
  }

  /**
   * Waits until another attempt is worthwhile. Throws the error if none is, or if it would take too long.
   *
   * @param {unknown} error
   * @param {AbortSignal} [signal]
   */
  async waitAfter(error, signal) {
    if (!(error instanceof TonearmError) || !error.isTemporary) throw error;
    const asked = "retryAfter" in error && typeof error.retryAfter === "number" ? error.retryAfter : 0;
    const pause = Math.max(pauseAfter(this.failures), asked);
    if (Date.now() - (this.since ?? 0) + pause > this.patience) throw error;
    this.failures = (this.failures ?? 0) + 1;
    await sleep(pause, signal);
  }
}

/**
 * Between half of the full pause and all of it, so that clients that failed together do not come back together.
 *
 * @param {number} [failures]
 */
function pauseAfter(failures = 0) {
  const full = Math.min(FIRST_PAUSE * 2 ** Math.min(failures, 16), LONGEST_PAUSE);
  return full * (0.5 + Math.random() / 2);
}

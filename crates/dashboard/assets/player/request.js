// Requests with a deadline. Whatever fails becomes a problem.

import { isPassing, Problem } from "./problem.js";
import { ready } from "./texts.js";

const DEADLINE_MS = 20_000;

/** After how long something that nobody waits for is tried again. */
export const PAUSES_MS = [1000, 4000, 16_000, 64_000, 256_000];

/** @template T @param {(signal: AbortSignal) => Promise<T>} request @returns {Promise<T>} */
async function withDeadline(request) {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), DEADLINE_MS);
  try {
    return await request(abort.signal);
  } finally {
    clearTimeout(timer);
    // Nobody reads what is left of a body.
    abort.abort();
  }
}

/** What is asked for, tried again where that may help; null if it cannot be had. @template T @param {() => Promise<T>} ask @returns {Promise<T | null>} */
export async function persist(ask) {
  for (const pause of [...PAUSES_MS, 0]) {
    try {
      return await ask();
    } catch ({ kind }) {
      if (!pause || !isPassing(kind)) return null;
    }
    await new Promise((done) => { setTimeout(done, pause); });
  }
}

/**
 * @param {string | URL} url
 * @param {(status: number, body: any) => import("./problem.js").ProblemKind} refused what a status from 400 to 499 means; by default, that a link has ended
 * @returns {Promise<any>}
 */
export async function requestJson(url, refused = () => "link") {
  const headers = { accept: "application/json" };
  const body = await request(url, headers, (response) => response.json().catch(() => null), refused);
  if (!body) throw new Problem("unavailable");
  // What has no name is given one.
  await ready();
  return body;
}

/** @param {string} url @returns {Promise<string>} */
export function requestText(url) {
  return request(url, {}, (response) => response.text(), () => "missing");
}

async function request(url, headers, read, refused) {
  try {
    return await withDeadline(async (signal) => {
      const response = await fetch(url, { credentials: "same-origin", headers, signal });
      const { ok, status } = response;
      if (status >= 500 || status === 408 || status === 429) throw new Problem("unavailable");
      const body = await read(response);
      if (!ok) throw new Problem(refused(status, body));
      return body;
    });
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem(error.name === "AbortError" ? "unavailable" : "offline");
  }
}

/**
 * Why an address that was signed a moment ago does not play; null if the server delivers it, or nobody can tell.
 * @returns {Promise<import("./problem.js").ProblemKind | null>}
 */
export async function whyNotDelivered(url) {
  let isForbidden = false;
  // By the security policy of the page, so that the failure proves nothing.
  const forbid = ({ blockedURI }) => { isForbidden ||= url.startsWith(blockedURI); };
  document.addEventListener("securitypolicyviolation", forbid);
  try {
    const { status } = await withDeadline(async (signal) => {
      try {
        return await fetch(url, { headers: { range: "bytes=0-0" }, signal });
      } catch {
        // The browser tells of its policy a moment later.
        await new Promise((done) => { setTimeout(done); });
        if (isForbidden && navigator.onLine !== false) return { status: 0 };
        // An answer that may not be read shows that the server is there.
        return fetch(url, { mode: "no-cors", signal });
      }
    });
    if (status === 404 || status === 410) return "missing";
    return status >= 400 ? "unavailable" : null;
  } catch {
    return "offline";
  } finally {
    document.removeEventListener("securitypolicyviolation", forbid);
  }
}

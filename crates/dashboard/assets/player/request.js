// Requests for JSON, with a deadline. Whatever fails becomes a problem.

import { Problem } from "./problem.js";

const DEADLINE_MS = 20_000;

/**
 * @param {string | URL} url
 * @param {(status: number, body: any) => import("./problem.js").ProblemKind} refused what a status from 400 to 499 means
 * @returns {Promise<any>}
 */
export async function requestJson(url, refused) {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), DEADLINE_MS);
  try {
    const headers = { accept: "application/json" };
    const response = await fetch(url, { credentials: "same-origin", headers, signal: abort.signal });
    const { ok, status } = response;
    if (status >= 500 || status === 408 || status === 429) throw new Problem("unavailable");
    const body = await response.json().catch(() => null);
    if (!ok) throw new Problem(refused(status, body));
    if (!body) throw new Problem("unavailable");
    return body;
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw new Problem(abort.signal.aborted ? "unavailable" : "offline");
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Why an address that was signed a moment ago does not play; null if the server delivers it, or nobody can tell.
 * @returns {Promise<import("./problem.js").ProblemKind | null>}
 */
export async function whyNotDelivered(url) {
  const abort = new AbortController();
  const timer = setTimeout(() => abort.abort(), DEADLINE_MS);
  try {
    const { status } = await fetch(url, { headers: { range: "bytes=0-0" }, signal: abort.signal });
    if (status === 404 || status === 410) return "missing";
    return status >= 400 ? "unavailable" : null;
  } catch {
    // A security policy may forbid the request, so the failure alone proves nothing.
    return navigator.onLine === false ? "offline" : null;
  } finally {
    abort.abort();
    clearTimeout(timer);
  }
}

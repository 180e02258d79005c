/** Webhooks: whether a request comes from the service. See docs/webhooks.md. */

import { SignatureError } from "./errors.js";
import { webCrypto } from "./platform.js";

/** @import { WebhookEvent } from "./generated/types.js" */

/**
 * @typedef {object} WebhookRequest
 * @property {string | readonly string[]} secret The secret of the webhook, `whsec_…`; several while you replace one.
 * @property {Headers | Record<string, string | string[] | undefined>} headers The headers of the request.
 * @property {string | Uint8Array | ArrayBuffer} body The body as it was received, before anything parsed it.
 * @property {number} [tolerance] How many milliseconds the time of the request may be off. Default: 300,000.
 * @property {number} [now] The current time, in milliseconds since 1970. Default: the clock.
 */

const TOLERANCE = 300_000;

/**
 * Checks the signature and the time of a request, and returns the event that it carries. Throws a `SignatureError` if it does not come
 * from the service, or was sent long ago.
 *
 * @param {WebhookRequest} request
 * @returns {Promise<WebhookEvent>}
 */
export async function verifyWebhook({ secret, headers, body, tolerance = TOLERANCE, now = Date.now() }) {
  const [id, timestamp, signatures] = ["webhook-id", "webhook-timestamp", "webhook-signature"].map((name) =>
    header(headers, name),
  );
  if (!id || !timestamp || !signatures) throw new SignatureError("the request has no signature");
  const isTime = /^\d{1,12}$/.test(timestamp);
  if (!isTime || Math.abs(now - Number(timestamp) * 1000) > tolerance) {
    throw new SignatureError("the request was sent long ago, or the clock is wrong");
  }
  const bytes = bytesOf(body);
  const signed = joined(new TextEncoder().encode(`${id}.${timestamp}.`), bytes);
  for (const one of typeof secret === "string" ? [secret] : secret) {
    if (await isSigned(one, signed, signatures)) return parsed(bytes);
  }
  throw new SignatureError("the signature does not match; is the secret the one of this webhook?");
}

/**
 * @param {string} secret
 * @param {Uint8Array<ArrayBuffer>} signed
 * @param {string} signatures
 */
async function isSigned(secret, signed, signatures) {
  const bytes = decoded(secret.replace(/^whsec_/, ""));
  if (!bytes || bytes.length === 0) throw new TypeError("the secret of a webhook is `whsec_` and base64");
  const { subtle } = await webCrypto();
  const key = await subtle.importKey("raw", bytes, { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  for (const signature of signatures.split(" ")) {
    const mac = signature.startsWith("v1,") ? decoded(signature.slice(3)) : null;
    // `verify` takes the same time wherever the two differ.
    if (mac && (await subtle.verify("HMAC", key, mac, signed))) return true;
  }
  return false;
}

/** @param {string} base64 */
function decoded(base64) {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}

/**
 * @param {WebhookRequest["headers"]} headers
 * @param {string} name
 */
function header(headers, name) {
  if (headers instanceof Headers) return headers.get(name);
  const found = Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
  return Array.isArray(found) ? found[0] : found;
}

/** @param {WebhookRequest["body"]} body */
function bytesOf(body) {
  if (typeof body === "string") return new TextEncoder().encode(body);
  return body instanceof ArrayBuffer ? new Uint8Array(body) : body;
}

/**
 * @param {Uint8Array} first
 * @param {Uint8Array} second
 */
function joined(first, second) {
  const whole = new Uint8Array(first.length + second.length);
  whole.set(first);
  whole.set(second, first.length);
  return whole;
}

/** @param {Uint8Array} bytes */
function parsed(bytes) {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (cause) {
    throw new SignatureError("the body is signed, but it is not JSON", { cause });
  }
}

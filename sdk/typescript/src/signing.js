/** Signs delivery URLs with a signing key of the organization. See docs/signed-urls.md. */

import { webCrypto } from "./platform.js";

/**
 * @typedef {object} SignedUrl
 * @property {string} deliveryUrl The URL of delivery, such as `https://audio.example.com`.
 * @property {string} path The path of a file, as playback data and webhooks have it, or a durable name.
 * @property {string} secret The secret of a signing key.
 * @property {string} [kid] The id of the signing key, so that the URL is verified with this key only.
 * @property {number} [ttl] For how many seconds the URL is valid. Default: one hour.
 * @property {string} [attachment] Makes the response a download with this file name.
 * @property {boolean} [isPublic] Lets shared caches keep the response.
 * @property {number} [issued] The time of signing, in Unix seconds. Default: now.
 */

/**
 * Signs the URL of a file. Keep the secret on your server.
 *
 * @param {SignedUrl} url
 * @returns {Promise<string>}
 */
export async function signUrl({ deliveryUrl, path, secret, kid, ttl, attachment, isPublic, issued }) {
  if (ttl !== undefined && !(Number.isInteger(ttl) && ttl > 0)) throw new TypeError("ttl is a whole number of seconds");
  const parameters = [
    attachment === undefined ? "" : `attachment=${percentEncoded(attachment)}`,
    isPublic ? "cache=public" : "",
    ttl === undefined ? "" : `ttl=${ttl}`,
    kid === undefined ? "" : `kid=${kid}`,
  ].filter(Boolean);
  const signed = `/${path.replace(/^\//, "")}${parameters.length ? `?${parameters.join("&")}` : ""}`;
  const time = String(issued ?? Math.floor(Date.now() / 1000));
  const encoder = new TextEncoder();
  const { subtle } = await webCrypto();
  const key = await subtle.importKey("raw", encoder.encode(secret), { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  const mac = new Uint8Array(await subtle.sign("HMAC", key, encoder.encode(signed + time)));
  const text = btoa(String.fromCharCode(...mac)).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  return `${deliveryUrl.replace(/\/+$/, "")}${signed}${parameters.length ? "&" : "?"}verify=${time}-${text}`;
}

/** @param {string} text */
function percentEncoded(text) {
  const escaped = (/** @type {string} */ character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
  return encodeURIComponent(text).replace(/[!'()*]/g, escaped);
}

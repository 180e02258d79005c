/** Requests with a key, repeated where that may help. */

import { ApiError, ConnectionFailedError, NotFoundError, TonearmError, UnexpectedAnswerError, errorOf } from "./errors.js";
import { webCrypto } from "./platform.js";
import { Attempts, within } from "./time.js";

/**
 * @typedef {object} TonearmOptions
 * @property {string | URL} server The URL of the service, such as `https://audio.example.com`.
 * @property {string} [apiKey] An API key. Leave it out in browsers, where the ids of sessions are the credentials.
 * @property {number} [timeout] Milliseconds that one request may take. Default: 120,000.
 * @property {number} [retryFor] Milliseconds after which something that keeps failing is given up; 0 for no second attempt. Default: 60,000.
 * @property {(url: string, init: RequestInit) => Promise<Response>} [fetch] What sends requests. Default: the global `fetch`.
 */

/**
 * @typedef {object} RequestOptions
 * @property {AbortSignal} [signal] Ends the request, and all further attempts.
 * @property {number} [timeout] Milliseconds that one attempt may take.
 * @property {string} [idempotencyKey] For POST requests. A request with the same key has one effect, even if another process sends it. Default: a random one.
 */

/**
 * @typedef {object} Call
 * @property {string} method
 * @property {string} path
 * @property {object} [query]
 * @property {object} [body]
 * @property {boolean} [needsKey]
 * @property {"json" | "text"} [as]
 */

/** Sends requests to one service. */
export class Transport {
  #apiKey;
  #fetch;

  /** @param {TonearmOptions} options */
  constructor({ server, apiKey, timeout = 120_000, retryFor = 60_000, fetch }) {
    const url = new URL(server);
    if (!/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash) {
      throw new TypeError("server must be an http or https URL without credentials, such as https://audio.example.com");
    }
    if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
      throw new TypeError("apiKey is not valid; it has letters, digits and _");
    }
    /** The URL of the service, without a slash at its end. */
    this.server = url.href.replace(/\/+$/, "");
    this.timeout = timeout;
    this.retryFor = retryFor;
    this.#apiKey = apiKey;
    // Browsers refuse to call their `fetch` as a method of something else.
    this.#fetch = fetch ?? ((/** @type {string} */ url, /** @type {RequestInit} */ init) => globalThis.fetch(url, init));
  }

  /**
   * Sends a request to a path of the service, and repeats it while that may help. You need this only for what has no method.
   *
   * @param {Call} call
   * @param {RequestOptions} [options]
   * @returns {Promise<any>}
   */
  async request(call, options = {}) {
    const { method, path, query, body, needsKey = true, as = "json" } = call;
    /** @type {Record<string, string>} */
    const headers = { Accept: as === "json" ? "application/json" : "*/*" };
    if (needsKey && this.#apiKey) headers.Authorization = `Bearer ${this.#apiKey}`;
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (method === "POST") headers["Idempotency-Key"] = options.idempotencyKey ?? (await randomText());
    const init = { method, headers, body: body === undefined ? undefined : JSON.stringify(body) };
    let mayHaveEffect = false;
    return this.retried(options.signal, async () => {
      try {
        return await this.send(`${this.server}${path}${written(query)}`, init, options, async (response) => {
          if (!response.ok) throw await errorOf(response);
          return as === "json" ? await json(response) : await response.text();
        });
      } catch (error) {
        // An earlier attempt has deleted it, and its answer was lost.
        const isDone = method === "DELETE" && mayHaveEffect && error instanceof NotFoundError && error.code !== "";
        if (isDone) return { ok: true, api_request_id: error.requestId };
        mayHaveEffect ||= leavesOpen(error);
        throw error;
      }
    });
  }

  /**
   * Repeats what fails while that may help.
   *
   * @template T
   * @param {AbortSignal | undefined} signal
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  async retried(signal, work) {
    const attempts = new Attempts(this.retryFor);
    for (;;) {
      try {
        return await work();
      } catch (error) {
        await attempts.waitAfter(error, signal);
      }
    }
  }

  /**
   * Sends one request, and reads the answer within the time that it may take.
   *
   * @template T
   * @param {string} url
   * @param {RequestInit} init
   * @param {{ signal?: AbortSignal, timeout?: number }} options
   * @param {(response: Response) => Promise<T>} read
   * @returns {Promise<T>}
   */
  send(url, init, { signal, timeout = this.timeout }, read) {
    return within(timeout, signal, async (both) => {
      let response;
      try {
        response = await this.#fetch(url, { ...init, redirect: "error", signal: both });
      } catch (cause) {
        // The URL may be a credential, so the message has only the host.
        throw new ConnectionFailedError(`${new URL(url).host} cannot be reached`, { cause });
      }
      try {
        return await read(response);
      } catch (cause) {
        if (cause instanceof TypeError) throw new ConnectionFailedError("the answer broke off", { cause });
        throw cause;
      }
    });
  }

  /**
   * Reads a list page by page.
   *
   * @param {(page: { cursor?: string, offset?: number }) => Promise<any>} read
   * @param {string} field
   * @param {"cursor" | "offset"} by
   * @param {{ cursor?: string, offset?: number }} [from]
   * @returns {AsyncGenerator<any, void, undefined>}
   */
  async *pages(read, field, by, from) {
    if (by === "cursor") {
      /** @type {string | null | undefined} */
      let cursor = from?.cursor ?? "";
      do {
        const page = await read({ cursor });
        yield* page[field];
        cursor = page.next_cursor;
      } while (cursor);
      return;
    }
    let offset = from?.offset ?? 0;
    for (;;) {
      const page = await read({ offset });
      yield* page[field];
      offset += page[field].length;
      if (page[field].length === 0 || offset >= page.count) return;
    }
  }
}

/**
 * Whether the request may have had its effect all the same. Proxies answer with 5xx, too, if an answer does not reach them.
 *
 * @param {unknown} error
 */
function leavesOpen(error) {
  return error instanceof TonearmError && (!(error instanceof ApiError) || error.status >= 500);
}

/** @param {Response} response */
async function json(response) {
  const text = await response.text();
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UnexpectedAnswerError("the server does not respond as a Tonearm service does", { cause });
  }
}

/** @param {object} [query] */
function written(query = {}) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== null) parameters.append(name, String(value));
  }
  const text = parameters.toString();
  return text && `?${text}`;
}

/** 128 random bits. */
async function randomText() {
  const bytes = (await webCrypto()).getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

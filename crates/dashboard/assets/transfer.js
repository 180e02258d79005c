// Sends one file to its upload URL, and continues after whatever breaks: the network, the server, a closed page. The server
// tells how much it has (the resumable upload protocol of the IETF).

import { request } from "./signing-in.js";
import { t } from "./texts.js";

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 20000;
/** A request in which nothing moves for so long is given up; another one continues. */
const STALLED_MS = 30000;
/** The first size of pieces where a proxy refuses the whole file, and the smallest. */
const PIECE = 32 * 1024 * 1024;
const LEAST_PIECE = 256 * 1024;

/** An upload that cannot be continued. */
export class UploadError extends Error {}

/** The file is empty, or not the one that was chosen any more: it was changed, moved or deleted. Or it is a folder. */
export class Unreadable extends UploadError {}

/**
 * Fails where a file cannot be read. A request that sends such a file fails as if there were no network. `size` is what it had
 * when it was chosen: a file that is gone may have none, and reads as an empty one.
 */
export async function checkReadable(file, size = file.size) {
  const gone = () => {
    throw new Unreadable(t("script-upload-file-gone"));
  };
  if (file.size !== size) gone();
  await file.slice(0, file.size && 1).arrayBuffer().catch(gone);
  if (file.size === 0) throw new Unreadable(t("script-upload-empty"));
}

/** The upload was paused or cancelled. */
export class Stopped extends Error {}

/** Pauses between attempts, each longer than the one before. */
export class Pauses {
  #next = FIRST_PAUSE_MS;
  /** Ends the pause. */
  wake = () => {};

  /** Something was achieved. */
  reset() {
    this.#next = FIRST_PAUSE_MS;
  }

  /** Waits until another attempt is worthwhile: when the network is back, or, if the server names a time, not before it. */
  rest(retryAfter) {
    const least = Number(retryAfter) * 1000 || 0;
    const pause = Math.max(this.#next, least);
    this.#next = Math.min(this.#next * 2, LONGEST_PAUSE_MS);
    return new Promise((done) => {
      const timer = setTimeout(() => this.wake(), pause);
      this.wake = () => {
        clearTimeout(timer);
        removeEventListener("online", this.wake);
        done();
      };
      if (!least) addEventListener("online", this.wake);
    });
  }
}

/** What is said during a pause. */
function reason(status) {
  return t(UNAVAILABLE.includes(status) ? "script-upload-unavailable" : "script-upload-disconnected");
}

/**
 * Asks for an address to upload to, until there is an answer that will stay the same. `waits` is called with a sentence before
 * each pause.
 */
export async function begin(address, fields, { pauses, waits, isStopped }) {
  for (;;) {
    if (isStopped()) throw new Stopped();
    const sent = { method: "POST", body: new URLSearchParams(fields), redirect: "manual" };
    const answer = await request(address, sent).catch(() => null);
    if (answer?.ok) return answer.json();
    // A redirect has no status.
    if (answer && !(answer.status && isTemporary(answer.status))) throw new UploadError((await message(answer)) ?? t("script-upload-not-started"));
    if (isStopped()) throw new Stopped();
    waits(reason(answer?.status));
    await pauses.rest(answer?.headers.get("retry-after"));
  }
}

async function message(answer) {
  const text = await answer.text();
  try {
    return JSON.parse(text).message;
  } catch {
    // The page of an error says it in its first paragraph.
    const { body } = new DOMParser().parseFromString(text, "text/html");
    return body.querySelector("main p")?.textContent;
  }
}

export class Transfer {
  #request = null;
  #isStopped = false;
  #piece = Infinity;
  #pauses = new Pauses();
  /** The last answer. */
  #last = null;

  /**
   * `moved` is called with the bytes that were sent, `waits` with a sentence before each pause. Nothing was sent to an address
   * that is new: the server is not asked.
   */
  constructor(file, url, { moved, waits, isNew = false }) {
    Object.assign(this, { file, url, moved, waits, isNew });
  }

  stop() {
    this.#isStopped = true;
    this.#request?.abort();
    this.#pauses.wake();
  }

  /** Sends what is missing. It ends when the whole file is there, and fails only if trying on makes no sense. */
  async send() {
    this.#isStopped = false;
    await checkReadable(this.file);
    if (this.#isStopped) throw new Stopped();
    for (;;) {
      const offset = this.isNew ? 0 : await this.#known();
      this.isNew = false;
      if (offset === this.file.size) return;
      const isDone = await this.#append(offset);
      if (this.#isStopped) throw new Stopped();
      if (isDone) return;
      if (isDone === null) await this.#rest();
    }
  }

  /** Removes what the server has of the file. */
  async discard() {
    this.stop();
    await fetch(this.url, { method: "DELETE" }).catch(() => null);
  }

  /** How much the server has; it is asked until it can be. */
  async #known() {
    for (;;) {
      if (this.#isStopped) throw new Stopped();
      const offset = await this.#offset();
      if (this.#isStopped) throw new Stopped();
      if (offset !== null) return offset;
      await this.#rest();
    }
  }

  #rest() {
    const { status, headers } = this.#last;
    this.waits(reason(status));
    return this.#pauses.rest(headers("retry-after"));
  }

  /** How much the server has; nothing if it cannot be asked. */
  async #offset() {
    const { status, headers } = await this.#ask("HEAD");
    if (status === 404) return 0;
    if (status === 204) return headers("upload-complete") === "?1" ? this.file.size : Number(headers("upload-offset"));
    if (isTemporary(status)) return null;
    if (status === 410) throw new UploadError(t("script-upload-expired"));
    throw new UploadError(t("script-upload-rejected-again"));
  }

  /** Sends the next piece. `true`: it was the last one; `false`: more is missing; nothing if it broke off. */
  async #append(offset) {
    const end = Math.min(this.file.size, offset + this.#piece);
    const isLast = end === this.file.size;
    const headers = { "upload-complete": isLast ? "?1" : "?0", "upload-length": String(this.file.size) };
    if (offset > 0) Object.assign(headers, { "upload-offset": String(offset), "content-type": "application/partial-upload" });
    const method = offset > 0 ? "PATCH" : "PUT";
    const sent = await this.#ask(method, headers, this.file.slice(offset, end), (bytes) => {
      this.#pauses.reset();
      this.moved(offset + bytes);
    });
    if ([200, 201, 204].includes(sent.status)) return isLast;
    if (sent.status === 409 && sent.code === "upload_offset_mismatch") return false;
    if (sent.status === 413 && sent.code === null && end - offset > LEAST_PIECE) return this.#shrink(end - offset);
    if (sent.status === 0) await checkReadable(this.file);
    if (isTemporary(sent.status) || sent.code === "upload_interrupted") return null;
    throw new UploadError(t(REFUSALS[sent.code] ?? "script-upload-rejected"));
  }

  /** A proxy takes no request of this size: it says 413, and not in the words of the service. */
  #shrink(refused) {
    this.#piece = Math.max(LEAST_PIECE, Math.min(PIECE, refused / 2));
    return false;
  }

  /** A status of 0 stands for no answer. */
  #ask(method, headers = {}, body = null, moved = () => {}) {
    return new Promise((done) => {
      const request = new XMLHttpRequest();
      this.#request = request;
      let stalled = 0;
      const alive = () => {
        clearTimeout(stalled);
        stalled = setTimeout(() => request.abort(), STALLED_MS);
      };
      request.open(method, this.url);
      for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
      request.upload.onprogress = ({ loaded }) => {
        alive();
        moved(loaded);
      };
      request.onloadend = () => {
        clearTimeout(stalled);
        this.#request = null;
        const { code = null } = answer(request);
        this.#last = { status: request.status, code, headers: (name) => request.getResponseHeader(name) };
        done(this.#last);
      };
      alive();
      request.send(body);
    });
  }
}

/** What the codes of refusals mean to whoever uploads. */
const REFUSALS = {
  invalid_parameter: "script-upload-unreadable",
  invalid_upload_url: "script-upload-rejected-again",
  quota_exceeded: "script-upload-quota",
  too_large: "script-upload-too-large",
  upload_url_expired: "script-upload-expired",
  upload_url_used: "script-upload-used",
};

/** Too many requests, or a part of the service that is away. */
const UNAVAILABLE = [429, 500, 502, 503, 504, 507];

/** The same request may succeed later: there was no answer, another request is on the way, or the service is away. */
function isTemporary(status) {
  return [0, 408, 423, 425].includes(status) || UNAVAILABLE.includes(status);
}

function answer(request) {
  try {
    return JSON.parse(request.responseText) ?? {};
  } catch {
    return {};
  }
}

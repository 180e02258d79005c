// Sends one file to its upload URL, and continues after whatever breaks: the network, the server, a closed page. The server
// tells how much it has (the resumable upload protocol of the IETF).

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

/** The file on the disk is not the one that was chosen any more: it was changed, moved or deleted. Or it is a folder. */
export class Unreadable extends UploadError {
  constructor() {
    super(t("script-upload-file-gone"));
  }
}

/** Fails where a file cannot be read. A request that sends such a file fails as if there were no network. */
export async function checkReadable(file) {
  await file.slice(0, 1).arrayBuffer().catch(() => {
    throw new Unreadable();
  });
}

/** The upload was paused or cancelled. */
export class Stopped extends Error {}

export class Transfer {
  #request = null;
  #isStopped = false;
  #wake = () => {};
  #piece = Infinity;
  #pause = FIRST_PAUSE_MS;

  /**
   * `moved` is called with the bytes that were sent, `waits` when the connection is lost. Nothing was sent to an address that
   * is new: the server is not asked.
   */
  constructor(file, url, { moved, waits, isNew = false }) {
    Object.assign(this, { file, url, moved, waits, isNew });
  }

  stop() {
    this.#isStopped = true;
    this.#request?.abort();
    this.#wake();
  }

  /** Sends what is missing. It ends when the whole file is there, and fails only if trying on makes no sense. */
  async send() {
    this.#isStopped = false;
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
    this.waits();
    const pause = this.#pause;
    this.#pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    return new Promise((done) => {
      const timer = setTimeout(() => this.#wake(), pause);
      this.#wake = () => {
        clearTimeout(timer);
        removeEventListener("online", this.#wake);
        done();
      };
      addEventListener("online", this.#wake);
    });
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
      this.#pause = FIRST_PAUSE_MS;
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
        done({ status: request.status, code, headers: (name) => request.getResponseHeader(name) });
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

/** No answer, too many requests, another request on the way, or a part of the service that is away. */
function isTemporary(status) {
  return [0, 408, 423, 425, 429, 500, 502, 503, 504, 507].includes(status);
}

function answer(request) {
  try {
    return JSON.parse(request.responseText) ?? {};
  } catch {
    return {};
  }
}

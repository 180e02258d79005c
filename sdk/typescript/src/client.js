/** The client. */

import { SourceError, TimedOutError, TrackFailedError, errorOf } from "./errors.js";
import { Operations } from "./generated/operations.js";
import { open } from "./sources.js";
import { sleep } from "./time.js";
import { resume, upload } from "./upload.js";

/** @import * as T from "./generated/types.js" */
/** @import { UploadSource } from "./sources.js" */
/** @import { UploadOptions } from "./upload.js" */

/**
 * @typedef {Omit<T.CreateTrackBody, "file_name" | "source_url"> & { file_name?: string }} NewTrack The fields of a track. `file_name` is that of the file where it has one.
 */

/**
 * @typedef {object} WaitOptions
 * @property {(progress: T.ReadTrackProgressResponse) => void} [onProgress] Called whenever more is known.
 * @property {number} [timeout] Milliseconds after which waiting ends with a `TimedOutError`. Default: 1,800,000, half an hour.
 * @property {AbortSignal} [signal] Ends waiting.
 */

const FIRST_INTERVAL = 500;
const LONGEST_INTERVAL = 10_000;
const WAIT = 1_800_000;

/**
 * A client of one service. All operations of the interface are methods; those here are made of several.
 */
export class Tonearm extends Operations {
  /**
   * Creates a track and uploads its file, which is continued after interruptions. The file is processed afterwards: see `waitUntilReady`.
   *
   * @param {UploadSource} source
   * @param {NewTrack} track
   * @param {UploadOptions & { idempotencyKey?: string }} [options]
   * @returns {Promise<T.CreateTrackResponse>}
   */
  async upload(source, track, options = {}) {
    return this.#send(source, track, options, (body) => this.createTrack(body, options));
  }

  /**
   * Creates a track in an upload session and uploads its file. The id of the session is the credential, so browsers need no key.
   *
   * @param {UploadSource} source
   * @param {T.UploadSessionId} uploadSessionId
   * @param {Omit<T.CreateUploadSessionTrackBody, "file_name" | "source_url"> & { file_name?: string }} [track]
   * @param {UploadOptions & { idempotencyKey?: string }} [options]
   * @returns {Promise<T.CreateUploadSessionTrackResponse>}
   */
  async uploadToSession(source, uploadSessionId, track = {}, options = {}) {
    return this.#send(source, track, options, (body) => this.createUploadSessionTrack(uploadSessionId, body, options));
  }

  /**
   * Uploads a new file of a track. The track has its old files until all new ones are made.
   *
   * @param {UploadSource} source
   * @param {T.TrackId} trackId
   * @param {{ file_name?: string }} [fields]
   * @param {UploadOptions & { idempotencyKey?: string }} [options]
   * @returns {Promise<T.ReplaceTrackSourceResponse>}
   */
  async replaceSource(source, trackId, fields = {}, options = {}) {
    return this.#send(source, fields, options, (body) => this.replaceTrackSource(trackId, body, options));
  }

  /**
   * Continues an upload that `onBegun` gave the URL of, even in another process.
   *
   * @param {string} url
   * @param {UploadSource} source The same file.
   * @param {UploadOptions} [options]
   * @returns {Promise<void>}
   */
  async resumeUpload(url, source, options = {}) {
    await resume(this, url, source, options);
  }

  /**
   * @template {{ track_id: T.TrackId, track_upload: T.UploadDescriptor }} R
   * @param {UploadSource} from
   * @param {{ file_name?: string }} fields
   * @param {UploadOptions} options
   * @param {(body: any) => Promise<R>} create
   * @returns {Promise<R>}
   */
  async #send(from, fields, options, create) {
    const source = await open(from);
    try {
      const fileName = fields.file_name ?? source.name;
      if (!fileName) throw new TypeError("file_name is required for a source that has no name");
      // Before anything is created.
      if ((await source.piece(0, 1)).bytes.length === 0) throw new SourceError("the file is empty");
      const created = await create({ ...fields, file_name: fileName });
      await upload(this, created, source, options);
      return created;
    } finally {
      await source.close();
    }
  }

  /**
   * Waits until a track can be played, and returns it. Its status is then `ready`, or `incomplete` if some variants failed. Throws a
   * `TrackFailedError` with the reason if nothing of it can be played.
   *
   * @param {T.TrackId} trackId
   * @param {WaitOptions} [options]
   * @returns {Promise<T.FullTrack>}
   */
  async waitUntilReady(trackId, { onProgress, timeout = WAIT, signal } = {}) {
    const end = Date.now() + timeout;
    let interval = FIRST_INTERVAL;
    let last = "";
    for (;;) {
      const progress = await this.readTrackProgress(trackId, { signal });
      const { track_status_id: status, status_reason: reason } = progress;
      const now = `${status} ${progress.percent} ${reason}`;
      if (now !== last) onProgress?.(progress);
      last = now;
      if (status === "ready" || status === "incomplete") return (await this.readTrack(trackId, { signal })).track;
      if (status === "error" || status === "init_error") throw new TrackFailedError(trackId, status, reason);
      if (Date.now() + interval > end) {
        throw new TimedOutError(`the track is not ready after ${timeout / 1000} seconds: its status is ${status}`);
      }
      await sleep(interval, signal);
      interval = Math.min(interval * 1.5, LONGEST_INTERVAL);
    }
  }

  /**
   * Uploads the cover of a track: JPEG, PNG, WebP or GIF.
   *
   * @param {T.TrackId} trackId
   * @param {Blob | BufferSource} image
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<void>}
   */
  async uploadTrackCover(trackId, image, options = {}) {
    const { track_cover_upload: to } = await this.renewTrackCoverUpload(trackId, options);
    await this.#sendCover(to, image, options);
  }

  /**
   * Uploads the cover of a collection.
   *
   * @param {T.CollectionId} collectionId
   * @param {Blob | BufferSource} image
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<void>}
   */
  async uploadCollectionCover(collectionId, image, options = {}) {
    const { collection_cover_upload: to } = await this.renewCollectionCoverUpload(collectionId, options);
    await this.#sendCover(to, image, options);
  }

  /**
   * @param {T.UploadDescriptor} to
   * @param {Blob | BufferSource} image
   * @param {{ signal?: AbortSignal }} options
   */
  async #sendCover(to, image, options) {
    const init = { method: to.method, headers: { "Content-Type": "application/octet-stream" }, body: image };
    await this.retried(options.signal, () =>
      this.send(to.upload_url, init, options, async (response) => {
        if (!response.ok) throw await errorOf(response);
      }),
    );
  }

  /**
   * The link that plays a track for everyone who has it, with a key of type `share`.
   *
   * @param {T.TrackId} trackId
   * @param {string} shareKey
   * @returns {string}
   */
  shareLink(trackId, shareKey) {
    return `${this.server}/v1/stream/${encodeURIComponent(trackId)}/${encodeURIComponent(shareKey)}`;
  }
}

/**
 * Uploads by the tus protocol (https://tus.io/protocols/resumable-upload), which go on after every interruption from the last byte that
 * the service has. See docs/uploads.md.
 *
 * Each piece is sent with its SHA-256, so that damaged bytes are never kept.
 */

import { ApiError, SourceError, TonearmError, UnexpectedAnswerError, UploadExpiredError, errorOf } from "./errors.js";
import { webCrypto } from "./platform.js";
import { open } from "./sources.js";
import { Attempts } from "./time.js";

/** @import { Transport } from "./transport.js" */
/** @import { Source, UploadSource } from "./sources.js" */

/**
 * @typedef {object} Progress
 * @property {number} sent Bytes that the service has.
 * @property {number | null} total Bytes of the whole file; null for a stream until its end.
 */

/**
 * @typedef {object} UploadOptions
 * @property {(progress: Progress) => void} [onProgress] Called after each piece.
 * @property {(url: string, trackId: import("./generated/types.js").TrackId) => void} [onBegun] Called with the URL of the upload, which `resumeUpload` takes, and the id of the track: store both to continue the upload in another process. The URL is a credential.
 * @property {number} [pieceBytes] Bytes of one request. Default: 8 MiB.
 * @property {AbortSignal} [signal] Ends the upload. What the service has can be continued.
 */

const PIECE_BYTES = 8 << 20;

/** The slowest connection, in bytes per second, whose pieces arrive in time. */
const SLOWEST = 16 << 10;

/** How often in a row the service may accept bytes without having more of them. */
const MOST_IN_PLACE = 20;

const TUS = { "Tus-Resumable": "1.0.0" };

/**
 * Sends a file to an upload URL.
 *
 * @param {Transport} transport
 * @param {{ track_id: import("./generated/types.js").TrackId, track_upload: import("./generated/types.js").UploadDescriptor }} created
 * @param {Source} source
 * @param {UploadOptions} options
 */
export async function upload(transport, created, source, options) {
  const url = await begin(transport, created.track_upload.upload_url, source, options);
  options.onBegun?.(url, created.track_id);
  await proceed(transport, url, source, 0, options);
}

/**
 * Continues an upload.
 *
 * @param {Transport} transport
 * @param {string} url
 * @param {UploadSource} from
 * @param {UploadOptions} options
 */
export async function resume(transport, url, from, options) {
  const source = await open(from);
  try {
    const { offset, length } = await transport.retried(options.signal, () => state(transport, url, options));
    const isOther = length !== null && source.size !== null && length !== source.size;
    if (isOther) throw new SourceError(`the upload was begun with a file of ${length} bytes, and this one has ${source.size}`);
    await proceed(transport, url, source, offset, options, offset === length);
  } finally {
    await source.close();
  }
}

/**
 * @param {Transport} transport
 * @param {string} uploadUrl
 * @param {Source} source
 * @param {UploadOptions} options
 * @returns {Promise<string>}
 */
function begin(transport, uploadUrl, source, options) {
  const headers = {
    ...TUS,
    ...(source.size === null ? { "Upload-Defer-Length": "1" } : { "Upload-Length": String(source.size) }),
    "Upload-Metadata": `upload_url ${btoa(uploadUrl)}`,
  };
  const endpoint = `${transport.server}/upload/tus`;
  return transport.retried(options.signal, () =>
    transport.send(endpoint, { method: "POST", headers }, options, async (response) => {
      if (!response.ok) throw await errorOf(response);
      const location = response.headers.get("Location");
      if (!location) throw new UnexpectedAnswerError("the server does not say where to upload to");
      return new URL(location, `${endpoint}/`).href;
    }),
  );
}

/**
 * Sends what is missing.
 *
 * @param {Transport} transport
 * @param {string} url
 * @param {Source} source
 * @param {number} offset
 * @param {UploadOptions} options
 * @param {boolean} [isComplete]
 */
async function proceed(transport, url, source, offset, options, isComplete = false) {
  const attempts = new Attempts(transport.retryFor);
  let inPlace = 0;
  while (!isComplete) {
    const before = offset;
    try {
      const piece = await source.piece(offset, options.pieceBytes ?? PIECE_BYTES);
      if (offset === 0 && piece.bytes.length === 0) throw new SourceError("the file is empty");
      offset = await append(transport, url, source, offset, piece.bytes, options);
      isComplete = offset === source.size;
    } catch (error) {
      if (!mayContinue(error)) throw error;
      // A wrong offset is corrected at once; after anything else, the service gets some time.
      if (error instanceof TonearmError && error.isTemporary) await attempts.waitAfter(error, options.signal);
      const now = await transport.retried(options.signal, () => state(transport, url, options));
      offset = now.offset;
      isComplete = now.length !== null && now.offset === now.length;
    }
    if (offset > before) attempts.gotOn();
    inPlace = offset > before ? 0 : inPlace + 1;
    if (inPlace > MOST_IN_PLACE) throw new UnexpectedAnswerError("the server accepts bytes that it does not keep");
    options.onProgress?.({ sent: offset, total: source.size });
  }
}

/** @param {unknown} error */
function isOffset(error) {
  return error instanceof ApiError && error.status === 409;
}

/** @param {unknown} error */
function mayContinue(error) {
  // 460: the bytes were damaged on their way.
  const isDamaged = error instanceof ApiError && error.status === 460;
  return error instanceof TonearmError && (error.isTemporary || isOffset(error) || isDamaged);
}

/**
 * @param {Transport} transport
 * @param {string} url
 * @param {Source} source
 * @param {number} offset
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @param {UploadOptions} options
 */
async function append(transport, url, source, offset, bytes, options) {
  /** @type {Record<string, string>} */
  const headers = {
    ...TUS,
    "Content-Type": "application/offset+octet-stream",
    "Upload-Offset": String(offset),
    ...(source.size === offset + bytes.length && { "Upload-Length": String(source.size) }),
    ...(await checksum(bytes)),
  };
  const timeout = transport.timeout + (bytes.length / SLOWEST) * 1000;
  const init = { method: "PATCH", headers, body: bytes };
  return transport.send(url, init, { signal: options.signal, timeout }, async (response) => {
    if (!response.ok) throw await failure(response);
    return number(response, "Upload-Offset");
  });
}

/**
 * @param {Uint8Array<ArrayBuffer>} bytes
 * @returns {Promise<Record<string, string>>}
 */
async function checksum(bytes) {
  const { subtle } = await webCrypto();
  // Browsers have it only on pages that were loaded by https.
  if (!subtle) return {};
  const digest = new Uint8Array(await subtle.digest("SHA-256", bytes));
  return { "Upload-Checksum": `sha256 ${btoa(String.fromCharCode(...digest))}` };
}

/**
 * Asks where an upload is.
 *
 * @param {Transport} transport
 * @param {string} url
 * @param {UploadOptions} options
 */
function state(transport, url, { signal }) {
  return transport.send(url, { method: "HEAD", headers: TUS }, { signal }, async (response) => {
    if (!response.ok) throw await failure(response);
    const length = response.headers.has("Upload-Length") ? number(response, "Upload-Length") : null;
    return { offset: number(response, "Upload-Offset"), length };
  });
}

/** @param {Response} response */
async function failure(response) {
  if (response.status === 404 || response.status === 410) {
    return new UploadExpiredError("the upload has expired or was cancelled; begin another one");
  }
  return errorOf(response);
}

/**
 * @param {Response} response
 * @param {string} name
 */
function number(response, name) {
  const value = Number.parseInt(response.headers.get(name) ?? "", 10);
  if (Number.isNaN(value)) throw new UnexpectedAnswerError(`the server does not send the header ${name}`);
  return value;
}

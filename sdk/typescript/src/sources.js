/** What can be uploaded, read in pieces. */

import { SourceError } from "./errors.js";
import { openFile } from "./platform.js";

/**
 * A `File` or `Blob`; bytes; the path of a file (a text, or a `file:` URL; Node.js only); or a stream, of which one piece is kept
 * in memory, so that it can be sent again.
 *
 * @typedef {Blob | ArrayBuffer | ArrayBufferView | string | URL | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>} UploadSource
 */

/**
 * @typedef {object} Piece
 * @property {Uint8Array<ArrayBuffer>} bytes
 * @property {boolean} isLast
 */

/**
 * @typedef {object} Source
 * @property {string | undefined} name
 * @property {number | null} size Null until the end is known.
 * @property {(offset: number, length: number) => Promise<Piece>} piece
 * @property {() => Promise<void>} close
 */

/**
 * @param {UploadSource} source
 * @returns {Promise<Source>}
 */
export async function open(source) {
  if (typeof source === "string" || source instanceof URL) return reading(await openFile(source).catch(unreadable));
  if (source instanceof Blob) return blob(source);
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return blob(new Blob([/** @type {BlobPart} */ (source)]));
  if (typeof source === "object" && source !== null && (Symbol.asyncIterator in source || "getReader" in source)) {
    return stream(source);
  }
  throw new TypeError("a source is a File, a Blob, bytes, the path of a file, or a stream of bytes");
}

/** @param {Blob} blob */
function blob(blob) {
  return reading({
    name: "name" in blob && typeof blob.name === "string" ? blob.name : undefined,
    size: blob.size,
    read: async (offset, length) => new Uint8Array(await blob.slice(offset, offset + length).arrayBuffer()),
    close: async () => {},
  });
}

/**
 * What can be read at any place.
 *
 * @param {{ name: string | undefined, size: number, read: (offset: number, length: number) => Promise<Uint8Array<ArrayBuffer>>, close: () => Promise<void> }} file
 * @returns {Source}
 */
function reading({ name, size, read, close }) {
  return {
    name,
    size,
    close,
    piece: async (offset, length) => {
      const end = Math.min(size, offset + length);
      return { bytes: await read(offset, end - offset).catch(unreadable), isLast: end === size };
    },
  };
}

/**
 * What can be read once: the last piece is kept.
 *
 * @param {ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>} source
 * @returns {Source}
 */
function stream(source) {
  const chunks = chunksOf(source);
  /** @type {Uint8Array<ArrayBuffer>} */
  let kept = new Uint8Array(0);
  let start = 0;
  let isEnded = false;

  /** @param {number} length */
  async function fill(length) {
    /** @type {Uint8Array[]} */
    const parts = [kept];
    let filled = kept.length;
    while (!isEnded && filled < length) {
      const next = await chunks.next().catch(unreadable);
      if (next.done) isEnded = true;
      else {
        parts.push(next.value);
        filled += next.value.length;
      }
    }
    kept = joined(parts, filled);
    if (isEnded) opened.size = start + filled;
  }

  /** @type {Source} */
  const opened = {
    name: undefined,
    size: null,
    close: async () => {
      await chunks.return?.(undefined);
    },
    piece: async (offset, length) => {
      if (offset < start) throw new SourceError("the stream has passed what the service is missing; upload it again");
      // A resumed upload begins in the middle: what the service has already is read, and dropped.
      for (;;) {
        // One byte more than the piece tells whether it is the last.
        await fill(length + 1);
        const drop = Math.min(offset - start, kept.length);
        kept = kept.slice(drop);
        start += drop;
        if (start === offset && (kept.length > length || isEnded)) break;
        if (isEnded) throw new SourceError("the stream is shorter than what the service has; is it the same file?");
      }
      return { bytes: kept.slice(0, length), isLast: isEnded && kept.length <= length };
    },
  };
  return opened;
}

/**
 * @param {ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>} source
 * @returns {AsyncGenerator<Uint8Array, void, undefined>}
 */
async function* chunksOf(source) {
  if (Symbol.asyncIterator in source) {
    for await (const chunk of source) yield bytesOf(chunk);
    return;
  }
  // Streams of some browsers cannot be iterated over.
  const reader = /** @type {ReadableStream<Uint8Array>} */ (source).getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield bytesOf(value);
    }
  } finally {
    await reader.cancel();
  }
}

/** @param {unknown} chunk */
function bytesOf(chunk) {
  if (!(chunk instanceof Uint8Array)) throw new SourceError("the stream must consist of bytes (Uint8Array)");
  return chunk;
}

/**
 * @param {Uint8Array[]} parts
 * @param {number} length
 */
function joined(parts, length) {
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/**
 * @param {unknown} cause
 * @returns {never}
 */
function unreadable(cause) {
  if (cause instanceof SourceError) throw cause;
  throw new SourceError(`the file cannot be read: ${cause instanceof Error ? cause.message : cause}`, { cause });
}

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
export function open(source: UploadSource): Promise<Source>;
/**
 * A `File` or `Blob`; bytes; the path of a file (a text, or a `file:` URL; Node.js only); or a stream, of which one piece is kept
 * in memory, so that it can be sent again.
 */
export type UploadSource = Blob | ArrayBuffer | ArrayBufferView | string | URL | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>;
export type Piece = {
    bytes: Uint8Array<ArrayBuffer>;
    isLast: boolean;
};
export type Source = {
    name: string | undefined;
    /**
     * Null until the end is known.
     */
    size: number | null;
    piece: (offset: number, length: number) => Promise<Piece>;
    close: () => Promise<void>;
};

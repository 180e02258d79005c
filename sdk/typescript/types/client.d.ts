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
    upload(source: UploadSource, track: NewTrack, options?: UploadOptions & {
        idempotencyKey?: string;
    }): Promise<T.CreateTrackResponse>;
    /**
     * Creates a track in an upload session and uploads its file. The id of the session is the credential, so browsers need no key.
     *
     * @param {UploadSource} source
     * @param {T.UploadSessionId} uploadSessionId
     * @param {Omit<T.CreateUploadSessionTrackBody, "file_name" | "source_url"> & { file_name?: string }} [track]
     * @param {UploadOptions & { idempotencyKey?: string }} [options]
     * @returns {Promise<T.CreateUploadSessionTrackResponse>}
     */
    uploadToSession(source: UploadSource, uploadSessionId: T.UploadSessionId, track?: Omit<T.CreateUploadSessionTrackBody, "file_name" | "source_url"> & {
        file_name?: string;
    }, options?: UploadOptions & {
        idempotencyKey?: string;
    }): Promise<T.CreateUploadSessionTrackResponse>;
    /**
     * Uploads a new file of a track. The track has its old files until all new ones are made.
     *
     * @param {UploadSource} source
     * @param {T.TrackId} trackId
     * @param {{ file_name?: string }} [fields]
     * @param {UploadOptions & { idempotencyKey?: string }} [options]
     * @returns {Promise<T.ReplaceTrackSourceResponse>}
     */
    replaceSource(source: UploadSource, trackId: T.TrackId, fields?: {
        file_name?: string;
    }, options?: UploadOptions & {
        idempotencyKey?: string;
    }): Promise<T.ReplaceTrackSourceResponse>;
    /**
     * Continues an upload that `onBegun` gave the URL of, even in another process.
     *
     * @param {string} url
     * @param {UploadSource} source The same file.
     * @param {UploadOptions} [options]
     * @returns {Promise<void>}
     */
    resumeUpload(url: string, source: UploadSource, options?: UploadOptions): Promise<void>;
    /**
     * Waits until a track can be played, and returns it. Its status is then `ready`, or `incomplete` if some variants failed. Throws a
     * `TrackFailedError` with the reason if nothing of it can be played.
     *
     * @param {T.TrackId} trackId
     * @param {WaitOptions} [options]
     * @returns {Promise<T.FullTrack>}
     */
    waitUntilReady(trackId: T.TrackId, { onProgress, timeout, signal }?: WaitOptions): Promise<T.FullTrack>;
    /**
     * Uploads the cover of a track: JPEG, PNG, WebP or GIF.
     *
     * @param {T.TrackId} trackId
     * @param {Blob | BufferSource} image
     * @param {{ signal?: AbortSignal }} [options]
     * @returns {Promise<void>}
     */
    uploadTrackCover(trackId: T.TrackId, image: Blob | BufferSource, options?: {
        signal?: AbortSignal;
    }): Promise<void>;
    /**
     * Uploads the cover of a collection.
     *
     * @param {T.CollectionId} collectionId
     * @param {Blob | BufferSource} image
     * @param {{ signal?: AbortSignal }} [options]
     * @returns {Promise<void>}
     */
    uploadCollectionCover(collectionId: T.CollectionId, image: Blob | BufferSource, options?: {
        signal?: AbortSignal;
    }): Promise<void>;
    /**
     * The link that plays a track for everyone who has it, with a key of type `share`.
     *
     * @param {T.TrackId} trackId
     * @param {string} shareKey
     * @returns {string}
     */
    shareLink(trackId: T.TrackId, shareKey: string): string;
    #private;
}
/**
 * The fields of a track. `file_name` is that of the file where it has one.
 */
export type NewTrack = Omit<T.CreateTrackBody, "file_name" | "source_url"> & {
    file_name?: string;
};
export type WaitOptions = {
    /**
     * Called whenever more is known.
     */
    onProgress?: ((progress: T.ReadTrackProgressResponse) => void) | undefined;
    /**
     * Milliseconds after which waiting ends with a `TimedOutError`. Default: 1,800,000, half an hour.
     */
    timeout?: number | undefined;
    /**
     * Ends waiting.
     */
    signal?: AbortSignal | undefined;
};
import { Operations } from "./generated/operations.js";
import type { UploadSource } from "./sources.js";
import type { UploadOptions } from "./upload.js";
import type * as T from "./generated/types.js";

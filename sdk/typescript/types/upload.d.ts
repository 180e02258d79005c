/**
 * Sends a file to an upload URL.
 *
 * @param {Transport} transport
 * @param {{ track_id: import("./generated/types.js").TrackId, track_upload: import("./generated/types.js").UploadDescriptor }} created
 * @param {Source} source
 * @param {UploadOptions} options
 */
export function upload(transport: Transport, created: {
    track_id: import("./generated/types.js").TrackId;
    track_upload: import("./generated/types.js").UploadDescriptor;
}, source: Source, options: UploadOptions): Promise<void>;
/**
 * Continues an upload.
 *
 * @param {Transport} transport
 * @param {string} url
 * @param {UploadSource} from
 * @param {UploadOptions} options
 */
export function resume(transport: Transport, url: string, from: UploadSource, options: UploadOptions): Promise<void>;
export type Progress = {
    /**
     * Bytes that the service has.
     */
    sent: number;
    /**
     * Bytes of the whole file; null for a stream until its end.
     */
    total: number | null;
};
export type UploadOptions = {
    /**
     * Called after each piece.
     */
    onProgress?: ((progress: Progress) => void) | undefined;
    /**
     * Called with the URL of the upload, which `resumeUpload` takes, and the id of the track: store both to continue the upload in another process. The URL is a credential.
     */
    onBegun?: ((url: string, trackId: import("./generated/types.js").TrackId) => void) | undefined;
    /**
     * Bytes of one request. Default: 8 MiB.
     */
    pieceBytes?: number | undefined;
    /**
     * Ends the upload. What the service has can be continued.
     */
    signal?: AbortSignal | undefined;
};
import type { Transport } from "./transport.js";
import type { Source } from "./sources.js";
import type { UploadSource } from "./sources.js";

/**
 * Sends a file to an upload URL.
 *
 * @param {Transport} transport
 * @param {string} uploadUrl
 * @param {Source} source
 * @param {UploadOptions} options
 */
export function upload(transport: Transport, uploadUrl: string, source: Source, options: UploadOptions): Promise<void>;
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
     * Called with the URL of the upload, which `resumeUpload` takes: store it to continue the upload in another process. It is a credential.
     */
    onBegun?: ((url: string) => void) | undefined;
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

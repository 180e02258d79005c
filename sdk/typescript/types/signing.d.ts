/**
 * @typedef {object} SignedUrl
 * @property {string} deliveryUrl The URL of delivery, such as `https://audio.example.com`.
 * @property {string} path The path of a file, as playback data and webhooks have it, or a durable name.
 * @property {string} secret The secret of a signing key.
 * @property {string} [kid] The id of the signing key, so that the URL is verified with this key only.
 * @property {number} [ttl] For how many seconds the URL is valid. Default: one hour.
 * @property {string} [attachment] Makes the response a download with this file name.
 * @property {boolean} [isPublic] Lets shared caches keep the response.
 * @property {number} [issued] The time of signing, in Unix seconds. Default: now.
 */
/**
 * Signs the URL of a file. Keep the secret on your server.
 *
 * @param {SignedUrl} url
 * @returns {Promise<string>}
 */
export function signUrl({ deliveryUrl, path, secret, kid, ttl, attachment, isPublic, issued }: SignedUrl): Promise<string>;
export type SignedUrl = {
    /**
     * The URL of delivery, such as `https://audio.example.com`.
     */
    deliveryUrl: string;
    /**
     * The path of a file, as playback data and webhooks have it, or a durable name.
     */
    path: string;
    /**
     * The secret of a signing key.
     */
    secret: string;
    /**
     * The id of the signing key, so that the URL is verified with this key only.
     */
    kid?: string | undefined;
    /**
     * For how many seconds the URL is valid. Default: one hour.
     */
    ttl?: number | undefined;
    /**
     * Makes the response a download with this file name.
     */
    attachment?: string | undefined;
    /**
     * Lets shared caches keep the response.
     */
    isPublic?: boolean | undefined;
    /**
     * The time of signing, in Unix seconds. Default: now.
     */
    issued?: number | undefined;
};

/**
 * @typedef {object} TonearmOptions
 * @property {string | URL} server The URL of the service, such as `https://audio.example.com`.
 * @property {string} [apiKey] An API key. Leave it out in browsers, where the ids of sessions are the credentials.
 * @property {number} [timeout] Milliseconds that one request may take. Default: 120,000.
 * @property {number} [retryFor] Milliseconds after which something that keeps failing is given up; 0 for no second attempt. Default: 60,000.
 * @property {(url: string, init: RequestInit) => Promise<Response>} [fetch] What sends requests. Default: the global `fetch`.
 */
/**
 * @typedef {object} RequestOptions
 * @property {AbortSignal} [signal] Ends the request, and all further attempts.
 * @property {number} [timeout] Milliseconds that one attempt may take.
 * @property {string} [idempotencyKey] For POST requests. A request with the same key has one effect, even if another process sends it. Default: a random one.
 */
/**
 * @typedef {object} Call
 * @property {string} method
 * @property {string} path
 * @property {object} [query]
 * @property {object} [body]
 * @property {boolean} [needsKey]
 * @property {"json" | "text"} [as]
 */
/** Sends requests to one service. */
export class Transport {
    /** @param {TonearmOptions} options */
    constructor({ server, apiKey, timeout, retryFor, fetch }: TonearmOptions);
    /** The URL of the service, without a slash at its end. */
    server: string;
    timeout: number;
    retryFor: number;
    /**
     * Sends a request to a path of the service, and repeats it while that may help. You need this only for what has no method.
     *
     * @param {Call} call
     * @param {RequestOptions} [options]
     * @returns {Promise<any>}
     */
    request(call: Call, options?: RequestOptions): Promise<any>;
    /**
     * Repeats what fails while that may help.
     *
     * @template T
     * @param {AbortSignal | undefined} signal
     * @param {() => Promise<T>} work
     * @returns {Promise<T>}
     */
    retried<T>(signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T>;
    /**
     * Sends one request, and reads the answer within the time that it may take.
     *
     * @template T
     * @param {string} url
     * @param {RequestInit} init
     * @param {{ signal?: AbortSignal, timeout?: number }} options
     * @param {(response: Response) => Promise<T>} read
     * @returns {Promise<T>}
     */
    send<T>(url: string, init: RequestInit, { signal, timeout }: {
        signal?: AbortSignal;
        timeout?: number;
    }, read: (response: Response) => Promise<T>): Promise<T>;
    /**
     * Reads a list page by page.
     *
     * @param {(page: { cursor?: string, offset?: number }) => Promise<any>} read
     * @param {string} field
     * @param {"cursor" | "offset"} by
     * @param {{ cursor?: string, offset?: number }} [from]
     * @returns {AsyncGenerator<any, void, undefined>}
     */
    pages(read: (page: {
        cursor?: string;
        offset?: number;
    }) => Promise<any>, field: string, by: "cursor" | "offset", from?: {
        cursor?: string;
        offset?: number;
    }): AsyncGenerator<any, void, undefined>;
    #private;
}
export type TonearmOptions = {
    /**
     * The URL of the service, such as `https://audio.example.com`.
     */
    server: string | URL;
    /**
     * An API key. Leave it out in browsers, where the ids of sessions are the credentials.
     */
    apiKey?: string | undefined;
    /**
     * Milliseconds that one request may take. Default: 120,000.
     */
    timeout?: number | undefined;
    /**
     * Milliseconds after which something that keeps failing is given up; 0 for no second attempt. Default: 60,000.
     */
    retryFor?: number | undefined;
    /**
     * What sends requests. Default: the global `fetch`.
     */
    fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined;
};
export type RequestOptions = {
    /**
     * Ends the request, and all further attempts.
     */
    signal?: AbortSignal | undefined;
    /**
     * Milliseconds that one attempt may take.
     */
    timeout?: number | undefined;
    /**
     * For POST requests. A request with the same key has one effect, even if another process sends it. Default: a random one.
     */
    idempotencyKey?: string | undefined;
};
export type Call = {
    method: string;
    path: string;
    query?: object | undefined;
    body?: object | undefined;
    needsKey?: boolean | undefined;
    as?: "json" | "text" | undefined;
};

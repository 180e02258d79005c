/**
 * Waits, unless `signal` ends it: then it throws the signal's reason.
 *
 * @param {number} milliseconds
 * @param {AbortSignal} [signal]
 * @returns {Promise<void>}
 */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
/**
 * Does something with a signal that is aborted after some time, or with `signal`.
 *
 * @template T
 * @param {number} milliseconds
 * @param {AbortSignal | undefined} signal
 * @param {(signal: AbortSignal) => Promise<T>} work
 * @returns {Promise<T>}
 */
export function within<T>(milliseconds: number, signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
/** The failures of one undertaking since it last got on. */
export class Attempts {
    /** @param {number} patience Milliseconds after which something that keeps failing is given up. */
    constructor(patience: number);
    patience: number;
    /** Something was achieved, so patience begins anew. */
    gotOn(): void;
    since: number | undefined;
    failures: any;
    /**
     * Waits until another attempt is worthwhile. Throws the error if none is, or if it would take too long.
     *
     * @param {unknown} error
     * @param {AbortSignal} [signal]
     */
    waitAfter(error: unknown, signal?: AbortSignal): Promise<void>;
}

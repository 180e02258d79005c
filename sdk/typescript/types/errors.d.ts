/**
 * Reads an answer that is not a success. It may come from a proxy.
 *
 * @param {Response} response
 * @returns {Promise<ApiError>}
 */
export function errorOf(response: Response): Promise<ApiError>;
/** Everything that this package throws, except for the reason of your own `AbortSignal`. */
export class TonearmError extends Error {
    /**
     * @param {string} message
     * @param {ErrorOptions} [options]
     */
    constructor(message: string, options?: ErrorOptions);
    /** Whether the same request may succeed later. */
    get isTemporary(): boolean;
}
/** The service answered, and did not do what it was asked to do. */
export class ApiError extends TonearmError {
    /**
     * @param {number} status
     * @param {{ message: string, code: string, field: string | null, requestId: string | null, retryAfter: number | null }} body
     */
    constructor(status: number, body: {
        message: string;
        code: string;
        field: string | null;
        requestId: string | null;
        retryAfter: number | null;
    });
    /** The HTTP status. */
    status: number;
    /** A stable code for programs; empty if the answer is not one of Tonearm. */
    code: string;
    /** The field or parameter at fault. */
    field: string | null;
    /** Identifies the request in the log of the service. */
    requestId: string | null;
    /** How many milliseconds to wait before another attempt, if the service says so. */
    retryAfter: number | null;
}
/** 400: the body or a parameter is invalid; `field` names it. */
export class InvalidRequestError extends ApiError {
}
/** 401: the key, session or signature is missing, unknown, revoked or expired. */
export class AuthenticationError extends ApiError {
}
/** 403: the credential does not permit this, or a quota is reached. */
export class PermissionDeniedError extends ApiError {
}
/** 404: there is no such resource, or the key has no access to it. */
export class NotFoundError extends ApiError {
}
/** 409: a conflict with the current state. */
export class ConflictError extends ApiError {
}
/** 413: larger than the limit. */
export class TooLargeError extends ApiError {
}
/** 422: cannot be applied to this resource. */
export class UnprocessableError extends ApiError {
}
/** 429: too many requests. */
export class RateLimitError extends ApiError {
}
/** 5xx: the service, or something that it needs, is unavailable. */
export class UnavailableError extends ApiError {
}
/** The service gave no answer. `cause` is the reason. */
export class ConnectionFailedError extends TonearmError {
}
/** A request took too long, or something did not happen in time. */
export class TimedOutError extends TonearmError {
}
/** The answer is not one that Tonearm gives. */
export class UnexpectedAnswerError extends TonearmError {
}
/** What was to be uploaded cannot be read, is empty, or is not what was begun. */
export class SourceError extends TonearmError {
}
/** The upload has expired or was cancelled; begin another one. */
export class UploadExpiredError extends TonearmError {
}
/** A track could not be processed. The message is the reason that the service gives. */
export class TrackFailedError extends TonearmError {
    /**
     * @param {string} trackId
     * @param {import("./generated/types.js").TrackStatus} status
     * @param {string | null | undefined} reason
     */
    constructor(trackId: string, status: import("./generated/types.js").TrackStatus, reason: string | null | undefined);
    trackId: string;
    status: import("./generated/types.js").TrackStatus;
}
/** A webhook that was not sent by Tonearm, or long ago. */
export class SignatureError extends TonearmError {
}

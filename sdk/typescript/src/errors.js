/** What can go wrong. The messages are sentences for people; those of the service come from it, word for word. */

const LONGEST_MESSAGE = 500;

/** Statuses after which the same request may succeed. */
const TEMPORARY = new Set([408, 423, 425, 429, 500, 502, 503, 504, 507]);

/** The body of an upload broke off on its way, as when a proxy loses its client. */
const INTERRUPTED = "upload_interrupted";

/** Everything that this package throws, except for the reason of your own `AbortSignal`. */
export class TonearmError extends Error {
  /**
   * @param {string} message
   * @param {ErrorOptions} [options]
   */
  constructor(message, options) {
    super(message, options);
    this.name = new.target.name;
  }

  /** Whether the same request may succeed later. */
  get isTemporary() {
    return false;
  }
}

/** The service answered, and did not do what it was asked to do. */
export class ApiError extends TonearmError {
  /**
   * @param {number} status
   * @param {{ message: string, code: string, field: string | null, requestId: string | null, retryAfter: number | null }} body
   */
  constructor(status, body) {
    super(body.message);
    /** The HTTP status. */
    this.status = status;
    /** A stable code for programs; empty if the answer is not one of Tonearm. */
    this.code = body.code;
    /** The field or parameter at fault. */
    this.field = body.field;
    /** Identifies the request in the log of the service. */
    this.requestId = body.requestId;
    /** How many milliseconds to wait before another attempt, if the service says so. */
    this.retryAfter = body.retryAfter;
  }

  get isTemporary() {
    // 409 with a time: the first request with this Idempotency-Key is still in progress.
    const isInProgress = this.status === 409 && this.retryAfter !== null;
    return TEMPORARY.has(this.status) || isInProgress || this.code === INTERRUPTED;
  }
}

/** 400: the body or a parameter is invalid; `field` names it. */
export class InvalidRequestError extends ApiError {}
/** 401: the key, session or signature is missing, unknown, revoked or expired. */
export class AuthenticationError extends ApiError {}
/** 403: the credential does not permit this, or a quota is reached. */
export class PermissionDeniedError extends ApiError {}
/** 404: there is no such resource, or the key has no access to it. */
export class NotFoundError extends ApiError {}
/** 409: a conflict with the current state. */
export class ConflictError extends ApiError {}
/** 413: larger than the limit. */
export class TooLargeError extends ApiError {}
/** 422: cannot be applied to this resource. */
export class UnprocessableError extends ApiError {}
/** 429: too many requests. */
export class RateLimitError extends ApiError {}
/** 5xx: the service, or something that it needs, is unavailable. */
export class UnavailableError extends ApiError {}

/** The service gave no answer. `cause` is the reason. */
export class ConnectionFailedError extends TonearmError {
  get isTemporary() {
    return true;
  }
}

/** A request took too long, or something did not happen in time. */
export class TimedOutError extends TonearmError {
  get isTemporary() {
    return true;
  }
}

/** The answer is not one that Tonearm gives. */
export class UnexpectedAnswerError extends TonearmError {}

/** What was to be uploaded cannot be read, is empty, or is not what was begun. */
export class SourceError extends TonearmError {}

/** The upload has expired or was cancelled; begin another one. */
export class UploadExpiredError extends TonearmError {}

/** A track could not be processed. The message is the reason that the service gives. */
export class TrackFailedError extends TonearmError {
  /**
   * @param {string} trackId
   * @param {import("./generated/types.js").TrackStatus} status
   * @param {string | null | undefined} reason
   */
  constructor(trackId, status, reason) {
    super(reason ?? `the track has the status ${status}`);
    this.trackId = trackId;
    this.status = status;
  }
}

/** A webhook that was not sent by Tonearm, or long ago. */
export class SignatureError extends TonearmError {}

/** @type {Record<number, typeof ApiError>} */
const CLASSES = {
  400: InvalidRequestError,
  401: AuthenticationError,
  403: PermissionDeniedError,
  404: NotFoundError,
  409: ConflictError,
  413: TooLargeError,
  422: UnprocessableError,
  429: RateLimitError,
};

/**
 * Reads an answer that is not a success. It may come from a proxy.
 *
 * @param {Response} response
 * @returns {Promise<ApiError>}
 */
export async function errorOf(response) {
  const text = await response.text();
  /** @type {any} */
  let body = null;
  try {
    body = JSON.parse(text);
  } catch {
    // A page of a proxy.
  }
  const isOurs = typeof body?.message === "string";
  const message = isOurs ? body.message : `the server responded with ${response.status} ${response.statusText}`;
  const fallback = response.status >= 500 ? UnavailableError : ApiError;
  return new (CLASSES[response.status] ?? fallback)(response.status, {
    message: printable(message),
    code: typeof body?.code === "string" ? body.code : "",
    field: typeof body?.field === "string" ? body.field : null,
    requestId: body?.api_request_id ?? response.headers.get("X-Request-Id"),
    retryAfter: pause(response.headers.get("Retry-After")),
  });
}

/**
 * Milliseconds until the time that `Retry-After` names, as seconds or, from a proxy, as a date.
 *
 * @param {string | null} text
 */
function pause(text) {
  if (text === null) return null;
  if (/^\d{1,9}$/.test(text)) return Number(text) * 1000;
  const left = text.endsWith(" GMT") ? Date.parse(text) - Date.now() : NaN;
  return Number.isNaN(left) ? null : Math.max(left, 0);
}

/**
 * Text from elsewhere, fit for a log.
 *
 * @param {string} text
 */
function printable(text) {
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, "").trim().slice(0, LONGEST_MESSAGE);
}

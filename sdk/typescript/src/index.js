/** Client of Tonearm, the audio delivery service. */

/**
 * @typedef {import("./transport.js").TonearmOptions} TonearmOptions
 * @typedef {import("./transport.js").RequestOptions} RequestOptions
 * @typedef {import("./client.js").NewTrack} NewTrack
 * @typedef {import("./client.js").WaitOptions} WaitOptions
 * @typedef {import("./sources.js").UploadSource} UploadSource
 * @typedef {import("./upload.js").UploadOptions} UploadOptions
 * @typedef {import("./upload.js").Progress} Progress
 * @typedef {import("./webhooks.js").WebhookRequest} WebhookRequest
 * @typedef {import("./signing.js").SignedUrl} SignedUrl
 */

export { Tonearm } from "./client.js";
export {
  ApiError,
  AuthenticationError,
  ConflictError,
  ConnectionFailedError,
  InvalidRequestError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
  SignatureError,
  SourceError,
  TimedOutError,
  TonearmError,
  TooLargeError,
  TrackFailedError,
  UnavailableError,
  UnexpectedAnswerError,
  UnprocessableError,
  UploadExpiredError,
} from "./errors.js";
export { signUrl } from "./signing.js";
export { verifyWebhook } from "./webhooks.js";

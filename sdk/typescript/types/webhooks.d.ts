/**
 * Checks the signature and the time of a request, and returns the event that it carries. Throws a `SignatureError` if it does not come
 * from the service, or was sent long ago.
 *
 * @param {WebhookRequest} request
 * @returns {Promise<WebhookEvent>}
 */
export function verifyWebhook({ secret, headers, body, tolerance, now }: WebhookRequest): Promise<WebhookEvent>;
export type WebhookRequest = {
    /**
     * The secret of the webhook, `whsec_…`; several while you replace one.
     */
    secret: string | readonly string[];
    /**
     * The headers of the request.
     */
    headers: Headers | Record<string, string | string[] | undefined>;
    /**
     * The body as it was received, before anything parsed it.
     */
    body: string | Uint8Array | ArrayBuffer;
    /**
     * How many milliseconds the time of the request may be off. Default: 300,000.
     */
    tolerance?: number | undefined;
    /**
     * The current time, in milliseconds since 1970. Default: the clock.
     */
    now?: number | undefined;
};
import type { WebhookEvent } from "./generated/types.js";

//! The codes of errors: each with its statuses, what it means and what to do. `docs/errors.md` is generated from them.

use std::fmt;

use serde::{Serialize, Serializer};

macro_rules! error_codes {
    (
        interface { $($name:ident $text:literal [$($status:literal),+] $meaning:literal $remedy:literal;)+ }
        pages { $($page_name:ident $page_text:literal;)+ }
    ) => {
        /// The code of an error, for programs. Codes are never renamed; new versions may add some.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum ErrorCode {
            $(#[doc = $meaning] $name,)+
            $(#[doc = concat!("`", $page_text, "`, which only the dashboard and the command line meet.")] $page_name,)+
        }

        impl ErrorCode {
            /// The codes in responses of the interface.
            pub const INTERFACE: &[Self] = &[$(Self::$name,)+];

            /// The code as text.
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)+
                    $(Self::$page_name => $page_text,)+
                }
            }

            /// The HTTP statuses of responses with this code; none if it is in no response of the interface.
            pub const fn statuses(self) -> &'static [u16] {
                match self {
                    $(Self::$name => &[$($status),+],)+
                    $(Self::$page_name => &[],)+
                }
            }

            /// What it means, and what the client can do, as Markdown.
            #[cfg(test)]
            const fn explanation(self) -> (&'static str, &'static str) {
                match self {
                    $(Self::$name => ($meaning, $remedy),)+
                    $(Self::$page_name => ("", ""),)+
                }
            }
        }
    };
}

error_codes! {
    interface {
        InvalidParameter "invalid_parameter" [400]
            "A parameter, field or header is missing or has a value that is not allowed. `field` names it."
            "Change what `field` names; `message` says what is allowed.";
        MalformedJson "malformed_json" [400]
            "The body is not JSON, or not an object."
            "Check the quotes and commas of the body. In a shell, put it in single quotes.";
        MalformedForm "malformed_form" [400]
            "The `multipart/form-data` of a cover cannot be read."
            "Send the picture in the field `file`, or as the whole body.";
        BodyInterrupted "body_interrupted" [400]
            "The connection ended before the body was complete."
            "Send the request again.";
        UploadInterrupted "upload_interrupted" [400]
            "The connection ended before the file was complete."
            "Send the file again, or [resume](uploads.md#resumable-uploads) it.";
        ChecksumMismatch "checksum_mismatch" [400, 460]
            "The bytes do not match the digest that was sent with them. None of them were kept. The status is 460 for tus."
            "Send the bytes again. If it happens again, check how the digest is computed.";
        InconsistentUploadLength "inconsistent_upload_length" [400]
            "The request names another length than an earlier one of the same upload."
            "Send the length that the file has; start over if the file changed.";
        InvalidHost "invalid_host" [400]
            "The request has no header `Host`, or more than one."
            "Check what the client or the proxy sends.";

        MissingApiKey "missing_api_key" [401]
            "The request needs an API key and has none."
            "Send `Authorization: Bearer <API_KEY>`.";
        InvalidApiKey "invalid_api_key" [401]
            "The API key, also one in a share link, is mistyped, unknown, revoked or expired."
            "Check the key with `tonearm key list` or in the dashboard; [create](api.md#create-keys-with-fewer-permissions) another one.";
        InvalidPlaySession "invalid_play_session" [401]
            "The play session has expired, was ended, or never existed."
            "Open another one.";
        InvalidUploadSession "invalid_upload_session" [401]
            "The upload session has expired, was ended, or never existed; or whoever made the upload URL may no longer upload."
            "Open another one, or create the track again.";
        MissingUploadCredential "missing_upload_credential" [401]
            "A tus upload names neither an upload session nor an upload URL."
            "Send `upload_session_id` or `upload_url` in `Upload-Metadata`.";
        InvalidUploadUrl "invalid_upload_url" [401]
            "The signature of the upload URL does not match."
            "Use the URL exactly as it was returned, with its whole query; put it in quotes in a shell.";
        UploadUrlExpired "upload_url_expired" [401]
            "The upload URL is more than an hour old, and no upload to it was begun."
            "Create the track again. For a replacement or a cover, request another URL.";
        SignatureInvalid "signature_invalid" [401]
            "The signature of a file's URL is missing or does not match."
            "Use the URL exactly as it was returned. If you sign URLs yourself, compare yours with the [test vectors](signed-urls.md#test-vectors).";
        UrlExpired "url_expired" [401]
            "The signed URL of a file has expired."
            "Request a new one, for example from the play session.";

        KeyType "key_type" [403]
            "Keys of this type may not do this."
            "Use a key of the type that `message` names.";
        KeyScope "key_scope" [403]
            "The key is limited to a collection or a track, and this needs the whole organization."
            "Use a key for the organization.";
        KeyLimits "key_limits" [403]
            "A key cannot give what it does not have: variants, downloads, origins, a later end."
            "Ask for less, or use a key that has more.";
        OriginNotAllowed "origin_not_allowed" [403]
            "The key may be used only from pages of some origins, and this is not one of them."
            "Add the origin to the key's `allowed_origins`.";
        DownloadsNotAllowed "downloads_not_allowed" [403]
            "The play session, or the key that opened it, does not allow downloads."
            "Open the session with `is_downloadable` and a key that allows downloads.";
        ImportsDisabled "imports_disabled" [403]
            "The operator has turned off imports from URLs."
            "Upload the file.";
        QuotaExceeded "quota_exceeded" [403]
            "The organization has reached a [quota](operations.md#quotas)."
            "Delete something, or ask the operator for more; `GET /v1/quota` shows what is used.";

        NotFound "not_found" [404]
            "There is no endpoint, file or share link at this URL."
            "Check the path. Files of deleted tracks and variants are gone.";
        OrganizationNotFound "organization_not_found" [404]
            "There is no such organization, or the key is not one of its keys."
            "Check the id. A key reads only its own organization.";
        CollectionNotFound "collection_not_found" [404]
            "There is no such collection, it was deleted, or the key does not reach it."
            "Check the id and the key's scope.";
        CreatorNotFound "creator_not_found" [404]
            "There is no such creator, or it was deleted."
            "Check the id; `GET /v1/creator` lists them.";
        TrackNotFound "track_not_found" [404]
            "There is no such track, it was deleted, or the key, session or link does not reach it. In a play session, also: it is not [playable](track-status.md)."
            "Check the id, the scope of the credential and the status of the track.";
        VariantNotFound "variant_not_found" [404]
            "There is no such variant, or the key or session does not include it."
            "Check the name; `GET /v1/variant` lists them.";
        PlaySessionNotFound "play_session_not_found" [404]
            "There is no such play session, or it has ended."
            "Open another one.";
        UploadSessionNotFound "upload_session_not_found" [404]
            "There is no such upload session, or it has ended."
            "Open another one.";
        UploadNotFound "upload_not_found" [404]
            "There is no such upload, or it was cancelled."
            "Start the upload again.";
        ReplacementNotFound "replacement_not_found" [404]
            "The file of the track was not replaced in the last two weeks."
            "Request a replacement with `POST /v1/track/{id}/source`.";
        ApiKeyNotFound "api_key_not_found" [404]
            "There is no such API key."
            "Send the id of the key, not the key itself.";
        WebhookNotFound "webhook_not_found" [404]
            "There is no such webhook."
            "Check the id; `GET /v1/webhook` lists them.";
        DeliveryNotFound "delivery_not_found" [404]
            "There is no such delivery, or it was removed after `retention.webhook_days`."
            "Check the id; `GET /v1/webhook/{id}/delivery` lists them.";
        SigningKeyNotFound "signing_key_not_found" [404]
            "There is no such signing key."
            "Check the id; `GET /v1/signing_key` lists them.";
        ImportBucketNotFound "import_bucket_not_found" [404]
            "There are no credentials for this bucket."
            "Set them with `PUT /v1/import_bucket/{bucket}`.";
        RenderingNotFound "rendering_not_found" [404]
            "The recipe was never rendered for existing tracks."
            "Start it with `POST /v1/variant/{id}/rendering`.";
        JobNotFound "job_not_found" [404]
            "There is no such job, or it ended more than a week ago."
            "Read the track instead.";

        MethodNotAllowed "method_not_allowed" [405]
            "The endpoint does not support this method."
            "Use one of those in the header `Allow`.";
        NotAcceptable "not_acceptable" [406]
            "The header `Accept` excludes JSON, which is what the endpoint returns."
            "Send `Accept: application/json`, or no such header.";

        AlreadyExists "already_exists" [409]
            "The name, index or id is taken."
            "Choose another one.";
        UploadUrlUsed "upload_url_used" [409]
            "A file has already arrived at this upload URL. If you did not get its response, the upload succeeded."
            "Create another track for another file, or [replace](uploads.md#replacing-a-file) the file of this one.";
        UploadOffsetMismatch "upload_offset_mismatch" [409]
            "The piece does not begin where the upload ends."
            "Continue at `Upload-Offset`, which the response contains.";
        UploadComplete "upload_complete" [409]
            "The upload is complete; no piece can be added."
            "Stop sending.";
        TrackStatus "track_status" [409]
            "The [status](track-status.md) of the track does not allow this."
            "Wait until the track has a final status.";
        TrackProcessing "track_processing" [409]
            "The track is being processed, and the result will include its cover."
            "Send the request again when the track has a final status.";
        NothingToRetry "nothing_to_retry" [409]
            "No variant of the track failed."
            "Nothing is to be done.";
        NoUploadedCover "no_uploaded_cover" [409]
            "There is no uploaded cover that could be removed."
            "Nothing is to be done.";
        ReplacementInProgress "replacement_in_progress" [409]
            "A new file of the track is being processed."
            "Wait for it, or cancel it with `DELETE /v1/track/{id}/source`.";
        ReplacementEnded "replacement_ended" [409]
            "The replacement is completed or failed, and can no longer be cancelled."
            "For a day after it was completed, undo it with `POST /v1/track/{id}/source/undo`. Later, replace the file again.";
        KeyRevoked "key_revoked" [409]
            "The key is revoked, and cannot be changed."
            "Create another one.";
        KeyChanged "key_changed" [409]
            "The key was limited while the request was running."
            "Send the request again.";
        TooManyVariants "too_many_variants" [409]
            "The organization or the track has as many variants as are allowed."
            "Remove one.";
        TooManySigningKeys "too_many_signing_keys" [409]
            "The organization has 100 signing keys that are not revoked."
            "Revoke one.";
        TooManyImportBuckets "too_many_import_buckets" [409]
            "The organization has credentials for 100 buckets."
            "Remove those of one.";
        DeliveryRunning "delivery_running" [409]
            "The event is being sent right now."
            "Try again in a few seconds.";
        IdempotencyKeyInProgress "idempotency_key_in_progress" [409]
            "The first request with this `Idempotency-Key` is still running."
            "Send the same request again after `Retry-After`.";

        UploadExpired "upload_expired" [410]
            "The upload was given up 24 hours after its last piece, or a week after it began."
            "Start the upload again.";
        PreconditionFailed "precondition_failed" [412]
            "The file is not the one that `If-Match` or `If-Unmodified-Since` names."
            "Request the file without the condition.";
        UnsupportedTusVersion "unsupported_tus_version" [412]
            "The request does not have the header `Tus-Resumable: 1.0.0`."
            "Use a tus client for version 1.0.0, or [another way](uploads.md) to upload.";
        TooLarge "too_large" [413]
            "The body is larger than `limits.max_upload_bytes`, `max_cover_bytes` or `max_json_bytes`. Nothing was stored."
            "Send less, or ask the operator to raise the [limit](limits.md).";
        UnsupportedMediaType "unsupported_media_type" [415]
            "The header `Content-Type` is not the one that the endpoint takes."
            "Send the type that `message` names: `application/json` for most requests.";
        RangeNotSatisfiable "range_not_satisfiable" [416]
            "The requested range is beyond the end of the file."
            "`Content-Range` in the response has the size of the file.";

        NoSource "no_source" [422]
            "The track has no file yet."
            "Upload it first. If its upload has expired or its import failed, create another track.";
        IdempotencyKeyReused "idempotency_key_reused" [422]
            "The `Idempotency-Key` belongs to another request."
            "Use a new one for each request, and the same one only to repeat it.";
        SecretSealed "secret_sealed" [422]
            "The secret of the webhook was encrypted with a master secret that the service no longer has."
            "Rotate the secret of the webhook.";
        UploadLocked "upload_locked" [423]
            "Another request is still sending bytes of this upload."
            "Try again after `Retry-After`.";
        RateLimited "rate_limited" [429]
            "The key or the address has sent too many requests in the last minute."
            "Wait for `Retry-After`. The operator sets the [limits](limits.md).";
        TooManyStreams "too_many_streams" [429, 503]
            "Too many progress streams are open: of this key (429), or of the organization or the node (503)."
            "Close some, or poll `GET /v1/track/{id}/progress`.";

        InternalError "internal_error" [500]
            "A fault of the service. The log has the details under `api_request_id`."
            "Send the request again once. If that fails too, tell the operator the `api_request_id`.";
        Unavailable "unavailable" [503]
            "The database or the store cannot be reached."
            "Send the request again after `Retry-After`. Operators: `tonearm doctor`.";
        UnknownOutcome "unknown_outcome" [503]
            "The database ended the connection while it saved. The request may have taken effect."
            "Check before you send it again, or repeat it with the same `Idempotency-Key`.";
        Timeout "timeout" [503]
            "The request took longer than 30 seconds."
            "Send it again shortly, with the same `Idempotency-Key` if it had one.";
        QueueFull "queue_full" [503]
            "Too many uploads wait to be processed."
            "Send the request again after `Retry-After`.";
        TooManyBodies "too_many_bodies" [503]
            "Too many large bodies from this network are still being sent."
            "Send fewer requests at once.";
        TooMuchUnread "too_much_unread" [503]
            "The client has left too many large responses unread."
            "Read them, then send the request again.";
        SigningKeysUnavailable "signing_keys_unavailable" [503]
            "An edge node does not know at the moment which signing keys are valid."
            "Send the request again after `Retry-After`.";
        StorageUnavailable "storage_unavailable" [503]
            "The store cannot be reached."
            "Send the request again after `Retry-After`. Operators: `tonearm doctor`.";
        InsufficientStorage "insufficient_storage" [507]
            "Less disk space is free than `limits.min_free_space`."
            "Operators: [free some](operations.md#when-uploads-are-refused). Clients: try again after `Retry-After`.";
    }
    pages {
        AlreadyMember "already_member";
        ChangedMeanwhile "changed_meanwhile";
        ChangedSince "changed_since";
        CollectionDeleted "collection_deleted";
        ImportOver "import_over";
        InvitationNotFound "invitation_not_found";
        JobNeeded "job_needed";
        JobRunning "job_running";
        KeyNotRotating "key_not_rotating";
        KeyNotValid "key_not_valid";
        KeyRotating "key_rotating";
        LastAdministrator "last_administrator";
        LastOwner "last_owner";
        MemberNotFound "member_not_found";
        NoNewOwner "no_new_owner";
        NoProvider "no_provider";
        NoVariant "no_variant";
        NotAdministrator "not_administrator";
        NotMember "not_member";
        NotReady "not_ready";
        OnlyWayIn "only_way_in";
        OrderChanged "order_changed";
        OwnAccount "own_account";
        PersonDisabled "person_disabled";
        PersonNotFound "person_not_found";
        RoleTooLow "role_too_low";
        SecondFactorOff "second_factor_off";
        SecondFactorOn "second_factor_on";
        SecondFactorOver "second_factor_over";
        SignedOut "signed_out";
        TestRunning "test_running";
        TooManyAccountsTried "too_many_accounts_tried";
        TracksGone "tracks_gone";
        TranscriptChanged "transcript_changed";
        TranscriptEdited "transcript_edited";
        TranscriptionOff "transcription_off";
        UndoExpired "undo_expired";
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for ErrorCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::fmt::Write;

    use super::*;

    const DOCUMENT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/errors.md");
    /// The lines of the document that enclose the tables.
    const MARKS: [&str; 2] = ["<!-- tables: made by `make errors` -->\n", "<!-- end of tables -->\n"];
    /// If set, the test writes the tables.
    const WRITE: &str = "TONEARM_WRITE_ERRORS";

    /// A table for each status, under a heading.
    fn tables() -> String {
        let mut by_status: BTreeMap<u16, Vec<ErrorCode>> = BTreeMap::new();
        for code in ErrorCode::INTERFACE {
            for status in code.statuses() {
                by_status.entry(*status).or_default().push(*code);
            }
        }
        let mut text = String::new();
        for (status, codes) in by_status {
            writeln!(text, "\n### {status}\n\n| `code` | What it means | What to do |\n|---|---|---|")
                .unwrap();
            for code in codes {
                let (meaning, remedy) = code.explanation();
                writeln!(text, "| `{code}` | {meaning} | {remedy} |").unwrap();
            }
        }
        text.push('\n');
        text
    }

    #[test]
    fn the_page_of_errors_is_up_to_date() {
        let document = std::fs::read_to_string(DOCUMENT).unwrap();
        let (before, rest) = document.split_once(MARKS[0]).unwrap();
        let (written, after) = rest.split_once(MARKS[1]).unwrap();
        if std::env::var_os(WRITE).is_some() {
            std::fs::write(DOCUMENT, [before, MARKS[0], &tables(), MARKS[1], after].concat()).unwrap();
        } else {
            assert_eq!(written, tables(), "docs/errors.md is out of date; `make errors` writes it anew");
        }
    }

    #[test]
    fn codes_are_distinct() {
        let texts: BTreeSet<&str> = ErrorCode::INTERFACE.iter().map(|code| code.as_str()).collect();
        assert_eq!(texts.len(), ErrorCode::INTERFACE.len());
    }
}

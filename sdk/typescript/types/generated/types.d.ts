/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface ListApiKeysResponse {
    api_keys: KeyRecord[];
    /** Total number of results, regardless of the page. */
    count: number;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** The record of a key, without the key itself. */
export interface KeyRecord {
    /** The origins whose pages may use it; null for all. */
    allowed_origins?: PageOrigin[] | null;
    api_key_type_id: KeyType;
    collection_id?: CollectionId | null;
    created_at: Timestamp;
    creator_id?: CreatorId | null;
    expires_at?: Timestamp | null;
    id: ApiKeyId;
    is_downloadable: boolean;
    /** Accurate to about a minute; null if it was never used. */
    last_used_at?: Timestamp | null;
    organization_id: OrganizationId;
    revoked_at?: Timestamp | null;
    title: string;
    track_id?: TrackId | null;
    /** The variants that its play sessions may list; null for all. */
    variants?: VariantIndex[] | null;
}
export type PageOrigin = string;
export type KeyType = "api" | "player" | "uploader" | "share";
export type CollectionId = string;
export type Timestamp = string;
export type CreatorId = string;
export type ApiKeyId = string;
export type OrganizationId = string;
export type TrackId = string;
export type VariantIndex = string;
export type RequestId = string;
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface CreateApiKeyResponse {
    /** The full key, which is returned only once. */
    api_key: string;
    api_key_id: ApiKeyId;
    api_key_record: KeyRecord;
    /** For a share key for one track: the link that plays it for anyone who has the link. Null for other keys. */
    share_url?: string | null;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
export interface CreateApiKeyBody {
    /**
     * The origins whose pages may use the key, such as `https://www.example.com`: 1 to 20, not for share keys. Default: all.
     * Requests without an `Origin` header, such as those of servers, are always allowed.
     */
    allowed_origins?: PageOrigin[] | null;
    /** `player`, `uploader` or `share`. Keys of type `api` can only be created in the dashboard or on the command line. */
    api_key_type_id: KeyType;
    collection_id?: CollectionId | null;
    creator_id?: CreatorId | null;
    /** Must be in the future. */
    expires_at?: Timestamp | null;
    /** Whether what the key plays may also be saved. */
    is_downloadable?: boolean | null;
    /** What people recognize it by in the dashboard. */
    title: NotBlank200;
    /** Requires `collection_id`. */
    track_id?: TrackId | null;
    /** The variants that play sessions of this key may list: at least one, and exactly one for a share key. Default: all. */
    variants?: VariantIndex[] | null;
}
export type NotBlank200 = string;
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface ReadApiKeyResponse {
    api_key_id: ApiKeyId;
    api_key_record: KeyRecord;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
export interface UpdateApiKeyBody {
    /** The origins whose pages may use the key: 1 to 20, not for share keys. Null for all. */
    allowed_origins?: PageOrigin[] | null;
    /** Cannot be changed; only the value that the key has is accepted. The same applies to the fields below. */
    api_key_type_id?: KeyType | null;
    collection_id?: CollectionId | null;
    creator_id?: CreatorId | null;
    /** Must be in the future; null for a key that does not expire. */
    expires_at?: Timestamp | null;
    /** Whether what the key plays may also be saved. */
    is_downloadable?: boolean | null;
    /** What people recognize it by in the dashboard. */
    title?: NotBlank200;
    track_id?: TrackId | null;
    /** The variants that play sessions of this key may list: at least one, and exactly one for a share key. Null for all. */
    variants?: VariantIndex[] | null;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface RevokeApiKeyResponse {
    api_key_id: ApiKeyId;
    deleted_api_key: KeyRecord;
    /** What the key had made. Revoked with it if `revoke_made` is true; otherwise it is still there. */
    made: Made;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** How many things a key made that were still there. */
export interface Made {
    api_keys: number;
    import_buckets: number;
    signing_keys: number;
    webhooks: number;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface ListCollectionsResponse {
    collections: CollectionRecord[];
    /** Total number of results, regardless of the page. */
    count: number;
    /** Where the next page begins, or null if this is the last. Only if the request had a `cursor`. */
    next_cursor?: string | null;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** The record of a collection. */
export interface CollectionRecord {
    player_color?: Colour | null;
    /** Derived from `player_color`, for dark backgrounds. */
    player_color_dark?: Colour | null;
    /** Derived from `player_color`, for light backgrounds. */
    player_color_light?: Colour | null;
    creator_id?: CreatorId | null;
    id: CollectionId;
    is_cover_overridable: boolean;
    is_theme_overridable: boolean;
    metadata: Metadata;
    organization_id: OrganizationId;
    organization_index?: string | null;
    player_subtitle?: string | null;
    theme: ThemeColour[];
    title: string;
}
export type Colour = string;
/** Your own JSON object: at most 64 KiB and 100 levels deep, without NUL characters. Numbers keep their digits. An update replaces it as a whole. */
export type Metadata = {
    [name: string]: MetadataValue;
};
/** Any JSON value without NUL characters. */
export type MetadataValue = boolean | number | string | MetadataValue[] | {
    [name: string]: MetadataValue;
} | null;
export interface ThemeColour {
    area: number;
    hex: string;
    lightness: number;
    saturation: number;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface CreateCollectionResponse {
    collection: CollectionRecord;
    collection_cover_upload: UploadDescriptor;
    collection_id: CollectionId;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** A signed URL for uploading a file. */
export interface UploadDescriptor {
    expires_at: Timestamp;
    method: string;
    /** Lifetime of the URL in seconds. */
    ttl: number;
    upload_url: string;
}
export interface CreateCollectionBody {
    creator_id?: CreatorId | null;
    is_cover_overridable?: boolean | null;
    is_theme_overridable?: boolean | null;
    metadata?: Metadata | null;
    /** Your own id for it. It is never interpreted. */
    organization_index?: Text1000 | null;
    player_color?: Colour | null;
    /** The line that players show under the title of tracks that have none. */
    player_subtitle?: Text1000 | null;
    /** Overrides the colours found in the cover. */
    theme?: Palette | null;
    /** The title, which players show for shared collections. */
    title: NotBlank1000;
}
export type Text1000 = string;
export type Palette = PaletteItem[];
export interface PaletteItem {
    area: number;
    hex: string;
    lightness: number;
    saturation: number;
}
export type NotBlank1000 = string;
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface ReadCollectionResponse {
    collection: CollectionRecord;
    collection_id: CollectionId;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
export interface UpdateCollectionBody {
    creator_id?: CreatorId | null;
    is_cover_overridable?: boolean | null;
    is_theme_overridable?: boolean | null;
    metadata?: Metadata | null;
    /** Your own id for it. It is never interpreted. */
    organization_index?: Text1000 | null;
    player_color?: Colour | null;
    player_subtitle?: Text1000 | null;
    /** Overrides the colours found in covers; null restores them. */
    theme?: Palette | null;
    /** The title, which players show for shared collections. */
    title?: NotBlank1000;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface DeleteCollectionResponse {
    collection_id: CollectionId;
    deleted_collection: CollectionRecord;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface RenewCollectionCoverUploadResponse {
    collection: CollectionRecord;
    collection_cover_upload: UploadDescriptor;
    collection_id: CollectionId;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface RemoveCollectionCoverResponse {
    collection: CollectionRecord;
    collection_id: CollectionId;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface OrderCollectionResponse {
    collection_id: CollectionId;
    /** The tracks in their new order. */
    tracks: OrderedTrack[];
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** A track, and its new `order`. */
export interface OrderedTrack {
    id: TrackId;
    order: number;
}
export interface OrderCollectionBody {
    /** The tracks, in their new order. */
    track_ids: TrackId[];
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface ListTracksResponse {
    /** Total number of results, regardless of the page. */
    count: number;
    /** Where the next page begins, or null if this is the last. Only if the request had a `cursor`. */
    next_cursor?: string | null;
    tracks: ReducedTrack[];
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** The reduced record, as in lists and in the responses of create and update requests. `GET /v1/track/{track_id}` has all fields. */
export interface ReducedTrack {
    player_color?: Colour | null;
    /** Derived from `player_color`, for dark backgrounds. */
    player_color_dark?: Colour | null;
    /** Derived from `player_color`, for light backgrounds. */
    player_color_light?: Colour | null;
    collection_id: CollectionId;
    /** In seconds; 0 until the file has been probed. */
    duration: number;
    file_name: string;
    id: TrackId;
    index: ShortId;
    metadata: Metadata;
    order: number;
    organization_id: OrganizationId;
    player_subtitle?: string | null;
    player_title?: string | null;
    theme: ThemeColour[];
    track_status_id: TrackStatus;
    /** The beginning of the durable path of each file; append `_{variant index}.{extension}`. */
    base_path: string;
    /** The same as a URL. Sign it with a signing key of the organization. */
    base_url: string;
    /** The spoken words in paragraphs, if the organization has transcription. */
    transcription?: string | null;
    /** Their language (BCP 47). */
    transcription_language?: string | null;
}
export type ShortId = string;
export type TrackStatus = "initialized" | "init_error" | "processing" | "fallback_processing" | "ready" | "incomplete" | "error";
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface ListCreatorsResponse {
    /** Total number of results, regardless of the page. */
    count: number;
    creators: CreatorRecord[];
    /** Where the next page begins, or null if this is the last. Only if the request had a `cursor`. */
    next_cursor?: string | null;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** The record of a creator. */
export interface CreatorRecord {
    created_at: Timestamp;
    /** The creator's only folder; its id is the id of the creator. */
    folder_id: CreatorId;
    id: CreatorId;
    metadata: Metadata;
    organization_id: OrganizationId;
    organization_index: string;
    updated_at: Timestamp;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface ReadCreatorResponse {
    creator: CreatorRecord;
    creator_id: CreatorId;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
export interface CreateCreatorBody {
    metadata?: Metadata | null;
    /** Your own id for the creator. It is never interpreted. */
    organization_index: NotBlank1000;
}
export interface UpdateCreatorBody {
    metadata?: Metadata | null;
    /** Your own id for the creator. It is never interpreted. */
    organization_index?: NotBlank1000;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface DeleteCreatorResponse {
    creator_id: CreatorId;
    deleted_creator: CreatorRecord;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface ListImportBucketsResponse {
    /** Total number of results, regardless of the page. */
    count: number;
    import_buckets: ImportBucketRecord[];
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** The record of a bucket that files are imported from, without the secret. */
export interface ImportBucketRecord {
    access_key_id: AccessKeyId;
    bucket: BucketName;
    created_at: Timestamp;
    /** The S3-compatible store; null for Amazon S3. */
    endpoint?: string | null;
    /** When imports stop using them. They end with the API key that set them. */
    expires_at?: Timestamp | null;
    /** Whether the secret access key is stored. False if it was encrypted with a master secret that is gone: set it again. */
    has_secret: boolean;
    organization_id: OrganizationId;
    region: BucketRegion;
}
export type AccessKeyId = string;
export type BucketName = string;
export type BucketRegion = string;
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface SetImportBucketResponse {
    import_bucket: ImportBucketRecord;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
export interface SetImportBucketBody {
    access_key_id: AccessKeyId;
    /** URL of an S3-compatible store, such as `https://s3.example.com`, with a public address. Omitted or null: Amazon S3. */
    endpoint?: string | null;
    /** Default: `us-east-1`. */
    region?: BucketRegion | null;
    /**
     * It is stored encrypted and never returned. Omitted or null: the stored one is kept, provided that `endpoint` and
     * `access_key_id` do not change.
     */
    secret_access_key?: NotBlank1000 | null;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface DeleteImportBucketResponse {
    deleted_import_bucket: ImportBucketRecord;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface ReadJobResponse {
    job: JobRecord;
    job_id: JobId;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** A background job. */
export interface JobRecord {
    /** Number of times the job has been started. Null if it has ended. */
    attempts?: number | null;
    id: JobId;
    /** The kind of work, such as `process_track`. */
    kind: string;
    /** The earliest time of the next attempt, if the job is queued or waiting. */
    next_attempt_at?: Timestamp | null;
    /** Why the job waits, failed or was cancelled, as a sentence. */
    reason?: string | null;
    status: JobStatus;
    /** The track that the job works on. */
    track_id?: TrackId | null;
}
export type JobId = string;
export type JobStatus = "queued" | "running" | "waiting" | "done" | "failed" | "cancelled";
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface ReadListensResponse {
    /** Total number of rows, regardless of the page. */
    count: number;
    /** The first day. */
    from: Day;
    group: "day" | "track" | "collection" | "share_link" | "referrer" | "country";
    listens: ListenRecord[];
    /** The last day, inclusive. */
    to: Day;
    /** The sums of the whole period. */
    total: ListenSums;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
export type Day = string;
/** The totals of a day, a track, a collection, a share link, a site or a country. */
export type ListenRecord = ListenDayRecord | ListenSubjectRecord;
export interface ListenDayRecord {
    /** Unique listeners per day, added up. */
    listeners: number;
    /** Listens: at least one minute of a track, or a whole track that is shorter, delivered to one listener on one day. */
    listens: number;
    /** Seconds that listeners played, where their players report it, and seconds delivered to all others. */
    seconds_heard: number;
    /** The part of `seconds_heard` that players reported. */
    seconds_played: number;
    day: Day;
}
export interface ListenSubjectRecord {
    /** Unique listeners per day, added up. */
    listeners: number;
    /** Listens: at least one minute of a track, or a whole track that is shorter, delivered to one listener on one day. */
    listens: number;
    /** Seconds that listeners played, where their players report it, and seconds delivered to all others. */
    seconds_heard: number;
    /** The part of `seconds_heard` that players reported. */
    seconds_played: number;
    /**
     * The id of the track, the collection or the share key, the host name of the site, or the code of the country by
     * ISO 3166-1, such as `DE`. Null for all sites beyond the first 200 of a day.
     */
    id: string | null;
    /** Null for sites and countries, and for what was removed permanently. */
    title: string | null;
}
/** Totals of listens. */
export interface ListenSums {
    /** Unique listeners per day, added up. */
    listeners: number;
    /** Listens: at least one minute of a track, or a whole track that is shorter, delivered to one listener on one day. */
    listens: number;
    /** Seconds that listeners played, where their players report it, and seconds delivered to all others. */
    seconds_heard: number;
    /** The part of `seconds_heard` that players reported. */
    seconds_played: number;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface ReadOrganizationResponse {
    organization: OrganizationRecord;
    organization_id: OrganizationId;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** The record of an organization. */
export interface OrganizationRecord {
    player_color?: Colour | null;
    /** Derived from `player_color`, for dark backgrounds. */
    player_color_dark?: Colour | null;
    /** Derived from `player_color`, for light backgrounds. */
    player_color_light?: Colour | null;
    id: OrganizationId;
    is_cover_overridable: boolean;
    is_theme_overridable: boolean;
    name: string;
    player_subtitle: string;
    theme: ThemeColour[];
    /** Set it in the dashboard, or with `/v1/webhook`. */
    webhook_url?: string | null;
}
/** `webhook_url` cannot be set here, only in the dashboard. */
export interface UpdateOrganizationBody {
    is_cover_overridable?: boolean | null;
    is_theme_overridable?: boolean | null;
    /** The name, which people see in the dashboard. */
    name?: NotBlank200;
    player_color?: Colour | null;
    player_subtitle?: Text1000 | null;
    /** Overrides the colours found in the cover; null restores them. */
    theme?: Palette | null;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface DescribeTracksResponse {
    play_session: PlaySessionCore;
    play_session_id: PlaySessionId;
    /** The tracks that the session can play, in the order of the request. Others are left out. */
    tracks: ListedTrack[];
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** The fields of every record of a play session. The response for a single track has only these. */
export interface PlaySessionCore {
    expires_at: Timestamp;
    id: PlaySessionId;
    is_downloadable: boolean;
    variants: VariantIndex[];
}
export type PlaySessionId = string;
/** The short form, as in the list of a play session. */
export interface ListedTrack {
    player_color?: Colour | null;
    /** Derived from `player_color`, for dark backgrounds. */
    player_color_dark?: Colour | null;
    /** Derived from `player_color`, for light backgrounds. */
    player_color_light?: Colour | null;
    /** In seconds. */
    duration: number;
    id: TrackId;
    index: ShortId;
    order: number;
    /** What players show: the subtitle that was set, otherwise the artist tag, otherwise the collection's or the organization's. */
    player_subtitle?: string | null;
    /** What players show: the title that was set, otherwise the title tag, otherwise the file name without its extension. */
    player_title: string;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface PlayTrackResponse {
    /** Where the transcript is as WebVTT, for `<track kind="captions">`. Missing if there is none. */
    captions_url?: string | null;
    /** By size: `icon`, `small`, `regular`. */
    cover_image: {
        [name: string]: CoverRecord;
    };
    levels: Levels;
    track: PlayedTrack;
    variants: PlayedVariant[];
    play_session: PlaySessionCore;
    play_session_id: PlaySessionId;
    track_id: TrackId;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** A square cover in one size. */
export interface CoverRecord {
    height: number;
    type: string;
    url: string;
    width: number;
}
export interface Levels {
    avg?: number;
    levels?: number[];
    max?: number;
    metric?: "peak" | "rms";
    min?: number;
    num_samples?: number;
    resample?: number;
}
/** The full form, as in playback data. */
export interface PlayedTrack {
    player_color?: Colour | null;
    /** Derived from `player_color`, for dark backgrounds. */
    player_color_dark?: Colour | null;
    /** Derived from `player_color`, for light backgrounds. */
    player_color_light?: Colour | null;
    /** In seconds. */
    duration: number;
    id: TrackId;
    index: ShortId;
    order: number;
    /** What players show: the subtitle that was set, otherwise the artist tag, otherwise the collection's or the organization's. */
    player_subtitle?: string | null;
    /** What players show: the title that was set, otherwise the title tag, otherwise the file name without its extension. */
    player_title: string;
    file_name: string;
    info: TrackInfo;
    /** Whether white text is more readable than black text on the player colour. */
    is_dark: boolean;
    metadata: Metadata;
    organization_index?: string | null;
    theme: ThemeColour[];
}
export interface TrackInfo {
    bit_rate?: number | null;
    bits_per_sample?: number | null;
    channels?: number | null;
    /** The chapters of the file, in order and without overlaps. Empty if there are none. */
    chapters?: TrackInfoChaptersItem[];
    codec?: string | null;
    container?: string | null;
    is_truncated?: boolean;
    loudness_lufs?: number | null;
    sample_rate?: number | null;
    size?: number | null;
    /** Tags by name; all values are strings. These names are the same for all formats: `title`, `artist`, `album`, `album_artist`, `composer`, `genre`, `publisher`, `comment`, `track_number`, `track_total`, `disc_number`, `disc_total`, `year`, `language` (BCP 47) and `lyrics` (at most 20,000 characters). Other tags have the names from the file, in lower case. */
    tags?: {
        [name: string]: string;
    };
    true_peak_dbtp?: number | null;
}
/** A part of the track, with its start and end in seconds. */
export interface TrackInfoChaptersItem {
    end: number;
    start: number;
    title: string | null;
}
/** A file with its signed URL. */
export interface PlayedVariant {
    content_type: string;
    data?: VariantData | null;
    file_name: string;
    id: FileId;
    is_public: boolean;
    path: string;
    props: FileProps;
    size: number;
    url: string;
    variant: PlayedRecipe;
}
/** For previews: the part of the track that they contain, in seconds. For files that missed a loudness target: `missed_loudness`. */
export interface VariantData {
    capture_end?: number;
    capture_start?: number;
    content_type?: string;
    duration?: number;
    extension?: string;
    /** The loudness target that the file missed, its integrated loudness (null if it cannot be measured: silence, or less than 0.4 s) and its true peak. */
    missed_loudness?: VariantDataMissedLoudness;
}
/** The loudness target that the file missed, its integrated loudness (null if it cannot be measured: silence, or less than 0.4 s) and its true peak. */
export interface VariantDataMissedLoudness {
    loudness_lufs: number | null;
    target_lufs: number;
    true_peak_dbtp: number | null;
}
export type FileId = string;
/** Properties of the file for display. Never null. */
export interface FileProps {
    /** In kbit/s. For an original, that of the source; for FLAC and WAV, the mean; 0 for pictures, videos and levels. */
    bitrate: number;
    /** The codec, such as `mp3`, `pcm_s16le` or `h264`, or the format if there is no codec, such as `png` or `json`. */
    codec: string;
    is_stereo: boolean;
    is_strip_cover: boolean;
    is_strip_tags: boolean;
}
/** The variant of a file. */
export interface PlayedRecipe {
    /**
     * The extension of its files, such as `mp3`, `json` or `png`; `original` stands for the extension of the upload. For levels,
     * the format in which they are written.
     */
    format: string;
    /** The same as `index`. */
    name: VariantIndex;
    /** The same as `variant_type_id`. */
    type: RecipeType;
    id: VariantId;
    index: VariantIndex;
    variant_type: VariantTypeRecord;
}
export type RecipeType = "transcode" | "preview" | "levels" | "waveform_image" | "waveform_video" | "original" | "cover";
export type VariantId = string;
/** The type of a variant. */
export interface VariantTypeRecord {
    id: RecipeType;
    title: string;
    viewer_id: string;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface DownloadTrackResponse {
    download: DownloadRecord;
    /** When the URL expires; the same as in `download`. */
    expires_at: Timestamp;
    play_session_id: PlaySessionId;
    track_id: TrackId;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
export interface DownloadRecord {
    /** When the URL expires. */
    expires_at: Timestamp;
    url: string;
    variant: string;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface ListPlaySessionsResponse {
    /** The `cursor` of the next page; null on the last one. */
    next_cursor?: SessionHandle | null;
    play_sessions: ListedPlaySession[];
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
export type SessionHandle = string;
/** A play session for those who manage it. */
export interface ListedPlaySession {
    /** The key that opened it. */
    api_key_id?: ApiKeyId | null;
    collection_id: CollectionId;
    creator_id?: CreatorId | null;
    expires_at: Timestamp;
    /**
     * Names the session in requests that end it. It gives no access, unlike the id of the session, which is not shown.
     * Null for sessions of an earlier version.
     */
    handle?: SessionHandle | null;
    is_downloadable: boolean;
    organization_index?: string | null;
    /** The only track that it plays; null if it plays the collection. */
    track_id?: TrackId | null;
    /** The variants that it lists; null for all. */
    variants?: VariantIndex[] | null;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface ReadPlaySessionResponse {
    /** Null if no track is playable. */
    first_track?: FirstTrack | null;
    play_session: PlaySessionRecord;
    play_session_id: PlaySessionId;
    tracks: ListedTrack[];
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** The first track of a session, ready to play. */
export interface FirstTrack {
    /** Where the transcript is as WebVTT, for `<track kind="captions">`. Missing if there is none. */
    captions_url?: string | null;
    /** By size: `icon`, `small`, `regular`. */
    cover_image: {
        [name: string]: CoverRecord;
    };
    levels: Levels;
    track: PlayedTrack;
    variants: PlayedVariant[];
    track_id: TrackId;
}
/** The record of a play session. */
export interface PlaySessionRecord {
    expires_at: Timestamp;
    id: PlaySessionId;
    is_downloadable: boolean;
    variants: VariantIndex[];
    creator_id?: CreatorId | null;
    metadata: Metadata;
    organization_index?: string | null;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface EndPlaySessionResponse {
    /** The session as it was. */
    ended_play_session: ListedPlaySession;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface CreatePlaySessionResponse {
    /** Null if no track is playable. */
    first_track?: FirstTrack | null;
    play_session: PlaySessionRecord;
    play_session_id: PlaySessionId;
    tracks: ListedTrack[];
    expires_at: Timestamp;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
export interface CreatePlaySessionBody {
    /** Required if the scope is `collection`. */
    collection_id?: CollectionId | null;
    expires_in?: ExpiresIn | null;
    /** Requests downloads, which the key must also allow. */
    is_downloadable?: boolean | null;
    metadata?: Metadata | null;
    organization_index?: Text1000 | null;
    /** Required if the scope is `track`. */
    track_id?: TrackId | null;
    /** Indexes of the variants to list, in this order. Default: all playable variants. */
    variants?: string[] | null;
}
/** Lifetime in seconds. Default: 3600. */
export type ExpiresIn = number;
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface ReadQuotaResponse {
    quota: QuotaRecord;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** The quotas of an organization. */
export interface QuotaRecord {
    /** Bytes of sources, files and covers. Those of deleted tracks count until they are purged. */
    bytes: QuotaState;
    /** Bytes of text and metadata in these records. */
    metadata: QuotaState;
    /** Minutes of audio in these tracks, rounded up. A track counts once it has been probed. */
    minutes: QuotaState;
    /**
     * Records in the database: tracks, collections, sessions, keys, stored answers and all others. Those of deleted
     * tracks and expired sessions count until they are removed; of a deleted track, one record stays. The limit is that
     * of every organization.
     */
    records: QuotaState;
    /** Tracks that are not deleted. */
    tracks: QuotaState;
}
/** A quota, and what is used of it. */
export interface QuotaState {
    /** The limit; null if there is none. */
    limit: number | null;
    used: number;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface ListSigningKeysResponse {
    /** Total number of results, regardless of the page. */
    count: number;
    signing_keys: SigningKeyRecord[];
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** The record of a signing key, without its secret. */
export interface SigningKeyRecord {
    created_at: Timestamp;
    /** When it stops working: with the API key that created it. Null if never. */
    expires_at?: Timestamp | null;
    /** The value of `kid` in the URLs that it signs. */
    id: ShortId;
    organization_id: OrganizationId;
    revoked_at?: Timestamp | null;
    title: string;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface CreateSigningKeyResponse {
    /** The key of the HMAC, used as text: 64 hex digits. It is returned only once. */
    secret: string;
    signing_key: SigningKeyRecord;
    signing_key_id: ShortId;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
export interface CreateSigningKeyBody {
    title?: Text1000 | null;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface ReadSigningKeyResponse {
    signing_key: SigningKeyRecord;
    signing_key_id: ShortId;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface RevokeSigningKeyResponse {
    deleted_signing_key: SigningKeyRecord;
    signing_key_id: ShortId;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface FindTracksResponse {
    /** Total number of results, regardless of the page. Null if it is not known. */
    count?: number | null;
    /** Where the next page begins, or null if this is the last. */
    next_cursor?: string | null;
    tracks: FoundRecord[];
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** The reduced record, and what is needed to recognize a track among those of other collections. */
export interface FoundRecord {
    player_color?: Colour | null;
    /** Derived from `player_color`, for dark backgrounds. */
    player_color_dark?: Colour | null;
    /** Derived from `player_color`, for light backgrounds. */
    player_color_light?: Colour | null;
    collection_id: CollectionId;
    /** In seconds; 0 until the file has been probed. */
    duration: number;
    file_name: string;
    id: TrackId;
    index: ShortId;
    metadata: Metadata;
    order: number;
    organization_id: OrganizationId;
    player_subtitle?: string | null;
    player_title?: string | null;
    theme: ThemeColour[];
    track_status_id: TrackStatus;
    /** The beginning of the durable path of each file; append `_{variant index}.{extension}`. */
    base_path: string;
    /** The same as a URL. Sign it with a signing key of the organization. */
    base_url: string;
    /** The spoken words in paragraphs, if the organization has transcription. */
    transcription?: string | null;
    /** Their language (BCP 47). */
    transcription_language?: string | null;
    collection_title: string;
    created_at: Timestamp;
    creator_id?: CreatorId | null;
    file_name_original?: string | null;
    organization_index?: string | null;
    /** Why the track failed or is incomplete, or what its processing is waiting for. */
    status_reason?: string | null;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface CreateTrackResponse {
    track_cover_upload: UploadDescriptor;
    track_upload: UploadDescriptor;
    track: ReducedTrack;
    track_id: TrackId;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** A track to create, on its own or in an upload session. */
export interface CreateTrackBody {
    /** Required unless the key is limited to a collection. */
    collection_id?: CollectionId | null;
    creator_id?: CreatorId | null;
    /**
     * Required unless `source_url` is given. An imported file is otherwise called what its server calls it, else what its URL
     * ends with.
     */
    file_name?: NotBlank1000;
    is_cover_overridable?: boolean | null;
    is_theme_overridable?: boolean | null;
    metadata?: Metadata | null;
    /** Your own id for it. It is never interpreted. */
    organization_index?: Text1000 | null;
    /** Default: a colour of the cover. */
    player_color?: Colour | null;
    /** The line below. Default: the artist tag of the file, otherwise that of the collection or organization. */
    player_subtitle?: Text1000 | null;
    /** What players show. Default: the title tag of the file, otherwise its name. */
    player_title?: Text1000 | null;
    /**
     * An `http` or `https` URL from which the file is imported, or `s3://bucket/key` for a bucket for which the organization has
     * credentials. See docs/importing.md.
     */
    source_url?: NotBlank8000 | null;
    /** Overrides the colours found in covers. */
    theme?: Palette | null;
}
export type NotBlank8000 = string;
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface ReadTrackResponse {
    /** The variants that failed. Retry them with `POST /v1/track/{track_id}/retry`. */
    failed_variants: FailedVariant[];
    track: FullTrack;
    track_id: TrackId;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** A variant that failed. */
export interface FailedVariant {
    /** The reason for the failure, as a sentence. */
    reason: string;
    /** The index of the variant. */
    variant: VariantIndex;
}
/** The full record. `player_title` and `player_subtitle` are the values that were set, or null. */
export interface FullTrack {
    player_color?: Colour | null;
    /** Derived from `player_color`, for dark backgrounds. */
    player_color_dark?: Colour | null;
    /** Derived from `player_color`, for light backgrounds. */
    player_color_light?: Colour | null;
    collection_id: CollectionId;
    /** In seconds; 0 until the file has been probed. */
    duration: number;
    file_name: string;
    id: TrackId;
    index: ShortId;
    metadata: Metadata;
    order: number;
    organization_id: OrganizationId;
    player_subtitle?: string | null;
    player_title?: string | null;
    theme: ThemeColour[];
    track_status_id: TrackStatus;
    /** The beginning of the durable path of each file; append `_{variant index}.{extension}`. */
    base_path: string;
    /** The same as a URL. Sign it with a signing key of the organization. */
    base_url: string;
    /** The spoken words in paragraphs, if the organization has transcription. */
    transcription?: string | null;
    /** Their language (BCP 47). */
    transcription_language?: string | null;
    creator_id?: CreatorId | null;
    file_name_original?: string | null;
    info: TrackInfo;
    is_cover_overridable: boolean;
    is_theme_overridable: boolean;
    organization_index?: string | null;
    /** What players show: `player_subtitle`, otherwise the artist tag, otherwise the collection's or the organization's subtitle. */
    shown_subtitle?: string | null;
    /** What players show: `player_title`, otherwise the title tag, otherwise the file name without its extension. */
    shown_title: string;
    /** Why the track failed or is incomplete, or what its processing is waiting for. */
    status_reason?: string | null;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface UpdateTrackResponse {
    track: ReducedTrack;
    track_id: TrackId;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
export interface UpdateTrackBody {
    /** Moves the track to the end of another collection. */
    collection_id?: CollectionId;
    creator_id?: CreatorId | null;
    is_cover_overridable?: boolean | null;
    is_theme_overridable?: boolean | null;
    metadata?: Metadata | null;
    /** Your own id for it. It is never interpreted. */
    organization_index?: Text1000 | null;
    player_color?: Colour | null;
    /** The line below; null for the artist tag of the file, otherwise that of the collection or organization. */
    player_subtitle?: Text1000 | null;
    /** What players show; null for the title tag of the file, otherwise its name. */
    player_title?: Text1000 | null;
    /** Overrides the colours found in covers; null restores them. */
    theme?: Palette | null;
    /** Alias of `player_title`, which takes precedence if both are given. */
    title?: Text1000 | null;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface DeleteTrackResponse {
    deleted_track: BasicTrack;
    track_id: TrackId;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** The fields of every record of a track. A deleted track has only these. */
export interface BasicTrack {
    player_color?: Colour | null;
    /** Derived from `player_color`, for dark backgrounds. */
    player_color_dark?: Colour | null;
    /** Derived from `player_color`, for light backgrounds. */
    player_color_light?: Colour | null;
    collection_id: CollectionId;
    /** In seconds; 0 until the file has been probed. */
    duration: number;
    file_name: string;
    id: TrackId;
    index: ShortId;
    metadata: Metadata;
    order: number;
    organization_id: OrganizationId;
    player_subtitle?: string | null;
    player_title?: string | null;
    theme: ThemeColour[];
    track_status_id: TrackStatus;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface RenewTrackCoverUploadResponse {
    track: ReducedTrack;
    track_cover_upload: UploadDescriptor;
    track_id: TrackId;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface RemoveTrackCoverResponse {
    track: FullTrack;
    track_id: TrackId;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface ReadTrackProgressResponse {
    /** Progress of all variants together, in percent. */
    percent: number;
    /** Why the track failed or is incomplete, or what its processing is waiting for. */
    status_reason?: string | null;
    track_id: TrackId;
    track_status_id: TrackStatus;
    variants: VariantState[];
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** The progress of one variant. */
export interface VariantState {
    index: VariantIndex;
    /** How much of it is done. Null if it failed. */
    percent?: number | null;
    /** Why it failed. */
    reason?: string | null;
    status: VariantStatus;
}
/** What is done for a variant. */
export type VariantStatus = "waiting" | "running" | "made" | "failed";
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface RetryTrackResponse {
    track: FullTrack;
    track_id: TrackId;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface ReadTrackSourceReplacementResponse {
    source_replacement: ReplacementRecord;
    track_id: TrackId;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** The replacement of the file of a track. */
export interface ReplacementRecord {
    created_at: Timestamp;
    /** When the upload URL expires. Once it is completed: until when it can be undone. */
    expires_at: Timestamp;
    /** The name of the new file. Null if the track keeps its file name. */
    file_name?: string | null;
    id: ReplacementId;
    /** Why the replacement failed, as a sentence. */
    reason?: string | null;
    /**
     * `waiting` for the upload, `processing`, `completed` (the track has the new file) or `failed` (the track keeps the old
     * one).
     */
    status: ReplacementState;
}
export type ReplacementId = string;
export type ReplacementState = "waiting" | "processing" | "completed" | "failed";
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface ReplaceTrackSourceResponse {
    source_replacement: ReplacementRecord;
    track_id: TrackId;
    track_upload: UploadDescriptor;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** What changes with the file. */
export interface ReplaceTrackSourceBody {
    /** The name of the new file. Default: the track keeps its file name. */
    file_name?: NotBlank1000 | null;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface CancelTrackSourceReplacementResponse {
    track_id: TrackId;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** What is undone. */
export interface UndoTrackSourceReplacementBody {
    /** The id of the latest replacement of the track. */
    replacement_id: ReplacementId;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface AddTrackVariantResponse {
    job_id: JobId;
    track_id: TrackId;
    variant: VariantRecord;
    variant_id: VariantId;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** The record of a variant. */
export interface VariantRecord {
    /**
     * The extension of its files, such as `mp3`, `json` or `png`; `original` stands for the extension of the upload. For levels,
     * the format in which they are written.
     */
    format: string;
    /** The same as `index`. */
    name: VariantIndex;
    /** The same as `variant_type_id`. */
    type: RecipeType;
    /** Only for waveform images and videos. Null: images are transparent, videos black. */
    background?: string | null;
    /** In kbit/s. For waveform videos, the bitrate of the audio. */
    bitrate?: number;
    /** 8 or 16. Only for levels in the audiowaveform formats. */
    bits?: number;
    codec?: "aac" | "mp3" | "ogg" | "opus" | "flac" | "wav";
    /** Only for waveform images and videos. Null: the player colour of the track. */
    color?: string | null;
    /** Frames per second of waveform videos. */
    frame_rate?: number;
    /** Whether waveform videos have sound. */
    has_sound?: boolean;
    /** In pixels. Only for waveform images and videos. */
    height?: number;
    /** Whether each channel has its own levels. Only for levels in the audiowaveform formats. */
    is_split_channels?: boolean;
    /** Only for transcodes and previews. */
    is_stereo?: boolean;
    /** Only for transcodes and previews. */
    is_strip_cover?: boolean;
    /** Only for transcodes and previews. */
    is_strip_tags?: boolean;
    /** In LUFS. Null: the loudness is not changed. Only for transcodes and previews. */
    loudness_target?: number | null;
    metric?: "peak" | "rms";
    /** Number of levels. */
    num_samples?: number;
    /** Only for previews whose length is set in seconds. */
    preview_max_percent?: number;
    /** Only for previews whose length is set in percent. */
    preview_max_seconds?: number;
    /** Only for previews whose length is set in seconds. */
    preview_min_percent?: number;
    /** Only for previews whose length is set in percent. */
    preview_min_seconds?: number;
    /** Only for previews whose length is set in percent. */
    preview_percent?: number;
    /** Only for previews whose length is set in seconds. */
    preview_seconds?: number;
    /** Where a preview starts in the track. */
    preview_start_percent?: number;
    /** Whether the length of a preview is set in seconds or in percent. */
    preview_type?: "seconds" | "percent";
    /** Samples per point. Only for levels in the audiowaveform formats. */
    samples_per_pixel?: number;
    size?: "icon" | "small" | "regular" | "large";
    variant_type_id: "transcode" | "preview" | "levels" | "waveform_image" | "waveform_video" | "original" | "cover";
    /** In pixels. Only for waveform images and videos. */
    width?: number;
    /** Who may cache its files: only listeners (`private`), or also CDNs (`public`). */
    cache: CachePolicy;
    created_at: Timestamp;
    id: VariantId;
    index: VariantIndex;
    organization_id: OrganizationId;
    track_id?: TrackId | null;
    variant_type: VariantTypeRecord;
}
export type CachePolicy = "private" | "public";
export interface AddTrackVariantBody {
    /** In kbit/s. */
    bitrate?: number | null;
    codec?: LossyCodec | null;
    index: VariantIndex;
    is_stereo?: boolean | null;
    is_strip_cover?: boolean | null;
    is_strip_tags?: boolean | null;
    /** In LUFS. Default: the loudness is not changed. */
    loudness_target?: number | null;
    preview_max_percent?: number | null;
    preview_max_seconds?: number | null;
    preview_min_percent?: number | null;
    preview_min_seconds?: number | null;
    preview_percent?: number | null;
    preview_seconds?: number | null;
    preview_start_percent?: number | null;
    preview_type?: PreviewType | null;
    variant_type_id: AddableType;
}
/** The codecs of variants that are added to a track. */
export type LossyCodec = "aac" | "mp3" | "ogg" | "opus";
export type PreviewType = "seconds" | "percent";
/** The types of variants that can be added to a track. */
export type AddableType = "transcode" | "preview";
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface CreateUploadSessionTrackResponse {
    track_cover_upload: UploadDescriptor;
    track_upload: UploadDescriptor;
    track: SessionTrackRecord;
    track_id: TrackId;
    upload_session: UploadSessionRecord;
    upload_session_id: UploadSessionId;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** A track in an upload session. */
export interface SessionTrackRecord {
    /** The beginning of the durable path of each file; append `_{variant index}.{extension}`. */
    base_path: string;
    /** The same as a URL. Sign it with a signing key of the organization. */
    base_url: string;
    id: TrackId;
    index: ShortId;
    /** The folder of the files of the track. */
    path: string;
    upload_url: string;
}
/** The record of an upload session. */
export interface UploadSessionRecord {
    collection_id: CollectionId;
    creator_id?: CreatorId | null;
    expires_at: Timestamp;
    id: UploadSessionId;
    metadata: Metadata;
    organization_index?: string | null;
}
export type UploadSessionId = string;
export interface CreateUploadSessionTrackBody {
    /** Required unless `source_url` is given. */
    file_name?: NotBlank1000;
    metadata?: Metadata | null;
    organization_index?: Text1000 | null;
    /**
     * An `http` or `https` URL from which the file is imported, or `s3://bucket/key` for a bucket for which the organization has
     * credentials. See docs/importing.md.
     */
    source_url?: NotBlank8000 | null;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface ListUploadSessionsResponse {
    /** The `cursor` of the next page; null on the last one. */
    next_cursor?: SessionHandle | null;
    upload_sessions: ListedUploadSession[];
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** An upload session for those who manage it. */
export interface ListedUploadSession {
    /** The key that opened it; null if a person did in the dashboard. */
    api_key_id?: ApiKeyId | null;
    collection_id: CollectionId;
    creator_id?: CreatorId | null;
    expires_at: Timestamp;
    /**
     * Names the session in requests that end it. It gives no access, unlike the id of the session, which is not shown.
     * Null for sessions of an earlier version.
     */
    handle?: SessionHandle | null;
    organization_index?: string | null;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface CreateUploadSessionResponse {
    player_color?: Colour | null;
    /** Derived from `player_color`, for dark backgrounds. */
    player_color_dark?: Colour | null;
    /** Derived from `player_color`, for light backgrounds. */
    player_color_light?: Colour | null;
    expires_at: Timestamp;
    upload_session: UploadSessionRecord;
    upload_session_id: UploadSessionId;
    track?: SessionTrackRecord;
    track_cover_upload?: UploadDescriptor;
    track_id?: TrackId;
    track_upload?: UploadDescriptor;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
export interface CreateUploadSessionBody {
    /** Required unless the key is limited to a collection. */
    collection_id?: CollectionId | null;
    creator_id?: CreatorId | null;
    expires_in?: ExpiresIn | null;
    /** Of the session itself. Its tracks have their own. */
    metadata?: Metadata | null;
    /** Your own id for the session. Its tracks have their own. */
    organization_index?: Text1000 | null;
    /** A first track, so that one request is enough for a single file. */
    track?: CreateTrackBody | null;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface ReadUploadSessionResponse {
    player_color?: Colour | null;
    /** Derived from `player_color`, for dark backgrounds. */
    player_color_dark?: Colour | null;
    /** Derived from `player_color`, for light backgrounds. */
    player_color_light?: Colour | null;
    expires_at: Timestamp;
    upload_session: UploadSessionRecord;
    upload_session_id: UploadSessionId;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface EndUploadSessionResponse {
    /** The session as it was. */
    ended_upload_session: ListedUploadSession;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface ReadUsageResponse {
    /** Total number of rows, regardless of the page. */
    count: number;
    /** The first day. */
    from: Day;
    group: "day" | "track" | "variant";
    /** The last day, inclusive. */
    to: Day;
    /** The sums of all rows, regardless of the page. */
    total: UsageSums;
    usage: UsageRecord[];
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** Usage totals. */
export interface UsageSums {
    /** Bytes delivered. */
    bytes: number;
    /** Download URLs that were returned. */
    downloads: number;
    /** The sum of `stream_redirects` and `track_fetches`: requests, whether or not anything was heard. See `/v1/listens`. */
    plays: number;
    /** Deliveries of sound that started with the first byte of a file. */
    starts: number;
    /** Requests of share links that were redirected to a file. */
    stream_redirects: number;
    /** Requests for a track of a play session. */
    track_fetches: number;
}
/** The totals of a day, a track or a variant. */
export type UsageRecord = DayRecord | TrackUsageRecord | VariantUsageRecord;
export interface DayRecord {
    /** Bytes delivered. */
    bytes: number;
    /** Download URLs that were returned. */
    downloads: number;
    /** The sum of `stream_redirects` and `track_fetches`: requests, whether or not anything was heard. See `/v1/listens`. */
    plays: number;
    /** Deliveries of sound that started with the first byte of a file. */
    starts: number;
    /** Requests of share links that were redirected to a file. */
    stream_redirects: number;
    /** Requests for a track of a play session. */
    track_fetches: number;
    day: Day;
}
export interface TrackUsageRecord {
    /** Bytes delivered. */
    bytes: number;
    /** Download URLs that were returned. */
    downloads: number;
    /** The sum of `stream_redirects` and `track_fetches`: requests, whether or not anything was heard. See `/v1/listens`. */
    plays: number;
    /** Deliveries of sound that started with the first byte of a file. */
    starts: number;
    /** Requests of share links that were redirected to a file. */
    stream_redirects: number;
    /** Requests for a track of a play session. */
    track_fetches: number;
    /** The folder in the paths of the files. */
    index: ShortId;
    /** Kept after the track is deleted; null for covers of collections and of the organization. */
    track_id: TrackId | null;
}
export interface VariantUsageRecord {
    /** Bytes delivered. */
    bytes: number;
    /** Download URLs that were returned. */
    downloads: number;
    /** The sum of `stream_redirects` and `track_fetches`: requests, whether or not anything was heard. See `/v1/listens`. */
    plays: number;
    /** Deliveries of sound that started with the first byte of a file. */
    starts: number;
    /** Requests of share links that were redirected to a file. */
    stream_redirects: number;
    /** Requests for a track of a play session. */
    track_fetches: number;
    /**
     * The index of the variant, or the name of another file such as `cover-small`; null for tracks that were fetched
     * with all their variants.
     */
    variant: VariantIndex | null;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface ListVariantsResponse {
    /** Total number of results, regardless of the page. */
    count: number;
    variants: VariantRecord[];
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface ReadVariantResponse {
    variant: VariantRecord;
    variant_id: VariantId;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
export interface CreateVariantBody {
    background?: Colour | null;
    /** In kbit/s. For waveform videos, the bitrate of the audio. */
    bitrate?: number | null;
    /** 8 or 16. */
    bits?: number | null;
    /** Who may cache the files: only listeners (`private`, the default), or also CDNs (`public`). */
    cache?: CachePolicy;
    codec?: Codec | null;
    color?: Colour | null;
    /**
     * For levels: `levels`, `audiowaveform_json` or `audiowaveform_dat`. Records of other types have this field for display;
     * it is ignored if it is sent back.
     */
    format?: Text1000 | null;
    /** In frames per second. */
    frame_rate?: number | null;
    has_sound?: boolean | null;
    /** In pixels, like `width`. */
    height?: number | null;
    /** The name: 2 to 64 characters of a-z, 0-9, _ and -. */
    index: VariantIndex;
    is_split_channels?: boolean | null;
    is_stereo?: boolean | null;
    is_strip_cover?: boolean | null;
    is_strip_tags?: boolean | null;
    /** In LUFS. Null: the loudness is not changed. */
    loudness_target?: number | null;
    metric?: Metric | null;
    /** Number of levels. */
    num_samples?: number | null;
    preview_max_percent?: number | null;
    preview_max_seconds?: number | null;
    preview_min_percent?: number | null;
    preview_min_seconds?: number | null;
    preview_percent?: number | null;
    preview_seconds?: number | null;
    preview_start_percent?: number | null;
    preview_type?: PreviewType | null;
    samples_per_pixel?: number | null;
    size?: CoverSize | null;
    /** The type, which cannot be changed. */
    variant_type_id: RecipeType;
    /** In pixels: 16 to 4096 for images; even, and 64 to 1920, for videos. */
    width?: number | null;
}
export type Codec = "aac" | "mp3" | "ogg" | "opus" | "flac" | "wav";
export type Metric = "peak" | "rms";
export type CoverSize = "icon" | "small" | "regular" | "large";
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface OrderVariantsResponse {
    /** Total number of recipes. */
    count: number;
    variants: VariantRecord[];
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
export interface OrderVariantsBody {
    /** The ids of all recipes of the organization, each exactly once. */
    variant_ids: VariantId[];
}
/**
 * The name, the type and the settings of a recipe. Settings that a type does not have are ignored. Null stands for the
 * default of a setting.
 */
export interface UpdateVariantBody {
    background?: Colour | null;
    /** In kbit/s. For waveform videos, the bitrate of the audio. */
    bitrate?: number | null;
    /** 8 or 16. */
    bits?: number | null;
    /** Who may cache the files: only listeners (`private`, the default), or also CDNs (`public`). */
    cache?: CachePolicy;
    codec?: Codec | null;
    color?: Colour | null;
    /**
     * For levels: `levels`, `audiowaveform_json` or `audiowaveform_dat`. Records of other types have this field for display;
     * it is ignored if it is sent back.
     */
    format?: Text1000 | null;
    /** In frames per second. */
    frame_rate?: number | null;
    has_sound?: boolean | null;
    /** In pixels, like `width`. */
    height?: number | null;
    /** The name: 2 to 64 characters of a-z, 0-9, _ and -. */
    index?: VariantIndex;
    is_split_channels?: boolean | null;
    is_stereo?: boolean | null;
    is_strip_cover?: boolean | null;
    is_strip_tags?: boolean | null;
    /** In LUFS. Null: the loudness is not changed. */
    loudness_target?: number | null;
    metric?: Metric | null;
    /** Number of levels. */
    num_samples?: number | null;
    preview_max_percent?: number | null;
    preview_max_seconds?: number | null;
    preview_min_percent?: number | null;
    preview_min_seconds?: number | null;
    preview_percent?: number | null;
    preview_seconds?: number | null;
    preview_start_percent?: number | null;
    preview_type?: PreviewType | null;
    samples_per_pixel?: number | null;
    size?: CoverSize | null;
    /** The type, which cannot be changed. */
    variant_type_id?: RecipeType;
    /** In pixels: 16 to 4096 for images; even, and 64 to 1920, for videos. */
    width?: number | null;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface DeleteVariantResponse {
    deleted_variant: VariantRecord;
    variant_id: VariantId;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface ReadRenderingResponse {
    rendering: RenderingRecord;
    variant_id: VariantId;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** The progress of rendering a recipe for the tracks that existed when it was requested. */
export interface RenderingRecord {
    /** Tracks that are done, including those whose file was up to date or failed. */
    done: number;
    /** Tracks for which it failed. */
    failed: number;
    /** Null until the last track is done. */
    finished_at?: Timestamp | null;
    /** From 0 to 100. */
    percent: number;
    started_at: Timestamp;
    /** Tracks that could be rendered when it was requested. */
    total: number;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface ListWebhooksResponse {
    /** Total number of results. */
    count: number;
    webhooks: WebhookRecord[];
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** The record of a webhook, without its secret. */
export interface WebhookRecord {
    created_at: Timestamp;
    /** The events that are sent to it, which follow from its kind. */
    events: EventKind[];
    /**
     * When events are no longer sent to it: when the API key that created it, or last changed its URL, expires. Null if
     * never.
     */
    expires_at?: Timestamp | null;
    /** Failed attempts in a row. */
    failures: number;
    id: WebhookId;
    kind: WebhookKind;
    /** Until when the previous secret also signs; null if it no longer does. */
    old_secret_until?: Timestamp | null;
    organization_id: OrganizationId;
    /** Until when nothing is sent to it, because it kept failing; null if it is not paused. */
    paused_until?: Timestamp | null;
    url: string;
}
export type EventKind = "track.status_changed" | "track_file.created" | "track_file.failed" | "collection.created" | "collection.updated" | "collection.deleted" | "webhook.test";
export type WebhookId = string;
export type WebhookKind = "track" | "file" | "collection";
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface CreateWebhookResponse {
    /** The secret that signs the events, `whsec_…`. It is returned only once. */
    secret: string;
    webhook: WebhookRecord;
    webhook_id: WebhookId;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
export interface CreateWebhookBody {
    /**
     * `track`: `track.status_changed`. `file`: `track_file.created` and `track_file.failed`. `collection`:
     * `collection.created`, `collection.updated` and `collection.deleted`.
     */
    kind: WebhookKind;
    /** An http or https URL with a public address. */
    url: string;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface ReadWebhookResponse {
    webhook: WebhookRecord;
    webhook_id: WebhookId;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
export interface UpdateWebhookBody {
    /** An http or https URL with a public address. */
    url: string;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface DeleteWebhookResponse {
    deleted_webhook: WebhookRecord;
    webhook_id: WebhookId;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface ListWebhookDeliveriesResponse {
    deliveries: DeliveryRecord[];
    /** The `cursor` of the next page; null on the last one. */
    next_cursor?: WebhookDeliveryId | null;
    webhook_id: WebhookId;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** The record of a delivery: one event on its way to one webhook. */
export interface DeliveryRecord {
    /** Number of attempts so far. */
    attempt_count: number;
    created_at: Timestamp;
    /** Time of the next attempt; null if there is none. */
    due_at?: Timestamp | null;
    event: EventKind;
    /** When it was delivered or failed; null while it is pending. */
    finished_at?: Timestamp | null;
    /** Prefixed with `msg_`, it is the header `webhook-id` of every attempt. */
    id: WebhookDeliveryId;
    state: DeliveryState;
    /** The track, file or collection that the event is about; of a test, the webhook. */
    subject_id: string;
    webhook_id: WebhookId;
}
export type WebhookDeliveryId = string;
export type DeliveryState = "pending" | "delivered" | "failed";
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface ReadWebhookDeliveryResponse {
    delivery: FullDelivery;
    delivery_id: WebhookDeliveryId;
    webhook_id: WebhookId;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** A delivery with what is sent and what came back. */
export interface FullDelivery {
    /** Number of attempts so far. */
    attempt_count: number;
    created_at: Timestamp;
    /** Time of the next attempt; null if there is none. */
    due_at?: Timestamp | null;
    event: EventKind;
    /** When it was delivered or failed; null while it is pending. */
    finished_at?: Timestamp | null;
    /** Prefixed with `msg_`, it is the header `webhook-id` of every attempt. */
    id: WebhookDeliveryId;
    state: DeliveryState;
    /** The track, file or collection that the event is about; of a test, the webhook. */
    subject_id: string;
    webhook_id: WebhookId;
    /** The last ten attempts, the latest first. */
    attempts: AttemptRecord[];
    payload: {
        [name: string]: unknown;
    };
}
/** One attempt to deliver an event. */
export interface AttemptRecord {
    duration_ms: number;
    /** A human-readable reason for the failure; null if it succeeded. */
    error?: string | null;
    /** From 1. */
    number: number;
    /** The first 64 KiB of the response, as text. */
    response: string;
    started_at: Timestamp;
    /** The status of the response; null if there was none. */
    status?: number | null;
    /** Where it was sent. */
    url: string;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface ReplayWebhookDeliveryResponse {
    delivery_id: WebhookDeliveryId;
    webhook_id: WebhookId;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** A successful response: `ok: true`, the request id, and the fields of the endpoint. */
export interface ReplayFailedWebhookDeliveriesResponse {
    /** Number of deliveries that are sent again. */
    count: number;
    webhook_id: WebhookId;
    /** The same value as in the header `X-Request-Id`. */
    api_request_id: RequestId;
    ok: boolean;
}
/** A collection was created (or restored), updated or deleted. */
export interface CollectionEvent {
    occurred_at: Timestamp;
    /**
     * Grows with each event about the same track (with its files) or collection. Of two events, the one with the higher
     * version is the later one, whichever arrives first.
     */
    version: number;
    collection: CollectionRecord;
    collection_id: CollectionId;
    creator_id: CreatorId | null;
    event: "collection.created" | "collection.updated" | "collection.deleted";
    organization_id: OrganizationId;
}
/** A track became `ready`, `incomplete`, `error` or `init_error`, its source was replaced, or it got a file later. */
export interface TrackStatusChanged {
    occurred_at: Timestamp;
    /**
     * Grows with each event about the same track (with its files) or collection. Of two events, the one with the higher
     * version is the later one, whichever arrives first.
     */
    version: number;
    collection_id: CollectionId;
    creator_id: CreatorId | null;
    event: "track.status_changed";
    files: EventFile[];
    organization_id: OrganizationId;
    previous_status: TrackStatus;
    status: TrackStatus;
    track: EventTrack;
    track_id: TrackId;
    upload_session_id: UploadSessionId | null;
}
/** A file, as events describe it. A file that failed has no path, URL, size, content type and name. */
export interface EventFile {
    content_type: string | null;
    file_name: string | null;
    id: FileId;
    is_public: boolean;
    is_success: boolean;
    path: string | null;
    size: number | null;
    /** Why it failed; null if it did not. */
    status_text: string | null;
    /** Signed when the event is sent, and valid for an hour. */
    url: string | null;
    variant: EventVariant;
}
/** The variant of a file, as events describe it. */
export interface EventVariant {
    id: VariantId;
    index: VariantIndex;
    variant_type: VariantTypeRecord;
}
/** A track, as events describe it. */
export interface EventTrack {
    player_color?: Colour | null;
    /** Derived from `player_color`, for dark backgrounds. */
    player_color_dark?: Colour | null;
    /** Derived from `player_color`, for light backgrounds. */
    player_color_light?: Colour | null;
    /** In seconds. */
    duration: number;
    file_name: string;
    file_name_original: string | null;
    files_completed_at: Timestamp | null;
    /** The container of the source, such as `wav`. */
    format: string | null;
    id: TrackId;
    index: ShortId;
    metadata: Metadata;
    order: number;
    organization_index: string | null;
    player_subtitle: string | null;
    /** The title that players show: derived from the file if none was set. */
    player_title: string | null;
    /** Bytes of the source. */
    size: number | null;
    track_status_id: TrackStatus;
}
/** A file of a track was made, or failed. */
export interface TrackFileEvent {
    occurred_at: Timestamp;
    /**
     * Grows with each event about the same track (with its files) or collection. Of two events, the one with the higher
     * version is the later one, whichever arrives first.
     */
    version: number;
    collection_id: CollectionId;
    creator_id: CreatorId | null;
    event: "track_file.created" | "track_file.failed";
    file: DetailedEventFile;
    file_id: FileId;
    /** Why it failed; null if it did not. */
    message: string | null;
    organization_id: OrganizationId;
    status: "success" | "failed";
    track_id: TrackId;
}
/** A file with what was found out about it. */
export interface DetailedEventFile {
    content_type: string | null;
    file_name: string | null;
    id: FileId;
    is_public: boolean;
    is_success: boolean;
    path: string | null;
    size: number | null;
    /** Why it failed; null if it did not. */
    status_text: string | null;
    /** Signed when the event is sent, and valid for an hour. */
    url: string | null;
    variant: EventVariant;
    data: VariantData | null;
    props: FileProps;
}
/** The body of a test event. */
export interface TestEvent {
    occurred_at: Timestamp;
    /**
     * Grows with each event about the same track (with its files) or collection. Of two events, the one with the higher
     * version is the later one, whichever arrives first.
     */
    version: number;
    event: "webhook.test";
    message: string;
    organization_id: OrganizationId;
    sent_at: Timestamp;
    webhook_kind: WebhookKind;
}
/** What is sent to webhooks. Fields, and events, may be added. */
export type WebhookEvent = CollectionEvent | TrackStatusChanged | TrackFileEvent | TestEvent;
/** The query of `listApiKeys`. */
export interface ListApiKeysQuery {
    /** Only keys of this type. Default: all. */
    api_key_type_id?: KeyType;
    /** Maximum number of results. Default: 50. */
    limit?: number;
    /** Number of results to skip. Default: 0. */
    offset?: number;
}
/** The query of `revokeApiKey`. */
export interface RevokeApiKeyQuery {
    /** Whether to revoke what the key made, too. Default: false. */
    revoke_made?: boolean;
}
/** The query of `listCollections`. */
export interface ListCollectionsQuery {
    /** Maximum number of results. Default: 50. */
    limit?: number;
    /** Number of results to skip. Default: 0. */
    offset?: number;
    /**
     * Reads the list page by page: empty for the first page, then the `next_cursor` of the page before. Cannot be
     * combined with `offset`.
     */
    cursor?: string;
}
/** The query of `listTracks`. */
export interface ListTracksQuery {
    /** Maximum number of results. Default: 50. */
    limit?: number;
    /** Number of results to skip. Default: 0. */
    offset?: number;
    /**
     * Reads the list page by page: empty for the first page, then the `next_cursor` of the page before. Cannot be
     * combined with `offset`.
     */
    cursor?: string;
}
/** The query of `listCreators`. */
export interface ListCreatorsQuery {
    /** Maximum number of results. Default: 50. */
    limit?: number;
    /** Number of results to skip. Default: 0. */
    offset?: number;
    /**
     * Reads the list page by page: empty for the first page, then the `next_cursor` of the page before. Cannot be
     * combined with `offset`.
     */
    cursor?: string;
}
/** The query of `listImportBuckets`. */
export interface ListImportBucketsQuery {
    /** Maximum number of results. Default: 50. */
    limit?: number;
    /** Number of results to skip. Default: 0. */
    offset?: number;
}
/** The query of `readListens`. */
export interface ReadListensQuery {
    /** The first day, in UTC. Default: the first of the 30 days that end with `to`. */
    from?: Day;
    /** The last day, inclusive, in UTC. Default: today. At most 367 days in total. */
    to?: Day;
    /** What to group by. Default: `day`. `share_link`, `referrer` and `country` need a key for the whole organization. Countries are known only if the service has a country database. */
    group?: "day" | "track" | "collection" | "share_link" | "referrer" | "country";
    /** Maximum number of results. Default: 50. */
    limit?: number;
    /** Number of results to skip. Default: 0. */
    offset?: number;
}
/** The query of `describeTracks`. */
export interface DescribeTracksQuery {
    /** 1 to 100 ids of tracks, separated by commas. */
    track_ids: string;
}
/** The query of `listPlaySessions`. */
export interface ListPlaySessionsQuery {
    /** Maximum number of results. Default: 50. */
    limit?: number;
    /** Empty for the first page, which is also the default, then the `next_cursor` of the previous page. */
    cursor?: string;
}
/** The query of `listSigningKeys`. */
export interface ListSigningKeysQuery {
    /** Maximum number of results. Default: 50. */
    limit?: number;
    /** Number of results to skip. Default: 0. */
    offset?: number;
}
/** The query of `findTracks`. */
export interface FindTracksQuery {
    /**
     * Words that the track's titles, file name, `organization_index` or tags contain, whatever their case and accents. All of
     * them must be found; words in quotation marks must follow one another. Words of one or two letters are found at the
     * beginning of words.
     */
    query?: string;
    /** One or more statuses, separated by commas; the parameter can also be repeated. */
    status?: string;
    /** Only tracks of this collection. */
    collection_id?: CollectionId;
    /** Only tracks of this creator. */
    creator_id?: CreatorId;
    /** Only tracks with exactly this `organization_index`. */
    organization_index?: string;
    /** Only tracks whose source has this SHA-256, in hexadecimal. */
    source_sha256?: string;
    /** Only tracks that were created at this time or later. */
    created_since?: Timestamp;
    /**
     * `created`, `title`, `duration` or `status` (failed tracks first), or within a collection `order`; with a minus sign
     * before it, in reverse. Default: `-created`.
     */
    sort?: string;
    /** Maximum number of results. Default: 50. */
    limit?: number;
    /** The `next_cursor` of the page before; empty or left out for the first page. */
    cursor?: string;
}
/** The query of `retryTrack`. */
export interface RetryTrackQuery {
    /** The index of a failed variant. Default: all failed and missing variants. */
    variant?: VariantIndex;
}
/** The query of `listUploadSessions`. */
export interface ListUploadSessionsQuery {
    /** Maximum number of results. Default: 50. */
    limit?: number;
    /** Empty for the first page, which is also the default, then the `next_cursor` of the previous page. */
    cursor?: string;
}
/** The query of `readUsage`. */
export interface ReadUsageQuery {
    /** The first day, in UTC. Default: the first of the 30 days that end with `to`. */
    from?: Day;
    /** The last day, inclusive, in UTC. Default: today. At most 367 days in total. */
    to?: Day;
    /** What to group by. Default: `day`. */
    group?: "day" | "track" | "variant";
    /** Maximum number of results. Default: 50. */
    limit?: number;
    /** Number of results to skip. Default: 0. */
    offset?: number;
}
/** The query of `listVariants`. */
export interface ListVariantsQuery {
    /** Maximum number of results. Default: 50. */
    limit?: number;
    /** Number of results to skip. Default: 0. */
    offset?: number;
}
/** The query of `listWebhookDeliveries`. */
export interface ListWebhookDeliveriesQuery {
    /** Only deliveries in this state. Default: all. */
    state?: DeliveryState;
    /** Maximum number of results. Default: 50. */
    limit?: number;
    /** Empty for the first page, which is also the default, then the `next_cursor` of the previous page. */
    cursor?: string;
}

"""The objects of the interface, as dictionaries with known keys.

Made from the description of the interface by tools/sdk/generate (`make sdk`). Changes here are lost.
"""

from __future__ import annotations

from typing import Any, Dict, List, Literal, Optional, TypedDict, Union


class ListApiKeysResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    api_keys: List[KeyRecord]
    # Total number of results, regardless of the page.
    count: int
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class _KeyRecord(TypedDict):
    api_key_type_id: KeyType
    created_at: Timestamp
    id: ApiKeyId
    is_downloadable: bool
    organization_id: OrganizationId
    title: str


class KeyRecord(_KeyRecord, total=False):
    """The record of a key, without the key itself."""
    # The origins whose pages may use it; null for all.
    allowed_origins: Optional[List[PageOrigin]]
    collection_id: Optional[CollectionId]
    creator_id: Optional[CreatorId]
    expires_at: Optional[Timestamp]
    # Accurate to about a minute; null if it was never used.
    last_used_at: Optional[Timestamp]
    revoked_at: Optional[Timestamp]
    track_id: Optional[TrackId]
    # The variants that its play sessions may list; null for all.
    variants: Optional[List[VariantIndex]]


PageOrigin = str


KeyType = Literal["api", "player", "uploader", "share"]


CollectionId = str


Timestamp = str


CreatorId = str


ApiKeyId = str


OrganizationId = str


TrackId = str


VariantIndex = str


RequestId = str


class _CreateApiKeyResponse(TypedDict):
    # The full key, which is returned only once.
    api_key: str
    api_key_id: ApiKeyId
    api_key_record: KeyRecord
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class CreateApiKeyResponse(_CreateApiKeyResponse, total=False):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    # For a share key for one track: the link that plays it for anyone who has the link. Null for other keys.
    share_url: Optional[str]


class _CreateApiKeyBody(TypedDict):
    # `player`, `uploader` or `share`. Keys of type `api` can only be created in the dashboard or on the command line.
    api_key_type_id: KeyType
    # What people recognize it by in the dashboard.
    title: NotBlank200


class CreateApiKeyBody(_CreateApiKeyBody, total=False):
    # The origins whose pages may use the key, such as `https://www.example.com`: 1 to 20, not for share keys. Default: all.
    # Requests without an `Origin` header, such as those of servers, are always allowed.
    allowed_origins: Optional[List[PageOrigin]]
    collection_id: Optional[CollectionId]
    creator_id: Optional[CreatorId]
    # Must be in the future.
    expires_at: Optional[Timestamp]
    # Whether what the key plays may also be saved.
    is_downloadable: Optional[bool]
    # Requires `collection_id`.
    track_id: Optional[TrackId]
    # The variants that play sessions of this key may list: at least one, and exactly one for a share key. Default: all.
    variants: Optional[List[VariantIndex]]


NotBlank200 = str


class ReadApiKeyResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    api_key_id: ApiKeyId
    api_key_record: KeyRecord
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class UpdateApiKeyBody(TypedDict, total=False):
    # The origins whose pages may use the key: 1 to 20, not for share keys. Null for all.
    allowed_origins: Optional[List[PageOrigin]]
    # Cannot be changed; only the value that the key has is accepted. The same applies to the fields below.
    api_key_type_id: Optional[KeyType]
    collection_id: Optional[CollectionId]
    creator_id: Optional[CreatorId]
    # Must be in the future; null for a key that does not expire.
    expires_at: Optional[Timestamp]
    # Whether what the key plays may also be saved.
    is_downloadable: Optional[bool]
    # What people recognize it by in the dashboard.
    title: NotBlank200
    track_id: Optional[TrackId]
    # The variants that play sessions of this key may list: at least one, and exactly one for a share key. Null for all.
    variants: Optional[List[VariantIndex]]


class RevokeApiKeyResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    api_key_id: ApiKeyId
    deleted_api_key: KeyRecord
    # What the key had made. Revoked with it if `revoke_made` is true; otherwise it is still there.
    made: Made
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class Made(TypedDict):
    """How many things a key made that were still there."""
    api_keys: int
    import_buckets: int
    signing_keys: int
    webhooks: int


class _ListCollectionsResponse(TypedDict):
    collections: List[CollectionRecord]
    # Total number of results, regardless of the page.
    count: int
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class ListCollectionsResponse(_ListCollectionsResponse, total=False):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    # Where the next page begins, or null if this is the last. Only if the request had a `cursor`.
    next_cursor: Optional[str]


class _CollectionRecord(TypedDict):
    id: CollectionId
    is_cover_overridable: bool
    is_theme_overridable: bool
    metadata: Metadata
    organization_id: OrganizationId
    theme: List[ThemeColour]
    title: str


class CollectionRecord(_CollectionRecord, total=False):
    """The record of a collection."""
    player_color: Optional[Colour]
    # Derived from `player_color`, for dark backgrounds.
    player_color_dark: Optional[Colour]
    # Derived from `player_color`, for light backgrounds.
    player_color_light: Optional[Colour]
    creator_id: Optional[CreatorId]
    organization_index: Optional[str]
    player_subtitle: Optional[str]


Colour = str


# Any JSON value without NUL characters.
MetadataValue = Any


# Your own JSON object: at most 64 KiB and 100 levels deep, without NUL characters. Numbers keep their digits. An update replaces it as a whole.
Metadata = Dict[str, MetadataValue]


class ThemeColour(TypedDict):
    area: float
    hex: str
    lightness: float
    saturation: float


class CreateCollectionResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    collection: CollectionRecord
    collection_cover_upload: UploadDescriptor
    collection_id: CollectionId
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class UploadDescriptor(TypedDict):
    """A signed URL for uploading a file."""
    expires_at: Timestamp
    method: str
    # Lifetime of the URL in seconds.
    ttl: int
    upload_url: str


class _CreateCollectionBody(TypedDict):
    # The title, which players show for shared collections.
    title: NotBlank1000


class CreateCollectionBody(_CreateCollectionBody, total=False):
    creator_id: Optional[CreatorId]
    is_cover_overridable: Optional[bool]
    is_theme_overridable: Optional[bool]
    metadata: Optional[Metadata]
    # Your own id for it. It is never interpreted.
    organization_index: Optional[Text1000]
    player_color: Optional[Colour]
    # The line that players show under the title of tracks that have none.
    player_subtitle: Optional[Text1000]
    # Overrides the colours found in the cover.
    theme: Optional[Palette]


Text1000 = str


class PaletteItem(TypedDict):
    area: float
    hex: str
    lightness: float
    saturation: float


Palette = List[PaletteItem]


NotBlank1000 = str


class ReadCollectionResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    collection: CollectionRecord
    collection_id: CollectionId
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class UpdateCollectionBody(TypedDict, total=False):
    creator_id: Optional[CreatorId]
    is_cover_overridable: Optional[bool]
    is_theme_overridable: Optional[bool]
    metadata: Optional[Metadata]
    # Your own id for it. It is never interpreted.
    organization_index: Optional[Text1000]
    player_color: Optional[Colour]
    player_subtitle: Optional[Text1000]
    # Overrides the colours found in covers; null restores them.
    theme: Optional[Palette]
    # The title, which players show for shared collections.
    title: NotBlank1000


class DeleteCollectionResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    collection_id: CollectionId
    deleted_collection: CollectionRecord
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class RenewCollectionCoverUploadResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    collection: CollectionRecord
    collection_cover_upload: UploadDescriptor
    collection_id: CollectionId
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class RemoveCollectionCoverResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    collection: CollectionRecord
    collection_id: CollectionId
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class OrderCollectionResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    collection_id: CollectionId
    # The tracks in their new order.
    tracks: List[OrderedTrack]
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class OrderedTrack(TypedDict):
    """A track, and its new `order`."""
    id: TrackId
    order: int


class OrderCollectionBody(TypedDict):
    # The tracks, in their new order.
    track_ids: List[TrackId]


class _ListTracksResponse(TypedDict):
    # Total number of results, regardless of the page.
    count: int
    tracks: List[ReducedTrack]
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class ListTracksResponse(_ListTracksResponse, total=False):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    # Where the next page begins, or null if this is the last. Only if the request had a `cursor`.
    next_cursor: Optional[str]


class _ReducedTrack(TypedDict):
    collection_id: CollectionId
    # In seconds; 0 until the file has been probed.
    duration: float
    file_name: str
    id: TrackId
    index: ShortId
    metadata: Metadata
    order: int
    organization_id: OrganizationId
    theme: List[ThemeColour]
    track_status_id: TrackStatus
    # The beginning of the durable path of each file; append `_{variant index}.{extension}`.
    base_path: str
    # The same as a URL. Sign it with a signing key of the organization.
    base_url: str


class ReducedTrack(_ReducedTrack, total=False):
    """The reduced record, as in lists and in the responses of create and update requests. `GET /v1/track/{track_id}` has all fields."""
    player_color: Optional[Colour]
    # Derived from `player_color`, for dark backgrounds.
    player_color_dark: Optional[Colour]
    # Derived from `player_color`, for light backgrounds.
    player_color_light: Optional[Colour]
    player_subtitle: Optional[str]
    player_title: Optional[str]
    # The spoken words in paragraphs, if the organization has transcription.
    transcription: Optional[str]
    # Their language (BCP 47).
    transcription_language: Optional[str]


ShortId = str


TrackStatus = Literal["initialized", "init_error", "processing", "fallback_processing", "ready", "incomplete", "error"]


class _ListCreatorsResponse(TypedDict):
    # Total number of results, regardless of the page.
    count: int
    creators: List[CreatorRecord]
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class ListCreatorsResponse(_ListCreatorsResponse, total=False):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    # Where the next page begins, or null if this is the last. Only if the request had a `cursor`.
    next_cursor: Optional[str]


class CreatorRecord(TypedDict):
    """The record of a creator."""
    created_at: Timestamp
    # The creator's only folder; its id is the id of the creator.
    folder_id: CreatorId
    id: CreatorId
    metadata: Metadata
    organization_id: OrganizationId
    organization_index: str
    updated_at: Timestamp


class ReadCreatorResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    creator: CreatorRecord
    creator_id: CreatorId
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class _CreateCreatorBody(TypedDict):
    # Your own id for the creator. It is never interpreted.
    organization_index: NotBlank1000


class CreateCreatorBody(_CreateCreatorBody, total=False):
    metadata: Optional[Metadata]


class UpdateCreatorBody(TypedDict, total=False):
    metadata: Optional[Metadata]
    # Your own id for the creator. It is never interpreted.
    organization_index: NotBlank1000


class DeleteCreatorResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    creator_id: CreatorId
    deleted_creator: CreatorRecord
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class ListImportBucketsResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    # Total number of results, regardless of the page.
    count: int
    import_buckets: List[ImportBucketRecord]
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class _ImportBucketRecord(TypedDict):
    access_key_id: AccessKeyId
    bucket: BucketName
    created_at: Timestamp
    # Whether the secret access key is stored. False if it was encrypted with a master secret that is gone: set it again.
    has_secret: bool
    organization_id: OrganizationId
    region: BucketRegion


class ImportBucketRecord(_ImportBucketRecord, total=False):
    """The record of a bucket that files are imported from, without the secret."""
    # The S3-compatible store; null for Amazon S3.
    endpoint: Optional[str]
    # When imports stop using them. They end with the API key that set them.
    expires_at: Optional[Timestamp]


AccessKeyId = str


BucketName = str


BucketRegion = str


class SetImportBucketResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    import_bucket: ImportBucketRecord
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class _SetImportBucketBody(TypedDict):
    access_key_id: AccessKeyId


class SetImportBucketBody(_SetImportBucketBody, total=False):
    # URL of an S3-compatible store, such as `https://s3.example.com`, with a public address. Omitted or null: Amazon S3.
    endpoint: Optional[str]
    # Default: `us-east-1`.
    region: Optional[BucketRegion]
    # It is stored encrypted and never returned. Omitted or null: the stored one is kept, provided that `endpoint` and
    # `access_key_id` do not change.
    secret_access_key: Optional[NotBlank1000]


class DeleteImportBucketResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    deleted_import_bucket: ImportBucketRecord
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class ReadJobResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    job: JobRecord
    job_id: JobId
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class _JobRecord(TypedDict):
    id: JobId
    # The kind of work, such as `process_track`.
    kind: str
    status: JobStatus


class JobRecord(_JobRecord, total=False):
    """A background job."""
    # Number of times the job has been started. Null if it has ended.
    attempts: Optional[int]
    # The earliest time of the next attempt, if the job is queued or waiting.
    next_attempt_at: Optional[Timestamp]
    # Why the job waits, failed or was cancelled, as a sentence.
    reason: Optional[str]
    # The track that the job works on.
    track_id: Optional[TrackId]


JobId = str


JobStatus = Literal["queued", "running", "waiting", "done", "failed", "cancelled"]


_ReadListensResponse = TypedDict("_ReadListensResponse", {
    "count": "int",
    "from": "Day",
    "group": "Literal['day', 'track', 'collection', 'share_link', 'referrer', 'country']",
    "listens": "List[ListenRecord]",
    "to": "Day",
    "total": "ListenSums",
    "api_request_id": "RequestId",
    "ok": "bool",
})


class ReadListensResponse(_ReadListensResponse, total=False):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""


Day = str


class ListenDayRecord(TypedDict):
    # Unique listeners per day, added up.
    listeners: int
    # Listens: at least one minute of a track, or a whole track that is shorter, delivered to one listener on one day.
    listens: int
    # Seconds that listeners played, where their players report it, and seconds delivered to all others.
    seconds_heard: int
    # The part of `seconds_heard` that players reported.
    seconds_played: int
    day: Day


class ListenSubjectRecord(TypedDict):
    # Unique listeners per day, added up.
    listeners: int
    # Listens: at least one minute of a track, or a whole track that is shorter, delivered to one listener on one day.
    listens: int
    # Seconds that listeners played, where their players report it, and seconds delivered to all others.
    seconds_heard: int
    # The part of `seconds_heard` that players reported.
    seconds_played: int
    # The id of the track, the collection or the share key, the host name of the site, or the code of the country by
    # ISO 3166-1, such as `DE`. Null for all sites beyond the first 200 of a day.
    id: Optional[str]
    # Null for sites and countries, and for what was removed permanently.
    title: Optional[str]


# The totals of a day, a track, a collection, a share link, a site or a country.
ListenRecord = Union[ListenDayRecord, ListenSubjectRecord]


class ListenSums(TypedDict):
    """Totals of listens."""
    # Unique listeners per day, added up.
    listeners: int
    # Listens: at least one minute of a track, or a whole track that is shorter, delivered to one listener on one day.
    listens: int
    # Seconds that listeners played, where their players report it, and seconds delivered to all others.
    seconds_heard: int
    # The part of `seconds_heard` that players reported.
    seconds_played: int


class ReadOrganizationResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    organization: OrganizationRecord
    organization_id: OrganizationId
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class _OrganizationRecord(TypedDict):
    id: OrganizationId
    is_cover_overridable: bool
    is_theme_overridable: bool
    name: str
    player_subtitle: str
    theme: List[ThemeColour]


class OrganizationRecord(_OrganizationRecord, total=False):
    """The record of an organization."""
    player_color: Optional[Colour]
    # Derived from `player_color`, for dark backgrounds.
    player_color_dark: Optional[Colour]
    # Derived from `player_color`, for light backgrounds.
    player_color_light: Optional[Colour]
    # Set it in the dashboard, or with `/v1/webhook`.
    webhook_url: Optional[str]


class UpdateOrganizationBody(TypedDict, total=False):
    """`webhook_url` cannot be set here, only in the dashboard."""
    is_cover_overridable: Optional[bool]
    is_theme_overridable: Optional[bool]
    # The name, which people see in the dashboard.
    name: NotBlank200
    player_color: Optional[Colour]
    player_subtitle: Optional[Text1000]
    # Overrides the colours found in the cover; null restores them.
    theme: Optional[Palette]


class DescribeTracksResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    play_session: PlaySessionCore
    play_session_id: PlaySessionId
    # The tracks that the session can play, in the order of the request. Others are left out.
    tracks: List[ListedTrack]
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class PlaySessionCore(TypedDict):
    """The fields of every record of a play session. The response for a single track has only these."""
    expires_at: Timestamp
    id: PlaySessionId
    is_downloadable: bool
    variants: List[VariantIndex]


PlaySessionId = str


class _ListedTrack(TypedDict):
    # In seconds.
    duration: float
    id: TrackId
    index: ShortId
    order: int
    # What players show: the title that was set, otherwise the title tag, otherwise the file name without its extension.
    player_title: str


class ListedTrack(_ListedTrack, total=False):
    """The short form, as in the list of a play session."""
    player_color: Optional[Colour]
    # Derived from `player_color`, for dark backgrounds.
    player_color_dark: Optional[Colour]
    # Derived from `player_color`, for light backgrounds.
    player_color_light: Optional[Colour]
    # What players show: the subtitle that was set, otherwise the artist tag, otherwise the collection's or the organization's.
    player_subtitle: Optional[str]


class _PlayTrackResponse(TypedDict):
    # By size: `icon`, `small`, `regular`.
    cover_image: Dict[str, CoverRecord]
    levels: Levels
    track: PlayedTrack
    variants: List[PlayedVariant]
    play_session: PlaySessionCore
    play_session_id: PlaySessionId
    track_id: TrackId
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class PlayTrackResponse(_PlayTrackResponse, total=False):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    # Where the transcript is as WebVTT, for `<track kind="captions">`. Missing if there is none.
    captions_url: Optional[str]


class CoverRecord(TypedDict):
    """A square cover in one size."""
    height: int
    type: str
    url: str
    width: int


class Levels(TypedDict, total=False):
    avg: float
    levels: List[float]
    max: float
    metric: Literal["peak", "rms"]
    min: float
    num_samples: int
    resample: float


class _PlayedTrack(TypedDict):
    # In seconds.
    duration: float
    id: TrackId
    index: ShortId
    order: int
    # What players show: the title that was set, otherwise the title tag, otherwise the file name without its extension.
    player_title: str
    file_name: str
    info: TrackInfo
    # Whether white text is more readable than black text on the player colour.
    is_dark: bool
    metadata: Metadata
    theme: List[ThemeColour]


class PlayedTrack(_PlayedTrack, total=False):
    """The full form, as in playback data."""
    player_color: Optional[Colour]
    # Derived from `player_color`, for dark backgrounds.
    player_color_dark: Optional[Colour]
    # Derived from `player_color`, for light backgrounds.
    player_color_light: Optional[Colour]
    # What players show: the subtitle that was set, otherwise the artist tag, otherwise the collection's or the organization's.
    player_subtitle: Optional[str]
    organization_index: Optional[str]


class TrackInfo(TypedDict, total=False):
    bit_rate: Optional[int]
    bits_per_sample: Optional[int]
    channels: Optional[int]
    # The chapters of the file, in order and without overlaps. Empty if there are none.
    chapters: List[TrackInfoChaptersItem]
    codec: Optional[str]
    container: Optional[str]
    is_truncated: bool
    loudness_lufs: Optional[float]
    sample_rate: Optional[int]
    size: Optional[int]
    # Tags by name; all values are strings. These names are the same for all formats: `title`, `artist`, `album`, `album_artist`, `composer`, `genre`, `publisher`, `comment`, `track_number`, `track_total`, `disc_number`, `disc_total`, `year`, `language` (BCP 47) and `lyrics` (at most 20,000 characters). Other tags have the names from the file, in lower case.
    tags: Dict[str, str]
    true_peak_dbtp: Optional[float]


class TrackInfoChaptersItem(TypedDict):
    """A part of the track, with its start and end in seconds."""
    end: float
    start: float
    title: Optional[str]


class _PlayedVariant(TypedDict):
    content_type: str
    file_name: str
    id: FileId
    is_public: bool
    path: str
    props: FileProps
    size: int
    url: str
    variant: PlayedRecipe


class PlayedVariant(_PlayedVariant, total=False):
    """A file with its signed URL."""
    data: Optional[VariantData]


class VariantData(TypedDict, total=False):
    """For previews: the part of the track that they contain, in seconds. For files that missed a loudness target: `missed_loudness`."""
    capture_end: float
    capture_start: float
    content_type: str
    duration: float
    extension: str
    # The loudness target that the file missed, its integrated loudness (null if it cannot be measured: silence, or less than 0.4 s) and its true peak.
    missed_loudness: VariantDataMissedLoudness


class VariantDataMissedLoudness(TypedDict):
    """The loudness target that the file missed, its integrated loudness (null if it cannot be measured: silence, or less than 0.4 s) and its true peak."""
    loudness_lufs: Optional[float]
    target_lufs: float
    true_peak_dbtp: Optional[float]


FileId = str


class FileProps(TypedDict):
    """Properties of the file for display. Never null."""
    # In kbit/s. For an original, that of the source; for FLAC and WAV, the mean; 0 for pictures, videos and levels.
    bitrate: int
    # The codec, such as `mp3`, `pcm_s16le` or `h264`, or the format if there is no codec, such as `png` or `json`.
    codec: str
    is_stereo: bool
    is_strip_cover: bool
    is_strip_tags: bool


class PlayedRecipe(TypedDict):
    """The variant of a file."""
    # The extension of its files, such as `mp3`, `json` or `png`; `original` stands for the extension of the upload. For levels,
    # the format in which they are written.
    format: str
    # The same as `index`.
    name: VariantIndex
    # The same as `variant_type_id`.
    type: RecipeType
    id: VariantId
    index: VariantIndex
    variant_type: VariantTypeRecord


RecipeType = Literal["transcode", "preview", "levels", "waveform_image", "waveform_video", "original", "cover"]


VariantId = str


class VariantTypeRecord(TypedDict):
    """The type of a variant."""
    id: RecipeType
    title: str
    viewer_id: str


class DownloadTrackResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    download: DownloadRecord
    # When the URL expires; the same as in `download`.
    expires_at: Timestamp
    play_session_id: PlaySessionId
    track_id: TrackId
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class DownloadRecord(TypedDict):
    # When the URL expires.
    expires_at: Timestamp
    url: str
    variant: str


class _ListPlaySessionsResponse(TypedDict):
    play_sessions: List[ListedPlaySession]
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class ListPlaySessionsResponse(_ListPlaySessionsResponse, total=False):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    # The `cursor` of the next page; null on the last one.
    next_cursor: Optional[SessionHandle]


SessionHandle = str


class _ListedPlaySession(TypedDict):
    collection_id: CollectionId
    expires_at: Timestamp
    is_downloadable: bool


class ListedPlaySession(_ListedPlaySession, total=False):
    """A play session for those who manage it."""
    # The key that opened it.
    api_key_id: Optional[ApiKeyId]
    creator_id: Optional[CreatorId]
    # Names the session in requests that end it. It gives no access, unlike the id of the session, which is not shown.
    # Null for sessions of an earlier version.
    handle: Optional[SessionHandle]
    organization_index: Optional[str]
    # The only track that it plays; null if it plays the collection.
    track_id: Optional[TrackId]
    # The variants that it lists; null for all.
    variants: Optional[List[VariantIndex]]


class _ReadPlaySessionResponse(TypedDict):
    play_session: PlaySessionRecord
    play_session_id: PlaySessionId
    tracks: List[ListedTrack]
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class ReadPlaySessionResponse(_ReadPlaySessionResponse, total=False):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    # Null if no track is playable.
    first_track: Optional[FirstTrack]


class _FirstTrack(TypedDict):
    # By size: `icon`, `small`, `regular`.
    cover_image: Dict[str, CoverRecord]
    levels: Levels
    track: PlayedTrack
    variants: List[PlayedVariant]
    track_id: TrackId


class FirstTrack(_FirstTrack, total=False):
    """The first track of a session, ready to play."""
    # Where the transcript is as WebVTT, for `<track kind="captions">`. Missing if there is none.
    captions_url: Optional[str]


class _PlaySessionRecord(TypedDict):
    expires_at: Timestamp
    id: PlaySessionId
    is_downloadable: bool
    variants: List[VariantIndex]
    metadata: Metadata


class PlaySessionRecord(_PlaySessionRecord, total=False):
    """The record of a play session."""
    creator_id: Optional[CreatorId]
    organization_index: Optional[str]


class EndPlaySessionResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    # The session as it was.
    ended_play_session: ListedPlaySession
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class _CreatePlaySessionResponse(TypedDict):
    play_session: PlaySessionRecord
    play_session_id: PlaySessionId
    tracks: List[ListedTrack]
    expires_at: Timestamp
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class CreatePlaySessionResponse(_CreatePlaySessionResponse, total=False):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    # Null if no track is playable.
    first_track: Optional[FirstTrack]


class CreatePlaySessionBody(TypedDict, total=False):
    # Required if the scope is `collection`.
    collection_id: Optional[CollectionId]
    expires_in: Optional[ExpiresIn]
    # Requests downloads, which the key must also allow.
    is_downloadable: Optional[bool]
    metadata: Optional[Metadata]
    organization_index: Optional[Text1000]
    # Required if the scope is `track`.
    track_id: Optional[TrackId]
    # Indexes of the variants to list, in this order. Default: all playable variants.
    variants: Optional[List[str]]


# Lifetime in seconds. Default: 3600.
ExpiresIn = float


class ReadQuotaResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    quota: QuotaRecord
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class QuotaRecord(TypedDict):
    """The quotas of an organization."""
    # Bytes of sources, files and covers. Those of deleted tracks count until they are purged.
    bytes: QuotaState
    # Bytes of text and metadata in these records.
    metadata: QuotaState
    # Minutes of audio in these tracks, rounded up. A track counts once it has been probed.
    minutes: QuotaState
    # Records in the database: tracks, collections, sessions, keys, stored answers and all others. Those of deleted
    # tracks and expired sessions count until they are removed; of a deleted track, one record stays. The limit is that
    # of every organization.
    records: QuotaState
    # Tracks that are not deleted.
    tracks: QuotaState


class QuotaState(TypedDict):
    """A quota, and what is used of it."""
    # The limit; null if there is none.
    limit: Optional[int]
    used: int


class ListSigningKeysResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    # Total number of results, regardless of the page.
    count: int
    signing_keys: List[SigningKeyRecord]
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class _SigningKeyRecord(TypedDict):
    created_at: Timestamp
    # The value of `kid` in the URLs that it signs.
    id: ShortId
    organization_id: OrganizationId
    title: str


class SigningKeyRecord(_SigningKeyRecord, total=False):
    """The record of a signing key, without its secret."""
    # When it stops working: with the API key that created it. Null if never.
    expires_at: Optional[Timestamp]
    revoked_at: Optional[Timestamp]


class CreateSigningKeyResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    # The key of the HMAC, used as text: 64 hex digits. It is returned only once.
    secret: str
    signing_key: SigningKeyRecord
    signing_key_id: ShortId
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class CreateSigningKeyBody(TypedDict, total=False):
    title: Optional[Text1000]


class ReadSigningKeyResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    signing_key: SigningKeyRecord
    signing_key_id: ShortId
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class RevokeSigningKeyResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    deleted_signing_key: SigningKeyRecord
    signing_key_id: ShortId
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class _FindTracksResponse(TypedDict):
    tracks: List[FoundRecord]
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class FindTracksResponse(_FindTracksResponse, total=False):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    # Total number of results, regardless of the page. Null if it is not known.
    count: Optional[int]
    # Where the next page begins, or null if this is the last.
    next_cursor: Optional[str]


class _FoundRecord(TypedDict):
    collection_id: CollectionId
    # In seconds; 0 until the file has been probed.
    duration: float
    file_name: str
    id: TrackId
    index: ShortId
    metadata: Metadata
    order: int
    organization_id: OrganizationId
    theme: List[ThemeColour]
    track_status_id: TrackStatus
    # The beginning of the durable path of each file; append `_{variant index}.{extension}`.
    base_path: str
    # The same as a URL. Sign it with a signing key of the organization.
    base_url: str
    collection_title: str
    created_at: Timestamp


class FoundRecord(_FoundRecord, total=False):
    """The reduced record, and what is needed to recognize a track among those of other collections."""
    player_color: Optional[Colour]
    # Derived from `player_color`, for dark backgrounds.
    player_color_dark: Optional[Colour]
    # Derived from `player_color`, for light backgrounds.
    player_color_light: Optional[Colour]
    player_subtitle: Optional[str]
    player_title: Optional[str]
    # The spoken words in paragraphs, if the organization has transcription.
    transcription: Optional[str]
    # Their language (BCP 47).
    transcription_language: Optional[str]
    creator_id: Optional[CreatorId]
    file_name_original: Optional[str]
    organization_index: Optional[str]
    # Why the track failed or is incomplete, or what its processing is waiting for.
    status_reason: Optional[str]


class CreateTrackResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    track_cover_upload: UploadDescriptor
    track_upload: UploadDescriptor
    track: ReducedTrack
    track_id: TrackId
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class CreateTrackBody(TypedDict, total=False):
    """A track to create, on its own or in an upload session."""
    # Required unless the key is limited to a collection.
    collection_id: Optional[CollectionId]
    creator_id: Optional[CreatorId]
    # Required unless `source_url` is given. An imported file is otherwise called what its server calls it, else what its URL
    # ends with.
    file_name: NotBlank1000
    is_cover_overridable: Optional[bool]
    is_theme_overridable: Optional[bool]
    metadata: Optional[Metadata]
    # Your own id for it. It is never interpreted.
    organization_index: Optional[Text1000]
    # Default: a colour of the cover.
    player_color: Optional[Colour]
    # The line below. Default: the artist tag of the file, otherwise that of the collection or organization.
    player_subtitle: Optional[Text1000]
    # What players show. Default: the title tag of the file, otherwise its name.
    player_title: Optional[Text1000]
    # An `http` or `https` URL from which the file is imported, or `s3://bucket/key` for a bucket for which the organization has
    # credentials. See docs/importing.md.
    source_url: Optional[NotBlank8000]
    # Overrides the colours found in covers.
    theme: Optional[Palette]


NotBlank8000 = str


class ReadTrackResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    # The variants that failed. Retry them with `POST /v1/track/{track_id}/retry`.
    failed_variants: List[FailedVariant]
    track: FullTrack
    track_id: TrackId
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class FailedVariant(TypedDict):
    """A variant that failed."""
    # The reason for the failure, as a sentence.
    reason: str
    # The index of the variant.
    variant: VariantIndex


class _FullTrack(TypedDict):
    collection_id: CollectionId
    # In seconds; 0 until the file has been probed.
    duration: float
    file_name: str
    id: TrackId
    index: ShortId
    metadata: Metadata
    order: int
    organization_id: OrganizationId
    theme: List[ThemeColour]
    track_status_id: TrackStatus
    # The beginning of the durable path of each file; append `_{variant index}.{extension}`.
    base_path: str
    # The same as a URL. Sign it with a signing key of the organization.
    base_url: str
    info: TrackInfo
    is_cover_overridable: bool
    is_theme_overridable: bool
    # What players show: `player_title`, otherwise the title tag, otherwise the file name without its extension.
    shown_title: str


class FullTrack(_FullTrack, total=False):
    """The full record. `player_title` and `player_subtitle` are the values that were set, or null."""
    player_color: Optional[Colour]
    # Derived from `player_color`, for dark backgrounds.
    player_color_dark: Optional[Colour]
    # Derived from `player_color`, for light backgrounds.
    player_color_light: Optional[Colour]
    player_subtitle: Optional[str]
    player_title: Optional[str]
    # The spoken words in paragraphs, if the organization has transcription.
    transcription: Optional[str]
    # Their language (BCP 47).
    transcription_language: Optional[str]
    creator_id: Optional[CreatorId]
    file_name_original: Optional[str]
    organization_index: Optional[str]
    # What players show: `player_subtitle`, otherwise the artist tag, otherwise the collection's or the organization's subtitle.
    shown_subtitle: Optional[str]
    # Why the track failed or is incomplete, or what its processing is waiting for.
    status_reason: Optional[str]


class UpdateTrackResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    track: ReducedTrack
    track_id: TrackId
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class UpdateTrackBody(TypedDict, total=False):
    # Moves the track to the end of another collection.
    collection_id: CollectionId
    creator_id: Optional[CreatorId]
    is_cover_overridable: Optional[bool]
    is_theme_overridable: Optional[bool]
    metadata: Optional[Metadata]
    # Your own id for it. It is never interpreted.
    organization_index: Optional[Text1000]
    player_color: Optional[Colour]
    # The line below; null for the artist tag of the file, otherwise that of the collection or organization.
    player_subtitle: Optional[Text1000]
    # What players show; null for the title tag of the file, otherwise its name.
    player_title: Optional[Text1000]
    # Overrides the colours found in covers; null restores them.
    theme: Optional[Palette]
    # Alias of `player_title`, which takes precedence if both are given.
    title: Optional[Text1000]


class DeleteTrackResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    deleted_track: BasicTrack
    track_id: TrackId
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class _BasicTrack(TypedDict):
    collection_id: CollectionId
    # In seconds; 0 until the file has been probed.
    duration: float
    file_name: str
    id: TrackId
    index: ShortId
    metadata: Metadata
    order: int
    organization_id: OrganizationId
    theme: List[ThemeColour]
    track_status_id: TrackStatus


class BasicTrack(_BasicTrack, total=False):
    """The fields of every record of a track. A deleted track has only these."""
    player_color: Optional[Colour]
    # Derived from `player_color`, for dark backgrounds.
    player_color_dark: Optional[Colour]
    # Derived from `player_color`, for light backgrounds.
    player_color_light: Optional[Colour]
    player_subtitle: Optional[str]
    player_title: Optional[str]


class RenewTrackCoverUploadResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    track: ReducedTrack
    track_cover_upload: UploadDescriptor
    track_id: TrackId
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class RemoveTrackCoverResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    track: FullTrack
    track_id: TrackId
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class _ReadTrackProgressResponse(TypedDict):
    # Progress of all variants together, in percent.
    percent: int
    track_id: TrackId
    track_status_id: TrackStatus
    variants: List[VariantState]
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class ReadTrackProgressResponse(_ReadTrackProgressResponse, total=False):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    # Why the track failed or is incomplete, or what its processing is waiting for.
    status_reason: Optional[str]


class _VariantState(TypedDict):
    index: VariantIndex
    status: VariantStatus


class VariantState(_VariantState, total=False):
    """The progress of one variant."""
    # How much of it is done. Null if it failed.
    percent: Optional[int]
    # Why it failed.
    reason: Optional[str]


# What is done for a variant.
VariantStatus = Literal["waiting", "running", "made", "failed"]


class RetryTrackResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    track: FullTrack
    track_id: TrackId
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class ReadTrackSourceReplacementResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    source_replacement: ReplacementRecord
    track_id: TrackId
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class _ReplacementRecord(TypedDict):
    created_at: Timestamp
    # When the upload URL expires. Once it is completed: until when it can be undone.
    expires_at: Timestamp
    id: ReplacementId
    # `waiting` for the upload, `processing`, `completed` (the track has the new file) or `failed` (the track keeps the old
    # one).
    status: ReplacementState


class ReplacementRecord(_ReplacementRecord, total=False):
    """The replacement of the file of a track."""
    # The name of the new file. Null if the track keeps its file name.
    file_name: Optional[str]
    # Why the replacement failed, as a sentence.
    reason: Optional[str]


ReplacementId = str


ReplacementState = Literal["waiting", "processing", "completed", "failed"]


class ReplaceTrackSourceResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    source_replacement: ReplacementRecord
    track_id: TrackId
    track_upload: UploadDescriptor
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class ReplaceTrackSourceBody(TypedDict, total=False):
    """What changes with the file."""
    # The name of the new file. Default: the track keeps its file name.
    file_name: Optional[NotBlank1000]


class CancelTrackSourceReplacementResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    track_id: TrackId
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class UndoTrackSourceReplacementBody(TypedDict):
    """What is undone."""
    # The id of the latest replacement of the track.
    replacement_id: ReplacementId


class AddTrackVariantResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    job_id: JobId
    track_id: TrackId
    variant: VariantRecord
    variant_id: VariantId
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class _VariantRecord(TypedDict):
    # The extension of its files, such as `mp3`, `json` or `png`; `original` stands for the extension of the upload. For levels,
    # the format in which they are written.
    format: str
    # The same as `index`.
    name: VariantIndex
    # The same as `variant_type_id`.
    type: RecipeType
    variant_type_id: Literal["transcode", "preview", "levels", "waveform_image", "waveform_video", "original", "cover"]
    # Who may cache its files: only listeners (`private`), or also CDNs (`public`).
    cache: CachePolicy
    created_at: Timestamp
    id: VariantId
    index: VariantIndex
    organization_id: OrganizationId
    variant_type: VariantTypeRecord


class VariantRecord(_VariantRecord, total=False):
    """The record of a variant."""
    # Only for waveform images and videos. Null: images are transparent, videos black.
    background: Optional[str]
    # In kbit/s. For waveform videos, the bitrate of the audio.
    bitrate: int
    # 8 or 16. Only for levels in the audiowaveform formats.
    bits: int
    codec: Literal["aac", "mp3", "ogg", "opus", "flac", "wav"]
    # Only for waveform images and videos. Null: the player colour of the track.
    color: Optional[str]
    # Frames per second of waveform videos.
    frame_rate: int
    # Whether waveform videos have sound.
    has_sound: bool
    # In pixels. Only for waveform images and videos.
    height: int
    # Whether each channel has its own levels. Only for levels in the audiowaveform formats.
    is_split_channels: bool
    # Only for transcodes and previews.
    is_stereo: bool
    # Only for transcodes and previews.
    is_strip_cover: bool
    # Only for transcodes and previews.
    is_strip_tags: bool
    # In LUFS. Null: the loudness is not changed. Only for transcodes and previews.
    loudness_target: Optional[float]
    metric: Literal["peak", "rms"]
    # Number of levels.
    num_samples: int
    # Only for previews whose length is set in seconds.
    preview_max_percent: float
    # Only for previews whose length is set in percent.
    preview_max_seconds: float
    # Only for previews whose length is set in seconds.
    preview_min_percent: float
    # Only for previews whose length is set in percent.
    preview_min_seconds: float
    # Only for previews whose length is set in percent.
    preview_percent: float
    # Only for previews whose length is set in seconds.
    preview_seconds: float
    # Where a preview starts in the track.
    preview_start_percent: float
    # Whether the length of a preview is set in seconds or in percent.
    preview_type: Literal["seconds", "percent"]
    # Samples per point. Only for levels in the audiowaveform formats.
    samples_per_pixel: int
    size: Literal["icon", "small", "regular", "large"]
    # In pixels. Only for waveform images and videos.
    width: int
    track_id: Optional[TrackId]


CachePolicy = Literal["private", "public"]


class _AddTrackVariantBody(TypedDict):
    index: VariantIndex
    variant_type_id: AddableType


class AddTrackVariantBody(_AddTrackVariantBody, total=False):
    # In kbit/s.
    bitrate: Optional[int]
    codec: Optional[LossyCodec]
    is_stereo: Optional[bool]
    is_strip_cover: Optional[bool]
    is_strip_tags: Optional[bool]
    # In LUFS. Default: the loudness is not changed.
    loudness_target: Optional[float]
    preview_max_percent: Optional[float]
    preview_max_seconds: Optional[float]
    preview_min_percent: Optional[float]
    preview_min_seconds: Optional[float]
    preview_percent: Optional[float]
    preview_seconds: Optional[float]
    preview_start_percent: Optional[float]
    preview_type: Optional[PreviewType]


# The codecs of variants that are added to a track.
LossyCodec = Literal["aac", "mp3", "ogg", "opus"]


PreviewType = Literal["seconds", "percent"]


# The types of variants that can be added to a track.
AddableType = Literal["transcode", "preview"]


class CreateUploadSessionTrackResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    track_cover_upload: UploadDescriptor
    track_upload: UploadDescriptor
    track: SessionTrackRecord
    track_id: TrackId
    upload_session: UploadSessionRecord
    upload_session_id: UploadSessionId
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class SessionTrackRecord(TypedDict):
    """A track in an upload session."""
    # The beginning of the durable path of each file; append `_{variant index}.{extension}`.
    base_path: str
    # The same as a URL. Sign it with a signing key of the organization.
    base_url: str
    id: TrackId
    index: ShortId
    # The folder of the files of the track.
    path: str
    upload_url: str


class _UploadSessionRecord(TypedDict):
    collection_id: CollectionId
    expires_at: Timestamp
    id: UploadSessionId
    metadata: Metadata


class UploadSessionRecord(_UploadSessionRecord, total=False):
    """The record of an upload session."""
    creator_id: Optional[CreatorId]
    organization_index: Optional[str]


UploadSessionId = str


class CreateUploadSessionTrackBody(TypedDict, total=False):
    # Required unless `source_url` is given.
    file_name: NotBlank1000
    metadata: Optional[Metadata]
    organization_index: Optional[Text1000]
    # An `http` or `https` URL from which the file is imported, or `s3://bucket/key` for a bucket for which the organization has
    # credentials. See docs/importing.md.
    source_url: Optional[NotBlank8000]


class _ListUploadSessionsResponse(TypedDict):
    upload_sessions: List[ListedUploadSession]
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class ListUploadSessionsResponse(_ListUploadSessionsResponse, total=False):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    # The `cursor` of the next page; null on the last one.
    next_cursor: Optional[SessionHandle]


class _ListedUploadSession(TypedDict):
    collection_id: CollectionId
    expires_at: Timestamp


class ListedUploadSession(_ListedUploadSession, total=False):
    """An upload session for those who manage it."""
    # The key that opened it; null if a person did in the dashboard.
    api_key_id: Optional[ApiKeyId]
    creator_id: Optional[CreatorId]
    # Names the session in requests that end it. It gives no access, unlike the id of the session, which is not shown.
    # Null for sessions of an earlier version.
    handle: Optional[SessionHandle]
    organization_index: Optional[str]


class _CreateUploadSessionResponse(TypedDict):
    expires_at: Timestamp
    upload_session: UploadSessionRecord
    upload_session_id: UploadSessionId
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class CreateUploadSessionResponse(_CreateUploadSessionResponse, total=False):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    player_color: Optional[Colour]
    # Derived from `player_color`, for dark backgrounds.
    player_color_dark: Optional[Colour]
    # Derived from `player_color`, for light backgrounds.
    player_color_light: Optional[Colour]
    track: SessionTrackRecord
    track_cover_upload: UploadDescriptor
    track_id: TrackId
    track_upload: UploadDescriptor


class CreateUploadSessionBody(TypedDict, total=False):
    # Required unless the key is limited to a collection.
    collection_id: Optional[CollectionId]
    creator_id: Optional[CreatorId]
    expires_in: Optional[ExpiresIn]
    # Of the session itself. Its tracks have their own.
    metadata: Optional[Metadata]
    # Your own id for the session. Its tracks have their own.
    organization_index: Optional[Text1000]
    # A first track, so that one request is enough for a single file.
    track: Optional[CreateTrackBody]


class _ReadUploadSessionResponse(TypedDict):
    expires_at: Timestamp
    upload_session: UploadSessionRecord
    upload_session_id: UploadSessionId
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class ReadUploadSessionResponse(_ReadUploadSessionResponse, total=False):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    player_color: Optional[Colour]
    # Derived from `player_color`, for dark backgrounds.
    player_color_dark: Optional[Colour]
    # Derived from `player_color`, for light backgrounds.
    player_color_light: Optional[Colour]


class EndUploadSessionResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    # The session as it was.
    ended_upload_session: ListedUploadSession
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


_ReadUsageResponse = TypedDict("_ReadUsageResponse", {
    "count": "int",
    "from": "Day",
    "group": "Literal['day', 'track', 'variant']",
    "to": "Day",
    "total": "UsageSums",
    "usage": "List[UsageRecord]",
    "api_request_id": "RequestId",
    "ok": "bool",
})


class ReadUsageResponse(_ReadUsageResponse, total=False):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""


class UsageSums(TypedDict):
    """Usage totals."""
    # Bytes delivered.
    bytes: int
    # Download URLs that were returned.
    downloads: int
    # The sum of `stream_redirects` and `track_fetches`: requests, whether or not anything was heard. See `/v1/listens`.
    plays: int
    # Deliveries of sound that started with the first byte of a file.
    starts: int
    # Requests of share links that were redirected to a file.
    stream_redirects: int
    # Requests for a track of a play session.
    track_fetches: int


class DayRecord(TypedDict):
    # Bytes delivered.
    bytes: int
    # Download URLs that were returned.
    downloads: int
    # The sum of `stream_redirects` and `track_fetches`: requests, whether or not anything was heard. See `/v1/listens`.
    plays: int
    # Deliveries of sound that started with the first byte of a file.
    starts: int
    # Requests of share links that were redirected to a file.
    stream_redirects: int
    # Requests for a track of a play session.
    track_fetches: int
    day: Day


class TrackUsageRecord(TypedDict):
    # Bytes delivered.
    bytes: int
    # Download URLs that were returned.
    downloads: int
    # The sum of `stream_redirects` and `track_fetches`: requests, whether or not anything was heard. See `/v1/listens`.
    plays: int
    # Deliveries of sound that started with the first byte of a file.
    starts: int
    # Requests of share links that were redirected to a file.
    stream_redirects: int
    # Requests for a track of a play session.
    track_fetches: int
    # The folder in the paths of the files.
    index: ShortId
    # Kept after the track is deleted; null for covers of collections and of the organization.
    track_id: Optional[TrackId]


class VariantUsageRecord(TypedDict):
    # Bytes delivered.
    bytes: int
    # Download URLs that were returned.
    downloads: int
    # The sum of `stream_redirects` and `track_fetches`: requests, whether or not anything was heard. See `/v1/listens`.
    plays: int
    # Deliveries of sound that started with the first byte of a file.
    starts: int
    # Requests of share links that were redirected to a file.
    stream_redirects: int
    # Requests for a track of a play session.
    track_fetches: int
    # The index of the variant, or the name of another file such as `cover-small`; null for tracks that were fetched
    # with all their variants.
    variant: Optional[VariantIndex]


# The totals of a day, a track or a variant.
UsageRecord = Union[DayRecord, TrackUsageRecord, VariantUsageRecord]


class ListVariantsResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    # Total number of results, regardless of the page.
    count: int
    variants: List[VariantRecord]
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class ReadVariantResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    variant: VariantRecord
    variant_id: VariantId
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class _CreateVariantBody(TypedDict):
    # The name: 2 to 64 characters of a-z, 0-9, _ and -.
    index: VariantIndex
    # The type, which cannot be changed.
    variant_type_id: RecipeType


class CreateVariantBody(_CreateVariantBody, total=False):
    background: Optional[Colour]
    # In kbit/s. For waveform videos, the bitrate of the audio.
    bitrate: Optional[int]
    # 8 or 16.
    bits: Optional[int]
    # Who may cache the files: only listeners (`private`, the default), or also CDNs (`public`).
    cache: CachePolicy
    codec: Optional[Codec]
    color: Optional[Colour]
    # For levels: `levels`, `audiowaveform_json` or `audiowaveform_dat`. Records of other types have this field for display;
    # it is ignored if it is sent back.
    format: Optional[Text1000]
    # In frames per second.
    frame_rate: Optional[int]
    has_sound: Optional[bool]
    # In pixels, like `width`.
    height: Optional[int]
    is_split_channels: Optional[bool]
    is_stereo: Optional[bool]
    is_strip_cover: Optional[bool]
    is_strip_tags: Optional[bool]
    # In LUFS. Null: the loudness is not changed.
    loudness_target: Optional[float]
    metric: Optional[Metric]
    # Number of levels.
    num_samples: Optional[int]
    preview_max_percent: Optional[float]
    preview_max_seconds: Optional[float]
    preview_min_percent: Optional[float]
    preview_min_seconds: Optional[float]
    preview_percent: Optional[float]
    preview_seconds: Optional[float]
    preview_start_percent: Optional[float]
    preview_type: Optional[PreviewType]
    samples_per_pixel: Optional[int]
    size: Optional[CoverSize]
    # In pixels: 16 to 4096 for images; even, and 64 to 1920, for videos.
    width: Optional[int]


Codec = Literal["aac", "mp3", "ogg", "opus", "flac", "wav"]


Metric = Literal["peak", "rms"]


CoverSize = Literal["icon", "small", "regular", "large"]


class OrderVariantsResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    # Total number of recipes.
    count: int
    variants: List[VariantRecord]
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class OrderVariantsBody(TypedDict):
    # The ids of all recipes of the organization, each exactly once.
    variant_ids: List[VariantId]


class UpdateVariantBody(TypedDict, total=False):
    """The name, the type and the settings of a recipe. Settings that a type does not have are ignored. Null stands for the
    default of a setting.
    """
    background: Optional[Colour]
    # In kbit/s. For waveform videos, the bitrate of the audio.
    bitrate: Optional[int]
    # 8 or 16.
    bits: Optional[int]
    # Who may cache the files: only listeners (`private`, the default), or also CDNs (`public`).
    cache: CachePolicy
    codec: Optional[Codec]
    color: Optional[Colour]
    # For levels: `levels`, `audiowaveform_json` or `audiowaveform_dat`. Records of other types have this field for display;
    # it is ignored if it is sent back.
    format: Optional[Text1000]
    # In frames per second.
    frame_rate: Optional[int]
    has_sound: Optional[bool]
    # In pixels, like `width`.
    height: Optional[int]
    # The name: 2 to 64 characters of a-z, 0-9, _ and -.
    index: VariantIndex
    is_split_channels: Optional[bool]
    is_stereo: Optional[bool]
    is_strip_cover: Optional[bool]
    is_strip_tags: Optional[bool]
    # In LUFS. Null: the loudness is not changed.
    loudness_target: Optional[float]
    metric: Optional[Metric]
    # Number of levels.
    num_samples: Optional[int]
    preview_max_percent: Optional[float]
    preview_max_seconds: Optional[float]
    preview_min_percent: Optional[float]
    preview_min_seconds: Optional[float]
    preview_percent: Optional[float]
    preview_seconds: Optional[float]
    preview_start_percent: Optional[float]
    preview_type: Optional[PreviewType]
    samples_per_pixel: Optional[int]
    size: Optional[CoverSize]
    # The type, which cannot be changed.
    variant_type_id: RecipeType
    # In pixels: 16 to 4096 for images; even, and 64 to 1920, for videos.
    width: Optional[int]


class DeleteVariantResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    deleted_variant: VariantRecord
    variant_id: VariantId
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class ReadRenderingResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    rendering: RenderingRecord
    variant_id: VariantId
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class _RenderingRecord(TypedDict):
    # Tracks that are done, including those whose file was up to date or failed.
    done: int
    # Tracks for which it failed.
    failed: int
    # From 0 to 100.
    percent: int
    started_at: Timestamp
    # Tracks that could be rendered when it was requested.
    total: int


class RenderingRecord(_RenderingRecord, total=False):
    """The progress of rendering a recipe for the tracks that existed when it was requested."""
    # Null until the last track is done.
    finished_at: Optional[Timestamp]


class ListWebhooksResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    # Total number of results.
    count: int
    webhooks: List[WebhookRecord]
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class _WebhookRecord(TypedDict):
    created_at: Timestamp
    # The events that are sent to it, which follow from its kind.
    events: List[EventKind]
    # Failed attempts in a row.
    failures: int
    id: WebhookId
    kind: WebhookKind
    organization_id: OrganizationId
    url: str


class WebhookRecord(_WebhookRecord, total=False):
    """The record of a webhook, without its secret."""
    # When events are no longer sent to it: when the API key that created it, or last changed its URL, expires. Null if
    # never.
    expires_at: Optional[Timestamp]
    # Until when the previous secret also signs; null if it no longer does.
    old_secret_until: Optional[Timestamp]
    # Until when nothing is sent to it, because it kept failing; null if it is not paused.
    paused_until: Optional[Timestamp]


EventKind = Literal["track.status_changed", "track_file.created", "track_file.failed", "collection.created", "collection.updated", "collection.deleted", "webhook.test"]


WebhookId = str


WebhookKind = Literal["track", "file", "collection"]


class CreateWebhookResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    # The secret that signs the events, `whsec_…`. It is returned only once.
    secret: str
    webhook: WebhookRecord
    webhook_id: WebhookId
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class CreateWebhookBody(TypedDict):
    # `track`: `track.status_changed`. `file`: `track_file.created` and `track_file.failed`. `collection`:
    # `collection.created`, `collection.updated` and `collection.deleted`.
    kind: WebhookKind
    # An http or https URL with a public address.
    url: str


class ReadWebhookResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    webhook: WebhookRecord
    webhook_id: WebhookId
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class UpdateWebhookBody(TypedDict):
    # An http or https URL with a public address.
    url: str


class DeleteWebhookResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    deleted_webhook: WebhookRecord
    webhook_id: WebhookId
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class _ListWebhookDeliveriesResponse(TypedDict):
    deliveries: List[DeliveryRecord]
    webhook_id: WebhookId
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class ListWebhookDeliveriesResponse(_ListWebhookDeliveriesResponse, total=False):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    # The `cursor` of the next page; null on the last one.
    next_cursor: Optional[WebhookDeliveryId]


class _DeliveryRecord(TypedDict):
    # Number of attempts so far.
    attempt_count: int
    created_at: Timestamp
    event: EventKind
    # Prefixed with `msg_`, it is the header `webhook-id` of every attempt.
    id: WebhookDeliveryId
    state: DeliveryState
    # The track, file or collection that the event is about; of a test, the webhook.
    subject_id: str
    webhook_id: WebhookId


class DeliveryRecord(_DeliveryRecord, total=False):
    """The record of a delivery: one event on its way to one webhook."""
    # Time of the next attempt; null if there is none.
    due_at: Optional[Timestamp]
    # When it was delivered or failed; null while it is pending.
    finished_at: Optional[Timestamp]


WebhookDeliveryId = str


DeliveryState = Literal["pending", "delivered", "failed"]


class ReadWebhookDeliveryResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    delivery: FullDelivery
    delivery_id: WebhookDeliveryId
    webhook_id: WebhookId
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class _FullDelivery(TypedDict):
    # Number of attempts so far.
    attempt_count: int
    created_at: Timestamp
    event: EventKind
    # Prefixed with `msg_`, it is the header `webhook-id` of every attempt.
    id: WebhookDeliveryId
    state: DeliveryState
    # The track, file or collection that the event is about; of a test, the webhook.
    subject_id: str
    webhook_id: WebhookId
    # The last ten attempts, the latest first.
    attempts: List[AttemptRecord]
    payload: Dict[str, Any]


class FullDelivery(_FullDelivery, total=False):
    """A delivery with what is sent and what came back."""
    # Time of the next attempt; null if there is none.
    due_at: Optional[Timestamp]
    # When it was delivered or failed; null while it is pending.
    finished_at: Optional[Timestamp]


class _AttemptRecord(TypedDict):
    duration_ms: int
    # From 1.
    number: int
    # The first 64 KiB of the response, as text.
    response: str
    started_at: Timestamp
    # Where it was sent.
    url: str


class AttemptRecord(_AttemptRecord, total=False):
    """One attempt to deliver an event."""
    # A human-readable reason for the failure; null if it succeeded.
    error: Optional[str]
    # The status of the response; null if there was none.
    status: Optional[int]


class ReplayWebhookDeliveryResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    delivery_id: WebhookDeliveryId
    webhook_id: WebhookId
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class ReplayFailedWebhookDeliveriesResponse(TypedDict):
    """A successful response: `ok: true`, the request id, and the fields of the endpoint."""
    # Number of deliveries that are sent again.
    count: int
    webhook_id: WebhookId
    # The same value as in the header `X-Request-Id`.
    api_request_id: RequestId
    ok: bool


class CollectionEvent(TypedDict):
    """A collection was created (or restored), updated or deleted."""
    occurred_at: Timestamp
    # Grows with each event about the same track (with its files) or collection. Of two events, the one with the higher
    # version is the later one, whichever arrives first.
    version: int
    collection: CollectionRecord
    collection_id: CollectionId
    creator_id: Optional[CreatorId]
    event: Literal["collection.created", "collection.updated", "collection.deleted"]
    organization_id: OrganizationId


class TrackStatusChanged(TypedDict):
    """A track became `ready`, `incomplete`, `error` or `init_error`, its source was replaced, or it got a file later."""
    occurred_at: Timestamp
    # Grows with each event about the same track (with its files) or collection. Of two events, the one with the higher
    # version is the later one, whichever arrives first.
    version: int
    collection_id: CollectionId
    creator_id: Optional[CreatorId]
    event: Literal["track.status_changed"]
    files: List[EventFile]
    organization_id: OrganizationId
    previous_status: TrackStatus
    status: TrackStatus
    track: EventTrack
    track_id: TrackId
    upload_session_id: Optional[UploadSessionId]


class EventFile(TypedDict):
    """A file, as events describe it. A file that failed has no path, URL, size, content type and name."""
    content_type: Optional[str]
    file_name: Optional[str]
    id: FileId
    is_public: bool
    is_success: bool
    path: Optional[str]
    size: Optional[int]
    # Why it failed; null if it did not.
    status_text: Optional[str]
    # Signed when the event is sent, and valid for an hour.
    url: Optional[str]
    variant: EventVariant


class EventVariant(TypedDict):
    """The variant of a file, as events describe it."""
    id: VariantId
    index: VariantIndex
    variant_type: VariantTypeRecord


class _EventTrack(TypedDict):
    # In seconds.
    duration: float
    file_name: str
    file_name_original: Optional[str]
    files_completed_at: Optional[Timestamp]
    # The container of the source, such as `wav`.
    format: Optional[str]
    id: TrackId
    index: ShortId
    metadata: Metadata
    order: int
    organization_index: Optional[str]
    player_subtitle: Optional[str]
    # The title that players show: derived from the file if none was set.
    player_title: Optional[str]
    # Bytes of the source.
    size: Optional[int]
    track_status_id: TrackStatus


class EventTrack(_EventTrack, total=False):
    """A track, as events describe it."""
    player_color: Optional[Colour]
    # Derived from `player_color`, for dark backgrounds.
    player_color_dark: Optional[Colour]
    # Derived from `player_color`, for light backgrounds.
    player_color_light: Optional[Colour]


class TrackFileEvent(TypedDict):
    """A file of a track was made, or failed."""
    occurred_at: Timestamp
    # Grows with each event about the same track (with its files) or collection. Of two events, the one with the higher
    # version is the later one, whichever arrives first.
    version: int
    collection_id: CollectionId
    creator_id: Optional[CreatorId]
    event: Literal["track_file.created", "track_file.failed"]
    file: DetailedEventFile
    file_id: FileId
    # Why it failed; null if it did not.
    message: Optional[str]
    organization_id: OrganizationId
    status: Literal["success", "failed"]
    track_id: TrackId


class DetailedEventFile(TypedDict):
    """A file with what was found out about it."""
    content_type: Optional[str]
    file_name: Optional[str]
    id: FileId
    is_public: bool
    is_success: bool
    path: Optional[str]
    size: Optional[int]
    # Why it failed; null if it did not.
    status_text: Optional[str]
    # Signed when the event is sent, and valid for an hour.
    url: Optional[str]
    variant: EventVariant
    data: Optional[VariantData]
    props: FileProps


class TestEvent(TypedDict):
    """The body of a test event."""
    occurred_at: Timestamp
    # Grows with each event about the same track (with its files) or collection. Of two events, the one with the higher
    # version is the later one, whichever arrives first.
    version: int
    event: Literal["webhook.test"]
    message: str
    organization_id: OrganizationId
    sent_at: Timestamp
    webhook_kind: WebhookKind


# What is sent to webhooks. Fields, and events, may be added.
WebhookEvent = Union[CollectionEvent, TrackStatusChanged, TrackFileEvent, TestEvent]


__all__ = ["ListApiKeysResponse", "KeyRecord", "PageOrigin", "KeyType", "CollectionId", "Timestamp", "CreatorId", "ApiKeyId", "OrganizationId", "TrackId", "VariantIndex", "RequestId", "CreateApiKeyResponse", "CreateApiKeyBody", "NotBlank200", "ReadApiKeyResponse", "UpdateApiKeyBody", "RevokeApiKeyResponse", "Made", "ListCollectionsResponse", "CollectionRecord", "Colour", "Metadata", "MetadataValue", "ThemeColour", "CreateCollectionResponse", "UploadDescriptor", "CreateCollectionBody", "Text1000", "Palette", "PaletteItem", "NotBlank1000", "ReadCollectionResponse", "UpdateCollectionBody", "DeleteCollectionResponse", "RenewCollectionCoverUploadResponse", "RemoveCollectionCoverResponse", "OrderCollectionResponse", "OrderedTrack", "OrderCollectionBody", "ListTracksResponse", "ReducedTrack", "ShortId", "TrackStatus", "ListCreatorsResponse", "CreatorRecord", "ReadCreatorResponse", "CreateCreatorBody", "UpdateCreatorBody", "DeleteCreatorResponse", "ListImportBucketsResponse", "ImportBucketRecord", "AccessKeyId", "BucketName", "BucketRegion", "SetImportBucketResponse", "SetImportBucketBody", "DeleteImportBucketResponse", "ReadJobResponse", "JobRecord", "JobId", "JobStatus", "ReadListensResponse", "Day", "ListenRecord", "ListenDayRecord", "ListenSubjectRecord", "ListenSums", "ReadOrganizationResponse", "OrganizationRecord", "UpdateOrganizationBody", "DescribeTracksResponse", "PlaySessionCore", "PlaySessionId", "ListedTrack", "PlayTrackResponse", "CoverRecord", "Levels", "PlayedTrack", "TrackInfo", "TrackInfoChaptersItem", "PlayedVariant", "VariantData", "VariantDataMissedLoudness", "FileId", "FileProps", "PlayedRecipe", "RecipeType", "VariantId", "VariantTypeRecord", "DownloadTrackResponse", "DownloadRecord", "ListPlaySessionsResponse", "SessionHandle", "ListedPlaySession", "ReadPlaySessionResponse", "FirstTrack", "PlaySessionRecord", "EndPlaySessionResponse", "CreatePlaySessionResponse", "CreatePlaySessionBody", "ExpiresIn", "ReadQuotaResponse", "QuotaRecord", "QuotaState", "ListSigningKeysResponse", "SigningKeyRecord", "CreateSigningKeyResponse", "CreateSigningKeyBody", "ReadSigningKeyResponse", "RevokeSigningKeyResponse", "FindTracksResponse", "FoundRecord", "CreateTrackResponse", "CreateTrackBody", "NotBlank8000", "ReadTrackResponse", "FailedVariant", "FullTrack", "UpdateTrackResponse", "UpdateTrackBody", "DeleteTrackResponse", "BasicTrack", "RenewTrackCoverUploadResponse", "RemoveTrackCoverResponse", "ReadTrackProgressResponse", "VariantState", "VariantStatus", "RetryTrackResponse", "ReadTrackSourceReplacementResponse", "ReplacementRecord", "ReplacementId", "ReplacementState", "ReplaceTrackSourceResponse", "ReplaceTrackSourceBody", "CancelTrackSourceReplacementResponse", "UndoTrackSourceReplacementBody", "AddTrackVariantResponse", "VariantRecord", "CachePolicy", "AddTrackVariantBody", "LossyCodec", "PreviewType", "AddableType", "CreateUploadSessionTrackResponse", "SessionTrackRecord", "UploadSessionRecord", "UploadSessionId", "CreateUploadSessionTrackBody", "ListUploadSessionsResponse", "ListedUploadSession", "CreateUploadSessionResponse", "CreateUploadSessionBody", "ReadUploadSessionResponse", "EndUploadSessionResponse", "ReadUsageResponse", "UsageSums", "UsageRecord", "DayRecord", "TrackUsageRecord", "VariantUsageRecord", "ListVariantsResponse", "ReadVariantResponse", "CreateVariantBody", "Codec", "Metric", "CoverSize", "OrderVariantsResponse", "OrderVariantsBody", "UpdateVariantBody", "DeleteVariantResponse", "ReadRenderingResponse", "RenderingRecord", "ListWebhooksResponse", "WebhookRecord", "EventKind", "WebhookId", "WebhookKind", "CreateWebhookResponse", "CreateWebhookBody", "ReadWebhookResponse", "UpdateWebhookBody", "DeleteWebhookResponse", "ListWebhookDeliveriesResponse", "DeliveryRecord", "WebhookDeliveryId", "DeliveryState", "ReadWebhookDeliveryResponse", "FullDelivery", "AttemptRecord", "ReplayWebhookDeliveryResponse", "ReplayFailedWebhookDeliveriesResponse", "CollectionEvent", "TrackStatusChanged", "EventFile", "EventVariant", "EventTrack", "TrackFileEvent", "DetailedEventFile", "TestEvent", "WebhookEvent"]

"""The methods of the asynchronous client.

Made from the description of the interface by tools/sdk/generate (`make sdk`). Changes here are lost.
"""

from __future__ import annotations

from typing import Any, AsyncIterator, Dict, List, Literal, Optional, Union

from . import types
from ._threads import Threads
from ._transport import NOT_GIVEN, NotGiven


class AsyncOperations(Threads):
    """Every operation of the interface, as a coroutine."""

    async def list_api_keys(
        self,
        *,
        api_key_type_id: Optional[types.KeyType] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
    ) -> types.ListApiKeysResponse:
        """Lists the keys of the organization, including revoked and expired ones, oldest first.

        The keys themselves are never returned.
        """
        return await self._run(
            self.sync.list_api_keys,
            api_key_type_id=api_key_type_id,
            limit=limit,
            offset=offset,
        )

    def list_all_api_keys(
        self,
        *,
        api_key_type_id: Optional[types.KeyType] = None,
        limit: Optional[int] = None,
    ) -> AsyncIterator[types.KeyRecord]:
        """Yields the items of all pages of `list_api_keys`."""
        return self._pages(
            self.sync.list_api_keys,
            "api_keys",
            "offset",
            api_key_type_id=api_key_type_id,
            limit=limit,
        )

    async def create_api_key(
        self,
        *,
        api_key_type_id: types.KeyType,
        title: types.NotBlank200,
        allowed_origins: Union[Optional[List[types.PageOrigin]], NotGiven] = NOT_GIVEN,
        collection_id: Union[Optional[types.CollectionId], NotGiven] = NOT_GIVEN,
        creator_id: Union[Optional[types.CreatorId], NotGiven] = NOT_GIVEN,
        expires_at: Union[Optional[types.Timestamp], NotGiven] = NOT_GIVEN,
        is_downloadable: Union[Optional[bool], NotGiven] = NOT_GIVEN,
        track_id: Union[Optional[types.TrackId], NotGiven] = NOT_GIVEN,
        variants: Union[Optional[List[types.VariantIndex]], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
    ) -> types.CreateApiKeyResponse:
        """Creates a key of type `player`, `uploader` or `share`. The full key is returned only once."""
        return await self._run(
            self.sync.create_api_key,
            allowed_origins=allowed_origins,
            api_key_type_id=api_key_type_id,
            collection_id=collection_id,
            creator_id=creator_id,
            expires_at=expires_at,
            is_downloadable=is_downloadable,
            title=title,
            track_id=track_id,
            variants=variants,
            idempotency_key=idempotency_key,
        )

    async def read_api_key(
        self,
        api_key_id: types.ApiKeyId,
    ) -> types.ReadApiKeyResponse:
        """Returns a key's record, without the key itself."""
        return await self._run(
            self.sync.read_api_key,
            api_key_id,
        )

    async def update_api_key(
        self,
        api_key_id: types.ApiKeyId,
        *,
        allowed_origins: Union[Optional[List[types.PageOrigin]], NotGiven] = NOT_GIVEN,
        api_key_type_id: Union[Optional[types.KeyType], NotGiven] = NOT_GIVEN,
        collection_id: Union[Optional[types.CollectionId], NotGiven] = NOT_GIVEN,
        creator_id: Union[Optional[types.CreatorId], NotGiven] = NOT_GIVEN,
        expires_at: Union[Optional[types.Timestamp], NotGiven] = NOT_GIVEN,
        is_downloadable: Union[Optional[bool], NotGiven] = NOT_GIVEN,
        title: Union[types.NotBlank200, NotGiven] = NOT_GIVEN,
        track_id: Union[Optional[types.TrackId], NotGiven] = NOT_GIVEN,
        variants: Union[Optional[List[types.VariantIndex]], NotGiven] = NOT_GIVEN,
    ) -> types.ReadApiKeyResponse:
        """Updates the title, the expiry and the permissions of a key.

        A key can only receive permissions that the calling key has itself. Those of a key of type `api` can only be reduced. You can
        send back a whole record as it was returned.
        """
        return await self._run(
            self.sync.update_api_key,
            api_key_id,
            allowed_origins=allowed_origins,
            api_key_type_id=api_key_type_id,
            collection_id=collection_id,
            creator_id=creator_id,
            expires_at=expires_at,
            is_downloadable=is_downloadable,
            title=title,
            track_id=track_id,
            variants=variants,
        )

    async def revoke_api_key(
        self,
        api_key_id: types.ApiKeyId,
        *,
        revoke_made: Optional[bool] = None,
    ) -> types.RevokeApiKeyResponse:
        """Revokes a key. It stops working within two seconds on all nodes, and so do the play sessions and upload sessions that it
        opened.

        Its record is kept. Keys of type `api` can also be revoked, and each of them can revoke itself, even if it is limited to a
        collection or a track.

        With `revoke_made`, the keys, signing keys, webhooks and credentials for buckets that it made are revoked or removed, too. This
        can also be requested later, for a key that is already revoked.
        """
        return await self._run(
            self.sync.revoke_api_key,
            api_key_id,
            revoke_made=revoke_made,
        )

    async def list_collections(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> types.ListCollectionsResponse:
        """Lists the collections that the key can access."""
        return await self._run(
            self.sync.list_collections,
            limit=limit,
            offset=offset,
            cursor=cursor,
        )

    def list_all_collections(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
    ) -> AsyncIterator[types.CollectionRecord]:
        """Yields the items of all pages of `list_collections`."""
        return self._pages(
            self.sync.list_collections,
            "collections",
            "cursor",
            limit=limit,
            offset=offset,
        )

    async def create_collection(
        self,
        *,
        title: types.NotBlank1000,
        creator_id: Union[Optional[types.CreatorId], NotGiven] = NOT_GIVEN,
        is_cover_overridable: Union[Optional[bool], NotGiven] = NOT_GIVEN,
        is_theme_overridable: Union[Optional[bool], NotGiven] = NOT_GIVEN,
        metadata: Union[Optional[types.Metadata], NotGiven] = NOT_GIVEN,
        organization_index: Union[Optional[types.Text1000], NotGiven] = NOT_GIVEN,
        player_color: Union[Optional[types.Colour], NotGiven] = NOT_GIVEN,
        player_subtitle: Union[Optional[types.Text1000], NotGiven] = NOT_GIVEN,
        theme: Union[Optional[types.Palette], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
    ) -> types.CreateCollectionResponse:
        """Creates a collection and returns a URL for uploading its cover."""
        return await self._run(
            self.sync.create_collection,
            creator_id=creator_id,
            is_cover_overridable=is_cover_overridable,
            is_theme_overridable=is_theme_overridable,
            metadata=metadata,
            organization_index=organization_index,
            player_color=player_color,
            player_subtitle=player_subtitle,
            theme=theme,
            title=title,
            idempotency_key=idempotency_key,
        )

    async def read_collection(
        self,
        collection_id: types.CollectionId,
    ) -> types.ReadCollectionResponse:
        """Returns a collection."""
        return await self._run(
            self.sync.read_collection,
            collection_id,
        )

    async def update_collection(
        self,
        collection_id: types.CollectionId,
        *,
        creator_id: Union[Optional[types.CreatorId], NotGiven] = NOT_GIVEN,
        is_cover_overridable: Union[Optional[bool], NotGiven] = NOT_GIVEN,
        is_theme_overridable: Union[Optional[bool], NotGiven] = NOT_GIVEN,
        metadata: Union[Optional[types.Metadata], NotGiven] = NOT_GIVEN,
        organization_index: Union[Optional[types.Text1000], NotGiven] = NOT_GIVEN,
        player_color: Union[Optional[types.Colour], NotGiven] = NOT_GIVEN,
        player_subtitle: Union[Optional[types.Text1000], NotGiven] = NOT_GIVEN,
        theme: Union[Optional[types.Palette], NotGiven] = NOT_GIVEN,
        title: Union[types.NotBlank1000, NotGiven] = NOT_GIVEN,
    ) -> types.ReadCollectionResponse:
        """Updates the given fields of a collection.

        You can send back a whole record as it was returned: derived colours in it are not saved as if you had set them.
        """
        return await self._run(
            self.sync.update_collection,
            collection_id,
            creator_id=creator_id,
            is_cover_overridable=is_cover_overridable,
            is_theme_overridable=is_theme_overridable,
            metadata=metadata,
            organization_index=organization_index,
            player_color=player_color,
            player_subtitle=player_subtitle,
            theme=theme,
            title=title,
        )

    async def delete_collection(
        self,
        collection_id: types.CollectionId,
    ) -> types.DeleteCollectionResponse:
        """Deletes a collection with its tracks.

        Their files are removed in the background.
        """
        return await self._run(
            self.sync.delete_collection,
            collection_id,
        )

    async def renew_collection_cover_upload(
        self,
        collection_id: types.CollectionId,
        *,
        idempotency_key: Optional[str] = None,
    ) -> types.RenewCollectionCoverUploadResponse:
        """Returns a new URL for uploading the collection's cover."""
        return await self._run(
            self.sync.renew_collection_cover_upload,
            collection_id,
            idempotency_key=idempotency_key,
        )

    async def remove_collection_cover(
        self,
        collection_id: types.CollectionId,
    ) -> types.RemoveCollectionCoverResponse:
        """Removes the cover of a collection. Its tracks then show that of the organization, or their own."""
        return await self._run(
            self.sync.remove_collection_cover,
            collection_id,
        )

    async def order_collection(
        self,
        collection_id: types.CollectionId,
        *,
        track_ids: List[types.TrackId],
    ) -> types.OrderCollectionResponse:
        """Sorts tracks of a collection.

        The tracks exchange their values of `order` among themselves; tracks that are not named keep theirs. To sort a whole
        collection, name all its tracks. To sort more than 1,000 tracks, send several requests.
        """
        return await self._run(
            self.sync.order_collection,
            collection_id,
            track_ids=track_ids,
        )

    async def list_tracks(
        self,
        collection_id: types.CollectionId,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> types.ListTracksResponse:
        """Lists the tracks of a collection, in order.

        To search, filter or sort them, use `GET /v1/track` with `collection_id`.
        """
        return await self._run(
            self.sync.list_tracks,
            collection_id,
            limit=limit,
            offset=offset,
            cursor=cursor,
        )

    def list_all_tracks(
        self,
        collection_id: types.CollectionId,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
    ) -> AsyncIterator[types.ReducedTrack]:
        """Yields the items of all pages of `list_tracks`."""
        return self._pages(
            self.sync.list_tracks,
            "tracks",
            "cursor",
            collection_id,
            limit=limit,
            offset=offset,
        )

    async def list_creators(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> types.ListCreatorsResponse:
        """Lists the creators that the key can access."""
        return await self._run(
            self.sync.list_creators,
            limit=limit,
            offset=offset,
            cursor=cursor,
        )

    def list_all_creators(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
    ) -> AsyncIterator[types.CreatorRecord]:
        """Yields the items of all pages of `list_creators`."""
        return self._pages(
            self.sync.list_creators,
            "creators",
            "cursor",
            limit=limit,
            offset=offset,
        )

    async def create_creator(
        self,
        *,
        organization_index: types.NotBlank1000,
        metadata: Union[Optional[types.Metadata], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
    ) -> types.ReadCreatorResponse:
        """Creates a creator."""
        return await self._run(
            self.sync.create_creator,
            metadata=metadata,
            organization_index=organization_index,
            idempotency_key=idempotency_key,
        )

    async def read_creator(
        self,
        creator_id: types.CreatorId,
    ) -> types.ReadCreatorResponse:
        """Returns a creator."""
        return await self._run(
            self.sync.read_creator,
            creator_id,
        )

    async def update_creator(
        self,
        creator_id: types.CreatorId,
        *,
        metadata: Union[Optional[types.Metadata], NotGiven] = NOT_GIVEN,
        organization_index: Union[types.NotBlank1000, NotGiven] = NOT_GIVEN,
    ) -> types.ReadCreatorResponse:
        """Updates the given fields of a creator."""
        return await self._run(
            self.sync.update_creator,
            creator_id,
            metadata=metadata,
            organization_index=organization_index,
        )

    async def delete_creator(
        self,
        creator_id: types.CreatorId,
    ) -> types.DeleteCreatorResponse:
        """Deletes a creator. The tracks and collections of the creator are kept."""
        return await self._run(
            self.sync.delete_creator,
            creator_id,
        )

    async def list_import_buckets(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
    ) -> types.ListImportBucketsResponse:
        """Lists the buckets that the organization has credentials for, by name, without their secrets."""
        return await self._run(
            self.sync.list_import_buckets,
            limit=limit,
            offset=offset,
        )

    def list_all_import_buckets(
        self,
        *,
        limit: Optional[int] = None,
    ) -> AsyncIterator[types.ImportBucketRecord]:
        """Yields the items of all pages of `list_import_buckets`."""
        return self._pages(
            self.sync.list_import_buckets,
            "import_buckets",
            "offset",
            limit=limit,
        )

    async def set_import_bucket(
        self,
        bucket: types.BucketName,
        *,
        access_key_id: types.AccessKeyId,
        endpoint: Union[Optional[str], NotGiven] = NOT_GIVEN,
        region: Union[Optional[types.BucketRegion], NotGiven] = NOT_GIVEN,
        secret_access_key: Union[Optional[types.NotBlank1000], NotGiven] = NOT_GIVEN,
    ) -> types.SetImportBucketResponse:
        """Sets the credentials with which files are imported from a bucket, in place of those that are stored.

        All fields are replaced. An organization can have credentials for up to 100 buckets. They are not tried; an import whose
        credentials are refused fails with a reason.
        """
        return await self._run(
            self.sync.set_import_bucket,
            bucket,
            access_key_id=access_key_id,
            endpoint=endpoint,
            region=region,
            secret_access_key=secret_access_key,
        )

    async def delete_import_bucket(
        self,
        bucket: types.BucketName,
    ) -> types.DeleteImportBucketResponse:
        """Removes the credentials for a bucket. Queued imports from it fail when they are attempted."""
        return await self._run(
            self.sync.delete_import_bucket,
            bucket,
        )

    async def read_job(
        self,
        job_id: types.JobId,
    ) -> types.ReadJobResponse:
        """Returns the status of a background job.

        A job whose `job_id` was returned can be read until a week after it was queued, even if it has ended.
        """
        return await self._run(
            self.sync.read_job,
            job_id,
        )

    async def read_listens(
        self,
        *,
        from_: Optional[types.Day] = None,
        to: Optional[types.Day] = None,
        group: Optional[Literal["day", "track", "collection", "share_link", "referrer", "country"]] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
    ) -> types.ReadListensResponse:
        """Returns the listens of everything that the key can access, by day, track, collection, share link, site or country."""
        return await self._run(
            self.sync.read_listens,
            from_=from_,
            to=to,
            group=group,
            limit=limit,
            offset=offset,
        )

    def read_all_listens(
        self,
        *,
        from_: Optional[types.Day] = None,
        to: Optional[types.Day] = None,
        group: Optional[Literal["day", "track", "collection", "share_link", "referrer", "country"]] = None,
        limit: Optional[int] = None,
    ) -> AsyncIterator[types.ListenRecord]:
        """Yields the items of all pages of `read_listens`."""
        return self._pages(
            self.sync.read_listens,
            "listens",
            "offset",
            from_=from_,
            to=to,
            group=group,
            limit=limit,
        )

    async def read_organization(
        self,
        organization_id: types.OrganizationId,
    ) -> types.ReadOrganizationResponse:
        """Returns the organization of the key."""
        return await self._run(
            self.sync.read_organization,
            organization_id,
        )

    async def update_organization(
        self,
        organization_id: types.OrganizationId,
        *,
        is_cover_overridable: Union[Optional[bool], NotGiven] = NOT_GIVEN,
        is_theme_overridable: Union[Optional[bool], NotGiven] = NOT_GIVEN,
        name: Union[types.NotBlank200, NotGiven] = NOT_GIVEN,
        player_color: Union[Optional[types.Colour], NotGiven] = NOT_GIVEN,
        player_subtitle: Union[Optional[types.Text1000], NotGiven] = NOT_GIVEN,
        theme: Union[Optional[types.Palette], NotGiven] = NOT_GIVEN,
    ) -> types.ReadOrganizationResponse:
        """Updates the given fields of the organization.

        You can send back a whole record as it was returned: derived colours in it are not saved as if you had set them.
        """
        return await self._run(
            self.sync.update_organization,
            organization_id,
            is_cover_overridable=is_cover_overridable,
            is_theme_overridable=is_theme_overridable,
            name=name,
            player_color=player_color,
            player_subtitle=player_subtitle,
            theme=theme,
        )

    async def remove_organization_cover(
        self,
        organization_id: types.OrganizationId,
    ) -> types.ReadOrganizationResponse:
        """Removes the cover of the organization."""
        return await self._run(
            self.sync.remove_organization_cover,
            organization_id,
        )

    async def describe_tracks(
        self,
        play_session_id: types.PlaySessionId,
        *,
        track_ids: str,
    ) -> types.DescribeTracksResponse:
        """Returns titles and lengths of some tracks of a session, for a list of them. Nothing is counted."""
        return await self._run(
            self.sync.describe_tracks,
            play_session_id,
            track_ids=track_ids,
        )

    async def play_track(
        self,
        play_session_id: types.PlaySessionId,
        play_track_id: types.TrackId,
    ) -> types.PlayTrackResponse:
        """Returns everything needed to play one track of a session."""
        return await self._run(
            self.sync.play_track,
            play_session_id,
            play_track_id,
        )

    async def track_captions(
        self,
        play_session_id: types.PlaySessionId,
        play_track_id: types.TrackId,
    ) -> str:
        """Returns the transcript of a track of a session as WebVTT, for `<track kind="captions">`. The times are those of the audio in
        the session: if it has only a preview, they are counted from the start of the preview. Without a transcript, there are no
        cues.
        """
        return await self._run(
            self.sync.track_captions,
            play_session_id,
            play_track_id,
        )

    async def download_track(
        self,
        play_session_id: types.PlaySessionId,
        play_track_id: types.TrackId,
        variant_index: str,
    ) -> types.DownloadTrackResponse:
        """Returns a URL that browsers save as a file, valid for 30 seconds."""
        return await self._run(
            self.sync.download_track,
            play_session_id,
            play_track_id,
            variant_index,
        )

    async def list_play_sessions(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> types.ListPlaySessionsResponse:
        """Lists the play sessions that are valid now, the newest first. Their ids are credentials and are not shown."""
        return await self._run(
            self.sync.list_play_sessions,
            limit=limit,
            cursor=cursor,
        )

    def list_all_play_sessions(
        self,
        *,
        limit: Optional[int] = None,
    ) -> AsyncIterator[types.ListedPlaySession]:
        """Yields the items of all pages of `list_play_sessions`."""
        return self._pages(
            self.sync.list_play_sessions,
            "play_sessions",
            "cursor",
            limit=limit,
        )

    async def read_play_session(
        self,
        play_session_id: types.PlaySessionId,
    ) -> types.ReadPlaySessionResponse:
        """Returns a play session with its tracks. Requires a key, unless the server sets `api.public_play_sessions`."""
        return await self._run(
            self.sync.read_play_session,
            play_session_id,
        )

    async def end_play_session(
        self,
        play_session_id: types.PlaySessionId,
    ) -> types.EndPlaySessionResponse:
        """Ends a play session before it expires, by its id or by the `handle` from the list. It stops working within two seconds
        on all nodes. Signed URLs that it handed out stay valid until they expire.
        """
        return await self._run(
            self.sync.end_play_session,
            play_session_id,
        )

    async def create_play_session(
        self,
        scope: Literal["collection", "track"],
        *,
        collection_id: Union[Optional[types.CollectionId], NotGiven] = NOT_GIVEN,
        expires_in: Union[Optional[types.ExpiresIn], NotGiven] = NOT_GIVEN,
        is_downloadable: Union[Optional[bool], NotGiven] = NOT_GIVEN,
        metadata: Union[Optional[types.Metadata], NotGiven] = NOT_GIVEN,
        organization_index: Union[Optional[types.Text1000], NotGiven] = NOT_GIVEN,
        track_id: Union[Optional[types.TrackId], NotGiven] = NOT_GIVEN,
        variants: Union[Optional[List[str]], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
    ) -> types.CreatePlaySessionResponse:
        """Creates a play session for a collection or a track and returns everything needed to play its first track."""
        return await self._run(
            self.sync.create_play_session,
            scope,
            collection_id=collection_id,
            expires_in=expires_in,
            is_downloadable=is_downloadable,
            metadata=metadata,
            organization_index=organization_index,
            track_id=track_id,
            variants=variants,
            idempotency_key=idempotency_key,
        )

    async def read_quota(self) -> types.ReadQuotaResponse:
        """Returns the quotas of the organization and what is used of each. They are set by the operator, on the command line."""
        return await self._run(
            self.sync.read_quota,
        )

    async def list_signing_keys(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
    ) -> types.ListSigningKeysResponse:
        """Lists the signing keys of the organization, including revoked ones, oldest first. Secrets are not returned."""
        return await self._run(
            self.sync.list_signing_keys,
            limit=limit,
            offset=offset,
        )

    def list_all_signing_keys(
        self,
        *,
        limit: Optional[int] = None,
    ) -> AsyncIterator[types.SigningKeyRecord]:
        """Yields the items of all pages of `list_signing_keys`."""
        return self._pages(
            self.sync.list_signing_keys,
            "signing_keys",
            "offset",
            limit=limit,
        )

    async def create_signing_key(
        self,
        *,
        title: Union[Optional[types.Text1000], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
    ) -> types.CreateSigningKeyResponse:
        """Creates a key with which your own backend signs delivery URLs. Its secret is returned only once.

        Anyone who has the secret can sign URLs of all files of the organization. It can take up to ten seconds until the key
        works on all nodes.
        """
        return await self._run(
            self.sync.create_signing_key,
            title=title,
            idempotency_key=idempotency_key,
        )

    async def read_signing_key(
        self,
        signing_key_id: types.ShortId,
    ) -> types.ReadSigningKeyResponse:
        """Returns a signing key's record, without its secret."""
        return await self._run(
            self.sync.read_signing_key,
            signing_key_id,
        )

    async def revoke_signing_key(
        self,
        signing_key_id: types.ShortId,
    ) -> types.RevokeSigningKeyResponse:
        """Revokes a signing key.

        URLs that it signed are refused within two seconds on nodes with a database, and within 30 seconds on others. Its record
        is kept.
        """
        return await self._run(
            self.sync.revoke_signing_key,
            signing_key_id,
        )

    async def find_tracks(
        self,
        *,
        query: Optional[str] = None,
        status: Optional[str] = None,
        collection_id: Optional[types.CollectionId] = None,
        creator_id: Optional[types.CreatorId] = None,
        organization_index: Optional[str] = None,
        source_sha256: Optional[str] = None,
        created_since: Optional[types.Timestamp] = None,
        sort: Optional[str] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> types.FindTracksResponse:
        """Lists and searches the tracks that the key can access, in all collections.

        All conditions must be met. Read page by page until `next_cursor` is null: if the conditions are met by few of very many
        tracks, a page may have fewer results than `limit`, or none, and not be the last.
        """
        return await self._run(
            self.sync.find_tracks,
            query=query,
            status=status,
            collection_id=collection_id,
            creator_id=creator_id,
            organization_index=organization_index,
            source_sha256=source_sha256,
            created_since=created_since,
            sort=sort,
            limit=limit,
            cursor=cursor,
        )

    def find_all_tracks(
        self,
        *,
        query: Optional[str] = None,
        status: Optional[str] = None,
        collection_id: Optional[types.CollectionId] = None,
        creator_id: Optional[types.CreatorId] = None,
        organization_index: Optional[str] = None,
        source_sha256: Optional[str] = None,
        created_since: Optional[types.Timestamp] = None,
        sort: Optional[str] = None,
        limit: Optional[int] = None,
    ) -> AsyncIterator[types.FoundRecord]:
        """Yields the items of all pages of `find_tracks`."""
        return self._pages(
            self.sync.find_tracks,
            "tracks",
            "cursor",
            query=query,
            status=status,
            collection_id=collection_id,
            creator_id=creator_id,
            organization_index=organization_index,
            source_sha256=source_sha256,
            created_since=created_since,
            sort=sort,
            limit=limit,
        )

    async def create_track(
        self,
        *,
        collection_id: Union[Optional[types.CollectionId], NotGiven] = NOT_GIVEN,
        creator_id: Union[Optional[types.CreatorId], NotGiven] = NOT_GIVEN,
        file_name: Union[types.NotBlank1000, NotGiven] = NOT_GIVEN,
        is_cover_overridable: Union[Optional[bool], NotGiven] = NOT_GIVEN,
        is_theme_overridable: Union[Optional[bool], NotGiven] = NOT_GIVEN,
        metadata: Union[Optional[types.Metadata], NotGiven] = NOT_GIVEN,
        organization_index: Union[Optional[types.Text1000], NotGiven] = NOT_GIVEN,
        player_color: Union[Optional[types.Colour], NotGiven] = NOT_GIVEN,
        player_subtitle: Union[Optional[types.Text1000], NotGiven] = NOT_GIVEN,
        player_title: Union[Optional[types.Text1000], NotGiven] = NOT_GIVEN,
        source_url: Union[Optional[types.NotBlank8000], NotGiven] = NOT_GIVEN,
        theme: Union[Optional[types.Palette], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
    ) -> types.CreateTrackResponse:
        """Creates a track and returns URLs for uploading its file and its cover. With `source_url`, the file is imported in the
        background; if a file is uploaded to the upload URL first, that file is used.
        """
        return await self._run(
            self.sync.create_track,
            collection_id=collection_id,
            creator_id=creator_id,
            file_name=file_name,
            is_cover_overridable=is_cover_overridable,
            is_theme_overridable=is_theme_overridable,
            metadata=metadata,
            organization_index=organization_index,
            player_color=player_color,
            player_subtitle=player_subtitle,
            player_title=player_title,
            source_url=source_url,
            theme=theme,
            idempotency_key=idempotency_key,
        )

    async def read_track(
        self,
        track_id: types.TrackId,
    ) -> types.ReadTrackResponse:
        """Returns the full record of a track."""
        return await self._run(
            self.sync.read_track,
            track_id,
        )

    async def update_track(
        self,
        track_id: types.TrackId,
        *,
        collection_id: Union[types.CollectionId, NotGiven] = NOT_GIVEN,
        creator_id: Union[Optional[types.CreatorId], NotGiven] = NOT_GIVEN,
        is_cover_overridable: Union[Optional[bool], NotGiven] = NOT_GIVEN,
        is_theme_overridable: Union[Optional[bool], NotGiven] = NOT_GIVEN,
        metadata: Union[Optional[types.Metadata], NotGiven] = NOT_GIVEN,
        organization_index: Union[Optional[types.Text1000], NotGiven] = NOT_GIVEN,
        player_color: Union[Optional[types.Colour], NotGiven] = NOT_GIVEN,
        player_subtitle: Union[Optional[types.Text1000], NotGiven] = NOT_GIVEN,
        player_title: Union[Optional[types.Text1000], NotGiven] = NOT_GIVEN,
        theme: Union[Optional[types.Palette], NotGiven] = NOT_GIVEN,
        title: Union[Optional[types.Text1000], NotGiven] = NOT_GIVEN,
    ) -> types.UpdateTrackResponse:
        """Updates the given fields of a track.

        You can send back a whole record as it was returned, also by a list: derived colours and texts in it are not saved as if
        you had set them. What is not among the fields below, such as `transcription`, is ignored.

        With another `collection_id`, the track is moved. Its id, its files, and the share links and keys for this one track remain
        valid. A key that is limited to a collection cannot move tracks.
        """
        return await self._run(
            self.sync.update_track,
            track_id,
            collection_id=collection_id,
            creator_id=creator_id,
            is_cover_overridable=is_cover_overridable,
            is_theme_overridable=is_theme_overridable,
            metadata=metadata,
            organization_index=organization_index,
            player_color=player_color,
            player_subtitle=player_subtitle,
            player_title=player_title,
            theme=theme,
            title=title,
        )

    async def delete_track(
        self,
        track_id: types.TrackId,
    ) -> types.DeleteTrackResponse:
        """Deletes a track with its files and variants.

        The files are removed in the background.
        """
        return await self._run(
            self.sync.delete_track,
            track_id,
        )

    async def renew_track_cover_upload(
        self,
        track_id: types.TrackId,
        *,
        idempotency_key: Optional[str] = None,
    ) -> types.RenewTrackCoverUploadResponse:
        """Returns a new URL for uploading the track's cover."""
        return await self._run(
            self.sync.renew_track_cover_upload,
            track_id,
            idempotency_key=idempotency_key,
        )

    async def remove_track_cover(
        self,
        track_id: types.TrackId,
    ) -> types.RemoveTrackCoverResponse:
        """Removes the uploaded cover of a track. The art in its file, or a drawn cover, then takes its place."""
        return await self._run(
            self.sync.remove_track_cover,
            track_id,
        )

    async def read_track_progress(
        self,
        track_id: types.TrackId,
    ) -> types.ReadTrackProgressResponse:
        """Returns how far the processing of a track is.

        With `Accept: text/event-stream`, the response is a stream of server-sent events: `progress`, with the progress as JSON, at
        the beginning and after each change. The stream ends after the final status, or after half an hour; if it ends
        earlier, request it again. An event `error` with `code` and `message` says why a stream ended early.
        """
        return await self._run(
            self.sync.read_track_progress,
            track_id,
        )

    async def retry_track(
        self,
        track_id: types.TrackId,
        *,
        variant: Optional[types.VariantIndex] = None,
        idempotency_key: Optional[str] = None,
    ) -> types.RetryTrackResponse:
        """Processes a track again.

        Possible in every final status, if the track has a source file. Finished variants are kept; all failed and missing
        variants are made, or only `variant`.
        """
        return await self._run(
            self.sync.retry_track,
            track_id,
            variant=variant,
            idempotency_key=idempotency_key,
        )

    async def read_track_source_replacement(
        self,
        track_id: types.TrackId,
    ) -> types.ReadTrackSourceReplacementResponse:
        """Returns the last replacement of the file of a track, for two weeks."""
        return await self._run(
            self.sync.read_track_source_replacement,
            track_id,
        )

    async def replace_track_source(
        self,
        track_id: types.TrackId,
        *,
        file_name: Union[Optional[types.NotBlank1000], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
    ) -> types.ReplaceTrackSourceResponse:
        """Returns a URL for uploading a new file for a track that has one.

        The track keeps its id, links and settings. Players get the old files until all new ones are made, then only new ones. If the
        new file cannot be processed, the track keeps the old one. Old files are removed a day after they were replaced.
        """
        return await self._run(
            self.sync.replace_track_source,
            track_id,
            file_name=file_name,
            idempotency_key=idempotency_key,
        )

    async def cancel_track_source_replacement(
        self,
        track_id: types.TrackId,
    ) -> types.CancelTrackSourceReplacementResponse:
        """Cancels the replacement of the file of a track, which keeps the file that it has. The upload URL becomes invalid."""
        return await self._run(
            self.sync.cancel_track_source_replacement,
            track_id,
        )

    async def undo_track_source_replacement(
        self,
        track_id: types.TrackId,
        *,
        replacement_id: types.ReplacementId,
        idempotency_key: Optional[str] = None,
    ) -> types.ReadTrackSourceReplacementResponse:
        """Puts the file back that a track had before a completed replacement. This is a replacement, too: players get the current
        files until all have been made from the former one, and it can be undone itself.
        """
        return await self._run(
            self.sync.undo_track_source_replacement,
            track_id,
            replacement_id=replacement_id,
            idempotency_key=idempotency_key,
        )

    async def add_track_variant(
        self,
        track_id: types.TrackId,
        *,
        index: types.VariantIndex,
        variant_type_id: types.AddableType,
        bitrate: Union[Optional[int], NotGiven] = NOT_GIVEN,
        codec: Union[Optional[types.LossyCodec], NotGiven] = NOT_GIVEN,
        is_stereo: Union[Optional[bool], NotGiven] = NOT_GIVEN,
        is_strip_cover: Union[Optional[bool], NotGiven] = NOT_GIVEN,
        is_strip_tags: Union[Optional[bool], NotGiven] = NOT_GIVEN,
        loudness_target: Union[Optional[float], NotGiven] = NOT_GIVEN,
        preview_max_percent: Union[Optional[float], NotGiven] = NOT_GIVEN,
        preview_max_seconds: Union[Optional[float], NotGiven] = NOT_GIVEN,
        preview_min_percent: Union[Optional[float], NotGiven] = NOT_GIVEN,
        preview_min_seconds: Union[Optional[float], NotGiven] = NOT_GIVEN,
        preview_percent: Union[Optional[float], NotGiven] = NOT_GIVEN,
        preview_seconds: Union[Optional[float], NotGiven] = NOT_GIVEN,
        preview_start_percent: Union[Optional[float], NotGiven] = NOT_GIVEN,
        preview_type: Union[Optional[types.PreviewType], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
    ) -> types.AddTrackVariantResponse:
        """Adds a variant to a track and queues its rendering."""
        return await self._run(
            self.sync.add_track_variant,
            track_id,
            bitrate=bitrate,
            codec=codec,
            index=index,
            is_stereo=is_stereo,
            is_strip_cover=is_strip_cover,
            is_strip_tags=is_strip_tags,
            loudness_target=loudness_target,
            preview_max_percent=preview_max_percent,
            preview_max_seconds=preview_max_seconds,
            preview_min_percent=preview_min_percent,
            preview_min_seconds=preview_min_seconds,
            preview_percent=preview_percent,
            preview_seconds=preview_seconds,
            preview_start_percent=preview_start_percent,
            preview_type=preview_type,
            variant_type_id=variant_type_id,
            idempotency_key=idempotency_key,
        )

    async def create_upload_session_track(
        self,
        upload_session_id: types.UploadSessionId,
        *,
        file_name: Union[types.NotBlank1000, NotGiven] = NOT_GIVEN,
        metadata: Union[Optional[types.Metadata], NotGiven] = NOT_GIVEN,
        organization_index: Union[Optional[types.Text1000], NotGiven] = NOT_GIVEN,
        source_url: Union[Optional[types.NotBlank8000], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
    ) -> types.CreateUploadSessionTrackResponse:
        """Creates a track in an upload session. The session's id is the credential."""
        return await self._run(
            self.sync.create_upload_session_track,
            upload_session_id,
            file_name=file_name,
            metadata=metadata,
            organization_index=organization_index,
            source_url=source_url,
            idempotency_key=idempotency_key,
        )

    async def list_upload_sessions(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> types.ListUploadSessionsResponse:
        """Lists the upload sessions that are valid now, the newest first. Their ids are credentials and are not shown."""
        return await self._run(
            self.sync.list_upload_sessions,
            limit=limit,
            cursor=cursor,
        )

    def list_all_upload_sessions(
        self,
        *,
        limit: Optional[int] = None,
    ) -> AsyncIterator[types.ListedUploadSession]:
        """Yields the items of all pages of `list_upload_sessions`."""
        return self._pages(
            self.sync.list_upload_sessions,
            "upload_sessions",
            "cursor",
            limit=limit,
        )

    async def create_upload_session(
        self,
        *,
        collection_id: Union[Optional[types.CollectionId], NotGiven] = NOT_GIVEN,
        creator_id: Union[Optional[types.CreatorId], NotGiven] = NOT_GIVEN,
        expires_in: Union[Optional[types.ExpiresIn], NotGiven] = NOT_GIVEN,
        metadata: Union[Optional[types.Metadata], NotGiven] = NOT_GIVEN,
        organization_index: Union[Optional[types.Text1000], NotGiven] = NOT_GIVEN,
        track: Union[Optional[types.CreateTrackBody], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
    ) -> types.CreateUploadSessionResponse:
        """Creates an upload session, and a first track in it if the request contains one."""
        return await self._run(
            self.sync.create_upload_session,
            collection_id=collection_id,
            creator_id=creator_id,
            expires_in=expires_in,
            metadata=metadata,
            organization_index=organization_index,
            track=track,
            idempotency_key=idempotency_key,
        )

    async def read_upload_session(
        self,
        upload_session_id: types.UploadSessionId,
    ) -> types.ReadUploadSessionResponse:
        """Returns an upload session. Its id is the credential."""
        return await self._run(
            self.sync.read_upload_session,
            upload_session_id,
        )

    async def end_upload_session(
        self,
        upload_session_id: types.UploadSessionId,
    ) -> types.EndUploadSessionResponse:
        """Ends an upload session before it expires, by its id or by the `handle` from the list. It stops working within two seconds
        on all nodes. Upload URLs that it handed out stay valid until they expire.
        """
        return await self._run(
            self.sync.end_upload_session,
            upload_session_id,
        )

    async def read_usage(
        self,
        *,
        from_: Optional[types.Day] = None,
        to: Optional[types.Day] = None,
        group: Optional[Literal["day", "track", "variant"]] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
    ) -> types.ReadUsageResponse:
        """Returns the usage of everything that the key can access, by day, track or variant."""
        return await self._run(
            self.sync.read_usage,
            from_=from_,
            to=to,
            group=group,
            limit=limit,
            offset=offset,
        )

    def read_all_usage(
        self,
        *,
        from_: Optional[types.Day] = None,
        to: Optional[types.Day] = None,
        group: Optional[Literal["day", "track", "variant"]] = None,
        limit: Optional[int] = None,
    ) -> AsyncIterator[types.UsageRecord]:
        """Yields the items of all pages of `read_usage`."""
        return self._pages(
            self.sync.read_usage,
            "usage",
            "offset",
            from_=from_,
            to=to,
            group=group,
            limit=limit,
        )

    async def list_variants(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
    ) -> types.ListVariantsResponse:
        """Lists the recipes of the organization, in order."""
        return await self._run(
            self.sync.list_variants,
            limit=limit,
            offset=offset,
        )

    def list_all_variants(
        self,
        *,
        limit: Optional[int] = None,
    ) -> AsyncIterator[types.VariantRecord]:
        """Yields the items of all pages of `list_variants`."""
        return self._pages(
            self.sync.list_variants,
            "variants",
            "offset",
            limit=limit,
        )

    async def create_variant(
        self,
        *,
        index: types.VariantIndex,
        variant_type_id: types.RecipeType,
        background: Union[Optional[types.Colour], NotGiven] = NOT_GIVEN,
        bitrate: Union[Optional[int], NotGiven] = NOT_GIVEN,
        bits: Union[Optional[int], NotGiven] = NOT_GIVEN,
        cache: Union[types.CachePolicy, NotGiven] = NOT_GIVEN,
        codec: Union[Optional[types.Codec], NotGiven] = NOT_GIVEN,
        color: Union[Optional[types.Colour], NotGiven] = NOT_GIVEN,
        format: Union[Optional[types.Text1000], NotGiven] = NOT_GIVEN,
        frame_rate: Union[Optional[int], NotGiven] = NOT_GIVEN,
        has_sound: Union[Optional[bool], NotGiven] = NOT_GIVEN,
        height: Union[Optional[int], NotGiven] = NOT_GIVEN,
        is_split_channels: Union[Optional[bool], NotGiven] = NOT_GIVEN,
        is_stereo: Union[Optional[bool], NotGiven] = NOT_GIVEN,
        is_strip_cover: Union[Optional[bool], NotGiven] = NOT_GIVEN,
        is_strip_tags: Union[Optional[bool], NotGiven] = NOT_GIVEN,
        loudness_target: Union[Optional[float], NotGiven] = NOT_GIVEN,
        metric: Union[Optional[types.Metric], NotGiven] = NOT_GIVEN,
        num_samples: Union[Optional[int], NotGiven] = NOT_GIVEN,
        preview_max_percent: Union[Optional[float], NotGiven] = NOT_GIVEN,
        preview_max_seconds: Union[Optional[float], NotGiven] = NOT_GIVEN,
        preview_min_percent: Union[Optional[float], NotGiven] = NOT_GIVEN,
        preview_min_seconds: Union[Optional[float], NotGiven] = NOT_GIVEN,
        preview_percent: Union[Optional[float], NotGiven] = NOT_GIVEN,
        preview_seconds: Union[Optional[float], NotGiven] = NOT_GIVEN,
        preview_start_percent: Union[Optional[float], NotGiven] = NOT_GIVEN,
        preview_type: Union[Optional[types.PreviewType], NotGiven] = NOT_GIVEN,
        samples_per_pixel: Union[Optional[int], NotGiven] = NOT_GIVEN,
        size: Union[Optional[types.CoverSize], NotGiven] = NOT_GIVEN,
        width: Union[Optional[int], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
    ) -> types.ReadVariantResponse:
        """Creates a recipe for all tracks that are uploaded from now on.

        `POST /v1/variant/{variant_id}/rendering` also renders it for existing tracks.
        """
        return await self._run(
            self.sync.create_variant,
            background=background,
            bitrate=bitrate,
            bits=bits,
            cache=cache,
            codec=codec,
            color=color,
            format=format,
            frame_rate=frame_rate,
            has_sound=has_sound,
            height=height,
            index=index,
            is_split_channels=is_split_channels,
            is_stereo=is_stereo,
            is_strip_cover=is_strip_cover,
            is_strip_tags=is_strip_tags,
            loudness_target=loudness_target,
            metric=metric,
            num_samples=num_samples,
            preview_max_percent=preview_max_percent,
            preview_max_seconds=preview_max_seconds,
            preview_min_percent=preview_min_percent,
            preview_min_seconds=preview_min_seconds,
            preview_percent=preview_percent,
            preview_seconds=preview_seconds,
            preview_start_percent=preview_start_percent,
            preview_type=preview_type,
            samples_per_pixel=samples_per_pixel,
            size=size,
            variant_type_id=variant_type_id,
            width=width,
            idempotency_key=idempotency_key,
        )

    async def order_variants(
        self,
        *,
        variant_ids: List[types.VariantId],
    ) -> types.OrderVariantsResponse:
        """Sets the order of the organization's recipes. Variants are listed and, as far as possible, rendered in this order."""
        return await self._run(
            self.sync.order_variants,
            variant_ids=variant_ids,
        )

    async def read_variant(
        self,
        variant_id: types.VariantId,
    ) -> types.ReadVariantResponse:
        """Returns a recipe of the organization or of a track."""
        return await self._run(
            self.sync.read_variant,
            variant_id,
        )

    async def update_variant(
        self,
        variant_id: types.VariantId,
        *,
        background: Union[Optional[types.Colour], NotGiven] = NOT_GIVEN,
        bitrate: Union[Optional[int], NotGiven] = NOT_GIVEN,
        bits: Union[Optional[int], NotGiven] = NOT_GIVEN,
        cache: Union[types.CachePolicy, NotGiven] = NOT_GIVEN,
        codec: Union[Optional[types.Codec], NotGiven] = NOT_GIVEN,
        color: Union[Optional[types.Colour], NotGiven] = NOT_GIVEN,
        format: Union[Optional[types.Text1000], NotGiven] = NOT_GIVEN,
        frame_rate: Union[Optional[int], NotGiven] = NOT_GIVEN,
        has_sound: Union[Optional[bool], NotGiven] = NOT_GIVEN,
        height: Union[Optional[int], NotGiven] = NOT_GIVEN,
        index: Union[types.VariantIndex, NotGiven] = NOT_GIVEN,
        is_split_channels: Union[Optional[bool], NotGiven] = NOT_GIVEN,
        is_stereo: Union[Optional[bool], NotGiven] = NOT_GIVEN,
        is_strip_cover: Union[Optional[bool], NotGiven] = NOT_GIVEN,
        is_strip_tags: Union[Optional[bool], NotGiven] = NOT_GIVEN,
        loudness_target: Union[Optional[float], NotGiven] = NOT_GIVEN,
        metric: Union[Optional[types.Metric], NotGiven] = NOT_GIVEN,
        num_samples: Union[Optional[int], NotGiven] = NOT_GIVEN,
        preview_max_percent: Union[Optional[float], NotGiven] = NOT_GIVEN,
        preview_max_seconds: Union[Optional[float], NotGiven] = NOT_GIVEN,
        preview_min_percent: Union[Optional[float], NotGiven] = NOT_GIVEN,
        preview_min_seconds: Union[Optional[float], NotGiven] = NOT_GIVEN,
        preview_percent: Union[Optional[float], NotGiven] = NOT_GIVEN,
        preview_seconds: Union[Optional[float], NotGiven] = NOT_GIVEN,
        preview_start_percent: Union[Optional[float], NotGiven] = NOT_GIVEN,
        preview_type: Union[Optional[types.PreviewType], NotGiven] = NOT_GIVEN,
        samples_per_pixel: Union[Optional[int], NotGiven] = NOT_GIVEN,
        size: Union[Optional[types.CoverSize], NotGiven] = NOT_GIVEN,
        variant_type_id: Union[types.RecipeType, NotGiven] = NOT_GIVEN,
        width: Union[Optional[int], NotGiven] = NOT_GIVEN,
    ) -> types.ReadVariantResponse:
        """Updates the given fields of a recipe of the organization.

        Files that were made before stay as they are until the recipe is rendered for existing tracks. `cache` applies
        immediately. You can send back a whole record as it was returned.
        """
        return await self._run(
            self.sync.update_variant,
            variant_id,
            background=background,
            bitrate=bitrate,
            bits=bits,
            cache=cache,
            codec=codec,
            color=color,
            format=format,
            frame_rate=frame_rate,
            has_sound=has_sound,
            height=height,
            index=index,
            is_split_channels=is_split_channels,
            is_stereo=is_stereo,
            is_strip_cover=is_strip_cover,
            is_strip_tags=is_strip_tags,
            loudness_target=loudness_target,
            metric=metric,
            num_samples=num_samples,
            preview_max_percent=preview_max_percent,
            preview_max_seconds=preview_max_seconds,
            preview_min_percent=preview_min_percent,
            preview_min_seconds=preview_min_seconds,
            preview_percent=preview_percent,
            preview_seconds=preview_seconds,
            preview_start_percent=preview_start_percent,
            preview_type=preview_type,
            samples_per_pixel=samples_per_pixel,
            size=size,
            variant_type_id=variant_type_id,
            width=width,
        )

    async def delete_variant(
        self,
        variant_id: types.VariantId,
    ) -> types.DeleteVariantResponse:
        """Removes a recipe of the organization with its files.

        This takes effect immediately: the name is free, and players no longer find the files, which are removed in the
        background. Keys no longer list the variant.
        """
        return await self._run(
            self.sync.delete_variant,
            variant_id,
        )

    async def read_rendering(
        self,
        variant_id: types.VariantId,
    ) -> types.ReadRenderingResponse:
        """Returns the progress of the latest rendering of a recipe for existing tracks.

        If there was none, the response is 404 with the code `rendering_not_found`.
        """
        return await self._run(
            self.sync.read_rendering,
            variant_id,
        )

    async def create_rendering(
        self,
        variant_id: types.VariantId,
        *,
        idempotency_key: Optional[str] = None,
    ) -> types.ReadRenderingResponse:
        """Renders a recipe in the background for existing tracks whose file is missing, failed, or was made with other settings.

        The tracks stay playable. A rendering of the same recipe that is in progress starts over.
        """
        return await self._run(
            self.sync.create_rendering,
            variant_id,
            idempotency_key=idempotency_key,
        )

    async def list_webhooks(self) -> types.ListWebhooksResponse:
        """Lists the webhooks of the organization, without their secrets: at most one of each kind."""
        return await self._run(
            self.sync.list_webhooks,
        )

    async def create_webhook(
        self,
        *,
        kind: types.WebhookKind,
        url: str,
        idempotency_key: Optional[str] = None,
    ) -> types.CreateWebhookResponse:
        """Creates a webhook. Its secret is returned only once.

        An organization has at most one webhook of each kind. The URL of the one of kind `track` is also the organization's
        `webhook_url`.
        """
        return await self._run(
            self.sync.create_webhook,
            kind=kind,
            url=url,
            idempotency_key=idempotency_key,
        )

    async def read_webhook(
        self,
        webhook_id: types.WebhookId,
    ) -> types.ReadWebhookResponse:
        """Returns a webhook, without its secret."""
        return await self._run(
            self.sync.read_webhook,
            webhook_id,
        )

    async def update_webhook(
        self,
        webhook_id: types.WebhookId,
        *,
        url: str,
    ) -> types.ReadWebhookResponse:
        """Changes the URL of a webhook, also for events that are already queued.

        The webhook keeps its kind and its secret, and is no longer paused.
        """
        return await self._run(
            self.sync.update_webhook,
            webhook_id,
            url=url,
        )

    async def delete_webhook(
        self,
        webhook_id: types.WebhookId,
    ) -> types.DeleteWebhookResponse:
        """Removes a webhook with all its deliveries."""
        return await self._run(
            self.sync.delete_webhook,
            webhook_id,
        )

    async def list_webhook_deliveries(
        self,
        webhook_id: types.WebhookId,
        *,
        state: Optional[types.DeliveryState] = None,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> types.ListWebhookDeliveriesResponse:
        """Lists the deliveries to a webhook, the latest first.

        Deliveries are kept for 14 days after they end, unless the operator has chosen another time.
        """
        return await self._run(
            self.sync.list_webhook_deliveries,
            webhook_id,
            state=state,
            limit=limit,
            cursor=cursor,
        )

    def list_all_webhook_deliveries(
        self,
        webhook_id: types.WebhookId,
        *,
        state: Optional[types.DeliveryState] = None,
        limit: Optional[int] = None,
    ) -> AsyncIterator[types.DeliveryRecord]:
        """Yields the items of all pages of `list_webhook_deliveries`."""
        return self._pages(
            self.sync.list_webhook_deliveries,
            "deliveries",
            "cursor",
            webhook_id,
            state=state,
            limit=limit,
        )

    async def read_webhook_delivery(
        self,
        webhook_id: types.WebhookId,
        delivery_id: types.WebhookDeliveryId,
    ) -> types.ReadWebhookDeliveryResponse:
        """Returns a delivery with its payload and its last attempts."""
        return await self._run(
            self.sync.read_webhook_delivery,
            webhook_id,
            delivery_id,
        )

    async def replay_webhook_delivery(
        self,
        webhook_id: types.WebhookId,
        delivery_id: types.WebhookDeliveryId,
        *,
        idempotency_key: Optional[str] = None,
    ) -> types.ReplayWebhookDeliveryResponse:
        """Sends an event again, whatever its state, under the same `webhook-id`."""
        return await self._run(
            self.sync.replay_webhook_delivery,
            webhook_id,
            delivery_id,
            idempotency_key=idempotency_key,
        )

    async def replay_failed_webhook_deliveries(
        self,
        webhook_id: types.WebhookId,
        *,
        idempotency_key: Optional[str] = None,
    ) -> types.ReplayFailedWebhookDeliveriesResponse:
        """Resends all events whose delivery to a webhook failed."""
        return await self._run(
            self.sync.replay_failed_webhook_deliveries,
            webhook_id,
            idempotency_key=idempotency_key,
        )

    async def rotate_webhook_secret(
        self,
        webhook_id: types.WebhookId,
        *,
        idempotency_key: Optional[str] = None,
    ) -> types.CreateWebhookResponse:
        """Rotates the secret of a webhook. The new one is returned only once; events are also signed with the previous one for a day."""
        return await self._run(
            self.sync.rotate_webhook_secret,
            webhook_id,
            idempotency_key=idempotency_key,
        )

    async def test_webhook(
        self,
        webhook_id: types.WebhookId,
        *,
        idempotency_key: Optional[str] = None,
    ) -> types.ReplayWebhookDeliveryResponse:
        """Sends the event `webhook.test` to a webhook immediately, even if it is paused."""
        return await self._run(
            self.sync.test_webhook,
            webhook_id,
            idempotency_key=idempotency_key,
        )

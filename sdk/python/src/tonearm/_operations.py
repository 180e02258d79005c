"""The methods of the client.

Made from the description of the interface by tools/sdk/generate (`make sdk`). Changes here are lost.
"""

from __future__ import annotations

from typing import Any, Dict, Iterator, List, Literal, Optional, Union

from . import types
from ._transport import NOT_GIVEN, NotGiven, Transport, quote


class Operations(Transport):
    """Every operation of the interface, as a method."""

    def list_api_keys(
        self,
        *,
        api_key_type_id: Optional[types.KeyType] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
    ) -> types.ListApiKeysResponse:
        """Lists the keys of the organization, including revoked and expired ones, oldest first.

        The keys themselves are never returned.
        """
        answer: types.ListApiKeysResponse = self._call(
            "GET",
            "/v1/api_key",
            query={"api_key_type_id": api_key_type_id, "limit": limit, "offset": offset},
        )
        return answer

    def list_all_api_keys(
        self,
        *,
        api_key_type_id: Optional[types.KeyType] = None,
        limit: Optional[int] = None,
    ) -> Iterator[types.KeyRecord]:
        """Yields the items of all pages of `list_api_keys`."""
        return self._pages(
            self.list_api_keys,
            "api_keys",
            "offset",
            api_key_type_id=api_key_type_id,
            limit=limit,
        )

    def create_api_key(
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
        answer: types.CreateApiKeyResponse = self._call(
            "POST",
            "/v1/api_key",
            body={"allowed_origins": allowed_origins, "api_key_type_id": api_key_type_id, "collection_id": collection_id, "creator_id": creator_id, "expires_at": expires_at, "is_downloadable": is_downloadable, "title": title, "track_id": track_id, "variants": variants},
            idempotency_key=idempotency_key,
        )
        return answer

    def read_api_key(
        self,
        api_key_id: types.ApiKeyId,
    ) -> types.ReadApiKeyResponse:
        """Returns a key's record, without the key itself."""
        answer: types.ReadApiKeyResponse = self._call(
            "GET",
            f"/v1/api_key/{quote(api_key_id)}",
        )
        return answer

    def update_api_key(
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
        answer: types.ReadApiKeyResponse = self._call(
            "PUT",
            f"/v1/api_key/{quote(api_key_id)}",
            body={"allowed_origins": allowed_origins, "api_key_type_id": api_key_type_id, "collection_id": collection_id, "creator_id": creator_id, "expires_at": expires_at, "is_downloadable": is_downloadable, "title": title, "track_id": track_id, "variants": variants},
        )
        return answer

    def revoke_api_key(
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
        answer: types.RevokeApiKeyResponse = self._call(
            "DELETE",
            f"/v1/api_key/{quote(api_key_id)}",
            query={"revoke_made": revoke_made},
        )
        return answer

    def list_collections(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> types.ListCollectionsResponse:
        """Lists the collections that the key can access."""
        answer: types.ListCollectionsResponse = self._call(
            "GET",
            "/v1/collection",
            query={"limit": limit, "offset": offset, "cursor": cursor},
        )
        return answer

    def list_all_collections(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
    ) -> Iterator[types.CollectionRecord]:
        """Yields the items of all pages of `list_collections`."""
        return self._pages(
            self.list_collections,
            "collections",
            "cursor",
            limit=limit,
            offset=offset,
        )

    def create_collection(
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
        answer: types.CreateCollectionResponse = self._call(
            "POST",
            "/v1/collection",
            body={"creator_id": creator_id, "is_cover_overridable": is_cover_overridable, "is_theme_overridable": is_theme_overridable, "metadata": metadata, "organization_index": organization_index, "player_color": player_color, "player_subtitle": player_subtitle, "theme": theme, "title": title},
            idempotency_key=idempotency_key,
        )
        return answer

    def read_collection(
        self,
        collection_id: types.CollectionId,
    ) -> types.ReadCollectionResponse:
        """Returns a collection."""
        answer: types.ReadCollectionResponse = self._call(
            "GET",
            f"/v1/collection/{quote(collection_id)}",
        )
        return answer

    def update_collection(
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
        answer: types.ReadCollectionResponse = self._call(
            "PUT",
            f"/v1/collection/{quote(collection_id)}",
            body={"creator_id": creator_id, "is_cover_overridable": is_cover_overridable, "is_theme_overridable": is_theme_overridable, "metadata": metadata, "organization_index": organization_index, "player_color": player_color, "player_subtitle": player_subtitle, "theme": theme, "title": title},
        )
        return answer

    def delete_collection(
        self,
        collection_id: types.CollectionId,
    ) -> types.DeleteCollectionResponse:
        """Deletes a collection with its tracks.

        Their files are removed in the background.
        """
        answer: types.DeleteCollectionResponse = self._call(
            "DELETE",
            f"/v1/collection/{quote(collection_id)}",
        )
        return answer

    def renew_collection_cover_upload(
        self,
        collection_id: types.CollectionId,
        *,
        idempotency_key: Optional[str] = None,
    ) -> types.RenewCollectionCoverUploadResponse:
        """Returns a new URL for uploading the collection's cover."""
        answer: types.RenewCollectionCoverUploadResponse = self._call(
            "POST",
            f"/v1/collection/{quote(collection_id)}/cover",
            idempotency_key=idempotency_key,
        )
        return answer

    def remove_collection_cover(
        self,
        collection_id: types.CollectionId,
    ) -> types.RemoveCollectionCoverResponse:
        """Removes the cover of a collection. Its tracks then show that of the organization, or their own."""
        answer: types.RemoveCollectionCoverResponse = self._call(
            "DELETE",
            f"/v1/collection/{quote(collection_id)}/cover",
        )
        return answer

    def order_collection(
        self,
        collection_id: types.CollectionId,
        *,
        track_ids: List[types.TrackId],
    ) -> types.OrderCollectionResponse:
        """Sorts tracks of a collection.

        The tracks exchange their values of `order` among themselves; tracks that are not named keep theirs. To sort a whole
        collection, name all its tracks. To sort more than 1,000 tracks, send several requests.
        """
        answer: types.OrderCollectionResponse = self._call(
            "PUT",
            f"/v1/collection/{quote(collection_id)}/order",
            body={"track_ids": track_ids},
        )
        return answer

    def list_tracks(
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
        answer: types.ListTracksResponse = self._call(
            "GET",
            f"/v1/collection/{quote(collection_id)}/track",
            query={"limit": limit, "offset": offset, "cursor": cursor},
        )
        return answer

    def list_all_tracks(
        self,
        collection_id: types.CollectionId,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
    ) -> Iterator[types.ReducedTrack]:
        """Yields the items of all pages of `list_tracks`."""
        return self._pages(
            self.list_tracks,
            "tracks",
            "cursor",
            collection_id,
            limit=limit,
            offset=offset,
        )

    def list_creators(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> types.ListCreatorsResponse:
        """Lists the creators that the key can access."""
        answer: types.ListCreatorsResponse = self._call(
            "GET",
            "/v1/creator",
            query={"limit": limit, "offset": offset, "cursor": cursor},
        )
        return answer

    def list_all_creators(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
    ) -> Iterator[types.CreatorRecord]:
        """Yields the items of all pages of `list_creators`."""
        return self._pages(
            self.list_creators,
            "creators",
            "cursor",
            limit=limit,
            offset=offset,
        )

    def create_creator(
        self,
        *,
        organization_index: types.NotBlank1000,
        metadata: Union[Optional[types.Metadata], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
    ) -> types.ReadCreatorResponse:
        """Creates a creator."""
        answer: types.ReadCreatorResponse = self._call(
            "POST",
            "/v1/creator",
            body={"metadata": metadata, "organization_index": organization_index},
            idempotency_key=idempotency_key,
        )
        return answer

    def read_creator(
        self,
        creator_id: types.CreatorId,
    ) -> types.ReadCreatorResponse:
        """Returns a creator."""
        answer: types.ReadCreatorResponse = self._call(
            "GET",
            f"/v1/creator/{quote(creator_id)}",
        )
        return answer

    def update_creator(
        self,
        creator_id: types.CreatorId,
        *,
        metadata: Union[Optional[types.Metadata], NotGiven] = NOT_GIVEN,
        organization_index: Union[types.NotBlank1000, NotGiven] = NOT_GIVEN,
    ) -> types.ReadCreatorResponse:
        """Updates the given fields of a creator."""
        answer: types.ReadCreatorResponse = self._call(
            "PUT",
            f"/v1/creator/{quote(creator_id)}",
            body={"metadata": metadata, "organization_index": organization_index},
        )
        return answer

    def delete_creator(
        self,
        creator_id: types.CreatorId,
    ) -> types.DeleteCreatorResponse:
        """Deletes a creator. The tracks and collections of the creator are kept."""
        answer: types.DeleteCreatorResponse = self._call(
            "DELETE",
            f"/v1/creator/{quote(creator_id)}",
        )
        return answer

    def list_import_buckets(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
    ) -> types.ListImportBucketsResponse:
        """Lists the buckets that the organization has credentials for, by name, without their secrets."""
        answer: types.ListImportBucketsResponse = self._call(
            "GET",
            "/v1/import_bucket",
            query={"limit": limit, "offset": offset},
        )
        return answer

    def list_all_import_buckets(
        self,
        *,
        limit: Optional[int] = None,
    ) -> Iterator[types.ImportBucketRecord]:
        """Yields the items of all pages of `list_import_buckets`."""
        return self._pages(
            self.list_import_buckets,
            "import_buckets",
            "offset",
            limit=limit,
        )

    def set_import_bucket(
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
        answer: types.SetImportBucketResponse = self._call(
            "PUT",
            f"/v1/import_bucket/{quote(bucket)}",
            body={"access_key_id": access_key_id, "endpoint": endpoint, "region": region, "secret_access_key": secret_access_key},
        )
        return answer

    def delete_import_bucket(
        self,
        bucket: types.BucketName,
    ) -> types.DeleteImportBucketResponse:
        """Removes the credentials for a bucket. Queued imports from it fail when they are attempted."""
        answer: types.DeleteImportBucketResponse = self._call(
            "DELETE",
            f"/v1/import_bucket/{quote(bucket)}",
        )
        return answer

    def read_job(
        self,
        job_id: types.JobId,
    ) -> types.ReadJobResponse:
        """Returns the status of a background job.

        A job whose `job_id` was returned can be read until a week after it was queued, even if it has ended.
        """
        answer: types.ReadJobResponse = self._call(
            "GET",
            f"/v1/job/{quote(job_id)}",
        )
        return answer

    def read_listens(
        self,
        *,
        from_: Optional[types.Day] = None,
        to: Optional[types.Day] = None,
        group: Optional[Literal["day", "track", "collection", "share_link", "referrer", "country"]] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
    ) -> types.ReadListensResponse:
        """Returns the listens of everything that the key can access, by day, track, collection, share link, site or country."""
        answer: types.ReadListensResponse = self._call(
            "GET",
            "/v1/listens",
            query={"from": from_, "to": to, "group": group, "limit": limit, "offset": offset},
        )
        return answer

    def read_all_listens(
        self,
        *,
        from_: Optional[types.Day] = None,
        to: Optional[types.Day] = None,
        group: Optional[Literal["day", "track", "collection", "share_link", "referrer", "country"]] = None,
        limit: Optional[int] = None,
    ) -> Iterator[types.ListenRecord]:
        """Yields the items of all pages of `read_listens`."""
        return self._pages(
            self.read_listens,
            "listens",
            "offset",
            from_=from_,
            to=to,
            group=group,
            limit=limit,
        )

    def read_organization(
        self,
        organization_id: types.OrganizationId,
    ) -> types.ReadOrganizationResponse:
        """Returns the organization of the key."""
        answer: types.ReadOrganizationResponse = self._call(
            "GET",
            f"/v1/organization/{quote(organization_id)}",
        )
        return answer

    def update_organization(
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
        answer: types.ReadOrganizationResponse = self._call(
            "PUT",
            f"/v1/organization/{quote(organization_id)}",
            body={"is_cover_overridable": is_cover_overridable, "is_theme_overridable": is_theme_overridable, "name": name, "player_color": player_color, "player_subtitle": player_subtitle, "theme": theme},
        )
        return answer

    def remove_organization_cover(
        self,
        organization_id: types.OrganizationId,
    ) -> types.ReadOrganizationResponse:
        """Removes the cover of the organization."""
        answer: types.ReadOrganizationResponse = self._call(
            "DELETE",
            f"/v1/organization/{quote(organization_id)}/cover",
        )
        return answer

    def describe_tracks(
        self,
        play_session_id: types.PlaySessionId,
        *,
        track_ids: str,
    ) -> types.DescribeTracksResponse:
        """Returns titles and lengths of some tracks of a session, for a list of them. Nothing is counted."""
        answer: types.DescribeTracksResponse = self._call(
            "GET",
            f"/v1/play/{quote(play_session_id)}",
            query={"track_ids": track_ids},
            needs_key=False,
        )
        return answer

    def play_track(
        self,
        play_session_id: types.PlaySessionId,
        play_track_id: types.TrackId,
    ) -> types.PlayTrackResponse:
        """Returns everything needed to play one track of a session."""
        answer: types.PlayTrackResponse = self._call(
            "GET",
            f"/v1/play/{quote(play_session_id)}/{quote(play_track_id)}",
            needs_key=False,
        )
        return answer

    def track_captions(
        self,
        play_session_id: types.PlaySessionId,
        play_track_id: types.TrackId,
    ) -> str:
        """Returns the transcript of a track of a session as WebVTT, for `<track kind="captions">`. The times are those of the audio in
        the session: if it has only a preview, they are counted from the start of the preview. Without a transcript, there are no
        cues.
        """
        answer: str = self._call(
            "GET",
            f"/v1/play/{quote(play_session_id)}/{quote(play_track_id)}/captions",
            needs_key=False,
            is_text=True,
        )
        return answer

    def download_track(
        self,
        play_session_id: types.PlaySessionId,
        play_track_id: types.TrackId,
        variant_index: str,
    ) -> types.DownloadTrackResponse:
        """Returns a URL that browsers save as a file, valid for 30 seconds."""
        answer: types.DownloadTrackResponse = self._call(
            "GET",
            f"/v1/play/{quote(play_session_id)}/{quote(play_track_id)}/{quote(variant_index)}/download",
            needs_key=False,
        )
        return answer

    def list_play_sessions(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> types.ListPlaySessionsResponse:
        """Lists the play sessions that are valid now, the newest first. Their ids are credentials and are not shown."""
        answer: types.ListPlaySessionsResponse = self._call(
            "GET",
            "/v1/play_session",
            query={"limit": limit, "cursor": cursor},
        )
        return answer

    def list_all_play_sessions(
        self,
        *,
        limit: Optional[int] = None,
    ) -> Iterator[types.ListedPlaySession]:
        """Yields the items of all pages of `list_play_sessions`."""
        return self._pages(
            self.list_play_sessions,
            "play_sessions",
            "cursor",
            limit=limit,
        )

    def read_play_session(
        self,
        play_session_id: types.PlaySessionId,
    ) -> types.ReadPlaySessionResponse:
        """Returns a play session with its tracks. Requires a key, unless the server sets `api.public_play_sessions`."""
        answer: types.ReadPlaySessionResponse = self._call(
            "GET",
            f"/v1/play_session/{quote(play_session_id)}",
        )
        return answer

    def end_play_session(
        self,
        play_session_id: types.PlaySessionId,
    ) -> types.EndPlaySessionResponse:
        """Ends a play session before it expires, by its id or by the `handle` from the list. It stops working within two seconds
        on all nodes. Signed URLs that it handed out stay valid until they expire.
        """
        answer: types.EndPlaySessionResponse = self._call(
            "DELETE",
            f"/v1/play_session/{quote(play_session_id)}",
        )
        return answer

    def create_play_session(
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
        answer: types.CreatePlaySessionResponse = self._call(
            "POST",
            f"/v1/play_session/{quote(scope)}",
            body={"collection_id": collection_id, "expires_in": expires_in, "is_downloadable": is_downloadable, "metadata": metadata, "organization_index": organization_index, "track_id": track_id, "variants": variants},
            idempotency_key=idempotency_key,
        )
        return answer

    def read_quota(self) -> types.ReadQuotaResponse:
        """Returns the quotas of the organization and what is used of each. They are set by the operator, on the command line."""
        answer: types.ReadQuotaResponse = self._call(
            "GET",
            "/v1/quota",
        )
        return answer

    def list_signing_keys(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
    ) -> types.ListSigningKeysResponse:
        """Lists the signing keys of the organization, including revoked ones, oldest first. Secrets are not returned."""
        answer: types.ListSigningKeysResponse = self._call(
            "GET",
            "/v1/signing_key",
            query={"limit": limit, "offset": offset},
        )
        return answer

    def list_all_signing_keys(
        self,
        *,
        limit: Optional[int] = None,
    ) -> Iterator[types.SigningKeyRecord]:
        """Yields the items of all pages of `list_signing_keys`."""
        return self._pages(
            self.list_signing_keys,
            "signing_keys",
            "offset",
            limit=limit,
        )

    def create_signing_key(
        self,
        *,
        title: Union[Optional[types.Text1000], NotGiven] = NOT_GIVEN,
        idempotency_key: Optional[str] = None,
    ) -> types.CreateSigningKeyResponse:
        """Creates a key with which your own backend signs delivery URLs. Its secret is returned only once.

        Anyone who has the secret can sign URLs of all files of the organization. It can take up to ten seconds until the key
        works on all nodes.
        """
        answer: types.CreateSigningKeyResponse = self._call(
            "POST",
            "/v1/signing_key",
            body={"title": title},
            idempotency_key=idempotency_key,
        )
        return answer

    def read_signing_key(
        self,
        signing_key_id: types.ShortId,
    ) -> types.ReadSigningKeyResponse:
        """Returns a signing key's record, without its secret."""
        answer: types.ReadSigningKeyResponse = self._call(
            "GET",
            f"/v1/signing_key/{quote(signing_key_id)}",
        )
        return answer

    def revoke_signing_key(
        self,
        signing_key_id: types.ShortId,
    ) -> types.RevokeSigningKeyResponse:
        """Revokes a signing key.

        URLs that it signed are refused within two seconds on nodes with a database, and within 30 seconds on others. Its record
        is kept.
        """
        answer: types.RevokeSigningKeyResponse = self._call(
            "DELETE",
            f"/v1/signing_key/{quote(signing_key_id)}",
        )
        return answer

    def find_tracks(
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
        answer: types.FindTracksResponse = self._call(
            "GET",
            "/v1/track",
            query={"query": query, "status": status, "collection_id": collection_id, "creator_id": creator_id, "organization_index": organization_index, "source_sha256": source_sha256, "created_since": created_since, "sort": sort, "limit": limit, "cursor": cursor},
        )
        return answer

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
    ) -> Iterator[types.FoundRecord]:
        """Yields the items of all pages of `find_tracks`."""
        return self._pages(
            self.find_tracks,
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

    def create_track(
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
        answer: types.CreateTrackResponse = self._call(
            "POST",
            "/v1/track",
            body={"collection_id": collection_id, "creator_id": creator_id, "file_name": file_name, "is_cover_overridable": is_cover_overridable, "is_theme_overridable": is_theme_overridable, "metadata": metadata, "organization_index": organization_index, "player_color": player_color, "player_subtitle": player_subtitle, "player_title": player_title, "source_url": source_url, "theme": theme},
            idempotency_key=idempotency_key,
        )
        return answer

    def read_track(
        self,
        track_id: types.TrackId,
    ) -> types.ReadTrackResponse:
        """Returns the full record of a track."""
        answer: types.ReadTrackResponse = self._call(
            "GET",
            f"/v1/track/{quote(track_id)}",
        )
        return answer

    def update_track(
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
        answer: types.UpdateTrackResponse = self._call(
            "PUT",
            f"/v1/track/{quote(track_id)}",
            body={"collection_id": collection_id, "creator_id": creator_id, "is_cover_overridable": is_cover_overridable, "is_theme_overridable": is_theme_overridable, "metadata": metadata, "organization_index": organization_index, "player_color": player_color, "player_subtitle": player_subtitle, "player_title": player_title, "theme": theme, "title": title},
        )
        return answer

    def delete_track(
        self,
        track_id: types.TrackId,
    ) -> types.DeleteTrackResponse:
        """Deletes a track with its files and variants.

        The files are removed in the background.
        """
        answer: types.DeleteTrackResponse = self._call(
            "DELETE",
            f"/v1/track/{quote(track_id)}",
        )
        return answer

    def renew_track_cover_upload(
        self,
        track_id: types.TrackId,
        *,
        idempotency_key: Optional[str] = None,
    ) -> types.RenewTrackCoverUploadResponse:
        """Returns a new URL for uploading the track's cover."""
        answer: types.RenewTrackCoverUploadResponse = self._call(
            "POST",
            f"/v1/track/{quote(track_id)}/cover",
            idempotency_key=idempotency_key,
        )
        return answer

    def remove_track_cover(
        self,
        track_id: types.TrackId,
    ) -> types.RemoveTrackCoverResponse:
        """Removes the uploaded cover of a track. The art in its file, or a drawn cover, then takes its place."""
        answer: types.RemoveTrackCoverResponse = self._call(
            "DELETE",
            f"/v1/track/{quote(track_id)}/cover",
        )
        return answer

    def read_track_progress(
        self,
        track_id: types.TrackId,
    ) -> types.ReadTrackProgressResponse:
        """Returns how far the processing of a track is.

        With `Accept: text/event-stream`, the response is a stream of server-sent events: `progress`, with the progress as JSON, at
        the beginning and after each change. The stream ends after the final status, or after half an hour; if it ends
        earlier, request it again. An event `error` with `code` and `message` says why a stream ended early.
        """
        answer: types.ReadTrackProgressResponse = self._call(
            "GET",
            f"/v1/track/{quote(track_id)}/progress",
        )
        return answer

    def retry_track(
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
        answer: types.RetryTrackResponse = self._call(
            "POST",
            f"/v1/track/{quote(track_id)}/retry",
            query={"variant": variant},
            idempotency_key=idempotency_key,
        )
        return answer

    def read_track_source_replacement(
        self,
        track_id: types.TrackId,
    ) -> types.ReadTrackSourceReplacementResponse:
        """Returns the last replacement of the file of a track, for two weeks."""
        answer: types.ReadTrackSourceReplacementResponse = self._call(
            "GET",
            f"/v1/track/{quote(track_id)}/source",
        )
        return answer

    def replace_track_source(
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
        answer: types.ReplaceTrackSourceResponse = self._call(
            "POST",
            f"/v1/track/{quote(track_id)}/source",
            body={"file_name": file_name},
            idempotency_key=idempotency_key,
        )
        return answer

    def cancel_track_source_replacement(
        self,
        track_id: types.TrackId,
    ) -> types.CancelTrackSourceReplacementResponse:
        """Cancels the replacement of the file of a track, which keeps the file that it has. The upload URL becomes invalid."""
        answer: types.CancelTrackSourceReplacementResponse = self._call(
            "DELETE",
            f"/v1/track/{quote(track_id)}/source",
        )
        return answer

    def undo_track_source_replacement(
        self,
        track_id: types.TrackId,
        *,
        replacement_id: types.ReplacementId,
        idempotency_key: Optional[str] = None,
    ) -> types.ReadTrackSourceReplacementResponse:
        """Puts the file back that a track had before a completed replacement. This is a replacement, too: players get the current
        files until all have been made from the former one, and it can be undone itself.
        """
        answer: types.ReadTrackSourceReplacementResponse = self._call(
            "POST",
            f"/v1/track/{quote(track_id)}/source/undo",
            body={"replacement_id": replacement_id},
            idempotency_key=idempotency_key,
        )
        return answer

    def add_track_variant(
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
        answer: types.AddTrackVariantResponse = self._call(
            "POST",
            f"/v1/track/{quote(track_id)}/variant",
            body={"bitrate": bitrate, "codec": codec, "index": index, "is_stereo": is_stereo, "is_strip_cover": is_strip_cover, "is_strip_tags": is_strip_tags, "loudness_target": loudness_target, "preview_max_percent": preview_max_percent, "preview_max_seconds": preview_max_seconds, "preview_min_percent": preview_min_percent, "preview_min_seconds": preview_min_seconds, "preview_percent": preview_percent, "preview_seconds": preview_seconds, "preview_start_percent": preview_start_percent, "preview_type": preview_type, "variant_type_id": variant_type_id},
            idempotency_key=idempotency_key,
        )
        return answer

    def create_upload_session_track(
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
        answer: types.CreateUploadSessionTrackResponse = self._call(
            "POST",
            f"/v1/upload/{quote(upload_session_id)}/track",
            body={"file_name": file_name, "metadata": metadata, "organization_index": organization_index, "source_url": source_url},
            idempotency_key=idempotency_key,
            needs_key=False,
        )
        return answer

    def list_upload_sessions(
        self,
        *,
        limit: Optional[int] = None,
        cursor: Optional[str] = None,
    ) -> types.ListUploadSessionsResponse:
        """Lists the upload sessions that are valid now, the newest first. Their ids are credentials and are not shown."""
        answer: types.ListUploadSessionsResponse = self._call(
            "GET",
            "/v1/upload_session",
            query={"limit": limit, "cursor": cursor},
        )
        return answer

    def list_all_upload_sessions(
        self,
        *,
        limit: Optional[int] = None,
    ) -> Iterator[types.ListedUploadSession]:
        """Yields the items of all pages of `list_upload_sessions`."""
        return self._pages(
            self.list_upload_sessions,
            "upload_sessions",
            "cursor",
            limit=limit,
        )

    def create_upload_session(
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
        answer: types.CreateUploadSessionResponse = self._call(
            "POST",
            "/v1/upload_session",
            body={"collection_id": collection_id, "creator_id": creator_id, "expires_in": expires_in, "metadata": metadata, "organization_index": organization_index, "track": track},
            idempotency_key=idempotency_key,
        )
        return answer

    def read_upload_session(
        self,
        upload_session_id: types.UploadSessionId,
    ) -> types.ReadUploadSessionResponse:
        """Returns an upload session. Its id is the credential."""
        answer: types.ReadUploadSessionResponse = self._call(
            "GET",
            f"/v1/upload_session/{quote(upload_session_id)}",
            needs_key=False,
        )
        return answer

    def end_upload_session(
        self,
        upload_session_id: types.UploadSessionId,
    ) -> types.EndUploadSessionResponse:
        """Ends an upload session before it expires, by its id or by the `handle` from the list. It stops working within two seconds
        on all nodes. Upload URLs that it handed out stay valid until they expire.
        """
        answer: types.EndUploadSessionResponse = self._call(
            "DELETE",
            f"/v1/upload_session/{quote(upload_session_id)}",
        )
        return answer

    def read_usage(
        self,
        *,
        from_: Optional[types.Day] = None,
        to: Optional[types.Day] = None,
        group: Optional[Literal["day", "track", "variant"]] = None,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
    ) -> types.ReadUsageResponse:
        """Returns the usage of everything that the key can access, by day, track or variant."""
        answer: types.ReadUsageResponse = self._call(
            "GET",
            "/v1/usage",
            query={"from": from_, "to": to, "group": group, "limit": limit, "offset": offset},
        )
        return answer

    def read_all_usage(
        self,
        *,
        from_: Optional[types.Day] = None,
        to: Optional[types.Day] = None,
        group: Optional[Literal["day", "track", "variant"]] = None,
        limit: Optional[int] = None,
    ) -> Iterator[types.UsageRecord]:
        """Yields the items of all pages of `read_usage`."""
        return self._pages(
            self.read_usage,
            "usage",
            "offset",
            from_=from_,
            to=to,
            group=group,
            limit=limit,
        )

    def list_variants(
        self,
        *,
        limit: Optional[int] = None,
        offset: Optional[int] = None,
    ) -> types.ListVariantsResponse:
        """Lists the recipes of the organization, in order."""
        answer: types.ListVariantsResponse = self._call(
            "GET",
            "/v1/variant",
            query={"limit": limit, "offset": offset},
        )
        return answer

    def list_all_variants(
        self,
        *,
        limit: Optional[int] = None,
    ) -> Iterator[types.VariantRecord]:
        """Yields the items of all pages of `list_variants`."""
        return self._pages(
            self.list_variants,
            "variants",
            "offset",
            limit=limit,
        )

    def create_variant(
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
        answer: types.ReadVariantResponse = self._call(
            "POST",
            "/v1/variant",
            body={"background": background, "bitrate": bitrate, "bits": bits, "cache": cache, "codec": codec, "color": color, "format": format, "frame_rate": frame_rate, "has_sound": has_sound, "height": height, "index": index, "is_split_channels": is_split_channels, "is_stereo": is_stereo, "is_strip_cover": is_strip_cover, "is_strip_tags": is_strip_tags, "loudness_target": loudness_target, "metric": metric, "num_samples": num_samples, "preview_max_percent": preview_max_percent, "preview_max_seconds": preview_max_seconds, "preview_min_percent": preview_min_percent, "preview_min_seconds": preview_min_seconds, "preview_percent": preview_percent, "preview_seconds": preview_seconds, "preview_start_percent": preview_start_percent, "preview_type": preview_type, "samples_per_pixel": samples_per_pixel, "size": size, "variant_type_id": variant_type_id, "width": width},
            idempotency_key=idempotency_key,
        )
        return answer

    def order_variants(
        self,
        *,
        variant_ids: List[types.VariantId],
    ) -> types.OrderVariantsResponse:
        """Sets the order of the organization's recipes. Variants are listed and, as far as possible, rendered in this order."""
        answer: types.OrderVariantsResponse = self._call(
            "PUT",
            "/v1/variant/order",
            body={"variant_ids": variant_ids},
        )
        return answer

    def read_variant(
        self,
        variant_id: types.VariantId,
    ) -> types.ReadVariantResponse:
        """Returns a recipe of the organization or of a track."""
        answer: types.ReadVariantResponse = self._call(
            "GET",
            f"/v1/variant/{quote(variant_id)}",
        )
        return answer

    def update_variant(
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
        answer: types.ReadVariantResponse = self._call(
            "PUT",
            f"/v1/variant/{quote(variant_id)}",
            body={"background": background, "bitrate": bitrate, "bits": bits, "cache": cache, "codec": codec, "color": color, "format": format, "frame_rate": frame_rate, "has_sound": has_sound, "height": height, "index": index, "is_split_channels": is_split_channels, "is_stereo": is_stereo, "is_strip_cover": is_strip_cover, "is_strip_tags": is_strip_tags, "loudness_target": loudness_target, "metric": metric, "num_samples": num_samples, "preview_max_percent": preview_max_percent, "preview_max_seconds": preview_max_seconds, "preview_min_percent": preview_min_percent, "preview_min_seconds": preview_min_seconds, "preview_percent": preview_percent, "preview_seconds": preview_seconds, "preview_start_percent": preview_start_percent, "preview_type": preview_type, "samples_per_pixel": samples_per_pixel, "size": size, "variant_type_id": variant_type_id, "width": width},
        )
        return answer

    def delete_variant(
        self,
        variant_id: types.VariantId,
    ) -> types.DeleteVariantResponse:
        """Removes a recipe of the organization with its files.

        This takes effect immediately: the name is free, and players no longer find the files, which are removed in the
        background. Keys no longer list the variant.
        """
        answer: types.DeleteVariantResponse = self._call(
            "DELETE",
            f"/v1/variant/{quote(variant_id)}",
        )
        return answer

    def read_rendering(
        self,
        variant_id: types.VariantId,
    ) -> types.ReadRenderingResponse:
        """Returns the progress of the latest rendering of a recipe for existing tracks.

        If there was none, the response is 404 with the code `rendering_not_found`.
        """
        answer: types.ReadRenderingResponse = self._call(
            "GET",
            f"/v1/variant/{quote(variant_id)}/rendering",
        )
        return answer

    def create_rendering(
        self,
        variant_id: types.VariantId,
        *,
        idempotency_key: Optional[str] = None,
    ) -> types.ReadRenderingResponse:
        """Renders a recipe in the background for existing tracks whose file is missing, failed, or was made with other settings.

        The tracks stay playable. A rendering of the same recipe that is in progress starts over.
        """
        answer: types.ReadRenderingResponse = self._call(
            "POST",
            f"/v1/variant/{quote(variant_id)}/rendering",
            idempotency_key=idempotency_key,
        )
        return answer

    def list_webhooks(self) -> types.ListWebhooksResponse:
        """Lists the webhooks of the organization, without their secrets: at most one of each kind."""
        answer: types.ListWebhooksResponse = self._call(
            "GET",
            "/v1/webhook",
        )
        return answer

    def create_webhook(
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
        answer: types.CreateWebhookResponse = self._call(
            "POST",
            "/v1/webhook",
            body={"kind": kind, "url": url},
            idempotency_key=idempotency_key,
        )
        return answer

    def read_webhook(
        self,
        webhook_id: types.WebhookId,
    ) -> types.ReadWebhookResponse:
        """Returns a webhook, without its secret."""
        answer: types.ReadWebhookResponse = self._call(
            "GET",
            f"/v1/webhook/{quote(webhook_id)}",
        )
        return answer

    def update_webhook(
        self,
        webhook_id: types.WebhookId,
        *,
        url: str,
    ) -> types.ReadWebhookResponse:
        """Changes the URL of a webhook, also for events that are already queued.

        The webhook keeps its kind and its secret, and is no longer paused.
        """
        answer: types.ReadWebhookResponse = self._call(
            "PUT",
            f"/v1/webhook/{quote(webhook_id)}",
            body={"url": url},
        )
        return answer

    def delete_webhook(
        self,
        webhook_id: types.WebhookId,
    ) -> types.DeleteWebhookResponse:
        """Removes a webhook with all its deliveries."""
        answer: types.DeleteWebhookResponse = self._call(
            "DELETE",
            f"/v1/webhook/{quote(webhook_id)}",
        )
        return answer

    def list_webhook_deliveries(
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
        answer: types.ListWebhookDeliveriesResponse = self._call(
            "GET",
            f"/v1/webhook/{quote(webhook_id)}/delivery",
            query={"state": state, "limit": limit, "cursor": cursor},
        )
        return answer

    def list_all_webhook_deliveries(
        self,
        webhook_id: types.WebhookId,
        *,
        state: Optional[types.DeliveryState] = None,
        limit: Optional[int] = None,
    ) -> Iterator[types.DeliveryRecord]:
        """Yields the items of all pages of `list_webhook_deliveries`."""
        return self._pages(
            self.list_webhook_deliveries,
            "deliveries",
            "cursor",
            webhook_id,
            state=state,
            limit=limit,
        )

    def read_webhook_delivery(
        self,
        webhook_id: types.WebhookId,
        delivery_id: types.WebhookDeliveryId,
    ) -> types.ReadWebhookDeliveryResponse:
        """Returns a delivery with its payload and its last attempts."""
        answer: types.ReadWebhookDeliveryResponse = self._call(
            "GET",
            f"/v1/webhook/{quote(webhook_id)}/delivery/{quote(delivery_id)}",
        )
        return answer

    def replay_webhook_delivery(
        self,
        webhook_id: types.WebhookId,
        delivery_id: types.WebhookDeliveryId,
        *,
        idempotency_key: Optional[str] = None,
    ) -> types.ReplayWebhookDeliveryResponse:
        """Sends an event again, whatever its state, under the same `webhook-id`."""
        answer: types.ReplayWebhookDeliveryResponse = self._call(
            "POST",
            f"/v1/webhook/{quote(webhook_id)}/delivery/{quote(delivery_id)}/replay",
            idempotency_key=idempotency_key,
        )
        return answer

    def replay_failed_webhook_deliveries(
        self,
        webhook_id: types.WebhookId,
        *,
        idempotency_key: Optional[str] = None,
    ) -> types.ReplayFailedWebhookDeliveriesResponse:
        """Resends all events whose delivery to a webhook failed."""
        answer: types.ReplayFailedWebhookDeliveriesResponse = self._call(
            "POST",
            f"/v1/webhook/{quote(webhook_id)}/replay_failed",
            idempotency_key=idempotency_key,
        )
        return answer

    def rotate_webhook_secret(
        self,
        webhook_id: types.WebhookId,
        *,
        idempotency_key: Optional[str] = None,
    ) -> types.CreateWebhookResponse:
        """Rotates the secret of a webhook. The new one is returned only once; events are also signed with the previous one for a day."""
        answer: types.CreateWebhookResponse = self._call(
            "POST",
            f"/v1/webhook/{quote(webhook_id)}/rotate_secret",
            idempotency_key=idempotency_key,
        )
        return answer

    def test_webhook(
        self,
        webhook_id: types.WebhookId,
        *,
        idempotency_key: Optional[str] = None,
    ) -> types.ReplayWebhookDeliveryResponse:
        """Sends the event `webhook.test` to a webhook immediately, even if it is paused."""
        answer: types.ReplayWebhookDeliveryResponse = self._call(
            "POST",
            f"/v1/webhook/{quote(webhook_id)}/test",
            idempotency_key=idempotency_key,
        )
        return answer

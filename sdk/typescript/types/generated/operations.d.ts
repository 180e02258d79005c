/** Every operation of the interface, as a method. */
export class Operations extends Transport {
    /**
     * Lists the keys of the organization, including revoked and expired ones, oldest first.
     *
     * The keys themselves are never returned.
     *
     * @param {T.ListApiKeysQuery} [query]
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ListApiKeysResponse>}
     */
    listApiKeys(query?: T.ListApiKeysQuery, options?: RequestOptions): Promise<T.ListApiKeysResponse>;
    /**
     * Yields the items of all pages of `listApiKeys`.
     *
     * @param {T.ListApiKeysQuery} [query]
     * @param {RequestOptions} [options]
     * @returns {AsyncGenerator<T.KeyRecord, void, undefined>}
     */
    listAllApiKeys(query?: T.ListApiKeysQuery, options?: RequestOptions): AsyncGenerator<T.KeyRecord, void, undefined>;
    /**
     * Creates a key of type `player`, `uploader` or `share`. The full key is returned only once.
     *
     * @param {T.CreateApiKeyBody} body
     * @param {RequestOptions} [options]
     * @returns {Promise<T.CreateApiKeyResponse>}
     */
    createApiKey(body: T.CreateApiKeyBody, options?: RequestOptions): Promise<T.CreateApiKeyResponse>;
    /**
     * Returns a key's record, without the key itself.
     *
     * @param {T.ApiKeyId} apiKeyId
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ReadApiKeyResponse>}
     */
    readApiKey(apiKeyId: T.ApiKeyId, options?: RequestOptions): Promise<T.ReadApiKeyResponse>;
    /**
     * Updates the title, the expiry and the permissions of a key.
     *
     * A key can only receive permissions that the calling key has itself. Those of a key of type `api` can only be reduced. You can
     * send back a whole record as it was returned.
     *
     * @param {T.ApiKeyId} apiKeyId
     * @param {T.UpdateApiKeyBody} [body]
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ReadApiKeyResponse>}
     */
    updateApiKey(apiKeyId: T.ApiKeyId, body?: T.UpdateApiKeyBody, options?: RequestOptions): Promise<T.ReadApiKeyResponse>;
    /**
     * Revokes a key. It stops working within two seconds on all nodes, and so do the play sessions and upload sessions that it
     * opened.
     *
     * Its record is kept. Keys of type `api` can also be revoked, and each of them can revoke itself, even if it is limited to a
     * collection or a track.
     *
     * With `revoke_made`, the keys, signing keys, webhooks and credentials for buckets that it made are revoked or removed, too. This
     * can also be requested later, for a key that is already revoked.
     *
     * @param {T.ApiKeyId} apiKeyId
     * @param {T.RevokeApiKeyQuery} [query]
     * @param {RequestOptions} [options]
     * @returns {Promise<T.RevokeApiKeyResponse>}
     */
    revokeApiKey(apiKeyId: T.ApiKeyId, query?: T.RevokeApiKeyQuery, options?: RequestOptions): Promise<T.RevokeApiKeyResponse>;
    /**
     * Lists the collections that the key can access.
     *
     * @param {T.ListCollectionsQuery} [query]
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ListCollectionsResponse>}
     */
    listCollections(query?: T.ListCollectionsQuery, options?: RequestOptions): Promise<T.ListCollectionsResponse>;
    /**
     * Yields the items of all pages of `listCollections`.
     *
     * @param {T.ListCollectionsQuery} [query]
     * @param {RequestOptions} [options]
     * @returns {AsyncGenerator<T.CollectionRecord, void, undefined>}
     */
    listAllCollections(query?: T.ListCollectionsQuery, options?: RequestOptions): AsyncGenerator<T.CollectionRecord, void, undefined>;
    /**
     * Creates a collection and returns a URL for uploading its cover.
     *
     * @param {T.CreateCollectionBody} body
     * @param {RequestOptions} [options]
     * @returns {Promise<T.CreateCollectionResponse>}
     */
    createCollection(body: T.CreateCollectionBody, options?: RequestOptions): Promise<T.CreateCollectionResponse>;
    /**
     * Returns a collection.
     *
     * @param {T.CollectionId} collectionId
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ReadCollectionResponse>}
     */
    readCollection(collectionId: T.CollectionId, options?: RequestOptions): Promise<T.ReadCollectionResponse>;
    /**
     * Updates the given fields of a collection.
     *
     * You can send back a whole record as it was returned: derived colours in it are not saved as if you had set them.
     *
     * @param {T.CollectionId} collectionId
     * @param {T.UpdateCollectionBody} [body]
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ReadCollectionResponse>}
     */
    updateCollection(collectionId: T.CollectionId, body?: T.UpdateCollectionBody, options?: RequestOptions): Promise<T.ReadCollectionResponse>;
    /**
     * Deletes a collection with its tracks.
     *
     * Their files are removed in the background.
     *
     * @param {T.CollectionId} collectionId
     * @param {RequestOptions} [options]
     * @returns {Promise<T.DeleteCollectionResponse>}
     */
    deleteCollection(collectionId: T.CollectionId, options?: RequestOptions): Promise<T.DeleteCollectionResponse>;
    /**
     * Returns a new URL for uploading the collection's cover.
     *
     * @param {T.CollectionId} collectionId
     * @param {RequestOptions} [options]
     * @returns {Promise<T.RenewCollectionCoverUploadResponse>}
     */
    renewCollectionCoverUpload(collectionId: T.CollectionId, options?: RequestOptions): Promise<T.RenewCollectionCoverUploadResponse>;
    /**
     * Removes the cover of a collection. Its tracks then show that of the organization, or their own.
     *
     * @param {T.CollectionId} collectionId
     * @param {RequestOptions} [options]
     * @returns {Promise<T.RemoveCollectionCoverResponse>}
     */
    removeCollectionCover(collectionId: T.CollectionId, options?: RequestOptions): Promise<T.RemoveCollectionCoverResponse>;
    /**
     * Sorts tracks of a collection.
     *
     * The tracks exchange their values of `order` among themselves; tracks that are not named keep theirs. To sort a whole
     * collection, name all its tracks. To sort more than 1,000 tracks, send several requests.
     *
     * @param {T.CollectionId} collectionId
     * @param {T.OrderCollectionBody} body
     * @param {RequestOptions} [options]
     * @returns {Promise<T.OrderCollectionResponse>}
     */
    orderCollection(collectionId: T.CollectionId, body: T.OrderCollectionBody, options?: RequestOptions): Promise<T.OrderCollectionResponse>;
    /**
     * Lists the tracks of a collection, in order.
     *
     * To search, filter or sort them, use `GET /v1/track` with `collection_id`.
     *
     * @param {T.CollectionId} collectionId
     * @param {T.ListTracksQuery} [query]
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ListTracksResponse>}
     */
    listTracks(collectionId: T.CollectionId, query?: T.ListTracksQuery, options?: RequestOptions): Promise<T.ListTracksResponse>;
    /**
     * Yields the items of all pages of `listTracks`.
     *
     * @param {T.CollectionId} collectionId
     * @param {T.ListTracksQuery} [query]
     * @param {RequestOptions} [options]
     * @returns {AsyncGenerator<T.ReducedTrack, void, undefined>}
     */
    listAllTracks(collectionId: T.CollectionId, query?: T.ListTracksQuery, options?: RequestOptions): AsyncGenerator<T.ReducedTrack, void, undefined>;
    /**
     * Lists the creators that the key can access.
     *
     * @param {T.ListCreatorsQuery} [query]
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ListCreatorsResponse>}
     */
    listCreators(query?: T.ListCreatorsQuery, options?: RequestOptions): Promise<T.ListCreatorsResponse>;
    /**
     * Yields the items of all pages of `listCreators`.
     *
     * @param {T.ListCreatorsQuery} [query]
     * @param {RequestOptions} [options]
     * @returns {AsyncGenerator<T.CreatorRecord, void, undefined>}
     */
    listAllCreators(query?: T.ListCreatorsQuery, options?: RequestOptions): AsyncGenerator<T.CreatorRecord, void, undefined>;
    /**
     * Creates a creator.
     *
     * @param {T.CreateCreatorBody} body
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ReadCreatorResponse>}
     */
    createCreator(body: T.CreateCreatorBody, options?: RequestOptions): Promise<T.ReadCreatorResponse>;
    /**
     * Returns a creator.
     *
     * @param {T.CreatorId} creatorId
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ReadCreatorResponse>}
     */
    readCreator(creatorId: T.CreatorId, options?: RequestOptions): Promise<T.ReadCreatorResponse>;
    /**
     * Updates the given fields of a creator.
     *
     * @param {T.CreatorId} creatorId
     * @param {T.UpdateCreatorBody} [body]
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ReadCreatorResponse>}
     */
    updateCreator(creatorId: T.CreatorId, body?: T.UpdateCreatorBody, options?: RequestOptions): Promise<T.ReadCreatorResponse>;
    /**
     * Deletes a creator. The tracks and collections of the creator are kept.
     *
     * @param {T.CreatorId} creatorId
     * @param {RequestOptions} [options]
     * @returns {Promise<T.DeleteCreatorResponse>}
     */
    deleteCreator(creatorId: T.CreatorId, options?: RequestOptions): Promise<T.DeleteCreatorResponse>;
    /**
     * Lists the buckets that the organization has credentials for, by name, without their secrets.
     *
     * @param {T.ListImportBucketsQuery} [query]
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ListImportBucketsResponse>}
     */
    listImportBuckets(query?: T.ListImportBucketsQuery, options?: RequestOptions): Promise<T.ListImportBucketsResponse>;
    /**
     * Yields the items of all pages of `listImportBuckets`.
     *
     * @param {T.ListImportBucketsQuery} [query]
     * @param {RequestOptions} [options]
     * @returns {AsyncGenerator<T.ImportBucketRecord, void, undefined>}
     */
    listAllImportBuckets(query?: T.ListImportBucketsQuery, options?: RequestOptions): AsyncGenerator<T.ImportBucketRecord, void, undefined>;
    /**
     * Sets the credentials with which files are imported from a bucket, in place of those that are stored.
     *
     * All fields are replaced. An organization can have credentials for up to 100 buckets. They are not tried; an import whose
     * credentials are refused fails with a reason.
     *
     * @param {T.BucketName} bucket The name of the bucket.
     * @param {T.SetImportBucketBody} body
     * @param {RequestOptions} [options]
     * @returns {Promise<T.SetImportBucketResponse>}
     */
    setImportBucket(bucket: T.BucketName, body: T.SetImportBucketBody, options?: RequestOptions): Promise<T.SetImportBucketResponse>;
    /**
     * Removes the credentials for a bucket. Queued imports from it fail when they are attempted.
     *
     * @param {T.BucketName} bucket The name of the bucket.
     * @param {RequestOptions} [options]
     * @returns {Promise<T.DeleteImportBucketResponse>}
     */
    deleteImportBucket(bucket: T.BucketName, options?: RequestOptions): Promise<T.DeleteImportBucketResponse>;
    /**
     * Returns the status of a background job.
     *
     * A job whose `job_id` was returned can be read until a week after it was queued, even if it has ended.
     *
     * @param {T.JobId} jobId
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ReadJobResponse>}
     */
    readJob(jobId: T.JobId, options?: RequestOptions): Promise<T.ReadJobResponse>;
    /**
     * Returns the listens of everything that the key can access, by day, track, collection, share link, site or country.
     *
     * @param {T.ReadListensQuery} [query]
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ReadListensResponse>}
     */
    readListens(query?: T.ReadListensQuery, options?: RequestOptions): Promise<T.ReadListensResponse>;
    /**
     * Yields the items of all pages of `readListens`.
     *
     * @param {T.ReadListensQuery} [query]
     * @param {RequestOptions} [options]
     * @returns {AsyncGenerator<T.ListenRecord, void, undefined>}
     */
    readAllListens(query?: T.ReadListensQuery, options?: RequestOptions): AsyncGenerator<T.ListenRecord, void, undefined>;
    /**
     * Returns the organization of the key.
     *
     * @param {T.OrganizationId} organizationId
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ReadOrganizationResponse>}
     */
    readOrganization(organizationId: T.OrganizationId, options?: RequestOptions): Promise<T.ReadOrganizationResponse>;
    /**
     * Updates the given fields of the organization.
     *
     * You can send back a whole record as it was returned: derived colours in it are not saved as if you had set them.
     *
     * @param {T.OrganizationId} organizationId
     * @param {T.UpdateOrganizationBody} [body]
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ReadOrganizationResponse>}
     */
    updateOrganization(organizationId: T.OrganizationId, body?: T.UpdateOrganizationBody, options?: RequestOptions): Promise<T.ReadOrganizationResponse>;
    /**
     * Removes the cover of the organization.
     *
     * @param {T.OrganizationId} organizationId
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ReadOrganizationResponse>}
     */
    removeOrganizationCover(organizationId: T.OrganizationId, options?: RequestOptions): Promise<T.ReadOrganizationResponse>;
    /**
     * Returns titles and lengths of some tracks of a session, for a list of them. Nothing is counted.
     *
     * @param {T.PlaySessionId} playSessionId
     * @param {T.DescribeTracksQuery} query
     * @param {RequestOptions} [options]
     * @returns {Promise<T.DescribeTracksResponse>}
     */
    describeTracks(playSessionId: T.PlaySessionId, query: T.DescribeTracksQuery, options?: RequestOptions): Promise<T.DescribeTracksResponse>;
    /**
     * Returns everything needed to play one track of a session.
     *
     * @param {T.PlaySessionId} playSessionId
     * @param {T.TrackId} playTrackId
     * @param {RequestOptions} [options]
     * @returns {Promise<T.PlayTrackResponse>}
     */
    playTrack(playSessionId: T.PlaySessionId, playTrackId: T.TrackId, options?: RequestOptions): Promise<T.PlayTrackResponse>;
    /**
     * Returns the transcript of a track of a session as WebVTT, for `<track kind="captions">`. The times are those of the audio in
     * the session: if it has only a preview, they are counted from the start of the preview. Without a transcript, there are no
     * cues.
     *
     * @param {T.PlaySessionId} playSessionId
     * @param {T.TrackId} playTrackId
     * @param {RequestOptions} [options]
     * @returns {Promise<string>}
     */
    trackCaptions(playSessionId: T.PlaySessionId, playTrackId: T.TrackId, options?: RequestOptions): Promise<string>;
    /**
     * Returns a URL that browsers save as a file, valid for 30 seconds.
     *
     * @param {T.PlaySessionId} playSessionId
     * @param {T.TrackId} playTrackId
     * @param {string} variantIndex
     * @param {RequestOptions} [options]
     * @returns {Promise<T.DownloadTrackResponse>}
     */
    downloadTrack(playSessionId: T.PlaySessionId, playTrackId: T.TrackId, variantIndex: string, options?: RequestOptions): Promise<T.DownloadTrackResponse>;
    /**
     * Lists the play sessions that are valid now, the newest first. Their ids are credentials and are not shown.
     *
     * @param {T.ListPlaySessionsQuery} [query]
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ListPlaySessionsResponse>}
     */
    listPlaySessions(query?: T.ListPlaySessionsQuery, options?: RequestOptions): Promise<T.ListPlaySessionsResponse>;
    /**
     * Yields the items of all pages of `listPlaySessions`.
     *
     * @param {T.ListPlaySessionsQuery} [query]
     * @param {RequestOptions} [options]
     * @returns {AsyncGenerator<T.ListedPlaySession, void, undefined>}
     */
    listAllPlaySessions(query?: T.ListPlaySessionsQuery, options?: RequestOptions): AsyncGenerator<T.ListedPlaySession, void, undefined>;
    /**
     * Returns a play session with its tracks. Requires a key, unless the server sets `api.public_play_sessions`.
     *
     * @param {T.PlaySessionId} playSessionId
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ReadPlaySessionResponse>}
     */
    readPlaySession(playSessionId: T.PlaySessionId, options?: RequestOptions): Promise<T.ReadPlaySessionResponse>;
    /**
     * Ends a play session before it expires, by its id or by the `handle` from the list. It stops working within two seconds
     * on all nodes. Signed URLs that it handed out stay valid until they expire.
     *
     * @param {T.PlaySessionId} playSessionId The id or the handle of the session.
     * @param {RequestOptions} [options]
     * @returns {Promise<T.EndPlaySessionResponse>}
     */
    endPlaySession(playSessionId: T.PlaySessionId, options?: RequestOptions): Promise<T.EndPlaySessionResponse>;
    /**
     * Creates a play session for a collection or a track and returns everything needed to play its first track.
     *
     * @param {"collection" | "track"} scope `collection` or `track`. `playlist` is reserved and returns 400.
     * @param {T.CreatePlaySessionBody} body
     * @param {RequestOptions} [options]
     * @returns {Promise<T.CreatePlaySessionResponse>}
     */
    createPlaySession(scope: "collection" | "track", body: T.CreatePlaySessionBody, options?: RequestOptions): Promise<T.CreatePlaySessionResponse>;
    /**
     * Returns the quotas of the organization and what is used of each. They are set by the operator, on the command line.
     *
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ReadQuotaResponse>}
     */
    readQuota(options?: RequestOptions): Promise<T.ReadQuotaResponse>;
    /**
     * Lists the signing keys of the organization, including revoked ones, oldest first. Secrets are not returned.
     *
     * @param {T.ListSigningKeysQuery} [query]
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ListSigningKeysResponse>}
     */
    listSigningKeys(query?: T.ListSigningKeysQuery, options?: RequestOptions): Promise<T.ListSigningKeysResponse>;
    /**
     * Yields the items of all pages of `listSigningKeys`.
     *
     * @param {T.ListSigningKeysQuery} [query]
     * @param {RequestOptions} [options]
     * @returns {AsyncGenerator<T.SigningKeyRecord, void, undefined>}
     */
    listAllSigningKeys(query?: T.ListSigningKeysQuery, options?: RequestOptions): AsyncGenerator<T.SigningKeyRecord, void, undefined>;
    /**
     * Creates a key with which your own backend signs delivery URLs. Its secret is returned only once.
     *
     * Anyone who has the secret can sign URLs of all files of the organization. It can take up to ten seconds until the key
     * works on all nodes.
     *
     * @param {T.CreateSigningKeyBody} [body]
     * @param {RequestOptions} [options]
     * @returns {Promise<T.CreateSigningKeyResponse>}
     */
    createSigningKey(body?: T.CreateSigningKeyBody, options?: RequestOptions): Promise<T.CreateSigningKeyResponse>;
    /**
     * Returns a signing key's record, without its secret.
     *
     * @param {T.ShortId} signingKeyId
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ReadSigningKeyResponse>}
     */
    readSigningKey(signingKeyId: T.ShortId, options?: RequestOptions): Promise<T.ReadSigningKeyResponse>;
    /**
     * Revokes a signing key.
     *
     * URLs that it signed are refused within two seconds on nodes with a database, and within 30 seconds on others. Its record
     * is kept.
     *
     * @param {T.ShortId} signingKeyId
     * @param {RequestOptions} [options]
     * @returns {Promise<T.RevokeSigningKeyResponse>}
     */
    revokeSigningKey(signingKeyId: T.ShortId, options?: RequestOptions): Promise<T.RevokeSigningKeyResponse>;
    /**
     * Lists and searches the tracks that the key can access, in all collections.
     *
     * All conditions must be met. Read page by page until `next_cursor` is null: if the conditions are met by few of very many
     * tracks, a page may have fewer results than `limit`, or none, and not be the last.
     *
     * @param {T.FindTracksQuery} [query]
     * @param {RequestOptions} [options]
     * @returns {Promise<T.FindTracksResponse>}
     */
    findTracks(query?: T.FindTracksQuery, options?: RequestOptions): Promise<T.FindTracksResponse>;
    /**
     * Yields the items of all pages of `findTracks`.
     *
     * @param {T.FindTracksQuery} [query]
     * @param {RequestOptions} [options]
     * @returns {AsyncGenerator<T.FoundRecord, void, undefined>}
     */
    findAllTracks(query?: T.FindTracksQuery, options?: RequestOptions): AsyncGenerator<T.FoundRecord, void, undefined>;
    /**
     * Creates a track and returns URLs for uploading its file and its cover. With `source_url`, the file is imported in the
     * background; if a file is uploaded to the upload URL first, that file is used.
     *
     * @param {T.CreateTrackBody} body
     * @param {RequestOptions} [options]
     * @returns {Promise<T.CreateTrackResponse>}
     */
    createTrack(body: T.CreateTrackBody, options?: RequestOptions): Promise<T.CreateTrackResponse>;
    /**
     * Returns the full record of a track.
     *
     * @param {T.TrackId} trackId
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ReadTrackResponse>}
     */
    readTrack(trackId: T.TrackId, options?: RequestOptions): Promise<T.ReadTrackResponse>;
    /**
     * Updates the given fields of a track.
     *
     * You can send back a whole record as it was returned, also by a list: derived colours and texts in it are not saved as if
     * you had set them. What is not among the fields below, such as `transcription`, is ignored.
     *
     * With another `collection_id`, the track is moved. Its id, its files, and the share links and keys for this one track remain
     * valid. A key that is limited to a collection cannot move tracks.
     *
     * @param {T.TrackId} trackId
     * @param {T.UpdateTrackBody} [body]
     * @param {RequestOptions} [options]
     * @returns {Promise<T.UpdateTrackResponse>}
     */
    updateTrack(trackId: T.TrackId, body?: T.UpdateTrackBody, options?: RequestOptions): Promise<T.UpdateTrackResponse>;
    /**
     * Deletes a track with its files and variants.
     *
     * The files are removed in the background.
     *
     * @param {T.TrackId} trackId
     * @param {RequestOptions} [options]
     * @returns {Promise<T.DeleteTrackResponse>}
     */
    deleteTrack(trackId: T.TrackId, options?: RequestOptions): Promise<T.DeleteTrackResponse>;
    /**
     * Returns a new URL for uploading the track's cover.
     *
     * @param {T.TrackId} trackId
     * @param {RequestOptions} [options]
     * @returns {Promise<T.RenewTrackCoverUploadResponse>}
     */
    renewTrackCoverUpload(trackId: T.TrackId, options?: RequestOptions): Promise<T.RenewTrackCoverUploadResponse>;
    /**
     * Removes the uploaded cover of a track. The art in its file, or a drawn cover, then takes its place.
     *
     * @param {T.TrackId} trackId
     * @param {RequestOptions} [options]
     * @returns {Promise<T.RemoveTrackCoverResponse>}
     */
    removeTrackCover(trackId: T.TrackId, options?: RequestOptions): Promise<T.RemoveTrackCoverResponse>;
    /**
     * Returns how far the processing of a track is.
     *
     * With `Accept: text/event-stream`, the response is a stream of server-sent events: `progress`, with the progress as JSON, at
     * the beginning and after each change. The stream ends after the final status, or after half an hour; if it ends
     * earlier, request it again. An event `error` with `code` and `message` says why a stream ended early.
     *
     * @param {T.TrackId} trackId
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ReadTrackProgressResponse>}
     */
    readTrackProgress(trackId: T.TrackId, options?: RequestOptions): Promise<T.ReadTrackProgressResponse>;
    /**
     * Processes a track again.
     *
     * Possible in every final status, if the track has a source file. Finished variants are kept; all failed and missing
     * variants are made, or only `variant`.
     *
     * @param {T.TrackId} trackId
     * @param {T.RetryTrackQuery} [query]
     * @param {RequestOptions} [options]
     * @returns {Promise<T.RetryTrackResponse>}
     */
    retryTrack(trackId: T.TrackId, query?: T.RetryTrackQuery, options?: RequestOptions): Promise<T.RetryTrackResponse>;
    /**
     * Returns the last replacement of the file of a track, for two weeks.
     *
     * @param {T.TrackId} trackId
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ReadTrackSourceReplacementResponse>}
     */
    readTrackSourceReplacement(trackId: T.TrackId, options?: RequestOptions): Promise<T.ReadTrackSourceReplacementResponse>;
    /**
     * Returns a URL for uploading a new file for a track that has one.
     *
     * The track keeps its id, links and settings. Players get the old files until all new ones are made, then only new ones. If the
     * new file cannot be processed, the track keeps the old one. Old files are removed a day after they were replaced.
     *
     * @param {T.TrackId} trackId
     * @param {T.ReplaceTrackSourceBody} [body]
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ReplaceTrackSourceResponse>}
     */
    replaceTrackSource(trackId: T.TrackId, body?: T.ReplaceTrackSourceBody, options?: RequestOptions): Promise<T.ReplaceTrackSourceResponse>;
    /**
     * Cancels the replacement of the file of a track, which keeps the file that it has. The upload URL becomes invalid.
     *
     * @param {T.TrackId} trackId
     * @param {RequestOptions} [options]
     * @returns {Promise<T.CancelTrackSourceReplacementResponse>}
     */
    cancelTrackSourceReplacement(trackId: T.TrackId, options?: RequestOptions): Promise<T.CancelTrackSourceReplacementResponse>;
    /**
     * Puts the file back that a track had before a completed replacement. This is a replacement, too: players get the current
     * files until all have been made from the former one, and it can be undone itself.
     *
     * @param {T.TrackId} trackId
     * @param {T.UndoTrackSourceReplacementBody} body
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ReadTrackSourceReplacementResponse>}
     */
    undoTrackSourceReplacement(trackId: T.TrackId, body: T.UndoTrackSourceReplacementBody, options?: RequestOptions): Promise<T.ReadTrackSourceReplacementResponse>;
    /**
     * Adds a variant to a track and queues its rendering.
     *
     * @param {T.TrackId} trackId
     * @param {T.AddTrackVariantBody} body
     * @param {RequestOptions} [options]
     * @returns {Promise<T.AddTrackVariantResponse>}
     */
    addTrackVariant(trackId: T.TrackId, body: T.AddTrackVariantBody, options?: RequestOptions): Promise<T.AddTrackVariantResponse>;
    /**
     * Creates a track in an upload session. The session's id is the credential.
     *
     * @param {T.UploadSessionId} uploadSessionId
     * @param {T.CreateUploadSessionTrackBody} body
     * @param {RequestOptions} [options]
     * @returns {Promise<T.CreateUploadSessionTrackResponse>}
     */
    createUploadSessionTrack(uploadSessionId: T.UploadSessionId, body: T.CreateUploadSessionTrackBody, options?: RequestOptions): Promise<T.CreateUploadSessionTrackResponse>;
    /**
     * Lists the upload sessions that are valid now, the newest first. Their ids are credentials and are not shown.
     *
     * @param {T.ListUploadSessionsQuery} [query]
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ListUploadSessionsResponse>}
     */
    listUploadSessions(query?: T.ListUploadSessionsQuery, options?: RequestOptions): Promise<T.ListUploadSessionsResponse>;
    /**
     * Yields the items of all pages of `listUploadSessions`.
     *
     * @param {T.ListUploadSessionsQuery} [query]
     * @param {RequestOptions} [options]
     * @returns {AsyncGenerator<T.ListedUploadSession, void, undefined>}
     */
    listAllUploadSessions(query?: T.ListUploadSessionsQuery, options?: RequestOptions): AsyncGenerator<T.ListedUploadSession, void, undefined>;
    /**
     * Creates an upload session, and a first track in it if the request contains one.
     *
     * @param {T.CreateUploadSessionBody} [body]
     * @param {RequestOptions} [options]
     * @returns {Promise<T.CreateUploadSessionResponse>}
     */
    createUploadSession(body?: T.CreateUploadSessionBody, options?: RequestOptions): Promise<T.CreateUploadSessionResponse>;
    /**
     * Returns an upload session. Its id is the credential.
     *
     * @param {T.UploadSessionId} uploadSessionId
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ReadUploadSessionResponse>}
     */
    readUploadSession(uploadSessionId: T.UploadSessionId, options?: RequestOptions): Promise<T.ReadUploadSessionResponse>;
    /**
     * Ends an upload session before it expires, by its id or by the `handle` from the list. It stops working within two seconds
     * on all nodes. Upload URLs that it handed out stay valid until they expire.
     *
     * @param {T.UploadSessionId} uploadSessionId The id or the handle of the session.
     * @param {RequestOptions} [options]
     * @returns {Promise<T.EndUploadSessionResponse>}
     */
    endUploadSession(uploadSessionId: T.UploadSessionId, options?: RequestOptions): Promise<T.EndUploadSessionResponse>;
    /**
     * Returns the usage of everything that the key can access, by day, track or variant.
     *
     * @param {T.ReadUsageQuery} [query]
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ReadUsageResponse>}
     */
    readUsage(query?: T.ReadUsageQuery, options?: RequestOptions): Promise<T.ReadUsageResponse>;
    /**
     * Yields the items of all pages of `readUsage`.
     *
     * @param {T.ReadUsageQuery} [query]
     * @param {RequestOptions} [options]
     * @returns {AsyncGenerator<T.UsageRecord, void, undefined>}
     */
    readAllUsage(query?: T.ReadUsageQuery, options?: RequestOptions): AsyncGenerator<T.UsageRecord, void, undefined>;
    /**
     * Lists the recipes of the organization, in order.
     *
     * @param {T.ListVariantsQuery} [query]
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ListVariantsResponse>}
     */
    listVariants(query?: T.ListVariantsQuery, options?: RequestOptions): Promise<T.ListVariantsResponse>;
    /**
     * Yields the items of all pages of `listVariants`.
     *
     * @param {T.ListVariantsQuery} [query]
     * @param {RequestOptions} [options]
     * @returns {AsyncGenerator<T.VariantRecord, void, undefined>}
     */
    listAllVariants(query?: T.ListVariantsQuery, options?: RequestOptions): AsyncGenerator<T.VariantRecord, void, undefined>;
    /**
     * Creates a recipe for all tracks that are uploaded from now on.
     *
     * `POST /v1/variant/{variant_id}/rendering` also renders it for existing tracks.
     *
     * @param {T.CreateVariantBody} body
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ReadVariantResponse>}
     */
    createVariant(body: T.CreateVariantBody, options?: RequestOptions): Promise<T.ReadVariantResponse>;
    /**
     * Sets the order of the organization's recipes. Variants are listed and, as far as possible, rendered in this order.
     *
     * @param {T.OrderVariantsBody} body
     * @param {RequestOptions} [options]
     * @returns {Promise<T.OrderVariantsResponse>}
     */
    orderVariants(body: T.OrderVariantsBody, options?: RequestOptions): Promise<T.OrderVariantsResponse>;
    /**
     * Returns a recipe of the organization or of a track.
     *
     * @param {T.VariantId} variantId
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ReadVariantResponse>}
     */
    readVariant(variantId: T.VariantId, options?: RequestOptions): Promise<T.ReadVariantResponse>;
    /**
     * Updates the given fields of a recipe of the organization.
     *
     * Files that were made before stay as they are until the recipe is rendered for existing tracks. `cache` applies
     * immediately. You can send back a whole record as it was returned.
     *
     * @param {T.VariantId} variantId
     * @param {T.UpdateVariantBody} [body]
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ReadVariantResponse>}
     */
    updateVariant(variantId: T.VariantId, body?: T.UpdateVariantBody, options?: RequestOptions): Promise<T.ReadVariantResponse>;
    /**
     * Removes a recipe of the organization with its files.
     *
     * This takes effect immediately: the name is free, and players no longer find the files, which are removed in the
     * background. Keys no longer list the variant.
     *
     * @param {T.VariantId} variantId
     * @param {RequestOptions} [options]
     * @returns {Promise<T.DeleteVariantResponse>}
     */
    deleteVariant(variantId: T.VariantId, options?: RequestOptions): Promise<T.DeleteVariantResponse>;
    /**
     * Returns the progress of the latest rendering of a recipe for existing tracks.
     *
     * If there was none, the response is 404 with the code `rendering_not_found`.
     *
     * @param {T.VariantId} variantId
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ReadRenderingResponse>}
     */
    readRendering(variantId: T.VariantId, options?: RequestOptions): Promise<T.ReadRenderingResponse>;
    /**
     * Renders a recipe in the background for existing tracks whose file is missing, failed, or was made with other settings.
     *
     * The tracks stay playable. A rendering of the same recipe that is in progress starts over.
     *
     * @param {T.VariantId} variantId
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ReadRenderingResponse>}
     */
    createRendering(variantId: T.VariantId, options?: RequestOptions): Promise<T.ReadRenderingResponse>;
    /**
     * Lists the webhooks of the organization, without their secrets: at most one of each kind.
     *
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ListWebhooksResponse>}
     */
    listWebhooks(options?: RequestOptions): Promise<T.ListWebhooksResponse>;
    /**
     * Creates a webhook. Its secret is returned only once.
     *
     * An organization has at most one webhook of each kind. The URL of the one of kind `track` is also the organization's
     * `webhook_url`.
     *
     * @param {T.CreateWebhookBody} body
     * @param {RequestOptions} [options]
     * @returns {Promise<T.CreateWebhookResponse>}
     */
    createWebhook(body: T.CreateWebhookBody, options?: RequestOptions): Promise<T.CreateWebhookResponse>;
    /**
     * Returns a webhook, without its secret.
     *
     * @param {T.WebhookId} webhookId
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ReadWebhookResponse>}
     */
    readWebhook(webhookId: T.WebhookId, options?: RequestOptions): Promise<T.ReadWebhookResponse>;
    /**
     * Changes the URL of a webhook, also for events that are already queued.
     *
     * The webhook keeps its kind and its secret, and is no longer paused.
     *
     * @param {T.WebhookId} webhookId
     * @param {T.UpdateWebhookBody} body
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ReadWebhookResponse>}
     */
    updateWebhook(webhookId: T.WebhookId, body: T.UpdateWebhookBody, options?: RequestOptions): Promise<T.ReadWebhookResponse>;
    /**
     * Removes a webhook with all its deliveries.
     *
     * @param {T.WebhookId} webhookId
     * @param {RequestOptions} [options]
     * @returns {Promise<T.DeleteWebhookResponse>}
     */
    deleteWebhook(webhookId: T.WebhookId, options?: RequestOptions): Promise<T.DeleteWebhookResponse>;
    /**
     * Lists the deliveries to a webhook, the latest first.
     *
     * Deliveries are kept for 14 days after they end, unless the operator has chosen another time.
     *
     * @param {T.WebhookId} webhookId
     * @param {T.ListWebhookDeliveriesQuery} [query]
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ListWebhookDeliveriesResponse>}
     */
    listWebhookDeliveries(webhookId: T.WebhookId, query?: T.ListWebhookDeliveriesQuery, options?: RequestOptions): Promise<T.ListWebhookDeliveriesResponse>;
    /**
     * Yields the items of all pages of `listWebhookDeliveries`.
     *
     * @param {T.WebhookId} webhookId
     * @param {T.ListWebhookDeliveriesQuery} [query]
     * @param {RequestOptions} [options]
     * @returns {AsyncGenerator<T.DeliveryRecord, void, undefined>}
     */
    listAllWebhookDeliveries(webhookId: T.WebhookId, query?: T.ListWebhookDeliveriesQuery, options?: RequestOptions): AsyncGenerator<T.DeliveryRecord, void, undefined>;
    /**
     * Returns a delivery with its payload and its last attempts.
     *
     * @param {T.WebhookId} webhookId
     * @param {T.WebhookDeliveryId} deliveryId
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ReadWebhookDeliveryResponse>}
     */
    readWebhookDelivery(webhookId: T.WebhookId, deliveryId: T.WebhookDeliveryId, options?: RequestOptions): Promise<T.ReadWebhookDeliveryResponse>;
    /**
     * Sends an event again, whatever its state, under the same `webhook-id`.
     *
     * @param {T.WebhookId} webhookId
     * @param {T.WebhookDeliveryId} deliveryId
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ReplayWebhookDeliveryResponse>}
     */
    replayWebhookDelivery(webhookId: T.WebhookId, deliveryId: T.WebhookDeliveryId, options?: RequestOptions): Promise<T.ReplayWebhookDeliveryResponse>;
    /**
     * Resends all events whose delivery to a webhook failed.
     *
     * @param {T.WebhookId} webhookId
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ReplayFailedWebhookDeliveriesResponse>}
     */
    replayFailedWebhookDeliveries(webhookId: T.WebhookId, options?: RequestOptions): Promise<T.ReplayFailedWebhookDeliveriesResponse>;
    /**
     * Rotates the secret of a webhook. The new one is returned only once; events are also signed with the previous one for a day.
     *
     * @param {T.WebhookId} webhookId
     * @param {RequestOptions} [options]
     * @returns {Promise<T.CreateWebhookResponse>}
     */
    rotateWebhookSecret(webhookId: T.WebhookId, options?: RequestOptions): Promise<T.CreateWebhookResponse>;
    /**
     * Sends the event `webhook.test` to a webhook immediately, even if it is paused.
     *
     * @param {T.WebhookId} webhookId
     * @param {RequestOptions} [options]
     * @returns {Promise<T.ReplayWebhookDeliveryResponse>}
     */
    testWebhook(webhookId: T.WebhookId, options?: RequestOptions): Promise<T.ReplayWebhookDeliveryResponse>;
}
import { Transport } from "../transport.js";
import type * as T from "./types.js";
import type { RequestOptions } from "../transport.js";

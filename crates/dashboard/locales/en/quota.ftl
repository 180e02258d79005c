# Quotas, drawn as bars.

quota-storage = Storage
quota-tracks = Tracks
quota-minutes = Minutes
quota-records = Records
quota-metadata = Metadata
quota-used = { $used } of { $limit } used
quota-title = Quotas
quota-full = Full
quota-hint = New tracks are refused when a quota is full. The files of deleted tracks count until they are removed permanently. The operator of this service sets the quotas.

# Webhooks: endpoints, and what was sent to them.

## Endpoints

webhooks-hint = Signed JSON events, retried until your server accepts them.
webhooks-tracks = Tracks
webhooks-files = Files
webhooks-collections = Collections
webhooks-tracks-hint = Sent when a track is ready, incomplete or failed.
webhooks-files-hint = Sent for each file of a track that is made or fails.
webhooks-collections-hint = Sent when a collection is created, changed or deleted.
webhooks-secret-of-tracks = Secret of the tracks endpoint
webhooks-secret-of-files = Secret of the files endpoint
webhooks-secret-of-collections = Secret of the collections endpoint
webhooks-secret-hint = Use it to verify signatures. Store it like a password.
webhooks-on = On
webhooks-paused = Paused
webhooks-failed-in-a-row = { $count } failed in a row
webhooks-paused-until = Paused until <time data-exact datetime="{ $at }">{ $at }</time> after { $count } failures in a row.
webhooks-old-secret = Events are also signed with the old secret until <time data-exact datetime="{ $at }">{ $at }</time>.
webhooks-save = Save endpoint
webhooks-send-test = Send test event
webhooks-show-secret = Show secret
webhooks-confirm-rotate = Create a new secret? Events are signed with both secrets for a day, so that you can update your server.
webhooks-rotate = Rotate secret
webhooks-redeliver-failed = Redeliver failed events
webhooks-confirm-remove = Remove this endpoint? Its pending deliveries are dropped.
webhooks-remove = Remove endpoint

## Deliveries

webhooks-recent = Recent deliveries
webhooks-delivery-status = Delivery status
webhooks-all = All
webhooks-pending = Pending
webhooks-delivered = Delivered
webhooks-failed = Failed
webhooks-retrying = Retrying
webhooks-none = No deliveries.
webhooks-event = Event
webhooks-created = Created
webhooks-attempts = Attempts
webhooks-next-attempt = Next attempt
webhooks-newest = Newest
webhooks-redeliver = Redeliver event
webhooks-queued-at = Queued <time datetime="{ $at }">{ $at }</time>.
webhooks-next-attempt-at = Next attempt: <time datetime="{ $at }">{ $at }</time>.
webhooks-id = ID: <code>{ $id }</code>
webhooks-payload = Payload
webhooks-cut = … { $count } bytes in total
webhooks-no-attempts = No attempts yet.
webhooks-hidden-attempts = Showing the last 8 attempts. Earlier attempts not shown: { $count }.
webhooks-attempt = Attempt { $number }
webhooks-no-response = No response
webhooks-response = Response

# What is decided about an organization: its appearance, members, variants and transcription.

## The organization

organization-hint = What players show for { $name }, unless a collection or track overrides it.
organization-appearance = Appearance
organization-subtitle-hint = Shown under the title of tracks without their own subtitle.
organization-colour-hint = Players use a shade that is readable on their background.
organization-covers = Allow custom covers
organization-colours = Allow custom colours
organization-cover-hint = JPEG, PNG, WebP or GIF, up to { $megabytes } MB. Cropped to a square.
organization-cover-colours = Cover colours
organization-id = Organization ID
organization-id-hint = Identifies this organization in the API and on the command line.

## Members

members-roles = Viewers can view and listen. Editors can also change the library and share links. Owners can change everything.
members-invitation-created = Invitation created
members-invitation-hint = Copy this link now and send it to the new member. It is shown only once, works once, and is valid until <time data-exact datetime="{ $at }">{ $at }</time>.
members-role = Role
members-joined = Joined
members-role-of = Role of { $name }
members-change-role = Change role<span class="hidden"> of { $name }</span>
members-confirm-leave = Leave this organization?
members-confirm-remove = Remove { $name } from this organization?
members-leave = Leave
members-remove = Remove
members-remove-one = Remove<span class="hidden"> { $name }</span>
members-invite = Invite a member
members-email = Email address
members-email-hint = No email is sent: you pass on the link yourself. With single sign-on, whoever signs in with this address joins without the link, too.
members-create-invitation = Create invitation
members-pending = Pending invitations
members-none-pending = No pending invitations.
members-pending-hint = Invitations end when their creator is no longer an owner. If a member leaves, withdraw those without an address that the member may have.
members-valid-until = Valid until <time data-exact datetime="{ $at }">{ $at }</time>
members-withdraw-one = Withdraw<span class="hidden"> invitation for { $person }</span>
members-anyone = Anyone with the link

## Variants

variants-hint = Files made from every uploaded track. Players and keys refer to a variant by its name.
variants-existing = Existing tracks
variants-done = Done
variants-rendering = Rendering { $variant }
variants-tracks-done = { $done } of { $total } tracks done
variants-making = { $count ->
    [one] 1 track at { $percent } %
   *[other] { $count } tracks at { $percent } % on average
}
variants-failed = { $count } failed
variants-confirm-render = Render “{ $variant }” for all tracks without it? Large libraries take a while. Tracks stay playable.
variants-render-one = Render existing tracks<span class="hidden">: { $variant }</span>
variants-confirm-remove = Remove “{ $variant }” and all its files? Links and players that use it stop working immediately. The files are deleted in the background.
variants-being-removed = Being removed
variants-left = { $count ->
    [one] 1 file left
   *[other] { $count } files left
}
variants-more-left = more than { $count } files left
variants-new = New variant
variants-name-example = such as mobile
variants-audio = Audio
variants-bitrate = Bitrate <span class="hint">(kbit/s)</span>
variants-loudness = Loudness <span class="hint">(LUFS, optional)</span>
variants-loudness-example = such as -16
variants-mono = Downmix to mono
variants-length = Length <span class="hint">(seconds)</span>
variants-start = Start <span class="hint">(% of the track)</span>
variants-samples = Number of levels
variants-metric = Metric
variants-peak = Peak
variants-rms = RMS
variants-public = Allow CDNs to cache its files
variants-add = Add variant
variants-transcode = Transcode
variants-preview = Preview
variants-levels = Waveform data
variants-waveform-image = Waveform image
variants-waveform-video = Waveform video
variants-original = Original
variants-whole-track = Transcode (whole track)
variants-part-of-track = Preview (part of the track)
variants-waveform-data = Waveform data (levels)
variants-uploaded-file = Original (uploaded file)
variants-lossless = { $codec } (lossless)
variants-part = { $sound }, part of the track
variants-peak-levels = { $count } peak levels
variants-rms-levels = { $count } RMS levels
variants-cached = cached by CDNs
variants-bad-name = Use 2 to 64 characters: a-z, 0-9, _ or -
variants-no-number = Enter a number.
variants-choose-type = Choose a type from the list.

## Transcription

transcription-on = On
transcription-off = Off
transcription-turn-on = Turn on transcription
transcription-turn-off = Turn off transcription
transcription-hint = When a new track is ready, its audio is sent to a provider of your choice and transcribed.
transcription-provider = Provider
transcription-url-hint = Any service with an OpenAI-compatible <code>/audio/transcriptions</code> endpoint.
transcription-model = Model
transcription-model-example = such as whisper-1
transcription-language = Language <span class="hint">(optional)</span>
transcription-detected = Detected automatically
transcription-language-hint = A language code such as de or pt-BR.
transcription-key = API key
transcription-keep-key = Leave empty to keep the current key
transcription-no-key = None
transcription-key-hint = Stored encrypted and never shown again. If you change the URL, enter the key again.
transcription-remove-key = Remove API key
transcription-save-on = Save and turn on
transcription-test = Test
transcription-test-hint = Sends a tone of one second to the provider, with the saved settings. This may take up to 30 seconds.
transcription-test-button = Test provider
transcription-silent = The provider works: it responded in { $seconds } s and, as expected, found no speech in the test tone.
transcription-heard = The provider works: it responded in { $seconds } s and transcribed the test tone as “{ $words }”.
transcription-test-failed = The test failed: { $reason }
transcription-failures = Recent failures
transcription-reason = Reason
transcription-retried = Will be retried
transcription-failed = Failed

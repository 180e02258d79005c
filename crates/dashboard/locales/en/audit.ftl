# The audit log.

audit-export = Export as NDJSON
audit-hint = Changes to this organization, newest first.
audit-action = Action
audit-all-actions = All actions
audit-filter = Filter
audit-none = No entries yet
audit-none-hint = Changes made by people, keys and the command line appear here.
audit-actor = Actor
audit-target = Target
audit-address = IP address
audit-former-member = Former member
audit-key = API key
audit-uploader = Uploader
audit-command-line = Command line
audit-stranger = Not signed in

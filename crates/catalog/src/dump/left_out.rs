//! What a dump leaves out, and which columns are null in a restored row.

/// Tables that are not dumped, and why.
pub const LEFT_OUT: &[(&str, &str)] = &[
    ("seaql_migrations", "the steps are listed in the manifest, and applied to the new database"),
    ("schema_step", "as above"),
    ("store", "the identity that a database shares with its own object store; the restored one gets another"),
    ("sweep", "how far a sweep of the object store is"),
    ("unknown_object", "what a sweep found in the object store"),
    ("replaced_object", "objects that are about to be removed, which are not copied"),
    ("former_file", "what replaced files contained, whose URLs end soon and are counted until then"),
    ("scheduled_task", "when tasks run next; nodes begin anew"),
    ("track_progress", "how far jobs are that are running"),
    ("failed_sign_in", "counts of failed attempts, which are forgotten after a while anyway"),
    ("sign_in", "sessions; one that was ended since would come back to life"),
    ("invitation", "one-time links; one that was used or withdrawn since would open again"),
    ("known_device", "browsers in which people signed in; one that was forgotten since would be known again"),
    ("play_session", "access for at most a day; one that was ended since would begin again"),
    ("upload_session", "as above"),
    ("undo_entry", "changes that people may undo for a while, which the restore may have undone"),
    ("node", "signs of life of the nodes that ran then"),
    (
        "key_list",
        "the number of the last list of signing keys in the object store, which the next one exceeds",
    ),
    ("record_count", "how many records there are; they are counted when they are restored"),
    ("removal_hold", "the backup itself, for which objects stay in the store"),
    ("last_backup", "the backups of the service that was backed up, not of the restored one"),
    ("unfinished_restore", "how far a restore of this database is"),
    ("acme_challenge", "proofs of host names, which are valid for minutes"),
    ("upload", "uploads in progress, whose bytes are drafts of the object store and not objects"),
];

/// Columns that are null in a restored row: the holders of the leases no longer exist, and a replacement whose former source
/// may be gone cannot be undone.
pub(super) const FORGOTTEN: &[(&str, &str)] = &[
    ("job", "lease_id"),
    ("job", "leased_until"),
    ("job", "trial_until"),
    ("webhook_delivery", "lease_id"),
    ("source_replacement", "former_file_name"),
];

/// Whether a table is left out.
pub(super) fn is_left_out(table: &str) -> bool {
    LEFT_OUT.iter().any(|(name, _)| *name == table)
}

//! The columns that identify a person, and what erasing the person does to them. A test compares the lists with the
//! existing tables.

/// What happens to a column that identifies a person when the person is erased.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Erasure {
    /// The row refers to the account and is deleted with it.
    WithAccount,
    /// The row is deleted.
    Row,
    /// The row stays, and the column is set to null.
    Name,
    /// The audit log entry stays. Its id leads nowhere, and another word replaces the email address.
    Line,
}

/// A column that identifies a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PersonColumn {
    /// Its table.
    pub table: &'static str,
    /// Its name.
    pub column: &'static str,
    /// What erasure does to it.
    pub erasure: Erasure,
}

const fn column(table: &'static str, column: &'static str, erasure: Erasure) -> PersonColumn {
    PersonColumn { table, column, erasure }
}

/// Columns that hold the ids of people.
pub const PERSON_IDS: &[PersonColumn] = &[
    column("audit_entry", "actor_id", Erasure::Line),
    column("audit_entry", "subject_id", Erasure::Line),
    column("invitation", "created_by", Erasure::Name),
    column("invitation", "person_id", Erasure::WithAccount),
    column("known_device", "person_id", Erasure::WithAccount),
    column("membership", "person_id", Erasure::WithAccount),
    column("person", "id", Erasure::WithAccount),
    column("person_identity", "person_id", Erasure::WithAccount),
    column("recovery_code", "person_id", Erasure::WithAccount),
    column("second_factor", "person_id", Erasure::WithAccount),
    column("sign_in", "person_id", Erasure::WithAccount),
    column("source_import", "person_id", Erasure::Name),
    column("source_replacement", "person_id", Erasure::Name),
    column("undo_entry", "person_id", Erasure::Row),
    column("upload", "person_id", Erasure::Name),
    column("upload_session", "person_id", Erasure::Name),
];

/// Columns that hold the email addresses of people.
pub const PERSON_EMAILS: &[PersonColumn] = &[
    column("audit_entry", "title", Erasure::Line),
    column("invitation", "email", Erasure::Row),
    column("person", "email", Erasure::WithAccount),
    column("person_identity", "email", Erasure::WithAccount),
];

//! Definitions of columns: `text` is never null, `text_null` can be.

use sea_orm::sea_query::ColumnDef;

pub(super) fn big_integer(name: &'static str) -> ColumnDef {
    ColumnDef::new(name).big_integer().not_null().take()
}

pub(super) fn big_integer_null(name: &'static str) -> ColumnDef {
    ColumnDef::new(name).big_integer().null().take()
}

pub(super) fn blob(name: &'static str) -> ColumnDef {
    ColumnDef::new(name).blob().not_null().take()
}

pub(super) fn blob_null(name: &'static str) -> ColumnDef {
    ColumnDef::new(name).blob().null().take()
}

pub(super) fn boolean(name: &'static str) -> ColumnDef {
    ColumnDef::new(name).boolean().not_null().take()
}

pub(super) fn double(name: &'static str) -> ColumnDef {
    ColumnDef::new(name).double().not_null().take()
}

pub(super) fn integer(name: &'static str) -> ColumnDef {
    ColumnDef::new(name).integer().not_null().take()
}

pub(super) fn integer_null(name: &'static str) -> ColumnDef {
    ColumnDef::new(name).integer().null().take()
}

pub(super) fn json_binary(name: &'static str) -> ColumnDef {
    ColumnDef::new(name).json_binary().not_null().take()
}

pub(super) fn json_binary_null(name: &'static str) -> ColumnDef {
    ColumnDef::new(name).json_binary().null().take()
}

pub(super) fn string(name: &'static str) -> ColumnDef {
    ColumnDef::new(name).string().not_null().take()
}

pub(super) fn string_null(name: &'static str) -> ColumnDef {
    ColumnDef::new(name).string().null().take()
}

pub(super) fn text(name: &'static str) -> ColumnDef {
    ColumnDef::new(name).text().not_null().take()
}

pub(super) fn text_null(name: &'static str) -> ColumnDef {
    ColumnDef::new(name).text().null().take()
}

pub(super) fn uuid(name: &'static str) -> ColumnDef {
    ColumnDef::new(name).uuid().not_null().take()
}

pub(super) fn uuid_null(name: &'static str) -> ColumnDef {
    ColumnDef::new(name).uuid().null().take()
}

pub(super) fn blob_uniq(name: &'static str) -> ColumnDef {
    blob(name).unique_key().take()
}

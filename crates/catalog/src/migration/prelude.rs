//! What the definition of a step names.

pub(super) use async_trait::async_trait;
pub(super) use sea_orm::sea_query::*;
pub(super) use sea_orm::{ConnectionTrait, DbErr};

pub(super) use super::schema::{Change, Schema};

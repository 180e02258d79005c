//! Imports for defining steps.

pub(super) use async_trait::async_trait;
pub(super) use sea_orm::sea_query::*;
pub(super) use sea_orm::{ConnectionTrait, DatabaseTransaction, DbErr};

pub(super) use super::step::Change;

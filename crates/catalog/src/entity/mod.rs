//! Rows, one module per table, each with its way into the domain and back.

// SeaORM's derives write `pub` items into these private modules.
#![allow(unreachable_pub)]

pub(crate) mod answered_job;
pub(crate) mod api_key;
pub(crate) mod audit_entry;
pub(crate) mod collection;
pub(crate) mod collection_count;
pub(crate) mod creator;
pub(crate) mod failed_sign_in;
pub(crate) mod idempotent_request;
pub(crate) mod import_bucket;
pub(crate) mod invitation;
pub(crate) mod job;
pub(crate) mod known_device;
pub(crate) mod listener_sighting;
pub(crate) mod listener_track;
pub(crate) mod membership;
pub(crate) mod organization;
pub(crate) mod person;
pub(crate) mod play_session;
pub(crate) mod quota;
pub(crate) mod recovery_code;
pub(crate) mod rendering;
pub(crate) mod replaced_object;
pub(crate) mod scheduled_task;
pub(crate) mod second_factor;
pub(crate) mod share_key_text;
pub(crate) mod sign_in;
pub(crate) mod signing_key;
pub(crate) mod source_import;
pub(crate) mod source_replacement;
pub(crate) mod store;
pub(crate) mod sweep;
pub(crate) mod track;
pub(crate) mod track_file;
pub(crate) mod track_progress;
pub(crate) mod track_search;
pub(crate) mod track_words;
pub(crate) mod transcription;
pub(crate) mod transcription_settings;
pub(crate) mod undo_entry;
pub(crate) mod unknown_object;
pub(crate) mod upload;
pub(crate) mod upload_session;
pub(crate) mod usage;
pub(crate) mod usage_batch;
pub(crate) mod usage_sum;
pub(crate) mod variant;
pub(crate) mod webhook;
pub(crate) mod webhook_attempt;
pub(crate) mod webhook_delivery;

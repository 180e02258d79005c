//! What answers look like: the records of the interface, each made from a domain type or a view of it.

mod answer;
mod api_key;
mod collection;
mod colours;
mod creator;
mod long_list;
mod organization;
mod play_session;
mod playback;
mod rendering;
mod signing_key;
mod track;
mod upload;
mod upload_session;
mod usage;
mod variant;
mod webhook;

pub(crate) use answer::Answer;
pub(crate) use api_key::KeyRecord;
pub(crate) use collection::CollectionRecord;
pub(crate) use colours::Colours;
pub(crate) use creator::CreatorRecord;
pub(crate) use long_list::LongList;
pub(crate) use organization::OrganizationRecord;
pub(crate) use play_session::{OpenedBody, PlaySessionCore, opened};
pub(crate) use playback::PlaybackData;
pub(crate) use rendering::RenderingRecord;
pub(crate) use signing_key::SigningKeyRecord;
pub use track::write_listed_track;
pub(crate) use track::{BasicTrack, FullTrack, ListedTrack, PlayedTrack, ReducedTrack};
pub(crate) use upload::{SessionTrackRecord, UploadDescriptor, UploadDescriptors};
pub(crate) use upload_session::{UploadSessionBody, UploadSessionRecord};
pub(crate) use usage::{UsageRecord, UsageSums};
pub(crate) use variant::{VariantNames, VariantRecord, VariantTypeRecord};
pub(crate) use webhook::{DeliveryRecord, FullDelivery, WebhookRecord};

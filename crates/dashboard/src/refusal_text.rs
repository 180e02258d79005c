//! The texts of refusals, as sentences in the language of the request.

use tonearm_service::Resource;

use crate::text::translated;

/// The id of the message for a resource that does not exist.
pub(crate) const fn not_found(resource: Resource) -> &'static str {
    match resource {
        Resource::Organization => "error-no-organization",
        Resource::Collection => "error-no-collection",
        Resource::Creator => "error-no-creator",
        Resource::Track => "error-no-track",
        Resource::Variant => "error-no-variant",
        Resource::PlaySession => "error-no-play-session",
        Resource::UploadSession => "error-no-upload-session",
        Resource::Upload => "error-no-upload",
        Resource::Replacement => "error-no-replacement",
        Resource::ApiKey => "error-no-api-key",
        Resource::Person => "error-no-person",
        Resource::Member => "error-no-member",
        Resource::Invitation => "error-no-invitation",
        Resource::Webhook => "error-no-webhook",
        Resource::WebhookDelivery => "error-no-delivery",
        Resource::SigningKey => "error-no-signing-key",
        Resource::ImportBucket => "error-no-import-bucket",
        Resource::Rendering => "error-no-rendering",
        Resource::Job => "error-no-job",
        Resource::Record => "error-no-record",
    }
}

/// A use case's message in the language of the request, with a capital letter and a full stop.
pub(crate) fn sentence(text: &str) -> String {
    let translated = translated(text);
    let text = translated.as_deref().unwrap_or(text);
    let mut characters = text.chars();
    let first: String = characters.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
    let rest = characters.as_str();
    let end = if rest.ends_with(['.', '!', '?']) { "" } else { "." };
    format!("{first}{rest}{end}")
}

/// The first words of use cases' messages about a field, which leave out the field's name.
const BEGINS: [&str; 7] = ["must ", "is ", "are ", "cannot ", "holds ", "has ", "can "];

fn lacks_subject(message: &str) -> bool {
    BEGINS.iter().any(|begin| message.starts_with(begin))
}

/// The message of a refusal for display beside its field. Use cases leave out the subject ("is in the past"); this adds
/// one.
pub(crate) fn message_beside_field(field: &str, message: &str) -> String {
    if let Some(translated) = translated(message) {
        return translated;
    }
    if lacks_subject(message) && message.len() < 60 {
        let named = if field == "name" || field == "email" { "this" } else { "this field" };
        return format!("{named} {message}");
    }
    message.to_owned()
}

/// The message of a refusal for display without its field: it includes the field's name.
pub(crate) fn message_with_field(field: &str, message: &str) -> String {
    if let Some(translated) = translated(message) {
        return translated;
    }
    let named = match field {
        "body" | "file" => "file".to_owned(),
        "digest" => "checksum".to_owned(),
        "source_url" | "url" => "URL".to_owned(),
        other => other.replace('_', " "),
    };
    if lacks_subject(message) { format!("the {named} {message}") } else { message.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_without_its_field_names_it() {
        for (field, message, expected) in [
            ("body", "is empty; send an audio file", "the file is empty; send an audio file"),
            ("player_title", "must not be longer", "the player title must not be longer"),
            ("url", "use https", "use https"),
        ] {
            assert_eq!(message_with_field(field, message), expected);
        }
    }
}

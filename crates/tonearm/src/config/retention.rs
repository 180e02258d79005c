//! How long rows are kept after they are no longer needed.

use serde::Deserialize;
use tonearm_domain::{KeepFor, Retention};

use super::error::ConfigError;
use super::file::RetentionSettings;
use super::size::as_written;

/// A number of days or `forever`, as it was written. It is parsed later, so that an error can name its setting.
#[derive(Debug)]
pub(super) struct Days(String);

impl std::str::FromStr for Days {
    type Err = String;
    fn from_str(text: &str) -> Result<Self, String> {
        Ok(Self(text.to_owned()))
    }
}

impl<'de> Deserialize<'de> for Days {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        as_written(deserializer, "a number of days, or \"forever\"").map(Self)
    }
}

fn keep_for(setting: &str, days: Option<&Days>, usual: KeepFor) -> Result<KeepFor, ConfigError> {
    let Some(Days(text)) = days else {
        return Ok(usual);
    };
    text.parse().map_err(|error| ConfigError::new(setting, error))
}

pub(super) fn retention(settings: &RetentionSettings) -> Result<Retention, ConfigError> {
    let usual = Retention::default();
    let batches = "retention.usage_batch_days";
    let usage_batches = keep_for(batches, settings.usage_batch_days.as_ref(), usual.usage_batches)?;
    let least = Retention::LEAST_USAGE_BATCH_DAYS;
    if matches!(usage_batches, KeepFor::Days(days) if days < least) {
        let problem = format!("must be at least {least}, because batches may be submitted again until then");
        return Err(ConfigError::new(batches, problem));
    }
    let of_sign_ins = "retention.sign_in_days";
    let sign_ins = keep_for(of_sign_ins, settings.sign_in_days.as_ref(), usual.sign_ins)?;
    let most = Retention::MOST_SIGN_IN_DAYS;
    if !matches!(sign_ins, KeepFor::Days(days) if days <= most) {
        let problem = format!("must be at most {most}, because sign-ins end then");
        return Err(ConfigError::new(of_sign_ins, problem));
    }
    Ok(Retention {
        sign_ins,
        audit: keep_for("retention.audit_days", settings.audit_days.as_ref(), usual.audit)?,
        webhooks: keep_for("retention.webhook_days", settings.webhook_days.as_ref(), usual.webhooks)?,
        failed_jobs: keep_for(
            "retention.failed_job_days",
            settings.failed_job_days.as_ref(),
            usual.failed_jobs,
        )?,
        sessions: keep_for("retention.session_days", settings.session_days.as_ref(), usual.sessions)?,
        invitations: keep_for(
            "retention.invitation_days",
            settings.invitation_days.as_ref(),
            usual.invitations,
        )?,
        usage_batches,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Retention, String> {
        let settings: RetentionSettings = toml::from_str(text).map_err(|error| error.to_string())?;
        retention(&settings).map_err(|error| error.to_string())
    }

    #[test]
    fn times_are_numbers_or_forever() {
        let usual = Retention::default();
        assert_eq!(read(""), Ok(usual));
        let chosen = read("audit_days = \"forever\"\nsession_days = 3\nusage_batch_days = \"30\"");
        let expected = Retention {
            audit: KeepFor::Forever,
            sessions: KeepFor::Days(3),
            usage_batches: KeepFor::Days(30),
            ..usual
        };
        assert_eq!(chosen, Ok(expected));
    }

    #[test]
    fn what_is_refused_is_said_in_a_sentence() {
        let problem = "must be a number of days from 1 to 36500, or \"forever\"";
        for wrong in ["0", "-1", "36501", "\"never\"", "\"\""] {
            let expected = format!("retention.audit_days: {problem}");
            assert_eq!(read(&format!("audit_days = {wrong}")), Err(expected), "{wrong}");
        }
        let error = read("usage_batch_days = 6").unwrap_err();
        assert!(error.starts_with("retention.usage_batch_days: must be at least 7"), "{error}");
        assert!(
            read("sign_in_days = 91").unwrap_err().starts_with("retention.sign_in_days: must be at most 90")
        );
        assert!(read("sign_in_days = \"forever\"").is_err());
        assert!(read("webhook_days = true").is_err());
    }
}

//! Checks ffmpeg and its confinement.

use tonearm_media::Media;

use super::report::Finding;
use crate::Config;
use crate::opening::media;

pub(super) async fn tools(config: &Config) -> Vec<Finding> {
    let media = media(config);
    let mut findings = walls(config, &media).await;
    match media.check().await {
        Ok(tools) if tools.encodes_webp => findings.push(Finding::ok("ffmpeg", tools.version)),
        Ok(tools) => findings.push(Finding::ok(
            "ffmpeg",
            format!(
                "{}, without libwebp, so covers are JPEG only; for WebP, install a full build such as Debian's",
                tools.version
            ),
        )),
        Err(error) => {
            findings.push(Finding::failed("ffmpeg", error.to_string()));
            return findings;
        }
    }
    match media.lacking_parts().await {
        Ok(sentences) => {
            findings.extend(sentences.into_iter().map(|sentence| Finding::warning("ffmpeg", sentence)));
        }
        Err(error) => findings.push(Finding::warning("ffmpeg", error.to_string())),
    }
    findings
}

/// Reports each wall of the confinement. A missing wall is a failure if confinement is required, otherwise a warning.
async fn walls(config: &Config, media: &Media) -> Vec<Finding> {
    let reports = match media.confinement().await {
        Ok(confinement) => confinement.walls(),
        Err(error) => return vec![Finding::failed("files", error.to_string())],
    };
    let finding = |(name, stands, sentence): (&'static str, bool, String)| match stands {
        true => Finding::ok(name, sentence),
        false if config.media.confinement.is_required => Finding::failed(name, sentence),
        false => Finding::warning(name, sentence),
    };
    reports
        .into_iter()
        .map(|report| (report.wall.name(), report.is_enforced, report.to_string()))
        .map(finding)
        .collect()
}

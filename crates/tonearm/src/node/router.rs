//! The routes of a node with the role `api`: the API, the dashboard and the public pages.

use axum::Router;
use tonearm_api::{ApiSettings, App, AppParts};
use tonearm_dashboard::{Dashboard, PublicPages};
use tonearm_service::{Access, IdempotentAnswers, LookupLimits, Lookups, Playback, Status, Streams};

use super::Node;
use super::foundation::Foundation;
use crate::background_tasks;
use crate::services::Services;

impl Node {
    /// The routes of the API, the dashboard and the public pages.
    pub(super) fn app_router(
        &mut self,
        foundation: &Foundation<'_>,
        services: &Services,
        status: Status,
    ) -> Router {
        let streams = Streams::until(self.shutdown.clone());
        let app = api(foundation, services, streams.clone());
        let uses = background_tasks::store_key_uses(app.access.clone(), self.drained.clone());
        self.last_tasks.push(tokio::spawn(uses));
        let public = PublicPages {
            playback: app.playback.clone(),
            public_url: self.public_url.clone(),
            ambient: foundation.ambient.clone(),
        };
        let dashboard = dashboard(foundation, services, app.playback.clone(), streams, status);
        let pages = tonearm_dashboard::public_routes(public).merge(tonearm_dashboard::router(dashboard));
        let rate_limits = foundation.config.rate_limits;
        tonearm_api::router(app).merge(tonearm_api::limit_pages(pages, rate_limits))
    }
}

fn api(foundation: &Foundation<'_>, services: &Services, streams: Streams) -> App {
    let Foundation { config, ambient, blobs, meter, .. } = foundation;
    let catalog = &services.catalog;
    let lookups = Lookups::new(catalog.clone(), LookupLimits::default());
    App::new(AppParts {
        access: Access::new(lookups.clone(), ambient.clone()),
        library: services.library.clone(),
        uploads: services.uploads(config, ambient, blobs),
        repeats: IdempotentAnswers::new(catalog.clone(), ambient.clone()),
        playback: Playback::new(
            lookups,
            ambient.clone(),
            services.links.clone(),
            meter.clone(),
            tonearm_api::write_listed_track,
        ),
        usage: services.usage.clone(),
        webhooks: services.webhooks.clone(),
        import_buckets: services.import_buckets.clone(),
        signing_keys: services.signing_keys(ambient),
        streams,
        signer: services.signer.clone(),
        ambient: ambient.clone(),
        settings: ApiSettings {
            public_play_sessions: config.public_play_sessions,
            max_json_bytes: config.max_json_bytes,
            rate_limits: config.rate_limits,
            ..ApiSettings::default()
        },
    })
}

fn dashboard(
    foundation: &Foundation<'_>,
    services: &Services,
    playback: Playback,
    streams: Streams,
    status: Status,
) -> Dashboard {
    let Foundation { config, ambient, blobs, .. } = foundation;
    Dashboard {
        streams,
        status,
        jobs: services.jobs.clone(),
        people: services.people.clone(),
        signing_keys: services.signing_keys(ambient),
        library: services.library.clone(),
        uploads: services.uploads(config, ambient, blobs),
        repeats: IdempotentAnswers::new(services.catalog.clone(), ambient.clone()),
        webhooks: services.webhooks.clone(),
        transcriptions: services.transcriptions.clone(),
        audit: services.audit.clone(),
        usage: services.usage.clone(),
        playback,
        links: services.links.clone(),
        ambient: ambient.clone(),
    }
}

//! The HTTP API and the web explorer.
//!
//! [`router`] is the whole service; [`run`] puts it behind a listening socket until the process is told to stop.
//! Everything that touches tables runs on threads of its own, behind a limit, so that a slow disk or a hard question
//! never keeps `/healthz` from answering.

mod ask;
mod handlers;
mod listen;
mod oracles;
mod page;
mod refusal;
mod reply;
mod work;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::get;

pub use listen::{bind, run};

use crate::query::Reach;
use crate::table::Access;

/// What one client, or many, may cost.
#[derive(Clone, Debug)]
pub struct Limits {
    /// Bytes of a request's path and query.
    pub target: usize,
    /// Time for a request, from its first byte to its answer.
    pub time: Duration,
    /// Connections at a time.
    pub connections: usize,
    /// Questions answered from tables at a time.
    pub probes: usize,
    /// Rule sets whose tables stay open.
    pub rule_sets: usize,
    /// How far a question may go beyond the tables. Layers are solved for one question at a time and are kept with
    /// their rule set.
    pub reach: Reach,
}

impl Default for Limits {
    fn default() -> Self {
        let processors = std::thread::available_parallelism().map_or(2, usize::from);
        Self {
            target: 2000,
            time: Duration::from_secs(10),
            connections: 512,
            probes: 2 * processors,
            rule_sets: 24,
            reach: Reach { build: 1_000_000, ..Reach::default() },
        }
    }
}

/// What is served.
#[derive(Clone, Debug)]
pub struct Config {
    /// The database folder.
    pub dir: PathBuf,
    /// How tables are read. A server should not map them: another process may shorten a file.
    pub access: Access,
    /// What requests may cost.
    pub limits: Limits,
}

/// The service: the API under `/v1`, its description, `/healthz` and the page.
pub fn router(config: Config) -> Router {
    let service = Arc::new(work::Service::new(config));
    Router::new()
        .route("/v1/games", get(handlers::games))
        .route("/v1/{game}", get(handlers::answer))
        .route("/v1/{game}/line", get(handlers::line))
        .route("/v1/{game}/sow", get(handlers::sow))
        .route("/v1/{game}/stats", get(handlers::stats))
        .route("/healthz", get(handlers::healthz))
        .route("/openapi.json", get(handlers::openapi))
        .route("/", get(page::index))
        .route("/{file}", get(page::file))
        .fallback(handlers::nothing_here)
        .method_not_allowed_fallback(handlers::only_get)
        .layer(from_fn_with_state(Arc::clone(&service), work::limit))
        .layer(from_fn(reply::finish))
        .with_state(service)
}

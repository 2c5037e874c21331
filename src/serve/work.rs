//! Who works on what, and for how long.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tokio::sync::Semaphore;

use super::Config;
use super::oracles::Oracles;
use super::refusal::Refusal;
use crate::database::DatabaseError;
use crate::query::{Answer, Oracle};
use crate::rules::notation::Position;

/// What all requests share.
pub(super) struct Service {
    pub config: Config,
    pub oracles: Oracles,
    /// Questions that tables answer.
    probes: Arc<Semaphore>,
    /// Questions that may need layers solved in memory: one at a time, whatever the rule set.
    solving: Arc<Semaphore>,
}

impl Service {
    pub(super) fn new(config: Config) -> Self {
        let probes = Arc::new(Semaphore::new(config.limits.probes));
        Self { config, oracles: Oracles::default(), probes, solving: Arc::new(Semaphore::new(1)) }
    }

    /// Runs `task` on a thread that may wait for the disk. A task that outlives its request keeps its place in the
    /// limit until it ends.
    async fn run<T: Send + 'static>(
        &self,
        limit: &Arc<Semaphore>,
        task: impl FnOnce() -> Result<T, DatabaseError> + Send + 'static,
    ) -> Result<T, Refusal> {
        let permit = Arc::clone(limit).acquire_owned().await.map_err(|_| Refusal::Fault)?;
        let done = tokio::task::spawn_blocking(move || {
            let _permit = permit;
            task()
        });
        done.await.map_err(|_| Refusal::Fault)?.map_err(|error| Refusal::of(&error, &self.config.dir))
    }

    /// Runs a short task over tables.
    pub(super) async fn probe<T: Send + 'static>(
        &self,
        task: impl FnOnce() -> Result<T, DatabaseError> + Send + 'static,
    ) -> Result<T, Refusal> {
        self.run(&self.probes, task).await
    }

    /// The answer to a position: at once where its value is at hand, otherwise in the queue of those who may solve.
    pub(super) async fn answer(
        &self,
        oracle: &Arc<Oracle>,
        position: &Position,
        line: usize,
    ) -> Result<Answer, Refusal> {
        let ask = |only_at_hand: bool| {
            let (oracle, position) = (Arc::clone(oracle), position.clone());
            move || {
                if only_at_hand && !oracle.knows(&position.board)? {
                    return Ok(None);
                }
                oracle.answer_with_line(&position, line).map(|(answer, _)| Some(answer))
            }
        };
        if let Some(answer) = self.run(&self.probes, ask(true)).await? {
            return Ok(answer);
        }
        self.run(&self.solving, ask(false)).await?.ok_or(Refusal::Fault)
    }
}

/// Refuses what is too long and gives up on what takes too long.
pub(super) async fn limit(State(service): State<Arc<Service>>, request: Request, next: Next) -> Response {
    let limits = &service.config.limits;
    let found = request.uri().path_and_query().map_or(0, |target| target.as_str().len());
    if found > limits.target {
        return Refusal::Long { found, most: limits.target }.into_response();
    }
    match tokio::time::timeout(limits.time, next.run(request)).await {
        Ok(response) => response,
        Err(_) => Refusal::Late { seconds: limits.time.as_secs() }.into_response(),
    }
}

//! Progress on a terminal, and Ctrl-C.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use indicatif::{HumanCount, HumanDuration, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::failure::{Failure, INTERRUPTED};
use crate::database::{BuildProgress, Built, Plan, Step};
use crate::rules::Layer;
use crate::search::{self, Bounds, Snapshot};
use crate::solve::Progress;

static INTERRUPT: AtomicBool = AtomicBool::new(false);

/// Makes the first Ctrl-C ask for an orderly end and the second one end the program at once.
pub(super) fn catch_interrupt() -> Result<(), Failure> {
    let handler = || {
        if INTERRUPT.swap(true, Relaxed) {
            std::process::exit(i32::from(INTERRUPTED));
        }
    };
    ctrlc::set_handler(handler).map_err(|error| Failure::data(format!("cannot catch interrupts: {error}")))
}

/// Whether Ctrl-C was pressed.
pub(super) fn is_interrupted() -> bool {
    INTERRUPT.load(Relaxed)
}

/// A progress bar of a build: the layer, its stage, positions a second, and the time left for the whole build.
pub struct Watch {
    bar: ProgressBar,
    /// Positions of all missing layers, and of those that are done.
    total: u64,
    done: AtomicU64,
    layer: Mutex<(String, u64)>,
    begin: Instant,
    on_built: fn(&Built),
}

impl Watch {
    /// A watch over the missing layers of `plan`, drawn on standard error if that is a terminal.
    pub(super) fn new(plan: &Plan, quiet: bool, on_built: fn(&Built)) -> Self {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        Self {
            bar: ProgressBar::with_draw_target(Some(1), target),
            total: plan.missing().map(|step| step.positions).sum(),
            done: AtomicU64::new(0),
            layer: Mutex::default(),
            begin: Instant::now(),
            on_built,
        }
    }
}

fn style(left: String) -> Option<ProgressStyle> {
    let style = ProgressStyle::with_template("{msg:32} [{bar:30}] {percent:>3}%  {speed:>14}  {left}").ok()?;
    let speed = |state: &ProgressState, text: &mut dyn std::fmt::Write| {
        let _ = write!(text, "{}/s", HumanCount(state.per_sec() as u64));
    };
    let left = move |_: &ProgressState, text: &mut dyn std::fmt::Write| {
        let _ = write!(text, "{left}");
    };
    Some(style.progress_chars("=> ").with_key("speed", speed).with_key("left", left))
}

impl Progress for Watch {
    fn stage(&self, name: &'static str, positions: u64) {
        let layer = self.layer.lock().unwrap_or_else(PoisonError::into_inner).0.clone();
        let done = self.done.load(Relaxed);
        let left = if done == 0 {
            "time left unknown".to_owned()
        } else {
            let per_position = self.begin.elapsed().div_f64(done as f64);
            format!("{} left", HumanDuration(per_position.mul_f64((self.total - done.min(self.total)) as f64)))
        };
        if let Some(style) = style(left) {
            self.bar.set_style(style);
        }
        self.bar.reset();
        self.bar.set_length(positions);
        self.bar.set_message(format!("layer {layer}: {name}"));
    }

    fn advance(&self, positions: u64) {
        self.bar.inc(positions);
    }

    fn is_cancelled(&self) -> bool {
        is_interrupted()
    }
}

impl BuildProgress for Watch {
    fn begin(&self, step: &Step) {
        *self.layer.lock().unwrap_or_else(PoisonError::into_inner) = (step.layer.to_string(), step.positions);
    }

    fn end(&self, built: &Built) {
        self.done.fetch_add(built.positions, Relaxed);
        self.bar.suspend(|| (self.on_built)(built));
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A bar for work on one layer.
pub(super) struct LayerBar {
    layer: Layer,
    bar: ProgressBar,
}

impl LayerBar {
    pub(super) fn new(layer: Layer, quiet: bool) -> Self {
        Self { layer, bar: bar(String::new(), 1, quiet) }
    }
}

impl Progress for LayerBar {
    fn stage(&self, name: &'static str, positions: u64) {
        self.bar.reset();
        self.bar.set_length(positions);
        self.bar.set_message(format!("layer {}: {name}", self.layer));
    }

    fn advance(&self, positions: u64) {
        self.bar.inc(positions);
    }

    fn is_cancelled(&self) -> bool {
        is_interrupted()
    }
}

impl Drop for LayerBar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A line about a running search: the bounds so far, nodes and nodes a second.
pub(super) struct SearchWatch {
    bar: ProgressBar,
}

impl SearchWatch {
    pub(super) fn new(quiet: bool) -> Self {
        let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
        Self { bar: ProgressBar::with_draw_target(None, target) }
    }
}

impl search::Watch for SearchWatch {
    fn report(&self, snapshot: &Snapshot<'_>) {
        let range = |bounds: Bounds| {
            if bounds.is_exact() {
                format!("{:+}", bounds.lower)
            } else {
                format!("{:+}..{:+}", bounds.lower, bounds.upper)
            }
        };
        let moves: Vec<String> = snapshot.moves.iter().map(|mv| range(mv.worth)).collect();
        self.bar.set_message(format!(
            "value {} moves [{}] {} nodes, {}/s, {} probes",
            range(snapshot.value),
            moves.join(" "),
            HumanCount(snapshot.nodes),
            HumanCount((snapshot.nodes as f64 / snapshot.seconds.max(1e-9)) as u64),
            HumanCount(snapshot.probes),
        ));
        self.bar.tick();
    }

    fn is_cancelled(&self) -> bool {
        is_interrupted()
    }
}

impl Drop for SearchWatch {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// A plain bar for work that is counted in positions.
pub(super) fn bar(message: String, positions: u64, quiet: bool) -> ProgressBar {
    let target = if quiet { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr() };
    let bar = ProgressBar::with_draw_target(Some(positions), target);
    if let Some(style) = style(String::new()) {
        bar.set_style(style);
    }
    bar.set_message(message);
    bar
}

//! `openings`: the first moves of the initial position.

use std::process::ExitCode;
use std::time::Instant;

use crate::cli::args::OpeningsArgs;
use crate::cli::failure::{Failure, INTERRUPTED, NOT_THERE};
use crate::cli::{output, watch};
use crate::query::{Oracle, Reach, parse};

/// Where a folder keeps what searches have proved.
const BOOK: &str = "openings.book";

pub(in crate::cli) fn run(args: &OpeningsArgs) -> Result<ExitCode, Failure> {
    let database = args.folder.open()?;
    let rules = database.rules().clone();
    let position = parse(rules.as_ref(), "start", args.filling.of(rules.as_ref()))?;
    let folder = database.folder().to_owned();
    let oracle = Oracle::new(database, Reach::default());
    watch::catch_interrupt()?;
    let watch = watch::SearchWatch::new(args.folder.quiet);
    let book = folder.join(BOOK);
    let begin = Instant::now();
    let (mut answer, note) = oracle.search(&position, args.effort.effort(None), Some(&book), &watch)?;
    drop(watch);
    answer.effort.get_or_insert((0, begin.elapsed().as_secs_f64()));
    if let Some(note) = note {
        eprintln!("sowbase: {}", note.0);
    }
    if args.folder.json {
        output::json(&answer)?;
    } else {
        output::line(&super::query::write(rules.as_ref(), &answer))?;
    }
    Ok(ExitCode::from(match answer.worth.exact() {
        Some(_) => 0,
        None if watch::is_interrupted() => {
            eprintln!("sowbase: interrupted; the same command goes on where this one stopped");
            INTERRUPTED
        }
        None => NOT_THERE,
    }))
}

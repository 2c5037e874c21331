//! `openings`: the first moves of the initial position.

use std::process::ExitCode;
use std::time::Instant;

use crate::cli::args::OpeningsArgs;
use crate::cli::failure::{Failure, NOT_THERE};
use crate::cli::output;
use crate::query::{Oracle, Reach, parse};

pub(in crate::cli) fn run(args: &OpeningsArgs) -> Result<ExitCode, Failure> {
    let begin = Instant::now();
    let database = args.folder.open()?;
    let rules = database.rules().clone();
    let position = parse(rules.as_ref(), "start", args.filling.of(rules.as_ref()))?;
    let oracle = Oracle::new(database, Reach::default());
    let (answer, note) = oracle.answer(&position)?;
    if let Some(note) = note {
        eprintln!("sowbase: {}", note.0);
    }
    if args.folder.json {
        let mut map = answer.json();
        map.insert("nodes".into(), 0.into());
        map.insert("seconds".into(), begin.elapsed().as_secs_f64().into());
        output::json(&map)?;
    } else {
        output::line(&super::query::write(rules.as_ref(), &answer))?;
    }
    Ok(ExitCode::from(if answer.worth.exact().is_some() { 0 } else { NOT_THERE }))
}

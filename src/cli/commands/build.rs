//! `build`: making tables.

use std::process::ExitCode;

use indicatif::{HumanBytes, HumanDuration};
use serde_json::json;

use crate::cli::args::{BuildArgs, pool};
use crate::cli::failure::Failure;
use crate::cli::{output, watch};
use crate::database::{BuildOptions, Built, Database, Plan};

pub(in crate::cli) fn run(args: &BuildArgs) -> Result<ExitCode, Failure> {
    run_with(args, |database, plan, options, watch| {
        Ok(pool(args.threads)?.install(|| database.build(plan, options, watch))?)
    })
}

/// Runs `build` with another builder, which makes the missing tables of a plan.
///
/// # Errors
/// Those of the plan and of the builder.
pub fn run_with(
    args: &BuildArgs,
    builder: impl FnOnce(&Database, &Plan, BuildOptions, &watch::Watch) -> Result<Vec<Built>, Failure>,
) -> Result<ExitCode, Failure> {
    let database = args.folder.open()?;
    let mut plan = pool(args.threads)?.install(|| database.plan(args.seeds, args.closed))?;
    let options = BuildOptions { memory: args.memory, checkpoint: args.checkpoint };
    if args.dry_run {
        pool(args.threads)?.install(|| database.estimate(&mut plan, options.ceiling()))?;
        return show_plan(args, &database, &plan, options.ceiling());
    }
    watch::catch_interrupt()?;
    build(args, &database, &plan, |watch| builder(&database, &plan, options, watch))
}

fn show_plan(args: &BuildArgs, database: &Database, plan: &Plan, ceiling: u64) -> Result<ExitCode, Failure> {
    if !args.folder.json {
        output::line(&format!("{} in {}", database.rules().rule_set().text(), database.folder().display()))?;
        output::line("    layer            positions       memory         disk         time")?;
    }
    for step in &plan.steps {
        let (memory, is_in_files) = (step.memory_within(ceiling), step.is_in_files(ceiling));
        if args.folder.json {
            output::json(&json!({
                "seeds": step.layer.seeds, "closed": step.layer.closed, "positions": step.positions,
                "memory": memory, "files": if is_in_files { step.room } else { 0 }, "disk": step.disk,
                "seconds": step.time.as_secs_f64(), "present": step.present
            }))?;
        } else if step.present {
            output::line(&format!("{:>9} {:>20}  is there", step.layer.to_string(), output::count(step.positions)))?;
        } else {
            output::line(&format!(
                "{:>9} {:>20} {:>12} {:>12} {:>12}{}",
                step.layer.to_string(),
                output::count(step.positions),
                memory_text(memory),
                HumanBytes(step.disk).to_string(),
                format!("{:#}", HumanDuration(step.time)),
                if is_in_files { "  in files" } else { "" },
            ))?;
        }
    }
    if !args.folder.json {
        let missing = plan.missing().count();
        let memory = plan.missing().map(|step| step.memory_within(ceiling)).max().unwrap_or(0);
        let disk = plan.missing().map(|step| step.disk).fold(0, u64::saturating_add);
        let time = plan.missing().map(|step| step.time).sum();
        output::line(&format!(
            "{missing} layer(s) to build: at most {} of memory, about {} of disk and {}",
            memory_text(memory),
            HumanBytes(disk),
            HumanDuration(time)
        ))?;
        let room = plan.room(ceiling);
        if room > 0 {
            let room = HumanBytes(room);
            output::line(&format!(
                "layers in files lie there while they are solved, for lack of memory: {room} more of disk"
            ))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// A layer whose moves are too many to be stored has no number of bytes that would do.
fn memory_text(bytes: u64) -> String {
    if bytes == u64::MAX { "too much".to_owned() } else { HumanBytes(bytes).to_string() }
}

fn build(
    args: &BuildArgs,
    database: &Database,
    plan: &Plan,
    builder: impl FnOnce(&watch::Watch) -> Result<Vec<Built>, Failure>,
) -> Result<ExitCode, Failure> {
    let rule_set = database.rules().rule_set().clone();
    let on_built = if args.folder.json { print_json } else { print_line };
    if !args.folder.json {
        output::line(&format!("{} in {}", rule_set.text(), database.folder().display()))?;
    }
    let watch = watch::Watch::new(plan, args.folder.quiet, on_built);
    let built = builder(&watch)?;
    drop(watch);
    if args.folder.json {
        return Ok(ExitCode::SUCCESS);
    }
    let present = plan.steps.len() - built.len();
    if built.is_empty() {
        output::line(&format!("nothing is missing: all {present} layer(s) up to {} seeds are there", args.seeds))?;
    } else {
        let positions: u64 = built.iter().map(|b| b.positions).sum();
        let bytes: u64 = built.iter().map(|b| b.bytes).sum();
        let time: std::time::Duration = built.iter().map(|b| b.time).sum();
        output::line(&format!(
            "built {} layer(s), {} positions, {} in {:.1} s; {present} were there",
            built.len(),
            output::count(positions),
            HumanBytes(bytes),
            time.as_secs_f64()
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

// A closed pipe must not stop a build, so these two let go of errors of the output.

fn print_line(built: &Built) {
    let seconds = built.time.as_secs_f64();
    let _ = output::line(&format!(
        "layer {:>3}: {:>15} positions {:>13} bytes {:>5.2} bits a position {:>8.2} s {:>12}/s",
        built.layer.to_string(),
        output::count(built.positions),
        output::count(built.bytes),
        built.bytes as f64 * 8.0 / built.positions as f64,
        seconds,
        output::count((built.positions as f64 / seconds.max(1e-9)) as u64),
    ));
}

fn print_json(built: &Built) {
    let _ = output::json(&json!({
        "seeds": built.layer.seeds, "closed": built.layer.closed, "positions": built.positions, "bytes": built.bytes,
        "seconds": built.time.as_secs_f64()
    }));
}

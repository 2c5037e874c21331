//! `verify`: is every value what its moves say?

use std::process::ExitCode;

use serde_json::json;

use crate::cli::args::VerifyArgs;
use crate::cli::failure::{Failure, NOT_THERE};
use crate::cli::{output, watch};
use crate::database::DatabaseError;
use crate::rules::{Layer, Rules, notation};
use crate::solve::{Lower, SolvedLayer, Verdict, verify, verify_sample};

pub(in crate::cli) fn run(args: &VerifyArgs) -> Result<ExitCode, Failure> {
    let database = args.folder.open()?;
    let present = database.layers()?;
    let Some(most) = args.seeds.or_else(|| present.iter().map(|layer| layer.seeds).max()) else {
        return Err(super::info::nothing_there(&database));
    };
    watch::catch_interrupt()?;
    let rules = database.rules().as_ref();
    // A game without lower layers has each of its layers verified by itself.
    let layers = if rules.layers(most).len() > 1 { rules.layers(most) } else { present.clone() };
    let wanted = |layer: Layer| present.contains(&layer) && args.seeds.is_none_or(|seeds| seeds == layer.seeds);
    let mut lower = Lower::default();
    let (mut checked, mut wrong, mut tables) = (0, 0, 0);
    for layer in layers {
        let Some(solved) = database.load(layer, &mut lower)? else { continue };
        if wanted(layer) {
            let verdict = verify_layer(args, rules, &solved, &lower)?;
            show(args, rules, layer, &verdict)?;
            checked += verdict.checked;
            wrong += verdict.differing + verdict.groundless;
            tables += 1;
        }
        lower.insert(solved);
    }
    if tables == 0 {
        return Err(super::info::nothing_there(&database));
    }
    if wrong > 0 {
        eprintln!("sowbase: {wrong} value(s) are wrong; build these layers again");
        return Ok(ExitCode::from(NOT_THERE));
    }
    if !args.folder.json {
        let what = if args.sample.is_some() { "agree with their moves" } else { "are proved" };
        output::line(&format!("{} value(s) in {tables} layer(s) {what}", output::count(checked)))?;
    }
    Ok(ExitCode::SUCCESS)
}

fn verify_layer(
    args: &VerifyArgs,
    rules: &dyn Rules,
    solved: &SolvedLayer,
    lower: &Lower,
) -> Result<Verdict, DatabaseError> {
    let bar = watch::LayerBar::new(solved.index.layer(), args.folder.quiet);
    Ok(match args.sample {
        None => verify(rules, solved, lower, &bar)?,
        Some(count) => verify_sample(rules, solved, lower, &sample(solved.index.size(), count), &bar)?,
    })
}

/// `count` ranks below `size`, spread by a fixed sequence so that a run can be repeated.
fn sample(size: u64, count: u64) -> Vec<u64> {
    let mut state = 0_u64;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    (0..count.min(size)).map(|_| next() % size).collect()
}

fn show(args: &VerifyArgs, rules: &dyn Rules, layer: Layer, verdict: &Verdict) -> Result<(), Failure> {
    let first: Vec<_> = verdict
        .first
        .iter()
        .map(|d| {
            (notation::write(rules, &d.board), rules.scoring().number(d.found), rules.scoring().number(d.expected))
        })
        .collect();
    if args.folder.json {
        let first: Vec<_> = first
            .iter()
            .map(|(position, found, expected)| json!({"position": position, "found": found, "expected": expected}))
            .collect();
        return output::json(&json!({
            "seeds": layer.seeds, "closed": layer.closed, "ok": verdict.is_proof(), "proof": args.sample.is_none(),
            "checked": verdict.checked, "differing": verdict.differing, "groundless": verdict.groundless,
            "first": first
        }));
    }
    let found = if verdict.is_proof() {
        "right".to_owned()
    } else {
        format!("{} differ from their moves, {} rest on nothing", verdict.differing, verdict.groundless)
    };
    output::line(&format!("layer {:>3}: {:>15} values: {found}", layer.to_string(), output::count(verdict.checked)))?;
    for (position, found, expected) in first {
        if found == expected {
            output::line(&format!("  {position}: {found} rests on nothing"))?;
        } else {
            output::line(&format!("  {position}: found {found}, expected {expected}"))?;
        }
    }
    Ok(())
}

//! `perft`: counting move sequences.

use std::process::ExitCode;

use serde_json::{Map, json};

use crate::cli::args::PerftArgs;
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::query::parse;
use crate::rules::perft;

/// Sequences this long are beyond counting; the bound keeps the recursion shallow.
const MOST: u32 = 200;

pub(in crate::cli) fn run(args: &PerftArgs) -> Result<ExitCode, Failure> {
    let rules = args.rules.make()?;
    if args.depth > MOST {
        return Err(Failure::usage(format!("depth {} is too large, expected at most {MOST}", args.depth)));
    }
    let position = parse(rules.as_ref(), &args.position, args.filling.of(rules.as_ref()))?;
    let counts = perft(rules.as_ref(), &position.board, args.depth);
    let leaves = if args.depth == 0 { 1 } else { counts.iter().map(|(_, leaves)| leaves).sum() };
    if args.json {
        let mut object = Map::new();
        object.insert("game".into(), rules.rule_set().game().into());
        object.insert("depth".into(), args.depth.into());
        object.insert("leaves".into(), leaves.into());
        if args.divide {
            let divide: Map<_, _> = counts.iter().map(|(mv, leaves)| (rules.move_name(*mv), json!(leaves))).collect();
            object.insert("divide".into(), divide.into());
        }
        output::json(&object)?;
        return Ok(ExitCode::SUCCESS);
    }
    if args.divide {
        for (mv, leaves) in &counts {
            output::line(&format!("{:>4} {:>20}", rules.move_name(*mv), output::count(*leaves)))?;
        }
    }
    output::line(&output::count(leaves))?;
    Ok(ExitCode::SUCCESS)
}

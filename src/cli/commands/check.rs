//! `check`: are the bytes whole?

use std::process::ExitCode;

use serde_json::json;

use crate::cli::args::CheckArgs;
use crate::cli::failure::{DATA, Failure};
use crate::cli::{output, watch};
use crate::database::{Database, DatabaseError};
use crate::rules::Layer;

pub(in crate::cli) fn run(args: &CheckArgs) -> Result<ExitCode, Failure> {
    let database = args.folder.open()?;
    let wanted = |layer: &Layer| args.seeds.is_none_or(|seeds| layer.seeds == seeds);
    let layers: Vec<Layer> = database.layers()?.into_iter().filter(wanted).collect();
    if layers.is_empty() {
        return Err(super::info::nothing_there(&database));
    }
    let mut damaged = 0;
    for &layer in &layers {
        let checked = check(&database, layer, args.folder.quiet);
        let name = layer.to_string();
        damaged += u32::from(checked.is_err());
        match (&checked, args.folder.json) {
            (Ok(bytes), true) => {
                output::json(&json!({"seeds": layer.seeds, "closed": layer.closed, "ok": true, "bytes": bytes}))?
            }
            (Ok(bytes), false) => output::line(&format!("layer {name:>3}: whole, {} bytes", output::count(*bytes)))?,
            (Err(error), true) => output::json(&json!({
                "seeds": layer.seeds, "closed": layer.closed, "ok": false, "error": error.to_string()
            }))?,
            (Err(error), false) => output::line(&format!("layer {name:>3}: {error}"))?,
        }
    }
    if damaged > 0 {
        eprintln!("sowbase: {damaged} of {} table(s) cannot be used", layers.len());
        return Ok(ExitCode::from(DATA));
    }
    if !args.folder.json {
        output::line(&format!("all {} table(s) are whole", layers.len()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Reads every byte of a table and returns how many there are.
fn check(database: &Database, layer: Layer, quiet: bool) -> Result<u64, DatabaseError> {
    let Some(open) = database.layer(layer)? else { return Ok(0) };
    let bar = watch::bar(format!("check layer {layer}"), open.table.count(), quiet);
    let checked = open.table.check(|values| bar.inc(values));
    bar.finish_and_clear();
    checked?;
    Ok(open.table.file_len())
}

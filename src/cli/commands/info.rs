//! `info`: which tables are there.

use std::process::ExitCode;

use indicatif::HumanBytes;
use serde_json::json;

use crate::cli::args::FolderArgs;
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::database::Database;
use crate::games;

pub(in crate::cli) fn run(args: &FolderArgs) -> Result<ExitCode, Failure> {
    let database = args.open()?;
    let layers = database.layers()?;
    if layers.is_empty() {
        return Err(nothing_there(&database));
    }
    let rule_set = database.rules().rule_set();
    let mut tables = Vec::new();
    let (mut all_bytes, mut all_positions) = (0, 0);
    for layer in layers {
        let Some(open) = database.layer(layer)? else { continue };
        let (positions, bytes) = (open.table.meta().positions, open.table.file_len());
        all_bytes += bytes;
        all_positions += positions;
        if args.json {
            tables.push(json!({
                "seeds": layer.seeds, "closed": layer.closed, "positions": positions, "bytes": bytes,
                "file": database.file(layer)
            }));
        } else {
            let bits = bytes as f64 * 8.0 / positions as f64;
            let (layer, file) = (layer.to_string(), database.file(layer));
            tables.push(
                format!(
                    "layer {layer:>3}: {:>15} positions {:>13} bytes {bits:>6.2} bits a position  {}",
                    output::count(positions),
                    output::count(bytes),
                    file.display()
                )
                .into(),
            );
        }
    }
    if args.json {
        output::json(&json!({
            "game": rule_set.game(), "rules": rule_set.json(), "folder": database.folder(),
            "fingerprint": format!("{:016x}", rule_set.fingerprint()), "positions": all_positions, "bytes": all_bytes,
            "layers": tables
        }))?;
        return Ok(ExitCode::SUCCESS);
    }
    output::line(&format!("{} in {}", rule_set.text(), database.folder().display()))?;
    for table in &tables {
        output::line(table.as_str().unwrap_or_default())?;
    }
    output::line(&format!(
        "{} layer(s), {} positions, {}",
        tables.len(),
        output::count(all_positions),
        HumanBytes(all_bytes)
    ))?;
    Ok(ExitCode::SUCCESS)
}

/// The failure of a command that needs tables where there are none.
pub(super) fn nothing_there(database: &Database) -> Failure {
    let rule_set = database.rules().rule_set();
    Failure::not_there(format!(
        "there are no such tables of {} in {}; make some with: sowbase build {} --seeds N",
        rule_set.text(),
        database.folder().display(),
        games::arguments(rule_set)
    ))
}

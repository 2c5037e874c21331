//! `games`: what can be asked about.

use std::process::ExitCode;

use serde_json::json;

use crate::cli::args::GamesArgs;
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::games::{GAMES, Game, PRESETS};
use crate::rules::{OptionInfo, OptionKind};

pub(in crate::cli) fn run(args: &GamesArgs) -> Result<ExitCode, Failure> {
    for game in GAMES {
        if args.json {
            let options: Vec<_> = game
                .options
                .iter()
                .map(|o| json!({"name": o.name, "values": values(o), "default": default(game, o), "about": o.about}))
                .collect();
            output::json(&json!({
                "game": game.id, "title": game.title, "pits": game.width, "per_pit": game.per_pit, "options": options
            }))?;
        } else {
            output::line(&format!(
                "{:<12} {}, {} pits a row, {} a pit",
                game.id, game.title, game.width, game.per_pit
            ))?;
            for option in game.options {
                let rule = format!("{}={}", option.name, default(game, option));
                output::line(&format!("  --rule {rule:<24} {} ({})", option.about, values(option)))?;
            }
        }
    }
    for preset in PRESETS {
        if args.json {
            output::json(&json!({
                "preset": preset.id, "title": preset.title, "game": preset.game, "rules": preset.rules
            }))?;
        } else {
            let rules = preset.rules.join(" --rule ");
            output::line(&format!("{:<12} {}: {} --rule {rules}", preset.id, preset.title, preset.game))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn default(game: &Game, option: &OptionInfo) -> String {
    match option.kind {
        OptionKind::Owners => "1".repeat(game.width) + &"0".repeat(game.width),
        _ => option.default.to_owned(),
    }
}

fn values(option: &OptionInfo) -> String {
    match option.kind {
        OptionKind::Switch => "true, false".to_owned(),
        OptionKind::Choice(words) => words.join(", "),
        OptionKind::Number(first, last) => format!("{first} to {last}, w"),
        OptionKind::Owners => "one digit 0 or 1 for each pit".to_owned(),
    }
}

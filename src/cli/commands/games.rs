//! `games`: what can be asked about.

use std::process::ExitCode;

use crate::cli::args::GamesArgs;
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::games::{GAMES, PRESETS};
use crate::query::{game_json, option_default, option_values, preset_json};

pub(in crate::cli) fn run(args: &GamesArgs) -> Result<ExitCode, Failure> {
    for game in GAMES {
        if args.json {
            output::json(&game_json(game))?;
        } else {
            output::line(&format!(
                "{:<12} {}, {} pits a row, {} a pit",
                game.id, game.title, game.width, game.per_pit
            ))?;
            for option in game.options {
                let rule = format!("{}={}", option.name, option_default(game, option));
                output::line(&format!("  --rule {rule:<24} {} ({})", option.about, option_values(option)))?;
            }
        }
    }
    for preset in PRESETS {
        if args.json {
            output::json(&preset_json(preset))?;
        } else {
            let rules = preset.rules.join(" --rule ");
            output::line(&format!("{:<12} {}: {} --rule {rules}", preset.id, preset.title, preset.game))?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

//! Games, presets and options as they are listed.

use serde_json::{Value as Json, json};

use crate::games::{Game, Preset};
use crate::rules::{OptionInfo, OptionKind};

/// The JSON object that `games` prints for a game.
#[must_use]
pub fn game_json(game: &Game) -> Json {
    let option = |option: &OptionInfo| {
        json!({
            "name": option.name,
            "values": option_values(option),
            "default": option_default(game, option),
            "about": option.about
        })
    };
    json!({
        "game": game.id,
        "title": game.title,
        "pits": game.width,
        "per_pit": game.per_pit,
        "options": game.options.iter().map(option).collect::<Vec<_>>()
    })
}

/// The JSON object that `games` prints for a preset.
#[must_use]
pub fn preset_json(preset: &Preset) -> Json {
    json!({"preset": preset.id, "title": preset.title, "game": preset.game, "rules": preset.rules})
}

/// What an option is set to when nothing is said.
#[must_use]
pub fn option_default(game: &Game, option: &OptionInfo) -> String {
    match option.kind {
        OptionKind::Owners => "1".repeat(game.width) + &"0".repeat(game.width),
        _ => option.default.to_owned(),
    }
}

/// What an option accepts, in words.
#[must_use]
pub fn option_values(option: &OptionInfo) -> String {
    match option.kind {
        OptionKind::Switch => "true, false".to_owned(),
        OptionKind::Choice(words) => words.join(", "),
        OptionKind::Number(first, last) => format!("{first} to {last}, w"),
        OptionKind::Owners => "one digit 0 or 1 for each pit".to_owned(),
    }
}

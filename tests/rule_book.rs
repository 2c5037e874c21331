//! The rule book names every game, preset, option, setting and default of the registry.

use sowbase::games::{GAMES, PRESETS};
use sowbase::rules::OptionKind;

const BOOK: &str = include_str!("../docs/variants.md");

/// The section under the heading that spells the game's id.
fn section(id: &str) -> &str {
    let heading = |section: &&str| {
        section.lines().next().is_some_and(|heading| heading.trim().to_lowercase().replace(' ', "-") == id)
    };
    BOOK.split("\n## ").find(heading).unwrap_or_else(|| panic!("docs/variants.md has no section for {id}"))
}

#[test]
fn every_option_is_explained_with_its_default() {
    for game in GAMES {
        assert!(BOOK.contains(&format!("[`{0}`](#{0})", game.id)), "{} is missing in the overview", game.id);
        for option in game.options {
            let row = section(game.id)
                .lines()
                .find(|line| line.starts_with(&format!("| `{}` |", option.name)))
                .unwrap_or_else(|| panic!("{} of {} has no row", option.name, game.id));
            let columns: Vec<&str> = row.split('|').map(str::trim).collect();
            let (values, default) = (columns[2], columns[3]);
            let named: Vec<String> = match option.kind {
                OptionKind::Switch => vec!["true".to_owned(), "false".to_owned()],
                OptionKind::Choice(words) => words.iter().map(|&word| word.to_owned()).collect(),
                OptionKind::Number(first, last) => vec![first.to_string(), last.to_string()],
                OptionKind::Owners => vec![],
            };
            for value in named {
                assert!(values.contains(&format!("`{value}`")), "{value} is missing in: {row}");
            }
            if !option.default.is_empty() {
                assert_eq!(default, format!("`{}`", option.default), "{row}");
            }
        }
    }
}

#[test]
fn every_preset_is_explained() {
    for preset in PRESETS {
        let rules: String = preset.rules.iter().map(|rule| format!(" --rule {rule}")).collect();
        let row = format!("| `{}` | `{}{rules}` |", preset.id, preset.game);
        assert!(BOOK.contains(&row), "no row begins: {row}");
    }
}

//! Which rules are meant: a game, a width, and a setting for each of its options.

use std::fmt;
use std::ops::RangeInclusive;

use serde_json::{Map, Value as Json};
use thiserror::Error;

/// The widths that every game can be played on, in pits a row.
pub const WIDTHS: RangeInclusive<usize> = 2..=10;

/// What an option accepts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OptionKind {
    /// `true` or `false`.
    Switch,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// A number from the first to the second, or `w` for the width.
    Number(u8, u8),
    /// One digit a pit in ring order, the mover's row first: 1 for a pit of the mover, 0 for one of the other player.
    Owners,
}

/// An option of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OptionInfo {
    /// Its name after `--rule`.
    pub name: &'static str,
    /// What it accepts.
    pub kind: OptionKind,
    /// Its setting when nothing is said; empty for owners, where it is each player's own row.
    pub default: &'static str,
    /// What it decides, in one line.
    pub about: &'static str,
}

/// The setting of one option.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Setting {
    /// On or off.
    Switch(bool),
    /// One of the option's words, or a string of owners.
    Word(String),
    /// A number.
    Number(u8),
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Switch(on) => write!(f, "{on}"),
            Self::Word(word) => write!(f, "{word}"),
            Self::Number(number) => write!(f, "{number}"),
        }
    }
}

/// Why no rules could be made of what was asked for.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum RuleError {
    /// No such game.
    #[error("unknown game '{found}'{}; the games are {known}", suggestion(.nearest))]
    Game {
        /// What was asked for.
        found: String,
        /// A game with a similar name.
        nearest: Option<String>,
        /// All games and presets.
        known: String,
    },
    /// No such option.
    #[error("{game} has no option '{found}'{}; its options are {known}", suggestion(.nearest))]
    Option {
        /// The game.
        game: &'static str,
        /// What was asked for.
        found: String,
        /// An option with a similar name.
        nearest: Option<String>,
        /// All options of the game.
        known: String,
    },
    /// A setting that the option does not accept.
    #[error("option {option} of {game} cannot be '{found}'; expected {expected}")]
    Setting {
        /// The game.
        game: &'static str,
        /// The option.
        option: &'static str,
        /// What was asked for.
        found: String,
        /// What it accepts.
        expected: String,
    },
    /// A rule that is not of the form `NAME=VALUE`.
    #[error("the rule '{found}' has no '='; write --rule NAME=VALUE, for example --rule {example}")]
    Form {
        /// What was given.
        found: String,
        /// A rule that would do.
        example: String,
    },
    /// A width that is not supported.
    #[error("{found} pits a row are not supported; expected {} to {}", WIDTHS.start(), WIDTHS.end())]
    Width {
        /// What was asked for.
        found: usize,
    },
}

fn suggestion(nearest: &Option<String>) -> String {
    nearest.as_ref().map(|name| format!(", did you mean '{name}'?")).unwrap_or_default()
}

/// The word of `known` that looks most like `found`, if any does.
#[must_use]
pub fn nearest<'a>(found: &str, known: impl IntoIterator<Item = &'a str>) -> Option<String> {
    let found = found.to_lowercase();
    known
        .into_iter()
        .filter(|name| strsim::jaro_winkler(&found, name) > 0.7)
        .min_by_key(|name| strsim::osa_distance(&found, name))
        .map(str::to_owned)
}

/// A game, its width and all its settings: everything that a value depends on beside the position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleSet {
    game: &'static str,
    width: usize,
    settings: Vec<(&'static OptionInfo, Setting)>,
}

impl RuleSet {
    /// The rules of `game` with `width` pits a row; `rules` are `NAME=VALUE`, a later one replacing an earlier.
    ///
    /// # Errors
    /// An unknown option, a setting that it does not accept, or an unsupported width.
    pub fn new<'a>(
        game: &'static str,
        options: &'static [OptionInfo],
        width: usize,
        rules: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, RuleError> {
        if !WIDTHS.contains(&width) {
            return Err(RuleError::Width { found: width });
        }
        let mut settings = Vec::new();
        for option in options {
            settings.push((option, parse_setting(game, option, width, option.default)?));
        }
        for rule in rules {
            let (name, value) = rule.split_once('=').ok_or_else(|| RuleError::Form {
                found: rule.to_owned(),
                example: options.first().map_or_else(String::new, |o| format!("{}={}", o.name, o.default)),
            })?;
            let name = name.trim();
            let place =
                settings.iter_mut().find(|(option, _)| option.name == name).ok_or_else(|| RuleError::Option {
                    game,
                    found: name.to_owned(),
                    nearest: nearest(name, options.iter().map(|o| o.name)),
                    known: options.iter().map(|o| o.name).collect::<Vec<_>>().join(", "),
                })?;
            place.1 = parse_setting(game, place.0, width, value.trim())?;
        }
        Ok(Self { game, width, settings })
    }

    /// The game's id.
    #[must_use]
    pub fn game(&self) -> &'static str {
        self.game
    }

    /// Pits a row.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// All options with their settings, in the game's order.
    pub fn settings(&self) -> impl Iterator<Item = (&'static OptionInfo, &Setting)> {
        self.settings.iter().map(|(option, setting)| (*option, setting))
    }

    fn setting(&self, name: &str) -> Option<&Setting> {
        self.settings.iter().find(|(option, _)| option.name == name).map(|(_, setting)| setting)
    }

    /// Whether the switch `name` is on; a game asks only for its own options.
    #[must_use]
    pub fn is_on(&self, name: &str) -> bool {
        self.setting(name) == Some(&Setting::Switch(true))
    }

    /// The word that `name` is set to.
    #[must_use]
    pub fn word(&self, name: &str) -> &str {
        match self.setting(name) {
            Some(Setting::Word(word)) => word,
            _ => "",
        }
    }

    /// The number that `name` is set to.
    #[must_use]
    pub fn number(&self, name: &str) -> u8 {
        match self.setting(name) {
            Some(Setting::Number(number)) => *number,
            _ => 0,
        }
    }

    /// The rule set in words, the same for all ways of asking for it: `oware pits=6 grand_slam=allow`.
    ///
    /// Owners seen from one seat and from the other are the same rules, so the smaller of the two strings stands.
    #[must_use]
    pub fn text(&self) -> String {
        let mut text = format!("{} pits={}", self.game, self.width);
        for (option, setting) in self.settings() {
            text += &match (option.kind, setting) {
                (OptionKind::Owners, Setting::Word(owners)) => {
                    let turned = turn_owners(owners);
                    format!(" {}={}", option.name, owners.min(&turned))
                }
                _ => format!(" {}={setting}", option.name),
            };
        }
        text
    }

    /// A number that tells rule sets apart: XXH3 of [`RuleSet::text`].
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        xxhash_rust::xxh3::xxh3_64(self.text().as_bytes())
    }

    /// The name of this rule set's folder: game, width, and what differs from the defaults.
    #[must_use]
    pub fn folder(&self) -> String {
        let mut name = format!("{}-{}", self.game, self.width);
        for part in self.text().split(' ').skip(2) {
            let (option, setting) = part.split_once('=').unwrap_or((part, ""));
            let default = self.settings().find(|(info, _)| info.name == option).map(|(info, _)| match info.kind {
                OptionKind::Owners => own_rows(self.width),
                _ => info.default.to_owned(),
            });
            if default.as_deref() != Some(setting) && default != Some(turn_owners(setting)) {
                name += &format!("-{option}-{setting}");
            }
        }
        name
    }

    /// How to ask for these rules at the command line: `oware --pits 4 --rule grand_slam=void`.
    #[must_use]
    pub fn arguments(&self, own_width: usize) -> String {
        let mut text = self.game.to_owned();
        if self.width != own_width {
            text += &format!(" --pits {}", self.width);
        }
        for (option, setting) in self.settings() {
            if parse_setting(self.game, option, self.width, option.default).as_ref() != Ok(setting) {
                text += &format!(" --rule {}={setting}", option.name);
            }
        }
        text
    }

    /// `{"pits": .., option: ..}` as the command line prints it.
    #[must_use]
    pub fn json(&self) -> Json {
        let mut map = Map::new();
        map.insert("pits".into(), self.width.into());
        for (option, setting) in self.settings() {
            let value = match setting {
                Setting::Switch(on) => Json::from(*on),
                Setting::Word(word) => Json::from(word.as_str()),
                Setting::Number(number) => Json::from(*number),
            };
            map.insert(option.name.into(), value);
        }
        Json::Object(map)
    }
}

/// Owners as the other player reads them.
#[must_use]
pub fn turn_owners(owners: &str) -> String {
    let (own, other) = owners.split_at(owners.len() / 2);
    other.chars().chain(own.chars()).map(|digit| if digit == '0' { '1' } else { '0' }).collect()
}

fn own_rows(width: usize) -> String {
    "1".repeat(width) + &"0".repeat(width)
}

fn parse_setting(
    game: &'static str,
    option: &'static OptionInfo,
    width: usize,
    found: &str,
) -> Result<Setting, RuleError> {
    let refuse = |expected: String| RuleError::Setting { game, option: option.name, found: found.to_owned(), expected };
    match option.kind {
        OptionKind::Switch => match found.to_ascii_lowercase().as_str() {
            "true" => Ok(Setting::Switch(true)),
            "false" => Ok(Setting::Switch(false)),
            _ => Err(refuse("true or false".to_owned())),
        },
        OptionKind::Choice(words) => {
            let word = found.to_ascii_lowercase();
            if words.contains(&word.as_str()) {
                Ok(Setting::Word(word))
            } else {
                Err(refuse(format!("one of {}", words.join(", "))))
            }
        }
        OptionKind::Number(first, last) => {
            let number = if found == "w" { Some(width as u8) } else { found.parse().ok() };
            number
                .filter(|number| (first..=last).contains(number))
                .map(Setting::Number)
                .ok_or_else(|| refuse(format!("a number from {first} to {last}, or w for the width")))
        }
        OptionKind::Owners => {
            let owners = if found.is_empty() { own_rows(width) } else { found.to_owned() };
            if owners.len() == 2 * width && owners.chars().all(|digit| matches!(digit, '0' | '1')) {
                Ok(Setting::Word(owners))
            } else {
                Err(refuse(format!("{} digits 0 or 1, the mover's row first", 2 * width)))
            }
        }
    }
}

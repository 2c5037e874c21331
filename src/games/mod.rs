//! The games and their registry. One file states the rules of one game or family; a new game is that file and one
//! entry here.

mod bao_kenya;
mod bao_laps;
mod kalaha;
mod kiothi;
mod kujifunza;
mod nam_nam;
mod oware;

use crate::rules::{Moves, OptionInfo, OptionKind, RuleError, RuleSet, Rules, Turn, Value};

/// A game as the registry knows it.
pub struct Game {
    /// Its name at the command line.
    pub id: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Pits a row on the real board.
    pub width: usize,
    /// Seeds in each pit that is filled at the start.
    pub per_pit: u8,
    /// Its options, in the order in which they are printed.
    pub options: &'static [OptionInfo],
    make: fn(RuleSet) -> Box<dyn Rules>,
}

/// A well-known rule set with a name of its own.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Preset {
    /// Its name at the command line.
    pub id: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// The game it is made of.
    pub game: &'static str,
    /// The rules that differ from the game's defaults.
    pub rules: &'static [&'static str],
}

/// Every game.
pub const GAMES: &[Game] = &[
    Game {
        id: "kalaha",
        title: "Kalaha",
        width: 6,
        per_pit: 4,
        options: kalaha::OPTIONS,
        make: |rules| Box::new(kalaha::Kalaha::new(rules)),
    },
    Game {
        id: "awale",
        title: "Awalé, prise à deux",
        width: 6,
        per_pit: 4,
        options: oware::AWALE_OPTIONS,
        make: |rules| Box::new(oware::Oware::awale(rules)),
    },
    Game {
        id: "oware",
        title: "Oware",
        width: 6,
        per_pit: 4,
        options: oware::OWARE_OPTIONS,
        make: |rules| Box::new(oware::Oware::oware(rules)),
    },
    Game {
        id: "nam-nam",
        title: "Oware Nam Nam, one round",
        width: 6,
        per_pit: 4,
        options: nam_nam::OPTIONS,
        make: |rules| Box::new(nam_nam::NamNam::new(rules)),
    },
    Game {
        id: "bao-kenya",
        title: "Bao, Kenyan children's game",
        width: 8,
        per_pit: 3,
        options: bao_kenya::OPTIONS,
        make: |rules| Box::new(bao_kenya::BaoKenya::new(rules)),
    },
    Game {
        id: "bao-laps",
        title: "Bao, Kenyan, with laps",
        width: 8,
        per_pit: 2,
        options: bao_laps::OPTIONS,
        make: |rules| Box::new(bao_laps::BaoLaps::new(rules)),
    },
    Game {
        id: "kiothi",
        title: "Kiothi",
        width: 10,
        per_pit: 6,
        options: kiothi::OPTIONS,
        make: |rules| Box::new(kiothi::Kiothi::new(rules)),
    },
    Game {
        id: "kujifunza",
        title: "Bao la Kujifunza",
        width: 8,
        per_pit: 2,
        options: kujifunza::OPTIONS,
        make: |rules| Box::new(kujifunza::Kujifunza::new(rules)),
    },
];

/// Every preset.
pub const PRESETS: &[Preset] = &[
    Preset { id: "kalah", title: "Kalah, no empty captures", game: "kalaha", rules: &["empty_capture=false"] },
    Preset { id: "awari", title: "Awari of the literature", game: "oware", rules: &["grand_slam=avoid"] },
    Preset { id: "oware-abapa", title: "Oware Abapa, tournament rule", game: "oware", rules: &["grand_slam=void"] },
];

/// The option of games that share the seeds of a sowing that never stops.
const ENDLESS_DRAW: OptionInfo = OptionInfo {
    name: "endless",
    kind: OptionKind::Choice(&["draw", "illegal"]),
    default: "draw",
    about: "a sowing that never stops shares what is left, or may not be played",
};

/// The game with this id.
#[must_use]
pub fn find(id: &str) -> Option<&'static Game> {
    GAMES.iter().find(|game| game.id == id)
}

/// The rules that `name`, a game or preset, stands for, with `width` pits a row (the game's own if `None`) and
/// `rules` of the form `NAME=VALUE` on top.
///
/// # Errors
/// An unknown name, option or setting, or an unsupported width, with what would have done.
pub fn make(name: &str, width: Option<usize>, rules: &[String]) -> Result<Box<dyn Rules>, RuleError> {
    let preset = PRESETS.iter().find(|preset| preset.id == name);
    let game = find(preset.map_or(name, |preset| preset.game)).ok_or_else(|| {
        let names = || GAMES.iter().map(|game| game.id).chain(PRESETS.iter().map(|preset| preset.id));
        RuleError::Game {
            found: name.to_owned(),
            nearest: crate::rules::nearest(name, names()),
            known: names().collect::<Vec<_>>().join(", "),
        }
    })?;
    let preset_rules = preset.map_or(&[][..], |preset| preset.rules);
    let rules = preset_rules.iter().copied().chain(rules.iter().map(String::as_str));
    Ok((game.make)(RuleSet::new(game.id, game.options, width.unwrap_or(game.width), rules)?))
}

/// How to ask for these rules at the command line.
#[must_use]
pub fn arguments(rule_set: &RuleSet) -> String {
    rule_set.arguments(find(rule_set.game()).map_or(0, |game| game.width))
}

/// Strikes out endless sowings where they are illegal; a player who then has no move shares what is left.
fn strike_endless(moves: &mut Moves, illegal: bool) -> Option<Value> {
    if illegal {
        moves.retain(|(_, sown)| sown.turn != Turn::Endless);
    }
    moves.is_empty().then_some(Value::DRAW)
}

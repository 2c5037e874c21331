//! What a request asks.

use std::sync::Arc;

use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query};

use super::refusal::Refusal;
use super::work::Service;
use crate::games;
use crate::query::{Oracle, parse};
use crate::rules::Rules;
use crate::rules::notation::Position;

/// The game in the path, or why it cannot be read.
pub(super) type GamePath = Result<Path<String>, PathRejection>;

/// The parameters after the question mark, or why they cannot be read.
pub(super) type Parameters = Result<Query<Vec<(String, String)>>, QueryRejection>;

/// A request about one rule set.
pub(super) struct Ask {
    /// Who answers.
    pub oracle: Arc<Oracle>,
    position: Option<String>,
    per_pit: u8,
    /// The move that is asked about.
    pub mv: Option<String>,
    /// Moves of the line; as many as may be if nothing is said.
    pub line: Option<usize>,
    /// The layer that is asked about.
    pub seeds: Option<u8>,
}

impl Ask {
    /// Reads a request that may carry the parameters `known` beside those that name the rules.
    pub(super) fn read(
        service: &Service,
        game: GamePath,
        parameters: Parameters,
        known: &[&str],
    ) -> Result<Self, Refusal> {
        let Path(name) = game.map_err(|error| Refusal::Parameter(error.body_text()))?;
        let Query(parameters) = parameters.map_err(|error| Refusal::Parameter(error.body_text()))?;
        let (mut pits, mut rules, mut per_pit) = (None, Vec::new(), None);
        let (mut position, mut mv, mut seeds, mut line) = (None, None, None, None);
        for (key, value) in parameters {
            match key.as_str() {
                "pits" => pits = Some(number(&key, &value)?),
                "rule" => rules.push(value),
                "per_pit" if known.contains(&"position") => per_pit = Some(number(&key, &value)?),
                "position" if known.contains(&"position") => position = Some(value),
                "move" if known.contains(&"move") => mv = Some(value),
                "line" if known.contains(&"line") => line = Some(number(&key, &value)?),
                "seeds" if known.contains(&"seeds") => seeds = Some(number(&key, &value)?),
                _ => {
                    let known = known.join(", ");
                    let key: String = key.chars().take(24).collect();
                    return Err(Refusal::Parameter(format!(
                        "unknown parameter '{key}'; expected pits, rule{}{known}",
                        if known.is_empty() { "" } else { ", " }
                    )));
                }
            }
        }
        let rules = games::make(&name, pits, &rules)?;
        let own_filling = games::find(rules.rule_set().game()).map_or(0, |game| game.per_pit);
        let oracle = service.oracles.of(rules, &service.config);
        Ok(Self { oracle, position, per_pit: per_pit.unwrap_or(own_filling), mv, seeds, line })
    }

    /// The rules.
    pub(super) fn rules(&self) -> &dyn Rules {
        self.oracle.database().rules().as_ref()
    }

    /// The position, which must be given.
    pub(super) fn position(&self) -> Result<Position, Refusal> {
        let missing = || Refusal::Parameter("no position; give one as position=own / other, or position=start".into());
        let text = self.position.as_ref().ok_or_else(missing)?;
        Ok(parse(self.rules(), text, self.per_pit)?)
    }
}

fn number<T: std::str::FromStr>(name: &str, text: &str) -> Result<T, Refusal> {
    text.parse().map_err(|_| {
        let found: String = text.chars().take(24).collect();
        Refusal::Parameter(format!("{name} is '{found}', expected a small whole number"))
    })
}

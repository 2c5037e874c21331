//! The oracles of the rule sets that were asked about last.

use std::sync::{Arc, Mutex, PoisonError};

use super::Config;
use crate::database::Database;
use crate::games;
use crate::query::Oracle;
use crate::rules::Rules;

/// Oracles by rule set, the one used last at the end. Their number is bounded, since anyone can name any rule set.
#[derive(Default)]
pub(super) struct Oracles {
    latest: Mutex<Vec<(String, Arc<Oracle>)>>,
}

impl Oracles {
    /// The oracle of `rules`. The one that was not used for longest makes way; questions it still answers go on.
    pub(super) fn of(&self, rules: Box<dyn Rules>, config: &Config) -> Arc<Oracle> {
        // The rule set's text would not do: owners seen from either seat are one text, but two ways to read positions.
        let name = games::arguments(rules.rule_set());
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = match latest.iter().position(|(known, _)| *known == name) {
            Some(place) => latest.remove(place),
            None => {
                let database = Database::new(Arc::from(rules), &config.dir, config.access);
                if latest.len() >= config.limits.rule_sets {
                    latest.remove(0);
                }
                (name, Arc::new(Oracle::new(database, config.limits.reach)))
            }
        };
        let oracle = Arc::clone(&entry.1);
        latest.push(entry);
        oracle
    }
}

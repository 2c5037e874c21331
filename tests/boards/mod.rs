//! Small solved boards for the tests.

use std::sync::Arc;

use sowbase::rules::Rules;
use sowbase::solve::{Lower, SolvedLayer, Unwatched, solve};

/// Solves every layer that positions of `seeds` seeds need, in memory.
pub fn solve_up_to(rules: &dyn Rules, seeds: u8) -> Lower {
    let mut lower = Lower::default();
    for layer in rules.layers(seeds) {
        let solved = solve(rules, layer, &lower, &Unwatched).expect("small layers can be solved");
        lower.insert(Arc::new(solved));
    }
    lower
}

/// The layer of `seeds` seeds with all pits open.
pub fn last_layer<'a>(rules: &dyn Rules, lower: &'a Lower, seeds: u8) -> &'a SolvedLayer {
    let layer = rules.layers(seeds).into_iter().find(|layer| layer.seeds == seeds && layer.closed == 0);
    lower.get(layer.expect("the layer is listed")).expect("the layer is solved")
}

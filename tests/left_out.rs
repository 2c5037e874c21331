//! What tables leave out is found again by probing and by loading.

mod boards;

use std::path::Path;
use std::sync::Arc;

use sowbase::database::{BuildOptions, Database};
use sowbase::rules::Rules;
use sowbase::solve::{Lower, Unwatched};
use sowbase::table::Access;

fn build(rules: Box<dyn Rules>, seeds: u8, dir: &Path) -> Database {
    let database = Database::new(Arc::from(rules), dir, Access::Read);
    let plan = database.plan(seeds, 0).expect("a plan");
    database.build(&plan, BuildOptions::default(), &Unwatched).expect("tables");
    database
}

#[test]
fn positions_left_out_have_their_values() {
    for words in ["oware", "oware grand_slam=avoid", "oware grand_slam=void", "awale", "awale chain_own=true", "kalaha"]
    {
        for (width, seeds) in [(2, 9), (3, 8)] {
            let folder = tempfile::tempdir().expect("a folder");
            let rules = boards::rules_of(words, width);
            let solved = boards::solve_up_to(rules.as_ref(), seeds);
            let database = build(rules, seeds, folder.path());
            let mut left_out = 0;
            for layer in database.layers().expect("layers") {
                let open = database.layer(layer).expect("a whole table").expect("a table");
                left_out += u32::from(open.table.leaves_out());
                let expected = solved.get(layer).expect("a solved layer");
                let loaded = database.load(layer, &mut Lower::default()).expect("a whole table").expect("a table");
                assert_eq!(loaded.values, expected.values, "{words} {width} {layer}");
                open.index.walk(0..open.index.size(), |rank, board| {
                    let found = database.probe(board).expect("whole tables").expect("a table");
                    assert_eq!(found.0, expected.values.get(rank), "{words} {board:?}");
                });
            }
            let half_rows = database.rules().half_rows().is_some_and(|halves| !halves.acyclic());
            assert_eq!(left_out > 0, half_rows, "{words} {width}");
        }
    }
}

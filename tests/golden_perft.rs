//! Counts of move sequences, published or from an independent program (tests/golden/perft.txt).

use sowbase::{games, rules};

#[test]
fn move_sequences_number_as_the_golden_counts() {
    let mut lines = 0;
    for line in include_str!("golden/perft.txt").lines().filter(|line| !line.starts_with('#')) {
        let (setup, counts) = line.split_once(':').expect("a setup, a colon, counts");
        let [game, width, per_pit] = setup.split(' ').collect::<Vec<_>>()[..] else {
            panic!("'{setup}' should be a game, pits a row and seeds a pit")
        };
        let width = width.parse().expect("a width");
        let per_pit = per_pit.parse().expect("seeds a pit");
        let rules = games::make(game, Some(width), &[]).expect("a name of the registry");
        let start = rules.initial(per_pit);
        for (depth, count) in (1..).zip(counts.split_whitespace()) {
            let found: u64 = rules::perft(rules.as_ref(), &start, depth).iter().map(|(_, leaves)| leaves).sum();
            assert_eq!(found.to_string(), count, "{setup}, depth {depth}");
        }
        lines += 1;
    }
    assert_eq!(lines, 13);
}

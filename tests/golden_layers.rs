//! Layer counts, sums and checksums of small boards, from an independent program (tests/golden/layers.txt).

mod boards;

use std::collections::HashMap;

use sowbase::games;

#[test]
fn layers_have_the_golden_checksums() {
    let mut lines = 0;
    for line in include_str!("golden/layers.txt").lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split_whitespace();
        let game = words.next().expect("a game");
        let golden: HashMap<&str, &str> = words.filter_map(|word| word.split_once('=')).collect();
        let width = golden["w"].parse().expect("a width");
        let seeds = golden["n"].parse().expect("seeds");
        let rules = games::make(game, Some(width), &[]).expect("a game of the registry");
        let lower = boards::solve_up_to(rules.as_ref(), seeds);
        let layer = boards::last_layer(rules.as_ref(), &lower, seeds);
        let mut values = Vec::new();
        layer.index.walk_lexicographic(|board| values.push(layer.values.get(layer.index.rank(board))));
        let bytes: Vec<u8> = values
            .iter()
            .map(|&value| if rules.scoring() == sowbase::rules::Scoring::Outcome { value.signum() } else { value })
            .map(|value| value as u8)
            .collect();
        let signed: Vec<i64> = bytes.iter().map(|&byte| i64::from(byte as i8)).collect();
        let found = format!(
            "pos={} win={} zero={} loss={} sum={} abs={} crc={:08x}",
            signed.len(),
            signed.iter().filter(|&&v| v > 0).count(),
            signed.iter().filter(|&&v| v == 0).count(),
            signed.iter().filter(|&&v| v < 0).count(),
            signed.iter().sum::<i64>(),
            signed.iter().map(|v| v.abs()).sum::<i64>(),
            crc32fast::hash(&bytes),
        );
        assert!(line.ends_with(&found), "{line}\nfound {found}");
        lines += 1;
    }
    assert_eq!(lines, 29);
}

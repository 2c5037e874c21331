//! How many values of small boards a different setting changes, by an independent program.

mod boards;

use rayon::prelude::*;
use sowbase::rules::{Layer, Scoring};

/// Positions of up to `most` seeds whose result under the rules of `one` and of `two` differs, and all of them.
fn differing(one: &str, two: &str, width: usize, most: u8) -> (usize, usize) {
    let [one, two] = [one, two].map(|words| boards::rules_of(words, width));
    let [one_lower, two_lower] = [&one, &two].map(|rules| boards::solve_all(rules.as_ref(), most));
    let result = |value: i16| if one.scoring() == Scoring::Outcome { value.signum() } else { value };
    let (mut differ, mut all) = (0, 0);
    for layer in (0..=most).map(Layer::of) {
        one_lower.get(layer).expect("the layer is solved").index.walk_lexicographic(|board| {
            let [a, b] = [(&one, &one_lower), (&two, &two_lower)]
                .map(|(rules, lower)| result(boards::value(rules.as_ref(), lower, board)));
            differ += usize::from(a != b);
            all += 1;
        });
    }
    (differ, all)
}

#[test]
fn settings_change_so_many_values() {
    let cases = [
        ("kalaha", "kalaha empty_capture=false", 4, 7, (965, 6435)),
        ("awale", "awale grand_slam=void", 4, 7, (113, 6435)),
        ("awale", "awale grand_slam=allow", 4, 7, (773, 6435)),
        ("awale", "awale chain_own=true", 4, 7, (84, 6435)),
        ("oware", "oware grand_slam=void", 4, 7, (887, 6435)),
        ("oware", "oware grand_slam=avoid", 4, 7, (830, 6435)),
        ("bao-kenya", "bao-kenya take_own=true", 4, 7, (685, 6435)),
        ("bao-laps", "bao-laps take_own=true", 4, 7, (4295, 6435)),
        ("kiothi", "kiothi crossed_in=lap", 4, 7, (2817, 6435)),
        ("kiothi", "kiothi chain_max=1", 4, 7, (1135, 6435)),
        ("bao-laps", "bao-laps endless=illegal", 4, 8, (161, 12_870)),
        ("kiothi", "kiothi endless=illegal", 4, 8, (107, 12_870)),
        ("nam-nam", "nam-nam endless=illegal", 3, 8, (10, 3003)),
        ("kujifunza", "kujifunza endless=draw", 2, 9, (294, 24_310)),
        ("kujifunza", "kujifunza own_front=during", 2, 9, (496, 24_310)),
        ("kujifunza", "kujifunza lone_end=inward", 2, 9, (496, 24_310)),
        ("kujifunza", "kujifunza central=first", 2, 9, (0, 24_310)),
    ];
    cases.par_iter().for_each(|&(one, two, width, most, expected)| {
        assert_eq!(differing(one, two, width, most), expected, "{one} against {two}");
    });
}

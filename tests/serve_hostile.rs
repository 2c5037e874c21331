//! Whatever is asked, the service answers, soon, in JSON, and with nothing worse than a refusal.
#![cfg(feature = "serve")]

mod serve_support;

use std::path::Path;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use axum::http::{Request, Uri};
use proptest::prelude::*;
use serve_support::{Served, encode};
use sowbase::serve::Limits;

// No tables: whatever is answered is solved on the spot.
static SERVED: LazyLock<Served> = LazyLock::new(|| {
    let time = Duration::from_secs(60);
    Served::with(Path::new("no-such-folder"), Limits { time, ..Limits::default() })
});

fn ask(target: &str) {
    let Ok(uri) = target.parse::<Uri>() else { return };
    let Ok(request) = Request::builder().uri(uri).body(()) else { return };
    let begin = Instant::now();
    let came = SERVED.send(&request);
    assert!([200, 400, 404, 414].contains(&came.status.as_u16()), "{target}: {}", came.status);
    if came.status != 200 {
        assert!(came.json()["error"].is_string(), "{target}");
    }
    assert!(begin.elapsed() < Duration::from_secs(30), "{target} took {:?}", begin.elapsed());
}

fn games() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => prop::sample::select(vec![
            "kalaha", "awale", "oware", "nam-nam", "bao-kenya", "bao-laps", "kiothi", "kujifunza", "kalah", "awari",
        ]).prop_map(str::to_owned),
        1 => ".{0,40}".prop_map(|text| encode(&text)),
        1 => prop::sample::select(vec!["..%2f..%2fetc%2fpasswd", "%00", "oware%2f", "OWARE", "%ff%fe", "games"])
            .prop_map(str::to_owned),
    ]
}

fn counts() -> impl Strategy<Value = String> {
    let count = prop_oneof![
        8 => (0..3_u32).prop_map(|seeds| seeds.to_string()),
        1 => any::<i64>().prop_map(|seeds| seeds.to_string()),
        1 => "[0-9]{1,40}",
        1 => "[0-9*+eE.x-]{0,5}",
    ];
    let row = prop::collection::vec(count, 0..12).prop_map(|counts| counts.join(" "));
    let fitting = (prop::sample::select(vec![6_usize, 8, 10]), prop::sample::select(vec![2_usize, 4]))
        .prop_flat_map(|(pits, rows)| prop::collection::vec(prop::collection::vec(0..4_u8, pits), rows))
        .prop_map(|rows| {
            let text = |row: &Vec<u8>| row.iter().map(|&seeds| (seeds / 3).to_string()).collect::<Vec<_>>().join(" ");
            rows.iter().map(text).collect::<Vec<_>>().join(" / ")
        });
    prop_oneof![
        4 => fitting,
        4 => prop::collection::vec(row, 0..5).prop_map(|rows| rows.join(" / ")),
        1 => Just("start".to_owned()),
        1 => ".{0,60}",
    ]
}

fn parameters() -> impl Strategy<Value = (String, String)> {
    prop_oneof![
        4 => counts().prop_map(|text| ("position".to_owned(), text)),
        1 => any::<i128>().prop_map(|number| ("pits".to_owned(), number.to_string())),
        2 => (0..13_u8).prop_map(|number| ("pits".to_owned(), number.to_string())),
        1 => any::<u16>().prop_map(|number| ("per_pit".to_owned(), number.to_string())),
        1 => any::<u16>().prop_map(|number| ("seeds".to_owned(), number.to_string())),
        1 => "[ob]?[0-9]{0,3}[<>-]?".prop_map(|text| ("move".to_owned(), text)),
        2 => prop::sample::select(vec![
            "grand_slam=void", "flags=true", "endless=illegal", "owners=1", "owners=é", "chain_max=w", "=", "a=b=c", "last=0",
        ]).prop_map(|text| ("rule".to_owned(), text.to_owned())),
        1 => (".{0,12}", ".{0,200}"),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn questions(
        game in games(),
        end in prop::sample::select(vec!["", "/line", "/sow", "/stats", "/", "/line/..", "//"]),
        parameters in prop::collection::vec(parameters(), 0..6),
    ) {
        let query: Vec<String> =
            parameters.iter().map(|(name, value)| format!("{}={}", encode(name), encode(value))).collect();
        ask(&format!("/v1/{game}{end}?{}", query.join("&")));
    }

    #[test]
    fn targets(target in "/[ -~]{0,120}") {
        ask(&target);
    }

    #[test]
    fn long_targets(length in 0_usize..60_000, byte in prop::sample::select(vec!["a", "%2e", "/", "+", "1,"])) {
        ask(&format!("/v1/oware?position={}", byte.repeat(length / byte.len())));
    }
}

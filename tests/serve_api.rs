//! The HTTP API says what the command line says, in the shape that its description promises.
#![cfg(feature = "serve")]

mod serve_support;

use std::sync::Arc;

use axum::http::{Method, Request, StatusCode};
use serde_json::Value as Json;
use serve_support::{Served, build, encode};
use sowbase::database::Database;
use sowbase::games;
use sowbase::query::{Oracle, Reach, parse};
use sowbase::serve::Limits;
use sowbase::table::Access;

/// A position of each game whose layers are small.
const POSITIONS: [(&str, &str); 8] = [
    ("kalaha", "0 0 0 1 0 1 / 2 0 0 0 1 0"),
    ("awale", "1 0 0 0 0 1 / 0 1 0 0 1 0"),
    ("oware", "0 0 0 1 0 1 / 1 0 0 0 0 0 : 10-8"),
    ("nam-nam", "0 0 0 1 0 1 / 3 0 0 1 1 1"),
    ("bao-kenya", "0 0 0 0 0 2 0 1 / 1 0 0 0 0 0 0 1"),
    ("bao-laps", "0 0 2 0 0 1 0 0 / 0 1 0 0 0 0 0 1"),
    ("kiothi", "0 0 0 0 0 0 0 0 2 0 / 0 0 0 0 0 0 0 1 0 1"),
    ("kujifunza", "0 0 0 0 2 0 0 0 / 0 0 0 0 0 0 0 0 / 0 1 0 1 0 0 0 0 / 0 0 0 0 0 0 0 0"),
];

#[test]
fn every_game_is_answered_as_the_command_line_answers_it() {
    let dir = tempfile::tempdir().expect("a folder");
    let served = Served::over(dir.path());
    for (game, text) in POSITIONS {
        let rules = games::make(game, None, &[]).expect("a game");
        let oracle = Oracle::new(Database::new(Arc::from(rules), dir.path(), Access::Read), Reach::default());
        let position = parse(oracle.database().rules().as_ref(), text, 4).expect("a position");
        let (expected, _) = oracle.answer(&position).expect("an answer");
        let query = format!("position={}", encode(text));
        let (status, json) = served.described("/v1/{game}", &format!("/v1/{game}?{query}"));
        assert_eq!(status, StatusCode::OK);
        assert_eq!(json, Json::Object(expected.json()), "{game}");
        let (status, line) = served.described("/v1/{game}/line", &format!("/v1/{game}/line?{query}"));
        assert_eq!(status, StatusCode::OK);
        let last = line["walk"].as_array().and_then(|walk| walk.last()).and_then(|step| step["turn"].as_u64());
        assert_eq!(last.map(|turn| turn as usize + 1), Some(expected.line.len()), "{game}");
        for mv in &expected.moves {
            let target = format!("/v1/{game}/sow?{query}&move={}", encode(&mv.name));
            let (status, sowing) = served.described("/v1/{game}/sow", &target);
            assert_eq!(status, StatusCode::OK);
            let after = mv.after.as_ref().map(|after| after.text.as_str());
            assert_eq!(sowing["after"]["text"].as_str(), after, "{game} {}", mv.name);
        }
    }
}

#[test]
fn games_health_and_description_are_served() {
    let dir = tempfile::tempdir().expect("a folder");
    let served = Served::over(dir.path());
    let (_, games) = served.described("/v1/games", "/v1/games");
    assert_eq!(games["games"].as_array().map(Vec::len), Some(8));
    let (_, health) = served.described("/healthz", "/healthz");
    assert_eq!(health["ok"], true);
    let page = served.get("/");
    assert_eq!(page.status, StatusCode::OK);
    for file in String::from_utf8_lossy(&page.body).split('"').filter(|text| text.starts_with("explorer.")) {
        assert_eq!(served.get(&format!("/{file}")).status, StatusCode::OK, "{file}");
    }
}

#[test]
fn what_is_wrong_is_told() {
    let dir = tempfile::tempdir().expect("a folder");
    let served = Served::over(dir.path());
    for (query, status, reason) in [
        ("oware?position=1+2+3", 400, "found 1 row"),
        ("oware?position=1+2+3+4+5+x+/+0+0+0+0+0+0", 400, "pit 6 of the own row is 'x'"),
        ("oware", 400, "no position"),
        ("oware?position=start&pits=11", 400, "11 pits"),
        ("oware?position=start&pits=99999999999999999999", 400, "pits is"),
        ("oware?position=start&rule=grand_slam%3Dmaybe", 400, "avoid, void, allow"),
        ("oware?position=start&colour=red", 400, "unknown parameter 'colour'"),
        ("chess?position=start", 404, "unknown game"),
        ("oware?position=start", 404, "48 seeds are not covered"),
    ] {
        let (found, json) = served.described("/v1/{game}", &format!("/v1/{query}"));
        let told = json["error"].as_str().unwrap_or_default();
        assert_eq!(found.as_u16(), status, "{query}: {told}");
        assert!(told.contains(reason), "{query}: {told}");
    }
    let (status, json) = served.described("/v1/{game}/sow", "/v1/oware/sow?position=start&move=9");
    assert_eq!(status, StatusCode::BAD_REQUEST);
    assert!(json["error"].as_str().is_some_and(|told| told.contains("1, 2, 3, 4, 5, 6")));
    assert_eq!(served.described("/v1/{game}/stats", "/v1/oware/stats").0, StatusCode::NOT_FOUND);
    assert_eq!(served.get(&format!("/v1/oware?position={}", "1+".repeat(2000))).status, StatusCode::URI_TOO_LONG);
    assert_eq!(served.method(Method::POST, "/v1/games").status, StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(served.get("/v1/oware/../../etc/passwd").status, StatusCode::NOT_FOUND);
}

#[test]
fn bounds_are_given_where_the_tables_end() {
    let dir = tempfile::tempdir().expect("a folder");
    build(dir.path(), "oware", None, 4);
    let limits = Limits { reach: Reach { build: 0, ..Reach::default() }, ..Limits::default() };
    let served = Served::with(dir.path(), limits);
    let (status, json) = served.described("/v1/{game}", "/v1/oware?position=0+1+0+0+0+0+/+0+1+1+1+1+1");
    assert_eq!(status, StatusCode::NOT_FOUND);
    assert_eq!(json["covered"]["seeds"], serde_json::json!([0, 1, 2, 3, 4]));
    assert_eq!(json["answer"]["exact"], false);
    assert_eq!(json["build"], "sowbase build oware --seeds 6");
    let (status, json) = served.described("/v1/{game}/stats", "/v1/oware/stats?seeds=4");
    assert_eq!(status, StatusCode::OK);
    assert_eq!(json["layers"][0]["positions"], 1365);
}

#[test]
fn a_damaged_table_is_a_fault_of_the_server() {
    let dir = tempfile::tempdir().expect("a folder");
    let database = build(dir.path(), "oware", None, 4);
    let layer = *database.layers().expect("layers").last().expect("a layer");
    let file = database.file(layer);
    let bytes = std::fs::read(&file).expect("the table");
    std::fs::write(&file, &bytes[..bytes.len() / 2]).expect("a shorter table");
    let served = Served::over(dir.path());
    let (status, json) = served.described("/v1/{game}", "/v1/oware?position=0+0+0+1+0+1+/+1+1+0+0+0+0");
    assert_eq!(status, StatusCode::INTERNAL_SERVER_ERROR);
    let told = json["error"].as_str().expect("a reason");
    assert!(told.contains("004.sow"), "{told}");
    assert!(!told.contains(&dir.path().display().to_string()), "{told}");
}

#[test]
fn answers_may_be_kept_and_read_by_other_pages() {
    let dir = tempfile::tempdir().expect("a folder");
    let served = Served::over(dir.path());
    let target = "/v1/oware?position=0+0+0+1+0+1+/+1+0+0+0+0+0";
    let came = served.get(target);
    assert_eq!(came.headers["access-control-allow-origin"], "*");
    assert!(came.headers["cache-control"].to_str().is_ok_and(|text| text.contains("max-age")));
    let again = Request::builder().uri(target).header("if-none-match", &came.headers["etag"]).body(());
    let again = served.send(&again.expect("a request"));
    assert_eq!(again.status, StatusCode::NOT_MODIFIED);
    assert!(again.body.is_empty());
    let preflight = served.method(Method::OPTIONS, target);
    assert_eq!(preflight.status, StatusCode::NO_CONTENT);
    assert_eq!(preflight.headers["access-control-allow-methods"], "GET, HEAD");
    let refused = served.get("/v1/oware?position=1");
    assert_eq!(refused.headers["cache-control"], "no-store");
}

#[test]
fn many_rule_sets_are_answered_with_few_kept_open() {
    let dir = tempfile::tempdir().expect("a folder");
    let served = Served::with(dir.path(), Limits { rule_sets: 2, ..Limits::default() });
    for owners in 0..32_u32 {
        let target = format!("/v1/nam-nam?pits=3&rule=owners%3D{owners:06b}&position=0+1+0+/+1+0+1");
        let (status, _) = served.described("/v1/{game}", &target);
        assert_eq!(status, StatusCode::OK, "{owners:06b}");
    }
}

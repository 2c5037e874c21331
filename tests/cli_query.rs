//! Answers to queries, game by game.

mod cli_support;

use cli_support::{Folder, keys, objects, sowbase, text};
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::{Value as Json, json};

fn values(answer: &Json) -> Vec<i64> {
    answer["moves"].as_array().expect("moves").iter().map(|mv| mv["value"].as_i64().expect("a value")).collect()
}

#[test]
fn an_answer_has_the_documented_shape() {
    let answer = Folder::new().query("oware", "0 0 0 1 0 1 / 1 0 0 0 0 0");
    let fields = [
        "game",
        "rules",
        "position",
        "seeds",
        "exact",
        "value",
        "outcome",
        "best",
        "moves",
        "play",
        "line",
        "line_ends",
    ];
    assert_eq!(keys(&answer), fields);
    assert_eq!(answer["rules"], json!({"pits": 6, "grand_slam": "allow"}));
    assert_eq!(answer["position"]["own"], json!([0, 0, 0, 1, 0, 1]));
    assert_eq!(answer["position"]["other"], json!([1, 0, 0, 0, 0, 0]));
    let fields = ["move", "pit", "gain", "gain_other", "again", "value", "best", "after"];
    assert_eq!(keys(&answer["moves"][0]), fields);
    assert_eq!(answer["moves"][1]["after"]["other"], json!([0, 0, 0, 1, 0, 0]));
    assert_eq!((&answer["seeds"], &answer["exact"]), (&json!(3), &json!(true)));
    assert_eq!((&answer["value"], &answer["outcome"]), (&json!(3), &json!("win")));
    assert_eq!(values(&answer), [-3, 3]);
    assert_eq!(answer["best"], json!(["6"]));
    assert_eq!((&answer["play"], &answer["line"], &answer["line_ends"]), (&json!("6"), &json!(["6"]), &json!("over")));
}

#[test]
fn an_answer_for_people_has_all_of_it() {
    sowbase("query oware")
        .arg("0 0 0 1 0 1 / 1 0 0 0 0 0 : 20-25")
        .assert()
        .success()
        .stdout(
            "oware pits=6 grand_slam=allow  0 0 0 1 0 1 / 1 0 0 0 0 0\n\
             value: +3, final score 23-25 (loss)\n     \
             4: -3            -> 1 0 0 0 0 0 / 0 0 0 0 1 1\n\
             *    6: +3           wins 2  -> 0 0 0 0 0 0 / 0 0 0 1 0 0\n\
             play: 6\n\
             line: 6 (play is over)\n",
        )
        .stderr(contains("4 layer(s) up to 3 seeds have no table and were solved in "))
        .stderr(contains("keep them with: sowbase build oware --seeds 3\n"));
}

#[test]
fn positions_are_read_with_commas_blanks_quotes_or_without() {
    let first = sowbase("query kalaha --pits 3 --json").arg("1 2 3 / 0 0 1").assert().success();
    for words in [&["1,2,3/0,0,1"][..], &["1 2,  3 /0 ,0\t1"], &["1", "2", "3", "/", "0", "0", "1"]] {
        let again = sowbase("query kalaha --pits 3 --json").args(words).assert().success();
        assert_eq!(again.get_output().stdout, first.get_output().stdout, "{words:?}");
    }
    let output =
        sowbase("query kalaha --pits 3 --json --per-pit 1").args(["1 2 3 / 0 0 1", "start"]).assert().success();
    let seeds: Vec<Json> = objects(output.get_output()).iter().map(|answer| answer["seeds"].clone()).collect();
    assert_eq!(seeds, [7, 6]);
}

#[test]
fn seeds_won_before_decide_the_outcome() {
    let answer = Folder::new().query("kalaha --pits 3", "1 2 3 / 0 0 1 : 3-9");
    assert_eq!((&answer["value"], &answer["won"], &answer["final"]), (&json!(5), &json!([3, 9]), &json!([9.0, 10.0])));
    assert_eq!(answer["outcome"], "loss");
    // Three seeds that walk round for ever are shared.
    let answer = Folder::new().query("oware", "0 0 0 0 1 0 / 0 0 0 0 0 1 : 3-2");
    assert_eq!(
        (&answer["value"], &answer["outcome"], &answer["line_ends"]),
        (&json!(0), &json!("win"), &json!("repetition"))
    );
    assert_eq!(answer["final"], json!([4.0, 3.0]));
}

#[test]
fn a_finished_position_has_a_value_and_no_moves() {
    let answer = Folder::new().query("kalaha", "0 0 0 0 0 0 / 2 0 0 0 0 3");
    assert_eq!((&answer["over"], &answer["value"], &answer["moves"]), (&json!(true), &json!(-5), &json!([])));
    assert_eq!((&answer["best"], &answer["line"]), (&json!([]), &json!([])));
    sowbase("query kalaha").arg("0 0 0 0 0 0 / 2 0 0 0 0 3").assert().success().stdout(contains("play is over"));
}

#[test]
fn a_batch_goes_on_after_bad_lines() {
    let lines = "0 0 0 0 0 1 / 1 0 0 0 0 0\nnonsense\n\n1 2 3\n1 2 3 4 5 x / 0 0 0 0 0 0\n0 0 0 0 0 1 / 0 0 0 0 0 2\n";
    let assert = sowbase("query kalaha - --json").write_stdin(lines).assert().code(2);
    let objects = objects(assert.get_output());
    let failed: Vec<bool> = objects.iter().map(|object| keys(object) == ["error", "input"]).collect();
    assert_eq!(failed, [false, true, true, true, false]);
    assert_eq!(objects[1]["input"], "nonsense");
    assert_eq!(
        objects[2]["error"],
        "found 1 row(s) separated by '/', expected 2: own / other, each from its owner's left to right"
    );
    assert_eq!(objects[3]["error"], "pit 6 of the own row is 'x', expected a number of seeds from 0 to 127");
    assert_eq!((&objects[0]["value"], &objects[4]["value"]), (&json!(0), &json!(-1)));

    sowbase("query kalaha -")
        .write_stdin(lines)
        .assert()
        .code(2)
        .stdout(contains("value: +0").and(contains("value: -1")))
        .stderr(contains("sowbase: 'nonsense': found 1 row(s)"));
    // Bytes that are no text are one more bad line.
    let assert =
        sowbase("query kalaha - --json").write_stdin(&b"\xff\xfe\n0 0 0 0 0 1 / 0 0 0 0 0 2\r\n"[..]).assert().code(2);
    assert_eq!(cli_support::objects(assert.get_output()).len(), 2);
    sowbase("query kalaha - --json").write_stdin("").assert().success().stdout("");
}

#[test]
fn the_worst_line_of_a_batch_gives_the_exit_code() {
    let covered = "0 0 0 0 0 1 / 1 0 0 0 0 0\n";
    sowbase("query kalaha -").write_stdin(format!("start\n{covered}")).assert().code(1);
    sowbase("query kalaha -").write_stdin(format!("start\nbad\n{covered}")).assert().code(2);
}

#[test]
fn what_the_tables_do_not_reach_gets_bounds() {
    let position = "1 1 0 0 0 0 / 0 0 0 0 0 2";
    let assert = sowbase("query oware --no-build --json").arg(position).assert().code(1);
    let answer = objects(assert.get_output()).remove(0);
    assert_eq!((&answer["exact"], &answer["lower"], &answer["upper"]), (&json!(false), &json!(-4), &json!(4)));
    assert!(answer.get("value").is_none() && answer.get("play").is_none());
    sowbase("query oware --no-build")
        .arg(position)
        .assert()
        .code(1)
        .stdout(contains("value: -4..+4\n"))
        .stderr("sowbase: the tables do not reach this position; build them with: sowbase build oware --seeds 4\n");

    let folder = Folder::new();
    folder.done("build oware --seeds 4 --quiet");
    let assert = folder.sowbase("query oware --no-build --json").arg(position).assert().success().stderr("");
    assert_eq!(objects(assert.get_output())[0]["exact"], true);
}

#[test]
fn tables_and_layers_solved_on_the_spot_answer_alike() {
    let folder = Folder::new();
    folder.done("build awale --pits 3 --seeds 9 --quiet");
    let positions = "1 2 3 / 0 2 1\n0 0 4 / 1 2 0\n3 3 0 / 1 1 1\n0 1 0 / 0 0 1\nstart\n";
    let ask = |command: &mut assert_cmd::Command| {
        text(&command.args(["--per-pit", "1"]).write_stdin(positions).assert().success().get_output().stdout)
    };
    let from_tables = ask(&mut folder.sowbase("query awale --pits 3 - --json --no-build"));
    assert_eq!(ask(&mut sowbase("query awale --pits 3 - --json")), from_tables);
    assert_eq!(ask(&mut folder.sowbase("query awale --pits 3 - --json --no-mmap")), from_tables);
}

/// With its table there, a position has a value; the value of a move into a layer without one must still be found,
/// or `best` would lack it.
#[test]
fn a_missing_lower_layer_hides_no_move() {
    let folder = Folder::new();
    folder.done("build oware --pits 3 --seeds 6 --quiet");
    let position = "1 0 1 / 1 1 2";
    let whole = folder.query("oware --pits 3", position);
    for seeds in 0..6 {
        std::fs::remove_file(folder.path().join(format!("oware-3/{seeds:03}.sow"))).expect("the table was there");
        let answer = folder.query("oware --pits 3", position);
        for field in ["value", "best", "moves", "play"] {
            assert_eq!(answer[field], whole[field], "{field} without layer {seeds}");
        }
    }
    let before = folder.files("oware-3");
    assert_eq!(folder.json("build oware --pits 3 --seeds 6 --json").len(), 6);
    assert_eq!(folder.files("oware-3")["006.sow"], before["006.sow"]);
}

#[test]
fn initial_positions_have_the_golden_values() {
    for (rules, value, moves) in [
        ("kalaha --pits 3 --per-pit 2", 4, &[-8, 4, 0][..]),
        ("kalaha --pits 4 --per-pit 2", 6, &[-12, -10, 4, 6]),
        ("kalaha --pits 3 --per-pit 3", 2, &[2, 2, -6]),
        ("kalah --pits 3 --per-pit 3", 2, &[2, 2, -4]),
        ("kalaha --per-pit 1", 2, &[0, 0, 0, -2, -2, 2]),
        ("oware --pits 3 --per-pit 2", 3, &[-2, 3, 0]),
        ("awale --pits 3 --per-pit 2", -2, &[-2, -2, -2]),
    ] {
        let folder = Folder::new();
        let opening = folder.json(&format!("openings {rules} --json")).remove(0);
        assert_eq!(opening["value"], value, "openings {rules}");
        assert_eq!(values(&opening), moves, "openings {rules}");
        assert!(opening["nodes"].is_u64() && opening["seconds"].is_f64());
        let query = folder.query(rules, "start");
        assert_eq!((&query["value"], values(&query)), (&json!(value), moves.to_vec()), "query {rules} start");
    }
    sowbase("openings kalaha --pits 3 --per-pit 2").assert().success().stdout(contains("value: +4 (win)"));
}

#[test]
fn every_move_of_the_best_value_is_listed() {
    let answer = Folder::new().query("awale --pits 3 --per-pit 2", "start");
    assert_eq!(answer["best"], json!(["1", "2", "3"]));
    let flags: Vec<&Json> = answer["moves"].as_array().expect("moves").iter().map(|mv| &mv["best"]).collect();
    assert_eq!(flags, [true, true, true]);
}

#[test]
fn an_extra_turn_keeps_the_view() {
    let answer = Folder::new().query("kalaha --per-pit 1", "start");
    assert_eq!((&answer["best"], &answer["moves"][5]["again"]), (&json!(["6"]), &json!(true)));
    assert_eq!(answer["moves"][5]["after"]["own"], json!([1, 1, 1, 1, 1, 0]));
}

#[test]
fn an_endless_sowing_has_a_value_and_no_position_after_it() {
    // Layers of eight pits a row up to eleven seeds are too many to be solved on the spot; the move needs none.
    let answer = Folder::new().query("bao-laps --no-build", "2 0 1 0 1 0 1 0 / 1 0 1 0 2 1 0 1");
    let mv = &answer["moves"][0];
    assert_eq!((&mv["endless"], &mv["value"], mv.get("after")), (&json!(true), &json!(0), None));
    assert_eq!((&answer["value"], &answer["best"]), (&json!(0), &json!(["1"])));
    assert_eq!((&answer["line"], &answer["line_ends"]), (&json!(["1"]), &json!("repetition")));
    sowbase("query bao-laps")
        .arg("2 0 1 0 1 0 1 0 / 1 0 1 0 2 1 0 1")
        .assert()
        .success()
        .stdout(contains("never stops"));
    let illegal = sowbase("query bao-laps --pits 2 --rule endless=illegal --json").arg("2 0 / 2 1").assert().success();
    assert!(!text(&illegal.get_output().stdout).contains("endless\":true"));
}

#[test]
fn nam_nam_knows_owners_and_passes() {
    let folder = Folder::new();
    let pass = folder.query("nam-nam --pits 2", "0 0 / 3 5");
    assert_eq!((&pass["best"], &pass["play"]), (&json!(["-"]), &json!("-")));
    assert_eq!((&pass["moves"][0]["move"], &pass["moves"][0]["pit"]), (&json!("-"), &json!(null)));
    assert_eq!(pass["moves"][0]["after"]["own"], json!([3, 5]));

    let owners = folder.query("nam-nam --pits 2 --rule owners=1110", "1 2 / 3 2");
    let names: Vec<&Json> = owners["moves"].as_array().expect("moves").iter().map(|mv| &mv["move"]).collect();
    assert_eq!(names, ["1", "2", "o1"]);
    assert_eq!(owners["position"]["owners"], "1110");
    // The next player reads the same owners from his side: one pit of his own row is his.
    assert_eq!(owners["moves"][0]["after"]["owners"], "0100");
    assert_eq!((&owners["moves"][2]["gain"], &owners["moves"][2]["gain_other"]), (&json!(0), &json!(8)));
    let turned = folder.query("nam-nam --pits 2 --rule owners=0100", "1 2 / 3 2");
    let names: Vec<&Json> = turned["moves"].as_array().expect("moves").iter().map(|mv| &mv["move"]).collect();
    assert_eq!(names, ["2"]);
    // Both views are one rule set.
    folder.done("build nam-nam --pits 2 --rule owners=1110 --seeds 8 --quiet");
    folder
        .sowbase("build nam-nam --pits 2 --rule owners=0100 --seeds 8")
        .assert()
        .success()
        .stdout(contains("nothing is missing"));
}

#[test]
fn kiothi_says_what_it_assumes_about_stars() {
    let folder = Folder::new();
    let plain = folder.query("kiothi --pits 3", "1 0 2 / 0 3 0");
    let starred = folder.query("kiothi --pits 3", "1 0 2* / 0 3* 0");
    assert!(plain.get("notes").is_none());
    let note = "closed pits count as opened: these tables were made without flags";
    assert_eq!(starred["notes"], json!([note]));
    assert_eq!((&starred["value"], &starred["position"]["text"]), (&plain["value"], &json!("1 0 2 / 0 3 0")));
    sowbase("query kiothi --pits 3")
        .arg("1 0 2* / 0 3* 0")
        .assert()
        .success()
        .stdout(contains(format!("note: {note}\n")));
}

#[test]
fn kiothi_with_flags_protects_closed_pits() {
    let folder = Folder::new();
    let exact = folder.query("kiothi --pits 3 --rule flags=true", "1 0 2* / 0 3* 0");
    assert_eq!((&exact["value"], &exact["position"]["text"]), (&json!(4), &json!("1 0 2* / 0 3* 0")));
    assert_eq!(exact["moves"][1]["after"]["text"], "0 0* 1 / 2 1 0");
    let open = folder.query("kiothi --pits 3 --rule flags=true", "1 0 2 / 0 3 0");
    assert_eq!(open["value"], folder.query("kiothi --pits 3", "1 0 2 / 0 3 0")["value"]);

    folder.done("build kiothi --pits 2 --rule flags=true --seeds 3 --quiet");
    let layers = folder.json("stats kiothi --pits 2 --rule flags=true --json --seeds 3");
    let closed: Vec<&Json> = layers.iter().map(|layer| &layer["closed"]).collect();
    assert_eq!(closed, [0, 1, 2, 3, 4]);
    assert_eq!(layers[1]["positions"], 20 * 4);
    let csv = folder.done("export kiothi --pits 2 --rule flags=true --seeds 1 --closed 1 --format csv -o -").stdout;
    assert_eq!(text(&csv).lines().nth(1), Some("0* 0,0 1,-1"));
}

/// Follows `play` by one query after the other: each move brings the end nearer by one, whoever moves.
#[test]
fn kujifunza_can_be_played_out_as_promised() {
    let folder = Folder::new();
    folder.done("build kujifunza --pits 2 --seeds 10 --quiet");
    let csv = text(&folder.done("export kujifunza --pits 2 --seeds 10 --format csv -o -").stdout);
    let distance = |line: &str| line.rsplit(',').next().and_then(|text| text.parse::<u64>().ok());
    let won = csv.lines().filter(|line| line.split(',').nth(2) == Some("1"));
    let longest = won.max_by_key(|line| distance(line)).expect("a position that is won");
    let fields: Vec<&str> = longest.split(',').collect();
    let mut position = format!("{} / {}", fields[0], fields[1]);
    let first = folder.query("kujifunza --pits 2", &position);
    let promised = distance(longest).expect("a distance");
    assert!(promised >= 7, "the longest win takes {promised} moves");
    assert_eq!(first["line"].as_array().expect("a line").len() as u64, promised);
    assert_eq!(first["line_ends"], "over");

    for left in (0..=promised).rev() {
        let answer = folder.query("kujifunza --pits 2", &position);
        let winner_moves = (promised - left) % 2 == 0;
        assert_eq!(answer["value"], if winner_moves { 1 } else { -1 }, "{position}");
        assert_eq!(answer["distance"], left, "{position}");
        if left == 0 {
            assert_eq!(answer["over"], true);
            return;
        }
        let mv = answer["moves"].as_array().expect("moves").iter().find(|mv| mv["move"] == answer["play"]);
        let mv = mv.expect("the move to play is one of the moves");
        if left == 1 {
            // A capture that empties the other front row ends the game at once.
            assert_eq!((&mv["value"], &mv["distance"]), (&json!(1), &json!(1)));
            return;
        }
        position = mv["after"]["text"].as_str().expect("a position").to_owned();
    }
}

#[test]
fn kujifunza_names_pits_and_directions() {
    let answer = Folder::new().query("kujifunza --pits 2", "start");
    assert_eq!((&answer["value"], &answer["distance"], &answer["outcome"]), (&json!(1), &json!(1), &json!("win")));
    let names: Vec<&Json> = answer["moves"].as_array().expect("moves").iter().map(|mv| &mv["move"]).collect();
    assert_eq!(names, ["b2>", "b2<", "b1>", "b1<"]);
    sowbase("query kujifunza --pits 2 start").assert().success().stdout(contains("value: win in 1\n"));
}

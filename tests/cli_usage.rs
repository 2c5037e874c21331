//! Bad usage and bad positions: exit code 2, and all of what is wrong is named.

mod cli_support;

use cli_support::{Folder, objects, sowbase};
use predicates::prelude::*;
use predicates::str::contains;

/// What the program says about a position of oware.
fn refused(rules: &str, position: &str, expected: &str) {
    let assert = sowbase(&format!("query {rules} --json")).arg(position).assert().code(2);
    let object = objects(assert.get_output()).remove(0);
    assert_eq!(object["error"], expected);
    assert_eq!(object["input"], position);
    sowbase(&format!("query {rules}"))
        .arg(position)
        .assert()
        .code(2)
        .stdout("")
        .stderr(format!("sowbase: '{position}': {expected}\n"));
}

#[test]
fn a_bad_position_is_told_by_row_and_pit() {
    refused("oware", "1 2 3 / 1 0 0 0 0 0", "the own row has 3 pit(s), expected 6");
    refused("oware", "0 0 0 0 0 0 / 1 0 0 0 0 0 0", "the other row has 7 pit(s), expected 6");
    refused("oware --pits 3", "0 0 0 0 / 1 0 0", "the own row has 4 pit(s), expected 3");
    let range = "expected a number of seeds from 0 to 127";
    refused("oware", "0 0 0 0 0 0 / 1 two 0 0 0 0", &format!("pit 2 of the other row is 'two', {range}"));
    refused("oware", "0 0 0 -1 0 0 / 1 2 0 0 0 0", &format!("pit 4 of the own row is '-1', {range}"));
    refused("oware", "0 0 0 +1 0 0 / 1 2 0 0 0 0", &format!("pit 4 of the own row is '+1', {range}"));
    refused("oware", "0 0 0 1.5 0 0 / 1 2 0 0 0 0", &format!("pit 4 of the own row is '1.5', {range}"));
    refused("oware", "0 0 0 0 0 128 / 1 2 0 0 0 0", &format!("pit 6 of the own row is '128', {range}"));
    refused(
        "oware",
        "0 0 0 0 0 99999999999999999999 / 1 2 0 0 0 0",
        &format!("pit 6 of the own row is '99999999999999999999', {range}"),
    );
    refused("oware", "0 0 0 0 0 6* / 1 2 0 0 0 0", &format!("pit 6 of the own row is '6*', {range}"));
    refused(
        "kiothi --pits 2",
        "1* *1 / 0 0",
        &format!("pit 2 of the own row is '*1', {range}, with a star if the pit is closed"),
    );
    refused("oware", "100 0 0 0 0 0 / 28 0 0 0 0 0", "the position has 128 seeds, at most 127 are supported");
    refused("oware --per-pit 11", "start", "the position has 132 seeds, at most 127 are supported");
    let rows = "each from its owner's left to right";
    refused("oware", "", &format!("found 1 row(s) separated by '/', expected 2: own / other, {rows}"));
    refused(
        "oware",
        "0 0 0 0 0 0 / 0 0 0 0 0 0 / 0",
        &format!("found 3 row(s) separated by '/', expected 2: own / other, {rows}"),
    );
    refused(
        "kujifunza --pits 2",
        "1 0 / 0 1",
        &format!(
            "found 2 row(s) separated by '/', expected 4: own front / own back / other front / other back, {rows}"
        ),
    );
    refused("kujifunza --pits 2", "1 0 / 0 1 / 0 / 1 1", "the other front row has 1 pit(s), expected 2");
    let won = "expected two numbers like ': 10-8', the player to move first";
    refused("oware", "0 0 0 0 0 1 / 0 0 0 0 0 0 : ten", &format!("the seeds won are ': ten', {won}"));
    refused("oware", "0 0 0 0 0 1 / 0 0 0 0 0 0 :", &format!("the seeds won are ': ', {won}"));
}

#[test]
fn an_unknown_name_gets_a_suggestion() {
    for (arguments, expected) in [
        ("query orawe start", "unknown game 'orawe', did you mean 'oware'?; the games are kalaha, awale, "),
        ("stats Kalahah", "unknown game 'Kalahah', did you mean 'kalaha'?"),
        ("build bao --seeds 3", "unknown game 'bao', did you mean 'bao-laps'?"),
        ("perft xyzzy 3", "unknown game 'xyzzy'; the games are kalaha, awale, "),
        (
            "query oware start --rule grandslam=void",
            "oware has no option 'grandslam', did you mean 'grand_slam'?; its options are grand_slam",
        ),
        (
            "query oware start --rule grand_slam=viod",
            "option grand_slam of oware cannot be 'viod'; expected one of avoid, void, allow",
        ),
        ("info oware --rule grand_slam", "the rule 'grand_slam' has no '='; write --rule NAME=VALUE"),
        (
            "info kalaha --rule empty_capture=maybe",
            "option empty_capture of kalaha cannot be 'maybe'; expected true or false",
        ),
        ("info kiothi --rule chain_max=0", "option chain_max of kiothi cannot be '0'; expected a number from 1 to 10"),
        ("info nam-nam --rule owners=111", "option owners of nam-nam cannot be '111'; expected 12 digits 0 or 1"),
    ] {
        let begin = format!("sowbase: {expected}");
        sowbase(arguments).assert().code(2).stdout("").stderr(predicate::str::starts_with(begin));
    }
}

#[test]
fn an_unsupported_width_is_refused() {
    for width in [0, 1, 11, 1000] {
        sowbase(&format!("query oware start --pits {width}"))
            .assert()
            .code(2)
            .stderr(format!("sowbase: {width} pits a row are not supported; expected 2 to 10\n"));
    }
    for width in [2, 10] {
        sowbase(&format!("query oware start --pits {width} --per-pit 0")).assert().success();
    }
}

#[test]
fn bad_arguments_are_refused() {
    for (arguments, expected) in [
        ("", "Usage: sowbase"),
        ("frobnicate", "unrecognized subcommand 'frobnicate'"),
        ("quary oware start", "similar subcommand exists: 'query'"),
        ("query oware", "<POSITION>"),
        ("build oware", "--seeds <N>"),
        ("build oware --seeds 128", "128 is not in 0..=127"),
        ("build oware --seeds many", "invalid value 'many' for '--seeds <N>'"),
        ("build oware --seeds 3 --threads 0", "0 is not in 1..=1024"),
        ("build oware --seeds 3 --memory lots", "expected a number of bytes such as 500M or 8G"),
        ("query oware start --pits six", "invalid value 'six' for '--pits <W>'"),
        ("export oware --seeds 3 --format xml -o -", "[possible values: raw, csv, npy]"),
        ("perft oware 999", "depth 999 is too large, expected at most 200"),
        ("query oware start --frobnicate", "unexpected argument '--frobnicate'"),
    ] {
        sowbase(arguments).assert().code(2).stdout("").stderr(contains(expected));
    }
}

#[test]
fn an_answer_that_is_not_there_is_no_error_of_usage() {
    for arguments in ["info oware", "stats oware", "check oware", "export oware --seeds 3 --format raw -o -"] {
        sowbase(arguments)
            .assert()
            .code(1)
            .stdout("")
            .stderr(contains(
                "there are no such tables of oware pits=6 grand_slam=allow in there/is/no/such/folder/oware-6",
            ))
            .stderr(contains("sowbase build oware --seeds N"));
    }
    sowbase("query oware start").assert().code(1).stderr(contains("the tables do not reach this position"));
    let folder = Folder::new();
    folder
        .sowbase("build oware --seeds 30 --memory 10M")
        .assert()
        .code(1)
        .stderr(contains("of memory, 10.00 MiB may be used; build fewer seeds or allow more with --memory"));
    assert!(!folder.path().join("oware-6").exists(), "a refused build began");
}

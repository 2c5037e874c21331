//! `verify`: what is right is proved, what is wrong is found.

mod cli_support;

use cli_support::{Folder, keys, objects};
use predicates::prelude::*;
use predicates::str::contains;
use serde_json::json;
use sowbase::table::{Access, Codec, Options, TableFile, Writer};

#[test]
fn small_layers_of_every_game_are_proved() {
    for arguments in [
        "kalaha --pits 4 --seeds 7",
        "awale --pits 3 --seeds 8",
        "oware --pits 3 --seeds 8",
        "nam-nam --pits 3 --seeds 8",
        "bao-kenya --pits 4 --seeds 6",
        "bao-laps --pits 4 --seeds 6",
        "kiothi --pits 3 --seeds 7",
        "kujifunza --pits 2 --seeds 8",
    ] {
        let folder = Folder::new();
        folder.done(&format!("build {arguments} --quiet"));
        let rules = arguments.rsplit_once(" --seeds").expect("a number of seeds").0;
        folder.sowbase(&format!("verify {rules}")).assert().success().stdout(contains(" are proved\n"));
        for layer in folder.json(&format!("verify {rules} --json --sample 50")) {
            assert_eq!((&layer["ok"], &layer["proof"]), (&json!(true), &json!(false)), "{arguments}");
        }
    }
}

#[test]
fn a_wrong_value_in_a_whole_table_is_named() {
    let folder = Folder::new();
    folder.done("build oware --pits 3 --seeds 5 --quiet");
    let file = folder.path().join("oware-3/005.sow");
    let table = TableFile::open(&file, Access::Read).expect("a table");
    let mut values = vec![0_i8; usize::try_from(table.count()).expect("a small table")];
    table.read(0, &mut values).expect("values");
    values[100] += 1;
    let (mut meta, shape) = (table.meta().clone(), table.shape().clone());
    meta.histogram.clear();
    for &value in &values {
        *meta.histogram.entry(i16::from(value)).or_default() += 1;
    }
    let options = Options { codec: Codec::Zstd(3), block: None, floored: false };
    let mut writer = Writer::<i8>::create(&file, meta, shape, options).expect("a writer");
    writer.append(&values, None).expect("a write");
    writer.finish().expect("a table");

    folder.sowbase("check oware --pits 3").assert().success();
    folder
        .sowbase("verify oware --pits 3")
        .assert()
        .code(1)
        .stdout(contains("layer   4:             126 values: right\n").and(contains(": found ")))
        .stderr(contains("value(s) are wrong; build these layers again\n"));
    let assert = folder.sowbase("verify oware --pits 3 --json --seeds 5").assert().code(1);
    let layer = objects(assert.get_output()).remove(0);
    let fields = ["seeds", "closed", "ok", "proof", "checked", "differing", "groundless", "first"];
    assert_eq!(keys(&layer), fields);
    assert_eq!((&layer["ok"], &layer["checked"]), (&json!(false), &json!(252)));
    let first = &layer["first"][0];
    assert_eq!(keys(first), ["position", "found", "expected"]);
    // The position that it names is one that a query can be asked about.
    let asked =
        cli_support::sowbase("query oware --pits 3 --json").arg(first["position"].as_str().expect("text")).assert();
    assert!(objects(asked.success().get_output())[0]["value"].is_i64());
}

//! What each command prints, as text and as JSON.

mod cli_support;

use cli_support::{Folder, keys, objects, sowbase, text};
use predicates::str::contains;
use serde_json::json;

const COMMANDS: [&str; 11] =
    ["games", "build", "query", "openings", "play", "stats", "export", "info", "check", "verify", "perft"];

#[test]
fn every_command_explains_itself_with_an_example() {
    let whole = sowbase("--help").assert().success();
    for command in COMMANDS {
        let help = sowbase(&format!("{command} --help")).assert().success();
        let help = text(&help.get_output().stdout);
        assert!(help.contains("Example"), "{command} --help has no example");
        assert!(help.contains(&format!("sowbase {command}")), "the example of {command} is not about it");
        assert!(text(&whole.get_output().stdout).contains(command), "--help does not list {command}");
    }
    sowbase("--version").assert().success().stdout(format!("sowbase {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn games_lists_every_game_preset_and_option() {
    let list = sowbase("games").assert().success();
    for line in [
        "kalaha       Kalaha, 6 pits a row, 4 a pit\n",
        "kiothi       Kiothi, 10 pits a row, 6 a pit\n",
        "  --rule grand_slam=allow ",
        "  --rule owners=111111000000 ",
        "awari        Awari of the literature: oware --rule grand_slam=avoid\n",
    ] {
        assert!(text(&list.get_output().stdout).contains(line), "{line}");
    }
    let objects = objects(sowbase("games --json").assert().success().get_output());
    let names = |key: &str| objects.iter().filter_map(|o| o[key].as_str().map(str::to_owned)).collect::<Vec<_>>();
    let games = names("title").len() - names("preset").len();
    assert_eq!(games, 8);
    assert_eq!(names("preset"), ["kalah", "awari", "oware-abapa"]);
    assert_eq!(objects[0]["options"][0]["name"], "empty_capture");
    assert_eq!(objects[0]["options"][0]["default"], "true");
}

#[test]
fn build_says_what_it_built_and_then_that_nothing_is_missing() {
    let folder = Folder::new();
    let first = text(&folder.done("build oware --pits 3 --seeds 8").stdout);
    assert!(first.starts_with("oware pits=3 grand_slam=allow in "), "{first}");
    assert!(first.contains("layer   8:           1,287 positions "), "{first}");
    assert!(first.contains("built 9 layer(s), 3,003 positions, "), "{first}");
    assert!(first.ends_with("; 0 were there\n"), "{first}");
    let before = folder.files("oware-3");
    folder
        .sowbase("build oware --pits 3 --seeds 8")
        .assert()
        .success()
        .stdout(contains("nothing is missing: all 9 layer(s) up to 8 seeds are there\n"));
    assert_eq!(folder.json("build oware --pits 3 --seeds 8 --json").len(), 0);
    assert!(before == folder.files("oware-3"), "a build of nothing changed the folder");

    let next = folder.json("build oware --pits 3 --seeds 9 --json --quiet --threads 1 --memory 1G");
    assert_eq!(keys(&next[0]), ["seeds", "closed", "positions", "bytes", "seconds"]);
    assert_eq!((next.len(), &next[0]["seeds"], &next[0]["positions"]), (1, &json!(9), &json!(2002)));
}

#[test]
fn a_dry_run_plans_and_writes_nothing() {
    let folder = Folder::new();
    let plan = folder.json("build kalaha --seeds 24 --dry-run --json");
    assert_eq!(plan.len(), 25);
    assert_eq!(keys(&plan[24]), ["seeds", "closed", "positions", "memory", "files", "disk", "seconds", "present"]);
    assert_eq!(plan[24]["positions"], 417_225_900);
    assert_eq!(plan[24]["present"], false);
    let memory = plan[24]["memory"].as_u64().expect("bytes");
    assert!(memory >= 417_225_900, "a layer of 417,225,900 positions is planned with {memory} bytes");
    folder
        .sowbase("build kalaha --seeds 5 --dry-run")
        .assert()
        .success()
        .stdout(contains("6 layer(s) to build: at most"));
    assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 0);

    folder.done("build kalaha --seeds 2 --quiet");
    let plan = text(&folder.done("build kalaha --seeds 3 --dry-run").stdout);
    assert_eq!(plan.matches("is there").count(), 3, "{plan}");
    assert!(plan.contains("1 layer(s) to build"), "{plan}");
}

#[test]
fn nam_nam_builds_every_fourth_layer_and_kujifunza_one() {
    let folder = Folder::new();
    let seeds = |arguments: &str| {
        let objects = folder.json(arguments);
        objects.iter().map(|object| object["seeds"].as_u64().expect("seeds")).collect::<Vec<_>>()
    };
    assert_eq!(seeds("build nam-nam --pits 3 --seeds 10 --json"), [2, 6, 10]);
    assert_eq!(seeds("build kujifunza --pits 2 --seeds 8 --json"), [8]);
}

#[test]
fn kiothi_with_flags_builds_as_many_closed_pits_as_asked() {
    let folder = Folder::new();
    let built = folder.json("build kiothi --pits 2 --rule flags=true --seeds 1 --closed 1 --json");
    let layers: Vec<_> = built.iter().map(|layer| (layer["seeds"].clone(), layer["closed"].clone())).collect();
    let expected = [(0, 0), (0, 1), (1, 0), (1, 1)].map(|(seeds, closed)| (json!(seeds), json!(closed)));
    assert_eq!(layers, expected);
    let files = folder.files("kiothi-2-flags-true");
    assert!(files.contains_key("001.sow") && files.contains_key("001+01.sow") && !files.contains_key("001+02.sow"));
}

#[test]
fn info_and_check_go_through_all_tables() {
    let folder = Folder::new();
    folder.done("build awari --pits 2 --seeds 4 --quiet");
    let info = folder.json("info awari --pits 2 --json").remove(0);
    assert_eq!(keys(&info), ["game", "rules", "folder", "fingerprint", "positions", "bytes", "layers"]);
    assert_eq!(info["rules"], json!({"pits": 2, "grand_slam": "avoid"}));
    assert_eq!(info["positions"], 70);
    assert_eq!(keys(&info["layers"][4]), ["seeds", "closed", "positions", "bytes", "file"]);
    let bytes: usize = folder.files("oware-2-grand_slam-avoid").values().map(Vec::len).sum();
    assert_eq!(info["bytes"], bytes);
    folder.sowbase("info awari --pits 2").assert().success().stdout(contains("5 layer(s), 70 positions, "));

    folder.sowbase("check awari --pits 2").assert().success().stdout(contains("all 5 table(s) are whole\n"));
    let checked = folder.json("check awari --pits 2 --json --seeds 3");
    assert_eq!(checked.len(), 1);
    assert_eq!(keys(&checked[0]), ["seeds", "closed", "ok", "bytes"]);
    assert_eq!((&checked[0]["seeds"], &checked[0]["ok"]), (&json!(3), &json!(true)));
    for access in ["", "--no-mmap"] {
        folder.done(&format!("check awari --pits 2 {access}"));
    }
}

#[test]
fn stats_count_what_the_golden_file_says() {
    let folder = Folder::new();
    folder.done("build oware --pits 2 --seeds 8 --quiet");
    let layers = folder.json("stats oware --pits 2 --json --crc");
    assert_eq!(layers.len(), 9);
    let expected =
        ["game", "rules", "seeds", "positions", "win", "draw", "loss", "sum", "abs", "histogram", "crc32", "bytes"];
    assert_eq!(keys(&layers[8]), expected);
    for (seeds, golden) in
        [(7, json!([120, 68, 0, 52, 69, 701, "484d4d3e"])), (8, json!([165, 70, 40, 55, 82, 818, "7868ef7e"]))]
    {
        let found: Vec<_> = ["positions", "win", "draw", "loss", "sum", "abs", "crc32"]
            .iter()
            .map(|key| layers[seeds][*key].clone())
            .collect();
        assert_eq!(json!(found), golden);
    }
    assert_eq!(folder.json("stats oware --pits 2 --json --seeds 5")[0]["seeds"], 5);
    let text = text(&folder.done("stats oware --pits 2 --seeds 8 --crc").stdout);
    assert!(text.contains("165             70             40             55 "), "{text}");
    assert!(text.contains("crc32 7868ef7e\n"), "{text}");
}

#[test]
fn stats_of_outcome_games_tell_distances() {
    let folder = Folder::new();
    folder.done("build kujifunza --pits 2 --seeds 8 --quiet");
    let stats = folder.json("stats kujifunza --pits 2 --json").remove(0);
    let sum = |key: &str| -> u64 {
        stats[key].as_object().expect("an object").values().map(|count| count.as_u64().expect("a count")).sum()
    };
    assert_eq!(stats["positions"], 6435);
    assert_eq!(stats["win"], sum("win_in"));
    assert_eq!(stats["loss"], sum("loss_in"));
    assert_eq!(sum("histogram"), 6435);
}

#[test]
fn exports_agree_with_each_other_and_with_stats() {
    let folder = Folder::new();
    folder.done("build oware --pits 2 --seeds 8 --quiet");
    let export = |format: &str| {
        let file = folder.path().join(format!("eight.{format}"));
        let assert = folder
            .sowbase(&format!("export oware --pits 2 --seeds 8 --format {format} -o"))
            .arg(&file)
            .assert()
            .success();
        assert!(assert.get_output().stdout.is_empty());
        let bytes = std::fs::read(&file).expect("the export");
        let piped = folder.done(&format!("export oware --pits 2 --seeds 8 --format {format} -o -"));
        assert_eq!(bytes, piped.stdout, "{format} differs between a file and standard output");
        bytes
    };
    let raw = export("raw");
    assert_eq!(raw.len(), 165);
    assert_eq!(crc32fast::hash(&raw), 0x7868_ef7e);

    let csv = text(&export("csv"));
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("own,other,value"));
    let rows: Vec<Vec<&str>> = lines.map(|line| line.split(',').collect()).collect();
    let values: Vec<u8> = rows.iter().map(|row| row[2].parse::<i8>().expect("a value").cast_unsigned()).collect();
    assert_eq!(values, raw);
    let boards: Vec<Vec<u8>> = rows
        .iter()
        .map(|row| row[..2].join(" ").split(' ').map(|count| count.parse().expect("a count")).collect())
        .collect();
    assert!(boards.is_sorted(), "not in lexicographic order");

    let npy = export("npy");
    let (header, values) = npy.split_at(npy.len() - 165);
    assert_eq!(values, raw);
    assert_eq!(&header[..8], b"\x93NUMPY\x01\x00");
    assert_eq!(header.len() % 64, 0);
    assert_eq!(usize::from(u16::from_le_bytes([header[8], header[9]])), header.len() - 10);
    assert!(text(&header[10..]).starts_with("{'descr': '|i1', 'fortran_order': False, 'shape': (165,), }"));
}

#[test]
fn exports_of_outcome_games_carry_distances() {
    let folder = Folder::new();
    folder.done("build kujifunza --pits 2 --seeds 4 --quiet");
    let csv = text(&folder.done("export kujifunza --pits 2 --seeds 4 --format csv -o -").stdout);
    let raw = folder.done("export kujifunza --pits 2 --seeds 4 --format raw -o -").stdout;
    let mut lines = csv.lines();
    assert_eq!(lines.next(), Some("own,other,value,distance"));
    let mut values = 0;
    for (line, pair) in lines.zip(raw.chunks(2)) {
        let stored = i16::from_le_bytes([pair[0], pair[1]]);
        let fields: Vec<&str> = line.split(',').collect();
        assert_eq!(fields[2], stored.signum().to_string(), "{line}");
        let distance = if stored == 0 { String::new() } else { (stored.abs() - 1).to_string() };
        assert_eq!(fields[3], distance, "{line}");
        values += 1;
    }
    assert_eq!(values, raw.len() / 2);
}

#[cfg(unix)]
#[test]
fn an_export_into_a_pipe_leaves_the_pipe_in_its_place() {
    use std::os::unix::fs::FileTypeExt;
    let folder = Folder::new();
    folder.done("build oware --pits 2 --seeds 8 --quiet");
    let pipe = folder.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo runs").success());
    let reader = std::thread::spawn({
        let pipe = pipe.clone();
        move || std::fs::read(pipe).expect("what was exported")
    });
    folder.sowbase("export oware --pits 2 --seeds 8 --format raw -o").arg(&pipe).assert().success();
    assert_eq!(crc32fast::hash(&reader.join().expect("the reader ends")), 0x7868_ef7e);
    assert!(pipe.metadata().expect("the pipe").file_type().is_fifo());
}

#[test]
fn perft_counts_and_divides() {
    sowbase("perft kalaha 5").assert().success().stdout("4,685\n");
    let divided = objects(sowbase("perft kalaha 3 --divide --json").assert().success().get_output()).remove(0);
    assert_eq!(keys(&divided), ["game", "depth", "leaves", "divide"]);
    assert_eq!(divided["leaves"], 185);
    assert_eq!(divided["divide"], json!({"1": 33, "2": 32, "3": 30, "4": 30, "5": 30, "6": 30}));
    let divided = sowbase("perft kalaha 3 --divide").assert().success();
    let first_line = text(&divided.get_output().stdout).lines().next().map(str::to_owned);
    assert_eq!(first_line.expect("a line").split_whitespace().collect::<Vec<_>>(), ["1", "33"]);
    let zero = objects(sowbase("perft oware 0 --json").assert().success().get_output()).remove(0);
    assert_eq!(zero["leaves"], 1);
    // A finished game is not extended.
    sowbase("perft kalaha 2").arg("0 0 0 0 0 0 / 1 0 0 0 0 0").assert().success().stdout("0\n");
    sowbase("perft awari 3 --per-pit 2").assert().success().stdout("155\n");
}

#[test]
fn rule_sets_keep_to_folders_of_their_own() {
    let folder = Folder::new();
    for rules in ["oware --pits 2", "awari --pits 2", "oware-abapa --pits 2", "oware --pits 2 --rule grand_slam=avoid"]
    {
        folder.done(&format!("build {rules} --seeds 3 --quiet"));
    }
    let mut names: Vec<String> = std::fs::read_dir(folder.path())
        .expect("the folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names, ["oware-2", "oware-2-grand_slam-avoid", "oware-2-grand_slam-void"]);
}

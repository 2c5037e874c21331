//! Games at the terminal, typed through a pipe.

mod cli_support;

use cli_support::{Folder, sowbase, text};
use predicates::str::contains;

/// What the program says while these lines are typed.
fn play(arguments: &str, lines: &[&str]) -> String {
    let assert = sowbase(&format!("play {arguments}")).write_stdin(lines.join("\n")).assert().success();
    text(&assert.get_output().stdout)
}

#[test]
fn every_game_is_played_to_its_end_by_the_program() {
    for (game, arguments) in [
        ("kalaha", "--pits 3 --per-pit 2"),
        ("kalah", "--pits 3 --per-pit 2"),
        ("awale", "--pits 3 --per-pit 2"),
        ("oware", "--pits 3 --per-pit 2"),
        ("nam-nam", "--pits 3 --per-pit 2"),
        ("bao-kenya", "--pits 3 --per-pit 2"),
        ("bao-laps", "--pits 3 --per-pit 2"),
        ("kiothi", "--pits 4 --per-pit 2"),
        ("kujifunza", "--pits 2 --per-pit 2"),
    ] {
        let said = play(&format!("{game} {arguments} --seat none"), &[]);
        let end = said.lines().last().expect("it says something");
        assert!(end.contains(" wins") || end.contains("a draw"), "{game}: {said}");
        assert!(said.contains("first plays ") && said.contains("  second"), "{game}: {said}");
    }
}

#[test]
fn the_program_wins_what_the_tables_promise() {
    // Worth +3 with two seeds won at once.
    let said = play("oware --seat second --position 0,0,0,1,0,1/1,0,0,0,0,0:20-25", &[]);
    assert!(said.contains("first plays 6: sows 1, wins 2"), "{said}");
    assert!(said.ends_with("play is over: first 23, second 25, second wins\n"), "{said}");
}

#[test]
fn extra_turns_hints_and_undo() {
    let said = play("kalaha --pits 4 --per-pit 3 --seat both", &["hint", "2-1", "undo", "moves", "9", "1-1", "record"]);
    assert!(said.contains("first plays 2: sows 3, wins 1, moves again\nfirst plays 1: sows 3\n"), "{said}");
    assert!(said.contains("*    2: +8\n"), "{said}");
    assert!(said.contains("line: 2-"), "{said}");
    assert!(said.contains("\n1 3 4\n"), "{said}");
    assert!(
        said.contains("'9' cannot be played here; the moves are 1 3 4; 'help' tells what may be typed\n"),
        "{said}"
    );
    assert!(said.contains("the turn ends with '1', so '1' cannot follow in it"), "{said}");
    assert!(said.ends_with("start 3 3 3 3 / 3 3 3 3 : 0-0\nmoves 2\n"), "{said}");
}

#[test]
fn undo_goes_back_to_the_move_of_the_person() {
    let said = play("oware --pits 3 --per-pit 2", &["1", "undo", "record", "undo"]);
    assert!(said.contains("second plays "), "{said}");
    assert!(said.contains("start 2 2 2 / 2 2 2 : 0-0\nnothing to take back\n"), "{said}");
}

#[test]
fn four_rows_and_relay() {
    let said = play("kujifunza --seat both", &["1>", "moves"]);
    assert!(said.contains("first plays 1>: sows "), "{said}");
    assert!(said.contains(" laps\n"), "{said}");
    // As rules by hand have it, seen by first: his front and back row after nine laps and four captures.
    assert!(said.contains("  | 3  | 1  | 0  | 4  | 4  | 4  | 1  | 5  |\n"), "{said}");
    assert!(said.contains("   b8   b7   b6   b5   b4   b3   b2   b1\n"), "{said}");
}

#[test]
fn play_that_goes_round_can_be_ended() {
    let position = "--position 0,0,0,0,1,0/0,0,0,0,0,1:20-25";
    let early = play(&format!("oware --seat both {position}"), &["share"]);
    assert!(early.contains("play has not come back to an earlier position\n"), "{early}");
    let said = play(&format!("oware --seat none {position}"), &[]);
    assert!(said.contains("'share' ends the game"), "{said}");
    assert!(said.contains("third time ends play, what is left is shared: first 21, second 26, second wins"), "{said}");
}

#[test]
fn games_are_saved_and_loaded() {
    let folder = Folder::new();
    let file = folder.path().join("game.txt");
    let name = file.to_str().expect("a plain name");
    let said = play("kalaha --pits 4 --seat both", &["1", "2", &format!("save {name}"), "load there/is/none", "save"]);
    assert!(said.contains(&format!("saved in {name}\n")), "{said}");
    assert!(said.contains("cannot read there/is/none"), "{said}");
    assert!(said.contains("save needs the name of a file\n"), "{said}");
    let saved = std::fs::read_to_string(&file).expect("just saved");
    assert_eq!(saved, "sowbase game 1\nrules kalaha --pits 4\nstart 4 4 4 4 / 4 4 4 4 : 0-0\nmoves 1-2\n");
    let loaded = play(&format!("kalaha --pits 4 --seat both --load {name}"), &["record"]);
    assert!(loaded.ends_with(&saved), "{loaded}");
    sowbase(&format!("play kalah --pits 4 --load {name}")).assert().code(2).stderr(contains("other rules"));
    sowbase("play kalah --load there/is/none").assert().code(3).stderr(contains("cannot read"));
    std::fs::write(&file, "no game").expect("a temporary file");
    sowbase(&format!("play kalaha --load {name}")).assert().code(2).stderr(contains("not a saved game"));
}

#[test]
fn a_move_is_found_in_time_on_full_boards() {
    for game in ["kalaha", "awale", "oware", "nam-nam", "bao-kenya", "bao-laps", "kiothi", "kujifunza"] {
        let begin = std::time::Instant::now();
        let said = play(&format!("{game} --seat second --time 0.2s"), &[]);
        assert!(said.contains("first plays "), "{game}: {said}");
        assert!(begin.elapsed().as_secs() < 60, "{game} took {:?}", begin.elapsed());
    }
}

#[test]
fn seats_change_and_words_are_explained() {
    let said = play("kalaha --pits 3 --per-pit 1", &["help", "seat", "seat second", "seat both", "board", "quit", "1"]);
    assert!(said.contains("undo         take back to your last move\n"), "{said}");
    assert!(said.contains("seat needs first, second, both or none\n"), "{said}");
    assert!(said.contains("first plays "), "{said}");
    sowbase("play kalaha --position 1").assert().code(2);
}

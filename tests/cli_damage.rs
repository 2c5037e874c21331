//! Damaged, foreign and missing tables, full disks and readers that go away: exit code 3 with the file and the remedy,
//! never a wrong answer, never a panic.

mod cli_support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use cli_support::{Folder, text};
use predicates::prelude::*;
use predicates::str::contains;

fn built(arguments: &str) -> Folder {
    let folder = Folder::new();
    folder.done(&format!("build {arguments} --quiet"));
    folder
}

fn table(folder: &Folder, name: &str) -> PathBuf {
    folder.path().join(name)
}

/// Exit code 3, and a message of one line that names the file.
fn assert_names(output: &Output, file: &Path, finding: &str) {
    let stderr = text(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert!(stderr.contains(&file.display().to_string()), "{stderr} does not name {}", file.display());
    assert!(stderr.contains(finding), "{stderr} does not say '{finding}'");
    assert_eq!(stderr.lines().count(), 1, "{stderr}");
}

fn run(folder: &Folder, arguments: &str) -> Output {
    folder.sowbase(arguments).output().expect("the program runs")
}

#[test]
fn a_table_of_other_rules_is_refused_by_every_command() {
    let folder = built("oware --pits 3 --seeds 5");
    folder.done("build awari --pits 3 --seeds 5 --quiet");
    let file = table(&folder, "oware-3/005.sow");
    fs::copy(table(&folder, "oware-3-grand_slam-avoid/005.sow"), &file).expect("a copy");
    let finding = "the table's rules is 'oware pits=3 grand_slam=avoid', expected 'oware pits=3 grand_slam=allow'";
    for arguments in [
        "query oware --pits 3 1,1,0/1,1,1",
        "stats oware --pits 3 --seeds 5",
        "info oware --pits 3",
        "export oware --pits 3 --seeds 5 --format raw -o -",
        "build oware --pits 3 --seeds 6",
    ] {
        assert_names(&run(&folder, arguments), &file, finding);
    }
    let checked = run(&folder, "check oware --pits 3");
    assert_eq!(checked.status.code(), Some(3));
    assert!(text(&checked.stdout).contains(finding));
    assert_eq!(text(&checked.stderr), "sowbase: 1 of 6 table(s) cannot be used\n");
    // Positions of whole layers are still answered.
    folder.done("query oware --pits 3 1,0,0/1,1,1 --no-build");
}

#[test]
fn a_table_of_another_layer_width_or_version_is_refused() {
    let folder = built("oware --pits 3 --seeds 5");
    folder.done("build oware --pits 4 --seeds 5 --quiet");
    let file = table(&folder, "oware-3/005.sow");
    let whole = fs::read(&file).expect("the table");
    fs::copy(table(&folder, "oware-3/004.sow"), &file).expect("a copy");
    assert_names(&run(&folder, "stats oware --pits 3 --seeds 5"), &file, "the table's layer is '4', expected '5'");
    fs::copy(table(&folder, "oware-4/005.sow"), &file).expect("a copy");
    assert_names(&run(&folder, "stats oware --pits 3 --seeds 5"), &file, "the table's rules is 'oware pits=4");
    let mut newer = whole;
    newer[8] = 0xfe;
    fs::write(&file, newer).expect("a write");
    assert_names(
        &run(&folder, "stats oware --pits 3 --seeds 5"),
        &file,
        "table format version 254, this program reads",
    );
    fs::write(&file, "own,other,value\n".repeat(20)).expect("a write");
    assert_names(&run(&folder, "stats oware --pits 3 --seeds 5"), &file, "not a table");
    fs::remove_file(&file).expect("the file was there");
    fs::create_dir(&file).expect("a folder in the table's place");
    assert_names(&run(&folder, "stats oware --pits 3 --seeds 5"), &file, "cannot");
}

#[test]
fn a_truncated_table_is_refused_at_every_length() {
    let folder = built("oware --pits 3 --seeds 5");
    let file = table(&folder, "oware-3/005.sow");
    let whole = fs::read(&file).expect("the table");
    for length in (0..whole.len()).step_by(23).chain([whole.len() - 1]) {
        fs::write(&file, &whole[..length]).expect("a write");
        let access = if length % 2 == 0 { "" } else { "--no-mmap" };
        assert_names(&run(&folder, &format!("query oware --pits 3 1,1,0/1,1,1 {access}")), &file, "");
        let checked = run(&folder, &format!("check oware --pits 3 --seeds 5 {access}"));
        assert_eq!(checked.status.code(), Some(3), "{length} of {} bytes", whole.len());
    }
    fs::write(&file, [&whole[..], b"\0"].concat()).expect("a write");
    assert_names(&run(&folder, "query oware --pits 3 1,1,0/1,1,1"), &file, "it was cut short or extended");
}

#[test]
fn a_flipped_bit_is_found_and_never_answered_wrongly() {
    let folder = built("oware --pits 3 --seeds 5");
    let file = table(&folder, "oware-3/005.sow");
    let whole = fs::read(&file).expect("the table");
    let query = "query oware --pits 3 1,1,0/1,1,1 --json";
    let right = folder.done(query).stdout;
    for place in (0..whole.len()).step_by(17) {
        let mut damaged = whole.clone();
        damaged[place] ^= 1 << (place % 8);
        fs::write(&file, damaged).expect("a write");
        let checked = run(&folder, "check oware --pits 3 --seeds 5");
        assert_eq!(checked.status.code(), Some(3), "byte {place} was changed and check did not see it");
        assert!(text(&checked.stdout).contains("oware-3/005.sow"), "byte {place}");
        let answer = run(&folder, query);
        match answer.status.code() {
            Some(0) => assert_eq!(answer.stdout, right, "byte {place}"),
            code => assert_eq!(code, Some(3), "byte {place}: {}", text(&answer.stderr)),
        }
    }
}

#[test]
fn a_damaged_layer_stops_one_line_of_a_batch() {
    let folder = built("oware --pits 3 --seeds 5");
    let file = table(&folder, "oware-3/005.sow");
    fs::write(&file, "").expect("a write");
    folder
        .sowbase("query oware --pits 3 - --json --no-build")
        .write_stdin("1 1 0 / 1 1 1\n1 0 0 / 1 1 1\n")
        .assert()
        .code(3)
        .stdout(contains("{\"error\":\"").and(contains("\"exact\":true")));
}

#[test]
fn a_file_in_the_place_of_the_folder_is_told() {
    let folder = Folder::new();
    let file = table(&folder, "file");
    fs::write(&file, "not a folder").expect("a write");
    for arguments in
        ["build oware --seeds 3", "info oware", "stats oware", "check oware", "query oware 0,0,0,0,0,1/1,0,0,0,0,0"]
    {
        let output = folder.sowbase(arguments).arg("--dir").arg(&file).output().expect("the program runs");
        assert_names(&output, &file, "check the disk's space, health and permissions");
    }
    assert_eq!(fs::read_to_string(&file).expect("the file"), "not a folder");
}

/// The shell runs `program arguments` with files limited to so many blocks of 512 or 1024 bytes.
#[cfg(unix)]
fn limited(folder: &Folder, blocks: u32, arguments: &str) -> Output {
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" {arguments}");
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &script, env!("CARGO_BIN_EXE_sowbase")]).env("SOWBASE_DIR", folder.path());
    shell.output().expect("sh runs")
}

#[cfg(unix)]
#[test]
fn a_full_disk_loses_nothing_that_was_there() {
    let folder = Folder::new();
    let stopped = limited(&folder, 2, "build oware --pits 4 --seeds 9 --quiet");
    assert_names(&stopped, &table(&folder, "oware-4"), "check the disk's space, health and permissions");
    let kept = folder.files("oware-4");
    assert!(kept.contains_key("003.sow") && !kept.contains_key("009.sow"), "{:?}", kept.keys());
    assert!(kept.keys().all(|name| name == ".lock" || name.ends_with(".sow")), "{:?}", kept.keys());
    folder.done("check oware --pits 4");
    folder.done("build oware --pits 4 --seeds 9 --quiet");
    assert!(folder.files("oware-4") == built("oware --pits 4 --seeds 9").files("oware-4"));

    let export = table(&folder, "nine.csv");
    let arguments = format!("export oware --pits 4 --seeds 9 --format csv -o '{}'", export.display());
    assert_names(&limited(&folder, 2, &arguments), &export, "cannot write the export");
    let left: Vec<_> =
        fs::read_dir(folder.path()).expect("the folder").map(|entry| entry.expect("an entry").path()).collect();
    assert_eq!(left, [table(&folder, "oware-4")], "a failed export left a file");
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_device_is_told_and_stays_in_its_place() {
    use std::os::unix::fs::FileTypeExt;
    let folder = built("oware --pits 3 --seeds 5");
    let output = run(&folder, "export oware --pits 3 --seeds 5 --format csv -o /dev/full");
    assert_names(&output, Path::new("/dev/full"), "No space left on device");
    assert!(fs::metadata("/dev/full").expect("the device").file_type().is_char_device());
    for arguments in ["query oware --pits 3 1,1,0/1,1,1", "stats oware --pits 3 --json", "games"] {
        let full = fs::OpenOptions::new().write(true).open("/dev/full").expect("the device");
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_sowbase"));
        let command = command.args(arguments.split(' ')).env("SOWBASE_DIR", folder.path()).stdout(full);
        let output = command.output().expect("the program runs");
        assert_eq!(output.status.code(), Some(3), "{arguments}");
        assert!(text(&output.stderr).starts_with("sowbase: cannot write the output: No space left"), "{arguments}");
    }
}

/// What `head -1` does: it reads a line and goes away.
#[test]
fn a_reader_that_goes_away_ends_the_command_quietly() {
    use std::io::{BufRead, BufReader, Read};
    let folder = built("kalaha --seeds 7");
    for arguments in ["export kalaha --seeds 7 --format csv -o -", "query kalaha - --json"] {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_sowbase"));
        command.args(arguments.split(' ')).env("SOWBASE_DIR", folder.path());
        let positions = table(&folder, "positions.txt");
        fs::write(&positions, "1 1 1 1 1 1 / 1 0 0 0 0 0\n".repeat(2000)).expect("a write");
        command.stdin(fs::File::open(&positions).expect("the positions"));
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        let mut child = command.spawn().expect("the program runs");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("a pipe")).read_line(&mut line).expect("a line");
        assert!(line.ends_with('\n'));
        let mut stderr = String::new();
        child.stderr.take().expect("a pipe").read_to_string(&mut stderr).expect("UTF-8");
        assert_eq!((child.wait().expect("it ends").code(), stderr.as_str()), (Some(0), ""), "{arguments}");
    }
}

//! Builds that are stopped, disturbed or given other threads make the same bytes as one that runs straight.
#![cfg(unix)]

mod cli_support;

use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use cli_support::{Folder, is_finished, text};
use predicates::prelude::PredicateBooleanExt as _;
use predicates::str::contains;

fn start(folder: &Folder, arguments: &str) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sowbase"));
    command.args(arguments.split(' ')).env("SOWBASE_DIR", folder.path());
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program runs")
}

/// Waits until a file is there.
fn await_file(folder: &Folder, name: &str) {
    let begin = Instant::now();
    while !folder.path().join(name).exists() {
        assert!(begin.elapsed() < Duration::from_secs(120), "{name} was not made");
        sleep(Duration::from_millis(2));
    }
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status().expect("kill runs");
    assert!(sent.success());
}

#[test]
fn threads_do_not_show_in_the_bytes() {
    for (arguments, rule_set) in [
        ("kalaha --seeds 7", "kalaha-6"),
        ("oware --seeds 8", "oware-6"),
        ("awale --pits 4 --seeds 9", "awale-4"),
        ("nam-nam --pits 4 --seeds 8", "nam-nam-4"),
        ("bao-kenya --pits 5 --seeds 7", "bao-kenya-5"),
        ("bao-laps --pits 5 --seeds 7", "bao-laps-5"),
        ("kiothi --pits 5 --seeds 7", "kiothi-5"),
        ("kiothi --pits 3 --rule flags=true --seeds 5", "kiothi-3-flags-true"),
        ("kujifunza --pits 2 --seeds 12", "kujifunza-2"),
    ] {
        let [one, two] = ["1", "2"].map(|threads| {
            let folder = Folder::new();
            folder.done(&format!("build {arguments} --quiet --threads {threads}"));
            folder.files(rule_set)
        });
        assert!(one.len() > 1 && one == two, "{arguments}");
    }
}

#[test]
fn an_interrupted_build_says_so_and_is_resumed() {
    let straight = Folder::new();
    straight.done("build oware --seeds 13 --quiet");
    let folder = Folder::new();
    let child = start(&folder, "build oware --seeds 13");
    await_file(&folder, "oware-6/009.sow");
    signal(&child, "-INT");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(text(&output.stderr), "sowbase: interrupted; the same command goes on where this one stopped\n");
    let kept = folder.files("oware-6");
    assert!(kept.contains_key("009.sow") && !kept.contains_key("013.sow"), "{:?}", kept.keys());
    assert!(kept.keys().all(|name| is_finished(name) || name.ends_with(".unfinished")), "{:?}", kept.keys());
    folder.done("check oware");
    folder.sowbase("build oware --seeds 13").assert().success().stdout(contains(" were there\n"));
    assert!(folder.files("oware-6") == straight.files("oware-6"), "the resumed folder differs from the straight one");
    folder.sowbase("build oware --seeds 13").assert().success().stdout(contains("nothing is missing"));
}

/// Kills builds at random moments, each going on from what the last one left.
#[test]
fn a_killed_build_is_resumed() {
    let straight = Folder::new();
    let begin = Instant::now();
    straight.done("build awari --pits 5 --seeds 13 --quiet");
    let whole = begin.elapsed();
    let seed = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("a clock").as_nanos() as u64;
    println!("random moments from seed {seed}");
    let mut random = seed;
    let folder = Folder::new();
    let mut killed = 0;
    for _ in 0..12 {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut child = start(&folder, "build awari --pits 5 --seeds 13 --quiet");
        sleep(whole.mul_f64((random >> 33) as f64 / f64::from(1_u32 << 31) * 0.6));
        signal(&child, "-KILL");
        killed += u32::from(child.wait().expect("it ends").code().is_none());
        let checked = folder.sowbase("check awari --pits 5 --quiet").output().expect("the program runs");
        let code = checked.status.code();
        // Before the first table is made there is nothing to check.
        assert!(matches!(code, Some(0 | 1)), "{code:?}: {}{}", text(&checked.stdout), text(&checked.stderr));
    }
    assert!(killed > 0, "every build ended before it was killed");
    folder.done("build awari --pits 5 --seeds 13 --quiet");
    assert!(
        folder.files("oware-5-grand_slam-avoid") == straight.files("oware-5-grand_slam-avoid"),
        "the resumed folder differs from the straight one"
    );
}

/// Long layers are left in the middle, on a signal and from time to time, and taken up there.
#[test]
fn a_layer_is_resumed_in_the_middle() {
    let straight = Folder::new();
    straight.done("build awari --seeds 13 --quiet");
    let name = "oware-6-grand_slam-avoid";
    let unfinished = format!("{name}/.013.unfinished");
    let folder = Folder::new();
    folder.done("build awari --seeds 12 --quiet");
    let mut left = Vec::new();
    for end in ["-KILL", "-TERM"] {
        let mut child = start(&folder, "build awari --seeds 13 --quiet --checkpoint 1ms");
        await_file(&folder, &unfinished);
        signal(&child, end);
        assert_eq!(child.wait().expect("it ends").code(), (end == "-TERM").then_some(130));
        assert!(!folder.path().join(format!("{name}/013.sow")).exists());
        left = std::fs::read(folder.path().join(&unfinished)).expect("it is there");
        std::fs::remove_file(folder.path().join(&unfinished)).expect("it is there");
    }
    for place in [3, 17, 30, left.len() / 2, left.len() - 1] {
        // Damaged work is not used.
        let mut damaged = left.clone();
        damaged[place] ^= 4;
        std::fs::write(folder.path().join(&unfinished), damaged).expect("it can be written");
        folder.done("build awari --seeds 13 --quiet");
        assert!(folder.files(name) == straight.files(name), "the resumed folder differs from the straight one");
        std::fs::remove_file(folder.path().join(format!("{name}/013.sow"))).expect("it is there");
    }
    std::fs::write(folder.path().join(&unfinished), left).expect("it can be written");
    folder.done("build awari --seeds 13 --quiet");
    assert!(folder.files(name) == straight.files(name), "the resumed folder differs from the straight one");
}

/// The most memory that only the program can free, while it runs.
#[cfg(target_os = "linux")]
fn peak_memory(child: &mut Child) -> u64 {
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().expect("it can be waited for").is_none() {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("RssAnon:")).unwrap_or("0 kB");
        let kilobytes: u64 = line.trim().trim_end_matches(" kB").parse().expect("a number");
        peak = peak.max(1024 * kilobytes);
        sleep(Duration::from_millis(3));
    }
    peak
}

/// The most memory and the most room in files that any layer of a build is planned to take.
#[cfg(target_os = "linux")]
fn foretold(folder: &Folder, build: &str) -> [u64; 2] {
    let plan = folder.json(&format!("{build} --dry-run --json"));
    ["memory", "files"].map(|key| plan.iter().map(|line| line[key].as_u64().expect("bytes")).max().expect("layers"))
}

#[cfg(target_os = "linux")]
#[test]
fn a_build_keeps_to_its_memory() {
    for (arguments, seeds) in [("awari", 14), ("kalaha", 14), ("bao-laps --pits 5", 11)] {
        let folder = Folder::new();
        let build = format!("build {arguments} --seeds {seeds}");
        let [needed, _] = foretold(&folder, &build);
        let mut child = start(&folder, &format!("{build} --quiet --memory {needed}"));
        let peak = peak_memory(&mut child);
        assert!(child.wait().expect("it ends").success());
        println!("{arguments}: {peak} bytes at the peak, {needed} foretold");
        assert!(peak <= needed, "{arguments}: {peak} bytes, {needed} foretold");
    }
}

/// Where memory is too small for a layer it lies in files, and the table is the same; if that does not do either, the
/// build is refused before anything is done, with the memory that would do.
#[cfg(target_os = "linux")]
#[test]
fn layers_larger_than_memory_lie_in_files() {
    for (arguments, seeds, name) in [
        ("awari", 14, "oware-6-grand_slam-avoid"),
        ("awale", 14, "awale-6"),
        ("kalaha", 15, "kalaha-6"),
        ("bao-kenya --pits 6", 13, "bao-kenya-6"),
    ] {
        let build = format!("build {arguments} --seeds {seeds} --threads 2");
        let straight = Folder::new();
        straight.done(&format!("{build} --quiet"));
        let folder = Folder::new();
        let ([in_memory, no_files], [least, files]) =
            (foretold(&folder, &build), foretold(&folder, &format!("{build} --memory 1")));
        assert!(least < in_memory && no_files == 0 && files > 0, "{arguments}: {least} and {files}");
        let refused = folder.sowbase(&format!("{build} --memory {}", least - 1)).assert().code(1);
        refused.stderr(contains("needs at least").and(contains("of memory")));
        assert_eq!(std::fs::read_dir(folder.path()).expect("the folder").count(), 0);

        let mut child = start(&folder, &format!("{build} --quiet --memory {least}"));
        let peak = peak_memory(&mut child);
        assert!(child.wait().expect("it ends").success());
        println!("{arguments}: {peak} bytes at the peak, {least} foretold, {in_memory} in memory");
        assert!(peak <= least, "{arguments}: {peak} bytes, {least} foretold");
        assert!(folder.files(name) == straight.files(name), "{arguments}: the tables differ");

        // The last layer alone, interrupted, with the layers below read back into files.
        let last = folder.path().join(format!("{name}/{seeds:03}.sow"));
        std::fs::remove_file(&last).expect("it is there");
        let mut child = start(&folder, &format!("{build} --quiet --memory {least} --checkpoint 1ms"));
        await_file(&folder, &format!("{name}/.{seeds:03}.unfinished"));
        signal(&child, "-TERM");
        assert_eq!(child.wait().expect("it ends").code(), Some(130));
        let mut child = start(&folder, &format!("{build} --quiet --memory {least}"));
        let peak = peak_memory(&mut child);
        assert!(child.wait().expect("it ends").success());
        assert!(peak <= least, "{arguments}: {peak} bytes, {least} foretold");
        assert!(folder.files(name) == straight.files(name), "{arguments}: the resumed folder differs");
    }
}

#[test]
fn a_second_build_in_the_same_folder_is_refused() {
    let folder = Folder::new();
    let first = start(&folder, "build oware --seeds 12");
    await_file(&folder, "oware-6/009.sow");
    // Stopped, it holds the folder for as long as the test needs.
    signal(&first, "-STOP");
    folder
        .sowbase("build oware --seeds 12")
        .assert()
        .code(1)
        .stderr(contains("another build is at work in this folder; wait for it to end"));
    // Other rules have a folder of their own, and reading goes on beside a build.
    folder.done("build awari --seeds 4 --quiet");
    folder.done("query oware 0,0,0,0,0,1/1,0,0,0,0,0 --no-build");
    signal(&first, "-CONT");
    let output = first.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{}", text(&output.stderr));
    folder.done("check oware");
    assert_eq!(folder.json("info oware --json")[0]["layers"].as_array().expect("layers").len(), 13);
}

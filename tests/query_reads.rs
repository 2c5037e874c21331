//! A question about one position reads a small part of the tables, however many there are.
#![cfg(target_os = "linux")] // Elsewhere nothing tells how much a process has read.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use sowbase::database::{BuildOptions, Database};
use sowbase::games;
use sowbase::query::{Oracle, Reach, parse};
use sowbase::solve::Unwatched;
use sowbase::table::Access;

/// Bytes this process has asked the system for.
fn bytes_read() -> u64 {
    let text = fs::read_to_string("/proc/self/io").expect("what this process has read");
    let line = text.lines().find_map(|line| line.strip_prefix("rchar: ")).expect("a count of bytes read");
    line.parse().expect("a number")
}

fn open(dir: &Path) -> Database {
    Database::new(Arc::from(games::make("oware", Some(4), &[]).expect("rules")), dir, Access::Read)
}

// The only test of this file, as others would read at the same time.
#[test]
fn a_question_reads_headers_and_a_few_blocks() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = open(folder.path());
    let plan = database.plan(20, 0).expect("a plan");
    database.build(&plan, BuildOptions::default(), &Unwatched).expect("tables");
    let files = fs::read_dir(database.folder()).expect("the tables");
    let all: u64 = files.map(|file| file.and_then(|file| file.metadata()).expect("a table").len()).sum();

    let before = bytes_read();
    let database = open(folder.path());
    let position = parse(database.rules().as_ref(), "0 3 1 6 / 2 0 4 4", 3).expect("a position");
    let oracle = Oracle::new(database, Reach { build: 0, ..Reach::default() });
    let (answer, _) = oracle.answer_with_line(&position, 0).expect("whole tables");
    let read = bytes_read() - before;
    assert!(answer.worth.exact().is_some() && answer.moves.len() == 3);
    // Every layer below may be asked about captures: a header of some kilobytes for each, and blocks of at most 512
    // bytes with their index records.
    assert!(read < 200_000 && read < all / 4, "{read} of {all} bytes read");

    let before = bytes_read();
    let (again, _) = oracle.answer_with_line(&position, 0).expect("whole tables");
    assert_eq!((again.worth, again.best), (answer.worth, answer.best));
    let read = bytes_read() - before;
    assert!(read < 1000, "{read} bytes read again");
}

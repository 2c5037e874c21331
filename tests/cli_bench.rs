//! The fixed piece of work of `bench`.

mod cli_support;

use cli_support::{Folder, text};

#[test]
fn the_signature_of_bench_is_the_same_everywhere() {
    let folder = Folder::new();
    let output = folder.sowbase("bench --json").output().expect("the program runs");
    let lines: Vec<serde_json::Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
    let (last, works) = lines.split_last().expect("lines");
    assert_eq!(last["signature"], "1be1d0dd", "{works:#?}");
    assert_eq!(works.len(), 13);
    assert!(works.iter().all(|work| work["count"].as_u64() > Some(0) && work["result"] != ""), "{works:#?}");
}

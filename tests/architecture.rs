//! The direction of the dependencies that ARCHITECTURE.md draws.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Each module with the modules of the crate that it may name.
const ARROWS: &[(&str, &[&str])] = &[
    ("rules", &[]),
    ("games", &["rules"]),
    ("index", &["rules"]),
    ("memory", &[]),
    ("solve", &["rules", "index", "memory"]),
    ("search", &["rules", "index", "memory", "solve"]),
    ("play", &["rules", "games"]),
    ("table", &["memory"]),
    ("database", &["rules", "index", "memory", "solve", "table"]),
    ("query", &["rules", "games", "index", "solve", "database", "search"]),
    ("serve", &["rules", "games", "solve", "table", "database", "query"]),
    ("cli", &["rules", "games", "index", "solve", "table", "database", "search", "query", "play", "serve"]),
];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}

/// The modules that a text names as `crate::NAME` or inside `crate::{...}`, comments and unit tests left out.
fn named(text: &str) -> Vec<String> {
    let lines = text.lines().take_while(|line| line.trim() != "#[cfg(test)]");
    let code: Vec<&str> = lines.map(|line| line.split("//").next().unwrap_or("")).collect();
    let code = code.join("\n");
    let is_name = |c: char| c.is_alphanumeric() || c == '_';
    let mut names = Vec::new();
    for (at, found) in code.match_indices("crate::") {
        if code[..at].ends_with(is_name) {
            continue;
        }
        let rest = &code[at + found.len()..];
        if let Some(group) = rest.strip_prefix('{') {
            let mut depth = 0;
            let top = group.chars().take_while(|&c| {
                depth += i32::from(c == '{') - i32::from(c == '}');
                depth >= 0
            });
            let mut depth = 0;
            let flat: String = top
                .filter(|&c| {
                    depth += i32::from(c == '{') - i32::from(c == '}');
                    depth == 0
                })
                .collect();
            names.extend(flat.split(',').map(|name| name.trim().chars().take_while(|&c| is_name(c)).collect()));
        } else {
            names.push(rest.chars().take_while(|&c| is_name(c)).collect());
        }
    }
    names
}

#[test]
fn modules_name_only_modules_below_them() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let arrows: BTreeMap<&str, &[&str]> = ARROWS.iter().copied().collect();
    let mut modules: Vec<String> = fs::read_dir(&src)
        .expect("the sources")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_dir())
        .map(|path| path.file_name().expect("a name").to_string_lossy().into_owned())
        .collect();
    modules.sort();
    let mut expected: Vec<&str> = arrows.keys().copied().collect();
    expected.sort_unstable();
    assert_eq!(modules, expected, "every module has its place in ARROWS");
    for (module, allowed) in ARROWS {
        for file in sources(&src.join(module)) {
            for name in named(&fs::read_to_string(&file).expect("a source")) {
                assert!(
                    name == *module || allowed.contains(&name.as_str()),
                    "{} names {name}, and {module} may name only {allowed:?}",
                    file.display()
                );
            }
        }
    }
}

#[test]
fn only_the_command_line_prints_reads_the_environment_or_exits() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (module, _) in ARROWS.iter().filter(|(module, _)| *module != "cli") {
        for file in sources(&src.join(module)) {
            let text = fs::read_to_string(&file).expect("a source");
            for word in ["println!", "eprintln!", "std::env", "process::exit"] {
                assert!(!text.contains(word), "{} uses {word}", file.display());
            }
        }
    }
}

#[test]
fn unsafe_code_is_in_one_place() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let users: Vec<PathBuf> = sources(&src)
        .into_iter()
        .filter(|file| fs::read_to_string(file).expect("a source").contains("unsafe {"))
        .map(|file| file.strip_prefix(&src).expect("below src").to_owned())
        .collect();
    assert_eq!(users, [Path::new("memory/map.rs")]);
}

#[test]
fn names_are_found_alone_and_in_groups() {
    let text = "use crate::rules::{Board, a::b};\nuse crate::{games, index::{x, y}};\n// crate::cli\nlet mycrate::no;\n\
                #[cfg(test)]\nuse crate::query;";
    assert_eq!(named(text), ["rules", "games", "index"]);
}

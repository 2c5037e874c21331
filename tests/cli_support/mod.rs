//! Running the built program.
#![allow(dead_code)] // Each test file uses a part of this.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Output;

use assert_cmd::Command;
use serde_json::Value as Json;
use tempfile::TempDir;

/// A database folder of a test's own.
pub struct Folder(TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// The program on this folder.
    pub fn sowbase(&self, arguments: &str) -> Command {
        let mut command = sowbase(arguments);
        command.env("SOWBASE_DIR", self.path());
        command
    }

    /// Runs a command that must succeed.
    pub fn done(&self, arguments: &str) -> Output {
        let assert = self.sowbase(arguments).assert().success();
        assert.get_output().clone()
    }

    /// The objects that a command prints.
    pub fn json(&self, arguments: &str) -> Vec<Json> {
        objects(&self.done(arguments))
    }

    /// The answer about one position.
    pub fn query(&self, rules: &str, position: &str) -> Json {
        let output = self.sowbase(&format!("query {rules} --json")).arg(position).assert().success();
        objects(output.get_output()).remove(0)
    }

    /// Every file of a rule set's folder with its bytes.
    pub fn files(&self, rule_set: &str) -> BTreeMap<String, Vec<u8>> {
        let entries = std::fs::read_dir(self.path().join(rule_set)).expect("a folder of tables");
        let entries = entries.map(|entry| entry.expect("an entry").path());
        entries
            .map(|path| {
                let name = path.file_name().expect("a name").to_string_lossy().into_owned();
                (name, std::fs::read(&path).expect("a readable file"))
            })
            .collect()
    }
}

/// The program with these arguments, split at blanks, in a folder where it finds no tables.
pub fn sowbase(arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sowbase"));
    command.args(arguments.split_whitespace()).env("SOWBASE_DIR", "there/is/no/such/folder");
    command
}

/// Standard output as one JSON object a line.
pub fn objects(output: &Output) -> Vec<Json> {
    text(&output.stdout).lines().map(|line| serde_json::from_str(line).expect("a JSON object a line")).collect()
}

/// What the program wrote, which is always UTF-8.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// The keys of an object in the order in which they are printed.
pub fn keys(object: &Json) -> Vec<&str> {
    object.as_object().expect("an object").keys().map(String::as_str).collect()
}

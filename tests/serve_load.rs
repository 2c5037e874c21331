//! 1,000 random questions a second, values of the position and all its moves, for 30 s from a second process, against tables of 14 seeds:
//! `cargo test --release --test serve_load -- --ignored --nocapture`.
//!
//! `SOWBASE` names another program, `SOWBASE_LOAD_DIR` a folder that keeps the tables for the next run.
#![cfg(feature = "serve")]

mod serve_client;

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use serve_client::{Client, Server};

const RATE: u32 = 1000;
const SECONDS: u32 = 30;
const CONNECTIONS: u32 = 16;
const GAMES: [&str; 3] = ["oware", "awari", "kalaha"];

/// A small generator; the questions are the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % end
    }

    fn question(&mut self) -> String {
        let mut pits = [0; 12];
        for _ in 0..=self.below(14) {
            pits[self.below(12) as usize] += 1;
        }
        let row = |pits: &[u32]| pits.iter().map(u32::to_string).collect::<Vec<_>>().join("+");
        let game = GAMES[self.below(3) as usize];
        format!("/v1/{game}?line=0&position={}+/+{}", row(&pits[..6]), row(&pits[6..]))
    }
}

#[test]
#[ignore = "takes a minute and the whole machine"]
fn a_thousand_questions_a_second() {
    let program = std::env::var("SOWBASE").unwrap_or_else(|_| env!("CARGO_BIN_EXE_sowbase").to_owned());
    let scratch = tempfile::tempdir().expect("a folder");
    let dir = std::env::var_os("SOWBASE_LOAD_DIR").map_or_else(|| scratch.path().to_owned(), PathBuf::from);
    for game in GAMES {
        let built =
            Command::new(&program).args(["build", game, "--seeds", "14", "--quiet", "--dir"]).arg(&dir).status();
        assert!(built.expect("the program starts").success());
    }
    let server = Server::start(&program, &dir);
    let begin = Instant::now();
    let clients: Vec<_> = (0..CONNECTIONS)
        .map(|number| {
            let address = server.address.clone();
            std::thread::spawn(move || ask_on_time(&address, number, begin))
        })
        .collect();
    let mut times: Vec<Duration> = clients.into_iter().flat_map(|client| client.join().expect("no error")).collect();
    let took = begin.elapsed();
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    println!(
        "{} questions in {:.1} s: p50 {:?}, p90 {:?}, p99 {:?}, p99.9 {:?}, slowest {:?}",
        times.len(),
        took.as_secs_f64(),
        at(0.5),
        at(0.9),
        at(0.99),
        at(0.999),
        at(1.0)
    );
    assert_eq!(times.len() as u32, RATE * SECONDS);
    assert!(took < Duration::from_secs(u64::from(SECONDS) + 2), "the rate was not kept: {took:?}");
}

/// Asks every `CONNECTIONS`-th question at its time; each latency counts from when the question was due, so that a
/// slow answer also tells on the questions behind it.
fn ask_on_time(address: &str, number: u32, begin: Instant) -> Vec<Duration> {
    let mut random = Random(u64::from(number) + 1);
    let mut client = Client::connect(address);
    let mut times = Vec::new();
    for turn in (number..RATE * SECONDS).step_by(CONNECTIONS as usize) {
        let question = random.question();
        let due = begin + Duration::from_secs(1) / RATE * turn;
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        let (status, body) = client.get(&question).expect("an answer");
        assert_eq!(status, 200, "{question}: {body}");
        assert!(body.contains("\"exact\":true"), "{question}: {body}");
        times.push(due.elapsed());
    }
    times
}

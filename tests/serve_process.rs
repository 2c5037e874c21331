//! `sowbase serve` as a process: it tells its address, answers, and ends when told to.
#![cfg(all(feature = "serve", unix))]

mod serve_client;

use std::time::{Duration, Instant};

use serve_client::{Client, Server};

#[test]
fn it_answers_and_ends_on_a_signal() {
    for signal in ["TERM", "INT"] {
        let dir = tempfile::tempdir().expect("a folder");
        let mut server = Server::start(env!("CARGO_BIN_EXE_sowbase"), dir.path());
        let mut client = Client::connect(&server.address);
        let (status, body) = client.get("/healthz").expect("an answer");
        assert_eq!(status, 200);
        assert!(body.contains("\"ok\":true"), "{body}");
        let (status, body) = client.get("/v1/oware?position=0+0+0+1+0+1+/+1+0+0+0+0+0").expect("an answer");
        assert_eq!(status, 200);
        assert!(body.contains("\"value\":3"), "{body}");
        let begin = Instant::now();
        server.signal(signal);
        assert!(server.process.wait().expect("an exit code").success());
        // The idle connection does not hold the process.
        assert!(begin.elapsed() < Duration::from_secs(8), "{:?}", begin.elapsed());
    }
}

#[test]
fn a_taken_port_is_told() {
    let dir = tempfile::tempdir().expect("a folder");
    let taken = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("its number").port().to_string();
    assert_cmd::Command::new(env!("CARGO_BIN_EXE_sowbase"))
        .args(["serve", "--port", &port, "--dir"])
        .arg(dir.path())
        .assert()
        .code(3)
        .stderr(predicates::str::contains(format!("cannot listen on 127.0.0.1 port {port}")));
}

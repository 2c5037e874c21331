//! A server process and a plain HTTP client on loopback.
#![allow(dead_code)] // Every test uses its part of this.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// `sowbase serve` on a free port; killed when dropped.
pub struct Server {
    pub process: Child,
    pub address: String,
}

impl Server {
    pub fn start(program: &str, dir: &Path) -> Self {
        let mut process = Command::new(program)
            .args(["serve", "--port", "0", "--dir"])
            .arg(dir)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        BufReader::new(process.stdout.take().expect("its output")).read_line(&mut line).expect("its address");
        let address = line.trim().trim_start_matches("http://").trim_end_matches('/').to_owned();
        Self { process, address }
    }

    pub fn signal(&self, name: &str) {
        let sent = Command::new("kill").args(["-s", name, &self.process.id().to_string()]).status();
        assert!(sent.expect("kill runs").success());
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// One kept connection.
pub struct Client {
    stream: BufReader<TcpStream>,
}

impl Client {
    pub fn connect(address: &str) -> Self {
        let stream = TcpStream::connect(address).expect("a connection");
        stream.set_nodelay(true).expect("no delay");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a limit");
        Self { stream: BufReader::new(stream) }
    }

    /// Status and body.
    pub fn get(&mut self, target: &str) -> io::Result<(u16, String)> {
        self.stream.get_mut().write_all(format!("GET {target} HTTP/1.1\r\nhost: localhost\r\n\r\n").as_bytes())?;
        let invalid = || io::Error::from(io::ErrorKind::InvalidData);
        let (mut status, mut length) = (None, 0);
        loop {
            let mut line = String::new();
            if self.stream.read_line(&mut line)? == 0 {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            let line = line.trim_end().to_ascii_lowercase();
            if status.is_none() {
                status = line.split(' ').nth(1).and_then(|code| code.parse().ok());
            } else if let Some(bytes) = line.strip_prefix("content-length: ") {
                length = bytes.parse().map_err(|_| invalid())?;
            } else if line.is_empty() {
                break;
            }
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        Ok((status.ok_or_else(invalid)?, String::from_utf8(body).map_err(|_| invalid())?))
    }
}

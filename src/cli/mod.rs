//! The command line: arguments in, text or JSON out, exit codes. The only place that prints, reads the environment
//! or asks for a terminal.

mod args;
mod commands;
mod failure;
mod output;
mod watch;

use std::process::ExitCode;

use clap::Parser;

use args::{Args, Command};
pub use args::{BuildArgs, FolderArgs, RulesArgs};
pub use commands::build::run_with as build_with;
pub use failure::Failure;
pub use watch::Watch;

/// Runs the program on the arguments of the process.
#[must_use]
pub fn main() -> ExitCode {
    let args = Args::parse();
    match run(args.command) {
        Ok(code) => code,
        Err(failure) => {
            if let Some(text) = failure.message() {
                eprintln!("sowbase: {text}");
            }
            failure.code()
        }
    }
}

fn run(command: Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Games(args) => commands::games::run(&args),
        Command::Bench(args) => commands::bench::run(&args),
        Command::Build(args) => commands::build::run(&args),
        Command::Query(args) => commands::query::run(&args),
        Command::Openings(args) => commands::openings::run(&args),
        Command::Play(args) => commands::play::run(&args),
        Command::Stats(args) => commands::stats::run(&args),
        Command::Export(args) => commands::export::run(&args),
        Command::Info(args) => commands::info::run(&args),
        Command::Check(args) => commands::check::run(&args),
        Command::Verify(args) => commands::verify::run(&args),
        Command::Perft(args) => commands::perft::run(&args),
        #[cfg(feature = "serve")]
        Command::Serve(args) => commands::serve::run(&args),
    }
}

//! The command-line program; see [`sowbase::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    sowbase::cli::main()
}

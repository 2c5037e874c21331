//! `serve`: the HTTP API and the web explorer.

use std::process::ExitCode;

use crate::cli::args::ServeArgs;
use crate::cli::failure::Failure;
use crate::cli::output;
use crate::serve::{Config, Limits, bind, run as serve};
use crate::table::Access;

pub(in crate::cli) fn run(args: &ServeArgs) -> Result<ExitCode, Failure> {
    let access = if args.mmap { Access::Map } else { Access::Read };
    let config = Config { dir: args.dir.clone(), access, limits: Limits::default() };
    let failed = |what: &str, error: std::io::Error| Failure::data(format!("cannot {what}: {error}"));
    let listener = bind(args.bind, args.port)
        .map_err(|error| failed(&format!("listen on {} port {}", args.bind, args.port), error))?;
    let address = listener.local_addr().map_err(|error| failed("tell the address", error))?;
    output::line(&format!("http://{address}/"))?;
    serve(listener, config).map_err(|error| failed("serve", error))?;
    Ok(ExitCode::SUCCESS)
}

//! `sowbase-mpi`: the tables of `sowbase build`, byte for byte, made by many processes on one or many machines.
//!
//! A layer is dealt to the processes by blocks of ranks ([`partition`]). Each keeps one word for each of its positions
//! ([`tally`]) and looks the layers below up on its own machine ([`below`]). Settled positions are announced to the
//! owners of those that may move to them ([`links`], [`unmoves`]) in rounds ([`solve`]), as packed numbers ([`packing`])
//! over MPI ([`transport`]). Then all write the table together ([`tables`]). What is not done can be saved and taken up
//! again by any number of processes ([`checkpoint`]). `docs/cluster.md` has the figures.

mod below;
mod checkpoint;
mod error;
mod folders;
mod forecast;
mod links;
mod packing;
mod partition;
mod run;
mod solve;
mod tables;
mod tally;
mod transport;
mod unmoves;

use std::cell::Cell;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::{Parser, Subcommand};
use mpi::Threading;
use signal_hook::consts::{SIGINT, SIGTERM, SIGUSR1};
use sowbase::cli::{BuildArgs, Failure, build_with};
use sowbase::database::{BuildOptions, BuildProgress, Built, Database, Plan};
use sowbase::solve::Unwatched;

use error::Error;
use run::{Build, Options};
use transport::Transport;

/// The same tables, made by many processes on one or many machines.
#[derive(Parser, Debug)]
#[command(name = "sowbase-mpi", version, max_term_width = 110)]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Make all missing tables up to a number of seeds; running it again resumes
    #[command(after_help = "Examples:\n  mpirun -n 4 sowbase-mpi build oware --seeds 12\n  \
        mpirun --hostfile hosts sowbase-mpi build awari --seeds 30 --checkpoint 30m\n\n\
        --memory is a ceiling for each machine, --threads a number for each process.")]
    Build(SharedBuild),
    /// Tell what a build by so many processes would take, at given rates; needs only one process
    #[command(after_help = "Example:\n  sowbase-mpi forecast awari --seeds 48 --processes 128 --rate 1e6 --traffic 6")]
    Forecast(forecast::Forecast),
}

#[derive(clap::Args, Debug)]
struct SharedBuild {
    #[command(flatten)]
    build: BuildArgs,
    /// Print what each layer cost in time, messages and memory
    #[arg(long)]
    stats: bool,
}

/// The exit code for a damaged file, a refused operation, or a system that MPI does not run on.
const DATA: u8 = 3;

/// The exit code for a build that may not start.
const NOT_THERE: u8 = 1;

fn main() -> ExitCode {
    // Threads compute; only the main thread talks to the others.
    let Some((universe, threading)) = mpi::initialize_with_threading(Threading::Funneled) else {
        eprintln!("sowbase-mpi: MPI is running already");
        return ExitCode::from(DATA);
    };
    if threading < Threading::Funneled {
        eprintln!("sowbase-mpi: this MPI does not allow threads; install one built with MPI_THREAD_FUNNELED");
        return ExitCode::from(DATA);
    }
    let transport = Transport::new(&universe);
    let code = match Args::try_parse() {
        Ok(Args { command }) => run(&transport, &command).unwrap_or_else(|failure| {
            if let Some(text) = failure.message().filter(|_| transport.is_root()) {
                eprintln!("sowbase-mpi: {text}");
            }
            failure.code()
        }),
        Err(error) => {
            if transport.is_root() {
                // Nobody is left to tell that this could not be told.
                let _ = error.print();
            }
            ExitCode::from(error.exit_code() as u8)
        }
    };
    // MPI ends all processes once one has ended with a failure; the root has told what it had to tell by now.
    transport.any(false);
    code
}

fn run(transport: &Transport, command: &Command) -> Result<ExitCode, Failure> {
    match command {
        Command::Build(args) => start(transport, args),
        Command::Forecast(args) => {
            let text = forecast::forecast(args)?;
            if transport.is_root() {
                print!("{text}");
            }
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn start(transport: &Transport, args: &SharedBuild) -> Result<ExitCode, Failure> {
    let threads = args.build.threads.map_or(0, usize::from);
    let failed = |text: String| Failure::Told(DATA, anyhow::anyhow!(text));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build_global();
    pool.map_err(|error| failed(format!("cannot start {threads} threads: {error}")))?;
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM, SIGUSR1] {
        let caught = signal_hook::flag::register(signal, Arc::clone(&stop));
        caught.map_err(|error| failed(format!("cannot catch signals: {error}")))?;
    }
    let build = |database: &Database, plan: &Plan, progress: &dyn BuildProgress| {
        let build = BuildOptions { memory: args.build.memory, checkpoint: args.build.checkpoint };
        let options = Options { build, stats: args.stats };
        let built = Build { transport, database, options, progress, stop: &stop }.run(plan);
        built.map_err(|error| fail(transport, error))
    };
    if transport.is_root() {
        let begun = Cell::new(false);
        let code = build_with(&args.build, |database, plan, _, watch| {
            begun.set(true);
            transport.any(true);
            build(database, plan, watch)
        });
        if !begun.get() {
            transport.any(false);
        }
        return code;
    }
    // The root may find that there is nothing to do, or that it cannot be done.
    if !transport.any(false) {
        return Ok(ExitCode::SUCCESS);
    }
    let database = args.build.folder.open()?;
    let plan = database.plan(args.build.seeds, args.build.closed).map_err(|error| fail(transport, error.into()))?;
    let _: Vec<Built> = build(&database, &plan, &Unwatched)?;
    Ok(ExitCode::SUCCESS)
}

/// Turns an error that all processes have into a failure. One that this process has alone ends them all here: the others
/// wait for it and would never know.
fn fail(transport: &Transport, error: Error) -> Failure {
    let all_have_it = error.is_interrupt() || error.is_refusal();
    let failure = match error {
        Error::Database(error) => error.into(),
        error @ Error::TooFewProcesses { .. } => Failure::Told(NOT_THERE, error.into()),
        error => Failure::Told(DATA, error.into()),
    };
    match failure {
        Failure::Told(code, error) if !all_have_it => {
            eprintln!("sowbase-mpi: process {} of {}: {error}", transport.process(), transport.processes());
            eprintln!(
                "sowbase-mpi: all processes end; whole tables and the state saved last stay, and the same command goes on from there"
            );
            transport.abort(code)
        }
        failure => failure,
    }
}

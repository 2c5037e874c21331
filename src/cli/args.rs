//! What the command line takes.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};

use super::failure::Failure;
use crate::database::{Database, free_memory};
use crate::games;
use crate::query::Effort;
use crate::rules::Rules;
use crate::table::Access;

/// Exact answers about mancala games: endgame tables, queries and openings.
#[derive(Parser, Debug)]
#[command(name = "sowbase", version, max_term_width = 110)]
pub(super) struct Args {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand, Debug)]
pub(super) enum Command {
    /// List every game, preset and option
    #[command(after_help = "Example:\n  sowbase games")]
    Games(GamesArgs),
    /// Make all missing tables up to a number of seeds; running it again resumes
    #[command(after_help = "Examples:\n  sowbase build oware --seeds 12\n  sowbase build kalaha --seeds 24 --dry-run")]
    Build(BuildArgs),
    /// Tell the value of positions, their moves with values, the best moves and a best line
    #[command(after_help = "Examples:\n  sowbase query oware '0 0 0 1 0 1 / 1 0 0 0 0 0'\n  \
        sowbase query kalaha start --per-pit 1\n  sowbase query awari - --json < positions.txt\n\n\
        A position is 'own / other', each row from its owner's left to right; ': 10-8' may follow with the seeds \
        already won. Kujifunza: 'own front / own back / other front / other back'.")]
    Query(QueryArgs),
    /// Analyse the first moves of the initial position
    #[command(after_help = "Example:\n  sowbase openings kalaha --pits 4 --per-pit 2")]
    Openings(OpeningsArgs),
    /// Play a game at the terminal against the tables and the search
    #[command(after_help = PLAY_HELP)]
    Play(PlayArgs),
    /// Count wins, draws and losses and the values of each layer
    #[command(after_help = "Example:\n  sowbase stats awari --json --crc")]
    Stats(StatsArgs),
    /// Write the values of one layer to a file, in lexicographic order of (own, other)
    #[command(after_help = "Example:\n  sowbase export oware --seeds 8 --format npy -o oware-8.npy\n\n\
        raw and npy hold one signed byte a position; kujifunza two, little endian: d+1 for a win in d moves, \
        -(d+1) for a loss in d, 0 for a draw.")]
    Export(ExportArgs),
    /// Tell which tables are there
    #[command(after_help = "Example:\n  sowbase info oware")]
    Info(FolderArgs),
    /// Check that every byte of every table is whole
    #[command(after_help = "Example:\n  sowbase check oware")]
    Check(CheckArgs),
    /// Prove every value from its moves, independently of how it was computed
    #[command(after_help = "Examples:\n  sowbase verify oware\n  sowbase verify kalaha --seeds 18 --sample 100000")]
    Verify(VerifyArgs),
    /// Do a fixed piece of work and print a signature of what came out
    #[command(after_help = "Example:\n  sowbase bench\n\n\
        The signature is the same on every machine and for any number of threads; speeds are wall time.")]
    Bench(BenchArgs),
    /// Count move sequences
    #[command(
        after_help = "Examples:\n  sowbase perft kalaha 6\n  sowbase perft oware 3 '1 2 0 0 0 3 / 0 0 4 0 0 1' --divide"
    )]
    Perft(PerftArgs),
    /// Serve the HTTP API and the web explorer until Ctrl-C
    #[cfg(feature = "serve")]
    #[command(after_help = "Example:\n  sowbase serve --port 8080, then open http://127.0.0.1:8080/")]
    Serve(ServeArgs),
}

const PLAY_HELP: &str = "Examples:
  sowbase play kalaha
  sowbase play oware --seat second --time 10s
  sowbase play kujifunza --pits 3 --seat both
  sowbase play awari --position '0 0 4 1 0 2 / 3 0 0 1 1 0 : 18-18'

In the game, type the pit to sow from, 1 for your leftmost, and Enter; 'help' tells the rest. Moves and words may also
come from a file: sowbase play oware < moves.txt.";

/// A rule set.
#[derive(ClapArgs, Debug)]
pub struct RulesArgs {
    /// A game or preset; `sowbase games` lists them
    pub game: String,
    /// Pits a row, 2 to 10; the game's own number if left out
    #[arg(long, value_name = "W")]
    pub pits: Option<usize>,
    /// A rule option, for example `grand_slam=void`; may be given more than once
    #[arg(long = "rule", value_name = "NAME=VALUE")]
    pub rules: Vec<String>,
}

impl RulesArgs {
    pub(super) fn make(&self) -> Result<Arc<dyn Rules>, Failure> {
        Ok(Arc::from(games::make(&self.game, self.pits, &self.rules)?))
    }
}

/// A rule set and the folder of its tables.
#[derive(ClapArgs, Debug)]
pub struct FolderArgs {
    /// The rule set.
    #[command(flatten)]
    pub rules: RulesArgs,
    /// The database folder
    #[arg(long, env = "SOWBASE_DIR", default_value = "databases")]
    pub dir: PathBuf,
    /// Read tables by system calls instead of mapping them into memory
    #[arg(long)]
    pub no_mmap: bool,
    /// Print one JSON object a line
    #[arg(long)]
    pub json: bool,
    /// Show no progress
    #[arg(long)]
    pub quiet: bool,
}

impl FolderArgs {
    /// The database, which is not read yet.
    ///
    /// # Errors
    /// There are no such rules.
    pub fn open(&self) -> Result<Database, Failure> {
        let access = if self.no_mmap { Access::Read } else { Access::Map };
        Ok(Database::new(self.rules.make()?, &self.dir, access))
    }
}

/// The initial position's filling.
#[derive(ClapArgs, Debug)]
pub(super) struct FillingArgs {
    /// Seeds in each pit that `start` fills; the game's own number if left out
    #[arg(long, value_name = "K")]
    pub per_pit: Option<u8>,
}

impl FillingArgs {
    pub(super) fn of(&self, rules: &dyn Rules) -> u8 {
        let own = || games::find(rules.rule_set().game()).map_or(0, |game| game.per_pit);
        self.per_pit.unwrap_or_else(own)
    }
}

/// What a search may spend.
#[derive(ClapArgs, Debug)]
pub(super) struct EffortArgs {
    /// Wall time for positions beyond the tables, for example 10s, 5m or 2h
    #[arg(long, value_name = "T", value_parser = parse_time)]
    pub time: Option<Duration>,
    /// Memory for layers and proofs, for example 8G; half of what is free if left out
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    pub memory: Option<u64>,
    /// Threads; all processors if left out
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
}

impl EffortArgs {
    /// What was asked for; a single question has a limit of its own, and its value comes first.
    pub(super) fn effort(&self, time: Option<Duration>) -> Effort {
        Effort {
            time: self.time.or(time),
            memory: self.memory.or_else(|| free_memory().map(|free| free / 2)).unwrap_or(1 << 30),
            threads: threads(self.threads),
            value_first: time.is_some(),
        }
    }
}

/// So many threads as were asked for, or all processors.
pub(super) fn threads(asked: Option<u16>) -> usize {
    let processors = || std::thread::available_parallelism().map_or(1, usize::from);
    asked.map_or_else(processors, usize::from)
}

/// A pool of so many threads as were asked for, or of one for each processor.
pub(super) fn pool(asked: Option<u16>) -> Result<rayon::ThreadPool, Failure> {
    let threads = asked.map_or(0, usize::from);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.map_err(|error| Failure::data(format!("cannot start {threads} threads: {error}")))
}

#[derive(ClapArgs, Debug)]
pub(super) struct GamesArgs {
    /// Print one JSON object a line
    #[arg(long)]
    pub json: bool,
}

/// What `build` takes.
#[derive(ClapArgs, Debug)]
pub struct BuildArgs {
    /// The rule set and the folder.
    #[command(flatten)]
    pub folder: FolderArgs,
    /// Seeds of the last layer
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(0..=127))]
    pub seeds: u8,
    /// Kiothi with flags: the most closed pits of a layer; all if left out
    #[arg(long, value_name = "C", default_value_t = u8::MAX, hide_default_value = true)]
    pub closed: u8,
    /// Threads; all processors if left out
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// How often the work on a long layer is kept on the disk; also done on Ctrl-C [default: 10m]
    #[arg(long, value_name = "T", value_parser = parse_time)]
    pub checkpoint: Option<Duration>,
    /// A ceiling for memory, for example 8G; what is free if left out
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    pub memory: Option<u64>,
    /// Only tell what would be done
    #[arg(long)]
    pub dry_run: bool,
}

#[derive(ClapArgs, Debug)]
pub(super) struct BenchArgs {
    /// Threads; all processors if left out
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Print one JSON object a line
    #[arg(long)]
    pub json: bool,
}

#[derive(ClapArgs, Debug)]
pub(super) struct QueryArgs {
    #[command(flatten)]
    pub folder: FolderArgs,
    /// Positions; `start` for the initial one, `-` to read them from standard input, one a line
    #[arg(required = true, value_name = "POSITION")]
    pub positions: Vec<String>,
    #[command(flatten)]
    pub filling: FillingArgs,
    /// Answer from tables alone: neither solve small missing layers nor search
    #[arg(long)]
    pub no_build: bool,
    #[command(flatten)]
    pub effort: EffortArgs,
}

#[derive(ClapArgs, Debug)]
pub(super) struct OpeningsArgs {
    #[command(flatten)]
    pub folder: FolderArgs,
    #[command(flatten)]
    pub filling: FillingArgs,
    #[command(flatten)]
    pub effort: EffortArgs,
}

/// Who is played by the person.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Seats {
    /// The player who begins
    First,
    /// The other one
    Second,
    /// Both players
    Both,
    /// Nobody: the program plays against itself
    None,
}

#[derive(ClapArgs, Debug)]
pub(super) struct PlayArgs {
    #[command(flatten)]
    pub rules: RulesArgs,
    /// The database folder
    #[arg(long, env = "SOWBASE_DIR", default_value = "databases")]
    pub dir: PathBuf,
    #[command(flatten)]
    pub filling: FillingArgs,
    /// Where the game begins, as `query` takes it
    #[arg(long, default_value = "start", conflicts_with = "load")]
    pub position: String,
    /// Go on with a saved game
    #[arg(long, value_name = "FILE")]
    pub load: Option<PathBuf>,
    /// Whom you play
    #[arg(long, value_enum, default_value_t = Seats::First)]
    pub seat: Seats,
    /// Wall time for a move of the program or a hint that the tables do not answer
    #[arg(long, value_name = "T", value_parser = parse_time, default_value = "3s")]
    pub time: Duration,
    /// Memory for layers and proofs
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes, default_value = "256M")]
    pub memory: u64,
    /// Threads; all processors if left out
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
}

#[derive(ClapArgs, Debug)]
pub(super) struct StatsArgs {
    #[command(flatten)]
    pub folder: FolderArgs,
    /// Only the layers of so many seeds
    #[arg(long, value_name = "N")]
    pub seeds: Option<u8>,
    /// Add the CRC-32 of the values as signed bytes in lexicographic order of (own, other)
    #[arg(long)]
    pub crc: bool,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Format {
    /// The values alone
    Raw,
    /// own, other, value
    Csv,
    /// The array file of numpy
    Npy,
}

#[derive(ClapArgs, Debug)]
pub(super) struct ExportArgs {
    #[command(flatten)]
    pub folder: FolderArgs,
    /// Seeds of the layer
    #[arg(long, value_name = "N")]
    pub seeds: u8,
    /// Closed pits of the layer (kiothi with flags)
    #[arg(long, value_name = "C", default_value_t = 0)]
    pub closed: u8,
    /// How to write the values
    #[arg(long)]
    pub format: Format,
    /// The file; `-` for standard output
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
}

#[derive(ClapArgs, Debug)]
pub(super) struct CheckArgs {
    #[command(flatten)]
    pub folder: FolderArgs,
    /// Only the layers of so many seeds
    #[arg(long, value_name = "N")]
    pub seeds: Option<u8>,
}

#[derive(ClapArgs, Debug)]
pub(super) struct VerifyArgs {
    #[command(flatten)]
    pub folder: FolderArgs,
    /// Only the layers of so many seeds
    #[arg(long, value_name = "N")]
    pub seeds: Option<u8>,
    /// A quick look at so many positions a layer instead of a proof
    #[arg(long, value_name = "K")]
    pub sample: Option<u64>,
}

#[derive(ClapArgs, Debug)]
pub(super) struct PerftArgs {
    #[command(flatten)]
    pub rules: RulesArgs,
    /// Length of the sequences
    pub depth: u32,
    /// Where they begin
    #[arg(default_value = "start")]
    pub position: String,
    #[command(flatten)]
    pub filling: FillingArgs,
    /// Count each first move apart
    #[arg(long)]
    pub divide: bool,
    /// Print one JSON object a line
    #[arg(long)]
    pub json: bool,
}

#[cfg(feature = "serve")]
#[derive(ClapArgs, Debug)]
pub(super) struct ServeArgs {
    /// The port; 0 for any free one
    #[arg(long, default_value_t = 8080)]
    pub port: u16,
    /// The address to listen on; 0.0.0.0 for all
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    pub bind: std::net::IpAddr,
    /// The database folder
    #[arg(long, env = "SOWBASE_DIR", default_value = "databases")]
    pub dir: PathBuf,
    /// Map tables into memory: faster, but a table that is cut short from outside ends the server
    #[arg(long)]
    pub mmap: bool,
}

fn parse_bytes(text: &str) -> Result<u64, String> {
    let expected = "expected a number of bytes such as 500M or 8G";
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let shift = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 0,
        "K" | "KB" | "KIB" => 10,
        "M" | "MB" | "MIB" => 20,
        "G" | "GB" | "GIB" => 30,
        "T" | "TB" | "TIB" => 40,
        _ => return Err(expected.to_owned()),
    };
    let number: f64 = digits.parse().map_err(|_| expected.to_owned())?;
    if number.is_finite() && number > 0.0 && number < 1e9 {
        Ok((number * (1_u64 << shift) as f64) as u64)
    } else {
        Err(expected.to_owned())
    }
}

fn parse_time(text: &str) -> Result<Duration, String> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let seconds = match &text[digits.len()..] {
        "" | "s" => 1.0,
        "ms" => 0.001,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        "d" => 86400.0,
        _ => f64::NAN,
    };
    let number: f64 = digits.parse().unwrap_or(f64::NAN);
    Duration::try_from_secs_f64(number * seconds).map_err(|_| "expected a time such as 10s, 5m or 2h".to_owned())
}

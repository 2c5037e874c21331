//! Exact answers about mancala games.
//!
//! A *layer* is the set of all positions with so many seeds on the board. Layers are solved one after the other, each
//! from the layers below it, and kept as compressed tables in a folder that belongs to one rule set. A position is
//! then answered by reading tables: what it is worth, what each move is worth, and which ones are best.
//!
//! ```
//! use sowbase::database::{BuildOptions, Database};
//! use sowbase::query::{Oracle, Reach, parse};
//! use sowbase::rules::Value;
//! use sowbase::solve::Unwatched;
//! use sowbase::table::Access;
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let folder = tempfile::tempdir()?;
//! let oware = sowbase::games::make("oware", None, &[])?;
//! let database = Database::new(oware.into(), folder.path(), Access::Map);
//! database.build(&database.plan(3, 0)?, BuildOptions::default(), &Unwatched)?;
//!
//! let position = parse(database.rules().as_ref(), "0 0 0 1 0 1 / 1 0 0 0 0 0", 4)?;
//! assert_eq!(database.probe(&position.board)?, Some(Value(3)));
//!
//! let (answer, _) = Oracle::new(database, Reach::default()).answer(&position)?;
//! assert_eq!(answer.best, ["6"]);
//! # Ok(())
//! # }
//! ```
//!
//! The modules, each naming only those above it:
//!
//! | module | holds |
//! |---|---|
//! | [`rules`] | what a game is: boards, moves, values, options; positions as text |
//! | [`games`] | the eight games, one file each, and their registry |
//! | [`index`] | the numbering of the positions of a layer |
//! | [`memory`] | bytes by the million, in huge pages or in a file without a name |
//! | [`solve`] | solving a layer in memory, one way a kind of game, and proving it afterwards |
//! | [`search`] | looking ahead from positions that no table holds |
//! | [`table`] | the table file |
//! | [`database`] | a folder of tables of one rule set: planning, building, probing |
//! | [`query`] | a position in, an answer out |
//! | [`play`] | a game between two players: its moves, its standing, its end, as text |
//! | `serve` | an HTTP API and an explorer in the browser (feature `serve`) |
//! | [`cli`] | the program: arguments, output, exit codes |

pub mod cli;
pub mod database;
pub mod games;
pub mod index;
pub mod memory;
pub mod play;
pub mod query;
pub mod rules;
pub mod search;
#[cfg(feature = "serve")]
pub mod serve;
pub mod solve;
pub mod table;

//! `play`: a game at the terminal.

use std::fs;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use super::query::describe;
use crate::cli::args::{PlayArgs, Seats, threads};
use crate::cli::failure::Failure;
use crate::cli::{output, watch};
use crate::database::Database;
use crate::play::{Cause, Ending, Record, Seat, draw, tell, title};
use crate::query::{Answer, Effort, MoveAnswer, Oracle, QueryError, Reach, parse};
use crate::rules::{Rules, Scoring};
use crate::table::Access;

/// Positions that may be solved in memory for one move: a second or so.
const BUILD: u64 = 1_000_000;

/// Moves of the line that a hint shows.
const LINE: usize = 12;

/// A program that plays against itself stops here: real games are much shorter, and some never end.
const MOST_SOWINGS: usize = 2000;

const HELP: &str = "\
a move       the pit to sow from, 1 for your leftmost; several sowings of one turn are joined: 1-4
             kujifunza: 3> clockwise, 3< the other way, b3> in the back row; nam-nam: o2 in the other row, - a pass
hint         what each of your moves is worth, the best ones with a star
moves        what may be played
go           let the program move for you
undo         take back to your last move
share        where play has come back to an earlier position: end it, each takes half of what is left
board        show the board again
record       the moves so far
save FILE    write the game to a file; load FILE goes on with one
seat WHO     change sides: first, second, both or none
quit         leave (so does the end of the input)";

pub(in crate::cli) fn run(args: &PlayArgs) -> Result<ExitCode, Failure> {
    let rules = args.rules.make()?;
    let record = match &args.load {
        Some(file) => read(&rules, file)?,
        None => {
            let position = parse(rules.as_ref(), &args.position, args.filling.of(rules.as_ref()))?;
            Record::new(Arc::clone(&rules), &position)
        }
    };
    let database = Database::new(rules, &args.dir, Access::Map);
    let table = Table {
        oracle: Oracle::new(database, Reach { build: BUILD, line: LINE }),
        effort: Effort {
            time: Some(args.time),
            memory: args.memory,
            threads: threads(args.threads),
            value_first: false,
        },
        record,
        seats: args.seat,
        prompts: io::stdin().is_terminal(),
    };
    table.play()
}

fn read(rules: &Arc<dyn Rules>, file: &Path) -> Result<Record, Failure> {
    let name = file.display();
    let text = fs::read_to_string(file).map_err(|error| Failure::data(format!("cannot read {name}: {error}")))?;
    Record::parse(rules, &text).map_err(|error| Failure::usage(format!("{name}: {error}")))
}

/// Whether a person types the moves of a player.
fn is_person(seats: Seats, seat: Seat) -> bool {
    match seats {
        Seats::First => seat == Seat::First,
        Seats::Second => seat == Seat::Second,
        Seats::Both => true,
        Seats::None => false,
    }
}

/// A game with those who play it.
struct Table {
    oracle: Oracle,
    effort: Effort,
    record: Record,
    seats: Seats,
    /// Whether somebody types, who wants to know that it is his turn.
    prompts: bool,
}

/// What follows a line of input.
enum Next {
    /// The game as it stands, shown again.
    Board,
    /// Another line.
    Line,
    /// The end.
    Quit,
}

impl Table {
    fn play(mut self) -> Result<ExitCode, Failure> {
        output::line(&format!("{}: {}", title(self.rules()), self.rules().rule_set().text()))?;
        let mut lines = io::stdin().lines();
        let mut shown = false;
        loop {
            if !shown {
                self.show()?;
                shown = true;
            }
            let ending = self.record.result();
            if ending.is_none() && !is_person(self.seats, self.record.seat()) {
                if self.seats == Seats::None && self.record.plies().len() >= MOST_SOWINGS {
                    output::line(&format!("after {MOST_SOWINGS} sowings the game is broken off"))?;
                    return Ok(ExitCode::SUCCESS);
                }
                self.reply()?;
                shown = false;
                continue;
            }
            if ending.is_some() && self.seats == Seats::None {
                return Ok(ExitCode::SUCCESS);
            }
            if self.prompts {
                let who = if ending.is_some() { "over".to_owned() } else { self.record.seat().to_string() };
                print_prompt(&who)?;
            }
            let line = match lines.next() {
                None => return Ok(ExitCode::SUCCESS),
                Some(line) => line.map_err(|error| Failure::data(format!("cannot read standard input: {error}")))?,
            };
            match self.obey(line.trim())? {
                Next::Board => shown = false,
                Next::Line => {}
                Next::Quit => return Ok(ExitCode::SUCCESS),
            }
        }
    }

    fn rules(&self) -> &dyn Rules {
        self.record.rules()
    }

    /// Shows the board and, if it is so, how the game ended.
    fn show(&self) -> Result<(), Failure> {
        let bottom = if self.seats == Seats::Second { Seat::Second } else { Seat::First };
        output::line(&format!("\n{}\n", draw(&self.record, bottom)))?;
        if let Some(ending) = self.record.result() {
            return output::line(&self.tell_ending(&ending));
        }
        if self.record.times() > 1 {
            output::line(
                "this position has been there before: 'share' ends the game, at the third time it ends itself",
            )?;
        }
        Ok(())
    }

    fn tell_ending(&self, ending: &Ending) -> String {
        let cause = match ending.cause {
            Cause::Over => "play is over",
            Cause::Endless => "a sowing that never stops ends play, what is left is shared",
            Cause::Repetition => "the same position for the third time ends play, what is left is shared",
            Cause::Agreed => "play goes round, what is left is shared",
        };
        let [first, second] = ending.doubled;
        let winner = match ending.winner {
            Some(seat) if first == second && self.rules().scoring() == Scoring::Seeds => {
                format!("{seat} wins, who held half of all seeds first")
            }
            Some(seat) => format!("{seat} wins"),
            None => "a draw".to_owned(),
        };
        match self.rules().scoring() {
            Scoring::Outcome => format!("{cause}: {winner}"),
            Scoring::Seeds => {
                let [first, second] = ending.doubled.map(|doubled| output::halves(i64::from(doubled)));
                format!("{cause}: first {first}, second {second}, {winner}")
            }
        }
    }

    fn obey(&mut self, line: &str) -> Result<Next, Failure> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match (word, rest) {
            ("", _) => {}
            ("help" | "?", _) => output::line(HELP)?,
            ("quit" | "exit" | "q", _) => return Ok(Next::Quit),
            ("board", _) => return Ok(Next::Board),
            ("moves", _) => {
                let names: Vec<String> =
                    self.record.moves().iter().map(|(mv, _)| self.rules().move_name(*mv)).collect();
                output::line(&if names.is_empty() { "play is over".to_owned() } else { names.join(" ") })?;
            }
            ("record", _) => output::line(self.record.text().trim_end())?,
            ("hint", _) => self.hint()?,
            ("go", _) if self.record.result().is_none() => {
                self.reply()?;
                return Ok(Next::Board);
            }
            ("undo", _) => {
                if self.undo() {
                    return Ok(Next::Board);
                }
                output::line("nothing to take back")?;
            }
            ("share", _) => match self.record.share() {
                Ok(()) => return Ok(Next::Board),
                Err(error) => output::line(&error.to_string())?,
            },
            ("save" | "load", "") => output::line(&format!("{word} needs the name of a file"))?,
            ("save", file) => match fs::write(file, self.record.text()) {
                Ok(()) => output::line(&format!("saved in {file}"))?,
                Err(error) => output::line(&format!("cannot write {file}: {error}"))?,
            },
            ("load", file) => match read(self.oracle.database().rules(), Path::new(file)) {
                Ok(record) => {
                    self.record = record;
                    return Ok(Next::Board);
                }
                Err(failure) => output::line(&failure.message().unwrap_or_default())?,
            },
            ("seat", who) => match <Seats as clap::ValueEnum>::from_str(who, true) {
                Ok(seats) => {
                    self.seats = seats;
                    return Ok(Next::Board);
                }
                Err(_) => output::line("seat needs first, second, both or none")?,
            },
            _ => return self.person_plays(line),
        }
        Ok(Next::Line)
    }

    fn person_plays(&mut self, turn: &str) -> Result<Next, Failure> {
        match self.record.play_turn(turn) {
            Ok(sowings) => {
                self.tell_last(sowings)?;
                Ok(Next::Board)
            }
            Err(error) => {
                output::line(&format!("{error}; 'help' tells what may be typed"))?;
                Ok(Next::Line)
            }
        }
    }

    /// Tells what the last sowings did.
    fn tell_last(&self, sowings: usize) -> Result<(), Failure> {
        let plies = self.record.plies();
        for ply in &plies[plies.len() - sowings..] {
            output::line(&tell(self.rules(), ply))?;
        }
        Ok(())
    }

    /// Takes back to the last position where a person was to move, or one sowing where there is none.
    fn undo(&mut self) -> bool {
        if !self.record.undo() {
            return false;
        }
        while !is_person(self.seats, self.record.seat()) && self.seats != Seats::None {
            if !self.record.undo() {
                break;
            }
        }
        true
    }

    /// What the tables and the search know about the position.
    fn ask(&self) -> Result<Answer, Failure> {
        let known = self.oracle.search(&self.record.position(), self.effort, None, &watch::SearchWatch::new(true));
        known.map(|(answer, _)| answer).map_err(QueryError::into)
    }

    fn hint(&self) -> Result<(), Failure> {
        if self.record.result().is_some() {
            return output::line("play is over");
        }
        let answer = self.ask()?;
        let best = choice(&answer).map(|mv| mv.name.clone());
        for mv in &answer.moves {
            let star = if mv.best || (answer.best.is_empty() && best.as_ref() == Some(&mv.name)) { "*" } else { " " };
            output::line(&format!("{star} {:>4}: {}", mv.name, describe(answer.scoring, mv.worth)))?;
        }
        if answer.worth.exact().is_none() {
            return output::line("not proved in the time given; the star is a guess");
        }
        if !answer.turns.is_empty() {
            output::line(&format!("line: {}", answer.turns.join(" ")))?;
        }
        Ok(())
    }

    /// The program makes one sowing.
    fn reply(&mut self) -> Result<(), Failure> {
        let answer = self.ask()?;
        let moves = self.record.moves();
        let chosen = choice(&answer)
            .and_then(|best| moves.iter().map(|(mv, _)| *mv).find(|mv| self.rules().move_name(*mv) == best.name));
        // A position whose moves were all asked about has one that was chosen.
        let Some(mv) = chosen.or_else(|| moves.first().map(|(mv, _)| *mv)) else { return Ok(()) };
        if self.record.play(mv).is_ok() {
            self.tell_last(1)?;
        }
        Ok(())
    }
}

/// The move to play: the one that makes progress where the value is known, else the one whose bounds lie highest, and
/// of those the one that wins most.
fn choice(answer: &Answer) -> Option<&MoveAnswer> {
    let named = answer.play.as_ref().and_then(|play| answer.moves.iter().find(|mv| mv.name == *play));
    let promise = |mv: &MoveAnswer| {
        let (lower, upper) = mv.worth.range(answer.scoring);
        (lower + upper, i16::from(mv.gain) - i16::from(mv.gain_other))
    };
    // The last of equals: seeds travel to the right, so pits there are worth sowing.
    named.or_else(|| answer.moves.iter().max_by_key(|mv| promise(mv)))
}

fn print_prompt(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    write!(out, "{text}> ")?;
    out.flush()?;
    Ok(())
}

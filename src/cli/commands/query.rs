//! `query`: answers about positions.

use std::io::BufRead;
use std::process::ExitCode;
use std::time::Duration;

use serde_json::json;

use crate::cli::args::QueryArgs;
use crate::cli::failure::{DATA, Failure, NOT_THERE, USAGE};
use crate::cli::{output, watch};
use crate::games;
use crate::query::{Answer, Effort, LineEnds, MoveAnswer, Oracle, QueryError, Reach, Worth, parse};
use crate::rules::{Rules, Scoring};

/// Wall time of a search for one position, if nothing else is said.
const DEFAULT_TIME: Duration = Duration::from_secs(10);

pub(in crate::cli) fn run(args: &QueryArgs) -> Result<ExitCode, Failure> {
    let database = args.folder.open()?;
    let per_pit = args.filling.of(database.rules().as_ref());
    let mut reach = Reach::default();
    if args.no_build {
        reach.build = 0;
    }
    let effort = (!args.no_build).then(|| args.effort.effort(Some(DEFAULT_TIME)));
    let oracle = Oracle::new(database, reach);
    watch::catch_interrupt()?;
    let session = Session { oracle, effort, per_pit, json: args.folder.json, quiet: args.folder.quiet };
    // A position typed without quotes arrives in pieces.
    let joined = args.positions.iter().any(|piece| piece == "/").then(|| vec![args.positions.join(" ")]);
    let mut code = 0;
    for text in joined.as_ref().unwrap_or(&args.positions) {
        if text != "-" {
            code = code.max(session.one(text)?);
            continue;
        }
        for line in std::io::stdin().lock().split(b'\n') {
            let line = line.map_err(|error| Failure::data(format!("cannot read standard input: {error}")))?;
            let line = String::from_utf8_lossy(&line);
            if !line.trim().is_empty() {
                code = code.max(session.one(line.trim())?);
            }
        }
    }
    Ok(ExitCode::from(code))
}

struct Session {
    oracle: Oracle,
    /// What a search may spend on one position; `None` to answer from tables alone.
    effort: Option<Effort>,
    quiet: bool,
    per_pit: u8,
    json: bool,
}

impl Session {
    /// Answers one position and returns the exit code it asks for; what is wrong with it is told and the rest go on.
    fn one(&self, text: &str) -> Result<u8, Failure> {
        let rules = self.oracle.database().rules().as_ref();
        let position = match parse(rules, text, self.per_pit) {
            Ok(position) => position,
            Err(error) => return self.fail(USAGE, text, &error.to_string()),
        };
        let answered = match self.effort {
            None => self.oracle.answer(&position).map_err(QueryError::from),
            Some(effort) => self.oracle.search(&position, effort, None, &watch::SearchWatch::new(self.quiet)),
        };
        let (answer, note) = match answered {
            Ok(answer) => answer,
            Err(error) => return self.fail(DATA, text, &error.to_string()),
        };
        if let Some(note) = note {
            eprintln!("sowbase: {}", note.0);
        }
        if self.json {
            output::json(&answer)?;
        } else {
            output::line(&write(rules, &answer))?;
        }
        if answer.worth.exact().is_some() {
            return Ok(0);
        }
        if !self.json {
            eprintln!(
                "sowbase: the tables do not reach this position; build them with: sowbase build {} --seeds {}",
                games::arguments(rules.rule_set()),
                answer.seeds
            );
        }
        Ok(NOT_THERE)
    }

    fn fail(&self, code: u8, input: &str, error: &str) -> Result<u8, Failure> {
        if self.json {
            output::json(&json!({"error": error, "input": input}))?;
        }
        eprintln!("sowbase: '{input}': {error}");
        Ok(code)
    }
}

/// An answer for people.
pub(super) fn write(rules: &dyn Rules, answer: &Answer) -> String {
    let mut lines = vec![format!("{}  {}", rules.rule_set().text(), answer.position.text)];
    lines.push(format!("value: {}{}", describe(answer.scoring, answer.worth), standing(answer)));
    if answer.over {
        lines.push("play is over".to_owned());
    }
    for mv in &answer.moves {
        lines.push(write_move(answer.scoring, mv));
    }
    if let Some(play) = &answer.play {
        lines.push(format!("play: {play}"));
    }
    if !answer.line.is_empty() {
        let end = match answer.line_ends {
            LineEnds::Over => "play is over",
            LineEnds::Repetition => "and so on for ever, what is left is shared",
            LineEnds::Limit => "...",
        };
        lines.push(format!("line: {} ({end})", answer.turns.join(" ")));
    }
    if let Some((nodes, seconds)) = answer.effort.filter(|(nodes, _)| *nodes > 0) {
        let speed = (nodes as f64 / seconds.max(1e-9)) as u64;
        lines.push(format!("searched {} nodes in {seconds:.1} s, {}/s", output::count(nodes), output::count(speed)));
    }
    lines.extend(answer.notes.iter().map(|note| format!("note: {note}")));
    lines.join("\n")
}

fn write_move(scoring: Scoring, mv: &MoveAnswer) -> String {
    let mut text = format!("{} {:>4}: {:<12}", if mv.best { "*" } else { " " }, mv.name, describe(scoring, mv.worth));
    if mv.gain > 0 || mv.gain_other > 0 {
        text += &format!(" wins {}", mv.gain);
        if mv.gain_other > 0 {
            text += &format!(" and gives {}", mv.gain_other);
        }
    }
    if mv.again {
        text += " moves again";
    }
    if mv.endless {
        text += " never stops";
    }
    if let Some(after) = &mv.after {
        text += &format!("  -> {}", after.text);
    }
    text
}

/// A value for people.
pub(super) fn describe(scoring: Scoring, worth: Worth) -> String {
    match (scoring, worth) {
        (Scoring::Seeds, Worth::Exact(value)) => format!("{:+}", value.0),
        (Scoring::Seeds, Worth::Between(lower, upper)) => format!("{lower:+}..{upper:+}"),
        (Scoring::Outcome, Worth::Between(..)) => "unknown".to_owned(),
        (Scoring::Outcome, Worth::Exact(value)) => match (value.0.signum(), value.distance()) {
            (1, Some(distance)) => format!("win in {distance}"),
            (-1, Some(distance)) => format!("loss in {distance}"),
            _ => "draw".to_owned(),
        },
    }
}

fn standing(answer: &Answer) -> String {
    let outcome = answer.outcome().map(|outcome| format!(" ({outcome})")).unwrap_or_default();
    match answer.final_score_doubled() {
        Some((own, other)) => format!(", final score {}-{}{outcome}", output::halves(own), output::halves(other)),
        None if answer.scoring == Scoring::Outcome => String::new(),
        None => outcome,
    }
}

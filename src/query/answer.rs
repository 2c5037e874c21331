//! What an answer says, and its JSON.

use serde::{Serialize, Serializer};
use serde_json::{Map, Value as Json, json};

use crate::rules::notation::{self, Position};
use crate::rules::{Board, Marks, Rules, Scoring, Value};

/// What is known of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Worth {
    /// The value.
    Exact(Value),
    /// It lies between these, both included (net seeds, or -1, 0, 1 for loss, draw, win).
    Between(i16, i16),
}

impl Worth {
    /// The value, if it is known.
    #[must_use]
    pub fn exact(self) -> Option<Value> {
        match self {
            Self::Exact(value) => Some(value),
            Self::Between(..) => None,
        }
    }

    /// The least and the most it can be.
    #[must_use]
    pub fn range(self, scoring: Scoring) -> (i16, i16) {
        match self {
            Self::Exact(value) => {
                let number = scoring.number(value);
                (number, number)
            }
            Self::Between(lower, upper) => (lower, upper),
        }
    }

    /// What is known when the better of two may be chosen.
    #[must_use]
    pub(super) fn or(self, other: Self, scoring: Scoring) -> Self {
        let ((a, b), (c, d)) = (self.range(scoring), other.range(scoring));
        Self::Between(a.max(c), b.max(d))
    }
}

impl Scoring {
    /// The number that is printed as a value: net seeds, or 1, 0, -1.
    #[must_use]
    pub fn number(self, value: Value) -> i16 {
        match self {
            Self::Seeds => value.0,
            Self::Outcome => value.0.signum(),
        }
    }
}

/// A position in an answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct PositionAnswer {
    /// Seeds of the player to move: his row from his left to his right; for four rows the front, then the back row.
    pub own: Vec<u8>,
    /// Seeds of the other player, as seen by him.
    pub other: Vec<u8>,
    /// The position as the command line reads it.
    pub text: String,
    /// Nam Nam with special owners: the owners as the player to move gives them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub owners: Option<String>,
}

impl PositionAnswer {
    /// The board in these words.
    #[must_use]
    pub fn new(rules: &dyn Rules, board: &Board) -> Self {
        let special_owners = matches!(rules.marks(), Marks::Seats(_));
        Self {
            own: notation::counts(rules, board, true),
            other: notation::counts(rules, board, false),
            text: notation::write(rules, board),
            owners: special_owners.then(|| notation::owners(board)),
        }
    }
}

/// A move in an answer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MoveAnswer {
    /// Its name.
    pub name: String,
    /// The pit it lifts, 1 for the leftmost of its row.
    pub pit: Option<usize>,
    /// Seeds won by the mover.
    pub gain: u8,
    /// Seeds won by the other player.
    pub gain_other: u8,
    /// Whether the mover moves again.
    pub again: bool,
    /// Whether the sowing never stops.
    pub endless: bool,
    /// What it is worth to the mover.
    pub worth: Worth,
    /// Whether no move is better.
    pub best: bool,
    /// The position as seen by whoever moves next; `None` after an endless sowing.
    pub after: Option<PositionAnswer>,
}

/// How a line of best play ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum LineEnds {
    /// Play is over.
    Over,
    /// A position or a sowing comes back; what remains is shared.
    Repetition,
    /// The line was cut off, or leaves the tables.
    Limit,
}

/// All that is said about a position.
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// The game's id.
    pub game: &'static str,
    /// Width and options.
    pub rules: Json,
    /// How the game counts.
    pub scoring: Scoring,
    /// The position.
    pub position: PositionAnswer,
    /// Seeds won before, by the player to move and the other one.
    pub won: Option<(u32, u32)>,
    /// Seeds on the board.
    pub seeds: u32,
    /// Its value or bounds.
    pub worth: Worth,
    /// Whether play is over.
    pub over: bool,
    /// Names of all best moves.
    pub best: Vec<String>,
    /// Every legal move.
    pub moves: Vec<MoveAnswer>,
    /// The best move that makes progress.
    pub play: Option<String>,
    /// Best play on both sides.
    pub line: Vec<String>,
    /// The same line by turns: sowings that follow each other in one turn are joined, `1-4`.
    pub turns: Vec<String>,
    /// How the line ends.
    pub line_ends: LineEnds,
    /// Positions visited and seconds spent by a search, where there was one.
    pub effort: Option<(u64, f64)>,
    /// What the reader must know to take the answer right.
    pub notes: Vec<String>,
}

impl Answer {
    pub(super) fn new(rules: &dyn Rules, position: &Position, worth: Worth, over: bool) -> Self {
        Self {
            game: rules.rule_set().game(),
            rules: rules.rule_set().json(),
            scoring: rules.scoring(),
            position: PositionAnswer::new(rules, &position.board),
            won: position.won,
            seeds: position.board.seeds(),
            worth,
            over,
            best: Vec::new(),
            moves: Vec::new(),
            play: None,
            line: Vec::new(),
            turns: Vec::new(),
            line_ends: LineEnds::Over,
            effort: None,
            notes: Vec::new(),
        }
    }

    /// Adds a move to the line; `again` tells whether it goes on with the turn of the move before.
    pub(super) fn add_to_line(&mut self, name: String, again: bool) {
        match self.turns.last_mut().filter(|_| again) {
            Some(turn) => *turn += &format!("-{name}"),
            None => self.turns.push(name.clone()),
        }
        self.line.push(name);
    }

    /// `win`, `draw` or `loss` of the player to move, by the final score where seeds won before were given.
    #[must_use]
    pub fn outcome(&self) -> Option<&'static str> {
        let lead = match (self.scoring, self.won) {
            (Scoring::Seeds, Some((own, other))) => i64::from(own) - i64::from(other),
            _ => 0,
        };
        let (lower, upper) = self.worth.range(self.scoring);
        let (lower, upper) = (lead + i64::from(lower), lead + i64::from(upper));
        match (lower.signum(), upper.signum()) {
            (1, 1) => Some("win"),
            (0, 0) => Some("draw"),
            (-1, -1) => Some("loss"),
            _ => None,
        }
    }

    /// Final score of the player to move and the other one with best play, where seeds won before were given.
    ///
    /// Both may be halves of seeds, when an odd number is shared; they are given doubled.
    #[must_use]
    pub fn final_score_doubled(&self) -> Option<(i64, i64)> {
        let (own, other) = self.won?;
        let value = i64::from(self.worth.exact()?.0);
        let seeds = i64::from(self.seeds);
        Some((2 * i64::from(own) + seeds + value, 2 * i64::from(other) + seeds - value))
    }

    fn put_worth(map: &mut Map<String, Json>, scoring: Scoring, worth: Worth) {
        match worth {
            Worth::Exact(value) => {
                map.insert("value".into(), scoring.number(value).into());
                if let (Scoring::Outcome, Some(distance)) = (scoring, value.distance()) {
                    map.insert("distance".into(), distance.into());
                }
            }
            Worth::Between(lower, upper) => {
                map.insert("lower".into(), lower.into());
                map.insert("upper".into(), upper.into());
            }
        }
    }

    fn move_json(&self, mv: &MoveAnswer) -> Json {
        let mut map = Map::new();
        map.insert("move".into(), mv.name.as_str().into());
        map.insert("pit".into(), mv.pit.into());
        map.insert("gain".into(), mv.gain.into());
        map.insert("gain_other".into(), mv.gain_other.into());
        map.insert("again".into(), mv.again.into());
        Self::put_worth(&mut map, self.scoring, mv.worth);
        map.insert("best".into(), mv.best.into());
        if mv.endless {
            map.insert("endless".into(), true.into());
        }
        if let Some(after) = &mv.after {
            map.insert("after".into(), json!(after));
        }
        Json::Object(map)
    }

    /// The JSON object that `query` prints.
    #[must_use]
    pub fn json(&self) -> Map<String, Json> {
        let mut map = Map::new();
        map.insert("game".into(), self.game.into());
        map.insert("rules".into(), self.rules.clone());
        map.insert("position".into(), json!(self.position));
        if let Some((own, other)) = self.won {
            map.insert("won".into(), json!([own, other]));
        }
        map.insert("seeds".into(), self.seeds.into());
        map.insert("exact".into(), self.worth.exact().is_some().into());
        Self::put_worth(&mut map, self.scoring, self.worth);
        if let Some(outcome) = self.outcome() {
            map.insert("outcome".into(), outcome.into());
        }
        if let Some((own, other)) = self.final_score_doubled() {
            map.insert("final".into(), json!([own as f64 / 2.0, other as f64 / 2.0]));
        }
        if self.over {
            map.insert("over".into(), true.into());
        }
        map.insert("best".into(), json!(self.best));
        map.insert("moves".into(), self.moves.iter().map(|mv| self.move_json(mv)).collect());
        if let Some(play) = &self.play {
            map.insert("play".into(), play.as_str().into());
        }
        if self.worth.exact().is_some() {
            map.insert("line".into(), json!(self.line));
            if self.turns.len() < self.line.len() {
                map.insert("turns".into(), json!(self.turns));
            }
            map.insert("line_ends".into(), json!(self.line_ends));
        }
        if let Some((nodes, seconds)) = self.effort {
            map.insert("nodes".into(), nodes.into());
            map.insert("seconds".into(), seconds.into());
        }
        if !self.notes.is_empty() {
            map.insert("notes".into(), json!(self.notes));
        }
        map
    }
}

impl Serialize for Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.json().serialize(serializer)
    }
}

//! The answers of the API.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use serde_json::{Map, Value as Json, json};

use super::ask::{Ask, GamePath, Parameters};
use super::refusal::Refusal;
use super::reply::Reply;
use super::work::Service;
use crate::games;
use crate::query::{Answer, PositionAnswer, Stats, game_json, preset_json};
use crate::rules::notation;
use crate::rules::{Act, Move, Moves, Rules, Sown, Step, Turn};

type Served = Result<Response, Refusal>;

/// `GET /v1/games`: every game with its options, and every preset.
pub(super) async fn games(headers: HeaderMap) -> Response {
    let games: Vec<Json> = games::GAMES.iter().map(game_json).collect();
    let presets: Vec<Json> = games::PRESETS.iter().map(preset_json).collect();
    Reply::exact(&json!({"games": games, "presets": presets})).to(&headers)
}

/// `GET /healthz`: whether the service answers at all.
pub(super) async fn healthz(headers: HeaderMap) -> Response {
    Reply::passing(&json!({"ok": true, "version": env!("CARGO_PKG_VERSION")})).to(&headers)
}

/// `GET /openapi.json`: the description of the API.
pub(super) async fn openapi(headers: HeaderMap) -> Response {
    let body = include_str!("openapi.json").as_bytes().to_vec();
    Reply { kind: "application/json", body, max_age: 3600 }.to(&headers)
}

/// What answers where nothing is served.
pub(super) async fn nothing_here() -> Response {
    Refusal::Path.into_response()
}

/// What answers other methods than GET.
pub(super) async fn only_get() -> Response {
    Refusal::Method.into_response()
}

/// `GET /v1/{game}`: a position's value and its moves.
pub(super) async fn answer(
    State(service): State<Arc<Service>>,
    game: GamePath,
    parameters: Parameters,
    headers: HeaderMap,
) -> Served {
    let ask = Ask::read(&service, game, parameters, &["position", "per_pit", "line"])?;
    let answer = exact_answer(&service, &ask).await?;
    Ok(Reply::exact(&Json::Object(answer.json())).to(&headers))
}

/// The answer to the position of `ask`, or the refusal that tells what is covered and what is known all the same.
async fn exact_answer(service: &Arc<Service>, ask: &Ask) -> Result<Answer, Refusal> {
    let position = ask.position()?;
    let most = service.config.limits.reach.line;
    let line = ask.line.unwrap_or(most).min(most);
    let answer = service.answer(&ask.oracle, &position, line).await?;
    if answer.worth.exact().is_some() {
        return Ok(answer);
    }
    let covered = covered(service, ask).await?;
    let build = format!("sowbase build {} --seeds {}", games::arguments(ask.rules().rule_set()), answer.seeds);
    let mut fields = Map::new();
    fields.insert("covered".into(), json!({"seeds": covered}));
    fields.insert("build".into(), build.as_str().into());
    fields.insert("answer".into(), Json::Object(answer.json()));
    let there = match covered.last() {
        Some(most) => format!("tables reach up to {most} seeds"),
        None => "there are no tables of these rules".to_owned(),
    };
    let message = format!("{} seeds are not covered: {there}; build more with: {build}", answer.seeds);
    Err(Refusal::NotCovered { message, fields: Box::new(fields) })
}

/// Seeds of the layers that have tables.
async fn covered(service: &Arc<Service>, ask: &Ask) -> Result<Vec<u8>, Refusal> {
    let oracle = Arc::clone(&ask.oracle);
    let layers = service.probe(move || oracle.database().layers()).await?;
    let mut seeds: Vec<u8> = layers.into_iter().map(|layer| layer.seeds).collect();
    seeds.dedup();
    Ok(seeds)
}

/// `GET /v1/{game}/line`: best play on both sides, with the position after every move.
pub(super) async fn line(
    State(service): State<Arc<Service>>,
    game: GamePath,
    parameters: Parameters,
    headers: HeaderMap,
) -> Served {
    let ask = Ask::read(&service, game, parameters, &["position", "per_pit", "line"])?;
    let answer = exact_answer(&service, &ask).await?;
    let rules = ask.rules();
    let mut board = ask.position()?.board;
    let mut walk = Vec::new();
    // An entry of the line is a whole turn: one sowing, or several like `1-4`; a lone dash is a pass.
    let turns = answer.line.iter().enumerate();
    let sowings = turns.flat_map(|(turn, names)| names.split_inclusive('-').map(move |name| (turn, name)));
    for (turn, name) in sowings {
        let name = if name == "-" { name } else { name.trim_end_matches('-') };
        let mut moves = Moves::new();
        let _ = rules.expand(&board, &mut moves);
        let Some((_, sown)) = moves.iter().find(|(mv, _)| rules.move_name(*mv) == name) else { break };
        let mut step = Map::new();
        step.insert("turn".into(), turn.into());
        step.insert("move".into(), name.into());
        put_result(rules, sown, &mut step);
        walk.push(Json::Object(step));
        board = sown.board;
    }
    let mut json = answer.json();
    json.retain(|key, _| !matches!(key.as_str(), "moves" | "best" | "play"));
    json.insert("walk".into(), walk.into());
    Ok(Reply::exact(&Json::Object(json)).to(&headers))
}

/// What a move brings and where it leads.
fn put_result(rules: &dyn Rules, sown: &Sown, map: &mut Map<String, Json>) {
    map.insert("gain".into(), sown.gain.into());
    map.insert("gain_other".into(), sown.gain_other.into());
    map.insert("again".into(), (sown.turn == Turn::Again).into());
    if sown.turn == Turn::Endless {
        map.insert("endless".into(), true.into());
    } else {
        map.insert("after".into(), json!(PositionAnswer::new(rules, &sown.board)));
    }
}

/// `GET /v1/{game}/sow`: how one move goes, seed by seed.
pub(super) async fn sow(
    State(service): State<Arc<Service>>,
    game: GamePath,
    parameters: Parameters,
    headers: HeaderMap,
) -> Served {
    let ask = Ask::read(&service, game, parameters, &["position", "per_pit", "move"])?;
    let rules = ask.rules();
    let board = ask.position()?.board;
    let found = ask.mv.as_deref().ok_or_else(|| Refusal::Parameter("no move; give one as move=NAME".into()))?;
    let mut moves = Moves::new();
    let _ = rules.expand(&board, &mut moves);
    let legal = moves.iter().find(|(mv, _)| rules.move_name(*mv) == found);
    let (mv, sown) = legal.ok_or_else(|| illegal(rules, found, &moves))?;
    let steps = rules.steps(&board, *mv);
    let mut json = Map::new();
    json.insert("game".into(), rules.rule_set().game().into());
    json.insert("rules".into(), rules.rule_set().json());
    json.insert("position".into(), json!(PositionAnswer::new(rules, &board)));
    json.insert("move".into(), found.into());
    json.insert("steps".into(), steps.steps.iter().map(|step| step_json(rules, step)).collect());
    json.insert("cut".into(), steps.cut.into());
    put_result(rules, sown, &mut json);
    Ok(Reply::exact(&Json::Object(json)).to(&headers))
}

fn illegal(rules: &dyn Rules, found: &str, moves: &[(Move, Sown)]) -> Refusal {
    let legal: Vec<String> = moves.iter().map(|(mv, _)| rules.move_name(*mv)).collect();
    let legal = if legal.is_empty() { "none, play is over".to_owned() } else { legal.join(", ") };
    Refusal::Move { found: found.chars().take(24).collect(), legal }
}

fn step_json(rules: &dyn Rules, step: &Step) -> Json {
    let act = match step.act {
        Act::Lift => "lift",
        Act::Drop => "drop",
        Act::Store => return json!({"do": "store", "seeds": step.seeds}),
        Act::Take => "take",
        Act::Give => "give",
        Act::TakeHand => return json!({"do": "take", "seeds": step.seeds}),
        Act::GiveHand => return json!({"do": "give", "seeds": step.seeds}),
    };
    let (own, place) = notation::place(rules, step.pit);
    json!({"do": act, "of": if own { "own" } else { "other" }, "place": place, "seeds": step.seeds})
}

/// `GET /v1/{game}/stats`: what the layers hold.
pub(super) async fn stats(
    State(service): State<Arc<Service>>,
    game: GamePath,
    parameters: Parameters,
    headers: HeaderMap,
) -> Served {
    let ask = Ask::read(&service, game, parameters, &["seeds"])?;
    let covered = covered(&service, &ask).await?;
    let (oracle, seeds) = (Arc::clone(&ask.oracle), ask.seeds);
    let layers = service
        .probe(move || {
            let database = oracle.database();
            let layers = database.layers()?.into_iter().filter(|layer| seeds.is_none_or(|n| layer.seeds == n));
            layers.map(|layer| Ok(Stats::of(database, layer)?.json(database, None))).collect::<Result<Vec<_>, _>>()
        })
        .await?;
    let rule_set = ask.rules().rule_set();
    if layers.is_empty() {
        let build = format!("sowbase build {} --seeds {}", games::arguments(rule_set), seeds.unwrap_or(10));
        let mut fields = Map::new();
        fields.insert("covered".into(), json!({"seeds": covered}));
        fields.insert("build".into(), build.as_str().into());
        let what =
            seeds.map_or("there are no tables".to_owned(), |seeds| format!("there is no table of {seeds} seeds"));
        let message = format!("{what} of these rules; build with: {build}");
        return Err(Refusal::NotCovered { message, fields: Box::new(fields) });
    }
    let json = json!({"game": rule_set.game(), "rules": rule_set.json(), "layers": layers});
    Ok(Reply::passing(&json).to(&headers))
}

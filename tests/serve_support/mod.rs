//! A service to ask, and a check of its answers against its own description.
#![allow(dead_code)] // Every test uses its part of this.

use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Method, Request, StatusCode};
use serde_json::Value as Json;
use sowbase::database::{BuildOptions, BuildProgress, Built, Database, Step};
use sowbase::games;
use sowbase::serve::{Config, Limits, router};
use sowbase::solve::Progress;
use sowbase::table::Access;
use tower::ServiceExt;

/// A service with the runtime it runs on.
pub struct Served {
    runtime: tokio::runtime::Runtime,
    router: Router,
    description: Json,
}

/// What came back.
pub struct Came {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Vec<u8>,
}

impl Came {
    pub fn json(&self) -> Json {
        serde_json::from_slice(&self.body).expect("the body is JSON")
    }
}

impl Served {
    /// The service over the tables in `dir`, with the limits that it has for everybody.
    pub fn over(dir: &Path) -> Self {
        Self::with(dir, Limits::default())
    }

    pub fn with(dir: &Path, limits: Limits) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
        let router = router(Config { dir: dir.to_owned(), access: Access::Read, limits });
        let mut served = Self { runtime, router, description: Json::Null };
        served.description = served.get("/openapi.json").json();
        served
    }

    pub fn get(&self, target: &str) -> Came {
        self.send(&Request::builder().uri(target).body(()).expect("a request"))
    }

    pub fn send(&self, request: &Request<()>) -> Came {
        let mut copy = Request::new(Body::empty());
        *copy.uri_mut() = request.uri().clone();
        *copy.method_mut() = request.method().clone();
        *copy.headers_mut() = request.headers().clone();
        self.runtime.block_on(async {
            let response = self.router.clone().oneshot(copy).await.expect("a router always answers");
            let (parts, body) = response.into_parts();
            let body = to_bytes(body, 64 << 20).await.expect("the whole body").to_vec();
            Came { status: parts.status, headers: parts.headers, body }
        })
    }

    pub fn method(&self, method: Method, target: &str) -> Came {
        self.send(&Request::builder().method(method).uri(target).body(()).expect("a request"))
    }

    /// Asks and checks the answer against the description of `path` there.
    pub fn described(&self, path: &str, target: &str) -> (StatusCode, Json) {
        let came = self.get(target);
        let json = came.json();
        let response = &self.description["paths"][path]["get"]["responses"][came.status.as_str()];
        let schema = &response["content"]["application/json"]["schema"];
        assert!(schema.is_object(), "{path} does not describe {}: {json}", came.status);
        if let Err(fault) = self.fits(schema, &json) {
            panic!("{target}: {fault}\n{json}");
        }
        (came.status, json)
    }

    /// Whether `json` is as `schema` says; a schema word that this does not know is a fault too.
    fn fits(&self, schema: &Json, json: &Json) -> Result<(), String> {
        if let Some(reference) = schema["$ref"].as_str() {
            let named = self.description.pointer(reference.trim_start_matches('#'));
            return self.fits(named.ok_or_else(|| format!("{reference} is not described"))?, json);
        }
        for (word, rule) in schema.as_object().ok_or("a schema is an object")? {
            let kind = match json {
                Json::Null => "null",
                Json::Bool(_) => "boolean",
                Json::Number(number) if number.is_i64() || number.is_u64() => "integer",
                Json::Number(_) => "number",
                Json::String(_) => "string",
                Json::Array(_) => "array",
                Json::Object(_) => "object",
            };
            let is_kind = |name: &Json| name == kind || (name == "number" && kind == "integer");
            let fits = match word.as_str() {
                "type" => rule.as_array().map_or_else(|| is_kind(rule), |kinds| kinds.iter().any(is_kind)),
                "enum" => rule.as_array().is_some_and(|words| words.contains(json)),
                "minimum" => json.as_f64() >= rule.as_f64(),
                "maximum" => json.as_f64() <= rule.as_f64(),
                "items" => {
                    return json.as_array().map_or(Ok(()), |all| all.iter().try_for_each(|one| self.fits(rule, one)));
                }
                "required" => rule
                    .as_array()
                    .is_some_and(|names| names.iter().filter_map(Json::as_str).all(|name| json.get(name).is_some())),
                "properties" => {
                    for (name, schema) in rule.as_object().ok_or("properties are an object")? {
                        if let Some(value) = json.get(name) {
                            self.fits(schema, value).map_err(|fault| format!("{name}: {fault}"))?;
                        }
                    }
                    true
                }
                "additionalProperties" => {
                    let known = |name: &str| schema["properties"].get(name).is_some();
                    let mut others = json.as_object().into_iter().flatten().filter(|(name, _)| !known(name));
                    match rule {
                        Json::Bool(allowed) => *allowed || others.next().is_none(),
                        _ => {
                            return others.try_for_each(|(name, value)| {
                                self.fits(rule, value).map_err(|fault| format!("{name}: {fault}"))
                            });
                        }
                    }
                }
                "description" => true,
                _ => return Err(format!("unknown word '{word}' in the description")),
            };
            if !fits {
                return Err(format!("'{word}' wants {rule}, found {json}"));
            }
        }
        Ok(())
    }
}

struct Unwatched;

impl Progress for Unwatched {
    fn stage(&self, _: &'static str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn is_cancelled(&self) -> bool {
        false
    }
}

impl BuildProgress for Unwatched {
    fn begin(&self, _: &Step) {}
    fn end(&self, _: &Built) {}
}

/// Builds all tables of a game up to `seeds` in `dir`.
pub fn build(dir: &Path, game: &str, pits: Option<usize>, seeds: u8) -> Database {
    let rules = games::make(game, pits, &[]).expect("a game");
    let database = Database::new(Arc::from(rules), dir, Access::Read);
    let plan = database.plan(seeds, 0).expect("a plan");
    database.build(&plan, BuildOptions::default(), &Unwatched).expect("small tables can be built");
    database
}

/// A text as a query parameter.
pub fn encode(text: &str) -> String {
    text.bytes()
        .map(|byte| if byte.is_ascii_alphanumeric() { char::from(byte).to_string() } else { format!("%{byte:02x}") })
        .collect()
}

//! Answers as HTTP carries them: JSON, how long they may be kept, and who may read them.

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_MAX_AGE,
    ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, IF_NONE_MATCH, REFERRER_POLICY, RETRY_AFTER,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde_json::Value as Json;
use xxhash_rust::xxh3::xxh3_64;

use super::refusal::Refusal;

/// A body that is worth keeping.
#[derive(Debug)]
pub(super) struct Reply {
    /// The media type.
    pub kind: &'static str,
    /// The bytes.
    pub body: Vec<u8>,
    /// Seconds for which it may be used again without asking.
    pub max_age: u32,
}

impl Reply {
    /// An exact answer: it stays true.
    pub(super) fn exact(json: &Json) -> Self {
        Self::json(json, 86_400)
    }

    /// An answer that may change as tables are built.
    pub(super) fn passing(json: &Json) -> Self {
        Self::json(json, 0)
    }

    fn json(json: &Json, max_age: u32) -> Self {
        Self { kind: "application/json", body: json.to_string().into_bytes(), max_age }
    }

    /// The response to a request with these headers: nothing but the tag if the client has the body already.
    pub(super) fn to(self, request: &HeaderMap) -> Response {
        let tag = format!("\"{:016x}\"", xxh3_64(&self.body));
        let caching = match self.max_age {
            0 => "no-cache".to_owned(),
            seconds => format!("public, max-age={seconds}"),
        };
        let known = request.get(IF_NONE_MATCH).and_then(|value| value.to_str().ok());
        let is_known = known.is_some_and(|known| known.split(',').any(|one| one.trim() == tag));
        let headers = [(ETAG, tag), (CACHE_CONTROL, caching)];
        if is_known {
            return (StatusCode::NOT_MODIFIED, headers).into_response();
        }
        (headers, [(CONTENT_TYPE, self.kind)], self.body).into_response()
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let headers = [(CONTENT_TYPE, "application/json"), (CACHE_CONTROL, "no-store")];
        let mut response = (self.status(), headers, self.json().to_string()).into_response();
        match self {
            Self::Late { .. } => response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("5")),
            Self::Method => response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD, OPTIONS")),
            _ => None,
        };
        response
    }
}

/// Headers of every response.
const ALWAYS: [(HeaderName, &str); 4] = [
    (ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
    (X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (REFERRER_POLICY, "no-referrer"),
    (
        CONTENT_SECURITY_POLICY,
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
         base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
];

/// Answers preflights and puts the headers on that every response carries.
pub(super) async fn finish(request: Request, next: Next) -> Response {
    let mut response = if request.method() == Method::OPTIONS {
        let allow = [
            (ACCESS_CONTROL_ALLOW_METHODS, "GET, HEAD"),
            (ACCESS_CONTROL_ALLOW_HEADERS, "*"),
            (ACCESS_CONTROL_MAX_AGE, "86400"),
        ];
        (StatusCode::NO_CONTENT, allow, Body::empty()).into_response()
    } else {
        next.run(request).await
    };
    for (name, value) in ALWAYS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

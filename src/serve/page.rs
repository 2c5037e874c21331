//! The explorer's files. They are part of the program, so that it works from one file and without a network.

use axum::extract::Path;
use axum::extract::rejection::PathRejection;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};

use super::refusal::Refusal;
use super::reply::Reply;

const INDEX: &str = include_str!("page/index.html");

const FILES: [(&str, &str, &str); 7] = [
    ("explorer.css", "text/css; charset=utf-8", include_str!("page/explorer.css")),
    ("explorer.js", "text/javascript; charset=utf-8", include_str!("page/explorer.js")),
    ("api.js", "text/javascript; charset=utf-8", include_str!("page/api.js")),
    ("board.js", "text/javascript; charset=utf-8", include_str!("page/board.js")),
    ("histogram.js", "text/javascript; charset=utf-8", include_str!("page/histogram.js")),
    ("seats.js", "text/javascript; charset=utf-8", include_str!("page/seats.js")),
    ("icon.svg", "image/svg+xml", include_str!("page/icon.svg")),
];

/// The page.
pub(super) async fn index(headers: HeaderMap) -> Response {
    file_reply("text/html; charset=utf-8", INDEX).to(&headers)
}

/// A file of the page.
pub(super) async fn file(name: Result<Path<String>, PathRejection>, headers: HeaderMap) -> Response {
    let found = name.ok().and_then(|Path(name)| FILES.iter().find(|(file, ..)| *file == name));
    match found {
        Some((_, kind, text)) => file_reply(kind, text).to(&headers),
        None => Refusal::Path.into_response(),
    }
}

// Asked for again at every visit, so that a newer program shows a newer page; unchanged it costs an empty answer.
fn file_reply(kind: &'static str, text: &str) -> Reply {
    Reply { kind, body: text.as_bytes().to_vec(), max_age: 0 }
}

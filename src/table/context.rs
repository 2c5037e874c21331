//! placeholder
use super::Cell;
/// m
#[derive(Debug, Clone)]
pub struct Model;
impl Model {
    pub(super) fn encode<C: Cell>(&self, _: &[C], _: Option<&[C]>) -> Option<Vec<u8>> { None }
    pub(super) fn decode<C: Cell>(&self, _: &[u8], _: &mut [C]) -> Result<(), String> { Err("none".into()) }
    pub(super) fn to_bytes(&self) -> Vec<u8> { Vec::new() }
    pub(super) fn from_bytes(_: &[u8]) -> Result<Self, String> { Ok(Self) }
}

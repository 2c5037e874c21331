//! Messages as few bytes: sorted numbers as their differences, seven bits a byte.

use thiserror::Error;

/// Why a message could not be read.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum PackingError {
    /// It ends too early.
    #[error("a message of {len} bytes ends inside a number")]
    Short {
        /// Bytes of the message.
        len: usize,
    },
    /// It has numbers that nobody sends.
    #[error("a number beyond 32 bits at byte {at} of a message")]
    TooLarge {
        /// Where in the message.
        at: usize,
    },
}

/// Most bytes of one number.
pub const LONGEST: usize = 5;

fn put(mut number: u32, into: &mut Vec<u8>) {
    while number >= 0x80 {
        into.push(number as u8 | 0x80);
        number >>= 7;
    }
    into.push(number as u8);
}

fn take(bytes: &[u8], at: &mut usize) -> Result<u32, PackingError> {
    let (mut number, start) = (0_u64, *at);
    for shift in (0..7 * LONGEST).step_by(7) {
        let byte = *bytes.get(*at).ok_or(PackingError::Short { len: bytes.len() })?;
        *at += 1;
        number |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return u32::try_from(number).map_err(|_| PackingError::TooLarge { at: start });
        }
    }
    Err(PackingError::TooLarge { at: start })
}

/// Appends a list of rising numbers, equal ones allowed: how many there are, then how much each exceeds the one before.
pub fn pack(rising: &[u32], into: &mut Vec<u8>) {
    put(rising.len() as u32, into);
    let mut before = 0;
    for &number in rising {
        put(number - before, into);
        before = number;
    }
}

/// Reads a list that [`pack`] wrote, from byte `at` on, which is moved behind it.
///
/// # Errors
/// The bytes are not such a list.
pub fn unpack(bytes: &[u8], at: &mut usize) -> Result<Vec<u32>, PackingError> {
    let start = *at;
    let count = take(bytes, at)? as usize;
    // A number takes a byte at least, so no message makes this allocate more than four times its own length.
    if count > bytes.len() - *at {
        return Err(PackingError::Short { len: bytes.len() });
    }
    let mut numbers = Vec::with_capacity(count);
    let mut number = 0_u32;
    for _ in 0..count {
        let step = take(bytes, at)?;
        number = number.checked_add(step).ok_or(PackingError::TooLarge { at: start })?;
        numbers.push(number);
    }
    Ok(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_come_back() {
        let lists: [&[u32]; 6] = [
            &[],
            &[0],
            &[0, 0, 1, 127, 128, 300, 300],
            &[u32::MAX],
            &[0, u32::MAX],
            &[1 << 7, 1 << 14, 1 << 21, 1 << 28],
        ];
        let mut bytes = Vec::new();
        lists.iter().for_each(|list| pack(list, &mut bytes));
        let mut at = 0;
        for list in lists {
            assert_eq!(unpack(&bytes, &mut at).unwrap(), list);
        }
        assert_eq!(at, bytes.len());
    }

    #[test]
    fn neighbours_take_a_byte_each() {
        let numbers: Vec<u32> = (0..1000).map(|i| 5_000_000 + 100 * i).collect();
        let mut bytes = Vec::new();
        pack(&numbers, &mut bytes);
        assert_eq!(bytes.len(), 2 + 4 + 999);
    }

    #[test]
    fn damage_is_an_error() {
        let mut bytes = Vec::new();
        pack(&[3, 500, 70_000, u32::MAX], &mut bytes);
        for len in 0..bytes.len() {
            assert_eq!(unpack(&bytes[..len], &mut 0), Err(PackingError::Short { len }));
        }
        assert_eq!(unpack(&[1, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01], &mut 0), Err(PackingError::TooLarge { at: 1 }));
        assert_eq!(unpack(&[1, 0xff, 0xff, 0xff, 0xff, 0x7f], &mut 0), Err(PackingError::TooLarge { at: 1 }));
        assert_eq!(unpack(&[2, 0xff, 0xff, 0xff, 0xff, 0x0f, 1], &mut 0), Err(PackingError::TooLarge { at: 0 }));
        assert!(unpack(&[0xff, 0xff, 0xff, 0xff, 0x0f, 0], &mut 0).is_err());
    }
}

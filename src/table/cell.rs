//! The two widths of values.

mod sealed {
    pub trait Sealed {}
    impl Sealed for i8 {}
    impl Sealed for i16 {}
}

/// A value as it lies in memory: `i8` (net seeds) or `i16` (outcome with distance).
pub trait Cell: sealed::Sealed + Copy + Default + Ord + Into<i16> + Send + Sync + 'static {
    /// Bytes a value takes in a file.
    const WIDTH: u8;

    /// `value` in this width, `None` if it does not fit.
    fn narrow(value: i16) -> Option<Self>;

    /// Appends the little-endian bytes of `values` to `bytes`.
    fn put(values: &[Self], bytes: &mut Vec<u8>);

    /// Fills `values` from `bytes`, `width` little-endian bytes a value, at most
    /// [`Cell::WIDTH`] and exactly as many as there are values.
    fn get(bytes: &[u8], width: u8, values: &mut [Self]);
}

impl Cell for i8 {
    const WIDTH: u8 = 1;

    fn narrow(value: i16) -> Option<Self> {
        value.try_into().ok()
    }

    fn put(values: &[Self], bytes: &mut Vec<u8>) {
        bytes.extend(values.iter().map(|value| value.cast_unsigned()));
    }

    fn get(bytes: &[u8], _: u8, values: &mut [Self]) {
        for (value, byte) in values.iter_mut().zip(bytes) {
            *value = byte.cast_signed();
        }
    }
}

impl Cell for i16 {
    const WIDTH: u8 = 2;

    fn narrow(value: i16) -> Option<Self> {
        Some(value)
    }

    fn put(values: &[Self], bytes: &mut Vec<u8>) {
        bytes.extend(values.iter().flat_map(|value| value.to_le_bytes()));
    }

    fn get(bytes: &[u8], width: u8, values: &mut [Self]) {
        if width == 1 {
            for (value, byte) in values.iter_mut().zip(bytes) {
                *value = byte.cast_signed().into();
            }
        } else {
            for (value, pair) in values.iter_mut().zip(bytes.chunks_exact(2)) {
                *value = i16::from_le_bytes([pair[0], pair[1]]);
            }
        }
    }
}

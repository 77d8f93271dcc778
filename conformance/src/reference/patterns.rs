//! Bit patterns of the floating-point formats, written out.

use warpwave_core::DType;

/// The patterns of a binary format that tell wrong arithmetic from right.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patterns {
    /// The sign's bit.
    pub(crate) sign: u64,
    pub(crate) one: u64,
    pub(crate) two: u64,
    pub(crate) infinity: u64,
    pub(crate) largest: u64,
    /// The smallest normal number, and the largest denormal one.
    pub(crate) normal: u64,
    pub(crate) denormal: u64,
    pub(crate) canonical: u64,
    /// A quiet NaN with a payload.
    pub(crate) quiet: u64,
    /// A quiet NaN with a payload and the sign.
    pub(crate) negative: u64,
    pub(crate) signalling: u64,
    /// A denormal number whose root is exact, and that.
    pub(crate) square: u64,
    pub(crate) root: u64,
}

const F16: Patterns = Patterns {
    sign: 0x8000,
    one: 0x3c00,
    two: 0x4000,
    infinity: 0x7c00,
    largest: 0x7bff,
    normal: 0x0400,
    denormal: 0x03ff,
    canonical: 0x7e00,
    quiet: 0x7e15,
    negative: 0xfe2a,
    signalling: 0x7c01,
    // 2⁻²⁴ and 2⁻¹².
    square: 0x0001,
    root: 0x0c00,
};

const BF16: Patterns = Patterns {
    sign: 0x8000,
    one: 0x3f80,
    two: 0x4000,
    infinity: 0x7f80,
    largest: 0x7f7f,
    normal: 0x0080,
    denormal: 0x007f,
    canonical: 0x7fc0,
    quiet: 0x7fd5,
    negative: 0xffea,
    signalling: 0x7f81,
    // 2⁻¹³² and 2⁻⁶⁶.
    square: 0x0002,
    root: 0x1e80,
};

const F32: Patterns = Patterns {
    sign: 0x8000_0000,
    one: 0x3f80_0000,
    two: 0x4000_0000,
    infinity: 0x7f80_0000,
    largest: 0x7f7f_ffff,
    normal: 0x0080_0000,
    denormal: 0x007f_ffff,
    canonical: 0x7fc0_0000,
    quiet: 0x7fc1_2345,
    negative: 0xffd5_4321,
    signalling: 0x7f80_0001,
    // 2⁻¹⁴⁸ and 2⁻⁷⁴.
    square: 0x0000_0002,
    root: 0x1a80_0000,
};

const F64: Patterns = Patterns {
    sign: 0x8000_0000_0000_0000,
    one: 0x3ff0_0000_0000_0000,
    two: 0x4000_0000_0000_0000,
    infinity: 0x7ff0_0000_0000_0000,
    largest: 0x7fef_ffff_ffff_ffff,
    normal: 0x0010_0000_0000_0000,
    denormal: 0x000f_ffff_ffff_ffff,
    canonical: 0x7ff8_0000_0000_0000,
    quiet: 0x7ff8_0123_4567_89ab,
    negative: 0xfffa_ba98_7654_3210,
    signalling: 0x7ff0_0000_0000_0001,
    // 2⁻¹⁰⁷⁴ and 2⁻⁵³⁷.
    square: 0x0000_0000_0000_0001,
    root: 0x1e60_0000_0000_0000,
};

impl Patterns {
    /// Those of a float, or of the parts of a complex number; `None` for integers.
    pub(crate) fn of(dtype: DType) -> Option<Patterns> {
        match dtype {
            DType::F16 => Some(F16),
            DType::Bf16 => Some(BF16),
            DType::F32 | DType::C32 => Some(F32),
            DType::F64 | DType::C64 => Some(F64),
            _ => None,
        }
    }

    /// A NaN of each kind.
    pub(crate) fn nans(self) -> [u64; 4] {
        [self.canonical, self.quiet, self.negative, self.signalling]
    }
}

//! Results of conversions.

use super::Parts;
use crate::failure::Verdict;
use crate::reference::{Patterns, Sample};
use warpwave_core::{DType, match_dtype};

/// Patterns in the order i8, i16, i32, i64, u8, u16, u32, u64.
type Integers = [u64; 8];
/// Patterns in the order f16, bf16, f32, f64.
type Floats = [u64; 4];
/// A float, and what it converts to.
type FloatRow = (u64, Integers, Floats);
/// An integer with its sign extended to 64 bits, of which every other type of integers takes the lowest, and what it
/// converts to.
type IntegerRow = (u64, Floats);

const NOTHING: Integers = [0; 8];
const ONE: Integers = [1; 8];
const GREATEST: Integers =
    [0x7f, 0x7fff, 0x7fff_ffff, 0x7fff_ffff_ffff_ffff, 0xff, 0xffff, 0xffff_ffff, 0xffff_ffff_ffff_ffff];
const LEAST: Integers = [0x80, 0x8000, 0x8000_0000, 0x8000_0000_0000_0000, 0, 0, 0, 0];

/// Numbers that every format holds, in the order of [`Floats`]: ±0, ±∞, 1, −1.5, ±0.5, 300, −129; and the integers.
const COMMON: &[(Floats, Integers)] = &[
    ([0, 0, 0, 0], NOTHING),
    ([0x8000, 0x8000, 0x8000_0000, 0x8000_0000_0000_0000], NOTHING),
    ([0x7c00, 0x7f80, 0x7f80_0000, 0x7ff0_0000_0000_0000], GREATEST),
    ([0xfc00, 0xff80, 0xff80_0000, 0xfff0_0000_0000_0000], LEAST),
    ([0x3c00, 0x3f80, 0x3f80_0000, 0x3ff0_0000_0000_0000], ONE),
    (
        [0xbe00, 0xbfc0, 0xbfc0_0000, 0xbff8_0000_0000_0000],
        [0xff, 0xffff, 0xffff_ffff, 0xffff_ffff_ffff_ffff, 0, 0, 0, 0],
    ),
    ([0x3800, 0x3f00, 0x3f00_0000, 0x3fe0_0000_0000_0000], NOTHING),
    ([0xb800, 0xbf00, 0xbf00_0000, 0xbfe0_0000_0000_0000], NOTHING),
    ([0x5cb0, 0x4396, 0x4396_0000, 0x4072_c000_0000_0000], [0x7f, 0x12c, 0x12c, 0x12c, 0xff, 0x12c, 0x12c, 0x12c]),
    (
        [0xd808, 0xc301, 0xc301_0000, 0xc060_2000_0000_0000],
        [0x80, 0xff7f, 0xffff_ff7f, 0xffff_ffff_ffff_ff7f, 0, 0, 0, 0],
    ),
];

/// Numbers near the ends of the range, and where rounding goes wrong.
fn floats(dtype: DType) -> &'static [FloatRow] {
    const F16: &[FloatRow] = &[
        (
            0x7bff,
            [0x7f, 0x7fff, 0xffe0, 0xffe0, 0xff, 0xffe0, 0xffe0, 0xffe0],
            [0x7bff, 0x4780, 0x477f_e000, 0x40ef_fc00_0000_0000],
        ),
        // The smallest denormal and the largest.
        (1, NOTHING, [1, 0x3380, 0x3380_0000, 0x3e70_0000_0000_0000]),
        (0x3ff, NOTHING, [0x3ff, 0x3880, 0x387f_c000, 0x3f0f_f800_0000_0000]),
        (0x3c01, ONE, [0x3c01, 0x3f80, 0x3f80_2000, 0x3ff0_0400_0000_0000]),
        // Halfway between two of bf16: to even.
        (0x3c04, ONE, [0x3c04, 0x3f80, 0x3f80_8000, 0x3ff0_1000_0000_0000]),
        (0x3c0c, ONE, [0x3c0c, 0x3f82, 0x3f81_8000, 0x3ff0_3000_0000_0000]),
    ];
    const BF16: &[FloatRow] = &[
        (0x7f7f, GREATEST, [0x7c00, 0x7f7f, 0x7f7f_0000, 0x47ef_e000_0000_0000]),
        (0xff7f, LEAST, [0xfc00, 0xff7f, 0xff7f_0000, 0xc7ef_e000_0000_0000]),
        (1, NOTHING, [0, 1, 0x0001_0000, 0x37a0_0000_0000_0000]),
        (0x8001, NOTHING, [0x8000, 0x8001, 0x8001_0000, 0xb7a0_0000_0000_0000]),
        // Half the smallest f16, and the next.
        (0x3300, NOTHING, [0, 0x3300, 0x3300_0000, 0x3e60_0000_0000_0000]),
        (0x3301, NOTHING, [1, 0x3301, 0x3301_0000, 0x3e60_2000_0000_0000]),
        (
            0x477f,
            [0x7f, 0x7fff, 0xff00, 0xff00, 0xff, 0xff00, 0xff00, 0xff00],
            [0x7bf8, 0x477f, 0x477f_0000, 0x40ef_e000_0000_0000],
        ),
        (
            0x4780,
            [0x7f, 0x7fff, 0x0001_0000, 0x0001_0000, 0xff, 0xffff, 0x0001_0000, 0x0001_0000],
            [0x7c00, 0x4780, 0x4780_0000, 0x40f0_0000_0000_0000],
        ),
        (
            0x5f00,
            [0x7f, 0x7fff, 0x7fff_ffff, 0x7fff_ffff_ffff_ffff, 0xff, 0xffff, 0xffff_ffff, 0x8000_0000_0000_0000],
            [0x7c00, 0x5f00, 0x5f00_0000, 0x43e0_0000_0000_0000],
        ),
    ];
    const F32: &[FloatRow] = &[
        (0x7f7f_ffff, GREATEST, [0x7c00, 0x7f80, 0x7f7f_ffff, 0x47ef_ffff_e000_0000]),
        (1, NOTHING, [0, 0, 1, 0x36a0_0000_0000_0000]),
        (0x8000_0001, NOTHING, [0x8000, 0x8000, 0x8000_0001, 0xb6a0_0000_0000_0000]),
        // Halfway between two of f16 and beside it, and the same for bf16.
        (0x3f80_1000, ONE, [0x3c00, 0x3f80, 0x3f80_1000, 0x3ff0_0200_0000_0000]),
        (0x3f80_1001, ONE, [0x3c01, 0x3f80, 0x3f80_1001, 0x3ff0_0200_2000_0000]),
        (0x3f80_3000, ONE, [0x3c02, 0x3f80, 0x3f80_3000, 0x3ff0_0600_0000_0000]),
        (0x3f80_8000, ONE, [0x3c04, 0x3f80, 0x3f80_8000, 0x3ff0_1000_0000_0000]),
        (0x3f80_8001, ONE, [0x3c04, 0x3f81, 0x3f80_8001, 0x3ff0_1000_2000_0000]),
        // Below and at the threshold from which on there is no f16.
        (
            0x477f_efff,
            [0x7f, 0x7fff, 0xffef, 0xffef, 0xff, 0xffef, 0xffef, 0xffef],
            [0x7bff, 0x4780, 0x477f_efff, 0x40ef_fdff_e000_0000],
        ),
        (
            0x477f_f000,
            [0x7f, 0x7fff, 0xfff0, 0xfff0, 0xff, 0xfff0, 0xfff0, 0xfff0],
            [0x7c00, 0x4780, 0x477f_f000, 0x40ef_fe00_0000_0000],
        ),
        // The ends of 32 and 64 bits.
        (
            0x4f00_0000,
            [0x7f, 0x7fff, 0x7fff_ffff, 0x8000_0000, 0xff, 0xffff, 0x8000_0000, 0x8000_0000],
            [0x7c00, 0x4f00, 0x4f00_0000, 0x41e0_0000_0000_0000],
        ),
        (
            0xcf00_0000,
            [0x80, 0x8000, 0x8000_0000, 0xffff_ffff_8000_0000, 0, 0, 0, 0],
            [0xfc00, 0xcf00, 0xcf00_0000, 0xc1e0_0000_0000_0000],
        ),
        (
            0x4f80_0000,
            [0x7f, 0x7fff, 0x7fff_ffff, 0x0000_0001_0000_0000, 0xff, 0xffff, 0xffff_ffff, 0x0000_0001_0000_0000],
            [0x7c00, 0x4f80, 0x4f80_0000, 0x41f0_0000_0000_0000],
        ),
        (0x5f80_0000, GREATEST, [0x7c00, 0x5f80, 0x5f80_0000, 0x43f0_0000_0000_0000]),
    ];
    const F64: &[FloatRow] = &[
        (0x7fef_ffff_ffff_ffff, GREATEST, [0x7c00, 0x7f80, 0x7f80_0000, 0x7fef_ffff_ffff_ffff]),
        (1, NOTHING, [0, 0, 0, 1]),
        (0x8000_0000_0000_0001, NOTHING, [0x8000, 0x8000, 0x8000_0000, 0x8000_0000_0000_0001]),
        // Beside halfway of f16 and of bf16 by so little that f32 does not hold it: one rounding, not two.
        (0x3ff0_0200_0000_1000, ONE, [0x3c01, 0x3f80, 0x3f80_1000, 0x3ff0_0200_0000_1000]),
        (0x3ff0_1000_0000_1000, ONE, [0x3c04, 0x3f81, 0x3f80_8000, 0x3ff0_1000_0000_1000]),
        // Halfway between two of f32, and beside it.
        (0x3ff0_0000_1000_0000, ONE, [0x3c00, 0x3f80, 0x3f80_0000, 0x3ff0_0000_1000_0000]),
        (0x3ff0_0000_1000_0001, ONE, [0x3c00, 0x3f80, 0x3f80_0001, 0x3ff0_0000_1000_0001]),
        (0x3ff0_0000_3000_0000, ONE, [0x3c00, 0x3f80, 0x3f80_0002, 0x3ff0_0000_3000_0000]),
        // Half the smallest f32, and the next.
        (0x3690_0000_0000_0000, NOTHING, [0, 0, 0, 0x3690_0000_0000_0000]),
        (0x3690_0000_0000_0001, NOTHING, [0, 0, 1, 0x3690_0000_0000_0001]),
        // Below and at the threshold from which on there is no f32.
        (0x47ef_ffff_efff_ffff, GREATEST, [0x7c00, 0x7f80, 0x7f7f_ffff, 0x47ef_ffff_efff_ffff]),
        (0x47ef_ffff_f000_0000, GREATEST, [0x7c00, 0x7f80, 0x7f80_0000, 0x47ef_ffff_f000_0000]),
        // The ends of 64 and 32 bits.
        (
            0x43df_ffff_ffff_ffff,
            [0x7f, 0x7fff, 0x7fff_ffff, 0x7fff_ffff_ffff_fc00, 0xff, 0xffff, 0xffff_ffff, 0x7fff_ffff_ffff_fc00],
            [0x7c00, 0x5f00, 0x5f00_0000, 0x43df_ffff_ffff_ffff],
        ),
        (
            0x43e0_0000_0000_0000,
            [0x7f, 0x7fff, 0x7fff_ffff, 0x7fff_ffff_ffff_ffff, 0xff, 0xffff, 0xffff_ffff, 0x8000_0000_0000_0000],
            [0x7c00, 0x5f00, 0x5f00_0000, 0x43e0_0000_0000_0000],
        ),
        (0xc3e0_0000_0000_0000, LEAST, [0xfc00, 0xdf00, 0xdf00_0000, 0xc3e0_0000_0000_0000]),
        (
            0x41ef_ffff_fff0_0000,
            [0x7f, 0x7fff, 0x7fff_ffff, 0xffff_ffff, 0xff, 0xffff, 0xffff_ffff, 0xffff_ffff],
            [0x7c00, 0x4f80, 0x4f80_0000, 0x41ef_ffff_fff0_0000],
        ),
        (0xbfef_ffff_ffff_ffff, NOTHING, [0xbc00, 0xbf80, 0xbf80_0000, 0xbfef_ffff_ffff_ffff]),
    ];
    match dtype {
        DType::F16 => F16,
        DType::Bf16 => BF16,
        DType::F32 => F32,
        _ => F64,
    }
}

fn integers(dtype: DType) -> &'static [IntegerRow] {
    match dtype {
        DType::I8 => &[
            (0xffff_ffff_ffff_ff80, [0xd800, 0xc300, 0xc300_0000, 0xc060_0000_0000_0000]),
            (0x7f, [0x57f0, 0x42fe, 0x42fe_0000, 0x405f_c000_0000_0000]),
        ],
        DType::U8 => &[
            (0xc8, [0x5a40, 0x4348, 0x4348_0000, 0x4069_0000_0000_0000]),
            (0xff, [0x5bf8, 0x437f, 0x437f_0000, 0x406f_e000_0000_0000]),
        ],
        DType::I16 => &[(0xffff_ffff_ffff_8081, [0xf7f8, 0xc6ff, 0xc6fe_fe00, 0xc0df_dfc0_0000_0000])],
        DType::U16 => &[
            (0x8081, [0x7804, 0x4701, 0x4700_8100, 0x40e0_1020_0000_0000]),
            (0xffff, [0x7c00, 0x4780, 0x477f_ff00, 0x40ef_ffe0_0000_0000]),
        ],
        DType::I32 => &[
            (0xffff_ffff_8081_8283, [0xfc00, 0xceff, 0xcefe_fcfb, 0xc1df_df9f_5f40_0000]),
            (0x0100_0001, [0x7c00, 0x4b80, 0x4b80_0000, 0x4170_0000_1000_0000]),
        ],
        DType::U32 => &[
            (0x8081_8283, [0x7c00, 0x4f01, 0x4f00_8183, 0x41e0_1030_5060_0000]),
            (0xffff_ffff, [0x7c00, 0x4f80, 0x4f80_0000, 0x41ef_ffff_ffe0_0000]),
        ],
        DType::I64 => &[
            (0xfedc_ba98_7654_3210, [0xfc00, 0xdb92, 0xdb91_a2b4, 0xc372_3456_789a_bcdf]),
            (0x7fff_ffff_ffff_ffff, [0x7c00, 0x5f00, 0x5f00_0000, 0x43e0_0000_0000_0000]),
            // Beside halfway between two of f32 by so little that f64 does not hold it.
            (0x0040_0000_4000_0001, [0x7c00, 0x5a80, 0x5a80_0001, 0x4350_0000_1000_0000]),
        ],
        DType::U64 => &[
            (0xfedc_ba98_7654_3210, [0x7c00, 0x5f7f, 0x5f7e_dcbb, 0x43ef_db97_530e_ca86]),
            (0xffff_ffff_ffff_ffff, [0x7c00, 0x5f80, 0x5f80_0000, 0x43f0_0000_0000_0000]),
            (0x0020_0000_0000_0001, [0x7c00, 0x5a00, 0x5a00_0000, 0x4340_0000_0000_0000]),
        ],
        _ => &[],
    }
}

/// An element and what it converts to.
struct Row {
    x: u64,
    integers: Integers,
    floats: Floats,
}

/// Where a type of floats is in [`Floats`]; the parts of a complex number are floats.
fn float_place(dtype: DType) -> usize {
    match dtype {
        DType::F16 => 0,
        DType::Bf16 => 1,
        DType::F32 | DType::C32 => 2,
        _ => 3,
    }
}

impl Row {
    /// The pattern of a result, or of its real part.
    fn result(&self, target: DType) -> u64 {
        let place = match target {
            DType::I8 => 0,
            DType::I16 => 1,
            DType::I32 => 2,
            DType::I64 => 3,
            DType::U8 => 4,
            DType::U16 => 5,
            DType::U32 => 6,
            DType::U64 => 7,
            float => return self.floats[float_place(float)],
        };
        self.integers[place]
    }
}

/// The rows of a real type, or of the parts of a complex one.
fn rows(source: DType) -> Vec<Row> {
    let Some(patterns) = Patterns::of(source) else {
        let of = |&(x, floats): &IntegerRow| Row { x, integers: [x; 8], floats };
        return integers(source).iter().map(of).collect();
    };
    let source = float_place(source);
    let common = COMMON.iter().map(|&(floats, integers)| Row { x: floats[source], integers, floats });
    // To the same type the bits; to another the canonical NaN.
    let nans = patterns.nans().map(|x| {
        let mut floats = [0x7e00, 0x7fc0, 0x7fc0_0000, 0x7ff8_0000_0000_0000];
        floats[source] = x;
        Row { x, integers: NOTHING, floats }
    });
    let own = floats([DType::F16, DType::Bf16, DType::F32, DType::F64][source]);
    common.chain(nans).chain(own.iter().map(|&(x, integers, floats)| Row { x, integers, floats })).collect()
}

/// Elements of `S`, and the bytes of what they convert to.
pub(in crate::elementwise) fn known<S: Sample>(target: DType) -> Verdict<(Vec<S>, Vec<u8>)> {
    let rows = super::filled(rows(S::DTYPE), "cast", S::DTYPE)?;
    let pairs: Vec<[Parts; 2]> = match S::DTYPE.is_complex() {
        false => rows.iter().map(|row| [[row.x, 0], [row.result(target), 0]]).collect(),
        // By parts: each row with the one after it.
        true => rows
            .iter()
            .zip(rows.iter().cycle().skip(1))
            .map(|(re, im)| [[re.x, im.x], [re.result(target), im.result(target)]])
            .collect(),
    };
    let x = pairs.iter().map(|[x, _]| S::from_patterns(*x)).collect();
    let bytes = |result: Parts| match_dtype!(target, any T => bytemuck::bytes_of(&T::from_patterns(result)).to_vec(), _ => Vec::new());
    Ok((x, pairs.iter().flat_map(|&[_, result]| bytes(result)).collect()))
}

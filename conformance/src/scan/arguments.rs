//! The methods by name, and arguments that do not fit.

use crate::failure::Verdict;
use crate::session::Session;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{Device, Scan, Stream};

/// Each method does what its name says.
pub(super) fn names<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.once(Lane::Exact, |case| {
        let stream = case.stream();
        let elements = [3_i32, -7, 5, 2];
        let x = stream.from_slice(&elements)?;
        let mut out = stream.zeros::<i32>(4)?;
        macro_rules! scans {
            ($($method:ident $assign:ident $want:expr;)*) => { $(
                stream.$method(&x, &mut out)?;
                case.bits(stringify!($method), &case.read(&out)?, &$want)?;
                stream.copy(&x, &mut out)?;
                stream.$assign(&mut out)?;
                case.bits(stringify!($assign), &case.read(&out)?, &$want)?;
            )* };
        }
        scans! {
            inclusive_sum inclusive_sum_assign [3, -4, 1, 3];
            exclusive_sum exclusive_sum_assign [0, 3, -4, 1];
            inclusive_prod inclusive_prod_assign [3, -21, -105, -210];
            exclusive_prod exclusive_prod_assign [1, 3, -21, -105];
            inclusive_min inclusive_min_assign [3, -7, -7, -7];
            exclusive_min exclusive_min_assign [i32::MAX, 3, -7, -7];
            inclusive_max inclusive_max_assign [3, 3, 5, 5];
            exclusive_max exclusive_max_assign [i32::MIN, 3, 3, 5];
        }
        Ok(())
    })
}

/// Outputs of another length are refused by name, and then nothing is written.
pub(super) fn arguments<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.once(Lane::Exact, |case| {
        let stream = case.stream();
        let x = stream.from_slice(&[1.0_f32; 4])?;
        for len in [0, 3, 5] {
            let mut out = stream.from_slice(&vec![9.0_f32; len])?;
            case.refused(stream.inclusive_sum(&x, &mut out), "out")?;
            case.refused(stream.exclusive_min(&x, &mut out), "out")?;
            case.refused(stream.exclusive_prod(&x, &mut out), "out")?;
            case.bits("what refused calls must leave alone", &case.read(&out)?, &vec![9.0; len])?;
        }
        Ok(())
    })
}

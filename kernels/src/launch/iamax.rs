//! `iamax` and `iamin`.

use super::{Arg, Entry, Plan, Properties, Step};
use warpwave_core::operation::{Span, Strided};

/// The index of the first largest magnitude, or of the first smallest.
pub(super) fn iamax(smallest: bool, x: &Strided, out: &Span, properties: &Properties) -> Plan {
    let mut plan = Plan::default();
    // Each thread looks at 4 times 16 bytes at a time.
    let blocks = properties.blocks(x.len, 256, 64 / x.dtype.size() as u32, 1);
    // A number that says how good an element is, and its index.
    let partial = 16;
    let scratch = plan.reserve(if blocks > 1 { blocks as usize * partial } else { 0 });
    let args = vec![
        Arg::U64(x.len as u64),
        Arg::Ptr(x.first()),
        Arg::I64(x.inc as i64),
        Arg::U32(u32::from(smallest)),
        Arg::Scratch(scratch),
        Arg::Ptr(out.ptr),
    ];
    plan.steps.push(Step::new(Entry::of("iamax", "iamax", x.dtype), blocks, 256, args));
    if blocks > 1 {
        let args = vec![Arg::U64(blocks.into()), Arg::Scratch(scratch), Arg::Ptr(out.ptr)];
        plan.steps.push(Step::new(Entry::of("iamax", "iamax_rest", x.dtype), 1, 256, args));
    }
    plan
}

//! Faults in the texts of kernels: a word is altered before the device compiles it.

use super::Fault;

/// What a fault makes of a text; `None` for faults that are not in texts. A text that has not what is altered stays as it is.
pub(super) fn altered(fault: Fault, text: &str) -> Option<String> {
    let (found, instead) = match fault {
        Fault::BarrierBeforeRead => ("ww_barrier();\n        value = s[(t + 1) % n];", "value = s[(t + 1) % n];"),
        Fault::BarrierAfterRead => ("value = s[(t + 1) % n];\n        ww_barrier();", "value = s[(t + 1) % n];"),
        Fault::WarpBarrierBeforeRead => ("ww_warp_barrier();\n        value", "value"),
        Fault::WarpBarrierAfterRead => ("% WW_WARP];\n        ww_warp_barrier();", "% WW_WARP];"),
        Fault::WarpOf32 => ("WW_WARP", "32"),
        Fault::NarrowMask => ("const ww_lane_mask all", "const ww_u32 all"),
        Fault::ShuffleWidthIgnored => ("ww_shuffle_up(value, by, width)", "ww_shuffle_up(value, by)"),
        Fault::PlainAddition => (
            "ww_atomic_add(&sums[t % 3], t)",
            // The executor looks at the second access to a place only if there is a call in between.
            "const ww_u32 sum = sums[t % 3] + t; ww_fence(); sums[t % 3] = sum",
        ),
        Fault::GridLoopCut => ("WW_GRID_LOOP(i, n)", "WW_GRID_LOOP(i, n - 1)"),
        Fault::SmallDynamicShared => ("s[first + total[0] - 1 - t]", "s[first + total[0] - t]"),
        _ => return None,
    };
    Some(text.replace(found, instead))
}

//! The prelude's files.

/// What comes before the text of a kernel, for every compiler: names and texts, in order.
pub const PRELUDE: [(&str, &str); 2] = [
    ("warpwave.h", include_str!("../include/warpwave.h")),
    ("warpwave_numeric.h", include_str!("../include/warpwave_numeric.h")),
];

/// The same for a host compiler.
pub const HOST_PRELUDE: [(&str, &str); 3] =
    [("warpwave_host.h", include_str!("../include/warpwave_host.h")), PRELUDE[0], PRELUDE[1]];

//! What a program has to see, if its calls took effect one after the other.

use std::collections::BTreeSet;

/// Held functions, by their holds.
pub(super) type Holds = BTreeSet<usize>;

/// What the model knows of memory: its bytes, where they are defined, and who touched it after which held functions.
#[derive(Default)]
pub(super) struct Model {
    pub(super) bytes: Vec<Option<u8>>,
    touches: Vec<(usize, usize, bool, Holds)>,
}

impl Model {
    pub(super) fn new(len: usize, holds: Holds) -> Self {
        // Getting memory is ordered as a write on the stream that it is got on.
        Model { bytes: vec![None; len], touches: vec![(0, len.max(1), true, holds)] }
    }

    /// What a touch has to come after; `stream` has to as well, from then on.
    pub(super) fn touch(&mut self, start: usize, end: usize, write: bool, stream: &mut Holds) {
        for (s, e, w, holds) in &self.touches {
            if (*w || write) && *s < end && start < *e {
                stream.extend(holds);
            }
        }
        self.touches.push((start, end, write, stream.clone()));
    }
}

//! Whether every row of the contract was tested in every lane that applies.

use crate::check::RowKey;
use std::collections::{BTreeMap, BTreeSet};
use warpwave_core::numerics::contract::{self, Applies, Lane, Row};
use warpwave_core::{DType, OperationKind};

/// The name of the entry that says whether every row of the contract was tested in every lane that applies.
pub const COVERAGE: &str = "coverage.contract";

/// The cases that each row of the contract got in each lane.
#[derive(Debug, Default)]
pub(crate) struct Coverage {
    cells: BTreeMap<RowKey, [u64; 3]>,
}

/// What [`Coverage`] comes to.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Judgement {
    /// Cells that need cases.
    pub(crate) cells: usize,
    /// Those that got none, by name.
    pub(crate) empty: Vec<String>,
}

impl Coverage {
    /// Counts the cases of a check, by lane, for the rows that it covers.
    pub(crate) fn add(&mut self, rows: &[Row], cases: [u64; 3]) {
        let keys: BTreeSet<RowKey> = rows.iter().map(|row| (row.kind, row.dtype, row.precision)).collect();
        for key in keys {
            for (known, new) in self.cells.entry(key).or_default().iter_mut().zip(cases) {
                *known += new;
            }
        }
    }

    /// Adds the counts of another.
    pub(crate) fn join(&mut self, other: Coverage) {
        for (key, cases) in other.cells {
            for (known, new) in self.cells.entry(key).or_default().iter_mut().zip(cases) {
                *known += new;
            }
        }
    }

    /// Finds the cells without cases, among those of operations that the device supports.
    pub(crate) fn judge(&self, supports: impl Fn(OperationKind, DType) -> bool) -> Judgement {
        let mut judgement = Judgement::default();
        for row in contract::rows().filter(|row| supports(row.kind, row.dtype)) {
            let cases = self.cells.get(&(row.kind, row.dtype, row.precision)).copied().unwrap_or_default();
            for (lane, applies) in row.lanes {
                if applies != Applies::Yes {
                    continue;
                }
                judgement.cells += 1;
                if cases[lane as usize] == 0 {
                    judgement.empty.push(name(&row, lane));
                }
            }
        }
        judgement
    }
}

fn name(row: &Row, lane: Lane) -> String {
    let precision = row.precision.map(|precision| format!(".{precision}")).unwrap_or_default();
    let lane = match lane {
        Lane::Exact => "exact",
        Lane::Bounded => "bounded",
        Lane::Poison => "poison",
    };
    format!("{}.{}{precision}/{lane}", row.kind, row.dtype)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::expect_used)]
    use super::*;
    use warpwave_core::Precision;

    #[test]
    fn nothing_run_leaves_every_cell_empty() {
        let judgement = Coverage::default().judge(|_, _| true);
        assert_eq!(judgement.cells, judgement.empty.len());
        assert!(judgement.cells > 1000, "{}", judgement.cells);
        assert!(judgement.empty.contains(&"gemm.f32.strict/bounded".to_owned()));
    }

    #[test]
    fn cases_fill_the_cells_of_their_row_and_lane_only() {
        let row = contract::find(OperationKind::Gemm, DType::F32, Some(Precision::Strict)).unwrap();
        let only = |kind, dtype| (kind, dtype) == (OperationKind::Gemm, DType::F32);
        let mut coverage = Coverage::default();
        coverage.add(&[row, row], [1, 0, 2]);
        let judgement = coverage.judge(only);
        assert_eq!(judgement.cells, 9);
        assert!(!judgement.empty.contains(&"gemm.f32.strict/exact".to_owned()));
        assert!(judgement.empty.contains(&"gemm.f32.strict/bounded".to_owned()));
        assert_eq!(judgement.empty.len(), 7);
        assert_eq!(coverage.judge(|_, _| false), Judgement::default());
    }
}

//! Checks.

use crate::failure::Verdict;
use crate::session::Session;
use std::fmt;
use warpwave_core::numerics::contract::{self, Class, Row};
use warpwave_core::{DType, Device, OperationKind, Precision};

/// What names a row of the contract: operation, type, and for `gemv` and `gemm` the precision.
pub type RowKey = (OperationKind, DType, Option<Precision>);

type Body<D> = Box<dyn Fn(&mut Session<'_, D>) -> Verdict + Send + Sync>;

/// One check of the suite.
pub struct Check<D: Device> {
    id: String,
    rows: Vec<Row>,
    /// Operations that the check uses besides those of its rows.
    needs: Vec<(OperationKind, DType)>,
    dtype: Option<DType>,
    /// Whether it compiles kernels, for which the device needs a compiler.
    pub(crate) compiles: bool,
    body: Body<D>,
}

impl<D: Device> Check<D> {
    /// A check of something other than an operation: `runtime.copy.odd`.
    ///
    /// `body` makes its cases with the [`Session`].
    pub fn new(id: impl Into<String>, body: impl Fn(&mut Session<'_, D>) -> Verdict + Send + Sync + 'static) -> Self {
        Check { id: id.into(), rows: Vec::new(), needs: Vec::new(), dtype: None, compiles: false, body: Box::new(body) }
    }

    /// The check of a row of the contract, named `group.operation.type`, and `group.operation.type.precision` where there is one.
    /// Its cases in a lane count for that lane of the row.
    pub fn of_row(
        group: &str,
        kind: OperationKind,
        dtype: DType,
        precision: Option<Precision>,
        body: impl Fn(&mut Session<'_, D>) -> Verdict + Send + Sync + 'static,
    ) -> Self {
        let suffix = precision.map(|precision| format!(".{precision}")).unwrap_or_default();
        Check::new(format!("{group}.{kind}.{dtype}{suffix}"), body).covering(kind, dtype, precision)
    }

    /// Adds a row of the contract, for which the check's cases count as well. A row that the contract does not have is ignored.
    #[must_use]
    pub fn covering(mut self, kind: OperationKind, dtype: DType, precision: Option<Precision>) -> Self {
        self.rows.extend(contract::find(kind, dtype, precision));
        self.dtype.get_or_insert(dtype);
        self
    }

    /// Says that the check uses operations of which it is no test: on a device that lacks one it is not run.
    #[must_use]
    pub fn needing<K: Into<OperationKind>>(mut self, dtype: DType, kinds: impl IntoIterator<Item = K>) -> Self {
        self.needs.extend(kinds.into_iter().map(|kind| (kind.into(), dtype)));
        self
    }

    /// Says of which element type the check is, where it is not of a row of the contract.
    #[must_use]
    pub fn typed(mut self, dtype: DType) -> Self {
        self.dtype = Some(dtype);
        self
    }

    /// The check's name.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The rows of the contract that the check covers.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// The class of the results: the least determined one of the [rows](Check::rows); `None` without rows.
    pub fn class(&self) -> Option<Class> {
        let classes = || self.rows.iter().map(|row| row.class);
        [Class::Ulp, Class::Bounded, Class::Reproducible].into_iter().find(|class| classes().any(|c| c == *class))
    }

    /// The element type, of checks that are of one.
    pub fn dtype(&self) -> Option<DType> {
        self.dtype
    }

    /// What the device does not offer and the check cannot do without: the first operation among those of its rows and those that it
    /// [needs](Check::needing), or kernels of one's own.
    pub(crate) fn lacking(&self, device: &D) -> Option<String> {
        if self.compiles && device.info().max_threads_per_block == 0 {
            return Some("kernels of one's own".to_owned());
        }
        let rows = self.rows.iter().map(|row| (row.kind, row.dtype));
        let mut needed = rows.chain(self.needs.iter().copied());
        needed.find(|&(kind, dtype)| !device.supports(kind, dtype)).map(|(kind, dtype)| format!("{kind} of {dtype}"))
    }

    pub(crate) fn call(&self, session: &mut Session<'_, D>) -> Verdict {
        (self.body)(session)
    }
}

impl<D: Device> fmt::Debug for Check<D> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Check({})", self.id)
    }
}

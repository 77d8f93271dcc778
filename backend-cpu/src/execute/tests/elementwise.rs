use super::{Memory, SIZES, moderate, patterns, run};
use warpwave_core::numerics::{contract, scalar};
use warpwave_core::operation::Source;
use warpwave_core::{
    BinaryOp, CompareOp, DType, Element, Operation, OperationKind, ScalarValue, UnaryOp, f16, match_dtype,
};

fn sizes_and_types(mut body: impl FnMut(usize, DType)) {
    for len in SIZES {
        for dtype in DType::ALL {
            body(len, dtype);
        }
    }
}

fn get<T: Element>(value: Option<ScalarValue>) -> T {
    value.unwrap().get().unwrap()
}

#[test]
fn unary_apart_and_in_place() {
    fn check<T: Element>(op: UnaryOp, len: usize) {
        let values = patterns::<T>(len, 1);
        let expected: Vec<T> = values.iter().map(|&x| get(scalar::unary(op, ScalarValue::new(x)))).collect();
        let (mut x, mut out) = (Memory::new(&values), Memory::new(&patterns::<T>(len, 2)));
        run(Operation::Unary { op, x: x.span(), out: out.span() });
        out.assert_is(&expected, op);
        x.assert_is(&values, "input");
        run(Operation::Unary { op, x: x.span(), out: x.span() });
        x.assert_is(&expected, format_args!("{op} in place"));
    }
    sizes_and_types(|len, dtype| {
        for &op in UnaryOp::ALL.iter().filter(|&&op| contract::supports(op.into(), dtype)) {
            match_dtype!(dtype, any T => check::<T>(op, len), _ => unreachable!());
        }
    });
}

#[test]
fn binary_with_spans_scalars_and_in_place() {
    fn check<T: Element>(op: BinaryOp, len: usize) {
        let (xs, ys) = (patterns::<T>(len, 3), patterns::<T>(len, 4));
        let one = patterns::<T>(8, 5 + len as u64)[7];
        let apply = |a: T, b: T| get::<T>(scalar::binary(op, ScalarValue::new(a), ScalarValue::new(b)));
        let zip = |f: &dyn Fn(T, T) -> T| xs.iter().zip(&ys).map(|(&x, &y)| f(x, y)).collect::<Vec<T>>();
        let (mut x, mut y, mut out) = (Memory::new(&xs), Memory::new(&ys), Memory::new(&ys));
        let scalar = Source::Scalar(ScalarValue::new(one));
        let mut go = |a: Option<bool>, b: Option<bool>, expected: Vec<T>, what: &str| {
            // `None` is the scalar, `true` the first vector, `false` the second.
            let mut source = |which: Option<bool>| match which {
                None => scalar,
                Some(true) => Source::Span(x.span()),
                Some(false) => Source::Span(y.span()),
            };
            run(Operation::Binary { op, a: source(a), b: source(b), out: out.span() });
            out.assert_is(&expected, format_args!("{op} {what}"));
        };
        go(Some(true), Some(false), zip(&apply), "of spans");
        go(Some(true), None, zip(&|x, _| apply(x, one)), "span and scalar");
        go(None, Some(true), zip(&|x, _| apply(one, x)), "scalar and span");
        go(None, None, vec![apply(one, one); len], "of scalars");
        go(Some(true), Some(true), zip(&|x, _| apply(x, x)), "of one span twice");
        let (mut a, mut b, mut c) = (Memory::new(&xs), Memory::new(&ys), Memory::new(&xs));
        run(Operation::Binary { op, a: Source::Span(a.span()), b: Source::Span(y.span()), out: a.span() });
        a.assert_is(&zip(&apply), format_args!("{op} over its first operand"));
        run(Operation::Binary { op, a: Source::Span(x.span()), b: Source::Span(b.span()), out: b.span() });
        b.assert_is(&zip(&apply), format_args!("{op} over its second operand"));
        run(Operation::Binary { op, a: Source::Span(c.span()), b: Source::Span(c.span()), out: c.span() });
        c.assert_is(&zip(&|x, _| apply(x, x)), format_args!("{op} over both operands"));
        let mut d = Memory::new(&xs);
        run(Operation::Binary { op, a: scalar, b: Source::Span(d.span()), out: d.span() });
        d.assert_is(&zip(&|x, _| apply(one, x)), format_args!("{op} with a scalar, in place"));
    }
    sizes_and_types(|len, dtype| {
        for &op in BinaryOp::ALL.iter().filter(|&&op| contract::supports(op.into(), dtype)) {
            match_dtype!(dtype, any T => check::<T>(op, len), _ => unreachable!());
        }
    });
}

#[test]
fn comparisons() {
    fn check<T: Element>(op: CompareOp, len: usize) {
        let (xs, ys) = (patterns::<T>(len, 6), patterns::<T>(len, 7));
        let one = patterns::<T>(8, len as u64)[3];
        let apply = |a: T, b: T| u8::from(scalar::compare(op, ScalarValue::new(a), ScalarValue::new(b)).unwrap());
        let (mut x, mut y, mut out) = (Memory::new(&xs), Memory::new(&ys), Memory::new(&vec![9u8; len]));
        run(Operation::Compare { op, a: Source::Span(x.span()), b: Source::Span(y.span()), out: out.span() });
        let expected: Vec<u8> = xs.iter().zip(&ys).map(|(&x, &y)| apply(x, y)).collect();
        out.assert_is(&expected, op);
        let b = Source::Scalar(ScalarValue::new(one));
        run(Operation::Compare { op, a: Source::Span(x.span()), b, out: out.span() });
        let expected: Vec<u8> = xs.iter().map(|&x| apply(x, one)).collect();
        out.assert_is(&expected, op);
    }
    sizes_and_types(|len, dtype| {
        for &op in CompareOp::ALL.iter().filter(|&&op| contract::supports(op.into(), dtype)) {
            match_dtype!(dtype, any T => check::<T>(op, len), _ => unreachable!());
        }
    });
}

#[test]
fn selection_moves_bits() {
    fn check<T: Element>(len: usize) {
        let (xs, ys) = (patterns::<T>(len, 8), patterns::<T>(len, 9));
        let masks: Vec<u8> = patterns::<u8>(len, 10).iter().map(|&m| if m % 3 == 0 { 0 } else { m }).collect();
        let pick = |i: usize, a: T, b: T| if masks[i] == 0 { b } else { a };
        let expected: Vec<T> = (0..len).map(|i| pick(i, xs[i], ys[i])).collect();
        let (mut x, mut y, mut mask) = (Memory::new(&xs), Memory::new(&ys), Memory::new(&masks));
        let mut out = Memory::new(&xs);
        let (a, b) = (Source::Span(x.span()), Source::Span(y.span()));
        run(Operation::Select { mask: mask.span(), a, b, out: out.span() });
        out.assert_is(&expected, "select");
        let one = patterns::<T>(8, 11)[5];
        run(Operation::Select { mask: mask.span(), a, b: Source::Scalar(ScalarValue::new(one)), out: out.span() });
        out.assert_is(&(0..len).map(|i| pick(i, xs[i], one)).collect::<Vec<T>>(), "select with a scalar");
        run(Operation::Select { mask: mask.span(), a, b, out: y.span() });
        y.assert_is(&expected, "select over its last operand");
    }
    sizes_and_types(|len, dtype| match_dtype!(dtype, any T => check::<T>(len), _ => unreachable!()));
}

#[test]
fn casts_between_all_types() {
    fn check<S: Element, D: Element>(len: usize) {
        let mut values = patterns::<S>(len / 2, 12);
        values.extend(moderate::<S>(len - len / 2, 13));
        let cast = |x: S| scalar::cast(ScalarValue::new(x), D::DTYPE);
        let (mut x, mut out) = (Memory::new(&values), Memory::new(&patterns::<D>(len, 14)));
        run(Operation::Cast { x: x.span(), out: out.span() });
        out.assert_is(
            &values.iter().map(|&x| get::<D>(cast(x))).collect::<Vec<D>>(),
            format_args!("cast of {}", S::DTYPE),
        );
    }
    for len in [0, 1, 33, 1025, 100_003] {
        for (from, to) in DType::ALL.iter().flat_map(|&from| DType::ALL.map(|to| (from, to))) {
            if from.is_complex() && !to.is_complex() {
                continue;
            }
            match_dtype!(
                from,
                any S => match_dtype!(to, any D => check::<S, D>(len), _ => unreachable!()),
                _ => unreachable!()
            );
        }
    }
}

#[test]
fn complex_to_real_is_refused() {
    let mut x = Memory::new(&[warpwave_core::Complex32::new(1.0, 2.0)]);
    let mut out = Memory::new(&[7f32]);
    let operation = Operation::Cast { x: x.span(), out: out.span() };
    // SAFETY: the operands are the elements of `x` and `out`.
    assert!(unsafe { super::execute(&super::WORKERS, &operation) }.is_err());
    out.assert_is(&[7.0], "untouched");
}

#[test]
fn fill_and_iota() {
    fn check<T: Element>(len: usize) {
        for value in patterns::<T>(5, 15) {
            let mut out = Memory::new(&patterns::<T>(len, 16));
            run(Operation::Fill { value: ScalarValue::new(value), out: out.column() });
            out.assert_is(&vec![value; len], "fill");
        }
        if !contract::supports(OperationKind::Iota, T::DTYPE) {
            return;
        }
        let mut cases: Vec<(T, T)> = patterns::<T>(3, 17).into_iter().zip(patterns::<T>(3, 18)).collect();
        let fractions = moderate::<T>(2, 19);
        cases.push((fractions[0], fractions[1]));
        for (start, step) in cases {
            let (start, step) = (ScalarValue::new(start), ScalarValue::new(step));
            let mut out = Memory::new(&patterns::<T>(len, 20));
            run(Operation::Iota { start, step, out: out.span() });
            let expected: Vec<T> = (0..len).map(|i| get(scalar::iota(start, step, i as u64))).collect();
            out.assert_is(&expected, "iota");
        }
    }
    sizes_and_types(|len, dtype| match_dtype!(dtype, any T => check::<T>(len), _ => unreachable!()));
    // An index past the integers that f16 can count: rounded in f32, then once.
    let mut out = Memory::new(&vec![f16::ZERO; 4000]);
    let (start, step) = (ScalarValue::new(f16::ZERO), ScalarValue::new(f16::ONE));
    run(Operation::Iota { start, step, out: out.span() });
    out.assert_is(&(0..4000).map(|i| f16::from_f32(i as f32)).collect::<Vec<_>>(), "iota of f16");
}

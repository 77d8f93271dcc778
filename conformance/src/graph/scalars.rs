//! Scalars that change between launches.

use super::check;
use super::operations::Memory;
use crate::{Check, Counts, Session, Verdict};
use proptest::prelude::*;
use warpwave_core::numerics::contract::Lane;
use warpwave_core::{
    Argument, Blas, BlasTriangle, Buffer, DType, Device, Diag, Graph, LayerNormOptions, NodeId, Normalize, Op,
    OperationKind, Ops, Philox, Precision, Random, Result, Rotm, Side, Stream, Uplo,
};

pub(super) fn add<D: Device>(checks: &mut Vec<Check<D>>) {
    checks.push(check("scalars.each", each));
    checks.push(check("scalars.refused", refused));
}

/// A call with two scalars, and their names.
struct Entry<D: Device> {
    kind: OperationKind,
    dtype: DType,
    arguments: [Argument; 2],
    call: Call<D>,
}

type Call<D> = fn(&<D as Device>::Stream, &mut Memory<D>, [f32; 2]) -> Result<()>;

fn entries<D: Device>() -> Vec<Entry<D>> {
    macro_rules! table {
        ($($kind:ident $p:ident $q:ident |$s:ident, $m:ident, $a:ident, $b:ident| $call:expr;)*) => {
            vec![$( Entry {
                kind: OperationKind::$kind,
                dtype: DType::F32,
                arguments: [Argument::$p, Argument::$q],
                call: |$s: &D::Stream, $m: &mut Memory<D>, [$a, $b]: [f32; 2]| $call,
            } ),*]
        };
    }
    let mut entries: Vec<Entry<D>> = table! {
        Iota Start Step |s, m, p, q| s.iota(p, q, &mut m.x);
        Rot C S |s, m, p, q| s.rot(&mut m.x, &mut m.y, p, q);
        Rotm H11 H22 |s, m, p, q| s.rotm(&mut m.x, &mut m.y, Rotm::UnitOffDiagonal { h11: p, h22: q });
        Rotm H21 H12 |s, m, p, q| s.rotm(&mut m.x, &mut m.y, Rotm::UnitDiagonal { h21: p, h12: q });
        Select A B |s, m, p, q| s.select(&m.mask, &p, &q, &mut m.x);
        Random Seed Offset |s, m, p, q| {
            let mut generator = Philox::new(p as u64);
            generator.skip(q as u64);
            s.random(&mut generator, &mut m.x)
        };
        Random Seed Subsequence |s, m, p, q| s.random(&mut Philox::new(p as u64).subsequence(q as u64), &mut m.x);
        Normal Mean Deviation |s, m, p, q| s.normal(&mut Philox::new(1), p, q, &mut m.x);
        Normal Seed Subsequence |s, m, p, q| {
            s.normal(&mut Philox::new(p as u64).subsequence(q as u64), 0.0, 1.0, &mut m.x)
        };
        Gemv Alpha Beta |s, m, p, q| {
            let s = s.with_precision(Precision::Reproducible);
            s.gemv(Op::N, p, &m.x.matrix(8, 8)?, &m.y.slice(..8)?, q, &mut m.z.slice_mut(..8)?)
        };
        Gemm Alpha Beta |s, m, p, q| {
            let s = s.with_precision(Precision::Reproducible);
            s.gemm(Op::N, Op::N, p, &m.x.matrix(8, 8)?, &m.y.matrix(8, 8)?, q, &mut m.z.matrix_mut(8, 8)?)
        };
        GemmBatched Alpha Beta |s, m, p, q| {
            let s = s.with_precision(Precision::Reproducible);
            let (a, b) = ([m.x.matrix(8, 8)?], [m.y.matrix(8, 8)?]);
            s.gemm_batched(Op::N, Op::N, p, &a, &b, q, &mut [m.z.matrix_mut(8, 8)?])
        };
        Symv Alpha Beta |s, m, p, q| {
            let s = s.with_precision(Precision::Reproducible);
            s.symv(Uplo::Lower, p, &m.x.matrix(8, 8)?, &m.y.slice(..8)?, q, &mut m.z.slice_mut(..8)?)
        };
        Symm Alpha Beta |s, m, p, q| {
            let s = s.with_precision(Precision::Reproducible);
            let (a, b) = (m.x.matrix(8, 8)?, m.y.matrix(8, 8)?);
            s.symm(Side::Left, Uplo::Lower, p, &a, &b, q, &mut m.z.matrix_mut(8, 8)?)
        };
        Syrk Alpha Beta |s, m, p, q| {
            let s = s.with_precision(Precision::Reproducible);
            s.syrk(Uplo::Lower, Op::N, p, &m.x.matrix(8, 8)?, q, &mut m.z.matrix_mut(8, 8)?)
        };
    };
    // Of those with one scalar, the second is none of theirs.
    entries.extend::<Vec<Entry<D>>>(table! {
        LayerNorm Epsilon Epsilon |s, m, p, _q| s.layer_norm_assign(&mut m.x, &LayerNormOptions::new(p));
        Fill Value Value |s, m, p, _q| s.fill(&mut m.x, p);
        Add B B |s, m, p, _q| s.add_assign(&mut m.x, &p);
        Sub A A |s, m, p, _q| s.sub(&p, &m.x, &mut m.y);
        Lt B B |s, m, p, _q| s.lt(&m.x, &p, &mut m.mask);
        Scal Alpha Alpha |s, m, p, _q| s.scal(p, &mut m.x);
        Axpy Alpha Alpha |s, m, p, _q| s.axpy(p, &m.x, &mut m.y);
        Ger Alpha Alpha |s, m, p, _q| s.ger(p, &m.x.slice(..8)?, &m.y.slice(..8)?, &mut m.z.matrix_mut(8, 8)?);
        Syr Alpha Alpha |s, m, p, _q| s.syr(Uplo::Lower, p, &m.x.slice(..8)?, &mut m.z.matrix_mut(8, 8)?);
        Trmm Alpha Alpha |s, m, p, _q| {
            let s = s.with_precision(Precision::Reproducible);
            let (a, mut b) = (m.x.matrix(8, 8)?, m.z.matrix_mut(8, 8)?);
            s.trmm(Side::Left, Uplo::Lower, Op::N, Diag::NonUnit, p, &a, &mut b)
        };
        Trsm Alpha Alpha |s, m, p, _q| {
            let s = s.with_precision(Precision::Reproducible);
            let (a, mut b) = (m.x.matrix(8, 8)?, m.z.matrix_mut(8, 8)?);
            s.trsm(Side::Left, Uplo::Lower, Op::N, Diag::Unit, p, &a, &mut b)
        };
    });
    entries
}

fn set<D: Device>(graph: &mut Graph<D>, node: NodeId, argument: Argument, value: f32) -> Result<()> {
    match argument {
        Argument::Seed | Argument::Subsequence | Argument::Offset => graph.set_scalar(node, argument, value as u64),
        _ => graph.set_scalar(node, argument, value),
    }
}

/// Launches use the scalars that were set before them, and no later ones; both of an operation's are its own.
fn each<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    let names = entries::<D>().iter().map(|entry| (entry.kind, entry.arguments)).collect::<Vec<_>>();
    session.each(Lane::Exact, names, |case, (kind, [first, second])| {
        let entries = entries::<D>();
        let is_it = |entry: &&Entry<D>| (entry.kind, entry.arguments) == (kind, [first, second]);
        let Some(entry) = entries.iter().find(is_it) else { return case.ensure(false, "no such call") };
        if !case.device().supports(kind, entry.dtype) {
            return case.ensure(true, "");
        }
        let stream = case.stream();
        let (mut direct, mut memory) = (Memory::<D>::new(stream, 2)?, Memory::<D>::new(stream, 2)?);
        let mut node = None;
        let mut graph = stream.record_graph(|r| {
            r.fill(&mut memory.z.slice_mut(..0)?, 1.0)?;
            (entry.call)(r, &mut memory, [2.0, 3.0])?;
            node = r.last();
            // Comes after it, and is not it.
            r.copy(&memory.y.slice(..1)?, &mut memory.z.slice_mut(63..)?)
        })?;
        let Some(node) = node else { return case.ensure(false, "a call was recorded, and there is no last one") };
        let mut scalars = [2.0, 3.0];
        for step in 0..4 {
            (entry.call)(stream, &mut direct, scalars)?;
            stream.copy(&direct.y.slice(..1)?, &mut direct.z.slice_mut(63..)?)?;
            graph.launch(stream)?;
            let (argument, value) = [(first, 5.0), (second, 7.0), (first, 4.0), (second, 9.0)][step];
            set(&mut graph, node, argument, value)?;
            if argument == first {
                scalars[0] = value;
            }
            if argument == second {
                scalars[usize::from(first != second)] = value;
            }
        }
        memory.same(case, &direct, format_args!("{kind} with scalars that changed"))
    })
}

/// The wrong graph, argument or type is refused, and then nothing has changed.
fn refused<D: Device>(session: &mut Session<'_, D>) -> Verdict {
    session.cases(Lane::Exact, Counts::of(4), (1..300_usize, any::<u32>()), |case, (len, value)| {
        let stream = case.stream();
        let (mut x, mut y) = (stream.zeros::<u32>(len)?, stream.zeros::<u32>(len)?);
        let mut nodes = Vec::new();
        let mut graph = stream.record_graph(|r| {
            // Before the first call there is no last one: it would be one too many in the list.
            nodes.extend(r.last());
            r.fill(&mut x, value)?;
            nodes.extend(r.last());
            r.copy(&x, &mut y)?;
            nodes.extend(r.last());
            Ok(())
        })?;
        let mut other = stream.record_graph(|r| r.fill(&mut x, 1))?;
        let [fill, copy] = nodes[..] else { return case.ensure(false, format_args!("{} calls", nodes.len())) };
        case.refused(other.set_scalar(fill, Argument::Value, 1_u32), "node")?;
        case.refused(graph.set_scalar(copy, Argument::Value, 1_u32), "argument")?;
        case.refused(graph.set_scalar(fill, Argument::Alpha, 1_u32), "argument")?;
        case.refused(graph.set_scalar(fill, Argument::Value, 1_i32), "value")?;
        case.refused(graph.set_scalar(fill, Argument::Value, 1.0_f32), "value")?;
        graph.launch(stream)?;
        let got = case.read(&y)?;
        case.bits("as it was recorded", &got, &vec![value; len])
    })
}

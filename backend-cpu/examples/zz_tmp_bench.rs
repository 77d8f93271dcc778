use std::time::Instant;
use warpwave_core::operation::*;
use warpwave_core::*;
use warpwave_cpu::CpuBackend;
fn time(f: impl Fn()) -> f64 { f(); let mut best=f64::MAX; for _ in 0..3 { let mut n=1; loop { let t=Instant::now(); for _ in 0..n {f()} let e=t.elapsed().as_secs_f64(); if e>0.05 {best=best.min(e/n as f64);break} n*=2; } } best }
fn buf<T: Element>(n: usize, v: T) -> Ptr { let v = vec![v; n].leak(); Ptr::new(v.as_mut_ptr().cast()) }
fn main() {
    let b = CpuBackend::inline(); let s = b.create_stream().unwrap();
    let run = |op: Operation| unsafe { b.execute(&s, &op).unwrap() };
    fn st<T: Element>(n: usize, v: T, inc: isize) -> Strided { Strided { base: buf(n*inc.unsigned_abs().max(1), v), dtype: T::DTYPE, len: n, inc } }
    fn sp<T: Element>(n: usize, v: T) -> Span { Span { ptr: buf(n, v), dtype: T::DTYPE, len: n } }
    fn level1<T: Element>(run: &dyn Fn(Operation), one: T, out: Span, mag: Span) {
        for n in [16, 1000, 20000, 20_000_000usize] {
            let (x, y) = (st(n, one, 1), st(n, one, 1));
            let a = ScalarValue::new(one);
            let r = |name: &str, bytes: usize, op: Operation| { let t = time(|| run(op)); println!("{} {name} n={n}: {:.0} ns, {:.1} GB/s", T::DTYPE, t*1e9, (bytes*n*size_of::<T>()) as f64/t/1e9); };
            r("copy", 2, Operation::Copy{x,y}); r("axpy",3,Operation::Axpy{alpha:a,x,y}); r("scal",2,Operation::Scal{alpha:a,x});
            r("dot",2,Operation::Dot{conj:true,x,y,out}); r("asum",1,Operation::Asum{x,out:mag}); r("nrm2",1,Operation::Nrm2{x,out:mag});
            r("iamax",1,Operation::Iamax{x,out:sp(1,0u64)});
        }
        let m=4000; let mat=|layout| MatrixOperand{ptr:buf(m*m,one),dtype:T::DTYPE,rows:m,cols:m,ld:m,layout};
        for layout in [Layout::ColumnMajor, Layout::RowMajor] {
            let a=mat(layout); let (x,y)=(st(m,one,1),st(m,one,1)); let z=ScalarValue::new(one);
            let t=time(|| run(Operation::Gemv(Gemv{op:Op::N,alpha:z,a,x,beta:z,y,precision:Precision::Strict}))); println!("{} gemv {layout:?} {:.1} GB/s",T::DTYPE,(m*m*size_of::<T>()) as f64/t/1e9);
            let t=time(|| run(Operation::Ger{alpha:z,x,y,a})); println!("{} ger {layout:?} {:.1} GB/s",T::DTYPE,(2*m*m*size_of::<T>()) as f64/t/1e9);
        }
    }
    fn gemm<T: GemmElement>(run: &dyn Fn(Operation), one: T, c1: T::Compute, flops: f64) {
        for m in [4, 16, 64, 256, 1024] {
            let mat=||MatrixOperand{ptr:buf(m*m,one),dtype:T::DTYPE,rows:m,cols:m,ld:m,layout:Layout::ColumnMajor};
            let (a,b,c)=(mat(),mat(),mat()); let z=ScalarValue::new(c1);
            let g=|precision|{let t=time(||run(Operation::Gemm(Gemm{op_a:Op::N,op_b:Op::N,alpha:z,a,b,beta:ScalarValue::new(T::Compute::default()),c,batch:1,strides:[0;3],precision}))); (t*1e9, flops*(m*m*m) as f64/t/1e9)};
            let (s,r)=(g(Precision::Strict),g(Precision::Reproducible)); println!("{} gemm {m}: strict {:.0} ns {:.1} GF/s, reproducible {:.0} ns {:.1} GF/s ({:.0} %)",T::DTYPE,s.0,s.1,r.0,r.1,100.0*r.1/s.1);
        }
    }
    let what = std::env::args().nth(1).unwrap_or_default();
    if what != "gemm" { level1(&run, 1.0f32, sp(1,0f32), sp(1,0f32)); level1(&run, 1.0f64, sp(1,0f64), sp(1,0f64)); level1(&run, Complex64::new(1.0,0.0), sp(1,Complex64::default()), sp(1,0f64)); }
    gemm(&run, 1.0f32, 1.0, 2.0); gemm(&run, 1.0f64, 1.0, 2.0); gemm(&run, Complex32::new(1.0,0.0), Complex32::new(1.0,0.0), 8.0); gemm(&run, Complex64::new(1.0,0.0), Complex64::new(1.0,0.0), 8.0); gemm(&run, f16::ONE, 1.0, 2.0); gemm(&run, bf16::ONE, 1.0, 2.0);
}

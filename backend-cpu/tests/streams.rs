//! Order on a stream and between streams, in both modes, against the backend trait alone.
#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use common::{Block, both, gate, pattern, watched};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use warpwave_core::operation::Span;
use warpwave_core::{Backend, DType, ErrorKind, Operation, UnaryOp};
use warpwave_cpu::CpuBackend;

#[test]
fn work_takes_effect_in_the_order_of_its_calls() {
    for backend in both() {
        let stream = backend.create_stream().unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let block = Block::new(&backend, 1);
        let address = block.ptr;
        for i in 0..=255u8 {
            block.upload(&stream, 0, &[i]);
            let seen = Arc::clone(&seen);
            let look = move || {
                // SAFETY: the block outlives the stream's work, and the stream is at this call.
                seen.lock().unwrap().push(unsafe { address.as_ptr().read() });
            };
            backend.host_fn(&stream, Box::new(look)).unwrap();
        }
        backend.synchronize(&stream).unwrap();
        assert_eq!(*seen.lock().unwrap(), (0..=255).collect::<Vec<u8>>());
        backend.destroy_stream(stream).unwrap();
    }
}

#[test]
fn threads_that_share_a_stream_keep_their_own_order() {
    for backend in both() {
        let stream = backend.create_stream().unwrap();
        let seen = Mutex::new(Vec::new());
        let seen = Arc::new(seen);
        std::thread::scope(|scope| {
            for thread in 0..4usize {
                let (backend, stream, seen) = (&backend, &stream, &seen);
                scope.spawn(move || {
                    for i in 0..1000usize {
                        let seen = Arc::clone(seen);
                        backend.host_fn(stream, Box::new(move || seen.lock().unwrap().push((thread, i)))).unwrap();
                    }
                });
            }
        });
        backend.synchronize(&stream).unwrap();
        let seen = seen.lock().unwrap();
        assert_eq!(seen.len(), 4000);
        for thread in 0..4 {
            assert!(seen.iter().filter(|(t, _)| *t == thread).map(|(_, i)| *i).eq(0..1000));
        }
        backend.destroy_stream(stream).unwrap();
    }
}

/// The consumer is enqueued while the producer stands still: without the wait it would copy the old bytes.
#[test]
fn a_wait_orders_a_consumer_behind_a_slow_producer() {
    watched(|| {
        let backend = CpuBackend::asynchronous();
        let [producer, consumer] = [(); 2].map(|()| backend.create_stream().unwrap());
        let bytes = pattern(100_003, 1);
        let (from, via, to) =
            (Block::of(&backend, &producer, &bytes), Block::new(&backend, 100_003), Block::new(&backend, 100_003));
        let open = gate(&backend, &producer);
        from.copy_to(&producer, 0, &via, 0, bytes.len());
        let event = backend.record(&producer).unwrap();
        backend.wait(&consumer, &event).unwrap();
        // The wait holds on to what it needs.
        backend.destroy_event(event);
        via.copy_to(&consumer, 0, &to, 0, bytes.len());
        let done = backend.record(&consumer).unwrap();
        std::thread::sleep(Duration::from_millis(20));
        assert!(!backend.query(&done).unwrap());
        open.send(()).unwrap();
        backend.synchronize_event(&done).unwrap();
        assert!(backend.query(&done).unwrap());
        assert_eq!(to.download(&consumer, 0, bytes.len()), bytes);
        for stream in [producer, consumer] {
            backend.destroy_stream(stream).unwrap();
        }
    });
}

/// A number goes round eight streams, each of which adds to it without an atomic read-modify-write.
#[test]
fn a_ring_of_waits_loses_no_update() {
    watched(|| {
        for backend in both() {
            let streams: Vec<_> = (0..8).map(|_| backend.create_stream().unwrap()).collect();
            let number = Arc::new(AtomicU64::new(0));
            for step in 0..800 {
                let stream = &streams[step % 8];
                let number = Arc::clone(&number);
                let add = move || number.store(number.load(Ordering::Relaxed) + 1, Ordering::Relaxed);
                backend.host_fn(stream, Box::new(add)).unwrap();
                let event = backend.record(stream).unwrap();
                backend.wait(&streams[(step + 1) % 8], &event).unwrap();
                backend.destroy_event(event);
            }
            backend.synchronize(&streams[0]).unwrap();
            assert_eq!(number.load(Ordering::Relaxed), 800);
            streams.into_iter().for_each(|stream| backend.destroy_stream(stream).unwrap());
        }
    });
}

/// An inline stream has no queue to put the wait in, so the host waits.
#[test]
fn a_wait_across_the_modes_holds() {
    watched(|| {
        let [inline, queued] = both();
        let (first, second) = (queued.create_stream().unwrap(), inline.create_stream().unwrap());
        assert!(inline.is_inline(&second) && !queued.is_inline(&first));
        let open = gate(&queued, &first);
        let event = queued.record(&first).unwrap();
        let opener = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(30));
            let opened = Instant::now();
            open.send(()).unwrap();
            opened
        });
        inline.wait(&second, &event).unwrap();
        let waited = Instant::now();
        assert!(queued.query(&event).unwrap());
        assert!(opener.join().unwrap() <= waited);
        queued.destroy_stream(first).unwrap();
    });
}

#[test]
fn event_times_are_monotone_and_span_the_work() {
    for backend in both() {
        let stream = backend.create_stream().unwrap();
        let pause = Duration::from_millis(10);
        let mut events = vec![backend.record(&stream).unwrap()];
        for _ in 0..5 {
            backend.host_fn(&stream, Box::new(move || std::thread::sleep(pause))).unwrap();
            events.push(backend.record(&stream).unwrap());
        }
        for (i, start) in events.iter().enumerate() {
            for (j, end) in events.iter().enumerate() {
                let elapsed = backend.elapsed(start, end).unwrap();
                match j.checked_sub(i) {
                    Some(steps) => assert!(elapsed >= pause * steps as u32),
                    None => assert_eq!(elapsed, Duration::ZERO),
                }
            }
        }
        backend.destroy_stream(stream).unwrap();
    }
}

#[test]
fn a_panic_is_reported_once_and_the_stream_goes_on() {
    for backend in both() {
        let stream = backend.create_stream().unwrap();
        let other = backend.create_stream().unwrap();
        let block = Block::of(&backend, &stream, &[1, 2, 3]);
        backend.host_fn(&stream, Box::new(|| panic!("first of two"))).unwrap();
        backend.host_fn(&stream, Box::new(|| panic!("second of two"))).unwrap();
        let event = backend.record(&stream).unwrap();
        block.upload(&stream, 0, &[4, 5, 6]);
        // Neither an event nor another stream reports it.
        backend.synchronize_event(&event).unwrap();
        backend.synchronize(&other).unwrap();
        let error = backend.synchronize(&stream).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::DeviceFault { what } if what.contains("first of two")), "{error}");
        assert_eq!(error.context().device.as_deref(), Some("cpu"));
        backend.synchronize(&stream).unwrap();
        assert_eq!(block.download(&stream, 0, 3), [4, 5, 6]);

        backend.host_fn(&stream, Box::new(|| panic!("third"))).unwrap();
        let mut out = [0u8; 3];
        // SAFETY: three bytes of the block, three of `out`.
        let error = unsafe { backend.download(&stream, block.ptr, out.as_mut_ptr(), 3) }.unwrap_err();
        assert!(error.to_string().contains("third"), "{error}");
        assert_eq!(out, [4, 5, 6]);
        assert_eq!(block.download(&stream, 0, 3), [4, 5, 6]);
        backend.destroy_stream(stream).unwrap();
        backend.destroy_stream(other).unwrap();
    }
}

/// An operation that fails leaves an error that names it, at once or at the next synchronizing call, and only once.
#[test]
fn a_failed_operation_is_reported_once_by_name() {
    for backend in both() {
        let stream = backend.create_stream().unwrap();
        let block = Block::of(&backend, &stream, &[9; 64]);
        let span = Span { ptr: block.ptr, dtype: DType::I32, len: 16 };
        let operation = Operation::Unary { op: UnaryOp::Sqrt, x: span, out: span };
        // SAFETY: the span is the block, and an operation that does not exist for its type touches nothing.
        let outcome = unsafe { backend.execute(&stream, &operation) };
        let error = match backend.is_inline(&stream) {
            true => outcome.unwrap_err(),
            false => outcome.and_then(|()| backend.synchronize(&stream)).unwrap_err(),
        };
        assert!(matches!(error.kind(), ErrorKind::Unsupported { .. }), "{error}");
        assert_eq!(error.context().operation.as_deref(), Some("sqrt"));
        backend.synchronize(&stream).unwrap();
        assert_eq!(block.download(&stream, 0, 64), [9; 64]);
        backend.destroy_stream(stream).unwrap();
    }
}

#[test]
fn destroying_a_stream_neither_waits_nor_drops_its_work() {
    watched(|| {
        let backend = CpuBackend::asynchronous();
        let stream = backend.create_stream().unwrap();
        let open = gate(&backend, &stream);
        let (sender, receiver) = channel();
        for i in 0..1000 {
            let sender = sender.clone();
            backend.host_fn(&stream, Box::new(move || sender.send(i).unwrap())).unwrap();
        }
        drop(sender);
        backend.destroy_stream(stream).unwrap();
        // Nor does the device have to live on.
        drop(backend);
        assert!(receiver.try_recv().is_err());
        open.send(()).unwrap();
        assert!(receiver.into_iter().eq(0..1000));
    });
}

/// Nothing waits for room in the queue: the stream stands still until everything is enqueued.
#[test]
fn a_million_small_pieces_of_work() {
    watched(|| {
        let backend = CpuBackend::asynchronous();
        let stream = backend.create_stream().unwrap();
        let count = Arc::new(AtomicUsize::new(0));
        let (from, to) = (Block::of(&backend, &stream, &[7]), Block::new(&backend, 1));
        let open = gate(&backend, &stream);
        for i in 0..1_000_000 {
            if i % 2 == 0 {
                from.copy_to(&stream, 0, &to, 0, 1);
            } else {
                let count = Arc::clone(&count);
                let add = move || {
                    count.fetch_add(1, Ordering::Relaxed);
                };
                backend.host_fn(&stream, Box::new(add)).unwrap();
            }
        }
        assert_eq!(count.load(Ordering::Relaxed), 0);
        open.send(()).unwrap();
        assert_eq!(to.download(&stream, 0, 1), [7]);
        assert_eq!(count.load(Ordering::Relaxed), 500_000);
        backend.destroy_stream(stream).unwrap();
    });
}

/// Every thread of the user's pool waits for the device while it copies enough to need its own threads.
#[test]
fn a_pool_of_the_users_that_waits_does_not_starve_the_device() {
    watched(|| {
        for backend in both() {
            let bytes = pattern(8 << 20, 3);
            let pool = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
            pool.scope(|scope| {
                for _ in 0..6 {
                    let (backend, bytes) = (&backend, &bytes);
                    scope.spawn(move |_| {
                        let stream = backend.create_stream().unwrap();
                        let from = Block::of(backend, &stream, bytes);
                        let to = Block::new(backend, bytes.len());
                        from.copy_to(&stream, 0, &to, 0, bytes.len());
                        backend.synchronize(&stream).unwrap();
                        assert!(to.download(&stream, 0, bytes.len()) == *bytes);
                        backend.destroy_stream(stream).unwrap();
                    });
                }
            });
        }
    });
}

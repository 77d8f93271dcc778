//! What a backlog costs: memory that waits for streams which have much to do.

use super::lifecycle::{CLASS, LEN, check, open};
use super::program::SimBuffer;
use super::sim::{Options, Order};
use crate::buffer::Buffer;
use crate::device::Device;
use crate::info::MemoryInfo;
use crate::stream::Stream;
use crate::view::AsView;

const BACKLOG: usize = 1000;

/// Each allocation asks about the oldest block of each stream that blocks wait for, however many wait.
#[test]
fn an_allocation_asks_about_one_block_of_a_backlog() {
    let (world, device) = open(Options::default());
    let (home, busy) = (device.default_stream(), device.new_stream().unwrap());
    for _ in 0..BACKLOG {
        let mut buffer = home.alloc::<u8>(LEN).unwrap();
        busy.fill(&mut buffer, 1).unwrap();
    }
    // Nothing has run, so nothing could be reused, and each allocation but the first has asked once.
    assert_eq!(device.memory(), MemoryInfo { in_use: 0, cached: BACKLOG * CLASS });
    let counts = world.counts();
    assert_eq!((counts.allocates, counts.records), (BACKLOG, BACKLOG - 1));
    assert!(counts.queries <= BACKLOG, "{counts:?}");
    // All at once, the blocks are asked about once each.
    world.run_all();
    let all: Vec<SimBuffer> = (0..BACKLOG).map(|_| home.alloc(LEN).unwrap()).collect();
    let counts = world.counts();
    assert_eq!((counts.allocates, counts.records), (BACKLOG, BACKLOG));
    assert!(counts.queries <= 2 * BACKLOG, "{counts:?}");
    drop((all, home, busy, device));
    check(&world);
}

/// Blocks that wait for two busy streams are asked about there one after the other, and come back when both are done.
#[test]
fn a_backlog_of_two_streams_is_asked_about_at_both() {
    let (world, device) = open(Options::default());
    let home = device.default_stream();
    let (one, two) = (device.new_stream().unwrap(), device.new_stream().unwrap());
    for _ in 0..BACKLOG {
        let mut buffer = home.alloc::<u8>(LEN).unwrap();
        let (mut low, mut high) = buffer.split_at_mut(LEN / 2).unwrap();
        one.fill(&mut low, 1).unwrap();
        two.fill(&mut high, 2).unwrap();
    }
    one.synchronize().unwrap();
    let early = home.alloc::<u8>(LEN).unwrap();
    assert_eq!(world.counts().allocates, BACKLOG + 1, "the second stream is not done");
    assert!(world.counts().queries <= 4 * BACKLOG, "{:?}", world.counts());
    two.synchronize().unwrap();
    let all: Vec<SimBuffer> = (0..BACKLOG).map(|_| home.alloc(LEN).unwrap()).collect();
    assert_eq!(world.counts().allocates, BACKLOG + 1);
    assert!(world.counts().queries <= 6 * BACKLOG, "{:?}", world.counts());
    drop((early, all, home, one, two, device));
    check(&world);
}

/// A stream on which nothing was enqueued since is not recorded on again: blocks dropped together wait for one event, which
/// is asked about once; nor do other streams record one each.
#[test]
fn the_last_event_of_a_stream_serves_all_that_it_comes_after() {
    let (world, device) = open(Options::default());
    let (home, busy) = (device.default_stream(), device.new_stream().unwrap());
    let mut buffers: Vec<SimBuffer> = (0..BACKLOG).map(|_| home.alloc(LEN).unwrap()).collect();
    buffers.iter_mut().for_each(|buffer| busy.fill(buffer, 1).unwrap());
    let last = buffers.pop().unwrap();
    drop(buffers);
    for _ in 0..3 {
        let other = device.new_stream().unwrap();
        other.copy(&last, &mut other.alloc::<u8>(LEN).unwrap()).unwrap();
    }
    let counts = world.counts();
    // Two more for the first two of the other streams, which have ended and left their final events.
    assert_eq!((counts.records, counts.waits), (3, 3), "{counts:?}");
    world.run_all();
    let before = world.counts().queries;
    let again: Vec<SimBuffer> = (0..BACKLOG - 1).map(|_| home.alloc(LEN).unwrap()).collect();
    assert!(world.counts().queries < before + 10, "{:?}", world.counts());
    assert_eq!(world.counts().allocates, counts.allocates);
    drop((again, last, home, busy, device));
    check(&world);
}

/// What a buffer remembers of work in pieces is forgotten when that has ended, though nobody waits for it, and costs few events.
#[test]
fn pieces_that_have_ended_are_forgotten() {
    const PIECES: usize = 20_000;
    let (world, device) = open(Options { order: Order::Eager, ..Options::default() });
    let stream = device.default_stream();
    let mut buffer = stream.alloc::<u8>(2 * PIECES).unwrap();
    let size = |buffer: &SimBuffer| buffer.view().part.block.tracker.lock().size();
    for piece in 0..PIECES {
        stream.fill(&mut buffer.slice_mut(2 * piece..2 * piece + 1).unwrap(), 1).unwrap();
        assert!(size(&buffer) < 2048, "{} after {piece}", size(&buffer));
        world.run_all();
    }
    let counts = world.counts();
    assert!(counts.records <= PIECES / 300 && counts.queries <= PIECES / 300, "{counts:?}");
    drop((buffer, stream, device));
    check(&world);
}

/// As long as the pieces are few a single stream records nothing.
#[test]
fn few_pieces_record_nothing() {
    let (world, device) = open(Options::default());
    let stream = device.default_stream();
    let mut buffer = stream.alloc::<u8>(2000).unwrap();
    for piece in (0..2000).step_by(2).chain((0..2000).step_by(2)) {
        stream.fill(&mut buffer.slice_mut(piece..piece + 1).unwrap(), 1).unwrap();
    }
    let counts = world.counts();
    assert_eq!((counts.records, counts.queries, counts.waits), (0, 0, 0));
    drop((buffer, stream, device));
    check(&world);
}

/// An event serves only what it comes after: later work of the stream gets one of its own.
#[test]
fn later_work_is_recorded_again() {
    let (world, device) = open(Options::default());
    let (one, two) = (device.default_stream(), device.new_stream().unwrap());
    let (mut a, mut b) = (one.from_slice(&[1u8; LEN]).unwrap(), two.alloc::<u8>(LEN).unwrap());
    for round in 1..=3 {
        one.fill(&mut a, round).unwrap();
        two.copy(&a, &mut b).unwrap();
        world.expect_waits(2 * usize::from(round) - 1);
        one.fill(&mut a, 0).unwrap();
        world.expect_waits(2 * usize::from(round));
        assert_eq!(two.to_vec(&b).unwrap(), [round; LEN]);
    }
    drop((a, b, one, two, device));
    check(&world);
}

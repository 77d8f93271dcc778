//! Allocating, releasing what was dropped, and closing.

use super::block::Block;
use super::deferred::{Dropped, EventCell};
use super::parked::{Awaited, Parked};
use super::pool::{self, Shelf};
use super::stream::{Phase, Point, StreamCore};
use super::tracker::{StreamId, Ticket};
use super::{Inner, Step};
use crate::backend::{Backend, Space};
use crate::error::{Error, ErrorKind, Result};
use crate::info::MemoryInfo;
use crate::sync::{Arc, Ordering};
use std::sync::Weak;

impl<B: Backend> Inner<B> {
    /// A block of at least `bytes` bytes, free for use on `stream`.
    pub(crate) fn allocate(&self, stream: &StreamCore<B>, space: Space, bytes: usize) -> Result<Arc<Block>> {
        self.enter()?;
        if bytes == 0 {
            return Ok(Arc::new(Block::empty(space, &self.opening, stream.id, &stream.shelf)));
        }
        let too_large = || Error::invalid("len", "at most isize::MAX bytes", format_args!("{bytes} bytes"));
        let class = pool::class(bytes).ok_or_else(too_large)?;
        if let Some(block) = stream.shelf.hand_out(space, class) {
            return Ok(block);
        }
        if !self.pool.parked.is_empty() {
            self.unpark();
            if let Some(block) = stream.shelf.hand_out(space, class) {
                return Ok(block);
            }
        }
        let block = match self.adopt_idle(stream, space, class) {
            Some(block) => block,
            None => Arc::new(self.allocate_fresh(stream, space, class)?),
        };
        stream.shelf.count(&block);
        Ok(block)
    }

    fn adopt_idle(&self, home: &StreamCore<B>, space: Space, class: usize) -> Option<Arc<Block>> {
        let mut block = self.pool.idle.lock().pop(space, class)?;
        // Nobody else has a handle of a free block, so this succeeds.
        Arc::get_mut(&mut block)?.move_to(home.id, &home.shelf);
        Some(block)
    }

    fn allocate_fresh(&self, stream: &StreamCore<B>, space: Space, class: usize) -> Result<Block> {
        let ptr = self.retry_out_of_memory(|| self.backend.allocate(space, class))?;
        self.allocated.fetch_add(class, Ordering::Relaxed);
        Ok(Block::new(ptr, class, space, &self.opening, stream.id, &stream.shelf))
    }

    /// Calls `get`, and again if it finds no memory and cached memory could be freed. If a host function is outstanding nothing can be.
    pub(crate) fn retry_out_of_memory<R>(&self, mut get: impl FnMut() -> Result<R>) -> Result<R> {
        match get() {
            Err(error) if matches!(error.kind(), ErrorKind::OutOfMemory { .. }) => match self.free_unless_gated()? {
                None => Err(error),
                // Nothing was cached perhaps, but another thread may have freed something meanwhile.
                Some(_) => get(),
            },
            result => result,
        }
    }

    /// Gives cached memory back to the driver; returns how many bytes. Waits for the work that used it; while a host function is
    /// outstanding it frees nothing, as such a wait might not end.
    pub(crate) fn trim(&self) -> Result<usize> {
        self.enter()?;
        self.free_unless_gated().map(Option::unwrap_or_default)
    }

    /// [`free_cached`](Self::free_cached), or `None` if a host function is outstanding.
    fn free_unless_gated(&self) -> Result<Option<usize>> {
        if self.keeps(Step::NoFreeBesideHostFn) {
            self.gate.free(|| self.free_cached()).transpose()
        } else {
            self.free_cached().map(Some)
        }
    }

    fn free_cached(&self) -> Result<usize> {
        self.release_deferred();
        while let Some(Parked { block, awaits }) = self.pool.parked.pop() {
            let (open, last) = match self.home(&block) {
                HomeStream::Open(home) => (Some(home), None),
                HomeStream::Closed(event) => (None, event),
                HomeStream::Gone => (None, None),
            };
            let mut needed = awaits.iter().map(|awaited| &awaited.event).chain(&last).filter_map(|e| e.raw());
            if let Err(error) = needed.try_for_each(|e| self.backend.synchronize_event(e)) {
                self.park(block, awaits);
                return Err(error);
            }
            match open {
                Some(home) => self.give_home(&home, block),
                None => self.give_nobody(block),
            }
        }
        let mut freed = 0;
        let streams: Vec<_> = self.streams.lock().values().cloned().collect();
        for stream in streams {
            let blocks = stream.shelf.take();
            if blocks.is_empty() {
                continue;
            }
            if self.keeps(Step::TrimWaits)
                && let Err(error) = self.wait_until_passed(&stream)
            {
                // Still pending.
                blocks.into_iter().for_each(|block| self.place(block));
                return Err(error);
            }
            freed += self.free_blocks(blocks)?;
        }
        let idle = self.pool.idle.lock().take();
        freed += self.free_blocks(idle)?;
        Ok(freed + self.backend.trim()?)
    }

    fn wait_until_passed(&self, stream: &StreamCore<B>) -> Result<()> {
        let event = match stream.raw() {
            Some(raw) => Some(self.record(&raw)?),
            // Another thread has closed it meanwhile.
            None => stream.final_event().filter(|_| self.keeps(Step::TrimWaitsForClosed)),
        };
        match event.as_ref().and_then(|event| event.raw()) {
            Some(event) => self.backend.synchronize_event(event),
            None => Ok(()),
        }
    }

    /// Frees blocks; the first refusal is returned after the others have been freed.
    fn free_blocks(&self, blocks: Vec<Arc<Block>>) -> Result<usize> {
        let (mut freed, mut refused) = (0, Ok(()));
        for block in blocks {
            self.allocated.fetch_sub(block.bytes, Ordering::Relaxed);
            // SAFETY: the block came from `allocate` with these values; it is on no list any more and has no handle, so it is freed
            // once; its streams have been waited for.
            match unsafe { self.backend.free(block.space, block.ptr, block.bytes) } {
                Ok(()) => freed += block.bytes,
                Err(error) => refused = refused.and(Err(error)),
            }
        }
        refused.map(|()| freed)
    }

    /// Releases what dropped handles left behind. Errors leave things for the next call.
    pub(crate) fn release_deferred(&self) {
        for dropped in self.deferred.take() {
            match dropped {
                Dropped::Event(event) => self.backend.destroy_event(event),
                Dropped::Block(block) => self.release_block(block),
                Dropped::Graph(graph, last) => self.release_graph(graph, last),
                Dropped::Module(module) => drop(module),
                Dropped::Stream(id) => self.close_stream(id),
                Dropped::Raw(raw) => self.destroy_stream(raw),
            }
        }
        if self.has_retired.load(Ordering::Relaxed) {
            self.destroy_retired();
        }
        if self.has_borrowed.load(Ordering::Relaxed) {
            self.release_passed();
        }
    }

    /// Destroys a graph once its last launch has ended: all others came before that.
    fn release_graph(&self, graph: B::Graph, last: Option<(StreamId, Ticket)>) {
        let pending = match last.filter(|_| self.keeps(Step::GraphAfterLaunches)) {
            Some((stream, ticket)) => self.point_after(stream, ticket),
            None => Ok(None),
        };
        match pending {
            Ok(Some(point)) => {
                let mut retired = self.retired.lock();
                retired.push_back((graph, point.event));
                self.has_retired.store(true, Ordering::Relaxed);
            }
            Ok(None) => self.backend.destroy_graph(graph),
            Err(_) => self.deferred.push(Dropped::Graph(graph, last)),
        }
    }

    /// Destroys graphs whose launches have ended, from the one dropped first to the first that may be pending.
    pub(crate) fn destroy_retired(&self) {
        loop {
            let event = self.retired.lock().front().map(|(_, event)| event.clone());
            let Some(event) = event.filter(|event| self.has_occurred(event)) else { return };
            let mut retired = self.retired.lock();
            let is_first = retired.front().is_some_and(|(_, first)| Arc::ptr_eq(first, &event));
            // Another thread may have destroyed it meanwhile.
            let first = if is_first { retired.pop_front() } else { None };
            self.has_retired.store(!retired.is_empty(), Ordering::Relaxed);
            drop(retired);
            if let Some((graph, _)) = first {
                self.backend.destroy_graph(graph);
            }
        }
    }

    /// A handle of a block is gone, or a graph that touches it. The last of them makes the block reusable on its home stream, or
    /// leaves it to the next call if another stream has used it. `shelf` is the home's.
    pub(crate) fn give_back(&self, block: Arc<Block>, shelf: &Shelf) {
        let Some(block) = self.last_of(block) else { return };
        if block.is_borrowed() {
            return self.deferred.push(Dropped::Block(block));
        }
        if let Some(block) = shelf.take_back(block, self.keeps(Step::ReuseEntry)) {
            self.deferred.push(Dropped::Block(block));
        }
    }

    /// The block, if nobody else has it. Of several who drop it at the same time exactly one gets it.
    fn last_of(&self, mut block: Arc<Block>) -> Option<Arc<Block>> {
        if Arc::get_mut(&mut block).is_some() {
            return Some(block);
        }
        if !self.keeps(Step::GraphKeepsBlocks) {
            let shelf = block.shelf()?;
            let Block { ptr, bytes, space, home, .. } = *block;
            let another = Block::new(ptr, bytes, space, &self.opening, home, &shelf);
            shelf.count(&another);
            return Some(Arc::new(another));
        }
        Arc::into_inner(block).map(Arc::new)
    }

    fn release_block(&self, block: Arc<Block>) {
        if block.bytes == 0 {
            return;
        }
        if block.is_borrowed() {
            return self.release_borrowed(block);
        }
        let home = match self.home(&block) {
            HomeStream::Open(home) => Some(home),
            HomeStream::Closed(_) | HomeStream::Gone => None,
        };
        if let Some(home) = &home {
            let only_home = block.tracker.lock().only(home.id);
            if only_home {
                return self.give_home(home, block);
            }
        }
        let mut awaits = Vec::new();
        let newest = block.tracker.lock().newest();
        for (stream, ticket) in newest {
            if home.as_ref().is_some_and(|home| home.id == stream) || !self.keeps(Step::ReuseEvent) {
                continue;
            }
            match self.point_after(stream, ticket) {
                Ok(Some(Point { event, ticket, .. })) => awaits.push(Awaited { stream, ticket, event }),
                Ok(None) => {}
                Err(_) if self.keeps(Step::ReleaseAgain) => return self.deferred.push(Dropped::Block(block)),
                Err(_) => {}
            }
        }
        if home.is_none() {
            // The home's end is among them: nothing is left to remember.
            block.tracker.lock().reset(None);
        }
        self.park(block, awaits);
    }

    fn home(&self, block: &Block) -> HomeStream<B> {
        match self.stream(block.home) {
            None => HomeStream::Gone,
            Some(home) if home.raw().is_some() => HomeStream::Open(home),
            Some(home) => HomeStream::Closed(home.final_event()),
        }
    }

    /// Keeps a block until what it waits for has occurred; if that is nothing, makes it reusable.
    fn park(&self, block: Arc<Block>, awaits: Vec<Awaited<B>>) {
        if let Some(block) = self.pool.parked.push(Parked { block, awaits }) {
            self.place(block);
        }
    }

    /// Keeps a block that only its closed home may still be using until the home's final event has occurred.
    fn park_until_end(&self, block: Arc<Block>, home: StreamId, event: Arc<EventCell<B>>) {
        block.tracker.lock().reset(None);
        self.park(block, vec![Awaited::end_of(home, event)]);
    }

    /// Makes a block reusable on its home stream. If that is closed meanwhile, the block waits for its final event.
    fn give_home(&self, home: &StreamCore<B>, block: Arc<Block>) {
        // `close_stream` leaves the final event before it closes the shelf.
        if let Err(block) = home.shelf.put(block, self.keeps(Step::ReuseEntry)) {
            match home.final_event() {
                Some(event) => self.park_until_end(block, home.id, event),
                None => self.give_nobody(block),
            }
        }
    }

    /// Moves parked blocks whose events have occurred to where they can be reused.
    fn unpark(&self) {
        let mut from = 0;
        while let Some((stream, event)) = self.pool.parked.front_from(from) {
            if self.has_occurred(&event) {
                let passed = self.pool.parked.pass(stream, &event);
                passed.into_iter().for_each(|Parked { block, awaits }| self.park(block, awaits));
                from = stream;
            } else {
                from = stream + 1;
            }
        }
    }

    /// Puts a block that only its home may still be using where it can be reused.
    fn place(&self, block: Arc<Block>) {
        let used = block.tracker.lock().newest_of(block.home) > 0;
        match self.home(&block) {
            HomeStream::Open(home) => self.give_home(&home, block),
            HomeStream::Closed(Some(event)) if used && !self.has_occurred(&event) => {
                let home = block.home;
                self.park_until_end(block, home, event);
            }
            HomeStream::Closed(_) | HomeStream::Gone => self.give_nobody(block),
        }
    }

    /// Whether an event has occurred; one that cannot be asked has not.
    pub(super) fn has_occurred(&self, event: &EventCell<B>) -> bool {
        event.raw().is_none_or(|event| self.backend.query(event).unwrap_or(false))
    }

    fn give_nobody(&self, block: Arc<Block>) {
        block.tracker.lock().reset(None);
        self.pool.idle.lock().push(block);
    }

    /// The last handle of a stream is gone: leaves a final event for those who must wait for its work.
    fn close_stream(&self, id: StreamId) {
        let Some(core) = self.stream(id) else { return };
        let Some(raw) = core.raw() else { return };
        let ticket = core.tail();
        let event = if self.keeps(Step::FinalEvent) {
            match self.record(&raw) {
                Ok(event) => Some(event),
                Err(_) => return self.deferred.push(Dropped::Stream(id)),
            }
        } else {
            None
        };
        *core.phase.lock() = Phase::Closed { event: event.clone(), ticket };
        let blocks = core.shelf.close();
        for block in blocks {
            match &event {
                Some(event) if self.keeps(Step::CachedAfterFinal) => self.park_until_end(block, id, event.clone()),
                _ => self.give_nobody(block),
            }
        }
        self.destroy_stream(raw);
    }

    fn destroy_stream(&self, raw: Arc<B::Stream>) {
        match Arc::try_unwrap(raw) {
            // A refusal leaks the stream; there is nobody to tell.
            Ok(raw) => drop(self.backend.destroy_stream(raw)),
            Err(raw) => self.deferred.push(Dropped::Raw(raw)),
        }
    }

    /// Forgets closed streams whose work has ended.
    pub(crate) fn forget_finished_streams(&self) {
        let closed: Vec<_> = self.streams.lock().values().filter(|s| s.raw().is_none()).cloned().collect();
        for core in closed {
            if core.final_event().is_none_or(|event| self.has_occurred(&event)) {
                self.streams.lock().remove(&core.id);
                let others: Vec<_> = self.streams.lock().values().cloned().collect();
                others.iter().for_each(|other| other.forget(core.id));
            }
        }
    }

    pub(crate) fn memory(&self) -> MemoryInfo {
        // A block that has a handle keeps its shelf alive.
        let in_use: usize = self.shelves.lock().iter().filter_map(Weak::upgrade).map(|shelf| shelf.in_use()).sum();
        MemoryInfo { in_use, cached: self.allocated.load(Ordering::Relaxed).saturating_sub(in_use) }
    }

    /// Gives all memory back. Whoever has the same physical device open may have a host function outstanding, for which a free could wait, and it for
    /// a call that waits for the free.
    fn free_at_last(&self) {
        let free = || {
            self.release_all_borrowed();
            let _ = self.free_cached();
        };
        #[cfg(not(test))]
        while self.gate.free(free).is_none() {
            // Nobody waits for this thread.
            std::thread::sleep(std::time::Duration::from_millis(1));
        }
        // The tests' devices run only when somebody waits.
        #[cfg(test)]
        free();
    }

    /// Releases everything, after all work has ended. Runs on a thread of its own, when no handle is left.
    pub(super) fn close(mut self) {
        // They hold raw streams, which are to be destroyed.
        self.peers.get_mut().clear();
        if self.lost.load(Ordering::Relaxed) {
            return;
        }
        // Twice, because a refusal leaves things to the next call and there is none: once the streams are closed all is known of
        // their work, and nothing has to be recorded any more.
        for _ in 0..2 {
            self.release_deferred();
            let open: Vec<_> = self.streams.lock().values().filter(|s| s.raw().is_some()).map(|s| s.id).collect();
            open.into_iter().for_each(|id| self.close_stream(id));
        }
        // Before anything is freed: a host function may still be running, and a free that waits for the device would hold up others.
        let last: Vec<_> = self.streams.lock().values().filter_map(|core| core.final_event()).collect();
        for event in last.iter().filter_map(|event| event.raw()) {
            if self.backend.synchronize_event(event).is_err() {
                // The device is beyond use: what is left is leaked.
                return;
            }
        }
        drop(last);
        let retired = std::mem::take(&mut *self.retired.lock());
        retired.into_iter().for_each(|(graph, _)| self.backend.destroy_graph(graph));
        self.free_at_last();
        let streams = std::mem::take(&mut *self.streams.lock());
        drop(streams);
        self.release_deferred();
    }
}

/// Whether a block's home can still reuse it.
enum HomeStream<B: Backend> {
    Open(Arc<StreamCore<B>>),
    /// With the final event, if there is one.
    Closed(Option<Arc<EventCell<B>>>),
    /// All its work has ended.
    Gone,
}

#[cfg(test)]
impl<B: Backend> Inner<B> {
    /// The number of streams not yet forgotten.
    pub(crate) fn known_streams(&self) -> usize {
        self.streams.lock().len()
    }
}

//! What programs are made of, and how they are drawn.

use proptest::prelude::*;

pub(crate) const STREAMS: usize = 4;
pub(super) const BUFFERS: usize = 5;
pub(super) const PINNED: usize = 2;
pub(super) const EVENTS: usize = 3;
pub(super) const GRAPHS: usize = 2;

/// What a program does. Indices name slots and are taken modulo their number; an action on an empty slot does nothing.
#[derive(Clone, Debug)]
pub(crate) enum Action {
    NewStream(usize),
    CloneStream(usize, usize),
    DropStream(usize),
    /// Drops a stream's handle inside a host function of another.
    DropStreamInHostFn(usize, usize),
    /// (buffer, stream, length)
    Alloc(usize, usize, usize),
    FromSlice(usize, usize, usize, u8),
    DropBuffer(usize),
    DropBufferInHostFn(usize, usize),
    /// (buffer, stream, part, value)
    Write(usize, usize, Part, u8),
    Fill(usize, usize, Part, u8),
    /// Writes every second element of a part.
    FillEven(usize, usize, Part, u8),
    Read(usize, usize, Part),
    /// (from, to, stream, part, offset)
    Copy(usize, usize, usize, Part, usize),
    /// Copies the first half of a buffer over the second.
    CopyWithin(usize, usize),
    /// Reads a buffer that the threads share, or copies from it.
    ReadShared(usize, usize),
    CopyShared(usize, usize, usize),
    Record(usize, usize),
    Wait(usize, usize),
    QueryEvent(usize),
    SynchronizeEvent(usize),
    HostFn(usize),
    /// A host function that waits for something the program does later.
    HeldHostFn(usize),
    PanickingHostFn(usize),
    Pinned(usize, usize, usize),
    PinnedWrite(usize, u8),
    PinnedRead(usize),
    /// (buffer, pinned, stream)
    Upload(usize, usize, usize),
    Download(usize, usize, usize),
    DropPinned(usize),
    /// (graph, stream, calls)
    RecordGraph(usize, usize, Vec<Call>),
    /// Changes the value of the first fill in a graph.
    SetScalar(usize, u8),
    /// (graph, stream)
    Launch(usize, usize),
    /// Launches a graph that changes a buffer which the threads share, and changes it back.
    LaunchShared(usize),
    DropGraph(usize),
    DropGraphInHostFn(usize, usize),
    Synchronize(usize),
    Trim,
    Refuse(Refusal),
}

/// A call that is recorded.
#[derive(Clone, Debug)]
pub(crate) enum Call {
    Fill(usize, Part, u8),
    /// (from, to, part, offset)
    Copy(usize, usize, Part, usize),
    /// Copies all that fits by way of a temporary.
    CopyByTemporary(usize, usize),
    /// (buffer, pinned)
    Upload(usize, usize),
    Download(usize, usize),
}

/// A part of a buffer, in 1/256 of its length.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part(u8, u8);

#[derive(Clone, Copy, Debug)]
pub(crate) enum Refusal {
    Record,
    Wait,
    Query,
    Full,
    Late,
    Free,
    Instantiate,
    Update,
}

impl Part {
    pub(super) const ALL: Part = Part(0, 255);

    pub(super) fn of(self, len: usize) -> (usize, usize) {
        let cut = |at: u8| (usize::from(at) * len).div_ceil(255);
        let (a, b) = (cut(self.0), cut(self.1));
        (a.min(b), a.max(b))
    }
}

fn part() -> impl Strategy<Value = Part> {
    prop_oneof![2 => Just(Part::ALL), 1 => Just(Part(0, 127)), 1 => Just(Part(127, 255)),
        2 => (any::<u8>(), any::<u8>()).prop_map(|(a, b)| Part(a, b))]
}

pub(crate) fn action() -> impl Strategy<Value = Action> {
    use Action::*;
    let (s, b, p, e) = (0..STREAMS, 0..BUFFERS, 0..PINNED, 0..EVENTS);
    let (s, b, p, e) = (move || s.clone(), move || b.clone(), move || p.clone(), move || e.clone());
    // Few sizes, so that memory is reused.
    let len = || prop_oneof![6 => Just(200usize), 2 => Just(256), 1 => Just(300), 1 => 0..3usize];
    let v = any::<u8>;
    let refusal = prop_oneof![
        Just(Refusal::Record),
        Just(Refusal::Wait),
        Just(Refusal::Query),
        Just(Refusal::Full),
        Just(Refusal::Late),
        Just(Refusal::Free),
        Just(Refusal::Instantiate),
        Just(Refusal::Update)
    ];
    let streams = prop_oneof![
        4 => s().prop_map(NewStream), 1 => (s(), s()).prop_map(|(a, c)| CloneStream(a, c)),
        4 => s().prop_map(DropStream), 1 => (s(), s()).prop_map(|(a, c)| DropStreamInHostFn(a, c)),
        4 => (s(), e()).prop_map(|(s, e)| Record(s, e)), 4 => (s(), e()).prop_map(|(s, e)| Wait(s, e)),
        1 => e().prop_map(QueryEvent), 1 => e().prop_map(SynchronizeEvent),
        3 => s().prop_map(HostFn), 8 => s().prop_map(HeldHostFn), 1 => s().prop_map(PanickingHostFn),
        2 => s().prop_map(Synchronize), 3 => Just(Trim), 3 => refusal.prop_map(Refuse)
    ];
    let buffers = prop_oneof![
        4 => (b(), s(), len()).prop_map(|(b, s, n)| Alloc(b, s, n)),
        2 => (b(), s(), len(), v()).prop_map(|(b, s, n, v)| FromSlice(b, s, n, v)),
        4 => b().prop_map(DropBuffer), 1 => (b(), s()).prop_map(|(b, s)| DropBufferInHostFn(b, s)),
        2 => (b(), s(), part(), v()).prop_map(|(b, s, p, v)| Write(b, s, p, v)),
        6 => (b(), s(), part(), v()).prop_map(|(b, s, p, v)| Fill(b, s, p, v)),
        1 => (b(), s(), part(), v()).prop_map(|(b, s, p, v)| FillEven(b, s, p, v)),
        4 => (b(), s(), part()).prop_map(|(b, s, p)| Read(b, s, p)),
        8 => (b(), b(), s(), part(), any::<u8>()).prop_map(|(a, b, s, p, at)| Copy(a, b, s, p, at.into())),
        1 => (b(), s()).prop_map(|(b, s)| CopyWithin(b, s)),
        1 => (b(), s()).prop_map(|(b, s)| ReadShared(b, s)),
        2 => (b(), b(), s()).prop_map(|(a, b, s)| CopyShared(a, b, s))
    ];
    let pinned = prop_oneof![
        1 => (p(), s(), len()).prop_map(|(p, s, n)| Pinned(p, s, n)), 1 => (p(), v()).prop_map(|(p, v)| PinnedWrite(p, v)),
        1 => p().prop_map(PinnedRead), 2 => (b(), p(), s()).prop_map(|(b, p, s)| Upload(b, p, s)),
        2 => (b(), p(), s()).prop_map(|(b, p, s)| Download(b, p, s)), 1 => p().prop_map(DropPinned)
    ];
    let g = || 0..GRAPHS;
    let call = prop_oneof![
        3 => (b(), part(), v()).prop_map(|(b, p, v)| Call::Fill(b, p, v)),
        3 => (b(), b(), part(), any::<u8>()).prop_map(|(a, b, p, at)| Call::Copy(a, b, p, at.into())),
        2 => (b(), b()).prop_map(|(a, b)| Call::CopyByTemporary(a, b)),
        1 => (b(), p()).prop_map(|(b, p)| Call::Upload(b, p)),
        1 => (b(), p()).prop_map(|(b, p)| Call::Download(b, p))
    ];
    let graphs = prop_oneof![
        4 => (g(), s(), proptest::collection::vec(call, 0..5)).prop_map(|(g, s, calls)| RecordGraph(g, s, calls)),
        2 => (g(), v()).prop_map(|(g, v)| SetScalar(g, v)), 8 => (g(), s()).prop_map(|(g, s)| Launch(g, s)),
        2 => s().prop_map(LaunchShared), 1 => g().prop_map(DropGraph),
        1 => (g(), s()).prop_map(|(g, s)| DropGraphInHostFn(g, s))
    ];
    prop_oneof![4 => streams, 6 => buffers, 1 => pinned, 3 => graphs]
}

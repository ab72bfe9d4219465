//! How long an edit takes until the next frame is posed: 60 bones, 300 paths of 17 cubics and 8 clips, with
//! typed weights and with found ones. A rig is compiled from the document of the edit by a compiler that knows
//! the one before; `session_` are the figures of a tool, with its texts.

mod puppet;

use std::path::Path;
use std::sync::Arc;

use bone_drawing::Drawing;
use bone_format::doc::{BindingDoc, RigDoc};
use bone_format::session::{DocPath, Edit, Session};
use bone_format::span::SourceId;
use bone_format::write::{Comments, Digits, write};
use bone_format::{Compiler, Diagnostics, Disk, InMemory, load, no_fonts, read};
use bone_rig::{FrameState, Rig};
use divan::{Bencher, black_box};
use puppet::Bound;

const BOUND: [Bound; 2] = [Bound::Explicit, Bound::Smooth];

fn main() {
    divan::main();
}

/// A document that is edited to and fro.
struct Editing {
    drawing: Arc<Drawing>,
    docs: [RigDoc; 2],
    compiler: Compiler,
    state: Option<FrameState>,
    next: usize,
}

impl Editing {
    fn new(bound: Bound, edit: impl FnOnce(&mut RigDoc)) -> Self {
        Self::of(Arc::new(puppet::drawing()), document(bound), edit)
    }

    fn of(drawing: Arc<Drawing>, doc: RigDoc, edit: impl FnOnce(&mut RigDoc)) -> Self {
        let mut edited = doc.clone();
        edit(&mut edited);
        let (docs, compiler) = ([doc, edited], Compiler::new());
        let mut editing = Self { drawing, docs, compiler, state: None, next: 0 };
        editing.compile(0);
        editing.next = 1;
        editing
    }

    /// From a document to a posed frame.
    fn compile(&mut self, doc: usize) -> Rig {
        let mut found = Diagnostics::new();
        let doc = black_box(&self.docs[doc]);
        self.compiler.check(doc, &mut found);
        let rig = self.compiler.compile(doc, &self.drawing, SourceId::default(), &mut found);
        let rig = rig.unwrap_or_else(|| panic!("{:?}", found.iter().next()));
        match &mut self.state {
            Some(state) => state.renew(&rig),
            None => self.state = Some(FrameState::new(&rig)),
        }
        let state = self.state.as_mut().expect("just made");
        rig.pose(rig.clips().first(), 0.3, state).expect("a pose");
        rig
    }

    /// The next document, of which the compiler has not been told anything.
    fn edit(&mut self) -> Rig {
        let rig = self.compile(self.next);
        self.next = 1 - self.next;
        rig
    }
}

/// The document as it is read: the values of one that has no text are checked, too.
fn document(bound: Bound) -> RigDoc {
    let text = write(&puppet::document(bound), &Comments::new(), Digits::default());
    read(SourceId::default(), &text, &mut Diagnostics::new()).expect("a sound text")
}

fn turn_a_key(doc: &mut RigDoc) {
    let rotate = doc.clips[3].bones[7].values.number_mut(bone_core::clip::Scalar::Rotate).expect("a channel");
    rotate.keys[4].value.value += 5.0;
}

#[divan::bench(args = BOUND, sample_count = 10, sample_size = 1)]
fn first_load(bencher: Bencher<'_, '_>, bound: Bound) {
    let (drawing, doc) = (Arc::new(puppet::drawing()), document(bound));
    bencher.bench_local(|| Editing::of(Arc::clone(&drawing), black_box(&doc).clone(), |_| ()));
}

#[divan::bench(args = BOUND)]
fn key(bencher: Bencher<'_, '_>, bound: Bound) {
    let mut editing = Editing::new(bound, turn_a_key);
    bencher.bench_local(|| editing.edit());
}

/// The key of before again.
#[divan::bench(args = BOUND)]
fn undo(bencher: Bencher<'_, '_>, bound: Bound) {
    let mut editing = Editing::new(bound, turn_a_key);
    editing.edit();
    bencher.bench_local(|| editing.edit());
}

/// Each time another place: the limb of the bone, 50 of 300 paths, is bound again.
#[divan::bench(args = BOUND, sample_count = 20, sample_size = 1)]
fn bone(bencher: Bencher<'_, '_>, bound: Bound) {
    let mut editing = Editing::new(bound, |_| ());
    let mut by = 0.0;
    bencher.bench_local(|| {
        by += 0.01;
        let from = editing.docs[0].bones[10].from.as_mut().expect("the first bone of a limb");
        from.value.x += by;
        editing.compile(0)
    });
}

/// Each time another weight of one vertex.
#[divan::bench(sample_count = 100, sample_size = 1)]
fn weights(bencher: Bencher<'_, '_>) {
    let mut editing = Editing::new(Bound::Explicit, |_| ());
    let mut weight = 1.0;
    bencher.bench_local(|| {
        weight += 0.01;
        let BindingDoc::Explicit(explicit) = &mut editing.docs[0].skin[100] else {
            unreachable!("typed weights")
        };
        explicit.weights[3].weights.list[0].1.value = weight;
        editing.compile(0)
    });
}

/// The text read anew, which comes before an edit of a text: not in the other figures.
#[divan::bench(args = BOUND)]
fn reading(bencher: Bencher<'_, '_>, bound: Bound) {
    let text = write(&puppet::document(bound), &Comments::new(), Digits::default());
    bencher.bench_local(|| read(SourceId::default(), black_box(&text), &mut Diagnostics::new()));
}

/// A session and what shows its frames, with every step that a tool waits for: texts written, read back,
/// checked, compiled, posed.
struct Tool {
    session: Session,
    state: FrameState,
}

impl Tool {
    fn new(bound: Bound) -> Self {
        let text = write(&puppet::document(bound), &Comments::new(), Digits::default());
        let files = InMemory::new().with("puppet.ron", text).with("puppet.svg", puppet::svg());
        let session = Session::open("puppet.ron", Arc::new(files), no_fonts);
        let state = FrameState::new(session.rig().expect("a sound rig"));
        Self { session, state }
    }

    fn show(&mut self) {
        let rig = self.session.rig().expect("a sound rig");
        self.state.renew(rig);
        rig.pose(rig.clips().first(), 0.3, &mut self.state).expect("a pose");
    }
}

/// Each time another angle.
#[divan::bench(args = BOUND)]
fn session_key(bencher: Bencher<'_, '_>, bound: Bound) {
    let mut tool = Tool::new(bound);
    let doc = tool.session.doc().expect("a document");
    let (clip, bone) = (&doc.clips[3], &doc.clips[3].bones[7]);
    let time = bone.values.number(bone_core::clip::Scalar::Rotate).expect("a channel").keys[4].time.value;
    let channel = DocPath::channel(&clip.name.value, &bone.bone.value, "rotate");
    let mut angle = 0.0;
    bencher.bench_local(|| {
        angle += 0.25;
        tool.session.apply(&Edit::key(channel.clone(), time, angle)).expect("an edit");
        tool.show();
    });
}

/// Undone and done again.
#[divan::bench(args = BOUND)]
fn session_undo(bencher: Bencher<'_, '_>, bound: Bound) {
    let mut tool = Tool::new(bound);
    let doc = tool.session.doc().expect("a document");
    let (clip, bone) = (&doc.clips[3], &doc.clips[3].bones[7]);
    let channel = DocPath::channel(&clip.name.value, &bone.bone.value, "rotate");
    tool.session.apply(&Edit::key(channel, 0.01, 3.0)).expect("an edit");
    let mut done = true;
    bencher.bench_local(|| {
        let step = if done { tool.session.undo() } else { tool.session.redo() };
        step.expect("a sound text").expect("a step");
        done = !done;
        tool.show();
    });
}

/// A key of a clip of `chain`, whose other clips keep their baked springs.
#[divan::bench]
fn key_beside_springs(bencher: Bencher<'_, '_>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/chain/rig.ron");
    let loaded = load(&path, Arc::new(Disk), &no_fonts);
    let (rig, mut doc) = (loaded.rig.expect("a sound rig"), loaded.doc.expect("a document"));
    let other = bone_format::doc::ClipDoc { name: "other".to_owned().into(), ..doc.clips[0].clone() };
    doc.clips.push(other);
    let mut editing = Editing::of(Arc::new(rig.art().clone()), doc, |doc| {
        let last = doc.clips.len() - 1;
        let key = doc.clips[last]
            .bones
            .iter_mut()
            .find_map(|bone| bone.values.number_mut(bone_core::clip::Scalar::Rotate)?.keys.first_mut());
        key.expect("a key").value.value += 1.0;
    });
    bencher.bench_local(|| editing.edit());
}

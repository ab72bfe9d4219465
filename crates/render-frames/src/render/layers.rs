//! Frames in layers: files of programs that paint, and PNG files of each layer with their order beside them.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex, PoisonError};

use bone_drawing::{
    BlendMode, ElementId, ElementKind, Frame, LayerItem, LayerLook, LayerNote, LayerStack, PaintedLayer,
    Skipped,
};
use bone_export::{ExportError, FormatKind, LayerWriter, PixelSize};
use bone_render::{DrawReport, Encoding, FrameContent, FrameEncoder, Pixmap, Renderer, WholeFile};
use bone_rig::{FrameState, RigClip};
use serde_json::{Value, json};

use super::plan::{PlannedClip, PlannedFrame, RenderPlan};
use super::{RenderFailure, RenderResult, Tally, in_frame};
use crate::args::{Existing, RenderArgs};
use crate::files::Inputs;
use crate::interrupt;
use crate::output::{FrameTarget, LAYER, file_word};
use crate::pool::Pool;
use crate::progress::Progress;
use crate::report::print_line;

/// A layer in all frames of a clip; none is the background.
type LayerKey = Option<(Option<ElementId>, usize)>;

/// Divides the drawing, finds the names of all files, and writes the frames.
///
/// # Errors
/// If a group is not in the drawing, or a file would replace what the frames are made of or what stays.
pub(super) fn write_all(
    plan: &RenderPlan<'_>,
    args: &RenderArgs,
    inputs: &Inputs,
    progress: &Progress,
) -> Result<RenderResult, String> {
    LayerJob::new(plan, args, inputs).map(|job| job.write(progress))
}

/// How the layers of a plan are written.
struct LayerJob<'a> {
    plan: &'a RenderPlan<'a>,
    /// The groups whose content is divided.
    opened: Vec<ElementId>,
    output: LayerOutput,
    notes: Mutex<BTreeSet<LayerNote>>,
    quiet: bool,
}

enum LayerOutput {
    /// A file for each frame.
    Pictures {
        writer: fn(PixelSize) -> Result<Box<dyn LayerWriter>, ExportError>,
        has: fn(BlendMode) -> bool,
    },
    /// Of each clip, files for each layer.
    Files(Vec<LayerFiles>),
}

/// The files of the layers of a clip.
struct LayerFiles {
    targets: Vec<FrameTarget>,
    index: BTreeMap<LayerKey, usize>,
    /// Where the order of the layers is written, and what.
    order: (PathBuf, Value),
}

/// The files of a frame.
type WrittenFiles = Vec<(PathBuf, Vec<u8>)>;

impl<'a> LayerJob<'a> {
    fn new(plan: &'a RenderPlan<'a>, args: &RenderArgs, inputs: &Inputs) -> Result<Self, String> {
        if plan.overlay.is_some() {
            return Err("--overlay draws on whole frames, and these are in layers".to_owned());
        }
        if plan.samples > 1 {
            return Err("--samples takes means of whole frames, which those of layers are not: leave it out"
                .to_owned());
        }
        let drawing = plan.scene.posable().drawing();
        let mut opened = Vec::new();
        for name in &args.layers {
            let found = drawing.find(name).map_err(|error| format!("--layers {name}: {error}"))?;
            let is_group = drawing.element(found).is_some_and(|element| element.kind == ElementKind::Group);
            if !is_group || drawing.node_of(found).is_none() {
                return Err(format!("--layers {name}: this is not a group that is drawn"));
            }
            opened.push(found);
        }
        let output = match plan.format.map(|format| format.kind) {
            Some(FormatKind::Layers { writer, has }) => {
                let size = PixelSize { width: plan.view.size.width(), height: plan.view.size.height() };
                // Found before the first frame.
                writer(size).map_err(|error| error.to_string())?;
                LayerOutput::Pictures { writer, has }
            }
            _ => LayerOutput::Files(Vec::new()),
        };
        let mut job = Self { plan, opened, output, notes: Mutex::default(), quiet: args.quiet };
        if matches!(job.output, LayerOutput::Files(_)) {
            let files = plan.planned_clips.iter().map(|planned| job.files(args, planned));
            let files = files.collect::<Result<Vec<_>, _>>()?;
            for (planned, files) in plan.planned_clips.iter().zip(&files) {
                files.check(plan, planned, args.existing, inputs)?;
            }
            job.output = LayerOutput::Files(files);
        }
        Ok(job)
    }

    /// The layers of a posed frame.
    fn layers(&self, state: &FrameState) -> LayerStack {
        let has = match self.output {
            LayerOutput::Pictures { has, .. } => has,
            LayerOutput::Files(_) => |_| true,
        };
        let layers = self.plan.scene.posable().drawing().layers(state.frame(), &self.opened, has);
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        notes.extend(layers.notes.iter().cloned());
        layers
    }

    /// Whether the first layer of a frame is the background.
    fn has_background(&self, layers: &LayerStack) -> bool {
        let has_it = |item: &LayerItem| matches!(item, LayerItem::Layer(layer) if layer.with_background);
        self.plan.view.background.is_some() && !layers.items.first().is_some_and(has_it)
    }

    /// The files of a clip: a layer that is in one of its frames has a file for all of them.
    fn files(&self, args: &RenderArgs, planned: &PlannedClip<'_>) -> Result<LayerFiles, String> {
        let plan = self.plan;
        let several = plan.planned_clips.len() > 1;
        let mut state = FrameState::new(plan.scene);
        let (mut words, mut targets, mut index) = (BTreeSet::new(), Vec::new(), BTreeMap::new());
        let order = order_file(&args.output, planned.name(), several);
        let folder = order.parent().unwrap_or(Path::new("")).to_owned();
        let mut frames = Vec::new();
        let mut orders = BTreeSet::new();
        for frame in &planned.frames {
            let posed =
                plan.scene.pose_with(planned.clip, plan.fps.time(*frame), &plan.overrides, &mut state);
            posed.map_err(|error| error.to_string())?;
            let layers = self.layers(&state);
            let number = frame.saturating_add(plan.start_number);
            let mut order = Vec::new();
            let mut add = |key: LayerKey, name: &str| -> Result<String, String> {
                let at = match index.get(&key) {
                    Some(at) => *at,
                    None => {
                        let word = layer_word(name, &mut words);
                        let output = args.output.replace(LAYER, &word);
                        targets.push(FrameTarget::parse(&output, planned.name(), several, args.format)?);
                        index.insert(key, targets.len() - 1);
                        targets.len() - 1
                    }
                };
                order.push(at);
                let path = targets[at].path(number);
                let path = path.strip_prefix(&folder).unwrap_or(&path);
                Ok(path.display().to_string().replace(std::path::MAIN_SEPARATOR, "/"))
            };
            let mut stacks: Vec<(Value, Vec<Value>)> = vec![(Value::Null, Vec::new())];
            if self.has_background(&layers) {
                let look = background_look();
                let file = add(None, &look.name)?;
                stacks[0].1.push(described(&look, "file", file.into()));
            }
            for item in &layers.items {
                match item {
                    LayerItem::Open(look) => {
                        stacks.push((described(look, "layers", Value::Null), Vec::new()))
                    }
                    LayerItem::Layer(layer) => {
                        let file = add(Some(layer.key), &layer.look.name)?;
                        if let Some((_, list)) = stacks.last_mut() {
                            list.push(described(&layer.look, "file", file.into()));
                        }
                    }
                    LayerItem::Close => {
                        if let Some((mut stack, list)) = stacks.pop()
                            && let Some((_, around)) = stacks.last_mut()
                        {
                            stack["layers"] = list.into();
                            around.push(stack);
                        }
                    }
                }
            }
            orders.insert(order);
            let list: Vec<Value> = stacks.pop().map(|(_, list)| list).unwrap_or_default();
            frames.push(json!({ "frame": frame, "number": number, "layers": list }));
        }
        if orders.len() > 1 && !self.quiet {
            print_line(&format!(
                "note: the layers of \"{}\" or their order change from frame to frame, as {} lists",
                planned.name(),
                order.display()
            ));
        }
        let clip = planned.clip.map(RigClip::name);
        let (width, height) = (plan.view.size.width(), plan.view.size.height());
        let text = json!({
            "clip": clip, "fps": plan.fps.get(), "width": width, "height": height, "frames": frames,
        });
        Ok(LayerFiles { targets, index, order: (order, text) })
    }

    /// Writes all frames.
    fn write(&self, progress: &Progress) -> RenderResult {
        let plan = self.plan;
        let stop = interrupt::flag();
        let tally = Mutex::new(Tally::default());
        let failed =
            |planned: PlannedFrame<'_>, message: String| RenderFailure::Words(in_frame(planned, &message));
        let make = |scratch: &mut Option<LayerScratch>, at: usize, _: &mut Vec<u8>| {
            let planned = plan.planned_frame(at);
            let scratch = scratch.get_or_insert_with(|| LayerScratch::new(plan));
            self.frame(scratch, planned).map_err(|message| failed(planned, message))
        };
        let hand_over = |at: usize, (files, report): (WrittenFiles, DrawReport), _: &[u8]| {
            let planned = plan.planned_frame(at);
            let mut bytes = 0;
            for (path, content) in &files {
                bytes += keep(path, content).map_err(|message| failed(planned, message))?;
            }
            let mut tally = tally.lock().unwrap_or_else(PoisonError::into_inner);
            tally.frames += 1;
            tally.bytes += bytes;
            tally.skipped += u64::from(report.skipped != Skipped::default() || report.left_out > 0);
            let path = planned.planned.target.path(planned.number);
            progress.frame(planned.planned.name(), planned.frame, &path, bytes);
            Ok(())
        };
        let pool = Pool { tasks: plan.count(), jobs: plan.jobs, ordered: false, stop: &stop };
        let mut trouble = pool.run(|| None, make, hand_over).err().map(|(_, trouble)| trouble);
        let interrupted = stop.load(Ordering::Relaxed);
        if let (None, false, LayerOutput::Files(clips)) = (&trouble, interrupted, &self.output) {
            let written = clips.iter().try_for_each(|LayerFiles { order: (path, text), .. }| {
                keep(path, format!("{text:#}\n").as_bytes()).map(drop)
            });
            trouble = written.err().map(RenderFailure::Words);
        }
        let notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        for note in notes.iter().filter(|_| !self.quiet) {
            print_line(&self.text(note));
        }
        let tally = tally.into_inner().unwrap_or_else(PoisonError::into_inner);
        RenderResult { tally, trouble, interrupted }
    }

    fn text(&self, note: &LayerNote) -> String {
        match note {
            LayerNote::Whole { name, reason } => {
                format!("note: \"{name}\" is one layer, because {reason} is for all that is in it")
            }
            LayerNote::Apart { name, blend } => format!(
                "note: \"{name}\" has a layer of its own, because it is blended ({blend}) with what is behind it"
            ),
            LayerNote::Merged { name, blend } => format!(
                "note: what is behind \"{name}\" is one layer with it, because {} has no {blend}",
                self.plan.format.map_or("the file", |format| format.name)
            ),
            _ => String::new(),
        }
    }

    /// Draws a frame, and makes its files.
    fn frame(
        &self,
        scratch: &mut LayerScratch,
        planned: PlannedFrame<'_>,
    ) -> Result<(WrittenFiles, DrawReport), String> {
        let plan = self.plan;
        let posed =
            plan.scene.pose_with(planned.planned.clip, planned.time, &plan.overrides, &mut scratch.state);
        posed.map_err(|error| error.to_string())?;
        let layers = self.layers(&scratch.state);
        scratch.frame.clone_from(scratch.state.frame());
        scratch.report = DrawReport::default();
        let files = match &self.output {
            LayerOutput::Pictures { writer, .. } => {
                let size = PixelSize { width: plan.view.size.width(), height: plan.view.size.height() };
                let mut writer = writer(size).map_err(|error| error.to_string())?;
                self.picture(scratch, &layers, &mut *writer)
                    .map(|bytes| vec![(planned.planned.target.path(planned.number), bytes)])?
            }
            LayerOutput::Files(clips) => {
                let files = &clips[planned.clip_index];
                let mut shown: BTreeMap<usize, &PaintedLayer> = BTreeMap::new();
                for item in &layers.items {
                    if let LayerItem::Layer(layer) = item
                        && let Some(at) = files.index.get(&Some(layer.key))
                    {
                        shown.insert(*at, layer);
                    }
                }
                let background = files.index.get(&None).filter(|_| self.has_background(&layers));
                let mut made = Vec::with_capacity(files.targets.len());
                for (at, target) in files.targets.iter().enumerate() {
                    match shown.get(&at) {
                        Some(layer) => scratch.draw(plan, layer)?,
                        None => scratch.fill(plan, background == Some(&at))?,
                    }
                    let mut bytes = Vec::new();
                    scratch.encode(plan.encoding, &mut bytes)?;
                    made.push((target.path(planned.number), bytes));
                }
                made
            }
        };
        Ok((files, scratch.report))
    }

    /// The bytes of a picture in layers.
    fn picture(
        &self,
        scratch: &mut LayerScratch,
        layers: &LayerStack,
        writer: &mut dyn LayerWriter,
    ) -> Result<Vec<u8>, String> {
        let plan = self.plan;
        let failed = |error: ExportError| error.to_string();
        let mut pixels = Vec::new();
        if self.has_background(layers) {
            scratch.fill(plan, true)?;
            scratch.encode(Encoding::Rgba, &mut pixels)?;
            writer.layer(&background_look(), &pixels).map_err(failed)?;
        }
        for item in &layers.items {
            match item {
                LayerItem::Open(look) => writer.open(look).map_err(failed)?,
                LayerItem::Layer(layer) => {
                    scratch.draw(plan, layer)?;
                    scratch.encode(Encoding::Rgba, &mut pixels)?;
                    writer.layer(&layer.look, &pixels).map_err(failed)?;
                }
                LayerItem::Close => writer.close().map_err(failed)?,
            }
        }
        let pixmap = pixmap(&mut scratch.pixmap, plan)?;
        let drawn = plan.scene.draw_into(&mut scratch.state, &plan.view, pixmap.data_mut());
        scratch.report = drawn.map_err(|error| error.to_string())?;
        scratch.encode(Encoding::Rgba, &mut pixels)?;
        writer.finish(&pixels).map_err(failed)
    }
}

impl LayerFiles {
    /// Fails if a file would replace what the frames are made of or what stays, and creates the folders.
    fn check(
        &self,
        plan: &RenderPlan<'_>,
        planned: &PlannedClip<'_>,
        existing: Existing,
        inputs: &Inputs,
    ) -> Result<(), String> {
        let numbers = planned.frames.iter().map(|frame| frame.saturating_add(plan.start_number));
        let frames = numbers.flat_map(|number| self.targets.iter().map(move |target| target.path(number)));
        for path in frames.chain([self.order.0.clone()]) {
            inputs.check(&path, "frames")?;
            if existing == Existing::Error && path.symlink_metadata().is_ok() {
                return Err(format!("{} exists already, and --existing is error", path.display()));
            }
        }
        Ok(())
    }
}

/// The memory of one thread.
struct LayerScratch {
    state: FrameState,
    frame: Frame,
    renderer: Renderer,
    encoder: FrameEncoder,
    pixmap: Option<Pixmap>,
    report: DrawReport,
}

impl LayerScratch {
    fn new(plan: &RenderPlan<'_>) -> Self {
        Self {
            state: FrameState::new(plan.scene),
            frame: Frame::default(),
            renderer: Renderer::new(),
            encoder: FrameEncoder::new(),
            pixmap: None,
            report: DrawReport::default(),
        }
    }

    /// Draws a layer of the frame.
    fn draw(&mut self, plan: &RenderPlan<'_>, layer: &PaintedLayer) -> Result<(), String> {
        let visibilities = self.frame.visibilities.clone();
        let drawing = Arc::new(plan.scene.posable().drawing().of_layer(layer, &mut self.frame));
        let mut view = plan.view;
        view.background = view.background.filter(|_| layer.with_background);
        let pixmap = pixmap(&mut self.pixmap, plan)?;
        let drawn = self.renderer.draw_into(&drawing, &self.frame, &view, pixmap.data_mut());
        self.frame.visibilities = visibilities;
        let drawn = drawn.map_err(|error| error.to_string())?;
        self.report.left_out += drawn.left_out;
        Ok(())
    }

    /// Fills the frame with the background, or with nothing.
    fn fill(&mut self, plan: &RenderPlan<'_>, background: bool) -> Result<(), String> {
        let pixmap = pixmap(&mut self.pixmap, plan)?;
        pixmap.data_mut().fill(0);
        bone_render::fill_background(pixmap, plan.view.background.filter(|_| background));
        Ok(())
    }

    fn encode(&mut self, encoding: Encoding, bytes: &mut Vec<u8>) -> Result<(), String> {
        let pixmap = self.pixmap.as_ref().ok_or("there is no frame")?;
        let encoded = self.encoder.encode(encoding, FrameContent::Pixels(pixmap), bytes);
        encoded.map_err(|error| error.to_string())
    }
}

fn pixmap<'p>(pixmap: &'p mut Option<Pixmap>, plan: &RenderPlan<'_>) -> Result<&'p mut Pixmap, String> {
    match pixmap {
        Some(pixmap) => Ok(pixmap),
        none => {
            let size = plan.view.size;
            let new = Pixmap::new(size.width(), size.height()).ok_or("there is no memory for the frame")?;
            Ok(none.insert(new))
        }
    }
}

/// Writes a file, whole or not at all, and creates its folder. Returns its bytes.
fn keep(path: &Path, content: &[u8]) -> Result<u64, String> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)
            .map_err(|error| format!("the folder {} cannot be created: {error}", folder.display()))?;
    }
    let mut file = WholeFile::create(path).map_err(|error| error.to_string())?;
    file.write_all(content).map_err(|error| file.error(error).to_string())?;
    file.finish().map_err(|error| error.to_string())
}

fn background_look() -> LayerLook {
    LayerLook { name: "background".to_owned(), opacity: 1.0, blend: BlendMode::Normal }
}

fn described(LayerLook { name, opacity, blend }: &LayerLook, with: &str, value: Value) -> Value {
    json!({ "name": name, "opacity": opacity, "blend": blend.name(), with: value })
}

/// Where the order of the layers of a clip is written: beside the files or folders of layers.
fn order_file(output: &str, clip: &str, several: bool) -> PathBuf {
    let before = output.split_once(LAYER).map_or(output, |(before, _)| before);
    let folder = before.rfind(['/', std::path::MAIN_SEPARATOR]).map_or("", |slash| &before[..=slash]);
    let name = match several && !folder.contains("{clip}") {
        true => "{clip}-layers.json",
        false => "layers.json",
    };
    crate::output::path_of(&format!("{folder}{name}").replace("{clip}", &file_word(clip)))
}

/// The name of a layer as a part of that of a file, which no other layer has, also where upper and lower case are
/// the same.
fn layer_word(name: &str, words: &mut BTreeSet<String>) -> String {
    let word = file_word(name);
    // Braces are placeholders, a dot in front hides files, and Windows has none of these at the end.
    let word: String = word.chars().map(|c| if "{}".contains(c) { '_' } else { c }).collect();
    let word = word.trim_end_matches(['.', ' ']).trim_start();
    let word = match word.strip_prefix('.') {
        Some(rest) => format!("_{rest}"),
        None if word.is_empty() => "layer".to_owned(),
        None => word.to_owned(),
    };
    let mut unique = word.clone();
    let mut number = 1;
    while !words.insert(unique.to_lowercase()) {
        number += 1;
        unique = format!("{word}-{number}");
    }
    unique
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_layers_are_safe_and_unique() {
        let mut words = BTreeSet::new();
        let mut word = |name: &str| layer_word(name, &mut words);
        assert_eq!(word("body"), "body");
        assert_eq!(word("Body"), "Body-2");
        assert_eq!(word("body"), "body-3");
        assert_eq!(word(""), "layer");
        assert_eq!(word("  "), "layer-2");
        assert_eq!(word(".."), "__");
        assert_eq!(word("../../etc/passwd"), "_._.._etc_passwd");
        assert_eq!(word("/a\\b:c"), "_a_b_c");
        assert_eq!(word(".git"), "_git");
        assert_eq!(word("a. ."), "a");
        assert_eq!(word("{clip}#{layer}"), "_clip___layer_");
        // What stands for the bytes of a path elsewhere: `../` would be three of them.
        assert_eq!(word("\u{10ff2e}\u{10ff2e}\u{10ff2f}x"), "___x");
        assert_eq!(word(&"é".repeat(300)), "é".repeat(100));
        assert_eq!(word("目 ✨"), "目 ✨");
    }

    #[test]
    fn the_order_is_beside_the_layers() {
        let file = |output: &str, several| order_file(output, "a/b", several).display().to_string();
        assert_eq!(file("out/{layer}/f_####.png", false), "out/layers.json");
        assert_eq!(file("{layer}_####.png", false), "layers.json");
        assert_eq!(file("out/{clip}/{layer}/##.png", true), "out/a_b/layers.json");
        assert_eq!(file("out/{layer}/{clip}_##.png", true), "out/a_b-layers.json");
    }
}

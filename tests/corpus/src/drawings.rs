//! What is looked at in each drawing.

use std::path::Path;

use bone_layer::drawing::FillRule;
use bone_layer::format::RigDoc;
use bone_layer::format::span::SourceId;
use bone_layer::format::write::{Comments, Digits, write};
use bone_layer::kurbo::{ParamCurveNearest, PathSeg, Point, Shape as _};
use bone_layer::skin::{PosedDrawing, deform};
use bone_layer::{Diagnostics, FrameState, Pixmap};

use crate::fills::{Directions, Fill, along, area, fills, lost, place, wound_area};
use crate::report::{Check, Outcome};
use crate::scene::{self, Bound, Plain};
use crate::seams::Seams;

/// The bends of the joints, in degrees.
pub(crate) const BENDS: [f64; 4] = [30.0, 75.0, 120.0, 150.0];
/// Degrees before each bend in which leaps are looked for, one by one.
const SWEEP: u32 = 4;
/// The longer side of compared pictures.
pub(crate) const SIDE: f64 = 256.0;
/// Fills of a smaller share of the page are not measured.
const SMALLEST: f64 = 2e-4;
/// Levels by which a drawing that is written and read may differ.
const LEVELS: u8 = 2;

/// Everything about one drawing.
pub(crate) fn examine(bytes: Vec<u8>, rigs: Option<&Path>, keep: &mut dyn FnMut(&Pixmap)) -> Outcome {
    let mut outcome = Outcome::default();
    if let Err(reason) = all(bytes, rigs, &mut outcome, keep) {
        outcome.refused = Some(reason);
    }
    outcome
}

fn all(
    bytes: Vec<u8>,
    rigs: Option<&Path>,
    outcome: &mut Outcome,
    keep: &mut dyn FnMut(&Pixmap),
) -> Result<(), String> {
    let plain = scene::read(bytes)?;
    let Some(bound) = scene::bound(&plain)? else {
        outcome.empty = true;
        return Ok(());
    };
    outcome.bones = bound.scaffold.bones;
    if let Some(folder) = rigs {
        bent(&bound, folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    let of_all = (bound.scaffold.bound + bound.scaffold.unbound).max(1) as f64;
    outcome.note(Check::Unbound, 100.0 * bound.scaffold.unbound as f64 / of_all, String::new());
    setup(&plain, &bound, outcome)?;
    pairs(&bound, outcome);
    text(&bound, outcome)?;
    bends(&plain, &bound, outcome, keep)
}

/// Writes the drawing and a rig that bends it, for players.
fn bent(bound: &Bound, folder: &Path) -> std::io::Result<()> {
    let Some(rig) = bound.bending(BENDS[2]) else { return Ok(()) };
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join(scene::DRAWING), &bound.svg)?;
    std::fs::write(folder.join(scene::RIG), rig)
}

/// Pixels that differ by more than some levels.
fn differing(a: &Pixmap, b: &Pixmap, levels: u8) -> usize {
    if a.width() != b.width() || a.height() != b.height() {
        return a.data().len().max(b.data().len()) / 4;
    }
    let pairs = a.data().chunks_exact(4).zip(b.data().chunks_exact(4));
    pairs.filter(|(a, b)| a.iter().zip(*b).any(|(a, b)| a.abs_diff(*b) > levels)).count()
}

/// The setup pose of the rig is the plain drawing, to the pixel.
fn setup(plain: &Plain, bound: &Bound, outcome: &mut Outcome) -> Result<(), String> {
    let mut at_rest = FrameState::new(&plain.rig);
    let mut posed = FrameState::new(&bound.rig);
    plain.rig.pose(None, 0.0, &mut at_rest).map_err(|error| error.to_string())?;
    bound.rig.pose(None, 0.0, &mut posed).map_err(|error| error.to_string())?;
    let a = scene::drawn(&plain.rig, &mut at_rest, SIDE)?;
    let b = scene::drawn(&bound.rig, &mut posed, SIDE)?;
    outcome.note(Check::Setup, differing(&a, &b, 0) as f64, String::new());
    Ok(())
}

/// For each element the number of its binding. Two bindings are one if both are rigid with the same bone.
pub(crate) fn bindings(bound: &Bound) -> Vec<Option<usize>> {
    let art = bound.rig.art();
    let mut keys: Vec<String> = Vec::new();
    let mut binding = vec![None; art.elements().len()];
    for (number, entry) in bound.loaded.doc.iter().flat_map(|doc| doc.skin.iter().enumerate()) {
        let key = match entry {
            bone_layer::format::doc::BindingDoc::Rigid(rigid) => format!("{:?}", rigid.bone.value),
            _ => format!("{number}"),
        };
        let at = keys.iter().position(|known| *known == key).unwrap_or_else(|| {
            keys.push(key);
            keys.len() - 1
        });
        for name in entry.names() {
            let Ok(id) = art.find(&name.value) else { continue };
            for path in art.paths_in(id) {
                binding[path.index()] = Some(at);
            }
        }
    }
    binding
}

/// Filled pieces with a line around them, of which another binding has the line.
fn pairs(bound: &Bound, outcome: &mut Outcome) {
    let (art, binding) = (bound.rig.art(), bindings(bound));
    let (canvas, diagonal) = (art.canvas(), art.canvas().size().to_vec2().hypot());
    let (mut colours, mut lines) = (Vec::new(), Vec::new());
    for id in art.ids() {
        let (Some(outline), Some(bound)) = (art.outline(id), binding[id.index()]) else { continue };
        let bounds = outline.path.bounding_box();
        let spans = bounds.width() > 0.9 * canvas.width() && bounds.height() > 0.9 * canvas.height();
        if !outline.visible || spans {
            continue;
        }
        match (outline.even_odd, outline.stroke_width > 0.0) {
            (None, true) => {
                let reach = outline.stroke_width / 2.0 + 0.01 * diagonal;
                let segments: Vec<PathSeg> = outline.path.segments().collect();
                lines.push((bound, reach, bounds.inflate(reach, reach), segments));
            }
            (Some(_), false) if bounds.area() > 1e-3 * canvas.area() => {
                colours.push((id, bound, outline.path));
            }
            _ => {}
        }
    }
    let mut apart = Vec::new();
    for (id, bound, path) in &colours {
        let segments: Vec<PathSeg> = path.segments().collect();
        let (mut all, mut lined, mut own) = (0.0, 0.0, 0.0);
        along(path, 0.02 * diagonal, |segment, t, weight| {
            let Some((at, _)) = place(&segments[segment], t) else { return };
            all += weight;
            let near: Vec<usize> = lines
                .iter()
                .filter(|(_, reach, bounds, segments)| bounds.contains(at) && is_near(segments, at, *reach))
                .map(|line| line.0)
                .collect();
            lined += if near.is_empty() { 0.0 } else { weight };
            own += if near.contains(bound) { weight } else { 0.0 };
        });
        if lined >= 0.5 * all {
            outcome.pairs += 1;
            if own < 0.5 * lined {
                apart.push(art.shown_name(*id));
            }
        }
    }
    if outcome.pairs > 0 {
        outcome.note(Check::Apart, apart.len() as f64, apart.into_iter().next().unwrap_or_default());
    }
}

fn is_near(segments: &[PathSeg], at: Point, reach: f64) -> bool {
    segments.iter().any(|segment| segment.nearest(at, 0.1 * reach).distance_sq <= reach * reach)
}

/// The contents of a document, without its places.
fn contents(doc: &RigDoc) -> String {
    let all = format!("{doc:?}");
    let (mut out, mut rest) = (String::with_capacity(all.len()), all.as_str());
    while let Some((before, after)) = rest.split_once("Span { start: ") {
        out.push_str(before);
        rest = after.split_once('}').map_or("", |parts| parts.1);
    }
    out + rest
}

/// A rig that is written and read again is the same, and so is the drawing.
fn text(bound: &Bound, outcome: &mut Outcome) -> Result<(), String> {
    let doc = bound.loaded.doc.as_ref().ok_or("the rig has no document")?;
    let written = write(doc, &Comments::new(), Digits::ALL);
    let mut found = Diagnostics::new();
    let again = bone_layer::format::read(SourceId::default(), &written, &mut found);
    let same = again.is_some_and(|again| {
        contents(&again) == contents(doc) && write(&again, &Comments::new(), Digits::ALL) == written
    });
    outcome.note(Check::Text, if same { 0.0 } else { 1.0 }, String::new());
    let mut state = FrameState::new(&bound.rig);
    bound.bend(BENDS[1], &mut state)?;
    bound.rig.write_svg(&mut state);
    let read = scene::read(state.svg().as_bytes().to_vec());
    let read = match read {
        Ok(read) => read,
        Err(reason) => {
            outcome.note(Check::Svg, f64::INFINITY, reason);
            return Ok(());
        }
    };
    let a = scene::drawn(&bound.rig, &mut state, SIDE)?;
    let b = scene::drawn(&read.rig, &mut FrameState::new(&read.rig), SIDE)?;
    outcome.note(Check::Svg, differing(&a, &b, LEVELS) as f64, String::new());
    Ok(())
}

/// A filled outline that bones deform.
struct Deformed {
    /// Its number in the skin, and among the fills.
    path: usize,
    fill: usize,
    directions: Directions,
    area: f64,
}

fn bends(
    plain: &Plain,
    bound: &Bound,
    outcome: &mut Outcome,
    keep: &mut dyn FnMut(&Pixmap),
) -> Result<(), String> {
    let rig = &bound.rig;
    let mut state = FrameState::new(rig);
    bound.bend(0.0, &mut state)?;
    let rest = fills(rig, &state);
    let canvas = rig.art().canvas();
    let drawing = rig.posable().drawing();
    let mut kept = PosedDrawing::new(rig.skin());
    let mut deformed = Vec::new();
    for (path, element) in rig.posed_elements().iter().enumerate() {
        let node = drawing.node_of(*element);
        let Some(fill) = rest.iter().position(|fill| Some(fill.node) == node) else { continue };
        let area = area(&rest[fill]);
        if area < SMALLEST * canvas.area() {
            continue;
        }
        // By the drawing's own fill rule: the fills of a frame may be turned and have another one.
        let even_odd = plain.rig.art().outline(*element).and_then(|outline| outline.even_odd);
        let rule = if even_odd == Some(true) { FillRule::EvenOdd } else { FillRule::NonZero };
        let outline = kept.paths()[path].clone();
        let whole = Fill { node: rest[fill].node, rule, outline, solid: true };
        if let Some(directions) = Directions::of(&whole) {
            deformed.push(Deformed { path, fill, directions, area });
        }
    }
    let name = |of: &Deformed| rig.art().shown_name(rig.posed_elements()[of.path]);
    let seams = Seams::new(bound, &rest, &scene::drawn(rig, &mut state, SIDE)?);
    keep(&scene::drawn(rig, &mut state, SIDE)?);
    for bend in BENDS {
        let mut before: Option<Vec<[f64; 2]>> = None;
        for back in (0..=SWEEP).rev() {
            let degrees = bend - f64::from(back);
            if bound.bend(degrees, &mut state)? == 0 {
                return Err("none of the bone lines became a bone".to_owned());
            }
            let now = fills(rig, &state);
            if now.len() != rest.len() {
                outcome.note(
                    Check::Lost,
                    100.0,
                    format!("{} of {} fills are painted", now.len(), rest.len()),
                );
                return Ok(());
            }
            deform(rig.skin(), state.matrices(), [], &mut kept);
            let areas: Vec<[f64; 2]> = deformed.iter().map(|of| of.areas(&now, &kept)).collect();
            let mut leaps = Vec::new();
            for (at, of) in deformed.iter().enumerate() {
                let Some(before) = &before else { break };
                let [cut, grown] = of.leaps(areas[at], before[at]);
                outcome.note(Check::Leap, cut, format!("{} at {degrees}", name(of)));
                if grown > Check::Leap.limit() {
                    leaps.push(of);
                }
            }
            for of in leaps {
                let jump = jump(bound, of, [degrees - 1.0, degrees])?;
                outcome.note(Check::Leap, jump, format!("{} by its bones at {degrees}", name(of)));
            }
            before = Some(areas);
            if back > 0 {
                continue;
            }
            for of in &deformed {
                let outline = &kept.paths()[of.path];
                let (right, lost) = lost(outline, &of.directions, &now[of.fill]);
                let share = 100.0 * lost / right.max(0.1 * of.area);
                outcome.note(Check::Lost, share, format!("{} at {bend}", name(of)));
            }
            let mut picture = scene::drawn(rig, &mut state, SIDE)?;
            let open = seams.open(&now, &state, &picture);
            outcome.note(Check::Sliver, open.length(), format!("{} at {bend}", seams.shown(&open)));
            open.mark(&mut picture);
            keep(&picture);
        }
    }
    Ok(())
}

impl Deformed {
    /// The painted area in a frame, and that of the outline as the bones alone take it.
    fn areas(&self, now: &[Fill], kept: &PosedDrawing) -> [f64; 2] {
        let outline = &kept.paths()[self.path];
        [area(&now[self.fill]), wound_area(outline, &self.directions)]
    }

    /// How much the area leaps by what is taken out of the outline, and how much it changes by the bones, in
    /// percent. A piece on a long arm grows steadily by more than a leap in a degree.
    fn leaps(&self, now: [f64; 2], before: [f64; 2]) -> [f64; 2] {
        let [changed, grown] = [now[0] - before[0], now[1] - before[1]];
        [(changed - grown) / self.area.max(before[0]), grown / self.area.max(before[1])]
            .map(|share| 100.0 * share.abs())
    }
}

/// Steps of a degree, in which steady growth is small and a jump is as great as in the degree.
const SUBSTEPS: u32 = 16;

/// The greatest change of the area between steps, by the bones alone, in percent.
fn jump(bound: &Bound, of: &Deformed, [from, to]: [f64; 2]) -> Result<f64, String> {
    let mut state = FrameState::new(&bound.rig);
    let mut kept = PosedDrawing::new(bound.rig.skin());
    let (mut most, mut before) = (0.0_f64, None);
    for step in 0..=SUBSTEPS {
        bound.bend(from + (to - from) * f64::from(step) / f64::from(SUBSTEPS), &mut state)?;
        deform(bound.rig.skin(), state.matrices(), [], &mut kept);
        let now = wound_area(&kept.paths()[of.path], &of.directions);
        let change = before.map_or(0.0, |before: f64| (now - before).abs() / of.area.max(before));
        (most, before) = (most.max(change), Some(now));
    }
    Ok(100.0 * most)
}

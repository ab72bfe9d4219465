//! The player in a web page: a packed rig is posed in wasm, and the page draws what it finds in two flat
//! buffers with Path2D. One rig a module.

use std::cell::RefCell;

use bone_layer::drawing::{FlatCommand, FlatFrame, FlatOutline, FlatPaint, GradientKind};
use bone_layer::kurbo::{Affine, Cap, Join, Point};
use bone_layer::motion::constraint::AttachmentPoint;
use bone_layer::{FrameState, Handle, Overrides, Rig};

#[derive(Default)]
struct Player {
    /// The bytes of the packed rig, written by the page.
    bytes: Vec<u8>,
    rig: Option<(Rig, FrameState)>,
    overrides: Overrides,
    flat: FlatFrame,
    /// What to draw, as numbers: see `index.html`.
    commands: Vec<f64>,
}

thread_local! {
    static PLAYER: RefCell<Player> = RefCell::default();
}

/// Memory for the bytes of a packed rig.
// SAFETY: no other function of the module has this name, nor those below theirs.
#[unsafe(no_mangle)]
pub extern "C" fn bytes(length: usize) -> *mut u8 {
    PLAYER.with_borrow_mut(|player| {
        player.bytes = vec![0; length];
        player.bytes.as_mut_ptr()
    })
}

/// Loads the rig from its bytes. False if they are not those of a packed rig.
#[unsafe(no_mangle)]
pub extern "C" fn load() -> bool {
    PLAYER.with_borrow_mut(|player| {
        let rig = Rig::load(&player.bytes).ok();
        player.rig = rig.map(|rig| {
            let state = FrameState::new(&rig);
            (rig, state)
        });
        player.rig.is_some()
    })
}

/// The length of the first clip, in seconds.
#[unsafe(no_mangle)]
pub extern "C" fn length() -> f64 {
    PLAYER.with_borrow(|player| {
        let clip = player.rig.as_ref().and_then(|(rig, _)| rig.clips().first());
        clip.map_or(0.0, |clip| clip.time().length)
    })
}

/// Poses a moment of the first clip. Returns how many numbers the commands have.
#[unsafe(no_mangle)]
pub extern "C" fn pose(time: f64) -> usize {
    PLAYER.with_borrow_mut(|player| {
        let Player { rig: Some((rig, state)), overrides, flat, commands, .. } = player else { return 0 };
        if rig.pose_with(rig.clips().first(), time, overrides, state).is_err() {
            return 0;
        }
        flat.clear();
        rig.posable().drawing().paint(state.frame(), Affine::IDENTITY, flat);
        write(flat, commands);
        commands.len()
    })
}

/// Brings the tip of the nearest bone to a point, two bones with it, on top of the clip.
#[unsafe(no_mangle)]
pub extern "C" fn drag(bone: usize, time: f64, x: f64, y: f64) {
    PLAYER.with_borrow_mut(|player| {
        let Player { rig: Some((rig, state)), overrides, .. } = player else { return };
        let Some(bone) = rig.skeleton().bones().nth(bone) else { return };
        let tip = Handle::Tip { bone, point: AttachmentPoint::Tip, chain: 2 };
        let at = rig.posable().drawing().canvas_to_output().inverse() * Point::new(x, y);
        // A target that cannot be reached is met as near as possible.
        let _ = rig.drag(rig.clips().first(), time, overrides, tip, at, state);
    });
}

/// The bone whose tip is nearest to a point of the drawing.
#[unsafe(no_mangle)]
pub extern "C" fn nearest(x: f64, y: f64) -> usize {
    PLAYER.with_borrow(|player| {
        let Some((rig, state)) = &player.rig else { return 0 };
        let at = rig.posable().drawing().canvas_to_output().inverse() * Point::new(x, y);
        let tips = rig.skeleton().bones().map(|bone| state.world().tip(rig.skeleton(), state.driven(), bone));
        let far = tips.map(|tip| tip.distance_squared(at)).enumerate();
        far.min_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(bone, _)| bone)
    })
}

/// The commands of the last pose; their coordinates; the verbs of their outlines.
#[unsafe(no_mangle)]
pub extern "C" fn commands() -> *const f64 {
    PLAYER.with_borrow(|player| player.commands.as_ptr())
}

#[unsafe(no_mangle)]
pub extern "C" fn coordinates() -> *const f32 {
    PLAYER.with_borrow(|player| player.flat.coordinates().as_ptr())
}

#[unsafe(no_mangle)]
pub extern "C" fn verbs() -> *const u8 {
    PLAYER.with_borrow(|player| player.flat.verbs().as_ptr())
}

/// The size of the page.
#[unsafe(no_mangle)]
pub extern "C" fn width() -> f64 {
    PLAYER.with_borrow(|player| {
        player.rig.as_ref().map_or(0.0, |(rig, _)| rig.posable().drawing().size().width)
    })
}

#[unsafe(no_mangle)]
pub extern "C" fn height() -> f64 {
    PLAYER.with_borrow(|player| {
        player.rig.as_ref().map_or(0.0, |(rig, _)| rig.posable().drawing().size().height)
    })
}

/// Commands as numbers. Each begins with its kind: 0 fills, 1 strokes, 2 opens a layer, 3 closes it.
fn write(flat: &FlatFrame, out: &mut Vec<f64>) {
    out.clear();
    for command in flat.commands() {
        match *command {
            FlatCommand::Fill { outline, paint, even_odd, opacity, transform, .. } => {
                out.extend([0.0, opacity, f64::from(u8::from(even_odd))]);
                self::outline(&outline, flat.transforms()[transform], out);
                self::paint(flat, &flat.paints()[paint], out);
            }
            FlatCommand::Stroke { outline, paint, style, opacity, transform, .. } => {
                let stroke = &flat.strokes()[style];
                let cap = [Cap::Butt, Cap::Round, Cap::Square].iter().position(|cap| *cap == stroke.cap);
                let join =
                    [Join::Miter, Join::Round, Join::Bevel].iter().position(|join| *join == stroke.join);
                let [cap, join] = [cap, join].map(|at| at.unwrap_or(0) as f64);
                out.extend([1.0, opacity, stroke.width, cap, join, stroke.miter_limit, stroke.dash_offset]);
                out.push(stroke.dashes.len() as f64);
                out.extend(&flat.dashes()[stroke.dashes.clone()]);
                self::outline(&outline, flat.transforms()[transform], out);
                self::paint(flat, &flat.paints()[paint], out);
            }
            FlatCommand::Push { layer } => {
                let layer = &flat.layers()[layer];
                out.extend([2.0, layer.opacity, layer.clips.len() as f64]);
                for clip in &flat.clips()[layer.clips.clone()] {
                    out.push(clip.len() as f64);
                    for found in &flat.clip_outlines()[clip.clone()] {
                        out.push(f64::from(u8::from(found.even_odd)));
                        self::outline(&found.outline, flat.transforms()[found.transform], out);
                    }
                }
            }
            FlatCommand::Pop => out.push(3.0),
            // Images need the bytes that the drawing has; this page draws none.
            FlatCommand::Image { .. } => {}
        }
    }
}

fn outline(outline: &FlatOutline, transform: [f64; 6], out: &mut Vec<f64>) {
    out.extend([outline.verb, outline.verbs, outline.coordinate].map(|at| at as f64));
    out.extend(transform);
}

/// 0 is a colour, 1 a linear gradient, 2 a radial one, 3 nothing.
fn paint(flat: &FlatFrame, paint: &FlatPaint, out: &mut Vec<f64>) {
    match paint {
        FlatPaint::Color(color) => {
            out.push(0.0);
            out.extend(color.map(f64::from));
        }
        FlatPaint::Gradient { kind, stops, transform, .. } => {
            match *kind {
                GradientKind::Linear { start, end } => out.extend([1.0, start.x, start.y, end.x, end.y]),
                GradientKind::Radial { center, radius, focus, focus_radius } => {
                    out.extend([2.0, focus.x, focus.y, focus_radius, center.x, center.y, radius]);
                }
            }
            out.extend(transform.as_coeffs());
            out.push(stops.len() as f64);
            for (offset, color) in &flat.stops()[stops.clone()] {
                out.push(*offset);
                out.extend(color);
            }
        }
        FlatPaint::Pattern => out.push(3.0),
    }
}

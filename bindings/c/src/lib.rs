//! The C ABI: characters and players behind handles. `include/bone_layer.h` is what callers read.
//!
//! Every function returns a status, and writes its results only if that is `BL_OK`. Panics are caught where panics
//! unwind. All `unsafe` is here: pointers of the caller become slices and references in three functions.

mod commands;
mod handles;
mod status;

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::MutexGuard;

use bone_core::{Angle, BoneId, BonePose};
use bone_drawing::{ElementId, NodeId, PaintPart};
use bone_player::{
    ArchiveError, BoneOverride, Character, ClipKey, InputId, InputKind, InputValue, LayerOptions, MachineKey,
    PlayOptions, PlayRepeat, Playback, PlayerEvent, PlayerScratch,
};
use bone_rig::EventId;
use kurbo::{Affine, Point, Vec2};

use handles::{Entry, OpenPlayer};
pub use status::Status;
use status::{Done, Fault, fault};

/// What a name is looked for among.
#[repr(C)]
#[allow(missing_docs, reason = "the header describes them")]
pub enum Kind {
    Clip,
    Bone,
    Input,
    Element,
    Marker,
    Node,
    Machine,
    State,
    Outfit,
}

const CLIP: u32 = Kind::Clip as u32;
const BONE: u32 = Kind::Bone as u32;
const INPUT: u32 = Kind::Input as u32;
const ELEMENT: u32 = Kind::Element as u32;
const MARKER: u32 = Kind::Marker as u32;
const NODE: u32 = Kind::Node as u32;
const MACHINE: u32 = Kind::Machine as u32;
const STATE: u32 = Kind::State as u32;
const OUTFIT: u32 = Kind::Outfit as u32;

/// How a clip is played. `struct_size` comes first, so that later versions may have more fields.
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_docs, reason = "the header describes them")]
pub struct PlayOptionsC {
    pub struct_size: u32,
    /// 0 as the clip is, so many times, or 4294967295 forever.
    pub repeat: u32,
    pub fade: f64,
    pub speed: f64,
    pub at: f64,
}

/// An event of the last step.
#[repr(C)]
#[derive(Clone, Copy, Default)]
#[allow(missing_docs, reason = "the header describes them")]
pub struct EventC {
    pub kind: u32,
    pub id: u32,
    pub playback: u64,
    pub value: f64,
}

/// The drawing commands of a moment.
#[repr(C)]
#[allow(missing_docs, reason = "the header describes them")]
pub struct CommandsC {
    pub verbs: *const u8,
    pub verb_count: usize,
    pub coordinates: *const f32,
    pub coordinate_count: usize,
    pub transforms: *const f64,
    pub transform_count: usize,
    pub words: *const u32,
    pub word_count: usize,
}

/// A call of the graphics card.
#[cfg(feature = "mesh")]
#[repr(C)]
#[derive(Clone, Copy)]
#[allow(missing_docs, reason = "the header describes them")]
pub struct DrawC {
    pub kind: u32,
    pub node: u32,
    pub element: u32,
    pub first: u32,
    pub count: u32,
}

/// The triangles of a moment.
#[cfg(feature = "mesh")]
#[repr(C)]
#[allow(missing_docs, reason = "the header describes them")]
pub struct TrianglesC {
    pub vertices: *const bone_mesh::MeshVertex,
    pub vertex_count: usize,
    pub indices: *const u32,
    pub index_count: usize,
    pub draws: *const DrawC,
    pub draw_count: usize,
    pub ramps: *const u8,
    pub ramp_count: usize,
    pub ramp_revision: u64,
    pub left_out: u32,
}

thread_local! {
    static SCRATCH: RefCell<PlayerScratch> = RefCell::default();
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

/// Runs a call, and keeps the message of what went wrong. A player whose call panics is closed.
fn call(handle: u64, work: impl FnOnce() -> Done) -> Status {
    let done = catch_unwind(AssertUnwindSafe(work));
    let (status, message) = match done {
        Ok(Ok(())) => (Status::Ok, String::new()),
        Ok(Err(Fault(status, message))) => (status, message),
        Err(_) => {
            handles::close(handle);
            // What it was writing is given up with it.
            SCRATCH.with(|scratch| {
                if let Ok(mut scratch) = scratch.try_borrow_mut() {
                    *scratch = PlayerScratch::new();
                }
            });
            (Status::Panic, "a panic; the player was closed".to_owned())
        }
    };
    if status != Status::Ok {
        let message = CString::new(message.replace('\0', " ")).unwrap_or_default();
        LAST_ERROR.with(|last| *last.borrow_mut() = message);
    }
    status
}

/// The bytes of a caller.
///
/// # Safety
/// If `from` is not null, `length` bytes from it on can be read and do not change while the result is used.
unsafe fn bytes<'a>(from: *const u8, length: usize) -> Done<&'a [u8]> {
    if from.is_null() || isize::try_from(length).is_err() {
        return fault(Status::Null, "a pointer is null");
    }
    // SAFETY: not null, of a length that fits, and readable by the promise of the caller. Bytes need no alignment.
    Ok(unsafe { std::slice::from_raw_parts(from, length) })
}

/// Writes a result of the call.
///
/// # Safety
/// If `out` is not null, a `T` can be written there.
unsafe fn put<T>(out: *mut T, value: T) -> Done {
    if out.is_null() || !out.is_aligned() {
        return fault(Status::Null, "a pointer is null or not aligned");
    }
    // SAFETY: not null, aligned, and writable by the promise of the caller. Nothing is read or dropped there.
    unsafe { out.write(value) };
    Ok(())
}

/// Reads a value of the caller.
///
/// # Safety
/// If `from` is not null, a `T` can be read there, and any bits are a `T`.
unsafe fn get<T: Copy>(from: *const T) -> Done<T> {
    if from.is_null() || !from.is_aligned() {
        return fault(Status::Null, "a pointer is null or not aligned");
    }
    // SAFETY: not null, aligned, and readable by the promise of the caller.
    Ok(unsafe { from.read() })
}

/// # Safety
/// As [`bytes`].
unsafe fn text<'a>(from: *const c_char, length: usize) -> Done<&'a str> {
    // SAFETY: the same promise.
    let bytes = unsafe { bytes(from.cast(), length) }?;
    std::str::from_utf8(bytes).or_else(|_| fault(Status::Text, "the text is not UTF-8"))
}

fn figure(handle: u64) -> Done<Character> {
    match handles::get(handle) {
        Some(Entry::Figure(figure)) => Ok(figure),
        _ => fault(Status::Closed, "no figure has this handle"),
    }
}

/// Calls a function with an open player and the memory of this thread.
fn with_player(handle: u64, work: impl FnOnce(&mut OpenPlayer, &mut PlayerScratch) -> Done) -> Status {
    call(handle, || {
        let Some(Entry::Player(player)) = handles::get(handle) else {
            return fault(Status::Closed, "no player has this handle");
        };
        let mut player: MutexGuard<'_, OpenPlayer> = player.lock().unwrap_or_else(|held| held.into_inner());
        SCRATCH.with(|scratch| work(&mut player, &mut scratch.borrow_mut()))
    })
}

fn index(id: usize) -> u32 {
    u32::try_from(id).unwrap_or(u32::MAX)
}

/// The version of this interface: the same number, the same functions.
#[unsafe(no_mangle)]
pub extern "C" fn bl_abi_version() -> u32 {
    3
}

/// What went wrong last in this thread; valid until its next call that fails.
#[unsafe(no_mangle)]
pub extern "C" fn bl_last_error() -> *const c_char {
    LAST_ERROR.with(|last| last.borrow().as_ptr())
}

/// Memory for a caller without one of its own, such as a page. Aligned to 8. Null if there is none.
#[unsafe(no_mangle)]
pub extern "C" fn bl_alloc(length: usize) -> *mut u8 {
    let Ok(layout) = std::alloc::Layout::from_size_align(length.max(1), 8) else {
        return std::ptr::null_mut();
    };
    // SAFETY: the layout has a size above 0.
    unsafe { std::alloc::alloc(layout) }
}

/// Gives it back.
///
/// # Safety
/// `at` is null, or came from `bl_alloc` with the same length and was not given back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_dealloc(at: *mut u8, length: usize) {
    if let (false, Ok(layout)) = (at.is_null(), std::alloc::Layout::from_size_align(length.max(1), 8)) {
        // SAFETY: it was allocated with this layout, by the promise of the caller.
        unsafe { std::alloc::dealloc(at, layout) };
    }
}

/// Loads a packed rig.
///
/// # Safety
/// `pack` has `length` bytes, and a handle can be written at `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_figure_load(pack: *const u8, length: usize, out: *mut u64) -> Status {
    call(0, || {
        // SAFETY: promised.
        let bytes = unsafe { bytes(pack, length) }?;
        let figure = Character::from_pack(bytes).map_err(|error| {
            let status = if let ArchiveError::Version { .. } = error { Status::Newer } else { Status::Pack };
            Fault(status, error.to_string())
        })?;
        if out.is_null() || !out.is_aligned() {
            return fault(Status::Null, "a pointer is null or not aligned");
        }
        // SAFETY: promised.
        unsafe { put(out, handles::open(Entry::Figure(figure))) }
    })
}

/// The id of a clip, bone, input, element, marker or machine by its name.
///
/// # Safety
/// `name` has `length` bytes, and an id can be written at `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_figure_find(
    handle: u64,
    kind: u32,
    name: *const c_char,
    length: usize,
    out: *mut u32,
) -> Status {
    call(0, || {
        let figure = figure(handle)?;
        // SAFETY: promised.
        let name = unsafe { text(name, length) }?;
        let id = match kind {
            CLIP => figure.clip(name)?.index(),
            BONE => figure.bone(name)?.index(),
            INPUT => figure.input(name)?.index(),
            ELEMENT => figure.element(name)?.index(),
            MACHINE => figure.machine(name)?.index(),
            OUTFIT => figure.outfit(name)?,
            MARKER => {
                let place = figure.rig().events().iter().position(|event| event.name == name);
                place.ok_or_else(|| Fault(Status::Name, format!("no marker is called \"{name}\"")))?
            }
            _ => return fault(Status::Name, "this is no kind of names"),
        };
        // SAFETY: promised.
        unsafe { put(out, index(id)) }
    })
}

/// How many clips, bones, inputs, elements, markers, nodes of the drawing, machines or states there are.
///
/// # Safety
/// A number can be written at `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_figure_count(handle: u64, kind: u32, out: *mut u32) -> Status {
    call(0, || {
        let figure = figure(handle)?;
        let count = match kind {
            CLIP => figure.clips().len(),
            BONE => figure.rig().skeleton().len(),
            INPUT => figure.inputs().len(),
            ELEMENT => figure.rig().art().elements().len(),
            MARKER => figure.rig().events().len(),
            MACHINE => figure.machines().len(),
            STATE => figure.states().count(),
            OUTFIT => figure.outfits().len(),
            NODE => figure.rig().posable().drawing().nodes().len(),
            _ => return fault(Status::Name, "this is no kind of names"),
        };
        // SAFETY: promised.
        unsafe { put(out, index(count)) }
    })
}

/// Copies a name into the caller's memory, without a 0 at its end, and reports its length. `BL_SPACE` if it is longer
/// than `room`; then the length alone is written.
///
/// # Safety
/// `room` bytes can be written at `to`, and a length at `length`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_figure_name(
    handle: u64,
    kind: u32,
    id: u32,
    to: *mut c_char,
    room: usize,
    length: *mut usize,
) -> Status {
    call(0, || {
        let figure = figure(handle)?;
        let (rig, at) = (figure.rig(), id as usize);
        let name = match kind {
            CLIP => rig.clips().get(at).map(|clip| clip.name().to_owned()),
            BONE => rig.skeleton().bones().nth(at).map(|bone| rig.skeleton().name(bone).to_owned()),
            INPUT => figure.inputs().get(at).map(|input| input.name.clone()),
            ELEMENT => {
                let element = ElementId::from_index(at);
                rig.art().element(element).map(|_| rig.art().address(element))
            }
            MARKER => rig.events().get(at).map(|event| event.name.clone()),
            MACHINE => figure.machines().nth(at).map(str::to_owned),
            STATE => figure.states().nth(at).map(|state| state.name.clone()),
            OUTFIT => figure.outfits().nth(at).map(str::to_owned),
            _ => None,
        };
        let name = name.ok_or_else(|| Fault(Status::Name, "nothing has this id".to_owned()))?;
        // SAFETY: promised.
        unsafe { put(length, name.len()) }?;
        if name.len() > room {
            return fault(Status::Space, "the name is longer than the room for it");
        }
        if to.is_null() {
            return fault(Status::Null, "a pointer is null");
        }
        // SAFETY: `room` bytes can be written at `to`, and the name, which is memory of this call, is not longer.
        unsafe { std::ptr::copy_nonoverlapping(name.as_ptr(), to.cast(), name.len()) };
        Ok(())
    })
}

/// Width and height of the page in pixels, then the matrix from the canvas, on which bones and hits are, to these
/// pixels.
///
/// # Safety
/// Eight numbers can be written at `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_figure_page(handle: u64, out: *mut [f64; 8]) -> Status {
    call(0, || {
        let figure = figure(handle)?;
        let size = figure.size();
        let [a, b, c, d, e, f] = figure.rig().posable().drawing().canvas_to_output().as_coeffs();
        // SAFETY: promised.
        unsafe { put(out, [size.width, size.height, a, b, c, d, e, f]) }
    })
}

/// The length of a clip in seconds, and 1 if it loops.
///
/// # Safety
/// Two numbers can be written at `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_clip_info(handle: u64, clip: u32, out: *mut [f64; 2]) -> Status {
    call(0, || {
        let figure = figure(handle)?;
        let info = figure.clips().nth(clip as usize);
        let info = info.ok_or_else(|| Fault(Status::Name, "no clip has this id".to_owned()))?;
        // SAFETY: promised.
        unsafe { put(out, [info.length, f64::from(u8::from(info.looped))]) }
    })
}

/// A player in the setup pose.
///
/// # Safety
/// A handle can be written at `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_player_new(handle: u64, out: *mut u64) -> Status {
    call(0, || {
        let figure = figure(handle)?;
        if out.is_null() || !out.is_aligned() {
            return fault(Status::Null, "a pointer is null or not aligned");
        }
        // SAFETY: promised.
        unsafe { put(out, handles::open(Entry::player(figure.player()))) }
    })
}

/// Closes a figure or a player. Players of a closed figure play on.
#[unsafe(no_mangle)]
pub extern "C" fn bl_free(handle: u64) -> Status {
    call(0, || if handles::close(handle) { Ok(()) } else { fault(Status::Closed, "nothing has this handle") })
}

/// Fades into a clip. `options` may be null.
///
/// # Safety
/// `options` is null or has `struct_size` bytes, and a playback can be written at `out`, which may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_play(
    player: u64,
    clip: u32,
    options: *const PlayOptionsC,
    out: *mut u64,
) -> Status {
    with_player(player, |player, _| {
        let mut how = PlayOptions::default();
        if !options.is_null() {
            // SAFETY: every version of the struct begins with its size.
            let size = unsafe { get(options.cast::<u32>()) }? as usize;
            if size < size_of::<PlayOptionsC>() {
                return fault(Status::Space, "struct_size is not that of the options");
            }
            // SAFETY: it is as long as promised, and all its fields are numbers.
            let given = unsafe { get(options) }?;
            let repeat = match given.repeat {
                0 => PlayRepeat::AsClip,
                u32::MAX => PlayRepeat::Forever,
                times => PlayRepeat::Times(times),
            };
            how = PlayOptions { fade: given.fade, speed: given.speed, repeat, at: given.at };
        }
        let of = player.player.play(ClipKey::from_index(clip as usize), how)?;
        // SAFETY: promised.
        if out.is_null() { Ok(()) } else { unsafe { put(out, of.number()) } }
    })
}

/// Puts a clip above all others.
///
/// # Safety
/// A playback can be written at `out`, which may be null.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_layer(player: u64, clip: u32, weight: f64, fade: f64, out: *mut u64) -> Status {
    with_player(player, |player, _| {
        let options = LayerOptions { weight, fade, ..LayerOptions::default() };
        let of = player.player.layer(ClipKey::from_index(clip as usize), options)?;
        // SAFETY: promised.
        if out.is_null() { Ok(()) } else { unsafe { put(out, of.number()) } }
    })
}

/// Fades into a state machine.
#[unsafe(no_mangle)]
pub extern "C" fn bl_start(player: u64, machine: u32, fade: f64) -> Status {
    with_player(player, |player, _| {
        Ok(player.player.start(MachineKey::from_index(machine as usize), fade)?)
    })
}

/// Fades a clip out.
#[unsafe(no_mangle)]
pub extern "C" fn bl_stop(player: u64, playback: u64, fade: f64) -> Status {
    with_player(player, |player, _| Ok(player.player.stop(Playback::from_number(playback), fade)?))
}

/// Moves a clip to a time of its own.
#[unsafe(no_mangle)]
pub extern "C" fn bl_seek(player: u64, playback: u64, time: f64) -> Status {
    with_player(player, |player, _| Ok(player.player.seek(Playback::from_number(playback), time)?))
}

/// Sets how many seconds of a clip play in a second.
#[unsafe(no_mangle)]
pub extern "C" fn bl_set_speed(player: u64, playback: u64, speed: f64) -> Status {
    with_player(player, |player, _| Ok(player.player.set_speed(Playback::from_number(playback), speed)?))
}

/// The time of a clip, in its own seconds.
///
/// # Safety
/// A number can be written at `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_time(player: u64, playback: u64, out: *mut f64) -> Status {
    with_player(player, |player, _| {
        let time = player.player.time(Playback::from_number(playback));
        let time = time.ok_or_else(|| Fault(Status::NotPlaying, "the clip has ended".to_owned()))?;
        // SAFETY: promised.
        unsafe { put(out, time) }
    })
}

/// Advances all clips by some seconds.
#[unsafe(no_mangle)]
pub extern "C" fn bl_step(player: u64, seconds: f64) -> Status {
    with_player(player, |open, scratch| {
        open.player.step(seconds, scratch)?;
        open.events.clear();
        open.events.extend(open.player.events().iter().map(event));
        Ok(())
    })
}

fn event(event: &PlayerEvent) -> EventC {
    match *event {
        PlayerEvent::Looped { of, times } => {
            EventC { kind: 0, playback: of.number(), value: f64::from(times), ..EventC::default() }
        }
        PlayerEvent::Ended { of } => EventC { kind: 1, playback: of.number(), ..EventC::default() },
        PlayerEvent::Removed { of } => EventC { kind: 2, playback: of.number(), ..EventC::default() },
        PlayerEvent::Marker { of, event, weight } => {
            EventC { kind: 3, id: index(EventId::index(event)), playback: of.number(), value: weight }
        }
        PlayerEvent::Input { input } => EventC { kind: 4, id: index(input.index()), ..EventC::default() },
        PlayerEvent::State { layer, state } => {
            EventC { kind: 6, id: index(state.index()), value: layer as f64, ..EventC::default() }
        }
        PlayerEvent::Stuck { layer } => EventC { kind: 7, value: layer as f64, ..EventC::default() },
        _ => EventC { kind: 5, ..EventC::default() },
    }
}

/// The events of the last step, until the next call with this player.
///
/// # Safety
/// A pointer and a count can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_events(player: u64, out: *mut *const EventC, count: *mut usize) -> Status {
    with_player(player, |open, _| {
        // SAFETY: promised.
        unsafe { put(out, open.events.as_ptr()) }?;
        // SAFETY: promised.
        unsafe { put(count, open.events.len()) }
    })
}

/// Poses a moment of a clip as `render-frames` draws it.
#[unsafe(no_mangle)]
pub extern "C" fn bl_exact(player: u64, clip: u32, time: f64) -> Status {
    with_player(player, |open, scratch| {
        open.player.exact(ClipKey::from_index(clip as usize), time, scratch)?;
        open.events.clear();
        Ok(())
    })
}

/// Sets an input that takes a number.
#[unsafe(no_mangle)]
pub extern "C" fn bl_set_input(player: u64, input: u32, value: f64) -> Status {
    set(player, input, InputValue::Number(value))
}

/// Sets an input that takes a place on the canvas.
#[unsafe(no_mangle)]
pub extern "C" fn bl_set_target(player: u64, input: u32, x: f64, y: f64) -> Status {
    set(player, input, InputValue::Point(Point::new(x, y)))
}

/// Gives an input back to the clips.
#[unsafe(no_mangle)]
pub extern "C" fn bl_reset_input(player: u64, input: u32) -> Status {
    set(player, input, InputValue::Rest)
}

/// Sets a trigger, which counts in the next step.
#[unsafe(no_mangle)]
pub extern "C" fn bl_fire(player: u64, input: u32) -> Status {
    with_player(player, |open, _| Ok(open.player.fire(InputId::from_index(input as usize))?))
}

fn set(player: u64, input: u32, value: InputValue) -> Status {
    with_player(player, |open, _| Ok(open.player.set_input(InputId::from_index(input as usize), value)?))
}

/// What an input takes: 0 the number of a child, 1 a number, 2 a place, 3 true or false, 4 a trigger; then the least and
/// the greatest number.
///
/// # Safety
/// Three numbers can be written at `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_input_info(handle: u64, input: u32, out: *mut [f64; 3]) -> Status {
    call(0, || {
        let figure = figure(handle)?;
        let info = figure.inputs().get(input as usize);
        let info = info.ok_or_else(|| Fault(Status::Name, "no input has this id".to_owned()))?;
        let numbers = match info.kind {
            InputKind::Switch { children } => [0.0, -1.0, children as f64 - 1.0],
            InputKind::Mix => [1.0, 0.0, 1.0],
            InputKind::Flag { .. } => [3.0, 0.0, 1.0],
            InputKind::Trigger => [4.0, 0.0, 1.0],
            InputKind::Slider { range: (least, greatest) } => [1.0, least, greatest],
            InputKind::Target => [2.0, f64::NEG_INFINITY, f64::INFINITY],
            _ => [1.0, f64::NEG_INFINITY, f64::INFINITY],
        };
        // SAFETY: promised.
        unsafe { put(out, numbers) }
    })
}

/// Sets the colour of an element: 0 its fills, 1 its strokes. Null gives back what the clips have.
///
/// # Safety
/// `rgba` is null or has four numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_set_color(player: u64, element: u32, part: u32, rgba: *const [f32; 4]) -> Status {
    with_player(player, |open, _| {
        let part = match part {
            0 => PaintPart::Fill,
            1 => PaintPart::Stroke,
            _ => return fault(Status::Number, "a part is 0, its fills, or 1, its strokes"),
        };
        // SAFETY: promised; any bits are numbers.
        let color = if rgba.is_null() { None } else { Some(unsafe { get(rgba) }?) };
        Ok(open.player.set_color(ElementId::from_index(element as usize), part, color)?)
    })
}

/// Leaves an element out (0), shows it (1), or gives it back to the clips (-1).
#[unsafe(no_mangle)]
pub extern "C" fn bl_set_visible(player: u64, element: u32, on: i32) -> Status {
    with_player(player, |open, _| {
        let on = match on {
            -1 => None,
            0 => Some(false),
            1 => Some(true),
            _ => return fault(Status::Number, "it is -1, 0 or 1"),
        };
        Ok(open.player.set_visible(ElementId::from_index(element as usize), on)?)
    })
}

/// Puts outfits on, in this order. Null gives back what the figure wears by itself. The next step shows it.
///
/// # Safety
/// `outfits` is null or has `count` ids.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_wear(player: u64, outfits: *const u32, count: usize) -> Status {
    with_player(player, |open, _| {
        if outfits.is_null() {
            return Ok(open.player.wear(None)?);
        }
        // SAFETY: promised, and read where it may not be aligned.
        let ids = (0..count).map(|at| unsafe { get(outfits.add(at)) }.map(|id| id as usize));
        Ok(open.player.wear(Some(&ids.collect::<Result<Vec<_>, _>>()?))?)
    })
}

/// Sets the words of a text. Null gives it back to the clips.
///
/// # Safety
/// `words` is null or has `length` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_set_text(
    player: u64,
    element: u32,
    words: *const c_char,
    length: usize,
) -> Status {
    with_player(player, |open, _| {
        // SAFETY: promised.
        let words = if words.is_null() { None } else { Some(unsafe { text(words, length) }?) };
        Ok(open.player.set_text(ElementId::from_index(element as usize), words)?)
    })
}

/// A bone: the matrix from its own frame to the canvas.
///
/// # Safety
/// Six numbers can be written at `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_bone_get(player: u64, bone: u32, out: *mut [f64; 6]) -> Status {
    with_player(player, |open, _| {
        let found = open.player.bone(bone_of(open, bone)?);
        let found = found.ok_or_else(|| Fault(Status::Name, "no bone has this id".to_owned()))?;
        // SAFETY: promised.
        unsafe { put(out, found.as_coeffs()) }
    })
}

fn bone_of(open: &OpenPlayer, bone: u32) -> Done<BoneId> {
    let found = open.player.character().rig().skeleton().bones().nth(bone as usize);
    found.ok_or_else(|| Fault(Status::Name, "no bone has this id".to_owned()))
}

/// Moves a bone in its parent's frame: by x, y, an angle in degrees, factors along and across, and a stretch, on top of
/// the clips (0), or in their place (1). Null gives it back.
///
/// # Safety
/// `pose` is null or has six numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_set_bone(player: u64, bone: u32, pose: *const [f64; 6], replace: u32) -> Status {
    with_player(player, |open, _| {
        let bone = bone_of(open, bone)?;
        if pose.is_null() {
            return Ok(open.player.set_bone(bone, None)?);
        }
        // SAFETY: promised; any bits are numbers.
        let [x, y, angle, along, across, stretch] = unsafe { get(pose) }?;
        let angle = Angle::from_degrees(angle);
        let pose = BonePose { origin: Vec2::new(x, y), angle, scale: Vec2::new(along, across), stretch };
        let set = match replace {
            0 => BoneOverride::Add(pose),
            1 => BoneOverride::Set(pose),
            _ => return fault(Status::Number, "it is 0, on top of the clips, or 1, in their place"),
        };
        Ok(open.player.set_bone(bone, Some(set))?)
    })
}

/// Brings the tip of a bone to a place of the canvas by so many bones, in the setup pose or in an exact moment; where it
/// is then.
///
/// # Safety
/// Two numbers can be written at `out`.
#[cfg(feature = "drag")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_drag(
    player: u64,
    bone: u32,
    x: f64,
    y: f64,
    chain: u32,
    out: *mut [f64; 2],
) -> Status {
    use bone_core::constraint::AttachmentPoint;
    with_player(player, |open, scratch| {
        if out.is_null() || !out.is_aligned() {
            return fault(Status::Null, "a pointer is null or not aligned");
        }
        let (bone, point) = (bone_of(open, bone)?, AttachmentPoint::Tip);
        let handle = bone_player::Handle::Tip { bone, point, chain: chain as usize };
        let place = open.player.drag(handle, Point::new(x, y), scratch)?;
        // SAFETY: promised.
        unsafe { put(out, [place.x, place.y]) }
    })
}

/// The element at a place of the canvas, or 4294967295.
///
/// # Safety
/// An id can be written at `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_hit(player: u64, x: f64, y: f64, reach: f64, out: *mut u32) -> Status {
    with_player(player, |open, scratch| {
        let hit = open.player.hit(Point::new(x, y), reach, scratch);
        // SAFETY: promised.
        unsafe { put(out, hit.map_or(u32::MAX, |element| index(element.index()))) }
    })
}

/// The box of an element on the canvas, or of everything for 4294967295: its sides. `BL_NOT_KEPT` if nothing is
/// painted.
///
/// # Safety
/// Four numbers can be written at `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_bounds(player: u64, element: u32, out: *mut [f64; 4]) -> Status {
    with_player(player, |open, scratch| {
        let of = (element != u32::MAX).then(|| ElementId::from_index(element as usize));
        let Some(found) = open.player.bounds(of, scratch) else {
            return fault(Status::NotKept, "nothing of it is painted");
        };
        // SAFETY: promised.
        unsafe { put(out, [found.x0, found.y0, found.x1, found.y1]) }
    })
}

/// The drawing as commands, until the next call with this player. `view` maps the page's pixels to the caller's.
///
/// # Safety
/// `view` has six numbers, and the commands can be written at `out`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_paint(player: u64, view: *const [f64; 6], out: *mut CommandsC) -> Status {
    with_player(player, |open, scratch| {
        // SAFETY: promised; any bits are numbers.
        let view = Affine::new(unsafe { get(view) }?);
        let OpenPlayer { player, flat, words, .. } = open;
        flat.clear();
        words.clear();
        let drawing = player.character().rig().posable().drawing();
        let mut writer = commands::CommandWriter { drawing, flat, words, nested: 0 };
        player.paint(scratch, view, &mut writer);
        let commands = CommandsC {
            verbs: flat.verbs().as_ptr(),
            verb_count: flat.verbs().len(),
            coordinates: flat.coordinates().as_ptr(),
            coordinate_count: flat.coordinates().len(),
            transforms: flat.transforms().as_flattened().as_ptr(),
            transform_count: flat.transforms().len(),
            words: words.as_ptr(),
            word_count: words.len(),
        };
        // SAFETY: promised.
        unsafe { put(out, commands) }
    })
}

/// The triangles of the last moment, for a graphics card. `pixel` is the size of a pixel in the caller's space.
///
/// # Safety
/// `view` has six numbers, and the triangles can be written at `out`.
#[cfg(feature = "mesh")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_mesh(
    player: u64,
    view: *const [f64; 6],
    pixel: f64,
    out: *mut TrianglesC,
) -> Status {
    with_player(player, |open, scratch| {
        // SAFETY: promised; any bits are numbers.
        let transform = Affine::new(unsafe { get(view) }?);
        if !(transform.is_finite() && pixel.is_finite() && pixel > 0.0) {
            return fault(Status::Number, "a view is of finite numbers, and a pixel larger than 0");
        }
        let OpenPlayer { player, mesh, draws, .. } = open;
        player.mesh(scratch, bone_mesh::MeshView { transform, pixel }, mesh);
        let drawing = player.character().rig().posable().drawing();
        draws.clear();
        draws.extend(mesh.draws().iter().map(|draw| DrawC::new(draw, drawing)));
        let triangles = TrianglesC {
            vertices: mesh.vertices().as_ptr(),
            vertex_count: mesh.vertices().len(),
            indices: mesh.indices().as_ptr(),
            index_count: mesh.indices().len(),
            draws: draws.as_ptr(),
            draw_count: draws.len(),
            ramps: mesh.ramps().as_ptr(),
            ramp_count: mesh.ramps().len() / (4 * bone_mesh::RAMP_WIDTH),
            ramp_revision: mesh.ramp_revision(),
            left_out: mesh.left_out(),
        };
        // SAFETY: promised.
        unsafe { put(out, triangles) }
    })
}

#[cfg(feature = "mesh")]
impl DrawC {
    fn new(draw: &bone_mesh::MeshDraw, drawing: &bone_drawing::Drawing) -> Self {
        use bone_mesh::MeshDraw;
        let (kind, node, indices) = match draw {
            MeshDraw::Triangles(indices) => (0, None, indices.clone()),
            MeshDraw::Picture { node, indices } => (1, Some(*node), indices.clone()),
            MeshDraw::Clip(indices) => (2, None, indices.clone()),
            _ => (3, None, 0..0),
        };
        let element = node.and_then(|node| drawing.element_around(node));
        Self {
            kind,
            node: node.map_or(u32::MAX, |node| node.index() as u32),
            element: element.map_or(u32::MAX, |element| element.index() as u32),
            first: indices.start as u32,
            count: indices.len() as u32,
        }
    }
}

/// The file of an image, by the node of its command: its bytes until the next call with this player, and its format.
///
/// # Safety
/// A pointer, a length and a number can be written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_image(
    player: u64,
    node: u32,
    out: *mut *const u8,
    length: *mut usize,
    format: *mut u32,
) -> Status {
    with_player(player, |open, _| {
        let image = open.player.image(NodeId::from_index(node as usize));
        let image = image.ok_or_else(|| Fault(Status::Name, "no image has this node".to_owned()))?;
        // SAFETY: promised. The bytes are those of the figure, which the player keeps.
        unsafe { put(out, image.bytes.as_ptr()) }?;
        // SAFETY: promised.
        unsafe { put(length, image.bytes.len()) }?;
        // SAFETY: promised.
        unsafe { put(format, image.format as u32) }
    })
}

/// Draws the whole page, as large as fits, in the middle: four bytes a pixel, red, green, blue and alpha, colours
/// multiplied by alpha. `stride` is the number of bytes from row to row.
///
/// # Safety
/// `stride * (height - 1) + 4 * width` bytes can be written at `pixels`, and nothing else reads or writes them.
#[cfg(feature = "raster")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn bl_render(
    player: u64,
    pixels: *mut u8,
    width: u32,
    height: u32,
    stride: usize,
) -> Status {
    use bone_render::{FrameOptions, FrameSize, Viewport};
    with_player(player, |open, scratch| {
        let row = width as usize * 4;
        let size = FrameSize::new(width, height).map_err(|error| Fault(Status::Number, error.to_string()))?;
        let length = stride.checked_mul(height as usize - 1).and_then(|all| all.checked_add(row));
        let usable = length.is_some_and(|all| isize::try_from(all).is_ok());
        if pixels.is_null() || !usable || stride < row {
            return fault(Status::Space, "the pixels are null, or their stride is below four bytes a pixel");
        }
        let view = Viewport::fit(
            open.player.character().rig().posable().drawing(),
            &FrameOptions { size, background: None },
        );
        open.pixels.clear();
        open.pixels.resize(row * height as usize, 0);
        let drawn = open.player.draw_into(scratch, &view, &mut open.pixels);
        drawn.map_err(|error| Fault(Status::Space, error.to_string()))?;
        for (y, line) in open.pixels.chunks_exact(row).enumerate() {
            // SAFETY: row `y` begins within the promised bytes and is not longer than what is left of them; the source
            // is memory of this player.
            unsafe { std::ptr::copy_nonoverlapping(line.as_ptr(), pixels.add(y * stride), row) };
        }
        Ok(())
    })
}

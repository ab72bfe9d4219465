//! Puts lip sync into a clip: keys of a group of mouths, of which one is seen at a time.

use std::path::Path;

use bone_drawing::{Drawing, ElementId};
use bone_format::doc::RigDoc;
use bone_format::session::{DocPath, DocValue, Edit, Session};
use bone_import::lips::{LipTrack, MouthShape};

use crate::AuthoringError;

/// Where lip sync goes.
#[derive(Clone, Debug, Default)]
pub struct LipOptions {
    /// The group of mouths: its id or its label.
    pub group: String,
    /// Mouths with other names than letters of Rhubarb or words of Preston Blair.
    pub mouths: Vec<(MouthShape, String)>,
    /// The clip, which is made if it is not there.
    pub clip: String,
    /// Where the line begins in it, in seconds.
    pub at: f64,
    /// The recording, by its path from the rig; it begins with the line.
    pub sound: Option<String>,
    /// The origin of the line, for the comment on a new clip.
    pub origin: String,
}

/// Keys of mouths.
#[non_exhaustive]
pub struct LipEdits {
    /// What puts them into the rig, in place of those that the clip had for this group.
    pub edits: Vec<Edit>,
    /// What was assumed.
    pub notes: Vec<String>,
    /// How many keys there are.
    pub summary: String,
}

/// The edits that key a group of mouths.
///
/// # Errors
/// The rig has mistakes; the drawing has no such group, or it lacks a mouth that has none in its place.
pub fn lip_keys(
    session: &Session,
    track: &LipTrack,
    options: &LipOptions,
) -> Result<LipEdits, AuthoringError> {
    let (Some(rig), Some(doc), true) = (session.rig(), session.doc(), session.is_current()) else {
        let found = (session.diagnostics().clone(), session.sources().clone());
        return Err(AuthoringError::Mistakes(Box::new(found)));
    };
    let LipOptions { group, clip, at, origin, sound, .. } = options;
    let fps = doc.fps.as_ref().map_or(RigDoc::FPS, |fps| fps.value);
    let keys = track.on_frames(fps);
    let mut notes = track.notes.clone();
    let mut found = Mouths::of(rig.art(), options)?;
    let first = (at * fps).round();
    let mut list: Vec<(f64, String)> = Vec::new();
    if first > 0.0 {
        // Before the line nothing is said.
        list.push((0.0, found.name(MouthShape::X)?));
    }
    for (frame, shape) in &keys {
        let name = found.name(*shape)?;
        // Shapes that one mouth stands for are one key.
        if list.last().is_none_or(|(_, last)| *last != name) {
            #[allow(clippy::cast_precision_loss, reason = "frames of a day")]
            let time = (first + *frame as f64) / fps;
            // A key that is rounded up is seen a frame late.
            list.push(((time * 1e4).floor() / 1e4, name));
        }
    }
    notes.extend(found.notes);
    let count = list.len();
    let key =
        |(time, name): (f64, String)| DocValue::tuple(None, [DocValue::Number(time), DocValue::text(&name)]);
    let list = DocValue::list(list.into_iter().map(key));
    let end = (first + (track.end * fps).ceil()).max(1.0) / fps;
    let mut edits = Vec::new();
    match doc.clip(clip) {
        Some(of_rig) => {
            let length = of_rig.length.as_ref().map_or(end, |length| length.value);
            if end > length + 0.5 / fps {
                notes.push(format!("the line ends at {end:.2} s, and \"{clip}\" at {length:.2} s"));
            }
            let channel = DocPath::from(["clips", clip.as_str(), "art", group.as_str(), "switch"]);
            edits.push(Edit::Set { at: channel, value: list });
        }
        None => {
            let switch = DocValue::fields(None, [("switch", list)]);
            let art = DocValue::map([(group.as_str(), switch)]);
            let value = DocValue::fields(None, [("length", DocValue::Number(end)), ("art", art)]);
            edits.push(Edit::Add { into: DocPath::from(["clips"]), name: clip.clone(), value });
            let at = DocPath::from(["clips", clip.as_str()]);
            edits.push(Edit::AddComment { at, text: origin.clone() });
        }
    }
    // What is spoken is heard, if that may be: a rig has its sounds beside it.
    if let Some(path) = sound {
        let sounds = DocPath::from(["clips", clip.as_str(), "sounds"]);
        let own = doc.clip(clip).and_then(|clip| clip.sounds.iter().position(|own| own.file.value == *path));
        let time = DocValue::Number(first / fps);
        if Path::new(path).is_absolute() || path.starts_with("../") {
            notes.push(format!(
                "\"{path}\" is not in the folder of the rig: copy it there, and name it in `sounds` of \"{clip}\""
            ));
        } else if let Some(own) = own {
            edits.push(Edit::Set { at: sounds.index(own).name("at"), value: time });
        } else {
            let value = DocValue::fields(None, [("file", DocValue::text(path)), ("at", time)]);
            edits.push(Edit::Insert { into: sounds, before: None, value });
        }
    }
    let keys = if count == 1 { "key" } else { "keys" };
    Ok(LipEdits { edits, notes, summary: format!("{count} {keys} of mouths to {end:.2} s") })
}

/// The children of a group, by the mouths that they are.
struct Mouths {
    group: String,
    names: Vec<(MouthShape, String)>,
    /// The names of all children, for messages.
    all: Vec<String>,
    notes: Vec<String>,
}

impl Mouths {
    fn of(art: &Drawing, options: &LipOptions) -> Result<Self, AuthoringError> {
        let LipOptions { group, mouths, .. } = options;
        let called = |id: ElementId, name: &str| {
            art.element(id).is_some_and(|element| {
                element.id.as_deref() == Some(name) || element.label.as_deref() == Some(name)
            })
        };
        let Ok(parent) = art.find(group) else {
            return Err(AuthoringError::Request(format!("the drawing has no group \"{group}\" of mouths")));
        };
        let children: Vec<(ElementId, String)> = art
            .children(parent)
            .filter_map(|id| {
                let element = art.element(id)?;
                Some((id, element.id.as_ref().or(element.label.as_ref())?.to_string()))
            })
            .collect();
        let all: Vec<String> = children.iter().map(|(_, name)| name.clone()).collect();
        for (_, name) in mouths {
            if !children.iter().any(|(id, _)| called(*id, name)) {
                let message = format!("there is no \"{name}\" in \"{group}\", which has {}", listed(&all));
                return Err(AuthoringError::Request(message));
            }
        }
        let named = |shape: MouthShape| {
            let given = mouths.iter().find(|(of, _)| *of == shape).map(|(_, name)| name.clone());
            let is_shape = |id: ElementId| {
                let element = art.element(id)?;
                let names = [element.label.as_deref(), element.id.as_deref()].into_iter().flatten();
                names.filter_map(shape_of).find(|found| *found == shape)
            };
            let own =
                || children.iter().find(|(id, _)| is_shape(*id).is_some()).map(|(_, name)| name.clone());
            Some((shape, given.or_else(own)?))
        };
        let names = MouthShape::all().into_iter().filter_map(named).collect();
        Ok(Self { group: group.clone(), names, all, notes: Vec::new() })
    }

    fn name(&mut self, shape: MouthShape) -> Result<String, AuthoringError> {
        let own =
            |shape: MouthShape| self.names.iter().find(|(of, _)| *of == shape).map(|(_, name)| name.clone());
        if let Some(name) = own(shape) {
            return Ok(name);
        }
        let letter = shape.letter();
        match shape.fallback().and_then(|other| Some((other, own(other)?))) {
            Some((other, name)) => {
                let note = format!(
                    "\"{}\" has no mouth {letter}: {} is seen in its place",
                    self.group,
                    other.letter()
                );
                if !self.notes.contains(&note) {
                    self.notes.push(note);
                }
                Ok(name)
            }
            None => Err(AuthoringError::Request(format!(
                "\"{}\" has no mouth {letter} ({}): it has {}\n  help: name mouths A to X or as Preston Blair, or say which is which by \
                 --mouths {letter}=NAME",
                self.group,
                shape.blair().join(" or "),
                listed(&self.all)
            ))),
        }
    }
}

/// The mouth of a name: a letter or a word of Preston Blair, alone or behind a separator, as in `mouth_A` or `mouth-MBP`.
fn shape_of(name: &str) -> Option<MouthShape> {
    let end = name.rsplit(['_', '-', ' ', '.', ':']).next().unwrap_or(name);
    // Of words that end in a letter, as in "plan a", only upper case is one.
    let letter =
        MouthShape::of_letter(end).filter(|_| end.len() == name.len() || end.chars().all(char::is_uppercase));
    letter.or_else(|| MouthShape::of_blair(end))
}

fn listed(names: &[String]) -> String {
    match names {
        [] => "no art with a name".to_owned(),
        names => names.iter().take(12).map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", "),
    }
}

//! Maps: which bones and joints are which parts of a body, as RON. All mistakes are reported at once, with
//! suggestions.

use bone_core::Skeleton;
use bone_format::diagnostic::{Place, nearest};
use bone_format::span::{SourceId, Sources, Span};
use bone_format::text::{FieldNode, Node, NodeKind, decode, parse};
use bone_format::{Diagnostic, Diagnostics};
use bone_import::controls::Control;
use bone_import::parts::{BodyPart, part_by_name};
use bone_import::retarget::RigMap;
use bone_import::{Body, PlanarMotion};

use crate::AuthoringError;

const FORM: &str = "a map is written like (bones: {\"thigh_l\": \"Leg1\"}, joints: {\"thigh_l\": \"LHip\"})";

/// The largest number of names in a message.
const MOST: usize = 40;

/// A map as it was read from a file: `(bones: {"thigh_l": "Leg1"}, joints: {"thigh_l": "LHip"})`.
#[derive(Clone, Debug)]
pub struct MapFile {
    /// Its name in messages.
    pub name: String,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// Reads a map and changes the parts that were found. Without a rig it has joints alone.
pub(crate) fn read(
    file: &MapFile,
    mut rig: Option<(&Skeleton, &mut RigMap)>,
    motion: &PlanarMotion,
    body: &mut Body,
) -> Result<(), AuthoringError> {
    let mut sources = Sources::new();
    let mut found = Diagnostics::new();
    let text = decode(SourceId::default(), &file.bytes, &mut found).into_owned();
    let source = sources.add(file.name.as_str(), text.as_str());
    if text.trim().is_empty() {
        let empty = Diagnostic::error("empty", "this map is empty").at(Place::new(source, Span::default()));
        return Err(AuthoringError::mistake(empty.help(FORM), sources));
    }
    let parsed = parse(source, &text, &mut found);
    let mut wrong = |span: Span, message: String, help: String| {
        found.push(Diagnostic::error("unreadable-file", message).at(Place::new(source, span)).help(help));
    };
    let fields: &[FieldNode] = match parsed.root.as_ref().map(|root| &root.kind) {
        Some(NodeKind::Struct(_, fields)) => fields,
        _ => {
            wrong(Span::default(), "this is not a map of bones and joints".to_owned(), FORM.to_owned());
            &[]
        }
    };
    for field in fields {
        let name = field.name.value.as_str();
        let NodeKind::Map(entries) = &field.value.kind else {
            wrong(field.value.span, format!("`{name}` has no entries in braces"), FORM.to_owned());
            continue;
        };
        if !["bones", "joints"].contains(&name) {
            wrong(
                field.name.span,
                format!("a map has no field `{name}`"),
                meant(name, "fields", &["bones", "joints"]),
            );
            continue;
        }
        for entry in entries {
            let (Some(key), Some(value)) = (word(&entry.key), word(&entry.value)) else {
                wrong(entry.key.span, "parts and names have to be in quotes".to_owned(), FORM.to_owned());
                continue;
            };
            let control = Control::by_name(key).filter(|_| name == "bones" && rig.is_some());
            let part = part_by_name(key);
            if control.is_none() && part.is_none() {
                let help = meant(key, "parts", &BodyPart::ALL.map(BodyPart::name));
                wrong(entry.key.span, format!("\"{key}\" is not a part of a body"), help);
                continue;
            }
            if name == "bones" {
                let Some((skeleton, map)) = &mut rig else {
                    let help = "add --rig, or map joints alone: (joints: {\"thigh_l\": \"LHip\"})";
                    wrong(entry.key.span, "there is no rig with bones".to_owned(), help.to_owned());
                    continue;
                };
                let Some(bone) = skeleton.find(value) else {
                    let names: Vec<&str> = skeleton.bones().map(|bone| skeleton.name(bone)).collect();
                    let message = format!("the rig has no bone \"{value}\"");
                    wrong(entry.value.span, message, meant(value, "bones", &names));
                    continue;
                };
                match control {
                    Some(control) => map.set_control(control, bone),
                    None => part.into_iter().for_each(|part| map.set(part, bone)),
                }
            } else if let Some(joint) = motion.find(value) {
                part.into_iter().for_each(|part| body.set(part, joint));
            } else {
                let names: Vec<&str> = motion.joints().iter().map(|joint| joint.name.as_str()).collect();
                let message = format!("the recording has no joint \"{value}\"");
                wrong(entry.value.span, message, meant(value, "joints", &names));
            }
        }
    }
    if found.has_errors() {
        return Err(AuthoringError::Mistakes(Box::new((found, sources))));
    }
    Ok(())
}

fn word(node: &Node) -> Option<&str> {
    match &node.kind {
        NodeKind::Text(text) => Some(text),
        _ => None,
    }
}

/// A suggestion for a name, or the list of names.
fn meant(name: &str, what: &str, names: &[&str]) -> String {
    match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean \"{near}\"?"),
        None => format!("{what} are {}", some(names)),
    }
}

/// A list of names, shortened.
pub(crate) fn some(names: &[&str]) -> String {
    let shown = names[..names.len().min(MOST)].join(", ");
    match names.len().saturating_sub(MOST) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

//! Puppets: pins that exist, and fields of bones that only pins use.

use std::collections::{BTreeMap, BTreeSet};

use bone_core::clip::Scalar;

use crate::check::Checker;
use crate::diagnostic::Diagnostic;
use crate::doc::{BindingDoc, BoneKind, PinTurn, PuppetDoc};
use crate::span::Span;
use crate::text::shortened;

impl Checker<'_, '_> {
    /// A `Puppet` binding of art with this name.
    pub(super) fn puppet(&mut self, puppet: &PuppetDoc, art: &str) {
        let mut listed: BTreeMap<&str, Span> = BTreeMap::new();
        for pin in &puppet.pins.value {
            self.refer(pin, &format!("`pins` of the puppet of art \"{art}\" names"));
            if let Some(first) = listed.insert(&pin.value, pin.span) {
                let place = self.place(first);
                let message = format!("pin \"{}\" is in this list twice", shortened(&pin.value));
                self.error(pin.span, Diagnostic::error("duplicate", message).related(place, "first here"));
            }
        }
    }

    /// `grip` and `turn` are of pins, and free pins are not turned by keys.
    pub(super) fn pins(&mut self) {
        let puppets = self.doc.skin.iter().filter_map(|binding| match binding {
            BindingDoc::Puppet(puppet) => Some(puppet),
            _ => None,
        });
        let pins: BTreeSet<&str> =
            puppets.flat_map(|puppet| &puppet.pins.value).map(|pin| pin.value.as_str()).collect();
        for bone in self.doc.bones.iter().filter(|bone| !pins.contains(bone.name.value.as_str())) {
            let fields =
                [("grip", bone.grip.map(|grip| grip.span)), ("turn", bone.turn.map(|turn| turn.span))];
            for (field, span) in fields {
                let Some(span) = span else { continue };
                let name = shortened(&bone.name.value);
                let message =
                    format!("`{field}` of bone \"{name}\" has no effect: no puppet has it as a pin");
                let help = format!("remove it, or add \"{name}\" to `pins` of a Puppet");
                self.error(span, Diagnostic::warning("no-effect", message).help(help));
            }
        }
        let is_free = |name: &str| {
            let bone = self.doc.bones.iter().find(|bone| bone.name.value == name);
            bone.is_some_and(|bone| {
                bone.kind() == BoneKind::Point && bone.turn.is_none_or(|turn| turn.value == PinTurn::Free)
            })
        };
        let alone: BTreeSet<&str> = self
            .doc
            .skin
            .iter()
            .filter_map(|binding| match binding {
                BindingDoc::Puppet(puppet) if puppet.pins.value.len() == 1 => {
                    Some(puppet.pins.value[0].value.as_str())
                }
                _ => None,
            })
            .collect();
        let mut found = Vec::new();
        for clip in &self.doc.clips {
            for bone in &clip.bones {
                let name = bone.bone.value.as_str();
                let is_pin = pins.contains(name) && !alone.contains(name) && is_free(name);
                let is_parent =
                    || self.doc.bones.iter().any(|b| b.parent.as_ref().is_some_and(|p| p.value == name));
                if is_pin && bone.values.number(Scalar::Rotate).is_some() && !is_parent() {
                    found.push((bone.bone.span, name.to_owned()));
                }
            }
        }
        for (span, name) in found {
            let message =
                format!("`rotate` of pin \"{}\" has no effect: the pins around it turn it", shortened(&name));
            let help = "set `turn: Set` at this bone, and it turns with its keys";
            self.error(span, Diagnostic::warning("no-effect", message).help(help));
        }
    }
}

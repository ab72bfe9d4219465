//! Bones: parents that exist and lead to a root, and fields that go together.

use crate::check::Checker;
use crate::diagnostic::Diagnostic;
use crate::doc::{BoneDoc, BoneKind, Joint};
use crate::span::Spanned;
use crate::text::shortened;

fn owner(bone: &BoneDoc) -> String {
    format!("bone \"{}\"", shortened(&bone.name.value))
}

impl Checker<'_, '_> {
    pub(super) fn bones(&mut self) {
        for bone in &self.doc.bones {
            if let Some(parent) = &bone.parent {
                self.refer(parent, &format!("the parent of bone \"{}\" is", shortened(&bone.name.value)));
            }
            self.line(bone);
            self.start(bone);
            self.extent(bone);
            self.joint_limits(bone);
        }
        self.loops();
    }

    /// `line` gives both ends.
    fn line(&mut self, bone: &BoneDoc) {
        let Some(line) = &bone.line else { return };
        let name = shortened(&bone.name.value);
        if line.value.trim().is_empty() {
            let message = format!("`line` of bone \"{name}\" is empty");
            self.error(
                line.span,
                Diagnostic::error("empty", message).help("write the name of an open path of the drawing"),
            );
        }
        let typed = [
            ("from", bone.from.map(|from| from.span)),
            ("origin", bone.origin.map(|origin| origin.span)),
            ("to", bone.to.map(|to| to.span)),
            ("length", bone.length.map(|length| length.span)),
            ("angle", bone.angle.map(|angle| angle.span)),
        ];
        let help = "`line` gives both ends: remove one of the two";
        for field in typed {
            self.both(&owner(bone), ("line", Some(line.span)), field, help);
        }
    }

    /// `from` or `origin`.
    fn start(&mut self, bone: &BoneDoc) {
        let (from, origin) = (bone.from.map(|from| from.span), bone.origin.map(|origin| origin.span));
        let help = "both give its start: `from` on the canvas, `origin` in the frame of the parent; keep one";
        self.both(&owner(bone), ("from", from), ("origin", origin), help);
        let placed_by_hand = bone.complete && bone.line.is_none();
        if placed_by_hand && bone.parent.is_none() && from.is_none() && origin.is_none() {
            let message = format!("{} has no parent, so it needs `from`", owner(bone));
            let help = "add from: (x, y), its start on the canvas, or `parent`";
            self.error(bone.name.span, Diagnostic::error("missing-field", message).help(help));
        }
    }

    /// `to`, or `length` and `angle`; a point has neither.
    fn extent(&mut self, bone: &BoneDoc) {
        let name = shortened(&bone.name.value);
        if let Some(kind) = bone.kind.filter(|kind| kind.value == BoneKind::Point) {
            let help = "a point has no length: remove one of the two";
            let typed = [
                ("line", bone.line.as_ref().map(|line| line.span)),
                ("to", bone.to.map(|to| to.span)),
                ("length", bone.length.map(|length| length.span)),
            ];
            for field in typed {
                self.both(&owner(bone), ("kind: Point", Some(kind.span)), field, help);
            }
            return;
        }
        let to = ("to", bone.to.map(|to| to.span));
        let length = ("length", bone.length.map(|length| length.span));
        let angle = ("angle", bone.angle.map(|angle| angle.span));
        self.both(&owner(bone), to, length, "`to` gives its length too: keep one");
        self.both(&owner(bone), to, angle, "`to` gives its angle too: use `length` and `angle`, or `to`");
        if bone.complete && bone.line.is_none() && bone.to.is_none() && bone.length.is_none() {
            let diagnostic =
                Diagnostic::error("missing-field", format!("bone \"{name}\" has no `to` and no `length`"));
            self.error(
                bone.name.span,
                diagnostic.help("add to: (x, y), its end on the canvas, or length: 60"),
            );
        }
        if let (Some(from), Some(to)) = (bone.from, bone.to)
            && from.value == to.value
        {
            let place = self.place(from.span);
            let diagnostic = Diagnostic::error(
                "no-length",
                format!("`from` and `to` of bone \"{name}\" are the same point"),
            );
            let diagnostic = diagnostic.related(place, "`from` is here");
            self.error(to.span, diagnostic.help("a bone needs a length other than 0 to have a direction"));
        }
    }

    /// `limits`.
    fn joint_limits(&mut self, bone: &BoneDoc) {
        let name = shortened(&bone.name.value);
        if let Some(Spanned { value, span }) = bone.limits {
            // Asked this way round, "not a number" is wrong too.
            let in_order = value.least <= value.most;
            if !in_order {
                let message = format!("the minimum of `limits` of bone \"{name}\" is above the maximum");
                let help = format!("write limits: ({}, {})", value.most, value.least);
                self.error(span, Diagnostic::error("range-reversed", message).help(help));
            } else if value.least > 0.0 || value.most < 0.0 {
                let message = format!("`limits` of bone \"{name}\" exclude its setup pose");
                let help = "limits are relative to the setup pose, which is 0";
                self.error(span, Diagnostic::warning("excludes-setup-pose", message).help(help));
            }
            if let Some(joint @ (Joint::Free | Joint::Fixed)) = bone.joint.map(|joint| joint.value) {
                let word = if joint == Joint::Free { "Free" } else { "Fixed" };
                let message =
                    format!("`limits` of bone \"{name}\" have no effect, because its `joint` is `{word}`");
                self.error(
                    span,
                    Diagnostic::warning("no-effect", message)
                        .help("write joint: Pin or joint: Slide, or remove `limits`"),
                );
            }
        }
    }

    /// Cycles of parents, each once.
    fn loops(&mut self) {
        let parents = self.setup_parents();
        // 0: not seen, otherwise the walk that saw it first.
        let mut seen = vec![0_usize; parents.len()];
        for start in 0..parents.len() {
            let walk = start + 1;
            let mut at = Some(start);
            while let Some(bone) = at {
                match seen.get_mut(bone) {
                    Some(mark @ 0) => *mark = walk,
                    Some(mark) if *mark == walk => {
                        self.ring(bone, &parents);
                        break;
                    }
                    _ => break,
                }
                at = parents.get(bone).copied().flatten();
            }
        }
    }

    /// Reports the ring that `entry` is part of, at the first of its bones in the file.
    fn ring(&mut self, entry: usize, parents: &[Option<usize>]) {
        let mut members = vec![entry];
        let mut at = parents.get(entry).copied().flatten();
        while let Some(bone) = at.filter(|&bone| bone != entry) {
            members.push(bone);
            at = parents.get(bone).copied().flatten();
        }
        let least = members.iter().enumerate().min_by_key(|&(_, bone)| bone).map_or(0, |(index, _)| index);
        members.rotate_left(least);
        let Some(first) = members.first().and_then(|&bone| self.doc.bones.get(bone)) else { return };
        let span = first.parent.as_ref().map_or(first.name.span, |parent| parent.span);
        let (message, help) = match members.len() {
            1 => {
                let message =
                    format!("the parent of bone \"{}\" is the bone itself", shortened(&first.name.value));
                (message, "give it another parent, or leave out `parent`")
            }
            _ => {
                let message =
                    format!("the parents of these bones form a cycle: {}", self.cycle_text(&members));
                (message, "give one of them another parent, or remove its `parent`")
            }
        };
        self.error(span, Diagnostic::error("cycle", message).help(help));
    }

    /// The parent of each bone in the setup pose; none for roots and unknown names.
    pub(super) fn setup_parents(&self) -> Vec<Option<usize>> {
        self.doc.bones.iter().map(|bone| self.index(&bone.parent.as_ref()?.value)).collect()
    }
}

//! Constraints: the rules of the rig, and what clips do with them.
//! Whether bones exist and numbers are in range is for `check`.

use kurbo::{Point, Vec2};

use crate::diagnostic::{Diagnostic, nearest};
use crate::doc::{
    AimDoc, AttachmentPointDoc, Bend, BendChannel, ConstraintChannelsDoc, ConstraintDoc, ConstraintKind,
    CopyDoc, DistanceDoc, EndAngle, EndDoc, HoldDoc, IkDoc, KeepDistance, LimitDoc, PathDoc, PathTurn, Space,
    TargetDoc,
};
use crate::read::Reader;
use crate::read::clips::ReadValue;
use crate::read::fields::Fields;
use crate::span::{Span, Spanned};
use crate::text::{Node, NodeKind, shortened};

/// Constraints as they are written.
pub(super) const CONSTRAINT_LIST: &str = "[Ik(name: \"hand\", tip: \"fore.L\", target: \"goal\", chain: 2)]";

const KINDS: [&str; 7] = ["Ik", "Pin", "Aim", "Copy", "Limit", "Path", "Distance"];

const BEND: [(&str, Bend); 4] =
    [("Auto", Bend::Auto), ("Left", Bend::Left), ("Right", Bend::Right), ("Either", Bend::Either)];

const ANGLE: [(&str, EndAngle); 3] =
    [("Free", EndAngle::Free), ("Keep", EndAngle::Keep), ("Target", EndAngle::Target)];

const TURN: [(&str, PathTurn); 3] =
    [("Chain", PathTurn::Chain), ("Tangent", PathTurn::Tangent), ("Keep", PathTurn::Keep)];

const KEEP: [(&str, KeepDistance); 3] =
    [("At", KeepDistance::At), ("Under", KeepDistance::Under), ("Over", KeepDistance::Over)];

const SPACE: [(&str, Space); 2] = [("Local", Space::Local), ("Canvas", Space::Canvas)];

impl<'d> Reader<'d> {
    /// A constraint; none if its kind or what it cannot do without is unreadable.
    pub(super) fn constraint(&mut self, node: &Node) -> Option<ConstraintDoc> {
        let name = match &node.kind {
            NodeKind::Struct(name, _) | NodeKind::Tuple(name, _) => name.as_deref(),
            NodeKind::Broken => return None,
            _ => {
                self.wrong(
                    node,
                    "this constraint",
                    "`Ik(…)` or another one",
                    CONSTRAINT_LIST.trim_matches(['[', ']']),
                );
                return None;
            }
        };
        let Some(kind) = name else {
            let span = Span::new(node.span.start, node.span.start + 1);
            let diagnostic = Diagnostic::error("this constraint has no kind");
            self.report(span, diagnostic.help(format!("write one of {}", kinds())));
            return None;
        };
        let errors = self.diagnostics.error_count();
        let (own, example): (&[&str], &str) = match kind.value.as_str() {
            "Ik" => (
                &[
                    "tip",
                    "point",
                    "target",
                    "target_point",
                    "chain",
                    "angle",
                    "bend",
                    "softness",
                    "stretch",
                    "compress",
                    "stiffness",
                    "also",
                ],
                "Ik(name: \"hand\", tip: \"fore.L\", target: \"goal\", chain: 2)",
            ),
            "Pin" => (
                &[
                    "bone",
                    "point",
                    "at",
                    "chain",
                    "angle",
                    "bend",
                    "softness",
                    "stretch",
                    "compress",
                    "stiffness",
                ],
                "Pin(name: \"foot\", bone: \"foot.L\", chain: 2)",
            ),
            "Aim" => (&["bone", "target", "target_point", "offset"], "Aim(bone: \"eye\", target: \"ball\")"),
            "Copy" => (
                &[
                    "bone",
                    "from",
                    "rotate",
                    "move",
                    "scale",
                    "rotate_offset",
                    "move_offset",
                    "scale_offset",
                    "space",
                ],
                "Copy(bone: \"wheel.B\", from: \"wheel.A\", rotate: 1)",
            ),
            "Limit" => (
                &["bone", "rotate", "move_x", "move_y", "scale_x", "scale_y"],
                "Limit(bone: \"head\", rotate: (-40, 40))",
            ),
            "Path" => (
                &["bones", "art", "position", "spacing", "turn"],
                "Path(bones: [\"car.1\", \"car.2\"], art: \"track\")",
            ),
            "Distance" => (
                &["bone", "point", "target", "target_point", "distance", "keep"],
                "Distance(bone: \"dog\", target: \"hand\", distance: 80, keep: Under)",
            ),
            other => {
                let mut diagnostic =
                    Diagnostic::error(format!("there is no constraint `{}`", shortened(other)));
                if let Some(near) = nearest(other, KINDS) {
                    diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
                }
                self.report(kind.span, diagnostic.help(format!("write one of {}", kinds())));
                return None;
            }
        };
        let known = [&["name", "mix"], own].concat();
        let owner = "this constraint";
        let mut fields = self.fields(node, owner, example, &known)?;
        let name = fields.take("name").and_then(|node| self.text(node, "`name`", "\"hand\""));
        let mix = fields.take("mix").and_then(|node| self.number(node, "`mix`", "0.5"));
        let fields = &mut fields;
        let read = match kind.value.as_str() {
            "Ik" => self.ik(fields).map(ConstraintKind::Ik),
            "Pin" => self.pin(fields).map(ConstraintKind::Pin),
            "Aim" => self.aim(fields).map(ConstraintKind::Aim),
            "Copy" => self.copy(fields).map(ConstraintKind::Copy),
            "Limit" => self.limit(fields).map(ConstraintKind::Limit),
            "Path" => self.along(fields).map(ConstraintKind::Path),
            _ => self.distance(fields).map(ConstraintKind::Distance),
        };
        let complete = fields.complete && errors == self.diagnostics.error_count();
        Some(ConstraintDoc { span: node.span, name, mix, kind: read?, complete })
    }

    fn ik(&mut self, fields: &mut Fields<'_>) -> Option<IkDoc> {
        let also = fields.take("also");
        let first = self.end(fields, "tip");
        let mut ends: Vec<EndDoc> = Vec::new();
        if let Some(node) = also {
            let example = "[(tip: \"fore.R\", chain: 3)]";
            for item in self.list(node, "`also`", example).unwrap_or_default() {
                let known = ["tip", "point", "target", "target_point", "chain", "angle"];
                let Some(mut fields) =
                    self.fields(item, "this end", example.trim_matches(['[', ']']), &known)
                else {
                    continue;
                };
                ends.extend(self.end(&mut fields, "tip"));
            }
        }
        let mut ik = self.chain(fields, first?);
        ik.ends.append(&mut ends);
        Some(ik)
    }

    fn pin(&mut self, fields: &mut Fields<'_>) -> Option<IkDoc> {
        let at = fields.take("at").and_then(|node| self.point_of(node, "`at`"));
        let mut end = self.end(fields, "bone")?;
        end.target = at.map(TargetDoc::Place);
        Some(self.chain(fields, end))
    }

    /// One end; `tip` is the field that names its bone.
    fn end(&mut self, fields: &mut Fields<'_>, tip: &str) -> Option<EndDoc> {
        let tip = self.bone_field(fields, tip);
        let point = self.spot(fields, "point");
        let target = fields.take("target").and_then(|node| self.target(node));
        let target_point = self.spot(fields, "target_point");
        let chain = fields.take("chain").and_then(|node| self.number(node, "`chain`", "2"));
        let angle = fields.take("angle").and_then(|node| self.word(node, "`angle`", &ANGLE));
        Some(EndDoc { tip: tip?, point, target, target_point, chain, angle })
    }

    /// What `Ik` and `Pin` have besides their ends.
    fn chain(&mut self, fields: &mut Fields<'_>, end: EndDoc) -> IkDoc {
        let bend = fields.take("bend").and_then(|node| self.word(node, "`bend`", &BEND));
        let mut number = |name: &str, example: &str| {
            fields.take(name).and_then(|node| self.number(node, &format!("`{name}`"), example))
        };
        let softness = number("softness", "0.1");
        let stretch = number("stretch", "1.5");
        let compress = number("compress", "0.5");
        let mut stiffness = Vec::new();
        if let Some(node) = fields.take("stiffness") {
            let (entries, _) = self.named_entries(node, "`stiffness`", "bone", "{\"upper.L\": 3}");
            for (bone, node) in entries {
                let value = self.number(node, "the stiffness of a bone", "3");
                stiffness.extend(value.map(|value| (bone, value)));
            }
        }
        IkDoc { ends: vec![end], bend, softness, stretch, compress, stiffness }
    }

    fn aim(&mut self, fields: &mut Fields<'_>) -> Option<AimDoc> {
        let bone = self.bone_field(fields, "bone");
        let target = self.needed_target(fields);
        let target_point = self.spot(fields, "target_point");
        let offset = fields.take("offset").and_then(|node| self.number(node, "`offset`", "90"));
        Some(AimDoc { bone: bone?, target: target?, target_point, offset })
    }

    fn copy(&mut self, fields: &mut Fields<'_>) -> Option<CopyDoc> {
        let bone = self.bone_field(fields, "bone");
        let from = self.bone_field(fields, "from");
        let mut number =
            |name: &str| fields.take(name).and_then(|node| self.number(node, &format!("`{name}`"), "1"));
        let (rotate, shift, scale) = (number("rotate"), number("move"), number("scale"));
        let rotate_offset = number("rotate_offset");
        let mut vector =
            |name: &str| fields.take(name).and_then(|node| self.vector(node, &format!("`{name}`")));
        let (shift_offset, scale_offset) = (vector("move_offset"), vector("scale_offset"));
        let space = fields.take("space").and_then(|node| self.word(node, "`space`", &SPACE));
        let (bone, from) = (bone?, from?);
        Some(CopyDoc { bone, from, rotate, shift, scale, rotate_offset, shift_offset, scale_offset, space })
    }

    fn limit(&mut self, fields: &mut Fields<'_>) -> Option<LimitDoc> {
        let bone = self.bone_field(fields, "bone");
        let mut range = |name: &str| {
            fields.take(name).and_then(|node| self.pair(node, &format!("`{name}`"), "(-40, 40)"))
        };
        let (rotate, move_x, move_y) = (range("rotate"), range("move_x"), range("move_y"));
        let (scale_x, scale_y) = (range("scale_x"), range("scale_y"));
        Some(LimitDoc { bone: bone?, rotate, move_x, move_y, scale_x, scale_y })
    }

    fn along(&mut self, fields: &mut Fields<'_>) -> Option<PathDoc> {
        let example = "bones: [\"car.1\", \"car.2\"]";
        let bones = self.required(fields, "bones", example).and_then(|node| {
            let items = self.list(node, "`bones`", "[\"car.1\", \"car.2\"]")?;
            Some(
                items.iter().filter_map(|item| self.text(item, "a bone on this path", "\"car.1\"")).collect(),
            )
        });
        let art = self.required(fields, "art", "art: \"track\"");
        let art = art.and_then(|node| self.text(node, "`art`", "\"track\""));
        let position = fields.take("position").and_then(|node| self.number(node, "`position`", "0.25"));
        let spacing = fields.take("spacing").and_then(|node| self.number(node, "`spacing`", "40"));
        let turn = fields.take("turn").and_then(|node| self.word(node, "`turn`", &TURN));
        Some(PathDoc { bones: bones?, art: art?, position, spacing, turn })
    }

    fn distance(&mut self, fields: &mut Fields<'_>) -> Option<DistanceDoc> {
        let bone = self.bone_field(fields, "bone");
        let point = self.spot(fields, "point");
        let target = self.needed_target(fields);
        let target_point = self.spot(fields, "target_point");
        let distance = self.required(fields, "distance", "distance: 80");
        let distance = distance.and_then(|node| self.number(node, "`distance`", "80"));
        let keep = fields.take("keep").and_then(|node| self.word(node, "`keep`", &KEEP));
        Some(DistanceDoc { bone: bone?, point, target: target?, target_point, distance: distance?, keep })
    }

    fn bone_field(&mut self, fields: &mut Fields<'_>, name: &str) -> Option<Spanned<String>> {
        let node = self.required(fields, name, &format!("{name}: \"fore.L\""))?;
        self.text(node, &format!("`{name}`"), "\"fore.L\"")
    }

    fn needed_target(&mut self, fields: &mut Fields<'_>) -> Option<TargetDoc> {
        let node = self.required(fields, "target", "target: \"goal\"")?;
        self.target(node)
    }

    /// `"goal"` or `(120, 80)`.
    fn target(&mut self, node: &Node) -> Option<TargetDoc> {
        match node.kind {
            NodeKind::Text(_) | NodeKind::Word(_) => {
                self.text(node, "`target`", "\"goal\"").map(TargetDoc::Bone)
            }
            _ => self.point_of(node, "`target`, a bone or a point of the canvas,").map(TargetDoc::Place),
        }
    }

    fn point_of(&mut self, node: &Node, what: &str) -> Option<Spanned<Point>> {
        self.vector(node, what).map(|at| at.map(Vec2::to_point))
    }

    /// `Origin`, `Tip` or `(12, 5)`.
    fn spot(&mut self, fields: &mut Fields<'_>, name: &str) -> Option<Spanned<AttachmentPointDoc>> {
        let node = fields.take(name)?;
        let what = format!("`{name}`");
        match node.kind {
            NodeKind::Word(_) | NodeKind::Text(_) => self.word(
                node,
                &what,
                &[("Origin", AttachmentPointDoc::Origin), ("Tip", AttachmentPointDoc::Tip)],
            ),
            _ => self.point_of(node, &what).map(|at| at.map(AttachmentPointDoc::At)),
        }
    }

    /// `constraints` of a clip.
    pub(super) fn constraint_channels(&mut self, fields: &mut Fields<'_>) -> Vec<ConstraintChannelsDoc> {
        let Some(node) = fields.take("constraints") else { return Vec::new() };
        let example = "{\"hand\": (mix: [(0, 0), (1, 1)])}";
        let (entries, _) = self.named_entries(node, "`constraints`", "constraint", example);
        entries.into_iter().map(|(name, node)| self.channels_of(name, node)).collect()
    }

    fn channels_of(&mut self, name: Spanned<String>, node: &Node) -> ConstraintChannelsDoc {
        let owner = format!("the entry for constraint \"{}\"", shortened(&name.value));
        let mut channels = ConstraintChannelsDoc { name, ..ConstraintChannelsDoc::default() };
        let known = ["mix", "target", "bend", "softness", "position", "distance", "holds"];
        let Some(mut fields) = self.fields(node, &owner, "(mix: [(0, 0), (1, 1)])", &known) else {
            return channels;
        };
        let number: ReadValue<'d, f64> = |reader, node, what| reader.number(node, what, "0.5");
        let point: ReadValue<'d, Point> = |reader, node, what| reader.point_of(node, what);
        channels.mix = self.channel(fields.take("mix"), "`mix`", "(0, 1)", number);
        channels.target = self.channel(fields.take("target"), "`target`", "(0, (120, 80))", point);
        channels.softness = self.channel(fields.take("softness"), "`softness`", "(0, 0.1)", number);
        channels.position = self.channel(fields.take("position"), "`position`", "(0, 0.25)", number);
        channels.distance = self.channel(fields.take("distance"), "`distance`", "(0, 80)", number);
        channels.bend = fields.take("bend").and_then(|node| self.bends(node));
        if let Some(node) = fields.take("holds") {
            let items = self.list(node, "`holds`", "[(from: 0.2, until: 0.6)]").unwrap_or_default();
            channels.holds = items.iter().filter_map(|item| self.held(item)).collect();
        }
        channels
    }

    /// `[(0, Left), (1.5, Right)]`.
    fn bends(&mut self, node: &Node) -> Option<BendChannel> {
        let example = "(0, Left)";
        let mut keys = Vec::new();
        for item in self.keys(node, "`bend`", example)? {
            let Some((time, value, third)) = self.key(item, "`bend`", example) else { continue };
            let bend = self.word(value, "a key of `bend`", &BEND);
            if let Some(third) = third {
                let diagnostic =
                    Diagnostic::error("a key of `bend` cannot have an ease: it changes at its time");
                self.report(third.span, diagnostic);
            }
            keys.extend(time.zip(bend));
        }
        Some(BendChannel { span: node.span, keys })
    }

    /// `(from: 0.2, until: 0.6, at: (120, 300))`.
    fn held(&mut self, node: &Node) -> Option<HoldDoc> {
        let known = ["from", "until", "at", "ease", "drift"];
        let mut fields = self.fields(node, "this hold", "(from: 0.2, until: 0.6)", &known)?;
        let from = self.required(&mut fields, "from", "from: 0.2");
        let from = from.and_then(|node| self.number(node, "`from`", "0.2"));
        let until = self.required(&mut fields, "until", "until: 0.6");
        let until = until.and_then(|node| self.number(node, "`until`", "0.6"));
        let at = fields.take("at").and_then(|node| self.point_of(node, "`at`"));
        let ease = fields.take("ease").and_then(|node| match node.kind {
            NodeKind::Number(_) => {
                self.number(node, "`ease`", "0.1").map(|ease| ease.map(|ease| (ease, ease)))
            }
            _ => self.pair(node, "`ease`", "(0.1, 0.1)"),
        });
        let drift = fields.take("drift").and_then(|node| self.vector(node, "`drift`"));
        Some(HoldDoc { span: node.span, from: from?, until: until?, at, ease, drift })
    }
}

fn kinds() -> String {
    KINDS.map(|kind| format!("`{kind}`")).join(", ")
}

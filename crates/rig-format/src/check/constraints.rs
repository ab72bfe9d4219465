//! Constraints: bones that exist, numbers in range, chains within their tree, targets that do not ride on
//! their own chain, no cycles of constraints, and clips that refer to constraints that exist.

use std::collections::{BTreeMap, BTreeSet};

use bone_core::constraint::{AttachmentPoint, ConstraintProperty};
use bone_core::in_few_digits_beside;

use crate::check::Checker;
use crate::check::clips::{Axis, seconds_beside};
use crate::diagnostic::Diagnostic;
use crate::doc::{
    ClipDoc, ConstraintChannelsDoc, ConstraintDoc, ConstraintKind, EndAngle, EndDoc, IkDoc, LimitDoc,
    TargetDoc,
};
use crate::span::{Span, Spanned};
use crate::text::shortened;

/// What one constraint reads and moves: places of bones in the document.
#[derive(Default)]
struct Dependencies {
    /// Bones it follows, and where it names them.
    reads: Vec<(usize, Span)>,
    writes: Vec<usize>,
}

impl Checker<'_, '_> {
    pub(super) fn constraints(&mut self) {
        let doc = self.doc;
        let mut names: BTreeMap<&str, Span> = BTreeMap::new();
        for constraint in &doc.constraints {
            if let Some(name) = &constraint.name
                && let Some(first) = names.insert(&name.value, name.span)
            {
                let message = format!("two constraints have the name \"{}\"", shortened(&name.value));
                let place = self.place(first);
                self.error(name.span, Diagnostic::error("duplicate", message).related(place, "first here"));
            }
            if let Some(on) = &constraint.on {
                let moves = self.dependencies(constraint).writes;
                self.followed(on, ("`on` of this constraint is", "bone"), &moves);
            }
            match &constraint.kind {
                ConstraintKind::Ik(ik) | ConstraintKind::Pin(ik) => self.ik(ik),
                ConstraintKind::Aim(aim) => {
                    let bone = self.refer(&aim.bone, "`bone` of this constraint is");
                    self.target(&aim.target, bone.as_slice());
                }
                ConstraintKind::Copy(copy) => {
                    let bone = self.refer(&copy.bone, "`bone` of this constraint is");
                    let from = self.refer(&copy.from, "`from` of this constraint is");
                    if bone.is_some() && bone == from {
                        self.error(
                            copy.from.span,
                            Diagnostic::error(
                                "same-bone",
                                "`from` and `bone` of this constraint are the same bone",
                            ),
                        );
                    }
                    if copy.rotate.is_none()
                        && copy.shift.is_none()
                        && copy.scale.is_none()
                        && constraint.complete
                    {
                        let diagnostic = Diagnostic::warning(
                            "no-effect",
                            "this constraint has no `rotate`, no `move` and no `scale`, so it copies nothing",
                        );
                        self.error(copy.bone.span, diagnostic.help("add rotate: 1, move: 1 or scale: 1"));
                    }
                }
                ConstraintKind::Limit(limit) => self.limit(limit),
                ConstraintKind::Path(path) => {
                    for bone in &path.bones {
                        self.refer(bone, "`bones` of this constraint names");
                    }
                    self.path_order(&path.bones);
                }
                ConstraintKind::Distance(distance) => {
                    let bone = self.refer(&distance.bone, "`bone` of this constraint is");
                    self.target(&distance.target, bone.as_slice());
                }
            }
        }
        self.evaluation_order();
    }

    fn ik(&mut self, ik: &IkDoc) {
        for end in &ik.ends {
            self.end(end);
        }
        for (bone, _) in &ik.stiffness {
            self.refer(bone, "`stiffness` of this constraint names");
        }
    }

    fn end(&mut self, end: &EndDoc) {
        let Some(tip) = self.refer(&end.tip, "this constraint brings") else {
            if let Some(target) = &end.target {
                self.target(target, &[]);
            }
            return;
        };
        let chain = self.chain(end, tip);
        let counted = self.above(tip).len() + 1 - usize::from(tip_is_fixed(end));
        if let Some(asked) = end.chain {
            let name = shortened(&end.tip.value);
            if asked.value > counted as f64 {
                let bones = if counted == 1 { "bone" } else { "bones" };
                let asked_chain = in_few_digits_beside(asked.value, &[counted as f64]);
                let message =
                    format!("`chain` is {asked_chain}, and only {counted} {bones} can move for \"{name}\"");
                let help = match tip_is_fixed(end) {
                    true => {
                        "do not count the bone itself: with `point: Origin` or `angle` it does not rotate to reach the target"
                    }
                    false => "count the bone itself and its ancestors, up to the root",
                };
                self.error(asked.span, Diagnostic::error("chain-too-long", message).help(help));
            }
        }
        if counted == 0 {
            let message = format!(
                "no bone can move for \"{}\": with `point: Origin` or `angle` only its ancestors move, and it has no parent",
                shortened(&end.tip.value)
            );
            self.error(end.tip.span, Diagnostic::error("chain-too-long", message));
        }
        if let Some(target) = &end.target {
            self.target(target, &chain);
        }
        if let Some(angle) = end.angle.filter(|angle| angle.value == EndAngle::Target)
            && !matches!(end.target, Some(TargetDoc::Bone(_)))
        {
            let message = "`angle: Target` needs a bone as `target`";
            self.error(
                angle.span,
                Diagnostic::error("not-possible-here", message).help(
                    "a point of the canvas has no angle: write angle: Keep, or name a bone as `target`",
                ),
            );
        }
    }

    /// The bones that may move for an end.
    fn chain(&self, end: &EndDoc, tip: usize) -> Vec<usize> {
        let count = end.chain.map_or(EndDoc::CHAIN, |chain| chain.value) as usize;
        let from = usize::from(tip_is_fixed(end));
        std::iter::once(tip).chain(self.above(tip)).skip(from).take(count).collect()
    }

    /// The bones above one, nearest first. Ends in a loop of parents, which is reported elsewhere.
    fn above(&self, bone: usize) -> Vec<usize> {
        let mut above = Vec::new();
        let parent = |bone: usize| self.parents.get(bone).copied().flatten();
        let mut at = parent(bone);
        while let Some(bone) = at.filter(|_| above.len() < self.parents.len()) {
            above.push(bone);
            at = parent(bone);
        }
        above
    }

    /// A target: a bone that exists and does not ride on what moves for it.
    fn target(&mut self, target: &TargetDoc, moves: &[usize]) {
        if let TargetDoc::Bone(name) = target {
            self.followed(name, ("`target` of this constraint is", "target"), moves);
        }
    }

    /// A bone that a constraint follows, which must not be carried by those that it moves.
    fn followed(&mut self, name: &Spanned<String>, (what, short): (&str, &str), moves: &[usize]) {
        let Some(bone) = self.refer(name, what) else { return };
        let carrier = std::iter::once(bone).chain(self.above(bone)).find(|above| moves.contains(above));
        if let Some(carrier) = carrier {
            let message = if carrier == bone {
                format!("the {short} \"{}\" is moved by this constraint", shortened(&name.value))
            } else {
                let above = shortened(self.name(carrier)).to_owned();
                format!(
                    "the {short} \"{}\" is a descendant of \"{above}\", which this constraint moves",
                    shortened(&name.value)
                )
            };
            let help =
                format!("give the {short} another parent or no parent: it must not move with the chain");
            self.error(name.span, Diagnostic::error("target-moves-along", message).help(help));
        }
    }

    fn limit(&mut self, limit: &LimitDoc) {
        self.refer(&limit.bone, "`bone` of this constraint is");
        let ranges = [
            ("rotate", limit.rotate, 0.0),
            ("move_x", limit.move_x, 0.0),
            ("move_y", limit.move_y, 0.0),
            ("scale_x", limit.scale_x, 1.0),
            ("scale_y", limit.scale_y, 1.0),
        ];
        if ranges.iter().all(|(_, range, _)| range.is_none()) {
            let diagnostic =
                Diagnostic::warning("no-effect", "this constraint has no range, so it limits nothing");
            self.error(limit.bone.span, diagnostic.help("add rotate: (-40, 40) or another range"));
        }
        for (name, range, rest) in ranges {
            let Some(range) = range else { continue };
            let (least, most) = range.value;
            if least > most {
                let message = format!(
                    "the minimum of `{name}` is {}, above its maximum {}",
                    in_few_digits_beside(least, &[most]),
                    in_few_digits_beside(most, &[least])
                );
                self.error(
                    range.span,
                    Diagnostic::error("range-reversed", message).help(format!("write ({most}, {least})")),
                );
            } else if rest < least || rest > most {
                let message = format!(
                    "`{name}` from {} to {} excludes its value in the setup pose, {rest}",
                    in_few_digits_beside(least, &[rest]),
                    in_few_digits_beside(most, &[rest])
                );
                let help = "the constraint moves the bone even in the setup pose, which then differs from the drawing";
                self.error(range.span, Diagnostic::warning("excludes-setup-pose", message).help(help));
            }
        }
    }

    /// A bone on a path is placed after the one that carries it.
    fn path_order(&mut self, bones: &[Spanned<String>]) {
        let indices: Vec<Option<usize>> = bones.iter().map(|bone| self.index(&bone.value)).collect();
        let mut places: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (k, index) in indices.iter().enumerate() {
            index.iter().for_each(|index| places.entry(*index).or_default().push(k));
        }
        let mut seen = BTreeSet::new();
        for (k, (bone, index)) in bones.iter().zip(&indices).enumerate() {
            let Some(index) = *index else { continue };
            if !seen.insert(index) {
                let message = format!("bone \"{}\" is in `bones` twice", shortened(&bone.value));
                self.error(bone.span, Diagnostic::error("duplicate", message));
            }
            // The first bone later on the path that is an ancestor of this one.
            let above = self.above(index);
            let later = |bone: usize| {
                let places = places.get(&bone)?;
                Some((*places.get(places.partition_point(|place| *place <= k))?, bone))
            };
            if let Some((_, carrier)) = above.into_iter().filter_map(later).min() {
                let carrier = shortened(self.name(carrier)).to_owned();
                let message = format!(
                    "bone \"{}\" is a descendant of \"{carrier}\", which comes later in `bones`",
                    shortened(&bone.value)
                );
                self.error(
                    bone.span,
                    Diagnostic::error("order", message).help("list parents before their children"),
                );
            }
        }
    }

    fn dependencies(&self, constraint: &ConstraintDoc) -> Dependencies {
        let mut dependencies = Dependencies::default();
        let on = constraint.on.iter();
        dependencies.reads.extend(on.filter_map(|on| Some((self.index(&on.value)?, on.span))));
        let follow = |target: &TargetDoc, dependencies: &mut Dependencies| {
            if let TargetDoc::Bone(bone) = target {
                dependencies.reads.extend(self.index(&bone.value).map(|index| (index, bone.span)));
            }
        };
        match &constraint.kind {
            ConstraintKind::Ik(ik) | ConstraintKind::Pin(ik) => {
                for end in &ik.ends {
                    if let Some(tip) = self.index(&end.tip.value) {
                        dependencies.writes.extend(self.chain(end, tip));
                    }
                    end.target.iter().for_each(|target| follow(target, &mut dependencies));
                }
            }
            ConstraintKind::Aim(aim) => {
                dependencies.writes.extend(self.index(&aim.bone.value));
                follow(&aim.target, &mut dependencies);
            }
            ConstraintKind::Copy(copy) => {
                dependencies.writes.extend(self.index(&copy.bone.value));
                dependencies.reads.extend(self.index(&copy.from.value).map(|index| (index, copy.from.span)));
            }
            ConstraintKind::Limit(limit) => dependencies.writes.extend(self.index(&limit.bone.value)),
            ConstraintKind::Path(path) => {
                dependencies.writes.extend(path.bones.iter().filter_map(|bone| self.index(&bone.value)));
            }
            ConstraintKind::Distance(distance) => {
                dependencies.writes.extend(self.index(&distance.bone.value));
                follow(&distance.target, &mut dependencies);
            }
        }
        dependencies
    }

    /// Constraints that follow what each other moves, and such as follow what is moved after them.
    fn evaluation_order(&mut self) {
        let doc = self.doc;
        let dependencies: Vec<Dependencies> =
            doc.constraints.iter().map(|constraint| self.dependencies(constraint)).collect();
        let mut movers: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (which, dependencies) in dependencies.iter().enumerate() {
            dependencies.writes.iter().for_each(|bone| movers.entry(*bone).or_default().push(which));
        }
        // For each constraint those that move what it follows, and where its name is written.
        let mut follows: Vec<Vec<(usize, Span)>> = Vec::new();
        for (which, dependencies) in dependencies.iter().enumerate() {
            let mut found = Vec::new();
            for (bone, span) in &dependencies.reads {
                let carriers = std::iter::once(*bone).chain(self.above(*bone));
                let others = carriers.flat_map(|bone| movers.get(&bone).into_iter().flatten());
                found.extend(others.filter(|other| **other != which).map(|other| (*other, *span)));
            }
            found.sort_unstable_by_key(|(other, _)| *other);
            found.dedup_by_key(|(other, _)| *other);
            follows.push(found);
        }
        if !self.report_cycles(&follows) {
            for (which, found) in follows.iter().enumerate() {
                let Some(&(later, span)) = found.iter().find(|(other, _)| *other > which) else { continue };
                let place = self.place(doc.constraints[later].span);
                let message = "this constraint reads a bone before a later constraint moves it";
                let help = "constraints are evaluated in the order of the file: write the other one first";
                self.error(
                    span,
                    Diagnostic::warning("order", message).related(place, "it is moved here").help(help),
                );
            }
        }
    }

    /// Walks from each constraint to those that it follows; a way that comes back to one above it closes a
    /// ring.
    fn report_cycles(&mut self, follows: &[Vec<(usize, Span)>]) -> bool {
        #[derive(Clone, Copy, PartialEq)]
        enum Mark {
            New,
            OnPath,
            Done,
        }
        let mut marks = vec![Mark::New; follows.len()];
        let mut found = false;
        for start in 0..follows.len() {
            if marks[start] != Mark::New {
                continue;
            }
            marks[start] = Mark::OnPath;
            let mut way = vec![(start, 0)];
            while let Some((at, visited)) = way.last_mut() {
                let at = *at;
                let Some(&(next, span)) = follows[at].get(*visited) else {
                    marks[at] = Mark::Done;
                    way.pop();
                    continue;
                };
                *visited += 1;
                match marks[next] {
                    Mark::New => {
                        marks[next] = Mark::OnPath;
                        way.push((next, 0));
                    }
                    Mark::OnPath => {
                        found = true;
                        let place = self.place(self.doc.constraints[next].span);
                        let message = "these constraints depend on each other: this one reads a bone that the other one moves, and the other way round";
                        let help = "let one of them read a bone that neither of them moves";
                        self.error(
                            span,
                            Diagnostic::error("cycle", message)
                                .related(place, "the other constraint")
                                .help(help),
                        );
                    }
                    Mark::Done => {}
                }
            }
        }
        found
    }

    /// What a clip does with constraints.
    pub(super) fn clip_constraints(&mut self, axis: Axis<'_>, clip: &ClipDoc) {
        let doc = self.doc;
        for channels in &clip.constraints {
            match self.constraints.get(channels.name.value.as_str()).copied() {
                Some(constraint) => self.fitting(constraint, channels),
                None if doc.complete => self.no_such_constraint(&channels.name),
                None => {}
            }
            self.values(axis, ("constraint", &channels.name.value), &channels.values);
            if let Some(bend) = &channels.bend {
                self.times(axis, false, bend.keys.iter().map(|(time, _)| *time));
            }
            for hold in &channels.holds {
                if let Axis::Clip(playing) = &axis {
                    self.within(playing, false, hold.from);
                }
                if hold.until.value <= hold.from.value {
                    let message = format!(
                        "`until` of this hold is {}, and it must be after `from`, {}",
                        seconds_beside(hold.until.value, &[hold.from.value]),
                        seconds_beside(hold.from.value, &[hold.until.value])
                    );
                    self.error(hold.until.span, Diagnostic::error("range-reversed", message));
                } else if let Some(length) =
                    clip.length.filter(|l| hold.until.value - hold.from.value > l.value)
                {
                    let place = self.place(length.span);
                    let message = "this hold is longer than its clip";
                    self.error(
                        hold.until.span,
                        Diagnostic::error("key-outside-clip", message)
                            .related(place, "the length of the clip"),
                    );
                }
            }
        }
    }

    pub(super) fn no_such_constraint(&mut self, name: &Spanned<String>) {
        let message = format!("there is no constraint with the name \"{}\"", shortened(&name.value));
        let names = self.doc.constraints.iter().filter_map(|c| c.name.as_ref());
        let diagnostic = Diagnostic::error("unknown-constraint", message)
            .suggest(&name.value, names.map(|name| name.value.as_str()));
        let diagnostic = match diagnostic.help.is_empty() {
            true => diagnostic.help("give the constraint a name: name: \"…\""),
            false => diagnostic,
        };
        self.error(name.span, diagnostic);
    }

    /// Channels that mean nothing for their constraint.
    fn fitting(&mut self, constraint: &ConstraintDoc, channels: &ConstraintChannelsDoc) {
        use ConstraintKind as K;
        let ik = matches!(constraint.kind, K::Ik(_) | K::Pin(_));
        let aims = match &constraint.kind {
            K::Ik(ik) => ik.ends.iter().any(|end| matches!(end.target, Some(TargetDoc::Place(_)))),
            K::Pin(_) => true,
            K::Aim(aim) => matches!(aim.target, TargetDoc::Place(_)),
            K::Distance(distance) => matches!(distance.target, TargetDoc::Place(_)),
            _ => false,
        };
        let softens = ik || matches!(constraint.kind, K::Aim(_));
        let keyed = channels.values.iter().map(|(property, channel)| {
            let fits = match property {
                ConstraintProperty::Target => aims,
                ConstraintProperty::Softness => softens,
                ConstraintProperty::Position => matches!(constraint.kind, K::Path(_)),
                ConstraintProperty::Distance => matches!(constraint.kind, K::Distance(_)),
                _ => true,
            };
            (property.name(), Some(channel.span()), fits)
        });
        let others = [
            ("bend", channels.bend.as_ref().map(|c| c.span), ik),
            ("holds", channels.holds.first().map(|hold| hold.span), matches!(constraint.kind, K::Pin(_))),
        ];
        let given: Vec<_> = keyed.chain(others).collect();
        for (name, span, fits) in given {
            let Some(span) = span.filter(|_| !fits) else { continue };
            let message =
                format!("`{name}` has no effect on constraint \"{}\"", shortened(&channels.name.value));
            let help = match name {
                "target" => {
                    "only a target that is a point of the canvas can have keys; give keys to the target bone instead"
                }
                "holds" => "only a `Pin` has `holds`",
                "position" => "only a `Path` has `position`",
                "distance" => "only a `Distance` has `distance`",
                "softness" => "only `Ik`, `Pin` and `Aim` have it",
                _ => "only `Ik` and `Pin` have it",
            };
            let place = self.place(constraint.span);
            self.error(
                span,
                Diagnostic::error("no-effect", message).related(place, "the constraint").help(help),
            );
        }
    }
}

/// Whether the bone of an end is not part of its chain.
fn tip_is_fixed(end: &EndDoc) -> bool {
    end.point.is_some_and(|point| point.value == AttachmentPoint::Origin)
        || end.angle.is_some_and(|angle| angle.value != EndAngle::Free)
}

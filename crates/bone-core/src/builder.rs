//! Builds a [`Skeleton`] from bones in any order. The result is depth-first columns, or all errors at once.

use std::collections::HashMap;
use std::error::Error;
use std::fmt;

use kurbo::{Affine, Vec2};

use bone_archive::{Archive, ArchiveError, Kind, Reader, Writer};

use crate::{Angle, BoneId, BonePose, InfluenceRegion, Inherit, Joint, Skeleton, in_few_digits};

/// The description of a bone, named and relative to its parent.
#[derive(Clone, Debug, PartialEq)]
pub struct BoneSpec {
    /// Unique within the skeleton.
    pub name: String,
    /// The name of its parent; none for a root.
    pub parent: Option<String>,
    /// Where it starts, in the parent's frame (x runs along the parent).
    pub origin: Vec2,
    /// Its rotation relative to the parent.
    pub angle: Angle,
    /// Above 0, in drawing units.
    pub length: f64,
    /// What it inherits from the parent.
    pub inherit: Inherit,
    /// How much its skin gets thinner where the bone stretches: 0 keeps the width, 1 the area.
    pub volume: f64,
    /// How it may move.
    pub joint: Joint,
    /// Its region of influence.
    pub region: Option<InfluenceRegion>,
}

impl BoneSpec {
    /// A root at the canvas origin, pointing along x.
    pub fn new(name: impl Into<String>, length: f64) -> Self {
        Self {
            name: name.into(),
            parent: None,
            origin: Vec2::ZERO,
            angle: Angle::ZERO,
            length,
            inherit: Inherit::All,
            volume: 0.0,
            joint: Joint::default(),
            region: None,
        }
    }

    /// Sets the parent of the bone.
    pub fn parent(mut self, name: impl Into<String>) -> Self {
        self.parent = Some(name.into());
        self
    }

    /// Sets the origin of the bone in the parent's frame.
    pub fn origin(mut self, x: f64, y: f64) -> Self {
        self.origin = Vec2::new(x, y);
        self
    }

    /// Sets the rotation of the bone relative to its parent, in degrees.
    pub fn degrees(mut self, degrees: f64) -> Self {
        self.angle = Angle::from_degrees(degrees);
        self
    }

    /// Sets what is inherited from the parent.
    pub fn inherit(mut self, inherit: Inherit) -> Self {
        self.inherit = inherit;
        self
    }
}

/// Collects bones and builds a [`Skeleton`].
#[derive(Clone, Debug, Default)]
pub struct SkeletonBuilder {
    bones: Vec<BoneSpec>,
}

impl SkeletonBuilder {
    /// No bones yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a bone; its parent may come later.
    pub fn bone(mut self, bone: BoneSpec) -> Self {
        self.bones.push(bone);
        self
    }

    /// Adds a bone to a builder that is borrowed.
    pub fn push(&mut self, bone: BoneSpec) {
        self.bones.push(bone);
    }

    /// Sorts the bones depth first, roots and siblings in the order they were added, and computes their setup
    /// matrices.
    ///
    /// # Errors
    /// All errors at once, each with the name of its bone.
    pub fn build(self) -> Result<Skeleton, BuildErrors> {
        let mut errors = Vec::new();
        let mut by_name = HashMap::with_capacity(self.bones.len());
        for (i, bone) in self.bones.iter().enumerate() {
            check_numbers(bone, &mut errors);
            if by_name.insert(bone.name.as_str(), i).is_some() {
                errors.push(BuildError::TwinName { bone: bone.name.clone() });
            }
        }
        let parents: Vec<Option<usize>> = self
            .bones
            .iter()
            .map(|bone| {
                let name = bone.parent.as_deref()?;
                let parent = by_name.get(name).copied();
                if parent.is_none() {
                    let (bone, parent) = (bone.name.clone(), name.to_owned());
                    errors.push(BuildError::UnknownParent { bone, parent });
                }
                parent
            })
            .collect();
        if self.bones.len() > u32::MAX as usize {
            errors.push(BuildError::TooMany);
        }
        for loop_ in loops(&parents) {
            let bones = loop_.into_iter().map(|i| self.bones[i].name.clone()).collect();
            errors.push(BuildError::Cycle { bones });
        }
        if errors.is_empty() { Ok(self.columns(&parents)) } else { Err(BuildErrors(errors)) }
    }

    fn columns(self, parents: &[Option<usize>]) -> Skeleton {
        let (order, subtree_ends) = depth_first(parents);
        let mut place = vec![BoneId::new(0); order.len()];
        for (new, &old) in order.iter().enumerate() {
            place[old] = BoneId::from_index(new);
        }
        let mut specs: Vec<Option<BoneSpec>> = self.bones.into_iter().map(Some).collect();
        let count = order.len();
        let mut skeleton = Skeleton {
            names: Vec::with_capacity(count),
            by_name: Vec::new(),
            parents: Vec::with_capacity(count),
            subtree_ends,
            setup: Vec::with_capacity(count),
            lengths: Vec::with_capacity(count),
            inherits: Vec::with_capacity(count),
            volumes: Vec::with_capacity(count),
            joints: Vec::with_capacity(count),
            regions: Vec::with_capacity(count),
            worlds: vec![Affine::IDENTITY; count],
            inverses: Vec::with_capacity(count),
            betas: vec![Angle::ZERO; count],
            inherits_all: true,
        };
        for &old in &order {
            let Some(bone) = specs[old].take() else { continue };
            skeleton.names.push(bone.name);
            skeleton.parents.push(parents[old].map(|p| place[p]));
            skeleton.setup.push(BonePose { origin: bone.origin, angle: bone.angle, ..BonePose::REST });
            skeleton.lengths.push(bone.length);
            skeleton.inherits.push(bone.inherit);
            skeleton.volumes.push(bone.volume);
            skeleton.joints.push(bone.joint);
            skeleton.regions.push(bone.region);
            skeleton.inherits_all &= bone.inherit == Inherit::All;
        }
        let mut by_name: Vec<BoneId> = skeleton.bones().collect();
        by_name.sort_unstable_by(|a, b| skeleton.name(*a).cmp(skeleton.name(*b)));
        skeleton.by_name = by_name;
        let (mut worlds, mut betas) =
            (std::mem::take(&mut skeleton.worlds), std::mem::take(&mut skeleton.betas));
        skeleton.setup_frames(&skeleton.setup, &mut worlds, &mut betas);
        skeleton.inverses.extend(worlds.iter().map(|world| world.inverse()));
        skeleton.worlds = worlds;
        skeleton.betas = betas;
        skeleton
    }
}

fn check_numbers(bone: &BoneSpec, errors: &mut Vec<BuildError>) {
    if !(bone.length.is_finite() && bone.length > 0.0) {
        errors.push(BuildError::Length { bone: bone.name.clone(), length: bone.length });
    }
    if !(bone.origin.is_finite() && bone.angle.is_finite() && bone.volume.is_finite()) {
        errors.push(BuildError::NotFinite { bone: bone.name.clone() });
    }
}

/// Every cycle among the parents once, starting from its first bone.
fn loops(parents: &[Option<usize>]) -> Vec<Vec<usize>> {
    // 0: not visited; otherwise the number of the walk that visited the bone first.
    let mut seen = vec![0_usize; parents.len()];
    let mut found = Vec::new();
    for start in 0..parents.len() {
        let walk = start + 1;
        let mut at = Some(start);
        while let Some(bone) = at {
            if seen[bone] == walk {
                let mut members = vec![bone];
                let mut next = parents[bone];
                while let Some(b) = next.filter(|&b| b != bone) {
                    members.push(b);
                    next = parents[b];
                }
                found.push(members);
            }
            if seen[bone] != 0 {
                break;
            }
            seen[bone] = walk;
            at = parents[bone];
        }
    }
    found
}

/// Depth-first order without recursion, and for each position the end of its subtree.
fn depth_first(parents: &[Option<usize>]) -> (Vec<usize>, Vec<u32>) {
    let count = parents.len();
    // Children as linked lists in columns: first child, next sibling; filled from the back, so in order.
    let (mut first, mut next) = (vec![None; count], vec![None; count]);
    let mut stack = Vec::new();
    for bone in (0..count).rev() {
        match parents[bone] {
            Some(parent) => {
                next[bone] = first[parent];
                first[parent] = Some(bone);
            }
            None => stack.push(bone),
        }
    }
    let mut order = Vec::with_capacity(count);
    let mut ends = vec![0_u32; count];
    let mut place = vec![0_usize; count];
    while let Some(bone) = stack.pop() {
        place[bone] = order.len();
        order.push(bone);
        if let Some(sibling) = next[bone] {
            stack.push(sibling);
        }
        if let Some(child) = first[bone] {
            stack.push(child);
        }
    }
    // Children come after their parents: from the back, each end is known before it is needed.
    for at in (0..order.len()).rev() {
        let bone = order[at];
        ends[at] = ends[at].max(at as u32 + 1);
        if let Some(parent) = parents[bone] {
            let parent = place[parent];
            ends[parent] = ends[parent].max(ends[at]);
        }
    }
    (order, ends)
}

/// An error in the bones of a [`SkeletonBuilder`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum BuildError {
    /// Two bones share a name.
    TwinName {
        /// The second of them.
        bone: String,
    },
    /// There is no bone with the name of the parent.
    UnknownParent {
        /// The bone with this parent.
        bone: String,
        /// The name of the missing parent.
        parent: String,
    },
    /// The parents of some bones form a cycle.
    Cycle {
        /// From child to parent; the parent of the last is the first.
        bones: Vec<String>,
    },
    /// A length that is 0, below it, or not a number.
    Length {
        /// The bone.
        bone: String,
        /// The given length.
        length: f64,
    },
    /// An origin or an angle that is not finite.
    NotFinite {
        /// The bone.
        bone: String,
    },
    /// More bones than ids.
    TooMany,
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TwinName { bone } => write!(f, "two bones have the name \"{bone}\""),
            Self::UnknownParent { bone, parent } => {
                write!(f, "bone \"{bone}\" has the parent \"{parent}\", which does not exist")
            }
            Self::Cycle { bones } => write!(f, "the parents of bones form a cycle: {}", Chain(bones)),
            Self::Length { bone, length } => {
                let length = in_few_digits(*length);
                write!(f, "bone \"{bone}\" has the length {length}; it must be a number above 0")
            }
            Self::NotFinite { bone } => {
                write!(f, "bone \"{bone}\" has an origin or angle that is not finite")
            }
            Self::TooMany => write!(f, "more than {} bones", u32::MAX),
        }
    }
}

impl Error for BuildError {}

/// A cycle of names, printed back to its first.
pub(crate) struct Chain<'a>(pub(crate) &'a [String]);

impl fmt::Display for Chain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for name in self.0 {
            write!(f, "\"{name}\" -> ")?;
        }
        write!(f, "\"{}\"", self.0.first().map_or("", String::as_str))
    }
}

/// All errors that a [`SkeletonBuilder`] found; never empty.
#[derive(Clone, Debug, PartialEq)]
pub struct BuildErrors(Vec<BuildError>);

impl BuildErrors {
    /// The errors, in the order of the bones.
    pub fn iter(&self) -> std::slice::Iter<'_, BuildError> {
        self.0.iter()
    }
}

impl fmt::Display for BuildErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, error) in self.0.iter().enumerate() {
            write!(f, "{}{error}", if i == 0 { "" } else { "; " })?;
        }
        Ok(())
    }
}

impl Error for BuildErrors {}

/// The bones in their order; what follows from them is computed again. All bones that are read after a skeleton
/// are bones of it.
impl Archive for Skeleton {
    fn write(&self, to: &mut Writer) {
        to.number(self.len() as u64);
        for bone in self.bones() {
            let place = bone.index();
            self.names[place].write(to);
            self.parents[place].write(to);
            (self.setup[place].origin, self.setup[place].angle).write(to);
            (self.lengths[place], self.inherits[place]).write(to);
            (self.joints[place], self.regions[place]).write(to);
            self.volumes[place].write(to);
        }
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let count = from.count()?;
        let mut names: Vec<String> = Vec::new();
        let mut builder = SkeletonBuilder::new();
        for place in 0..count {
            // Parents come first.
            from.set_count(Kind::Bone, place);
            let name = String::read(from)?;
            let parent: Option<BoneId> = Archive::read(from)?;
            let (origin, angle) = Archive::read(from)?;
            let (length, inherit) = Archive::read(from)?;
            let (joint, region) = Archive::read(from)?;
            let volume = Archive::read(from)?;
            let limits_fit = match joint {
                Joint::Pin { limits: Some((least, most)) } => least <= most,
                Joint::Slide { limits: Some((least, most)), .. } => least <= most,
                _ => true,
            };
            from.check(limits_fit, "joint")?;
            let parent = parent.map(|parent| names[parent.index()].clone());
            names.push(name.clone());
            builder.push(BoneSpec { name, parent, origin, angle, length, inherit, volume, joint, region });
        }
        let skeleton = builder.build().map_err(|_| from.invalid("skeleton"))?;
        // In their order: all indices mean these bones.
        from.check(skeleton.names == names, "order of bones")?;
        from.set_count(Kind::Bone, count);
        Ok(skeleton)
    }
}

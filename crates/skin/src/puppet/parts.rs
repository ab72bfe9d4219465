//! A puppet as it is kept and packed.

use bone_archive::{Archive, ArchiveError, Reader, Writer, archive, words};
use bone_core::{BoneId, Skeleton};
use kurbo::Point;

use super::system::PuppetSystem;

words! {
    /// Where the angle of a pin comes from.
    pub enum PinTurn {
        /// The pins around it.
        #[default]
        Free = 0,
        /// Its bone.
        Set = 1,
    }
}

/// A bone that holds a disc of a puppet, or what is near the line of a bone with a length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PuppetPin {
    /// The bone that moves it.
    pub bone: BoneId,
    /// Its place at rest, on the canvas.
    pub origin: Point,
    /// Its other end; the same for a pin.
    pub tip: Point,
    /// Whether it turns with its bone.
    pub turn: PinTurn,
    /// The radius of what it holds, on the canvas; none for one in proportion to the triangles.
    pub grip: Option<f64>,
}

/// A pin with what it holds.
#[derive(Clone, Debug)]
pub(crate) struct BoundPin {
    pub(crate) bone: BoneId,
    pub(crate) origin: Point,
    pub(crate) turn: PinTurn,
    /// Vertices.
    pub(crate) disc: Vec<u32>,
}

/// A mesh on pins, which each frame poses.
///
/// Its vertices move as bones do, with ids behind those of the skeleton: [`SkinMatrices`](crate::SkinMatrices) has
/// them after [`pose`](Self::pose).
#[derive(Debug)]
pub struct Puppet {
    pub(super) points: Vec<Point>,
    pub(super) triangles: Vec<[u32; 3]>,
    /// The factor by which each triangle keeps its shape against others.
    stiffness: Vec<f64>,
    pub(super) pins: Vec<BoundPin>,
    /// Lines of the tree of nearest pins, each from one that is nearer to the root.
    pub(super) tree: Vec<[u32; 2]>,
    /// The nearest bone that carries all pins.
    pub(super) carrier: Option<BoneId>,
    pub(super) system: PuppetSystem,
}

archive!(struct BoundPin { bone, origin, turn, disc });

impl Archive for Puppet {
    fn write(&self, to: &mut Writer) {
        let Self { points, triangles, stiffness, pins, tree, carrier, .. } = self;
        points.write(to);
        triangles.write(to);
        stiffness.write(to);
        pins.write(to);
        (tree, carrier).write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let (points, triangles): (Vec<Point>, Vec<[u32; 3]>) = Archive::read(from)?;
        let (stiffness, pins): (Vec<f64>, Vec<BoundPin>) = Archive::read(from)?;
        let (tree, carrier): (Vec<[u32; 2]>, Option<BoneId>) = Archive::read(from)?;
        let in_range = |list: &[u32], count: usize| list.iter().all(|at| (*at as usize) < count);
        let is_sound = stiffness.len() == triangles.len()
            && triangles.iter().all(|corners| in_range(corners, points.len()))
            && pins.iter().all(|pin| !pin.disc.is_empty() && in_range(&pin.disc, points.len()))
            && tree.len() + 1 == pins.len()
            && tree.iter().all(|line| in_range(line, pins.len()));
        from.check(is_sound, "puppet")?;
        Self::of_parts(points, triangles, stiffness, pins, tree, carrier)
            .ok_or_else(|| from.invalid("puppet"))
    }
}

impl Puppet {
    /// From what packed rigs have.
    pub(super) fn of_parts(
        points: Vec<Point>,
        triangles: Vec<[u32; 3]>,
        stiffness: Vec<f64>,
        pins: Vec<BoundPin>,
        tree: Vec<[u32; 2]>,
        carrier: Option<BoneId>,
    ) -> Option<Self> {
        let system =
            PuppetSystem::new(&points, &triangles, &stiffness, pins.iter().flat_map(|pin| &pin.disc))?;
        Some(Self { points, triangles, stiffness, pins, tree, carrier, system })
    }

    /// The number of vertices, which have ids as bones.
    pub fn vertices(&self) -> usize {
        self.points.len()
    }

    /// Whether all its pins are bones of a skeleton.
    pub fn fits(&self, skeleton: &Skeleton) -> bool {
        let bones = self.pins.iter().map(|pin| pin.bone);
        bones.chain(self.carrier).all(|bone| skeleton.contains(bone))
    }

    /// The triangles at rest, on the canvas.
    pub fn triangles(&self) -> impl ExactSizeIterator<Item = [Point; 3]> {
        self.triangles.iter().map(|corners| corners.map(|v| self.points[v as usize]))
    }

    /// The vertices of the triangles, as bones are numbered from 0.
    pub fn corners(&self) -> &[[u32; 3]] {
        &self.triangles
    }
}

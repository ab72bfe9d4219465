//! Fills of paths of which bones mirror one part and not another. The winding of such a part is the opposite one,
//! and where it lies over another part they take each other away. So the fill is cut into parts at binding, where
//! the weights of the bones that can be mirrored apart are one half, and in a frame the parts are turned to one
//! direction. They have the points of the cut in common.

use bone_archive::archive;
use bone_core::BoneId;
use kurbo::{BezPath, ParamCurve, PathEl, Point};

use crate::mirrored_contour::{Contour, Edge, OutlinePlace, Place, Stretch, at, cubic, mean};
use crate::mirrored_cut::{Cutter, Group};
use crate::{PathId, Skin, SkinMatrices};

/// The parts of a filled path, which bones can mirror apart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MirroredParts {
    /// A bone of each group of bones that are mirrored together.
    bones: Vec<BoneId>,
    places: Vec<Place>,
    contours: Vec<Contour>,
}

impl Skin {
    /// The parts of a filled path that bones can mirror apart. `group_of` has a number for each bone: bones with
    /// one number are mirrored together in all poses. None for a path that is not cut. Of weights that clips
    /// key, those at rest count.
    pub fn mirrored_parts(&self, path: PathId, group_of: &[u32]) -> Option<MirroredParts> {
        let bound = self.paths.get(path.index()).filter(|bound| bound.fill.is_some())?;
        let rows = bound.points.clone().map(|at| self.rows[at]);
        let group = |bone: BoneId| group_of.get(bone.index()).copied().unwrap_or_default();
        let mut groups: Vec<Group> = Vec::new();
        for (bone, _) in rows.flat_map(|row| self.table.row(row)) {
            match groups.iter_mut().find(|known| known.number == group(*bone)) {
                Some(known) => known.bone = known.bone.min(*bone),
                None => groups.push(Group { number: group(*bone), bone: *bone }),
            }
        }
        if groups.len() < 2 {
            return None;
        }
        groups.sort_by_key(|group| group.bone);
        let (places, mut contours) = Cutter::new(self, bound, &groups, group_of).parts();
        let mut used: Vec<u32> = contours.iter().map(|contour| contour.group).collect();
        used.sort_unstable();
        used.dedup();
        for contour in &mut contours {
            contour.group = used.binary_search(&contour.group).unwrap_or_default() as u32;
        }
        let bones = used.iter().map(|group| groups[*group as usize].bone).collect();
        (used.len() > 1).then_some(MirroredParts { bones, places, contours })
    }
}

impl MirroredParts {
    /// The bones whose signs turn the parts.
    pub fn bones(&self) -> impl Iterator<Item = BoneId> {
        self.bones.iter().copied()
    }

    /// The subpath of the path that each subpath of the parts is cut from.
    pub fn subpaths(&self) -> impl ExactSizeIterator<Item = u32> {
        self.contours.iter().map(|contour| contour.subpath)
    }

    /// The number of elements of the posed parts.
    pub fn element_count(&self) -> usize {
        self.contours.iter().map(|contour| contour.edges.len() + 2).sum()
    }

    /// Whether they are parts of a path of this skin, as far as that can be seen.
    pub fn fit(&self, skin: &Skin, path: PathId) -> bool {
        let Some(bound) = skin.paths.get(path.index()) else { return false };
        let is_end = |element: u32| {
            let at = bound.elements.get(element as usize);
            at.is_some_and(|element| element.end_point().is_some())
        };
        let is_curve = |element: u32| {
            let at = bound.elements.get(element as usize);
            element > 0 && matches!(at, Some(PathEl::CurveTo(..)))
        };
        let place_fits = |place: &OutlinePlace| {
            if place.t == 1.0 { is_end(place.element) } else { is_curve(place.element) }
        };
        let edges = self.contours.iter().flat_map(|contour| &contour.edges);
        self.places.iter().flatten().all(place_fits)
            && edges.filter_map(|edge| edge.curve).all(|curve| is_curve(curve.element))
    }

    /// Writes the parts of a posed path, all in one direction of the paint, in place of what is in `parts`.
    /// Returns whether bones mirror one part and not another; if not, the path itself is to be filled.
    ///
    /// The elements are of the same kinds in every frame. As long as there are two groups of bones, their points
    /// have the same order, too. Does not allocate if `parts` has memory for [`element_count`](Self::element_count).
    pub fn pose(&self, matrices: &SkinMatrices, path: &BezPath, parts: &mut BezPath) -> bool {
        let is_mirrored = |group: usize| {
            self.bones.get(group).is_some_and(|bone| matrices.of_known(*bone).determinant() < 0.0)
        };
        let first = is_mirrored(0);
        let differ = (1..self.bones.len()).any(|group| is_mirrored(group) != first);
        parts.truncate(0);
        for contour in &self.contours {
            let group = contour.group as usize;
            let turned = if differ { is_mirrored(group) != first } else { group != 0 };
            self.push(contour, turned, path.elements(), parts);
        }
        differ
    }

    /// Appends a contour, in its own direction or turned.
    fn push(&self, contour: &Contour, turned: bool, path: &[PathEl], parts: &mut BezPath) {
        let point = |place: u32| self.place(place, path);
        parts.push(PathEl::MoveTo(point(contour.start)));
        for at in 0..contour.edges.len() {
            let at = if turned { contour.edges.len() - 1 - at } else { at };
            let Edge { to, curve } = contour.edges[at];
            let to = match at.checked_sub(1) {
                _ if !turned => to,
                None => contour.start,
                Some(before) => contour.edges[before].to,
            };
            let element = match curve {
                // Turned or not, all elements of a contour are of one kind.
                None if self.bones.len() > 2 => {
                    let from = parts.elements().last().and_then(PathEl::end_point).unwrap_or_default();
                    let to = point(to);
                    PathEl::CurveTo(from.lerp(to, 1.0 / 3.0), to.lerp(from, 1.0 / 3.0), to)
                }
                None => PathEl::LineTo(point(to)),
                Some(stretch) => {
                    let (from, end) =
                        if turned { (stretch.to, stretch.from) } else { (stretch.from, stretch.to) };
                    let piece = cubic(path, stretch.element).subsegment(from..end);
                    PathEl::CurveTo(piece.p1, piece.p2, point(to))
                }
            };
            parts.push(element);
        }
        parts.push(PathEl::ClosePath);
    }

    fn place(&self, place: u32, path: &[PathEl]) -> Point {
        let Some(places) = self.places.get(place as usize) else { return Point::ZERO };
        mean(places, |place| at(path, place.element, place.t))
    }

    /// Whether all indices are in range.
    fn is_sound(&self) -> bool {
        let is_place = |place: u32| (place as usize) < self.places.len();
        let contour_fits = |contour: &Contour| {
            is_place(contour.start)
                && (contour.group as usize) < self.bones.len()
                && !contour.edges.is_empty()
                && contour.edges.iter().all(|edge| is_place(edge.to))
        };
        self.bones.len() > 1
            && self.places.iter().all(|place| !place.is_empty())
            && self.contours.iter().all(contour_fits)
    }
}

archive!(struct OutlinePlace { element, t, share });
archive!(struct Contour { group, subpath, start, edges });
archive!(struct Edge { to, curve });
archive!(struct Stretch { element, from, to });

archive!(struct MirroredParts { bones, places, contours } if |parts| parts.is_sound(), "mirrored parts");

//! Packed rigs: everything that a rig consists of in one run of bytes, for players. It needs no parser of rigs
//! or drawings, no solver of weights and no fonts.

use std::sync::Arc;

use bone_archive::{Archive, ArchiveError, Reader, Writer, archive, pack, unpack};
use bone_core::spring::{Spring, Springs};
use bone_drawing::{Drawing, Posable};

use crate::clip::{ClipData, RigClip};
use crate::constraints::{ConstraintTracks, Constraints, RigConstraint};
use crate::draw_order::{ArtTracks, DrawOrder, Lane, Switch};
use crate::paint::{PaintMotionSource, PaintRule};
use crate::parts::{RigDriver, RigParts};
use crate::rig::Rig;

/// The version of packed rigs. It changes with each change of what is packed.
const VERSION: u32 = 10;

impl Rig {
    /// The rig as bytes, of which [`load`](Self::load) makes a rig that plays and draws the same, to the bit.
    /// The same rig gives the same bytes. Baked springs are not in it; they are baked again where they are
    /// first needed.
    pub fn save(&self) -> Vec<u8> {
        pack(VERSION, self.parts())
    }

    /// A rig from the bytes of [`save`](Self::save), by a program of the same version of packed rigs.
    ///
    /// # Errors
    /// If the bytes are anything else: another version, cut, damaged, or not a rig.
    pub fn load(bytes: &[u8]) -> Result<Self, ArchiveError> {
        unpack(VERSION, bytes, |from| {
            let parts = RigParts::read(from)?;
            Self::new(parts).ok_or_else(|| from.invalid("rig"))
        })
    }
}

archive!(struct Switch { group, children });
archive!(struct DrawOrder { elements, drawn, switches, member, strokes });
archive!(struct Lane { property, target, curve });
archive!(struct ArtTracks { lanes });
archive!(struct RigConstraint { name, only_held });
archive!(struct Constraints { constraints, names });
archive!(
    enum PaintMotionSource {
        Still = 0,
        Follow(fit) = 1,
        Bone(bone) = 2,
    }
);
archive!(struct PaintRule { paint, stroke });
archive!(struct ClipData { motion, offsets, setups, weights, art, constraints });
archive!(struct RigDriver { motion, offsets, art, after_constraints });

impl Archive for ConstraintTracks {
    fn write(&self, to: &mut Writer) {
        self.0.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let tracks = Self(from.list()?);
        from.check(tracks.0.is_sorted_by_key(|(constraint, _)| *constraint), "tracks of constraints")?;
        Ok(tracks)
    }
}

/// Skeleton and drawing come first: what follows has indices of them.
impl Archive for RigParts {
    fn write(&self, to: &mut Writer) {
        let Self {
            drawing,
            posable,
            skeleton,
            points,
            skin,
            rigid,
            rigid_bones,
            carried,
            posed,
            paints,
            patches,
            mirrored,
            draw_order,
            drivers,
            constraints,
            springs,
            clips,
            fps,
        } = self;
        (skeleton, drawing).write(to);
        posable.write(to);
        (skin, rigid, rigid_bones).write(to);
        (carried, posed, paints).write(to);
        (patches, mirrored, points).write(to);
        (draw_order, drivers, constraints).write(to);
        springs.springs().collect::<Vec<Spring>>().write(to);
        (clips, fps).write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let (skeleton, drawing): (_, Arc<Drawing>) = Archive::read(from)?;
        let posable = Posable::read(&drawing, from)?;
        let (skin, rigid, rigid_bones) = Archive::read(from)?;
        let (carried, posed, paints) = Archive::read(from)?;
        let (patches, mirrored, points) = Archive::read(from)?;
        let (draw_order, drivers, constraints) = Archive::read(from)?;
        let springs = Springs::new(&skeleton, from.list()?).map_err(|_| from.invalid("spring"))?;
        let (clips, fps): (Vec<RigClip>, f64) = Archive::read(from)?;
        from.check(fps > 0.0, "frame rate")?;
        Ok(Self {
            drawing,
            posable,
            skeleton,
            points,
            skin,
            rigid,
            rigid_bones,
            carried,
            posed,
            paints,
            patches,
            mirrored,
            draw_order,
            drivers,
            constraints,
            springs,
            clips,
            fps,
        })
    }
}

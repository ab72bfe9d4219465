//! Packed rigs: everything that a rig consists of in one run of bytes, for players. It needs no parser of rigs
//! or drawings, no solver of weights and no fonts.

use std::sync::Arc;

use bone_archive::{Archive, ArchiveError, Kind, Reader, Writer, archive, pack, unpack};
use bone_core::Skeleton;
use bone_core::spring::{Spring, Springs};
use bone_drawing::{Drawing, Posable};
use bone_skin::{Puppet, Skin};

use crate::clip::ClipData;
use crate::constraints::{ConstraintTracks, Constraints, RigConstraint};
use crate::draw_order::{ArtTracks, DrawOrder, Lane, Switch};
use crate::outfit::{Outfit, OutfitSwap};
use crate::paint::PaintRule;
use crate::parts::{RigDriver, RigParts};
use crate::property::Slider;
use crate::rig::Rig;

/// The version of packed rigs. It changes with each change of what is packed.
const VERSION: u32 = 24;

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
archive!(struct DrawOrder { elements, drawn, switches, member, looks, trims, tints, shapes, sliders, camera, gradients, filter_steps, inks });
archive!(struct Slider { name, range, rest });
archive!(struct Lane { property, target, part, curve });
archive!(struct ArtTracks { lanes });
archive!(struct RigConstraint { name, only_held });
archive!(struct Constraints { constraints, names });
archive!(struct PaintRule { paint, stroke });
archive!(struct ClipData { motion, offsets, setups, weights, art, constraints, events });
archive!(struct Outfit { name, group, art, hidden, swaps, constraints, springs });
archive!(struct OutfitSwap { from, to, switches, children });
archive!(struct RigDriver { motion, slider, offsets, art, after_constraints });

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

/// Skeleton and drawing come first: what follows has indices of them. The skin has indices of the vertices of puppets,
/// too, behind those of the bones.
impl Archive for RigParts {
    fn write(&self, to: &mut Writer) {
        (&self.skeleton, &self.drawing).write(to);
        self.posable.write(to);
        (&self.rigid, &self.rigid_bones, &self.points).write(to);
        self.puppets.write(to);
        self.skin.write(to);
        self.warps.write(to);
        (&self.carried, &self.posed, &self.paints).write(to);
        (&self.patches, &self.mirrored).write(to);
        (&self.draw_order, &self.shapes).write(to);
        (&self.drivers, &self.constraints).write(to);
        self.springs.springs().collect::<Vec<Spring>>().write(to);
        (&self.clips, &self.machines).write(to);
        (&self.outfits, &self.worn).write(to);
        (&self.poses, &self.events).write(to);
        self.fps.write(to);
    }

    fn read(from: &mut Reader<'_>) -> Result<Self, ArchiveError> {
        let (skeleton, drawing): (Skeleton, Arc<Drawing>) = Archive::read(from)?;
        let posable = Posable::read(&drawing, from)?;
        let (rigid, rigid_bones, points) = Archive::read(from)?;
        let puppets: Vec<Arc<Puppet>> = Archive::read(from)?;
        let bones = from.count_of(Kind::Bone);
        let vertices: usize = puppets.iter().map(|puppet| puppet.vertices()).sum();
        from.set_count(Kind::Bone, bones + vertices);
        let skin = Arc::new(Skin::read(&skeleton, from)?);
        let warps = Archive::read(from)?;
        let (carried, posed, mut paints): (_, _, Vec<PaintRule>) = Archive::read(from)?;
        paints.iter_mut().zip(skin.paths()).for_each(|(rule, path)| rule.find(&skin, path));
        let (patches, mirrored) = Archive::read(from)?;
        from.set_count(Kind::Bone, bones);
        // The other fields in the order in which they are written.
        let parts = Self {
            posable,
            rigid,
            rigid_bones,
            points,
            puppets,
            skin,
            warps,
            carried,
            posed,
            paints,
            patches,
            mirrored,
            draw_order: Archive::read(from)?,
            shapes: Archive::read(from)?,
            drivers: Archive::read(from)?,
            constraints: Archive::read(from)?,
            springs: Springs::new(&skeleton, from.list()?).map_err(|_| from.invalid("spring"))?,
            clips: Archive::read(from)?,
            machines: Archive::read(from)?,
            outfits: Archive::read(from)?,
            worn: Archive::read(from)?,
            poses: Archive::read(from)?,
            events: Archive::read(from)?,
            fps: Archive::read(from)?,
            skeleton,
            drawing,
        };
        from.check(parts.fps > 0.0, "frame rate")?;
        Ok(parts)
    }
}

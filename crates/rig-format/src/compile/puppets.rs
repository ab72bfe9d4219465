//! `Puppet` bindings: a mesh over all paths of a piece of art, held by pins. Outlines are bound to its vertices as
//! `Smooth` binds them to bones.

use std::borrow::Cow;
use std::sync::Arc;

use bone_core::{BoneId, Skeleton, in_few_digits};
use bone_drawing::{ElementId, Outline};
use bone_skin::{
    CoveredShape, FieldError, PinTurn, Puppet, PuppetError, PuppetMesh, PuppetMeshError, PuppetPin,
};
use kurbo::{BezPath, Point, Rect, Shape};

use super::bind::{ClipOfShapes, FieldRequest, winding_rule};
use super::pass::Pass;
use super::plan::{Plan, SharedField};
use super::stencils::ArtOutline;
use crate::diagnostic::Diagnostic;
use crate::doc::{BoneDoc, BoneKind, PuppetDoc};
use crate::schema::content::{Content, words};
use crate::span::Spanned;

/// Parts of a puppet with their stiffness.
struct Starch(Vec<(BezPath, Rect, f64)>);

impl Starch {
    fn at(&self, place: Point) -> f64 {
        let within =
            |(path, bounds, _): &&(BezPath, Rect, f64)| bounds.contains(place) && path.winding(place) != 0;
        self.0.iter().filter(within).map(|(.., factor)| factor).product()
    }
}

impl<'a> Pass<'a> {
    /// Binds the art of a puppet.
    pub(super) fn puppet(
        &mut self,
        puppet: &'a PuppetDoc,
        named: &[(ElementId, &Spanned<String>)],
        skeleton: Option<&Skeleton>,
        plan: &mut Plan<'a>,
    ) {
        self.smooth((Cow::Owned(puppet.smooth()), Some(puppet)), named, skeleton, plan);
    }

    /// The field of the vertices of a puppet over these outlines; none after reporting why there is none.
    pub(super) fn puppet_field(
        &mut self,
        puppet: &PuppetDoc,
        (art, clips): (&[ArtOutline], &[ClipOfShapes]),
        skeleton: &Skeleton,
        plan: &mut Plan<'a>,
    ) -> Option<SharedField> {
        let pins = self.pins(puppet, skeleton)?;
        let starch = self.starch(puppet);
        let shape = |(_, outline): &ArtOutline| {
            let Outline { path, even_odd, stroke_width, .. } = outline;
            (path.clone(), even_odd.map(winding_rule), *stroke_width)
        };
        let shapes: Vec<_> = art.iter().map(shape).collect();
        let covered = shapes.iter().map(|(path, fill, stroke_width)| CoveredShape {
            path,
            fill: *fill,
            stroke_width: *stroke_width,
        });
        let covered: Vec<CoveredShape<'_>> = covered.collect();
        let clips: Vec<_> = clips.iter().map(ClipOfShapes::region).collect();
        let places: Vec<[Point; 2]> = pins.iter().map(|pin| [pin.origin, pin.tip]).collect();
        let edge = puppet.mesh.map(|mesh| mesh.value);
        let made = PuppetMesh::new((&covered, &clips), &places, edge);
        let mesh = made.map_err(|error| self.mesh_error(puppet, error)).ok()?;
        let first = skeleton.len() + plan.puppets.iter().map(|puppet| puppet.vertices()).sum::<usize>();
        let made = Puppet::new(mesh, &pins, (skeleton, first as u32), &|place| starch.at(place));
        let (puppet, field) = made.map_err(|error| self.pin_error(puppet, error)).ok()?;
        // The same vertices at the same ids give the same weights.
        let mut key = words(&(first as u64));
        key.extend([puppet.vertices() as u64, art.len() as u64]);
        puppet.triangles().flatten().for_each(|corner| corner.write(&mut key));
        puppet.corners().iter().flatten().for_each(|corner| key.push(u64::from(*corner)));
        field.followed().iter().for_each(|followed| key.push(u64::from(*followed)));
        let bones: Vec<BoneId> = field.bones().to_vec();
        plan.puppets.push(Arc::new(puppet));
        let request = FieldRequest::solved(key, Arc::new(field));
        let (field, id) = plan.requests.field(request, &mut self.memory.stores);
        let art = art.iter().map(|(art, _)| art.element()).collect();
        Some(SharedField { field, id, bones, art })
    }

    fn pins(&mut self, puppet: &PuppetDoc, skeleton: &Skeleton) -> Option<Vec<PuppetPin>> {
        let pin = |name: &Spanned<String>| {
            let bone = self.named_bone(name, skeleton)?;
            let doc = self.doc.bones.iter().find(|bone| bone.name.value == name.value)?;
            let origin = skeleton.setup_origin(bone);
            let is_point = doc.kind() == BoneKind::Point;
            let tip = if is_point { origin } else { skeleton.setup_tip(bone) };
            Some(PuppetPin { bone, origin, tip, turn: pin_turn(doc), grip: doc.grip.map(|grip| grip.value) })
        };
        puppet.pins.value.iter().map(pin).collect()
    }

    fn starch(&mut self, puppet: &PuppetDoc) -> Starch {
        let mut parts = Vec::new();
        for (name, factor) in &puppet.stiff {
            let Some(element) = self.find(name) else { continue };
            for (_, outline) in self.outlines_around(element) {
                let bounds = outline.path.bounding_box();
                parts.push((outline.path, bounds, factor.value));
            }
        }
        Starch(parts)
    }

    /// The outlines of an element, or of what is in it.
    fn outlines_around(&self, element: ElementId) -> Vec<(ElementId, Outline)> {
        let paths = self.art.paths_in(element);
        let own = std::iter::once(element).filter(|_| paths.is_empty());
        let all = own.chain(paths.iter().copied());
        all.filter_map(|path| Some((path, self.art.outline(path)?))).collect()
    }

    fn mesh_error(&mut self, puppet: &PuppetDoc, error: PuppetMeshError) {
        let art = puppet.art.title();
        match (error, &puppet.mesh) {
            (PuppetMeshError::TooFine { least }, Some(mesh)) => {
                let message = format!("`mesh` of the puppet of art \"{art}\" is too fine");
                let help =
                    format!("write mesh: {} or more: it is the length of an edge", in_few_digits(least));
                self.error(mesh.span, message, &help);
            }
            (PuppetMeshError::Field(FieldError::NoShapes) | PuppetMeshError::NoArea, _) => {
                let help = "a puppet needs art with an area, or lines with a width";
                self.error(
                    puppet.art.span,
                    format!("art \"{art}\" covers nothing, so pins cannot hold it"),
                    help,
                );
            }
            _ => self.error(puppet.art.span, format!("art \"{art}\" cannot be a puppet"), ""),
        }
    }

    fn pin_error(&mut self, puppet: &PuppetDoc, error: PuppetError) {
        let art = puppet.art.title();
        let none = Spanned::new(String::new(), puppet.span);
        let named = |pin: usize| puppet.pins.value.get(pin).unwrap_or(&none);
        match error {
            PuppetError::Outside { pin, nearest } => {
                let at = format!("({}, {})", in_few_digits(nearest.x), in_few_digits(nearest.y));
                let message = format!("pin \"{}\" is outside of art \"{art}\"", named(pin).value);
                self.error(named(pin).span, message, &format!("the nearest place in the art is {at}"));
            }
            PuppetError::Near { pins: [a, b], distance, .. } => {
                let (first, second) = (named(a), named(b));
                let message =
                    format!("pins \"{}\" and \"{}\" are within each other's grip", first.value, second.value);
                let help = match distance > 0.0 {
                    true => {
                        format!("they are {} apart: make `grip` of both smaller", in_few_digits(distance))
                    }
                    false => "they are at one place: remove one of them".to_owned(),
                };
                let error = Diagnostic::error("does-not-fit-drawing", message).help(help);
                let place = self.doc.place(first.span);
                self.report(second.span, error.related(place, "the other pin"));
            }
            PuppetError::Holds { pin } => {
                let message =
                    format!("nothing of art \"{art}\" is left for pin \"{}\" to hold", named(pin).value);
                self.error(named(pin).span, message, "write a smaller `mesh`, or use fewer pins");
            }
            other => self.error(puppet.art.span, format!("art \"{art}\" cannot be a puppet: {other}"), ""),
        }
    }
}

/// A rod turns with its bone, and a pin if it says so.
fn pin_turn(bone: &BoneDoc) -> PinTurn {
    let usual = if bone.kind() == BoneKind::Point { PinTurn::Free } else { PinTurn::Set };
    bone.turn.map_or(usual, |turn| turn.value)
}

//! The content of parts of a document as words, without the places in the text: two parts with the same words
//! compile to the same, wherever they are written.

use kurbo::{Point, Vec2};
use skin::BLine;

use crate::doc::{
    AimDoc, ArtDoc, ArtNames, ArtOffsetsDoc, ArtSetupDoc, ArtWeightsDoc, AttachmentPointDoc, Bend,
    BendChannel, BindingDoc, Blend, BoneChannelsDoc, BoneDoc, Channel, ClipDoc, ClipFollow,
    ConstraintChannelsDoc, ConstraintDoc, ConstraintKind, CopyDoc, DistanceDoc, Drive, DriverDoc, Ease,
    EndAngle, EndDoc, ExplicitDoc, Extend, Fade, FollowDoc, FoundWeights, HoldDoc, IkDoc, Inherit, Joint,
    Keep, KeepDistance, Key, LayerDoc, LimitDoc, Limits, Method, Mode, OffsetDoc, PaintDoc, PaintOptionsDoc,
    ParentChannel, ParentKey, PathDoc, PathTurn, PlayDoc, Region, RigidDoc, SequenceDoc, SmoothDoc, Space,
    SpringDoc, Stroke, TargetDoc, VertexAddress, VertexPart, VertexWeightsDoc, WeightsDoc,
};
use crate::span::Spanned;

/// The words of something. Numbers are their bits; what can be absent or has a length says so first, so that
/// different contents never have the same words.
pub(super) trait Content {
    fn write(&self, words: &mut Vec<u64>);
}

/// The words of some content.
pub(super) fn words(content: &(impl Content + ?Sized)) -> Vec<u64> {
    let mut words = Vec::new();
    content.write(&mut words);
    words
}

impl Content for f64 {
    fn write(&self, words: &mut Vec<u64>) {
        words.push(self.to_bits());
    }
}

impl Content for u64 {
    fn write(&self, words: &mut Vec<u64>) {
        words.push(*self);
    }
}

impl Content for u32 {
    fn write(&self, words: &mut Vec<u64>) {
        words.push(u64::from(*self));
    }
}

impl Content for bool {
    fn write(&self, words: &mut Vec<u64>) {
        words.push(u64::from(*self));
    }
}

impl Content for str {
    fn write(&self, words: &mut Vec<u64>) {
        words.push(self.len() as u64);
        words.extend(self.as_bytes().chunks(8).map(|bytes| {
            let mut word = [0; 8];
            word[..bytes.len()].copy_from_slice(bytes);
            u64::from_le_bytes(word)
        }));
    }
}

impl Content for String {
    fn write(&self, words: &mut Vec<u64>) {
        self.as_str().write(words);
    }
}

impl Content for Point {
    fn write(&self, words: &mut Vec<u64>) {
        words.extend([self.x.to_bits(), self.y.to_bits()]);
    }
}

impl Content for Vec2 {
    fn write(&self, words: &mut Vec<u64>) {
        words.extend([self.x.to_bits(), self.y.to_bits()]);
    }
}

impl<T: Content + ?Sized> Content for &T {
    fn write(&self, words: &mut Vec<u64>) {
        (**self).write(words);
    }
}

impl<T: Content> Content for Option<T> {
    fn write(&self, words: &mut Vec<u64>) {
        words.push(u64::from(self.is_some()));
        self.iter().for_each(|value| value.write(words));
    }
}

impl<T: Content> Content for [T] {
    fn write(&self, words: &mut Vec<u64>) {
        words.push(self.len() as u64);
        self.iter().for_each(|value| value.write(words));
    }
}

impl<T: Content> Content for Vec<T> {
    fn write(&self, words: &mut Vec<u64>) {
        self.as_slice().write(words);
    }
}

impl<A: Content, B: Content> Content for (A, B) {
    fn write(&self, words: &mut Vec<u64>) {
        self.0.write(words);
        self.1.write(words);
    }
}

impl<T: Content> Content for Spanned<T> {
    fn write(&self, words: &mut Vec<u64>) {
        self.value.write(words);
    }
}

/// The fields of a structure that are content, and those that are places. A field that is in neither list
/// does not compile, so that none is forgotten.
macro_rules! fields {
    ($($name:ident $(<$T:ident>)? { $($field:ident),* } but { $($place:ident),* })*) => {$(
        impl $(<$T: Content>)? Content for $name $(<$T>)? {
            fn write(&self, words: &mut Vec<u64>) {
                let Self { $($field,)* $($place: _,)* } = self;
                $($field.write(words);)*
            }
        }
    )*};
}

/// The variants of an enumeration, without or with one value each.
macro_rules! variants {
    ($($name:ident { $($plain:ident),* } with { $($tagged:ident),* })*) => {$(
        impl Content for $name {
            fn write(&self, words: &mut Vec<u64>) {
                // A variant is known by its name.
                match self {
                    $(Self::$plain => stringify!($plain).write(words),)*
                    $(Self::$tagged(value) => {
                        stringify!($tagged).write(words);
                        value.write(words);
                    })*
                }
            }
        }
    )*};
}

fields! {
    BoneDoc { name, parent, from, origin, to, length, angle, line, inherit, joint, limits, region, complete } but { span }
    Limits { least, most } but {}
    Region { start, tip } but {}
    RigidDoc { art, bone } but { span }
    ExplicitDoc { art, weights, others, follow, paint_options, complete } but { span }
    SmoothDoc { art, bones, method, weights, heat, softness, weld, follow, paint_options } but { span }
    FollowDoc { tolerance, blend } but {}
    PaintOptionsDoc { paint, stroke, clip } but {}
    VertexWeightsDoc { vertex, weights } but {}
    WeightsDoc { list, complete } but { span }
    VertexAddress { vertex, part } but {}
    ArtNames { names } but { span }
    ClipDoc { name, length, looped, step, bones, offsets, constraints, art, setup, weights, complete } but { span }
    ArtDoc { art, visible, opacity, order, switch } but {}
    DriverDoc { bone, value, bones, offsets, art, complete } but { span }
    BoneChannelsDoc { bone, rotate, angle, shift, origin, scale, stretch, parent, setup_origin, setup_angle } but {}
    ArtOffsetsDoc { art, vertices } but {}
    ArtSetupDoc { art, vertices } but {}
    ArtWeightsDoc { art, vertices } but {}
    OffsetDoc { bone, channel } but {}
    Channel<T> { keys, ease, extend } but { span }
    Key<T> { time, value, ease } but { span }
    ParentChannel { keys } but { span }
    ParentKey { time, parent, keep } but { span }
    ConstraintDoc { name, mix, kind, complete } but { span }
    EndDoc { tip, point, target, target_point, chain, angle } but {}
    IkDoc { ends, bend, softness, stretch, compress, stiffness } but {}
    AimDoc { bone, target, target_point, offset, softness } but {}
    CopyDoc { bone, from, rotate, shift, scale, rotate_offset, shift_offset, scale_offset, space } but {}
    LimitDoc { bone, rotate, move_x, move_y, scale_x, scale_y } but {}
    PathDoc { bones, art, position, spacing, turn } but {}
    DistanceDoc { bone, point, target, target_point, distance, keep } but {}
    ConstraintChannelsDoc { name, mix, target, bend, softness, position, distance, holds } but {}
    BendChannel { keys } but { span }
    HoldDoc { from, until, at, ease, drift } but { span }
    SpringDoc { chain, bones, stiffness, damping, mass, gravity, mix, complete } but { span }
    SequenceDoc { name, play, layers, length, looped, step, complete } but { span }
    PlayDoc { clip, repeat, from, speed, length, fade, spin } but { span }
    Fade { start, end } but {}
    LayerDoc { play, start, bones, weight, mode } but {}
}

variants! {
    Inherit { All, NoScale, NoRotation, TranslationOnly } with {}
    Joint { Free, Pin, Slide, Fixed } with {}
    BindingDoc {} with { Rigid, Explicit, Smooth }
    Method { Nearest, Envelope, Heat, Biharmonic } with {}
    FoundWeights { Shared, Own, Vertices } with {}
    Blend { Linear, AreaPreserving, RotationCenters } with {}
    ClipFollow { Follow, Still } with {}
    PaintDoc { Follow, Still } with { Bone }
    Stroke { Constant, Uniform } with {}
    VertexPart { Anchor, In, Out } with {}
    Drive { Rotate, MoveX, MoveY, ScaleX, ScaleY, Stretch } with {}
    Extend { Hold, Linear, Loop, LoopOffset, PingPong } with {}
    Keep { World, Local } with {}
    ConstraintKind {} with { Ik, Pin, Aim, Copy, Limit, Path, Distance }
    AttachmentPointDoc { Origin, Tip } with { At }
    TargetDoc {} with { Bone, Place }
    EndAngle { Free, Keep, Target } with {}
    Bend { Auto, Left, Right, Either } with {}
    Space { Local, Canvas } with {}
    PathTurn { Chain, Tangent, Keep } with {}
    KeepDistance { At, Under, Over } with {}
    Mode { Replace, Add } with {}
}

impl Content for Ease {
    fn write(&self, words: &mut Vec<u64>) {
        match self {
            Self::Hold => words.push(0),
            Self::Linear => words.push(1),
            Self::Smooth => words.push(2),
            Self::InOut { start, end } => {
                words.push(3);
                (*start, *end).write(words);
            }
            Self::Tcb { tension, continuity, bias } => {
                words.push(4);
                (*tension, (*continuity, *bias)).write(words);
            }
            Self::Bezier { first, second } => {
                words.push(5);
                (*first, *second).write(words);
            }
        }
    }
}

impl Content for BLine {
    fn write(&self, words: &mut Vec<u64>) {
        words.push(self.closing() as u64);
        words.push(self.vertices().len() as u64);
        for vertex in self.vertices() {
            [vertex.anchor, vertex.tangent_in, vertex.tangent_out]
                .iter()
                .for_each(|point| point.write(words));
        }
        words.push(self.segments().len() as u64);
        words.extend(self.segments().map(|(kind, ..)| kind as u64));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::span::Span;

    #[test]
    fn places_are_no_content_and_everything_else_is() {
        let bone = |name: &str, at| BoneDoc {
            name: Spanned::new(name.to_owned(), Span::at(at)),
            ..BoneDoc::default()
        };
        assert_eq!(words(&bone("hip", 3)), words(&bone("hip", 30)));
        assert_ne!(words(&bone("hip", 3)), words(&bone("hop", 3)));
        let length = |length| BoneDoc { length, ..bone("hip", 3) };
        assert_ne!(words(&length(Some(0.0.into()))), words(&length(Some((-0.0).into()))));
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<String>>();
        assert_ne!(words(&names(&["ab", "c"])), words(&names(&["a", "bc"])));
        assert_ne!(words(&names(&["a\0"])), words(&names(&["a"])));
        let binding =
            |bone: &str| BindingDoc::Rigid(RigidDoc { bone: bone.to_owned().into(), ..RigidDoc::default() });
        assert_ne!(words(&binding("Explicit")), words(&BindingDoc::Smooth(SmoothDoc::default())));
    }
}

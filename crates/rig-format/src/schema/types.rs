//! The types that several fields have, with what to do about a value that is out of range.

use super::{Key, Number, One, Pair, Precision, Range, Text, Type, Word};

const fn number(shown: &'static str, precision: Precision) -> Type {
    Type::Number(Number { shown, precision, range: Range::Any, help: "" })
}

const fn text(shown: &'static str, example: &'static str) -> Type {
    Type::Text(Text { shown, example, one: "" })
}

const fn pair(shown: &'static str, precision: Precision) -> Type {
    Type::Pair(Pair { shown, precision, range: Range::Any, help: "", one: None })
}

impl Type {
    /// The same with a range, and what to do about a value outside of it.
    pub(crate) const fn within(self, range: Range, help: &'static str) -> Self {
        match self {
            Self::Number(number) => Self::Number(Number { range, help, ..number }),
            Self::Pair(pair) => Self::Pair(Pair { range, help, ..pair }),
            other => other,
        }
    }

    /// A pair for which one number may stand.
    const fn or_one(self, one: One) -> Self {
        match self {
            Self::Pair(pair) => Self::Pair(Pair { one: Some(one), ..pair }),
            other => other,
        }
    }
}

pub(crate) const BONE: Type = text("bone name", "\"hip\"");
pub(crate) const SLIDER: Type = text("slider name", "\"smile\"");
pub(crate) const ART: Type = text("art name", "\"head\"");
pub(crate) const ONE_ART: Type = Type::Text(Text {
    shown: "art name",
    example: "\"cape\"",
    one: "write one `Explicit` for each path, or bind all of them together with `Smooth`",
});
pub(crate) const STATE: Type = text("state name", "\"walk\"");
pub(crate) const INPUT: Type = text("input name", "\"speed\"");
pub(crate) const WARP: Type = text("warp name", "\"head\"");
pub(crate) const CLIP: Type = text("clip name", "\"walk\"");
pub(crate) const OUTFIT: Type = text("outfit name", "\"winter\"");
pub(crate) const CONSTRAINT: Type = text("constraint name", "\"grip\"");
pub(crate) const POSE: Type = text("pose name", "\"contact\"");
pub(crate) const PATH: Type = text("path", "\"clips/walk.ron\"");
pub(crate) const SOUND_PATH: Type = text("path", "\"hello.ogg\"");
pub(crate) const COLOR: Type = text("color", "\"#2a6\"");
pub(crate) const WORDS: Type = text("text", "\"GO\"");
pub(crate) const NAME: Type = text("text", "\"hand\"");

pub(crate) const NUMBER: Type = number("number", Precision::Share);
pub(crate) const LENGTH: Type = number("number", Precision::Place);
pub(crate) const DEGREES: Type = number("degrees", Precision::Angle);
pub(crate) const SECONDS: Type = number("seconds", Precision::Time);
pub(crate) const FROM_START: Type =
    number("seconds >= 0", Precision::Time).within(Range::AtLeast(0.0), "clips and shots start at 0");
pub(crate) const DECIBELS: Type =
    number("decibels", Precision::Share).within(Range::Between(-90.0, 24.0), "-6 is half as loud, 6 twice");
pub(crate) const DURATION: Type =
    number("seconds > 0", Precision::Time).within(Range::Above(0.0), "write a length above 0 seconds");
pub(crate) const RATE: Type =
    number("number > 0", Precision::Share).within(Range::Above(0.0), "write fps: 24, or leave it out");
pub(crate) const TOLERANCE: Type = number("pixels > 0", Precision::Share)
    .within(Range::Above(0.0), "it is the largest error of an outline in pixels: 0.25 is not visible");
pub(crate) const HEAT: Type = number("number > 0", Precision::Share)
    .within(Range::Above(0.0), "1 is as published; a greater one makes weights change over a shorter way");
pub(crate) const SOFTNESS: Type = number("number >= 0", Precision::Share)
    .within(Range::AtLeast(0.0), "0 bends sharply at each joint, 0.25 is the default");
pub(crate) const WELD: Type = number("number >= 0", Precision::Place)
    .within(Range::AtLeast(0.0), "it is a distance in units of the drawing; 0 joins only what touches");
pub(crate) const GRIP: Type = number("number > 0", Precision::Place)
    .within(Range::Above(0.0), "it is a radius in units of the canvas; leave it out for a small one");
pub(crate) const EDGE: Type = number("number > 0", Precision::Place).within(
    Range::Above(0.0),
    "it is the length of an edge in units of the drawing; leave it out for a usual mesh",
);
pub(crate) const POWER: Type = number("2", Precision::Share)
    .within(Range::AboveTo(0.0, 64.0), "write InverseDistance(2); with a greater power bones reach less far");
pub(crate) const VOLUME: Type = number("0 to 2", Precision::Share)
    .within(Range::Between(0.0, 2.0), "0 keeps the width of the art, 1 its area");
pub(crate) const BONE_LENGTH: Type = number("number, not 0", Precision::Place)
    .within(Range::NotZero, "a bone needs a length other than 0 to have a direction");
pub(crate) const STEP: Type = number("whole number >= 1", Precision::Share)
    .within(Range::Whole(1.0), "write step: 2 to hold each drawing for two frames");
pub(crate) const SHARE: Type = number("0 to 1", Precision::Share)
    .within(Range::Between(0.0, 1.0), "0 has no effect, 1 is the full effect");
pub(crate) const ADDED_SHARE: Type = number("-1 to 1", Precision::Share)
    .within(Range::Between(-1.0, 1.0), "0.3 gives the bone 30 % more, -0.3 as much less");
pub(crate) const REACH: Type = number("number > 0", Precision::Place)
    .within(Range::Above(0.0), "it is a distance in units of the drawing, to each side of the line");
pub(crate) const OPACITY: Type = number("0 to 1", Precision::Share)
    .within(Range::Between(0.0, 1.0), "0 is fully transparent, 1 is as in the drawing");
pub(crate) const POSE_WEIGHT: Type = number("-1 to 2", Precision::Share)
    .within(Range::Between(-1.0, 2.0), "0 has no effect, 1 is the pose, 2 twice as far");
pub(crate) const SHAPE_WEIGHT: Type = number("-2 to 2", Precision::Share).within(
    Range::Between(-2.0, 2.0),
    "0 is its own shape, 1 the other one, 2 twice as far, -1 as far the other way",
);
pub(crate) const SHAPE_WEIGHTS: Type = Type::Map { key: OF_ART, of: &SHAPE_WEIGHT, each: "this weight" };
pub(crate) const SHAPE: Type = Type::Either(&[ART, SHAPE_WEIGHTS]);
pub(crate) const WEIGHT: Type =
    number("number", Precision::Share).within(Range::AtLeast(0.0), "write a weight of 0 or more");
pub(crate) const STRETCH: Type = number("1 and more", Precision::Share).within(
    Range::AtLeast(1.0),
    "with 1.5 the chain can grow to 1.5 times its length; with `compress` it can shrink",
);
pub(crate) const COMPRESS: Type = number("above 0, to 1", Precision::Share)
    .within(Range::AboveTo(0.0, 1.0), "with 0.5 the chain can shrink to half its length");
pub(crate) const CHAIN: Type = number("whole number >= 1", Precision::Share)
    .within(Range::Whole(1.0), "it counts bones: the bone itself and its ancestors");
pub(crate) const STIFFNESS: Type =
    number("number", Precision::Share).within(Range::Above(0.0), "the default is 1");
pub(crate) const DISTANCE: Type =
    number("number >= 0", Precision::Place).within(Range::AtLeast(0.0), "write a distance of 0 or more");
pub(crate) const SPEED: Type = number("number, not 0", Precision::Share)
    .within(Range::NotZero, "write speed: 1, 2 for twice as fast, or -1 for backwards");
pub(crate) const ZOOM: Type = number("number > 0", Precision::Share)
    .within(Range::Above(0.0), "write zoom: 2 for twice as large, or 0.5 for half");
pub(crate) const GROWTH: Type = number("number > 0", Precision::Share)
    .within(Range::Between(1e-3, 1e3), "write scale: 0.8, or 1 for as large as it is drawn");
pub(crate) const REPEAT: Type = number("number > 0", Precision::Share)
    .within(Range::Above(0.0), "write repeat: 1 to play it once, or 2.5 for two and a half times");
/// How often the keys of a clip are played.
pub(crate) const REPEATED: Type = Type::Either(&[Type::Bool, Type::Words(BACK_AND_FORTH), ROUNDS]);
pub(crate) const BACK_AND_FORTH: &[Word] = &[Word { name: "PingPong", of: None }];
pub(crate) const ROUNDS: Type = number("rounds", Precision::Share)
    .within(Range::Whole(1.0), "write loop: 3 to play it three times, or loop: true for ever");
pub(crate) const PHASE: Type = number("0 to 1", Precision::Share)
    .within(Range::Between(0.0, 1.0), "0.25 starts the loop after a quarter of it");
pub(crate) const FADE: Type =
    number("seconds >= 0", Precision::Time).within(Range::AtLeast(0.0), "leave `fade` out for a cut");
pub(crate) const FREQUENCY: Type = number("number >= 0", Precision::Share)
    .within(Range::AtLeast(0.0), "write stiffness: 2, in oscillations per second, or leave it out");
pub(crate) const PACE: Type = number("number > 0", Precision::Share)
    .within(Range::Above(0.0), "write speed: 1, or 2 for twice as fast");
pub(crate) const DAMPING: Type = number("number >= 0", Precision::Share)
    .within(Range::AtLeast(0.0), "write damping: 0.2, or leave it out");
pub(crate) const MASS: Type = number("number > 0", Precision::Share)
    .within(Range::Between(1e-6, 1e6), "write mass: 1, or leave it out");

pub(crate) const TURBULENCE: Type = number("number >= 0", Precision::Share)
    .within(Range::Between(0.0, 100.0), "0 blows evenly, 0.5 is the default, 1 is a storm");
pub(crate) const EDDIES: Type = number("number > 0", Precision::Place)
    .within(Range::Between(0.1, 1e9), "write eddies: 200, in units of the drawing, or leave it out");
pub(crate) const WIND_SPEED: Type = number("number >= 0", Precision::Place)
    .within(Range::Between(0.0, 1e9), "the direction is that of `force`; 0 keeps eddies in their places");

pub(crate) const RADIUS: Type = number("number > 0", Precision::Place)
    .within(Range::AboveTo(0.0, 1e9), "write the radius of a circle, in units of the drawing");

pub(crate) const XY: Type = pair("(x, y)", Precision::Place);
pub(crate) const SIZE_OFFSET: Type = pair("(x, y)", Precision::Share);
pub(crate) const DRIFT: Type = pair("(x, y) a second", Precision::Place);
pub(crate) const LIMITS: Type = pair("(least, most)", Precision::Place);
pub(crate) const TURN_LIMITS: Type = pair("(least, most)", Precision::Angle);
pub(crate) const SIZE_LIMITS: Type = pair("(least, most)", Precision::Share);
pub(crate) const REGION: Type = pair("(radius at the start, radius at the tip)", Precision::Place)
    .within(Range::AtLeast(0.0), "write region: (radius at the start, radius at the tip)");
pub(crate) const SIZE: Type = pair("(x, y)", Precision::Share).or_one(One::Both);
pub(crate) const SPREAD: Type =
    pair("(x, y)", Precision::Place).within(Range::Between(0.0, 1e4), "0 does not blur").or_one(One::Both);
/// A width, or what it is to both sides.
pub(crate) const INK_WIDTH: Type = pair("(left, right)", Precision::Place)
    .within(
        Range::Between(0.0, 1e5),
        "0 draws nothing; a width is that of the whole stroke, a pair what it is to both sides",
    )
    .or_one(One::Halves);
/// A number, or two of them.
pub(crate) const BLEND_PLACE: Type = pair("(x, y)", Precision::Share).or_one(One::First);
pub(crate) const GRAVITY: Type = pair("(x, y)", Precision::Place)
    .within(Range::Between(-1e9, 1e9), "write gravity: 1000, which looks like gravity on the ground")
    .or_one(One::Second);
pub(crate) const WIND_FORCE: Type = pair("(x, y)", Precision::Place)
    .within(Range::Between(-7e8, 7e8), "write force: (600, 0), a fresh wind to the right");
/// How many cells a lattice has along both axes.
pub(crate) const CELLS: Type = pair("(columns, rows)", Precision::Share)
    .within(Range::Whole(1.0), "write cells: (3, 3), the numbers of columns and rows")
    .or_one(One::Both);
pub(crate) const FADES: Type = pair("(seconds, seconds)", Precision::Time)
    .within(Range::AtLeast(0.0), "leave it out for none")
    .or_one(One::Both);

pub(crate) const BONES: Type = Type::List { of: &BONE, each: "a bone" };
pub(crate) const CONSTRAINTS: Type = Type::List { of: &CONSTRAINT, each: "a constraint" };
pub(crate) const ARTS: Type = Type::Either(&[ART, Type::List { of: &ART, each: "a name in `art`" }]);
pub(crate) const TARGET: Type = Type::Either(&[BONE, XY]);
pub(crate) const OF_BONES: Key = Key::Name { shown: "bone name", of: "bone" };
pub(crate) const OF_GRADIENTS: Key = Key::Name { shown: "gradient name", of: "gradient" };
pub(crate) const OF_FILTERS: Key = Key::Name { shown: "filter name", of: "filter" };
pub(crate) const OF_SLIDERS: Key = Key::Name { shown: "slider name", of: "slider" };
pub(crate) const OF_INPUTS: Key = Key::Name { shown: "input name", of: "input" };
pub(crate) const INPUT_VALUES: Type = Type::Map {
    key: OF_INPUTS,
    of: &Type::Either(&[NUMBER, Type::Bool, Type::Words(TRIGGERS)]),
    each: "this input",
};
pub(crate) const TRIGGERS: &[Word] = &[Word { name: "Trigger", of: None }];
pub(crate) const INPUT_BOUNDS: Type = Type::Map { key: OF_INPUTS, of: &NUMBER, each: "this bound" };
pub(crate) const INPUT_FLAGS: Type = Type::Map { key: OF_INPUTS, of: &Type::Bool, each: "this flag" };
pub(crate) const OF_ART: Key = Key::Name { shown: "art name", of: "art" };
pub(crate) const STARCH: Type = Type::Map { key: OF_ART, of: &STIFFNESS, each: "this stiffness" };
pub(crate) const WEIGHTS: Type = Type::Map { key: OF_BONES, of: &WEIGHT, each: "this weight" };

pub(crate) const VERTEX_WEIGHTS: Type =
    Type::Map { key: Key::Vertex, of: &WEIGHTS, each: "the weight of a vertex" };

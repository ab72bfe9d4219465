//! Spring bones as they were written.

use kurbo::{Point, Vec2};

use crate::schema::types::{
    BONE, BONES, DAMPING, EDDIES, FREQUENCY, GRAVITY, MASS, RADIUS, SHARE, TURBULENCE, WIND_FORCE,
    WIND_SPEED, XY,
};
use crate::schema::{Title, Type, record};
use crate::span::{Span, Spanned};

record! {
    /// Secondary motion: bones that follow the motion of their parents like springs.
    pub struct SpringDoc = "Spring", Title::This("this spring"), "(chain: \"hair_1\", stiffness: 2, damping: 0.2)" {
        /// Its brackets.
        span: Span,
        /// Whether every part was readable.
        complete: bool = true,
    }
    seen |doc, span, complete| (doc.span, doc.complete) = (span, complete);
    fields {
        /// This bone and its descendants.
        opt chain: Spanned<String> = (BONE, "instead of `bones`", "\"fore.L\"") also ["bone", "root"];
        /// These bones.
        opt bones: Vec<Spanned<String>> = (BONES, "instead of `chain`", "[\"head\"]");
        /// Oscillations a second of the bone with its descendants, held by its spring alone: 0.5 is slack, 5 is
        /// stiff, from about 20 on no motion is visible; more than 60 counts as 60.
        opt stiffness: Spanned<f64> = (FREQUENCY, "2", "4") also ["strength", "frequency"];
        /// Damping ratio: 0 oscillates for ever, 0.15 decays after three or four oscillations, 1 is critical
        /// and returns without overshoot.
        opt damping: Spanned<f64> = (DAMPING, "0.15", "0.3");
        /// The mass of each bone relative to the other spring bones: a heavy end moves those before it.
        opt mass: Spanned<f64> = (MASS, "1", "3");
        /// Acceleration down (or along x and y), in units per second squared: 1000 for a figure about as high as
        /// the page. The drawing is at rest without gravity: gravity makes it sag.
        opt gravity: Spanned<Vec2> = (GRAVITY, "0", "800");
        /// What blows at these bones, on top of `gravity`.
        opt wind: WindDoc = (Type::Record(WindDoc::TABLE), "none", "(force: (600, 0))");
        /// A circle or a line that these bones do not pass.
        opt stop: StopDoc = (Type::Record(StopDoc::TABLE), "none", "(at: (200, 70), radius: 45, bone: \"head\")") also ["collider", "collision"];
        /// The share of the secondary motion.
        opt mix: Spanned<f64> = (SHARE, "1", "0.5");
    }
}

record! {
    /// Wind that blows at bones with springs.
    pub struct WindDoc = "Wind", Title::This("this wind"), "(force: (600, 0), turbulence: 0.8)" {}
    fields {
        /// Its direction and strength: the acceleration of a bone with `mass: 1`, in units per second squared. A
        /// bone with `mass: 2` is blown half as much.
        req force: Spanned<Vec2> = (WIND_FORCE, "(600, 0)") also ["strength", "direction", "acceleration"];
        /// How gusty it is: by which share of its strength it varies from place to place and from moment to
        /// moment; 0 blows evenly.
        opt turbulence: Spanned<f64> = (TURBULENCE, "0.5", "0.8") also ["gusts", "noise"];
        /// The size of its eddies: bones that are nearer to each other than this are blown alike.
        opt eddies: Spanned<f64> = (EDDIES, "200", "80") also ["scale", "size"];
        /// Units that eddies travel in a second, along the wind.
        opt speed: Spanned<f64> = (WIND_SPEED, "400", "250");
    }
}

record! {
    /// What bones with springs do not pass.
    pub struct StopDoc = "Stop", Title::This("this stop"), "(at: (200, 70), radius: 45, bone: \"head\")" {
        /// Whether every part was readable.
        complete: bool = true,
    }
    seen |doc, _span, complete| doc.complete = complete;
    fields {
        /// The centre of a circle, or the start of a line, on the canvas in the setup pose.
        req at: Spanned<Point> = (XY, "(200, 70)") also ["center", "centre", "from"];
        /// Makes a circle: bones stay outside of it.
        opt radius: Spanned<f64> = (RADIUS, "instead of `to`", "45");
        /// Makes a line, which has no ends: bones stay on its left as seen from `at`, so above a line to the right.
        opt to: Spanned<Point> = (XY, "instead of `radius`", "(600, 300)");
        /// The bone that carries it.
        opt bone: Spanned<String> = (BONE, "none, it stays on the canvas", "\"head\"") also ["parent"];
    }
}

impl SpringDoc {
    /// Every name that is written.
    pub fn names(&self) -> impl Iterator<Item = &Spanned<String>> {
        self.chain.iter().chain(self.bones.iter().flatten())
    }
}

//! Measures the feet of a climb at ten times a frame: the place and time of each contact, how far the foot
//! slides meanwhile, and how far the knee bends.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use bone_format::{Disk, load, no_fonts};
use bone_rig::FrameState;

const MOMENTS_A_SECOND: f64 = 240.0;
/// A foot that moves less than this between two samples is in contact, in units of the drawing.
const STILL: f64 = 1e-6;

fn main() -> Result<(), Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("stairs/rig.ron");
    let rig = load(&path, Arc::new(Disk), &no_fonts).rig.ok_or("the rig has mistakes")?;
    let clip = rig.clip("climb").ok_or("no such clip")?;
    let skeleton = rig.skeleton();
    let find = |name: &str| skeleton.find(name).ok_or("no such bone");
    let mut state = FrameState::new(&rig);

    let moments = clip.frame_count(MOMENTS_A_SECOND);
    for side in ["r", "l"] {
        let (shin, foot) = (find(&format!("shin_{side}"))?, find(&format!("foot_{side}"))?);
        let mut balls = Vec::new();
        let mut knees = Vec::new();
        for k in 0..moments {
            rig.pose(Some(clip), k as f64 / MOMENTS_A_SECOND, &mut state)?;
            // `driven` is what came of clip and constraints: here the knee, which has no keys.
            balls.push(state.world().tip(skeleton, state.driven(), foot));
            knees.push(state.driven().bones[shin.index()].angle.degrees());
        }
        let mut from = 0;
        for k in 1..=balls.len() {
            if k < balls.len() && balls[k].distance(balls[k - 1]) <= STILL {
                continue;
            }
            // A contact ends here; two samples in the air are none.
            if k - from > 2 {
                let slide = balls[from..k].iter().map(|ball| ball.distance(balls[from])).fold(0.0, f64::max);
                let knee = knees[from..k]
                    .iter()
                    .fold((f64::INFINITY, 0.0_f64), |(least, most), knee| (knee.min(least), knee.max(most)));
                let time = |k: usize| k as f64 / MOMENTS_A_SECOND;
                println!(
                    "foot_{side} stands at {:.0} from {:.2} to {:.2} s, slides {slide:.0e}, knee from {:.0} to {:.0} degrees",
                    balls[from],
                    time(from),
                    time(k - 1),
                    knee.0,
                    knee.1
                );
            }
            from = k;
        }
    }
    Ok(())
}

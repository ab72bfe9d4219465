//! What Rust takes for the frames that `bench.py` draws from Python: milliseconds each, the best of seven turns.

use std::sync::Arc;
use std::time::Instant;

use bone_layer::{Disk, FrameOptions, FrameSize, FrameState, Viewport, load, system_fonts};

const FRAMES: usize = 96;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("draw RIG")?;
    let rig = load(path.as_ref(), Arc::new(Disk), &system_fonts).rig.ok_or("the rig has mistakes")?;
    let clip = rig.clips().first().ok_or("the rig has no clips")?;
    let mut state = FrameState::new(&rig);
    let size = FrameSize::from_scale(rig.art().size(), 1.0)?;
    let view = Viewport::fit(rig.posable().drawing(), &FrameOptions { size, background: None });
    let mut pixels = vec![0; size.width() as usize * size.height() as usize * 4];
    let mut best = f64::INFINITY;
    for _ in 0..7 {
        let begin = Instant::now();
        for frame in 0..FRAMES {
            let time = clip.time().length * frame as f64 / FRAMES as f64;
            rig.pose(Some(clip), time, &mut state)?;
            rig.draw_into(&mut state, &view, &mut pixels)?;
        }
        best = best.min(begin.elapsed().as_secs_f64() / FRAMES as f64);
    }
    println!("{}", best * 1e3);
    Ok(())
}

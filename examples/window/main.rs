//! A rig in a window: it plays, and the tip of a bone that is dragged follows the pointer, two bones with it.

use std::sync::Arc;
use std::time::Instant;

use bone_layer::kurbo::{Affine, Point};
use bone_layer::{Disk, FrameSize, FrameState, Viewport, load, system_fonts};
use bone_layer::motion::constraint::AttachmentPoint;
use bone_layer::rig::{Handle, Overrides};
use minifb::{MouseButton, MouseMode, Window, WindowOptions};

const SIZE: (usize, usize) = (640, 640);

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "../arm/rig.ron".to_owned());
    let loaded = load(path.as_ref(), Arc::new(Disk), &system_fonts);
    let rig = loaded.rig.ok_or("the rig has mistakes: `render-frames check` lists them")?;
    let mut state = FrameState::new(&rig);

    // The whole drawing in the window, and the way back from the window to the canvas.
    let page = rig.art().size();
    let scale = (SIZE.0 as f64 / page.width).min(SIZE.1 as f64 / page.height);
    let view = Viewport::new(FrameSize::new(SIZE.0 as u32, SIZE.1 as u32)?, Affine::scale(scale));
    let to_canvas = (view.transform * rig.art().canvas_to_output()).inverse();

    let mut window = Window::new("bone-layer", SIZE.0, SIZE.1, WindowOptions::default())?;
    window.set_target_fps(60);
    let (mut pixels, mut screen) = (vec![0; SIZE.0 * SIZE.1 * 4], vec![0; SIZE.0 * SIZE.1]);
    let (started, mut dragged, mut overrides) = (Instant::now(), None, Overrides::new());
    while window.is_open() {
        let pointer = window.get_mouse_pos(MouseMode::Clamp).filter(|_| window.get_mouse_down(MouseButton::Left));
        let pointer = pointer.map(|(x, y)| to_canvas * Point::new(x.into(), y.into()));
        let (clip, time) = (rig.clips().first(), started.elapsed().as_secs_f64());
        match (pointer, dragged) {
            (None, _) => {
                dragged = None;
                overrides.clear();
                rig.pose(clip, time, &mut state)?;
            }
            (Some(at), None) => {
                // The bone whose tip is nearest.
                let distance = |bone| state.world().tip(rig.skeleton(), state.driven(), bone).distance(at);
                dragged = rig.skeleton().bones().min_by(|a, b| distance(*a).total_cmp(&distance(*b)));
            }
            (Some(at), Some(bone)) => {
                let tip = Handle::Tip { bone, point: AttachmentPoint::Tip, chain: 2 };
                rig.drag(clip, time, &mut overrides, tip, at, &mut state)?;
            }
        }
        rig.draw_into(&mut state, &view, &mut pixels)?;
        for (to, from) in screen.iter_mut().zip(pixels.chunks_exact(4)) {
            // Colours are multiplied by alpha; the ground is white.
            let over = |k: usize| 255 - u32::from(from[3]) + u32::from(from[k]);
            *to = over(0) << 16 | over(1) << 8 | over(2);
        }
        window.update_with_buffer(&screen, SIZE.0, SIZE.1)?;
    }
    Ok(())
}

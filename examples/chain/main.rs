//! Springs without a drawing: a rope of forty bones whose upper end is moved. Its motion is baked once, and
//! then sampled at any time in any order.
#![allow(clippy::print_stdout, reason = "an example prints")]

use std::error::Error;

use bone_core::clip::ClipTime;
use bone_core::spring::{Spring, Springs};
use bone_core::{BoneSpec, Pose, SkeletonBuilder, WorldPose};
use kurbo::Vec2;

const LINKS: usize = 40;

fn main() -> Result<(), Box<dyn Error>> {
    // A hand, and links of 8 units that hang from it.
    let mut rope = SkeletonBuilder::new().bone(BoneSpec::new("hand", 10.0).origin(200.0, 50.0).degrees(90.0));
    let name = |link: usize| format!("link {link}");
    for link in 0..LINKS {
        let (above, tip) = if link == 0 { ("hand".to_owned(), 10.0) } else { (name(link - 1), 8.0) };
        rope = rope.bone(BoneSpec::new(name(link), 8.0).parent(above).origin(tip, 0.0));
    }
    let rope = rope.build()?;
    let find = |name: &str| rope.find(name).ok_or("no such bone");
    let (hand, last) = (find("hand")?, find(&name(LINKS - 1))?);

    // No stiffness: gravity alone brings the rope back.
    let gravity = Vec2::new(0.0, 1500.0);
    let links = rope.bones().filter(|bone| *bone != hand);
    let springs = links.map(|bone| Spring { stiffness: 0.0, damping: 0.05, gravity, ..Spring::new(bone) });
    let springs = Springs::new(&rope, springs.collect())?;

    // The hand goes 80 units to the side within half a second, and stays.
    let shift = |time: f64| {
        let part = (time / 0.5).clamp(0.0, 1.0);
        80.0 * part * part * (3.0 - 2.0 * part)
    };
    let moved = |time: f64, pose: &mut Pose, world: &mut WorldPose| {
        pose.reset(&rope);
        pose.bones[hand.index()].origin.x += shift(time);
        world.forward(&rope, pose)
    };
    let clip = ClipTime::new(4.0, false);
    let swings = springs.bake(&rope, clip, moved)?;

    // Backwards, to show that nothing depends on the order.
    let (mut pose, mut world) = (Pose::new(&rope), WorldPose::new(&rope));
    for step in (0..=16).rev() {
        let time = f64::from(step) * 0.25;
        moved(time, &mut pose, &mut world)?;
        swings.apply(&rope, time, &mut pose);
        world.forward(&rope, &pose)?;
        let behind = world.tip(&rope, &pose, last).x - world.origin(hand).x;
        println!("{time:>5.2} s: the end is {behind:>7.2} beside the hand");
    }
    Ok(())
}

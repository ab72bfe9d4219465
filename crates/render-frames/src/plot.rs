//! `plot`: plots the curves of bones over time.

use bone_format::SkinDetail;
use bone_format::diagnostic::nearest;
use bone_looks::plot::{Plot, PlotSelection};
use bone_render::{FrameContent, FrameSize};

use crate::args;
use crate::exit::Exit;
use crate::picture::{self, LoadedRig};

pub(crate) fn run(args: &args::PlotArgs) -> Exit {
    let opened = match picture::open(&args.rig, &args.files, SkinDetail::Bones, false, false) {
        Ok(opened) => opened,
        Err(exit) => return exit,
    };
    picture::end("plot", plot(args, &opened).map(|plot| write(args, &plot)))
}

fn plot(args: &args::PlotArgs, LoadedRig { scene, inputs, .. }: &LoadedRig) -> Result<Plot, String> {
    picture::check_output(&args.output, args.existing, inputs, "plot")?;
    let clip = picture::clip(args.clip.as_deref(), scene)?;
    let clip = clip.ok_or("the rig has no clips, so nothing moves")?;
    let skeleton = scene.skeleton();
    let mut bones = Vec::with_capacity(args.bones.len());
    for name in &args.bones {
        let names = || skeleton.bones().map(|bone| skeleton.name(bone));
        bones.push(skeleton.find(name).ok_or_else(|| match nearest(name, names()) {
            Some(near) => format!("the rig has no bone called \"{name}\"; did you mean \"{near}\"?"),
            None => format!("the rig has no bone called \"{name}\""),
        })?);
    }
    let selection = PlotSelection { bones: &bones, channel: args.channel.0 };
    Plot::new(scene, clip, selection).map_err(|error| match error {
        bone_looks::plot::PlotError::Still { .. } => {
            format!("\"{}\" moves none of the selected channels: {error}", clip.name())
        }
        _ => format!("{error}: choose with --bone and --channel"),
    })
}

fn write(args: &args::PlotArgs, plot: &Plot) -> Result<(), String> {
    if !picture::is_png(&args.output) {
        return picture::write(&args.output, FrameContent::Svg(&plot.svg));
    }
    let size = FrameSize::from_scale(plot.size, args.scale).map_err(|error| error.to_string())?;
    picture::write(&args.output, FrameContent::Pixels(&picture::pixels(&plot.svg, size)?))
}

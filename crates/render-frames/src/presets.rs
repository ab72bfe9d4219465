//! `presets`: the table of what `--for` makes.

use bone_export::{DELIVERIES, DeliveryTarget};

use crate::args::PresetsArgs;
use crate::exit::Exit;
use crate::report::print_result;

pub(crate) fn run(args: &PresetsArgs) -> Exit {
    if args.json {
        let rows: serde_json::Value = DELIVERIES.iter().map(json).collect();
        return print_result(format!("{rows:#}\n"));
    }
    let mut text = format!(
        "{:<15} {:<6} {:<46} {:>4} {:>7} {:>3} {:>7}\n",
        "name", "file", "pixels", "fps", "frames", "s", "bytes"
    );
    for target in DELIVERIES {
        let DeliveryTarget { name, ending, sizes, most_fps, most_seconds, most_bytes, .. } = *target;
        let frames = match target.frames {
            (_, u64::MAX) => String::new(),
            (least, most) => format!("{least}-{most}"),
        };
        let row = format!(
            "{name:<15} .{ending:<5} {sizes:<46} {most_fps:>4} {frames:>7} {most_seconds:>3} {most_bytes:>7}\n"
        );
        text.push_str(&row);
    }
    print_result(text)
}

fn json(target: &DeliveryTarget) -> serde_json::Value {
    let DeliveryTarget { name, label, ending, size: (width, height), sizes, most_fps, .. } = *target;
    let (least, most) = target.frames;
    serde_json::json!({
        "name": name, "label": label, "ending": ending, "width": width, "height": height, "sizes": sizes,
        "most_fps": most_fps, "least_frames": least, "most_frames": (most < u64::MAX).then_some(most),
        "most_seconds": target.most_seconds, "most_bytes": target.most_bytes,
        "plays": if target.counted { "1-4" } else { "endless" }, "margin": target.margin,
    })
}
